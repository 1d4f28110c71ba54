"""Compare what is kept with what is said in Pyodide, as a web page has it: `page.mjs` runs `replay.py` there.

What may differ is listed in in_page.toml, each answer with its reason; nothing else may, and what is listed must.
"""

import concurrent.futures
import json
import subprocess
import tempfile
import tomllib
import zipfile
from collections import Counter
from pathlib import Path

from tests.golden import book

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parent.parent
PACKED = ("course_lib", "courseware", "lessons", "publish", "whywrong", "tests")


def compare(exercises: list[str], parts: str, one_in: int = 1) -> int:
    """Compare the rows of exercises, print what differs, and return 1 where that is not as it is listed.

    Args:
        parts: a folder in which, at any depth, lie `pyodide.mjs` and NumPy's wheel.
        one_in: of so many rows one is asked, always the same.
    """
    core = next((path.parent for path in (ROOT / parts).rglob("pyodide.mjs")), None)
    wheel = next((ROOT / parts).rglob("numpy-*wasm32.whl"), None)
    if core is None or wheel is None:
        print(f"There is no Pyodide in {parts}, or no NumPy for it: run `make site` once.")
        return 1
    listed = tomllib.loads((FOLDER / "in_page.toml").read_text(encoding="utf-8"))
    asked = [f"{exercise}={one_in}" for exercise in exercises]
    count, wrong, left_out = 0, 0, Counter()
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(2) as pool:
        packed = _packed(Path(folder, "course.zip"))
        halves = [pool.submit(_replayed, core, wheel, packed, some) for some in (asked[::2], asked[1::2])]
        for reply in [reply for half in halves for reply in half.result()]:
            exercise, said = reply["exercise"], reply["said"]
            kept = {title: text for title, text in book.kept(exercise).items() if title in said}
            reasons = {title: why for title, why in listed.get(exercise, {}).items() if one_in == 1 or title in said}
            found = astray(kept, said, reasons)
            for paragraph in found:
                print(f"{exercise} · {paragraph}\n", flush=True)
            count, wrong = count + len(said), wrong + len(found)
            left_out.update(reply["left_out"])
    without = f"{left_out['torch']} that need torch, {left_out['limit']} that are stopped by a limit"
    print(f"{count} answers in a page, of which {wrong} are not as they should be; left out: {without}.")
    return 1 if wrong else 0


def astray(kept: dict[str, str], said: dict[str, str], listed: dict[str, str]) -> list[str]:
    """Return a paragraph for each row that differs and is not listed, and for each that is listed and is the same."""
    found = book.differences(*({title: of[title] for title in of if title not in listed} for of in (kept, said)), {})
    same = [title for title in listed if said.get(title) == kept.get(title)]
    return [*found, *(f"{title}\n  is the same: take it off in_page.toml" for title in same)]


def _replayed(core, wheel, packed, exercises):
    """Return the replies of `replay.said` for some exercises."""
    if not exercises:
        return []
    command = ["node", FOLDER / "page.mjs", core, wheel, packed, *exercises]
    done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8")
    if done.returncode:
        raise RuntimeError(f"node says: …{done.stderr.strip()[-2000:]}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def _packed(to):
    """Write a zip file of all that the rows are made of."""
    with zipfile.ZipFile(to, "w", zipfile.ZIP_DEFLATED) as packed:
        for package in PACKED:
            for path in sorted((ROOT / package).rglob("*")):
                if path.suffix in (".py", ".toml", ".txt", ".csv"):
                    packed.write(path, path.relative_to(ROOT))
    return to

"""Ask whether the notebooks and the replies depend on the processor: with other kernels, and equal values reversed.

    python -m tests.other_kernels                             the notebooks of LIKELY, and a tenth of the kept replies
    python -m tests.other_kernels --all                       all notebooks, and the same replies
    python -m tests.other_kernels notebooks/NN_lesson.ipynb   these notebooks alone

All settings are on at once. Only where something changes is each tried alone, to name the one that does it.
"""

import concurrent.futures
import hashlib
import json
import multiprocessing
import os
import platform
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parent.parent
TIES = "PYTHONPATH"  # tests/ties/sitecustomize.py reverses the order of equal values
SETTINGS = {
    "NPY_DISABLE_CPU_FEATURES": "",  # those that NumPy finds on this processor, see `main`
    "ATEN_CPU_CAPABILITY": "default",  # torch's own vectors
    "MKL_CBWR": "COMPATIBLE",  # torch's products
    "OPENBLAS_CORETYPE": "Prescott",  # NumPy's products
    TIES: str(ROOT / "tests" / "ties"),
}
SECONDS = 600  # for a cell; these kernels are slow
QUIET = dict.fromkeys(("COURSE_STATIC", "WHYWRONG_STRICT"), "1")
# What a submission asks: the notebooks in which equal values or sums decide what is printed.
LIKELY = (
    "notebooks/04_expand_and_contract.ipynb",  # which value is the nearest, after trainings
    "notebooks/09_bonus_experts.ipynb",  # which experts are chosen, where logits are equal
    "notebooks/10_inside_a_language_model.ipynb",  # float32: counts and ranks of units
)
# Of lesson 15 these cells alone: 10 CPU seconds as usual, and several times as many without the vectors of a processor.
SOME = {
    "notebooks/15_real_model.ipynb": (
        "setup",
        "run-1-open",  # 3 s
        "run-1-share",
        "run-1-own",  # 1 s
        "run-3-the",
        "run-4",  # 3 s: the counts of units
        "run-5-capitals",  # 1 s: which capitals it names
    )
}
LACKING = ("", "DEFAULT")  # what a processor, or a build of NumPy or torch, shows that has nothing to switch off


def show() -> dict[str, str]:
    """Return for each setting what it changes, as it is in this process."""
    import numpy as np
    import torch

    config, a = np.show_config(mode="dicts"), np.random.default_rng(0).normal(size=(65, 70))
    has_openblas = "openblas" in config["Build Dependencies"]["blas"]["name"]
    has_prescott = has_openblas and platform.machine() in ("x86_64", "AMD64")
    t = torch.from_numpy(a)
    return {
        "NPY_DISABLE_CPU_FEATURES": " ".join(config["SIMD Extensions"].get("found", ())),
        "ATEN_CPU_CAPABILITY": torch.backends.cpu.get_cpu_capability(),
        "MKL_CBWR": _digest((t @ t.T).numpy()) if torch.backends.mkl.is_available() else "",
        "OPENBLAS_CORETYPE": _digest(a @ a.T) if has_prescott else "",
        TIES: str(np.zeros(3).argsort()),
    }


def _digest(product):
    return hashlib.sha256(product.tobytes()).hexdigest()


def shown(settings: dict[str, str]) -> dict[str, str]:
    """Return what `show` says in a process with these settings."""
    code = "import json; from tests.other_kernels import show; print(json.dumps(show()))"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE, check=True
    )
    return json.loads(done.stdout)


def cells(notebooks: list[str], settings: dict[str, str]) -> set[tuple[str, str]]:
    """Return the notebook and the id of each cell whose output is not as stored."""
    named = [one for notebook in notebooks for one in _named(notebook)]
    options = ["-q", "-rfE", "-knot Solved", "--color=no", f"--nbval-cell-timeout={SECONDS}"]
    command = [sys.executable, "-m", "pytest", *options, *named]
    done = subprocess.run(
        command, cwd=ROOT, env={**os.environ, **settings}, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    )
    found = re.findall(r"^(?:FAILED|ERROR) (\S+\.ipynb)::Cell (\d+)", done.stdout, re.MULTILINE)
    print(done.stdout if done.returncode else done.stdout.splitlines()[-1], flush=True)
    if done.returncode not in (0, 1) or bool(found) != bool(done.returncode):
        raise SystemExit(f"pytest ended with {done.returncode}.")
    late = re.search(r"^_+ (\S+)::Cell (\d+) _+\n(?:.*\n){1,2}Cell \d+: Timeout of", done.stdout, re.MULTILINE)
    if late:  # what comes behind it fails, too, and says nothing about the settings
        raise SystemExit(f"{late[1]}, {_id(late[1], int(late[2]))}: it ran for more than {SECONDS} s, and was stopped.")
    return {(notebook, _id(notebook, int(number))) for notebook, number in found}


def _id(notebook, number):
    return _ids(notebook)[number]


def _ids(notebook):
    all_of_it = json.loads((ROOT / notebook).read_text(encoding="utf-8"))["cells"]
    return [cell["id"] for cell in all_of_it if cell["cell_type"] == "code"]


def _named(notebook):
    """Return what pytest is to run of a notebook: all of it, or some cells."""
    chosen = SOME.get(notebook)
    return [notebook] if chosen is None else [f"{notebook}::Cell {_ids(notebook).index(id)}" for id in chosen]


def replies(exercises: list[str], settings: dict[str, str]) -> set[tuple[str, str]]:
    """Return the exercise and the first line of each kept answer of a tenth that is told something else."""
    context, found, count = multiprocessing.get_context("spawn"), set(), 0
    with patch.dict(os.environ, {**settings, **QUIET}), concurrent.futures.ProcessPoolExecutor(2, context) as pool:
        for exercise, (rows, differences) in zip(exercises, pool.map(_tenth, exercises), strict=True):
            count += rows
            for paragraph in differences:
                print(f"{exercise} · {paragraph}\n", flush=True)
                found.add((exercise, paragraph.partition("\n  is ")[0]))
    print(f"{count} replies, of which {len(found)} differ.", flush=True)
    return found


def _tenth(exercise):
    """Return how many replies were asked, and a paragraph for each that differs."""
    from tests.golden import book
    from tests.golden.rows import rows

    now = book.said_today(exercise, one_in=10)
    kept = {title: book.kept(exercise)[title] for title in now}
    return len(now), book.differences(kept, now, {row.title: row for row in rows(exercise)})


def main(told: list[str]) -> int:
    """Run the notebooks that are told, or all; return 1 where one depends on a setting, or one is not in force."""
    from tests.golden.rows import exercises

    plain = shown({})
    settings = {**SETTINGS, "NPY_DISABLE_CPU_FEATURES": plain["NPY_DISABLE_CPU_FEATURES"]}
    for name in [name for name in settings if plain[name] in LACKING]:
        print(f"Left out, since there is nothing here that it switches off: {name}")
        del settings[name]
    now, problems = shown(settings), []
    for name, value in settings.items():
        print(f"{name}={value}", flush=True)
        if now[name] == plain[name]:
            problems.append(f"{name} is set and changes nothing.")
    every = sorted(f"notebooks/{path.name}" for path in (ROOT / "notebooks").glob("*.ipynb"))
    asked = every if told == ["--all"] else told or LIKELY
    for ask, parts in ((cells, asked), (replies, [] if asked is told else exercises())):
        changed = ask(parts, settings)
        again = sorted({part for part, _ in changed})
        tried = {"no setting at all": {}, **{name: {name: value} for name, value in settings.items()}}
        alone = {name: ask(again, setting) for name, setting in tried.items()} if changed else {}
        for part, what in sorted(changed):
            by = [name for name in alone if (part, what) in alone[name]]
            by = by[:1] if by[:1] == ["no setting at all"] else by
            problems.append(f"{part}, {what}: another result with {' or '.join(by) or 'all settings together'}")
    print("\n".join(problems) or "Nothing depends on these settings.")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Pack the course for learners: without the worked solutions, the teacher's pages and the tests.

`solution(...)` then says "ask your teacher"; checks, hints and quizzes go on as before. What a check compares with and
what a quiz replies stays inside, so a determined learner can read it.

Usage: python -m classroom.edition [ZIP]          (which is `make student`; by default dist/ffn-course-student.zip)
"""

import argparse
import fnmatch
import re
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = "ffn-course"  # inside the zip file
DEFAULT = ROOT / "dist" / f"{FOLDER}-student.zip"
LEFT_OUT = (
    "course_lib/lessons/*/solutions.py",
    "classroom/*",
    "tests/*",
    ".ci/*",
    ".gitattributes",
    ".github/*",
    ".devcontainer/*",
    "dist/*",
    "my_notebooks/*",
)
SECTIONS_LEFT_OUT = ("Teaching with it", "For teachers", "Contributing")  # of README.md
_DATE = (2020, 1, 1, 0, 0, 0)  # the same files give the same zip file


def files(root: Path = ROOT) -> list[str]:
    """Return the files of the student edition: those under version control that are not left out.

    Raises:
        RuntimeError: the folder is no git clone, or there is no git, so there is no list of what belongs to the course.
    """
    try:
        done = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True)
    except FileNotFoundError:
        raise RuntimeError("The student edition is packed from a git clone by git, which was not found.") from None
    if done.returncode:
        raise RuntimeError(f"The student edition is packed from a git clone; git says: {done.stderr.strip()}")
    names = [name for name in done.stdout.split("\0") if name and (root / name).is_file()]
    return sorted(name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in LEFT_OUT))


def readme(text: str) -> str:
    """Return the course's README without the sections that are not for learners."""
    for title in SECTIONS_LEFT_OUT:
        text = re.sub(rf"^## {re.escape(title)}\n.*?(?=^## |\Z)", "", text, flags=re.MULTILINE | re.DOTALL)
    return text


def pack(target: Path = DEFAULT, root: Path = ROOT) -> int:
    """Write the zip file and return how many files it holds."""
    names = files(root)
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name in names:
            data = (root / name).read_bytes()
            if name == "README.md":
                data = readme(data.decode("utf-8")).encode("utf-8")
            entry = zipfile.ZipInfo(f"{FOLDER}/{name}", _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
            packed.writestr(entry, data)
    return len(names)


def main(arguments=None) -> int:
    """Pack the edition and say where it is."""
    parser = argparse.ArgumentParser(description="Pack the course for learners, without solutions.")
    parser.add_argument("zip", nargs="?", type=Path, default=DEFAULT, help="the file to write")
    target = parser.parse_args(arguments).zip
    try:
        count = pack(target)
    except RuntimeError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or target} cannot be written: {error.strerror}.", file=sys.stderr)
        return 1
    print(f"{target}: {count} files, without solutions, teacher's pages and tests.")
    print("Learners unpack it, open a terminal in the folder and type: make lab")
    return 0


if __name__ == "__main__":
    sys.exit(main())

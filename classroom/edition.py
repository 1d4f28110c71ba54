"""Pack the course for learners: without the worked solutions, the teacher's pages, the tests, and the tools of authors.

`solution(...)` then says "ask your teacher"; checks, hints, halves and quizzes go on as before. What a check compares
with and what a quiz replies stays inside, so a determined learner can read it.

Usage: python -m classroom.edition [ZIP]          (which is `make student`; by default dist/ffn-course-student.zip)
"""

import argparse
import fnmatch
import re
import sys
import zipfile
from pathlib import Path

from classroom import Refused
from courseware import packing
from courseware.content import Lesson
from courseware.environment import ROOT
from lessons import catalogue

FOLDER = "ffn-course"  # inside the zip file
DEFAULT = ROOT / "dist" / f"{FOLDER}-student.zip"
LEFT_OUT = (
    "lessons/*/solutions.py",
    "lessons/*/plan.toml",
    "classroom/*",
    "tests/*",
    "conftest.py",
    # what makes notebooks and pages out of the lessons
    "publish/author/*",
    "publish/learner/pages.py",
    "publish/release.py",
    "publish/site/*",
    "docs/site_*",
    "docs/troubles.md",
    "docs/language_model.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    ".ci/*",
    ".gitattributes",
    ".github/*",
    ".devcontainer/*",
    "print/*",  # what the release's zip file for teachers adds
    "README.txt",
)
README = "classroom/student.md"
MAKEFILE_ENDS = "# ---- The student edition ends here"
_DATE = (2020, 1, 1, 0, 0, 0)  # the same files give the same zip file


def files(root: Path = ROOT) -> list[str]:
    """Return the files of the student edition: those under version control that are not left out.

    Raises:
        ValueError: the folder is no git clone, or there is no git, so there is no list of what belongs to the course.
    """
    try:
        names = packing.tracked(root=root)
    except (RuntimeError, OSError) as error:
        cure = "If this folder came out of a zip file, type `git init` and `git add --all` in it first."
        raise Refused(f"{cure} The student edition holds what git knows, but: {error}") from None
    return [name for name in names if not any(fnmatch.fnmatch(name, pattern) for pattern in LEFT_OUT)]


def readme(root: Path = ROOT) -> str:
    """Return the edition's own README, with the sections that it takes from other pages of the course.

    Raises:
        ValueError: a page has no such section.
    """

    def section(mark):
        page = (root / mark[1]).read_text(encoding="utf-8")
        found = re.search(rf"^## {re.escape(mark[2])}\n.*?(?=^## |\Z)", page, flags=re.MULTILINE | re.DOTALL)
        if found is None:
            raise Refused(f"{README} takes the section {mark[2]!r} from {mark[1]}, which has no such section.")
        return found[0].rstrip()

    return re.sub(r"<!-- from (\S+): (.+) -->", section, (root / README).read_text(encoding="utf-8"))


def makefile(text: str) -> str:
    """Return the targets of the course's Makefile that are for learners: those above its mark.

    Raises:
        ValueError: the mark is not there.
    """
    kept, mark, _ = text.partition(MAKEFILE_ENDS)
    if not mark:
        raise Refused(f"The Makefile has no line {MAKEFILE_ENDS!r}, after which the teachers' targets begin.")
    return kept.rstrip() + "\n"


def halves(lesson: Lesson) -> str:
    """Return the TOML with the half-worked cells of a lesson, which cannot be made without its solutions."""
    made = {module: catalogue.half(f"{lesson.name}.{module}") for module in lesson.exercises}
    return "\n".join(f"{module} = '''\n{code}'''\n" for module, code in made.items() if code)


def pack(target: Path = DEFAULT, root: Path = ROOT) -> int:
    """Write the zip file and return how many files it holds."""
    contents = {name: (root / name).read_bytes() for name in files(root)}
    contents["README.md"] = readme(root).encode("utf-8")
    contents["Makefile"] = makefile(contents["Makefile"].decode("utf-8")).encode("utf-8")
    contents |= {f"lessons/{lesson.name}/halves.toml": halves(lesson).encode() for lesson in catalogue.lessons()}
    target.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, data in sorted(contents.items()):
            entry = zipfile.ZipInfo(f"{FOLDER}/{name}", _DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o755 if name.endswith(".sh") else 0o644) << 16
            packed.writestr(entry, data)
    return len(contents)


def main(arguments=None) -> int:
    """Pack the edition and say where it is."""
    parser = argparse.ArgumentParser(description="Pack the course for learners, without solutions.")
    parser.add_argument("zip", nargs="?", type=Path, default=DEFAULT, help="the file to write")
    target = parser.parse_args(arguments).zip
    try:
        count = pack(target)
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"{error.filename or target} cannot be written: {error.strerror}.", file=sys.stderr)
        return 1
    print(f"{target}: {count} files, without solutions, teacher's pages or tests.")
    print("Learners unpack it, open a terminal in the folder and type: python3 start.py (on Windows: py start.py)")
    return 0


if __name__ == "__main__":
    sys.exit(main())

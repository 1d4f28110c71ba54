"""Pack a version: pages, student edition, the teachers' zip file, the wheel of whywrong, licences and checksums.

Usage: python -m publish.release          (which is `make release`; it writes a folder of dist)
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from courseware import __version__
from courseware.environment import ROOT
from lessons import catalogue
from publish.site import build, downloads, fonts, handouts, markdown, teachers

NAME = f"ffn-course-{__version__}"
TO = ROOT / "dist" / NAME
LICENCES = "LICENCES.txt"
README = f"""\
The feed-forward network, from the inside, version {__version__}

An interactive course on the simple network inside every layer of a transformer:
guess, run an experiment, find out why, and write the code yourself. An hour is
enough to begin: see "You have an hour?" on the first page.

{NAME}-pages.zip: for learners, the lessons as web pages. Unpack it and open
    index.html. Code runs in them once a web server sends them: type
    "python3 serve.py" in the folder (on Windows: "py serve.py"). The worked
    solutions are in them, behind three hints.
{NAME}-student.zip: for learners, the lessons as notebooks, without solutions.
    Unpack it and type "python3 start.py" in the folder (on Windows: "py start.py").
    It needs Python 3.11 or newer, 1.3 GB, and a network for the first start.
{NAME}-teachers.zip: for you alone, the whole course with all its answers: a plan
    and a worksheet for every lesson, the handbook, the quizzes for Moodle, and the
    report that gives points. Unpack it and open print/pages/{teachers.HANDBOOK}.
The wheel: whywrong, which says why an answer is wrong, for courses of your own.
LICENCES.txt: the licences of all that is in here.
"""
FOR_TEACHERS = f"""\
All answers are in here, so keep it where no learner can read it. Begin with print/pages/{teachers.HANDBOOK}.
Install, once:  python3 start.py install          (on Windows: py start.py install)
Report:  .venv/bin/python -m classroom.report FOLDER          (on Windows: .venv\\Scripts\\python …)
"""
TESTS = ("tests/site/test_pages.py", "tests/site/test_alone.py")  # of the pages that come out of the zip file


def refusal(root: Path = ROOT) -> str:
    """Return why the files in a clone cannot be released, or "" if they can."""
    command = ["git", "-C", str(root), "status", "--porcelain"]
    changed = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout
    if changed:
        return f"A release holds what is committed, and this is not:\n{changed.rstrip()}"
    if f"## {__version__}" not in (root / "CHANGELOG.md").read_text(encoding="utf-8").splitlines():
        return f"CHANGELOG.md has no section {__version__}: say there what is new for learners and teachers."
    return ""


def licences() -> str:
    """Return the course's licence, then the work of others in the pages, with its licences."""
    found = downloads.fetch(build.CACHE)
    if found is None:
        sys.exit("Without what runs code in the pages there is no release.")
    parts = [f"The course, and whywrong\n\n{(ROOT / 'LICENSE').read_text(encoding='utf-8').strip()}"]
    for one in (*found.credits, *fonts.credits(), *downloads.SHOWN):
        link = "".join(re.findall('href="([^"]+)"', one.licence))
        licence = f"{markdown.text(one.licence)} {link}".rstrip()
        parts.append(f"{one.name}\n\n{one.role}\nLicence: {licence}\nSource: {one.source}\n\n{one.text}".rstrip())
    return f"\n\n\n{'=' * 80}\n".join(parts) + "\n"


def pack_for_teachers(folder: Path) -> None:
    """Write the zip file for teachers: the course as it is committed, and what they open or print, made in `folder`."""
    subprocess.run([sys.executable, "-m", "classroom.plans"], cwd=ROOT, check=True)
    build.build(folder / "pages", for_teachers=True)
    for lesson in catalogue.lessons():
        list(handouts.print_lesson(lesson, folder / "pages", folder, handouts.PAPERS[0], [handouts.WORKSHEET]))
    shutil.copy(teachers.PLANS.with_name("quiz_gift.txt"), folder)
    name = f"{NAME}-teachers"
    to = TO / f"{name}.zip"
    command = ["git", "-C", ROOT, "archive", "--format=zip", f"--prefix={name}/", f"--output={to}", "HEAD"]
    subprocess.run(command, check=True)
    with zipfile.ZipFile(to, "a", zipfile.ZIP_DEFLATED) as packed:
        (readme := folder.parent / "README.txt").write_text(FOR_TEACHERS, encoding="utf-8")
        packed.write(readme, f"{name}/README.txt")
        for path in sorted(path for path in folder.rglob("*") if path.is_file()):
            packed.write(path, f"{name}/print/{path.relative_to(folder).as_posix()}")


def main() -> int:
    """Write the files of this version; return 0, or the exit code of the tests of the pages."""
    why = refusal()
    if why:
        sys.exit(why)
    shutil.rmtree(TO, ignore_errors=True)
    with tempfile.TemporaryDirectory() as folder:
        pages, work = f"{NAME}-pages", Path(folder)
        build.build(work / "built" / pages)
        (work / "built" / pages / LICENCES).write_text(licences(), encoding="utf-8")
        TO.mkdir(parents=True)
        (TO / "README.txt").write_text(README, encoding="utf-8")
        packed = shutil.make_archive(str(TO / pages), "zip", work / "built", pages)
        shutil.copy(work / "built" / pages / LICENCES, TO)
        shutil.unpack_archive(packed, work / "unpacked")
        settings = os.environ | {"COURSE_SITE": str(work / "unpacked" / pages)}
        code = subprocess.run([sys.executable, "-m", "pytest", "-n0", *TESTS], cwd=ROOT, env=settings).returncode
        if code:
            return code
        student = ["classroom.edition", TO / f"{NAME}-student.zip"]
        sources = work / "whywrong.zip"  # as committed: building leaves files beside them
        subprocess.run(["git", "archive", f"--output={sources}", "HEAD:whywrong"], cwd=ROOT, check=True)
        wheel = ["pip", "wheel", "--quiet", "--no-deps", f"--wheel-dir={TO}", sources]
        for command in (student, wheel):
            subprocess.run([sys.executable, "-m", *command], cwd=ROOT, check=True)
        pack_for_teachers(work / "print")
    files = sorted(TO.iterdir())
    sums = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files]
    (TO / "SHA256SUMS").write_text("".join(sums), encoding="utf-8")
    for path in files:
        print(f"{path.stat().st_size / 1e6:6.2f} MB  {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Bring the class's work together: copy each learner's notebooks and progress into a folder that `make report` reads.

Root reads nothing in a home. A child that has become the owner reads there (reader.py), and what it sends is taken for
what a learner sends: names that can be, within the limits of course_lib/handing_in.py, and no longer than a minute.
"""

import json
import os
import re
import shutil
import subprocess
import threading
from pathlib import Path

from classroom import Refused
from classroom.server import settings
from course_lib.handing_in import MOST_BYTES, MOST_PROGRESS

SECONDS = 60  # for one learner
MOST_LINE = 2000
_READER = Path(__file__).with_name("reader.py")
_PROGRESS = ".course/progress.json"
MOST_FILES = 200  # notebooks of one learner
_LIMITS = (MOST_BYTES, MOST_PROGRESS, MOST_FILES)


def collect(place: settings.Place, names: list[str], folder: Path) -> dict[str, list[str]]:
    """Copy what the learners have into `folder`, a folder for each; return name -> what was not copied, in sentences.

    What was collected there before is replaced. All of it belongs to whoever owns the folder around it.

    Raises:
        ValueError: the folder holds something else already.
    """
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    if strange := sorted({one.name for one in folder.iterdir()} - {*place.learners, place.teacher}):
        raise Refused(f"{folder} holds {strange[0]}, which was not collected: name another folder.")
    found = {name: _of_learner(place, name, folder / name) for name in names}
    if not place.simple:
        owner = folder.absolute().parent.stat()
        for path in (folder, *folder.rglob("*")):
            os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
    return found


def _of_learner(place, name, folder):
    try:
        options = {} if place.simple else settings.as_user(name)
        source = place.home(name) / settings.NAME / "my_notebooks"
    except KeyError:
        return ["There is no Unix user of this name."]
    if folder.exists():
        shutil.rmtree(folder)
    folder.mkdir(mode=0o700)
    command = [place.python, "-I", "-S", "-c", _READER.read_text(encoding="utf-8")]
    command += [os.path.realpath(source.parent.parent) + f"/{settings.NAME}/my_notebooks", *map(str, _LIMITS)]
    with subprocess.Popen(
        command,
        cwd="/",
        env={},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        **options,
    ) as child:
        clock = threading.Timer(SECONDS, child.kill)
        clock.start()
        try:
            problems = _receive(child.stdout, folder)
        finally:
            clock.cancel()
            child.kill()  # it is over, or it went on after it had sent what can't be
    return problems if any(folder.rglob("*.*")) else [*problems, "No notebook was found in my_notebooks."]


def _receive(stream, folder):
    """Write what a child sends into a folder; return what was not written."""
    problems = []
    for _ in range(2 * MOST_FILES):
        line = stream.readline(MOST_LINE)
        if not line:
            return problems
        try:
            said = json.loads(line)
            name, size, problem = (said.get(key) for key in ("name", "size", "problem"))
        except (ValueError, AttributeError):
            break
        if isinstance(problem, str):
            problems.append(" ".join(ascii(one)[1:-1] for one in (name, problem) if isinstance(one, str)))
        elif not (_can_be(name) and isinstance(size, int) and 0 <= size <= MOST_BYTES):
            break
        else:
            content = stream.read(size)
            if len(content) < size:
                break
            path = folder / name
            path.parent.mkdir(exist_ok=True, mode=0o700)
            path.write_bytes(content)
    return [*problems, "Reading was stopped early, so not everything was collected."]


def _can_be(name):
    notebook = isinstance(name, str) and re.fullmatch(r"[^/\\\x00-\x1f.][^/\\\x00-\x1f]{0,200}\.ipynb", name)
    return name == _PROGRESS or bool(notebook)

"""The course without its worked solutions, for the processes in which learners' code runs.

There `catalogue.solution` finds nothing, and neither does who looks for solutions.py beside a module of the course. Who
knows where the teacher's own copy lies, and runs as a user who may read it, still can.
"""

import os
import shutil
from pathlib import Path

from courseware.environment import ROOT


def write(folder: Path) -> None:
    """Copy the course into a folder; a copy that was there before goes."""
    skipped = shutil.ignore_patterns("solutions.py", "plan.toml", "__pycache__")
    for package in ("course_lib", "courseware", "lessons", "whywrong"):
        shutil.rmtree(folder / package, ignore_errors=True)
        shutil.copytree(ROOT / package, folder / package, ignore=skipped)


def environment(folder: Path) -> dict[str, str]:
    """Return what a process must find in its environment to take the course from such a folder."""
    return {"PYTHONPATH": os.fspath(folder.resolve())}

"""Tell in plain words whether this computer has what the course needs."""

import importlib.util
import os
import pathlib
import sys

from course_lib import display

NEEDED = {
    "numpy": "for the formulas",
    "torch": "for the networks",
    "matplotlib": "for the figures",
    "ipywidgets": "for sliders and quiz buttons",
    "tqdm": "for progress bars",
    "filelock": "for keeping your progress",
    "psutil": "for stopping endless loops",
}
FIX = "Run this in the course's folder, then restart the kernel: python -m pip install -r requirements.txt"


def problems(find=importlib.util.find_spec, version=sys.version_info, folder=None) -> list[str]:
    """Return one sentence for everything that is missing or will not work; an empty list when all is well.

    Args:
        find: tells whether a package is there, as `importlib.util.find_spec` does.
        version: of Python.
        folder: where progress is kept; by default the folder of `progress.json`.
    """
    found = []
    if tuple(version[:2]) < (3, 11):
        found.append(f"Python 3.11 or newer is needed, but this is Python {version[0]}.{version[1]}.")
    for name, purpose in NEEDED.items():
        if find(name) is None:
            found.append(f"The package {name} ({purpose}) is missing. {FIX}")
    if folder is None:
        from course_lib.exercises.progress import default_path

        folder = default_path().parent
    if not os.access(pathlib.Path(folder), os.W_OK):
        found.append(f"The folder {folder} cannot be written: your progress is lost when you close a notebook.")
    return found


def report() -> None:
    """Show what `problems` finds, or that nothing is missing."""
    found = problems()
    if found:
        display.text(
            "\n".join(f"- ✗ {sentence}" for sentence in found), "\n".join(f"✗ {sentence}" for sentence in found)
        )
    else:
        names = ", ".join(NEEDED)
        display.text(
            f"✓ Everything the course needs is here: Python 3.11 or newer, {names}, and a folder for your progress."
        )

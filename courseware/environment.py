"""Say in plain words whether this computer has what the course needs, and where progress is kept.

This module needs nothing but Python, so it works even if a package is missing.
"""

import contextlib
import importlib.machinery
import importlib.util
import os
import pathlib
import sys

# The folder that holds this package: that of the course, with the notebooks, unless the package was installed alone.
# `publish` and `classroom`, if they are there, are next to it.
ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"
NEEDED = {
    "numpy": "for the formulas",
    "torch": "for tensors",
    "matplotlib": "for the figures",
    "ipywidgets": "for sliders and quiz buttons",
    "anywidget": "for pictures to play with",
    "PIL": "for pictures",
    "filelock": "for keeping your progress",
    "psutil": "for stopping endless loops",
}
OWN = ("course_lib", "courseware", "lessons", "whywrong")
# In a notebook it meets the Python of the kernel, wherever that lies. The lessons lie in folders of the course.
FIX = "Run this in a new cell, then restart the kernel: %pip install -c ../constraints.txt -e .."
ALONE = "Run this in a new cell, then restart the kernel: %pip install {}"  # a notebook outside the course's folders


def progress_path() -> pathlib.Path:
    """Return where progress is kept.

    $COURSE_PROGRESS, else `my_notebooks/.course/progress.json` in the course's folder, which is made if need be; where
    the course is installed without its notebooks, the current folder.
    """
    named = os.environ.get("COURSE_PROGRESS")
    if named:
        return pathlib.Path(named)
    if not NOTEBOOKS.is_dir():
        return pathlib.Path.cwd() / "progress.json"
    folder = ROOT / "my_notebooks" / ".course"
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
    return folder / "progress.json"


def hidden() -> dict[str, str]:
    """Return package -> a sentence, for each that is hidden by a file of the current folder, such as torch.py."""
    found, here, places = {}, pathlib.Path.cwd(), [place or os.getcwd() for place in sys.path]
    later = places[places.index(str(here)) + 1 :] if str(here) in places else []  # Python's own library comes before
    for path in here.iterdir():
        name = path.name.removesuffix(".py")
        start = path / "__init__.py" if name == path.name else path
        if not later or not start.is_file():
            continue
        spec = importlib.machinery.PathFinder.find_spec(name, [*later, str(ROOT)] if name in OWN else later)
        if spec and spec.origin and not os.path.samefile(spec.origin, start):
            found[name] = f"{path} hides the package {name}: rename it, then restart the kernel."
    return found


def problems() -> list[str]:
    """Return one sentence for each thing that is missing or will not work; an empty list if all is well."""
    found = []
    if tuple(sys.version_info[:2]) < (3, 11):
        found.append(f"Python 3.11 or newer is needed, but this is Python {sys.version_info[0]}.{sys.version_info[1]}.")
    for name, purpose in NEEDED.items():
        if importlib.util.find_spec(name) is None:
            cure = FIX if os.path.isfile("../constraints.txt") else ALONE.format(name.replace("PIL", "Pillow"))
            found.append(f"The package {name} ({purpose}) is missing. {cure}")
    found += hidden().values()
    folder = progress_path().parent
    if not os.access(folder, os.W_OK):
        found.append(f"The folder {folder} cannot be written to, so your progress is lost when you close a notebook.")
    return found


def report() -> None:
    """Print what `problems` finds, or that nothing is missing."""
    found = problems()
    if found:
        print("\n".join(found))
    else:
        names = ", ".join(NEEDED).replace("PIL", "Pillow")
        print(f"Everything the course needs is here: Python 3.11 or newer, {names}, and a folder for your progress.")

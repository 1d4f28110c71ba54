"""A learner without the packages is told so in words, and by nothing that needs one of them."""

import subprocess
import sys
import textwrap

import nbformat

from courseware.environment import NEEDED
from tests.conftest import NOTEBOOKS

HIDE = """
import sys

class Without:
    def __init__(self, finder):
        self.finder = finder
    def find_spec(self, name, path=None, target=None):
        return None if name.partition(".")[0] in {hidden} else self.finder.find_spec(name, path, target)

sys.meta_path[:] = map(Without, sys.meta_path)
"""


def run_without(*hidden):
    """Run the notebook's picture, its imports and its report where some packages are missing."""
    cells = nbformat.read(NOTEBOOKS / "00_start_here.ipynb", as_version=4).cells
    sources = [cell.source for cell in cells if cell.id in ("opening", "setup", "environment")]
    assert len(sources) == 3
    code = textwrap.dedent(HIDE).format(hidden=hidden) + "\n".join(sources)
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=NOTEBOOKS, capture_output=True, text=True, timeout=60)


def test_everything_is_missing():
    done = run_without(*NEEDED, "IPython")
    assert done.stderr.rstrip().splitlines()[-1] == (
        "ModuleNotFoundError: Run this in a new cell, then restart the kernel: %pip install -c ../constraints.txt -e .."
    )
    assert done.stderr.count("Traceback") == 1


def test_one_package_is_missing():
    done = run_without("psutil")
    said = "The package psutil (for stopping endless loops) is missing. Run this in a new cell, then restart the kernel"
    assert f"{said}: %pip install " in done.stdout


def test_nothing_is_missing():
    done = run_without()
    assert "\nEverything the course needs is here" in done.stdout and not done.stderr

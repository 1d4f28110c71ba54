"""A learner without the packages is told so in words, and by nothing that needs one of them."""

import subprocess
import sys
import textwrap

import nbformat

from course_lib.environment import NEEDED
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
    """Run the first code cells of the notebook where some packages are missing."""
    cells = [
        cell
        for cell in nbformat.read(NOTEBOOKS / "00_start_here.ipynb", as_version=4).cells
        if cell.cell_type == "code"
    ]
    assert [cell.id for cell in cells[:3]] == ["setup", "environment", "imports"]
    code = textwrap.dedent(HIDE).format(hidden=hidden) + "\n".join(cell.source for cell in cells[:3])
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)


def test_everything_is_missing():
    done = run_without(*NEEDED, "IPython")
    assert len(done.stdout.splitlines()) == len(NEEDED)
    assert all(f"The package {name} (" in done.stdout for name in NEEDED)
    assert done.stderr.rstrip().endswith("No module named 'numpy'")  # the cell after the report needs it


def test_one_package_is_missing():
    done = run_without("psutil")
    said = "The package psutil (for stopping endless loops) is missing. Run this in a new cell, then restart the kernel"
    assert done.stdout.startswith(f"{said}: %pip install ")


def test_nothing_is_missing():
    done = run_without()
    assert done.stdout.startswith("Everything the course needs is here") and not done.stderr

"""A check in a page says what it says in a notebook: a fixed tenth of the kept answers."""

import subprocess
import sys

from tests.conftest import ROOT


def test_a_tenth_of_the_kept_answers_gets_the_same_reply_in_a_page(site):
    """Once the site is built, its cache holds Pyodide and NumPy for it."""
    assert site.is_dir()
    command = [sys.executable, "-m", "tests.golden.run", "--page", "--tenth"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr

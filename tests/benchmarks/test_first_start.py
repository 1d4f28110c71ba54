"""The first ten minutes: from the files to the address of JupyterLab, and from a new kernel to the first picture."""

import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.benchmarks.timing import OF_TIMES, Table, report
from tests.conftest import ROOT

MEGABYTE = 10**6


def copy_of_the_course(folder):
    """Copy the files under version control, as a clone would."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    for name in filter(None, names.split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, target)


def seconds_to_address(folder, log):
    """Run `make lab` until it has printed its last line; return the seconds."""
    start = time.perf_counter()
    command = ["make", "lab", f"PYTHON={sys._base_executable}", "ARGS=--no-browser --ip=127.0.0.1"]
    environment = {**os.environ, "JUPYTER_CONFIG_DIR": str(folder / "jupyter")}
    with open(log, "w", encoding="utf-8") as file:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=file, stderr=file)
        try:
            while "To stop" not in (said := Path(log).read_text(encoding="utf-8")):
                if process.poll() is not None:
                    pytest.fail(f"make lab ended:\n{said}", pytrace=False)
                time.sleep(0.1)
            assert re.search(r"^\s*http://\S+$", said, re.MULTILINE), said
            return time.perf_counter() - start
        finally:
            process.terminate()
            process.wait(timeout=60)


def size_of(folder):
    """Return the bytes of all files below a folder, links not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())


def test_first_start(tmp_path):
    folder = tmp_path / "course"
    copy_of_the_course(folder)
    table = Table("The first start", "measured", allowance=OF_TIMES)
    table.add("files of the course, MB", size_of(folder) / MEGABYTE, goal=15)
    first = seconds_to_address(folder, tmp_path / "first.log")
    table.add("seconds to the address, set-up included (the network decides)", first)
    table.add("installed, MB (torch without libraries for graphics cards)", size_of(folder / ".venv") / MEGABYTE)
    table.add("seconds to the address, second start", seconds_to_address(folder, tmp_path / "second.log"), goal=6)
    report(table)

"""The site needs no other computer: it is opened where there is none."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.conftest import ROOT


def without_a_network() -> list[str]:
    """Return the beginning of a command that runs another without a network, or skip the test and say why."""
    if not shutil.which("unshare"):
        pytest.skip("taking the network away needs Linux and its command unshare")
    command = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
    tried = subprocess.run([*command, "true"], capture_output=True, text=True)
    if tried.returncode:
        pytest.skip(f"this system does not let a test take its network away: {tried.stderr.strip()}")
    return command


def test_every_page_is_whole_without_a_network(site):
    command = [*without_a_network(), sys.executable, "-m", "tests.site.alone", str(site)]
    run = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=180)
    assert run.returncode == 0, run.stderr[-2000:]
    seen = json.loads(run.stdout)
    assert seen["foreign"] == [] and seen["failed"] == []
    assert seen["recordings"] == len(list((site / "recordings").glob("*.js")))
    assert seen["attempt"] == [True, True]  # a request to elsewhere would have been seen, and fails

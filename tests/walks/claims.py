"""Which walk types which command, and why a few are typed by none.

`walked` says it on the walk; its terminal holds it to that. Everything else stands in LISTED. tests/test_walked.py
compares both with the pages.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.walks.pages import HANDBOOK, README, STUDENTS, Block, Page


def walked(page: Page, *pieces: str | Block):
    """Mark a walk with the page that it follows, and with each block and command of it that it types."""
    return pytest.mark.walked(page, pieces)


@dataclass(frozen=True)
class Listed:
    """A command that no walk types."""

    page: Page
    piece: str | Block
    why: str
    ci: str = ""  # the line of .ci/run that types it instead
    not_tried: str = ""  # what the page says about it, where it cannot be tried
    by_hand: str = ""  # when it was last run by hand, and what came of it


NOT_COMMANDS = {
    "token=": "a part of an address",
    "**1. Title.** ★☆☆ · about 2 minutes · NumPy": "a line of a lesson",
    "05_position_independence (1).ipynb": "a file",
}

WINDOWS = "lines for PowerShell, which runs neither here nor in CI"
WHOLE = "runs what other parts of CI run, which would call itself"
LONG = "takes longer than the walks may"

NO_CLUSTER = "They were never run on a cluster."
SUBDOMAINS = "2026-11-22: http://hub.localhost:PORT, a cell run in Chromium; its page could not read the hub's"
DEMONSTRATION = "2026-11-22: started by a Unix user, servers started and stopped by the commands it printed"
LOAD = "2026-11-22: LEARNERS=3, no failures, while other programs took nine tenths of two processors"

LISTED = [
    Listed(README, Block("Without make", 0), WINDOWS, not_tried="None of these lines was tried on Windows so far."),
    Listed(
        README,
        ".venv\\Scripts\\python -m publish.update",
        WINDOWS,
        not_tried="None of these lines was tried on Windows so far.",
    ),
    Listed(README, Block("Without make", 1), WINDOWS, not_tried="None of these lines was tried on Windows so far."),
    Listed(
        STUDENTS,
        Block("Without make", 0),
        WINDOWS,
        not_tried="None of the lines for Windows was tried there so far.",
    ),
    Listed(
        STUDENTS,
        ".venv\\Scripts\\python -m publish.update",
        WINDOWS,
        not_tried="None of the lines for Windows was tried there so far.",
    ),
    Listed(README, "make test", WHOLE, ci="make test"),
    Listed(README, "make golden", WHOLE, ci="make golden"),
    Listed(README, "make test-walks", WHOLE, ci="make test-walks"),
    Listed(README, "make test-site", WHOLE, ci="make test-site"),
    Listed(README, "ARGS='-m \"not thorough\"'", WHOLE, ci="make test-site ARGS='-m \"not thorough\"'"),
    Listed(README, "make test-browser", WHOLE, ci="make test-browser"),
    Listed(
        README,
        "COURSE_BROWSER=/path/to/chrome make test-browser",
        WHOLE,
        ci='COURSE_BROWSER="${COURSE_BROWSER:-/usr/bin/chromium}" make test-browser',
    ),
    Listed(README, "apt-get install chromium", "changes the machine", ci="apt-get install"),
    Listed(README, "git add", "half a command: what follows is what the reader has made"),
    Listed(README, "make site-pictures", LONG, by_hand="2026-11-22: a minute; both pictures came out the same"),
    Listed(README, "make refresh", LONG, by_hand="2026-11-22: two minutes; all lessons and plans unchanged"),
    Listed(README, "make matrix", LONG, by_hand="2026-11-22: begun, and cut short on a busy machine"),
    Listed(README, "make bench", LONG, by_hand="not since its goals were set, on 2026-11-22"),
    Listed(README, Block("Contributing", 1), LONG, by_hand="2026-11-22: 504 passed, in 34 seconds"),
    Listed(HANDBOOK, "make hub", "for somebody without root, and the walks have it", by_hand=DEMONSTRATION),
    Listed(HANDBOOK, "--subdomains https://hub.school.example", "needs a name and a certificate", by_hand=SUBDOMAINS),
    Listed(HANDBOOK, "make load", LONG, by_hand=LOAD),
    Listed(HANDBOOK, "make load LEARNERS=5", LONG, by_hand=LOAD),
    Listed(HANDBOOK, "make test-hub", WHOLE, ci="make test-hub"),
    Listed(HANDBOOK, "make chart-check CHART=folder", "needs the chart", not_tried=NO_CLUSTER),
    Listed(HANDBOOK, "make image", "needs a program that builds images", not_tried=NO_CLUSTER),
    Listed(HANDBOOK, 'ARGS="--debian --wheels FOLDER"', "needs a program that builds images", not_tried=NO_CLUSTER),
]


def claims() -> dict[tuple[Page, str | Block], list[str]]:
    """Return page and piece -> the walks that type it; it runs nothing."""
    found: dict = {}
    for path in sorted(Path(__file__).parent.glob("test_*.py")):
        module = importlib.import_module(f"tests.walks.{path.stem}")
        for name, walk in vars(module).items():
            for mark in getattr(walk, "pytestmark", ()) if name.startswith("test_") else ():
                if mark.name == "walked":
                    page, pieces = mark.args
                    for piece in pieces:
                        found.setdefault((page, piece), []).append(f"{path.name}::{name}")
    return found

"""Which walk types which command, and why a few are typed by none.

`walked` says it on the walk; its terminal holds it to that. Everything else stands in LISTED. tests/test_walked.py
compares both with the pages.
"""

import importlib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.walks.pages import CONTRIBUTING, HANDBOOK, README, SERVER, STUDENTS, Block, Page


def walked(page: Page, *pieces: str | Block):
    """Mark a walk with the page that it follows, and with each block and command of it that it types."""
    return pytest.mark.walked(page, pieces)


@dataclass(frozen=True)
class Listed:
    """A command that no walk types."""

    page: Page
    piece: str | Block
    why: str
    ci: str = ""  # what CI types instead, in .ci/run or .ci/long
    not_tried: str = ""  # what the page says about it, where it cannot be tried
    by_hand: str = ""  # when it was last run by hand, and what came of it


NOT_COMMANDS = {
    "token=": "a part of an address",
    "**1. Title.** ★☆☆ · about 2 minutes · NumPy": "a line of a lesson",
    "05_position_independence (1).ipynb": "a file",
    "anna Anna.Müller@schule.example": "a line of a roster",
}

WINDOWS = "lines for PowerShell, which runs neither here nor in CI"
WHOLE = "runs what other parts of CI run, which would call itself"
LONG = "takes longer than the walks may"

SUBDOMAINS = "2026-11-22: http://hub.localhost:PORT, a cell run in Chromium; its page could not read the hub's"
DEMONSTRATION = "2026-11-22: started by a Unix user, servers started and stopped by the commands it printed"
LOAD = "2026-11-25: LEARNERS=30 for 240 s, no failures, at three loads of the computer: the table on the page"
PINS = (
    "grep -v '^-' requirements.txt | uv pip compile - pyproject.toml --all-extras --universal --no-annotate "
    "-o constraints.txt"
)
TEST_ONE = "python3 start.py test notebooks/03_build_the_ffn.ipynb tests/lessons/build_the_ffn"

INSTALL = Block("The Littlest JupyterHub")

LISTED = [
    Listed(STUDENTS, "py start.py", WINDOWS, not_tried="We have not tried any of this on Windows or macOS yet."),
    Listed(HANDBOOK, "py start.py", WINDOWS),
    Listed(HANDBOOK, "py start.py install", WINDOWS, not_tried="We have not tried these lines."),
    Listed(HANDBOOK, r".venv\Scripts\python -m classroom.report submitted/", WINDOWS),
    Listed(HANDBOOK, "py start.py install site", WINDOWS),
    Listed(HANDBOOK, r".venv\Scripts\python -m publish.site", WINDOWS),
    Listed(README, "python3 start.py test", WHOLE, ci="make test"),
    Listed(README, "make test", WHOLE, ci="make test"),
    Listed(CONTRIBUTING, "make test", WHOLE, ci="make test"),
    Listed(CONTRIBUTING, "make golden", WHOLE, ci="make golden"),
    Listed(CONTRIBUTING, "make test-walks", WHOLE, ci="make test-walks"),
    Listed(
        CONTRIBUTING, "apt-get install chromium chromium-headless-shell", "changes the machine", ci="apt-get install"
    ),
    Listed(CONTRIBUTING, "make refresh", LONG, by_hand="2026-11-22: two minutes; all lessons unchanged"),
    Listed(CONTRIBUTING, "make bench", LONG, by_hand="not since its goals were set, on 2026-11-22"),
    Listed(CONTRIBUTING, PINS, "needs uv, which nothing else here needs", by_hand="2026-11-23: the same file came out"),
    Listed(CONTRIBUTING, TEST_ONE, LONG, by_hand=""),
    Listed(CONTRIBUTING, ".venv/bin/python -m tests.other_kernels", LONG, by_hand=""),
    Listed(CONTRIBUTING, ".venv/bin/python -m publish.language_model", "trains for half an hour"),
    Listed(
        CONTRIBUTING, ".venv/bin/python -m publish.site.pictures", LONG, by_hand="2026-11-22: a minute; both the same"
    ),
    Listed(HANDBOOK, "LESSON=05", "goes behind `make handouts`", ci="tests/site"),
    Listed(HANDBOOK, "TEACHERS=1", "goes behind `make handouts`", ci="tests/site"),
    Listed(SERVER, "make hub", "for somebody without root, and the walks have it", by_hand=DEMONSTRATION),
    Listed(SERVER, "--subdomains https://hub.school.example", "needs a name and a certificate", by_hand=SUBDOMAINS),
    Listed(SERVER, "systemctl restart ffn-hub", "needs systemd", ci="tests/classroom/server"),
    Listed(SERVER, "make bench", LONG, by_hand="not since its goals were set, on 2026-11-22"),
    Listed(SERVER, "--sign-on https://the.provider", "needs a provider", ci="tests/classroom/server"),
    Listed(SERVER, "manage new-passwords", "would end the sessions of the walk", ci="make test"),
    Listed(SERVER, INSTALL, "needs that hub", not_tried="We have never tried this."),
    Listed(SERVER, Block("The Littlest JupyterHub", 1), "needs that hub", not_tried="We have never tried this."),
    Listed(SERVER, 'ARGS="--within 10"', LONG, by_hand=LOAD),
    Listed(SERVER, "make load LEARNERS=5", LONG, by_hand=LOAD),
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

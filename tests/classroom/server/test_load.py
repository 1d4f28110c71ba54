"""Five learners at once for a minute: nobody fails."""

import asyncio
import signal

import nbformat

from lessons import catalogue
from tests.classroom.server import load
from tests.conftest import ROOT


def test_five_learners_for_a_minute():
    lesson = catalogue.lesson("position_independence")
    sources = load.answered(lesson, nbformat.read(ROOT / "notebooks" / lesson.notebook, as_version=4))
    with load.Server(5) as server:
        measured = asyncio.run(load.simulate(server, sources, 60))
    assert measured.failures == []
    # how many cells fit into the minute is up to the computer and to what else it does; the first ones must be run
    assert len(measured.ready) == 5 and len(measured.cells) >= 5 * load.LEAST


def test_a_hub_that_was_started_in_the_background_ends_by_itself():
    """There a shell lets programs ignore the signal by which the hub asks its culler to end."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with load.Server(1) as server:
            started = server.tree()
    finally:
        signal.signal(signal.SIGINT, before)
    assert server.process.returncode == 0  # and not killed
    assert len(started) >= 3  # hub, proxy, culler
    assert not any(one.is_running() for one in started)

"""The load test itself, with five learners for a minute: nobody fails, and whoever fails is counted."""

import asyncio
import re
import signal

import nbformat

from classroom.server import load
from lessons import catalogue
from tests.conftest import ROOT


def test_answered_fills_in_every_answer():
    lesson = catalogue.lesson("position_independence")
    sources = load.answered(lesson, nbformat.read(ROOT / "notebooks" / lesson.notebook, as_version=4))
    assert len(sources) > 30 and not any(re.search(r"^\w+ = TODO", one, re.MULTILINE) for one in sources)
    assert "my_numbers = 8" in sources and any("def rowwise" in source and "check(" in source for source in sources)


def test_five_learners_for_a_minute():
    lesson = catalogue.lesson("position_independence")
    sources = load.answered(lesson, nbformat.read(ROOT / "notebooks" / lesson.notebook, as_version=4))
    with load.Server(5) as server:
        measured = asyncio.run(load.simulate(server, sources, 60))
    print(load.table(measured, 5))
    assert measured.failures == []
    # how many cells fit into the minute is up to the computer and to what else it does; the first ones must be run
    assert len(measured.ready) == 5 and len(measured.cells) >= 5 * load.LEAST and measured.megabytes > 5 * 100
    assert 5 * 50 < measured.proportional < measured.megabytes


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


def test_the_port_of_the_hub_is_none_that_the_system_gives_to_outgoing_connections():
    ports = [load.free_port() for _ in range(50)]
    assert min(ports) >= 1024 and max(ports) < 32_768


def test_a_cell_that_raises_is_a_failure_and_whoever_comes_late_runs_the_first_cells_all_the_same(monkeypatch):
    monkeypatch.setattr(load, "THINKING", 0.1)
    with load.Server(1) as server:
        cells = ["print(1)", "raise ValueError('no')", *["print(1)"] * load.LEAST]
        measured = asyncio.run(load.simulate(server, cells, 0))
    assert len(measured.failures) == 1 and "ValueError: no" in measured.failures[0]
    assert len(measured.cells) == load.LEAST and not measured.finished

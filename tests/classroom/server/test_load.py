"""The load test itself, with five learners for a minute: nobody fails, and whoever fails is counted."""

import asyncio
import os
import re
import signal

import nbformat

from lessons import catalogue
from tests.classroom.server import load
from tests.classroom.server.learner import Learner
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
    assert 0.1 < measured.busiest <= os.cpu_count()


def test_all_come_at_once_one_of_them_twice_and_one_late():
    """The page in between says what is waited for, and both windows of one learner show the same kernel."""

    async def twice(server):
        async with Learner(server.base, "learner-1", server.password) as one:
            await one.login()
            async with one.http.get(f"{server.base}/hub/spawn") as answer:
                said = await answer.text()
            async with Learner(server.base, "learner-1", server.password) as other:
                await asyncio.gather(one.spawn(), other.login())
                await other.spawn()
                await one.start_kernel()
                await one.run("a = 42")
                other.kernel = one.kernel
                await other.connect()
                return said, await other.run("print(a)")

    async def everybody(server):
        late = load.attend(server, "learner-4", ["print(1)"], 15, measured := load.Measured(), 0)
        both, *_ = await asyncio.gather(twice(server), late, *(come(server, n, measured) for n in (2, 3)))
        return both, measured

    def come(server, number, measured):
        return load.attend(server, f"learner-{number}", ["print(1)"], 0, measured, 0)

    with load.Server(4) as server:
        (said, printed), measured = asyncio.run(everybody(server))
    assert "Your server is starting up" in said and "progress" in said
    assert printed.strip() == "42"
    assert measured.failures == [] and measured.finished == 3


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

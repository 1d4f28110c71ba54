"""A class of simulated learners on a server of its own: real HTTP and WebSocket, this computer only, bounded in time.

Each learner logs in, starts a server, opens the notebook, runs the cells of a lesson with pauses between them, and
saves. The table says how long that took, and how busy other programs kept the computer meanwhile.

Usage: python -m tests.classroom.server.load [--learners N] [--seconds S] [--within S] [--lesson NAME]
(`make load LEARNERS=5`; `ARGS="--within 10"` lets all of them log in within ten seconds)
"""

import argparse
import asyncio
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections import deque
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import nbformat
import psutil

from classroom.server import settings, start
from courseware.environment import NOTEBOOKS
from lessons import catalogue, cells
from lessons.cells import Role
from tests.classroom.server.learner import Failed, Learner

MOST_LEARNERS, MOST_SECONDS = 60, 900
FREE_BYTES = 500_000_000  # for each learner, that must be free before it begins
THINKING = 6.0  # seconds between two cells, on average
LEAST = 5  # cells that everybody runs, however long the computer took to start their server
ARRIVALS = 3.0  # seconds between two learners, unless all are to come within some time
WINDOW = 30.0  # seconds, of which the busiest say how many free processors a class needs


@dataclass
class Measured:
    """What a run came to: seconds of each kind, failures in words, and what the computer did.

    megabytes: the most that all processes had in memory, with what they share counted for each. proportional: the same
    with what is shared counted once. busiest: how many processors the class kept busy in its busiest half minute.
    """

    ready: list[float] = field(default_factory=list)
    cells: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    finished: int = 0
    megabytes: float = 0.0
    proportional: float = 0.0
    cpu_seconds: float = 0.0
    busiest: float = 0.0
    foreign: float = 0.0


def percentile(values: list[float], share: float) -> float:
    """Return the value that a share of all lies at or below; not a number when there is none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")


class Server:
    """A hub of its own on loopback, in a folder that goes away; everybody in it works as the user who starts it."""

    def __init__(self, learners: int):
        self.names = tuple(f"learner-{number}" for number in range(1, learners + 1))

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="ffn-load-")
        folder = Path(self.temporary.name)
        course = start.publish_course(folder / "course")
        python = os.environ.get("COURSE_HUB_PYTHON", sys.executable)
        self.place = settings.Place(
            folder / "hub", self.names, "teacher", free_port(), True, start.proxy(), python, course
        )
        found = settings.problems(self.place)
        if found:
            raise Failed(" ".join(found))
        self.begin()
        return self

    def begin(self) -> None:
        """Start the hub, again if need be, and wait until it answers."""
        command, environment = start.command(self.place)
        self.log = (self.place.folder / "hub.log").open("ab")
        self.process = subprocess.Popen(
            command, cwd=self.place.folder, env=environment, stdout=self.log, stderr=self.log, start_new_session=True
        )
        asyncio.run(self._answers())

    async def _answers(self):
        async with aiohttp.ClientSession() as http:
            for _ in range(480):
                try:
                    async with http.get(f"{self.base}/hub/login") as answer:
                        if answer.status == 200:
                            return
                except aiohttp.ClientError:
                    pass
                if self.process.poll() is not None:
                    break
                await asyncio.sleep(0.25)
        raise Failed(f"The hub did not start:\n{self.said()[-2000:]}")

    def said(self) -> str:
        """Return what the hub wrote."""
        return (self.place.folder / "hub.log").read_text(errors="replace")

    @property
    def base(self) -> str:
        """The address."""
        return f"http://127.0.0.1:{self.place.port}"

    @property
    def password(self) -> str:
        """The password of the learners."""
        return json.loads(self.place.passwords.read_text())["learners"]

    def tree(self) -> list[psutil.Process]:
        """Return every process of this server: those that carry its folder in their environment, and the hub's own."""
        try:
            found = psutil.Process(self.process.pid).children(recursive=True)
        except psutil.Error:
            found = []
        for one in psutil.process_iter():
            try:
                if str(self.place.folder.parent) in json.dumps(one.environ()) or one.pid == self.process.pid:
                    found += [one] if one not in found else []
            except (psutil.Error, OSError):
                continue
        return found

    def __exit__(self, *error):
        tree = self.tree()  # asked before the hub ends: its services carry no sign of their own
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        for one in tree + self.tree():
            try:
                one.kill()
            except psutil.Error:
                continue
        self.log.close()
        self.temporary.cleanup()
        shutil.rmtree(self.place.sockets, ignore_errors=True)


def free_port() -> int:
    """Return a port that is free: below those that Linux gives to outgoing connections, of which one may be taken in
    the moment before the hub starts.
    """
    while True:
        port = random.randrange(20_000, 32_768)
        with socket.socket() as test:
            try:
                test.bind(("127.0.0.1", port))
            except OSError:
                continue
        return port


def answered(lesson, notebook) -> list[str]:
    """Return the code of a lesson as somebody leaves it who answers everything: right guesses, worked solutions."""
    guesses = {one.name: one.answer for one in catalogue.predictions(lesson.name)}
    done = []
    for cell in notebook.cells:
        role, source = cells.role(cell), cell.source
        if role == Role.GUESS:
            source = f"{cells.variable(cell)} = {guesses[cells.variable(cell)]!r}"
        elif role == Role.EXERCISE:
            (check,) = cells.checks(source)
            source = f"{catalogue.solution(check.id)}\n{check.line}"
        if cell.cell_type == "code":
            done.append(source)
    return done


async def attend(server, name, sources, wait, measured, end) -> None:
    """Be one learner until the lesson is over or the time is."""
    await asyncio.sleep(wait)
    try:
        async with Learner(server.base, name, server.password) as learner:
            begin = time.monotonic()
            await learner.login()
            await learner.spawn()
            await learner.start_kernel()
            await learner.run("1 + 1")
            measured.ready.append(time.monotonic() - begin)
            done = 0
            for source in sources:
                if time.monotonic() > end and done >= LEAST:
                    break
                begin = time.monotonic()
                said = await learner.run(source)
                measured.cells.append(time.monotonic() - begin)
                if "Error:" in said:
                    measured.failures.append(f"{name}: {said.strip()[-100:]}")
                done += 1
                await asyncio.sleep(random.uniform(0.5, 1.5) * THINKING)
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
            status = await learner.save(f"{settings.NAME}/my_notebooks/mine.ipynb", notebook)
            if status not in (200, 201):
                measured.failures.append(f"{name}: saving gave HTTP {status}")
            measured.finished += done == len(sources)
    except (Failed, aiohttp.ClientError, TimeoutError, OSError) as error:
        measured.failures.append(f"{name}: {type(error).__name__} {error}")


async def watch(server, measured) -> None:
    """Note the most memory, and the share of the processors that other programs took."""
    begin, idle_before = time.monotonic(), _busy()
    own, turn, past = 0.0, 0, deque([(begin, 0.0)])
    while True:
        tree = server.tree()
        memory, cpu = 0, 0.0
        for one in tree:
            try:
                memory += one.memory_info().rss
                times = one.cpu_times()
                cpu += times.user + times.system
            except psutil.Error:
                continue
        own = max(own, cpu)
        measured.megabytes = max(measured.megabytes, memory / 1e6)
        if turn % 10 == 0:  # it costs a millisecond for each process
            measured.proportional = max(measured.proportional, sum(map(_proportional, tree)) / 1e6)
        turn += 1
        measured.cpu_seconds = own
        now = time.monotonic()
        past.append((now, own))
        while now - past[0][0] >= WINDOW:
            since, before = past.popleft()
            measured.busiest = max(measured.busiest, (own - before) / (now - since))
        whole = (now - begin) * (os.cpu_count() or 1)
        measured.foreign = max(0.0, (_busy() - idle_before - own) / whole) if whole > 1 else 0.0
        await asyncio.sleep(2)


def _proportional(one):
    """Return the bytes of a process, of those that it shares its share; 0 where the system does not tell."""
    try:
        told = Path(f"/proc/{one.pid}/smaps_rollup").read_text(encoding="ascii")
        return 1024 * int(re.search(r"^Pss: +(\d+)", told, re.MULTILINE)[1])
    except (OSError, TypeError):
        return 0


def _busy():
    times = psutil.cpu_times()
    return sum(times) - times.idle - getattr(times, "iowait", 0.0)


async def simulate(server, sources: list[str], seconds: float, within: float | None = None) -> Measured:
    """Let all learners of a server go through the cells, and return what was measured.

    within: seconds in which all of them log in; by default one comes every three seconds.
    """
    measured = Measured()
    watching = asyncio.create_task(watch(server, measured))
    end = time.monotonic() + seconds
    apart = ARRIVALS if within is None else within / len(server.names)
    waits = [apart * number for number in range(len(server.names))]
    jobs = [attend(server, name, sources, wait, measured, end) for name, wait in zip(server.names, waits, strict=True)]
    await asyncio.gather(*jobs)
    watching.cancel()
    return measured


def table(measured: Measured, learners: int) -> str:
    """Return the table that is printed."""
    rows = [
        ("learners", f"{learners}, of whom {measured.finished} got to the end in the time given"),
        ("failures", str(len(measured.failures))),
        (
            "kernel ready, p50 / p95",
            f"{percentile(measured.ready, 0.5):.1f} / {percentile(measured.ready, 0.95):.1f} s",
        ),
        ("cells run", str(len(measured.cells))),
        ("a cell, p50 / p95", f"{percentile(measured.cells, 0.5):.2f} / {percentile(measured.cells, 0.95):.2f} s"),
        ("slowest cell", f"{max(measured.cells, default=float('nan')):.1f} s"),
        ("memory, all together", f"{measured.megabytes:.0f} MB"),
        ("memory, a learner", f"{measured.megabytes / learners:.0f} MB"),
        ("what is shared, once", f"{measured.proportional / learners:.0f} MB"),
        ("CPU, all together", f"{measured.cpu_seconds:.0f} s"),
        ("free processors needed", f"{measured.busiest:.1f} of {os.cpu_count()}, in the busiest {WINDOW:.0f} seconds"),
        ("other programs", f"{100 * measured.foreign:.0f} % of the processors"),
    ]
    lines = [f"{name:24} {value}" for name, value in rows]
    return "\n".join([*lines, *measured.failures[:10]])


def main(arguments=None) -> int:
    """Run the load test and print its table; fail when a learner failed."""
    parser = argparse.ArgumentParser(description="Simulate a class on a server of its own.")
    parser.add_argument("--learners", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--within", type=float, help="seconds in which all log in; by default one comes every 3")
    parser.add_argument("--lesson", default="position_independence")
    given = parser.parse_args(arguments)
    if not 1 <= given.learners <= MOST_LEARNERS or not 5 <= given.seconds <= MOST_SECONDS:
        parser.error(f"at most {MOST_LEARNERS} learners and from 5 to {MOST_SECONDS} seconds")
    if given.within is not None and not 0 <= given.within <= given.seconds:
        parser.error("--within must be from 0 to the seconds of the lesson")
    free = psutil.virtual_memory().available
    if free < given.learners * FREE_BYTES:
        parser.error(f"{given.learners} learners need {given.learners * FREE_BYTES / 1e9:.0f} GB of free memory")
    lesson = catalogue.lesson(given.lesson)
    sources = answered(lesson, nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4))
    try:
        with Server(given.learners) as server:
            measured = asyncio.run(simulate(server, sources, given.seconds, given.within))
            if measured.failures:
                said = [line for line in server.said().splitlines() if re.match(r"\[[EW] |\w*Error", line)]
                print("\n".join(["What the hub complained of:", *said[-20:]]), file=sys.stderr)
    except Failed as error:
        print(error, file=sys.stderr)
        return 1
    print(table(measured, given.learners))
    return len(measured.failures)


if __name__ == "__main__":
    sys.exit(main())

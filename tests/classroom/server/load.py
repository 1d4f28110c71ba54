"""A class of simulated learners on a server of its own: real HTTP and WebSocket, this computer only, bounded in time.

Each learner logs in, starts a server, runs the cells of a lesson with pauses between them, and saves.
"""

import asyncio
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp
import nbformat
import psutil

from classroom.server import settings, start
from lessons import catalogue, cells
from lessons.cells import Role
from tests.classroom.server.learner import Failed, Learner

THINKING = 6.0  # seconds between two cells, on average
LEAST = 5  # cells that everybody runs, however long the computer took to start their server
ARRIVALS = 3.0  # seconds between two learners


@dataclass
class Measured:
    """What a run came to: seconds until each kernel was ready, seconds of each cell, and failures in words."""

    ready: list[float] = field(default_factory=list)
    cells: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


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
            for done, source in enumerate(sources):
                if time.monotonic() > end and done >= LEAST:
                    break
                begin = time.monotonic()
                said = await learner.run(source)
                measured.cells.append(time.monotonic() - begin)
                if "Error:" in said:
                    measured.failures.append(f"{name}: {said.strip()[-100:]}")
                await asyncio.sleep(random.uniform(0.5, 1.5) * THINKING)
            notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
            status = await learner.save(f"{settings.NAME}/my_notebooks/mine.ipynb", notebook)
            if status not in (200, 201):
                measured.failures.append(f"{name}: saving gave HTTP {status}")
    except (Failed, aiohttp.ClientError, TimeoutError, OSError) as error:
        measured.failures.append(f"{name}: {type(error).__name__} {error}")


async def simulate(server, sources: list[str], seconds: float) -> Measured:
    """Let all learners of a server go through the cells, one coming every three seconds, and return what happened."""
    measured, end = Measured(), time.monotonic() + seconds
    jobs = [attend(server, name, sources, ARRIVALS * number, measured, end) for number, name in enumerate(server.names)]
    await asyncio.gather(*jobs)
    return measured

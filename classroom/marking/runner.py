"""Run the answers of a submission in limited processes, which have the course without its worked solutions.

This side starts `runner_process`, which calls `runner_cells` under `limits`. Requests and verdicts go through pipes, as
lines of JSON.
"""

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import nbformat

from classroom import core, unsolved
from classroom.marking import limits, runner_cells
from classroom.marking.runner_process import Around
from courseware.environment import NOTEBOOKS, ROOT
from lessons import catalogue
from lessons.cells import checks
from whywrong.task import Key

_TAKEN_ALONG = (
    "__init__.py",
    *(f"marking/{name}.py" for name in ("__init__", "limits", "runner_cells", "runner_process")),
)
_PACKAGES = ("site-packages", "dist-packages")  # where environments keep what is installed
_DIED = "The process that judges the code ended early."
MOST_PROCESSES = 9  # for the answers of one submission: one that ends its process costs up to two


@dataclass
class Findings:
    """What was found of one submission.

    lines: the verdicts, as `runner_cells.work` gives them; they come from a process that may lie.
    problems: a sentence for each answer that did not end, and for the work that could not be judged to its end.
    unfinished: these lessons.
    """

    lines: list[dict] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    unfinished: list[str] = field(default_factory=list)


class Runner:
    """A process that runs and judges the answers of one submission after another; a context.

    around: what the code finds around it.
    """

    def __init__(self, handed_in: Path, seconds: float = limits.WALL_SECONDS):
        """Make one for what lies in a folder or a zip file; none of it may take longer than so many seconds."""
        self._private, self._seconds = {*_courses(), handed_in.resolve()}, seconds

    def __enter__(self):
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        folder.chmod(0o755)  # for those whom limits.py makes strangers
        unsolved.write(folder)
        (folder / "classroom" / "marking").mkdir(parents=True)
        for name in _TAKEN_ALONG:
            shutil.copy(ROOT / "classroom" / name, folder / "classroom" / name)
        self._start()
        return self

    def __exit__(self, *error):
        self._stop()
        self._folder.cleanup()

    def _stop(self):
        with contextlib.suppress(OSError):  # it is gone
            self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def _start(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "classroom.marking.runner_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=self._folder.name,
            env=os.environ | unsolved.environment(Path(self._folder.name)),
            encoding="utf-8",
        )
        here = Path(self._folder.name).resolve()
        private = {path for path in self._private if not here.is_relative_to(path)}
        private = sorted(
            str(path) for path in private if private.isdisjoint(path.parents)
        )  # the rest is hidden with them
        worked = {lesson.name: worked_cells(lesson.name) for lesson in catalogue.lessons()}
        answer = self._ask({"hide": private, "worked": request(worked), "seconds": self._seconds})
        if answer is None:
            raise RuntimeError(_DIED)
        self.around = Around(**answer)

    def run(self, cells: dict[str, list[str]]) -> Findings:
        """Run the code cells of a submission, lesson -> cells, and return the verdict on each answer.

        If an answer ends its process, a fresh one begins with that answer. If it ends this one, too, it counts as
        stopped, and the others are judged without it.
        """
        found, done = Findings(), []
        left = dict(runner_cells.places(cells, core.worth()))
        for _ in range(MOST_PROCESSES):
            ended = self._run_once(request(cells) | {"done": done})
            began, before = None, len(done)
            for line in ended.lines:
                if "begins" in line:
                    began = next((place for place in left if [*place] == line["begins"]), None)
                elif began in left and line.get("id") == left[began].id:
                    found.lines.append(line)
                    done.append(began)
                    del left[began]
            if not ended.problem:
                return found
            if began in left and len(done) == before:
                found.lines.append(runner_cells.stopped(left.pop(began).id, ended.problem, Key.TIMEOUT))
                found.problems.append(ended.problem)
                done.append(began)
        found.problems.append(ended.problem)
        found.unfinished = sorted({lesson for lesson, *_ in left})
        return found

    def _run_once(self, line):
        answer = self._ask(line)
        if answer is None:
            self._stop()
            self._start()
            return limits.Ended([], _DIED)
        return limits.Ended(**answer)

    def _ask(self, line):
        try:
            self._process.stdin.write(json.dumps(line) + "\n")
            self._process.stdin.flush()
            said = self._process.stdout.readline()
        except OSError:  # a broken pipe, which Windows may call an invalid argument
            return None
        return json.loads(said) if said else None


def request(cells: dict[str, list[str]]) -> dict:
    """Return what `runner_cells.work` needs to judge code cells: these, and those that the course published."""
    return {"cells": cells, "published": {lesson: published(lesson) for lesson in cells}, "worth": core.worth()}


@functools.cache
def published(lesson: str) -> list[str]:
    """Return the code cells of a lesson as the course publishes them."""
    notebook = nbformat.read(NOTEBOOKS / catalogue.lesson(lesson).notebook, as_version=4)
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


def worked_cells(lesson: str) -> list[str]:
    """Return the worked cell of every coded exercise of a lesson, with its check; none of one that was left out."""
    found = [(check, catalogue.solution(check.id)) for cell in published(lesson) for check in checks(cell)]
    return [f"{catalogue.without_why(master).rstrip()}\n\n\n{check.line}" for check, master in found if master]


def _courses():
    """Yield what every copy of the course holds that this Python leads to: ours, and any that shares the environment.

    Another copy may hold the environment, be on the import path, or be what a package was installed from. Leave out
    the environments themselves, because Python runs from there. Of a course installed in one, yield only the lessons.
    """
    installed = [Path(path) for path in sys.path if Path(path).name in _PACKAGES]
    needed = [path.resolve() for path in (Path(sys.base_prefix), *installed)]
    places = [Path(place) for place in (ROOT, *sys.path, *_sources())]
    near = {path for place in places for path in (place.absolute(), place.resolve())}
    around = {folder.resolve() for path in near for folder in (path, *path.parents)}
    for course in around:
        if course == ROOT or any(course.glob("lessons/*/solutions.py")):
            found = [course / "lessons"] if course.name in _PACKAGES else course.iterdir()
            for path in {path.resolve() for path in found}:
                if not any(one.is_relative_to(path) for one in needed):
                    yield path


def _sources():
    """Return the folders and files on this computer that packages were installed from, editable or not."""
    origins = filter(None, (package.read_text("direct_url.json") for package in metadata.distributions()))
    urls = [urlsplit(json.loads(origin)["url"]) for origin in origins]
    return [url2pathname(url.path) for url in urls if url.scheme == "file"]

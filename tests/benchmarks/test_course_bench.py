"""What a learner waits for: checks, imports, lessons. Goals stand beside the figures; nothing fails for being slow."""

import importlib.util
import os
import statistics
import subprocess
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient
from timing import Table, children_cpu, least

from course_lib.exercises import catalogue, grade
from course_lib.exercises.api import lessons

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def right_styles(number):
    """Load the right answers of a lesson's tests."""
    path = ROOT / "tests" / "right_styles" / f"l{number:02d}.py"
    spec = importlib.util.spec_from_file_location(f"styles{number}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.STYLES


def test_checks():
    table = Table("One check of a right answer, and of a wrong one (CPU ms)", "wrong", "right")
    right, wrong = {}, {}
    for lesson in lessons():
        styles = right_styles(lesson.number)
        for exercise in lesson.exercises:
            answer = styles[exercise.id][0]
            right[exercise.id] = (
                1000 * least([lambda id=exercise.id, a=answer: grade(id, a, 0)], rounds=5, seconds=0)[0]
            )
            last = exercise.mistakes[-1].answer
            wrong[exercise.id] = 1000 * least([lambda id=exercise.id, a=last: grade(id, a, 0)], rounds=5, seconds=0)[0]
    table.add(
        f"median of {len(right)} exercises",
        statistics.median(wrong.values()),
        statistics.median(right.values()),
        goal=20,
    )
    worst = max(right, key=right.get)
    table.add(f"worst: {worst}", wrong[worst], right[worst])
    start, count = time.process_time(), 0
    for exercise in catalogue().values():
        for mistake in exercise.mistakes:
            grade(exercise.id, mistake.answer, 0)
            count += 1
    table.add(f"all {count} named mistakes once", "", 1000 * (time.process_time() - start))
    table.show()


def test_imports():
    table = Table(
        "Start of a lesson: CPU seconds of a fresh process, and ratio to numpy, torch and matplotlib alone",
        "s",
        "ratio",
    )
    bare = "import numpy, torch, ipywidgets, tqdm.auto\nfrom matplotlib.figure import Figure\n"
    draw = "import io\nfigure = Figure(); figure.subplots().plot([0, 1]); figure.savefig(io.BytesIO(), dpi=110)\n"
    ours = (
        "import numpy, torch\nfrom course_lib import display, tasks, training, widgets\n"
        "from course_lib.exercises import check\nfrom course_lib.figures import linear as figures\n"
    )
    first = "display._png(figures.success_by_width([1, 2], [0.5, 1.0], 10)[0])\n"

    # Compiled modules are kept, as on a learner's machine; the unmeasured first run writes them.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}

    def run(code):
        return lambda: subprocess.run([sys.executable, "-c", code], check=True, env=environment)

    programs = {
        "bare imports": bare,
        "course_lib": ours,
        "bare, and a figure": bare + draw,
        "course_lib, and a figure": ours + first,
    }
    times = least([run(code) for code in programs.values()], rounds=5, seconds=0, clock=children_cpu)
    for index, (name, seconds) in enumerate(zip(programs, times, strict=True)):
        reference = times[index - index % 2]
        table.add(name, seconds, seconds / reference, goal=1.05 if name == "course_lib" else None)
    table.show()


class Lesson:
    """One lesson run from top to bottom in a fresh kernel."""

    def __init__(self, path):
        notebook = nbformat.read(path, as_version=4)
        self.cells, self.peak, self.started = {}, 0, None
        self.client = NotebookClient(
            notebook,
            timeout=120,
            resources={"metadata": {"path": str(path.parent)}},
            on_cell_start=self.before,
            on_cell_executed=self.after,
        )
        self.client.execute(env={**os.environ, "COURSE_STATIC": "1", "OMP_NUM_THREADS": "1"})

    def used(self):
        process = psutil.Process(self.client.km.provisioner.pid)
        self.peak = max(self.peak, process.memory_info().rss / 1e6)
        times = process.cpu_times()
        return times.user + times.system

    def before(self, cell, cell_index):
        self.last = self.used()
        self.started = self.last if self.started is None else self.started

    def after(self, cell, cell_index, execute_reply):
        self.cells[cell.id] = self.used() - self.last


def run_lesson(path):
    """Run a lesson; return (start and imports, the slowest other cell, its seconds, peak megabytes, total seconds)."""
    lesson = Lesson(path)
    cell = max((id for id in lesson.cells if id != "setup"), key=lesson.cells.get)
    imports = lesson.started + lesson.cells.get("setup", 0)
    return imports, cell, lesson.cells[cell], lesson.peak, lesson.started + sum(lesson.cells.values())


def run_series(workers):
    """Run every lesson in this many processes; return the results and the seconds on the clock."""
    start = time.perf_counter()
    with ProcessPoolExecutor(workers) as pool:
        results = list(pool.map(run_lesson, NOTEBOOKS))
    return results, time.perf_counter() - start


def test_lessons():
    table = Table(
        "Run All of every lesson in a fresh kernel: megabytes, and CPU seconds with kernel start and imports",
        *("start + imports", "slowest cell but setup", "s", "peak MB", "total s"),
    )
    results, serial = run_series(1)
    for path, values in zip(NOTEBOOKS, results, strict=True):
        table.add(path.stem, *values, goal=(1.5, 420, 10))
    table.show()
    _, parallel = run_series(2)
    whole = Table("The whole series, seconds on the clock", "serial", "two at a time", "ratio")
    whole.add(f"{len(NOTEBOOKS)} lessons", serial, parallel, parallel / serial, goal=0.6)
    whole.show()


def test_growth():
    """How a check and the catalogue grow: twice the exercises must cost about twice the time, not four times."""
    table = Table("Growth with the number of exercises", "n", "CPU ms", "ms an exercise")
    ids = list(catalogue())
    for count in (len(ids) // 4, len(ids) // 2, len(ids)):
        answers = [(id, catalogue()[id].mistakes[0].answer) for id in ids[:count]]
        seconds = least(
            [lambda answers=answers: [grade(id, answer, 0) for id, answer in answers]], rounds=3, seconds=0
        )[0]
        table.add("checks", count, 1000 * seconds, 1000 * seconds / count)
    table.show()

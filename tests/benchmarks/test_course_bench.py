"""What a learner waits for: checks, imports, lessons."""

import os
import statistics
import time

import nbformat
import psutil
from nbclient import NotebookClient

from classroom.measure import peak_bytes
from course_lib import real_microscope
from course_lib.desk import catalogue, grade
from course_lib.model import real
from courseware.content import Prediction
from tests.benchmarks.timing import OF_RATIOS, OF_TIMES, Table, least, report
from tests.conftest import NOTEBOOKS
from tests.lessons.answers import worked

PATHS = sorted(NOTEBOOKS.glob("*.ipynb"))
IMPORTS = ("setup", "imports")  # cells

# Megabytes of the lessons that hold more than the others: every overlap of 1,024 facts, five times; two tasks of
# 8 × 40,448 tokens; what three FFNs make of 20,384 characters.
PEAK = {"04_expand_and_contract": 500, "09_bonus_experts": 550, "10_inside_a_language_model": 650}


def right_answer(id):
    item = catalogue()[id]
    return item.answer if isinstance(item, Prediction) else worked(id)


def wrong_answers(id):
    """Return the answers that have a reply of their own, the last one last."""
    item = catalogue()[id]
    if isinstance(item, Prediction):
        claims = [{**item.answer, letter: word} for letter, claim in item.claims.items() for word in claim.replies]
        return claims + [reply.guess for reply in item.replies]
    return [mistake.answer for mistake in item.mistakes]


def milliseconds(id, answer):
    return 1000 * least([lambda: grade(id, answer, 0)], rounds=5, seconds=0)[0]


def test_checks():
    table = Table("One check of a right answer, and of a wrong one (CPU ms)", "wrong", "right", allowance=OF_TIMES)
    right = {id: milliseconds(id, right_answer(id)) for id in catalogue()}
    wrong = {id: milliseconds(id, wrong_answers(id)[-1]) for id in catalogue()}
    table.add(
        f"median of {len(right)} exercises",
        statistics.median(wrong.values()),
        statistics.median(right.values()),
        goal=20,
    )
    worst = max(right, key=right.get)
    table.add(f"worst: {worst}", wrong[worst], right[worst])
    every = [(id, answer) for id in catalogue() for answer in wrong_answers(id)]
    start = time.process_time()
    for id, answer in every:
        grade(id, answer, 0)
    table.add(f"all {len(every)} named mistakes once", "", 1000 * (time.process_time() - start))
    report(table)


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
        self.peak = max(self.peak, peak_bytes(process) / 1e6)
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
    cell = max((id for id in lesson.cells if id not in IMPORTS), key=lesson.cells.get)
    imports = lesson.started + sum(lesson.cells.get(id, 0) for id in IMPORTS)
    return imports, cell, lesson.cells[cell], lesson.peak, lesson.started + sum(lesson.cells.values())


def test_lessons():
    table = Table(
        "Run All of every lesson in a fresh kernel: megabytes, and CPU seconds with kernel start and imports",
        *("start + imports", "slowest other cell", "s", "peak MB", "total s"),
        allowance=(OF_TIMES, OF_RATIOS, OF_TIMES),
    )
    results = [run_lesson(path) for path in PATHS]
    for path, values in zip(PATHS, results, strict=True):
        table.add(path.stem, *values, goal=(1.5, PEAK.get(path.stem, 420), 10))
    report(table)


def test_the_microscope_on_a_real_model():
    """A new text of 16 tokens each time, and as many forward passes of transformers, which are all that is needed."""
    lens = real_microscope.Lens(real.open_model())
    asked = {"text": "The old river that runs past our mill reached the bank in the very early spring"}
    asked |= {"ffn": 9, "unit": 702, "entry": [12, 507, 1229], "caret": 99} | real_microscope.AS_IS
    codes = lens.model.codes(asked["text"])

    def answer(**more):
        lens.seen.cache_clear()
        lens.answer(asked | more)

    bare, as_it_is, changed = least(
        [lambda: lens.model.model(codes, use_cache=False), answer, lambda: answer(off="attention", value=0.0)]
    )
    table = Table(f"An answer of the microscope to {codes.shape[1]} tokens, by a forward pass", "CPU ms", "ratio")
    table.add("transformers' forward pass", 1000 * bare, 1)
    table.add("a new text", 1000 * as_it_is, as_it_is / bare, goal=1.3)
    table.add("with two changes from FFN 9 on", 1000 * changed, changed / bare, goal=2.2)
    report(table)

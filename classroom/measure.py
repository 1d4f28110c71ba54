"""Measure what each lesson costs a computer: CPU seconds and memory of its kernel, kept in `costs.csv`.

Usage: python -m classroom.measure [LESSON ...]          (without names: every lesson)

One thread, a fresh kernel, every cell once; what is measured is the kernel's own process, its start included.
"""

import csv
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import astuple, dataclass, fields
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

from courseware.content import Lesson
from courseware.environment import NOTEBOOKS
from lessons import catalogue

KEPT = Path(__file__).with_name("costs.csv")


@dataclass(frozen=True)
class Cost:
    """What one run of all cells of a lesson took, on one thread.

    cpu_seconds: of the kernel, from its start; start_seconds: of these, before the first cell ended.
    slowest_cell, slowest_seconds: of the cells after the first.
    megabytes: the most memory (resident set, 10⁶ bytes) that the kernel ever held; without Linux, after any cell.
    """

    lesson: str
    cpu_seconds: float
    start_seconds: float
    slowest_cell: str
    slowest_seconds: float
    megabytes: int


def peak_bytes(process):
    """Return the most memory that a process ever held; where the system does not tell, what it holds now."""
    try:
        status = Path(f"/proc/{process.pid}/status").read_text(encoding="utf-8")
    except OSError:
        return process.memory_info().rss
    return 1024 * int(re.search(r"VmHWM:\s+(\d+) kB", status)[1])


def measure(lesson: Lesson) -> Cost:
    """Run a lesson's notebook in a fresh kernel and return what it cost; the notebook itself is left alone."""
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    kernel, memory, marks = None, [0], [0.0]

    def start(cell, cell_index):
        nonlocal kernel
        kernel = kernel or psutil.Process(client.km.provisioner.pid)

    def end(cell, cell_index, execute_reply):
        times = kernel.cpu_times()
        marks.append(times.user + times.system)
        memory[0] = max(memory[0], peak_bytes(kernel))

    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=300,
        resources={"metadata": {"path": str(NOTEBOOKS)}},
        on_cell_start=start,
        on_cell_executed=end,
    )
    with tempfile.TemporaryDirectory() as folder:
        own = {"OMP_NUM_THREADS": "1", "COURSE_PROGRESS": str(Path(folder) / "progress.json")}
        client.execute(env=os.environ | own, stderr=subprocess.DEVNULL)
    names = [cell.id for cell in notebook.cells if cell.cell_type == "code"]
    later = {name: marks[i + 1] - marks[i] for i, name in enumerate(names) if i}
    slowest = max(later, key=later.get)
    return Cost(
        lesson.name,
        round(marks[-1], 1),
        round(marks[1], 1),
        slowest,
        round(later[slowest], 1),
        round(memory[0] / 1e6),
    )


def kept() -> dict[str, Cost]:
    """Return what was measured last, by the names of the lessons."""
    with KEPT.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    kinds = {field.name: field.type for field in fields(Cost)}
    return {row["lesson"]: Cost(**{name: kinds[name](row[name]) for name in kinds}) for row in rows}


def main(names=None) -> int:
    """Measure the lessons named, or all, and keep what was found."""
    names = sys.argv[1:] if names is None else names
    found = kept() if KEPT.exists() else {}
    for lesson in catalogue.lessons():
        if not names or lesson.name in names:
            found[lesson.name] = measure(lesson)
            print(*astuple(found[lesson.name]), flush=True)
    with KEPT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([field.name for field in fields(Cost)])
        writer.writerows(astuple(found[one.name]) for one in catalogue.lessons() if one.name in found)
    return 0


if __name__ == "__main__":
    sys.exit(main())

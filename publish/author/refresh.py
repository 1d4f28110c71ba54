"""Execute, normalise, write: the only way the stored outputs of the notebooks change.

Usage: python -m publish.author.refresh [NOTEBOOK ...]          (without names: every notebook of the course)
"""

import argparse
import base64
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient

from courseware.environment import NOTEBOOKS, ROOT
from lessons import catalogue, cells
from lessons.catalogue import FOLDER
from lessons.cells import Role
from publish.author import derived, minutes

LIMITS = 1.5, 10.0  # CPU seconds of a cell and of a lesson; a class shares a small server
WITH_MODEL = 15.0, 60.0  # of a lesson that opens a real model, each learner on a computer of their own
METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
# The pictures of the README, which give away nothing that a lesson asks for: name -> the lesson and the cell.
README_PICTURES = {
    "which_bank.png": ("start_here", "opening"),
}
# What the outputs of a notebook rest on, beside its own code.
RUNS = (
    "course_lib",
    "courseware",
    "lessons",
    "whywrong",
    "constraints.txt",
    "pyproject.toml",
    "requirements-model.txt",
)
WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"


class NotebookError(Exception):
    """Say which cell of which notebook must be put right before its outputs can be stored."""


def normalise(notebook) -> None:
    """Leave in a notebook only what is the same on every run."""
    notebook.metadata = nbformat.from_dict(METADATA)
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for cell in notebook.cells:
        tags, hidden = cell.metadata.get("tags"), cell.metadata.get("jupyter", {}).get("source_hidden")
        course = cell.metadata.get("course", {})
        cell.metadata = nbformat.from_dict({"tags": tags} if tags else {})
        # page: words that the web page replaces; results: the cell belongs to those of the guess before it
        kept = {name: course[name] for name in ("page", "results") if name in course}
        if kept:
            cell.metadata["course"] = kept
        if hidden:
            cell.metadata["jupyter"] = {"source_hidden": True}
        if cell.cell_type == "code":
            cell.outputs = _merged(cell.outputs)
            for output in cell.outputs:
                output.get("data", {}).pop(WIDGET_VIEW, None)  # its ids are random, and no widget state is stored


def fold_answers(notebook) -> None:
    """Fold the outputs between a guess and its check, so that nothing is given away; running the cell unfolds them."""
    inside = False
    for cell in notebook.cells:
        role = cells.role(cell)
        if role == Role.GUESS:
            inside = True
        elif role in (Role.REPLY, Role.EXERCISE):
            inside = False
        elif inside and cell.get("outputs"):
            cell.metadata.setdefault("jupyter", nbformat.from_dict({}))["outputs_hidden"] = True


def _merged(outputs):
    """Join neighbouring pieces of one stream: how text is cut into messages depends on timing."""
    merged = []
    for output in outputs:
        last = merged[-1] if merged else None
        if last and output.output_type == last.output_type == "stream" and output.name == last.name:
            last.text += output.text
        else:
            merged.append(output)
    return merged


def keep_measurements(notebook, before) -> None:
    """Put back the stored outputs of cells tagged nbval-ignore-output; clear such a cell's output to measure anew.

    Such a cell shows times measured on one machine; no run gives the same ones again.
    """
    stored = {cell.id: cell.outputs for cell in before.cells if cell.cell_type == "code" and cell.outputs}
    for cell in notebook.cells:
        if "nbval-ignore-output" in cell.metadata.get("tags", []) and cell.id in stored:
            cell.outputs = stored[cell.id]


def execute(notebook, folder: Path, environment: dict) -> list[float]:
    """Run every cell in a fresh kernel and store the outputs; return the CPU seconds of each cell.

    Raises:
        NotebookError: a cell raised, or wrote to stderr.
    """
    kernel = None
    cpu, clock = [0.0] * len(notebook.cells), [0.0]

    def used():
        times = kernel.cpu_times()
        return times.user + times.system

    def start(cell, cell_index):
        nonlocal kernel
        kernel = kernel or psutil.Process(client.km.provisioner.pid)
        clock[0] = used()

    def end(cell, cell_index, execute_reply):
        cpu[cell_index] = used() - clock[0]

    client = NotebookClient(
        notebook,
        kernel_name="python3",
        timeout=120,
        resources={"metadata": {"path": str(folder)}},
        allow_errors=True,
        record_timing=False,
        store_widget_state=False,
        on_cell_start=start,
        on_cell_executed=end,
    )
    client.execute(env=environment, stderr=subprocess.DEVNULL)  # the kernel's own log; cells write to messages
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.output_type == "error":
                raise NotebookError(f"cell {cell.id!r} raises {output.ename}: {output.evalue}")
            if output.output_type == "stream" and output.name == "stderr":
                raise NotebookError(f"cell {cell.id!r} writes to stderr: {output.text.strip()}")
    return cpu


def only_words(path: Path, notebook) -> bool:
    """Return whether since the last commit this notebook's Markdown has changed, and nothing that runs has."""

    def git(*words):
        return subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, encoding="utf-8")

    def code(one):
        return [(cell.id, cell.source, cell.outputs, cell.metadata) for cell in one.cells if cell.cell_type == "code"]

    stored = git("show", f"HEAD:./{os.path.relpath(path, ROOT)}".replace(os.sep, "/"))
    if (
        stored.returncode
        or git("status", "--porcelain", "--", *RUNS).stdout
        or stored.stdout == path.read_text("utf-8")
    ):
        return False
    return code(nbformat.reads(stored.stdout, as_version=4)) == code(notebook)


def refresh(path: Path) -> tuple[bool, str]:
    """Execute one notebook and write it if its stored form changes; return whether that went well, and a report.

    Where only Markdown has changed since the last commit, nothing is executed.
    """
    before = path.read_text(encoding="utf-8")
    notebook = nbformat.reads(before, as_version=4)
    lesson = next((lesson for lesson in catalogue.lessons() if lesson.notebook == path.name), None)
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **os.environ,
            "COURSE_STATIC": "1",
            "COURSE_PROGRESS": str(Path(folder) / "progress.json"),
            "OMP_NUM_THREADS": "1",
        }
        record = Path(folder) / "record.json"
        if any(map(cells.on_model, notebook.cells)):
            environment["COURSE_RECORD"] = str(record)
        try:
            if lesson is not None:
                derived.rewrite_notebook(notebook, lesson)
            cpu = [] if only_words(path, notebook) else execute(notebook, path.parent, environment)
        except NotebookError as error:
            return False, f"{path.name}: {error}"
        except Exception as error:  # data that do not fit, a dead kernel, a timeout: say which notebook it was
            return False, f"{path.name}: {type(error).__name__}: {error}"
        if record.exists():
            (FOLDER / lesson.name / record.name).write_bytes(record.read_bytes())
    keep_measurements(notebook, nbformat.reads(before, as_version=4))
    normalise(notebook)
    fold_answers(notebook)
    if lesson is not None:
        derived.state_minutes(notebook, lesson)
    after = nbformat.writes(notebook, ensure_ascii=False, indent=1).rstrip("\n") + "\n"
    if after != before:
        path.write_text(after, encoding="utf-8", newline="\n")
    slowest = max(range(len(cpu)), key=cpu.__getitem__, default=None)
    report = f"{path.name}: {'changed' if after != before else 'unchanged'}, "
    report += f"{sum(cpu):.1f} CPU s" if cpu else "nothing run, since only words differ from the last commit"
    if slowest is not None:
        report += f", slowest cell {notebook.cells[slowest].id!r} {cpu[slowest]:.2f} s"
        a_cell, a_lesson = WITH_MODEL if any(map(cells.on_model, notebook.cells)) else LIMITS
        if cpu[slowest] > a_cell or sum(cpu) > a_lesson:
            report += f"  (aim: {a_cell:g} s a cell, {a_lesson:g} s a lesson)"
    if lesson is not None:
        core, more = minutes.minutes(notebook, lesson)
        if (core, more) != (lesson.minutes, lesson.more):
            report += f"\n    it takes other minutes now: write minutes={core}, more={more} into lessons/{lesson.name}/"
            report += "__init__.py and refresh it once more"
    return True, report


def stored_picture(lesson: str, cell_id: str) -> bytes:
    """Return the first picture stored in the outputs of a cell of a lesson's notebook."""
    notebook = nbformat.read(NOTEBOOKS / catalogue.lesson(lesson).notebook, as_version=4)
    outputs = next(cell.outputs for cell in notebook.cells if cell.id == cell_id)
    return base64.b64decode(next(one.data["image/png"] for one in outputs if "image/png" in one.get("data", {})))


def copy_pictures() -> None:
    """Write the pictures of the README from the stored outputs."""
    folder = ROOT / "docs"
    folder.mkdir(exist_ok=True)
    for name, (lesson, cell_id) in README_PICTURES.items():
        (folder / name).write_bytes(stored_picture(lesson, cell_id))


def rewrite_readme() -> None:
    """Bring the map, the links and the number of lessons of the README up to date."""
    path = ROOT / "README.md"
    before = path.read_text(encoding="utf-8")
    after = derived.rewrite_markdown(before, folder="notebooks/")
    if after != before:
        path.write_text(after, encoding="utf-8", newline="\n")


def unmatched() -> list[str]:
    """Report every lesson without its notebook, and every notebook without its lesson."""
    lessons = {lesson.notebook for lesson in catalogue.lessons()}
    notebooks = {path.name for path in NOTEBOOKS.glob("*.ipynb")}
    return [f"{name}: there is a lesson for it, but no such notebook" for name in sorted(lessons - notebooks)] + [
        f"{name}: no lesson has this notebook" for name in sorted(notebooks - lessons)
    ]


def main(arguments=None) -> int:
    """Refresh the notebooks named, or all; return the number of notebooks that failed."""
    parser = argparse.ArgumentParser(description="Execute notebooks and store their outputs.")
    parser.add_argument("notebooks", nargs="*", type=Path, help="default: every notebook of the course")
    named = parser.parse_args(arguments).notebooks or sorted(NOTEBOOKS.glob("*.ipynb"))
    paths = [path.resolve() for path in named]
    of_the_course = any(path.parent == NOTEBOOKS for path in paths)
    problems = unmatched() if of_the_course else []
    if problems:
        advice = "Write or rename the notebook, or change name and number in LESSON."
        print(*problems, advice, sep="\n", file=sys.stderr)
        return len(problems)
    failed = 0
    with ProcessPoolExecutor(max_workers=min(os.cpu_count() or 1, max(len(paths), 1))) as pool:
        for well, report in pool.map(refresh, paths):
            print(report, file=sys.stdout if well else sys.stderr, flush=True)
            failed += not well
    if of_the_course:
        copy_pictures()
        rewrite_readme()
    if failed:
        print(f"{failed} of {len(paths)} notebooks failed and stay as they were.", file=sys.stderr)
    return failed


if __name__ == "__main__":
    sys.exit(main())

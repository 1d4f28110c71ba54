"""What the class thinks: a folder as the handbook shows it, what two learners hand in, and the report on it."""

import csv
import shutil
import zipfile

import nbformat
import pytest

from tests.walks.pages import HANDBOOK, Block, walked

LESSON = "05_position_independence.ipynb"
FORGOTTEN = "def position_wise(f, X):\n    return True\n\n\n"  # whatever the layer is


def answered(notebook, name: str):
    """Type one learner's answers into a lesson: Anna's are right; of Ben's two one is."""
    from lessons import catalogue, cells

    for cell in notebook.cells:
        if cells.role(cell) == cells.Role.EXERCISE:
            check, id = cell.source.splitlines()[-1], cells.checked(cell)
            if name == "anna" or id == "position_independence.rowwise":
                cell.source = f"{catalogue.solution(id)}\n\n\n{check}"
            elif id == "position_independence.which_layers":
                cell.source = FORGOTTEN + check
    return notebook


@pytest.fixture(scope="module")
def worked(course, desk):
    """What two learners hand in: name -> folder with notebook and progress."""
    folders = {}
    for name in ("anna", "ben"):
        folders[name] = folder = desk / f"computer of {name}"
        folder.mkdir()
        nbformat.write(answered(nbformat.read(course / "notebooks" / LESSON, as_version=4), name), folder / LESSON)
        (folder / "progress.json").write_text('{"version": 2, "entries": {}}', encoding="utf-8")
    return folders


@walked(HANDBOOK, Block("What the class thinks"), "make report FOLDER=submitted/", "ARGS=--anonymous")
def test_report(terminal, course, worked):
    terminal.folder = course
    top, *shown = terminal.read(Block("What the class thinks")).splitlines()
    handed_in = course / top
    handed_in.mkdir()
    for line in shown:
        name, what = line.split(maxsplit=1)
        if name.endswith("/"):
            (handed_in / name).mkdir()
            files = what.split(", ")
            for file in files:
                shutil.copy(worked[name.strip("/")] / file, handed_in / name)
        else:
            assert what == "the same, as a zip file"
            with zipfile.ZipFile(handed_in / name, "w") as packed:
                for file in files:
                    packed.write(worked[name.removesuffix(".zip")] / file, file)

    assert "4 files of 2 learners: 4 were read, 0 not." in terminal.type("make report FOLDER=submitted/")
    status = table(course)
    assert {one for (name, _), one in status.items() if name == "anna"} == {"correct"}
    assert status["ben", "position_independence.rowwise"] == "correct"
    assert status["ben", "position_independence.which_layers"] == "not yet"

    terminal.type("make report FOLDER=submitted/", "ARGS=--anonymous")
    assert {name for name, _ in table(course)} == {"learner 1", "learner 2"} and len(table(course)) == len(status)


def table(course) -> dict[tuple[str, str], str]:
    """Return learner and exercise -> status from the table beside the page."""
    with (course / "dist" / "class-report.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    return {(row["learner"], row["item"]): row["found"] for row in rows if row["found"]}

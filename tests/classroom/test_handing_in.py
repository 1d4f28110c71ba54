"""What learners pack is read and judged by the report as their notebook is: also from a page, and in a kernel."""

import os
import zipfile

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from classroom import core, report
from classroom.marking import handed_in
from course_lib import desk, handing_in
from course_lib.handing_in import Typed
from lessons.cells import CHECK
from tests.course_lib import test_handing_in
from tests.course_lib.test_handing_in import CALL, FILE, ID, LESSON, NAME, OTHER, WRONG, notebook, packed, published
from tests.lessons.worked import solved_cells

here = test_handing_in.here  # the fixture


SLOW = "def rowwise(f, X):\n    return np.stack([mine(f, X[0]) for row in X])"
OWN = "import numpy as np\n\ndef mine(f, row):\n    return f(row)"
RIGHT = f"{SLOW.replace('X[0]', 'row')}\n\ncheck({ID!r}, rowwise)"


@pytest.mark.parametrize("where", ["an empty folder", "a clone beside it", "the untouched lesson", "named by VS Code"])
def test_where_the_notebook_is_no_file_its_session_is_packed_and_earns_the_same(tmp_path, where):
    folder = tmp_path / "content"
    clone = folder / "ffn-course" / "notebooks" if where == "a clone beside it" else folder
    clone.mkdir(parents=True)
    if where in ("a clone beside it", "the untouched lesson"):
        (clone / LESSON.notebook).write_text(published(), encoding="utf-8")
    ran = ["from course_lib.desk import check", OWN, f"{SLOW}\n\ncheck({ID!r}, rowwise)", RIGHT]
    plain = [nbformat.v4.new_code_cell(cell) for cell in ran[:2] + ran[3:]]
    elsewhere = tmp_path / "plain" / "Ann" / LESSON.notebook
    elsewhere.parent.mkdir(parents=True)
    nbformat.write(nbformat.v4.new_notebook(cells=plain), elsewhere)
    if where == "named by VS Code":
        ran.insert(0, f"__vsc_ipynb_file__ = {str(elsewhere)!r}")
    cells = [nbformat.v4.new_code_cell(cell) for cell in [*ran, CALL]]
    client = NotebookClient(nbformat.v4.new_notebook(cells=cells), resources={"metadata": {"path": folder}})
    client.execute(env={**os.environ, "COURSE_PROGRESS": str(tmp_path / "p.json")})
    saved = where == "named by VS Code"
    file = (elsewhere.parent if saved else folder) / FILE
    assert ("you checked stands in no notebook" in cells[-1].outputs[0]["data"]["text/plain"]) != saved
    found = packed(file)
    assert RIGHT in found and OWN in found[: found.index(RIGHT)] and not any("X[0]" in cell for cell in found)
    (read,) = handed_in.read(file)[0]
    assert [handing_in.AS_RUN in note for note in read.notes] == [True] * (not saved)
    if where == "the untouched lesson":
        (results,) = report.report(file).results
        assert results.points[ID] == core.worth()[ID]


def test_large_outputs_are_read_and_what_a_file_holds_counts_more_than_its_name(here):
    text = nbformat.read(here / LESSON.notebook, 4)
    text.cells[0].outputs = [nbformat.v4.new_output("stream", text="x" * 9_000_000)]
    nbformat.write(text, here / LESSON.notebook)
    desk.hand_in(LESSON.name, NAME)
    (found,) = handed_in.read(here / FILE)[0]
    assert found.problems == [] and set(found.cells) == {LESSON.name}
    with zipfile.ZipFile(here / FILE, "w") as file:  # made by hand, or by an older course
        file.writestr(LESSON.notebook, notebook(OTHER))
    (found,) = handed_in.read(here / FILE)[0]
    assert [*found.cells] == [OTHER.name] and "called after lesson 05" in found.notes[0]


def test_answers_of_a_page_are_read_and_judged_as_a_notebook_is(here, kept, tmp_path):
    solved = {id: Typed(CHECK.sub("", cell)) for id, cell in solved_cells(LESSON.name).items()}
    (tmp_path / "in").mkdir()
    for name, answers in {"李雷": solved, "Zoë": {ID: Typed(WRONG)}, "王芳": {}}.items():
        file, content = handing_in.pack_answers(LESSON, name, published(), answers, kept.entries())
        (tmp_path / "in" / file).write_bytes(content)
    results = {one.submission.name: one for one in report.report(tmp_path / "in").results}
    assert set(results) == {"李雷", "Zoë", "王芳"} and not any(one.submission.problems for one in results.values())
    assert {status for status, *_ in results["李雷"].verdicts.values()} == {"correct"}
    assert set(results["李雷"].verdicts) == set(solved)
    direct = desk.grade(ID, lambda f, X: np.stack([f(X[0]) for row in X]), 0)
    assert results["Zoë"].verdicts[ID][:2] == (direct.status, direct.key) and direct.status == "not yet"
    assert {status for status, *_ in results["王芳"].verdicts.values()} == {"not attempted"}

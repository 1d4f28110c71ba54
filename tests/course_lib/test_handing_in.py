"""What learners pack to hand in: which file, what is in it, and what is not."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient

from course_lib import desk, handing_in
from course_lib.handing_in import Typed
from courseware.environment import NOTEBOOKS
from lessons import catalogue
from tests.conftest import ROOT
from tests.lessons.worked import solved_cells

LESSON = catalogue.lesson("position_independence")
OTHER = catalogue.lesson("relu_vs_gelu")
ID, OTHERS = "position_independence.rowwise", "relu_vs_gelu.gelu_slope"
NAME, FILE = "Zoë  Müller-Ångström ß", "Zoe-Mueller-Angstroem-ss_05_position_independence.zip"


def notebook(lesson) -> str:
    """Return a learner's notebook with the worked cells."""
    cells = [nbformat.v4.new_code_cell(cell) for cell in solved_cells(lesson.name).values()]
    return nbformat.writes(nbformat.v4.new_notebook(cells=cells))


@pytest.fixture
def here(tmp_path, monkeypatch, kept):
    """Work in a folder with two notebooks, with progress in both lessons."""
    kept.record(ID, "not yet", key="mistake:first_row")
    kept.record("position_independence.predict_numbers", "guessed", guess=7, near=False)
    kept.record(OTHERS, "correct")
    kept.record("relu_vs_gelu.predict_relu", "guessed", guess="a secret of lesson 02")
    folder = tmp_path / "my_notebooks"
    folder.mkdir()
    for lesson in (LESSON, OTHER):
        (folder / lesson.notebook).write_text(notebook(lesson), encoding="utf-8")
    monkeypatch.chdir(folder)
    return folder


def test_one_file_with_the_notebook_and_the_progress_of_its_lesson_alone(here, shown):
    before = {path.name for path in here.iterdir()}
    for _ in range(2):
        desk.hand_in(LESSON.name, NAME)
        assert {path.name for path in here.iterdir()} - before == {FILE}
    with zipfile.ZipFile(here / FILE) as packed:
        assert packed.namelist() == [LESSON.notebook, "progress.json"]
        assert nbformat.reads(packed.read(LESSON.notebook).decode(), 4) == nbformat.read(here / LESSON.notebook, 4)
        text = packed.read("progress.json").decode()
    assert json.loads(text)["name"] == "Zoë Müller-Ångström ß"
    assert set(json.loads(text)["entries"]) == {ID, "position_independence.predict_numbers"}
    assert "secret" not in text and json.loads(text)["entries"][ID]["met"] == ["mistake:first_row"]
    for words in (
        str(here / FILE),
        f"It contains {LESSON.notebook} as you saved it",
        "It does not contain your progress in other",
    ):
        assert words in shown.plain[-1]
    assert shown.plain[-1].startswith("Your file to hand in") and "your name, and the version" in shown.plain[-1]


def packed(path):
    """Return the sources of the notebook in a file to hand in."""
    with zipfile.ZipFile(path) as file:
        return ["".join(cell["source"]) for cell in json.loads(file.read(LESSON.notebook))["cells"]]


CALL = f"from course_lib.desk import hand_in\nhand_in({LESSON.name!r}, {NAME!r})"


@pytest.mark.parametrize("saved", [True, False], ids=["call saved", "call not saved"])
@pytest.mark.parametrize("name", ["05_position_independence-Copy1.ipynb", "mine.ipynb"])
def test_the_notebook_that_runs_is_packed_whatever_it_is_called(here, name, saved):
    """In a kernel that Jupyter began under the name of the copy, which the learner may have changed since."""
    made = nbformat.read(here / LESSON.notebook, 4)
    mine = f"my_own = 7\ncheck({ID!r}, my_own)"
    typed = [nbformat.v4.new_code_cell(cell) for cell in ["from course_lib.desk import check", mine, CALL]]
    client = NotebookClient(nbformat.v4.new_notebook(cells=typed), resources={"metadata": {"path": here}})
    made.cells.append(nbformat.v4.new_code_cell(mine := f'my_own=7\n\n\ncheck("{ID}",my_own,)'))  # an editor formats
    cells = [typed[0], *made.cells, *typed[2 : 3 if saved else 2]]
    nbformat.write(nbformat.v4.new_notebook(cells=cells), here / name)
    os.utime(here / name, (1, 1))
    session = str(here / "05_position_independence-Copy1.ipynb")
    client.execute(env={**os.environ, "JPY_SESSION_NAME": session, "COURSE_PROGRESS": str(here.parent / "p.json")})
    assert mine in packed(here / FILE)
    assert name in typed[-1].outputs[0]["data"]["text/plain"]


def test_what_the_reader_would_refuse_is_refused(here, shown, monkeypatch):
    """Each in a sentence with a cure, without a file; outputs are no reason."""
    text = nbformat.read(here / LESSON.notebook, 4)
    text.cells[0].outputs = [nbformat.v4.new_output("stream", text="x" * 9_000_000)]
    nbformat.write(text, here / LESSON.notebook)
    desk.hand_in(LESSON.name, NAME)
    (here / FILE).unlink()

    def refused(*given):
        desk.hand_in(*given or (LESSON.name, NAME))
        assert not (here / FILE).exists()
        return shown.plain[-1]

    for given in ((LESSON.name, ""), (LESSON.name,), (LESSON.name, desk.check)):
        assert "must be your name in a string" in refused(*given)
    assert "There is no lesson 'Zoë'" in refused("Zoë", LESSON.name)
    text.cells.append(nbformat.v4.new_markdown_cell("x" * handing_in.MOST_BYTES))
    nbformat.write(text, here / LESSON.notebook)
    assert "Your notebook is too large to be read: more than 8 MB" in refused()
    with pytest.raises(ValueError, match="too large to be read"):
        handing_in.pack_answers(LESSON, NAME, published(), {ID: Typed("#" * handing_in.MOST_BYTES)}, {})
    (here / LESSON.notebook).write_text('{"cells": [')
    assert f"{LESSON.notebook} cannot be read as a notebook" in refused()
    (here / LESSON.notebook).write_text(notebook(OTHER))
    assert "There is no notebook of lesson 05 in" in refused()
    last = "".join(json.loads(notebook(OTHER))["cells"][-1]["source"])
    monkeypatch.setattr(desk.output, "ran", lambda: [last])
    said = refused()
    assert f'is the notebook of lesson 02: call hand_in("{OTHER.name}", …) there' in said
    exec(re.search(r"hand_in\(.*?\)", said)[0].replace("…", "NAME"), {"hand_in": desk.hand_in, "NAME": NAME})
    assert shown.plain[-1].startswith("Your file to hand in")


def test_notebook_older_than_the_last_check_must_be_saved_first(here, shown, kept):
    checked = kept.path.stat().st_mtime
    for saved, first in ((checked - 1, "Save first: "), (checked + 1, "Your file")):
        os.utime(here / LESSON.notebook, (saved, saved))
        desk.hand_in(LESSON.name, NAME)
        assert shown.plain[-1].startswith(first) and str(here / FILE) in shown.plain[-1]


def test_file_that_cannot_be_written_is_said_and_leaves_nothing(here, shown, monkeypatch):
    def full(*any):
        raise OSError(28, "No space left on device")

    before = sorted(here.iterdir())
    monkeypatch.setattr(os, "fsync", full)
    desk.hand_in(LESSON.name, NAME)
    assert "could not be written: No space left on device." in shown.plain[-1]
    assert sorted(here.iterdir()) == before


def published(lesson=LESSON) -> str:
    return (NOTEBOOKS / lesson.notebook).read_text(encoding="utf-8")


WRONG = "def rowwise(f, X):\n    return np.stack([f(X[0]) for row in X])\n\n\n"


def test_arrays_that_a_page_asked_for_are_asked_for_again():
    _, content = handing_in.pack_answers(LESSON, "Ann", published(), {ID: Typed(WRONG, True)}, {})
    with zipfile.ZipFile(io.BytesIO(content)) as packed:
        assert f'check(\\"{ID}\\", rowwise, arrays=True)' in packed.read(LESSON.notebook).decode()


@pytest.mark.parametrize("id", ["position_independence.rowwis", OTHERS])
def test_answers_to_what_the_notebook_does_not_check_are_refused(id):
    with pytest.raises(ValueError, match=f"answers must be to what {LESSON.notebook} checks, .* not check {id}"):
        handing_in.pack_answers(LESSON, "Ann", published(), {id: Typed("")}, {})


def test_a_page_packs_with_numpy_alone():
    program = (
        "import sys\n"
        "for name in ('torch', 'matplotlib', 'IPython', 'nbformat', 'filelock'): sys.modules[name] = None\n"
        "from course_lib import handing_in\n"
        "from lessons import catalogue\n"
        "lesson, text = catalogue.lesson('position_independence'), sys.stdin.buffer.read().decode()\n"
        "answers = {'position_independence.rowwise': handing_in.Typed('rowwise = len')}\n"
        "print(*handing_in.pack_answers(lesson, 'Ann', text, answers, {}))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, input=published().encode(), capture_output=True, timeout=60)
    assert done.stdout.startswith(b"Ann_05_position_independence.zip b'PK"), done.stderr.decode()

"""What learners pack to hand in: which file, what is in it and what is not, and that the report reads it."""

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

from classroom import core, report
from classroom.marking import handed_in
from courseware import desk, handing_in
from courseware.environment import NOTEBOOKS
from courseware.handing_in import Typed
from lessons import catalogue
from lessons.cells import CHECK
from tests.classroom.solved import solved_cells
from tests.conftest import ROOT

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
        (judged,) = report.report(file).judged
        assert judged.points[ID] == core.worth()[ID]


def test_what_the_reader_would_refuse_is_refused(here, shown, monkeypatch):
    """Each in a sentence with a cure, without a file; outputs are no reason."""
    text = nbformat.read(here / LESSON.notebook, 4)
    text.cells[0].outputs = [nbformat.v4.new_output("stream", text="x" * 9_000_000)]
    nbformat.write(text, here / LESSON.notebook)
    desk.hand_in(LESSON.name, NAME)
    (found,) = handed_in.read(here / FILE)[0]
    assert found.problems == [] and set(found.cells) == {LESSON.name}
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
    with zipfile.ZipFile(here / FILE, "w") as file:  # made by hand, or by an older course
        file.write(here / LESSON.notebook, LESSON.notebook)
    (found,) = handed_in.read(here / FILE)[0]
    assert [*found.cells] == [OTHER.name] and "called after lesson 05" in found.notes[0]


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


def test_answers_of_a_page_are_read_and_judged_as_a_notebook_is(here, kept, tmp_path):
    solved = {id: Typed(CHECK.sub("", cell)) for id, cell in solved_cells(LESSON.name).items()}
    (tmp_path / "in").mkdir()
    for name, answers in {"李雷": solved, "Zoë": {ID: Typed(WRONG)}, "王芳": {}}.items():
        file, content = handing_in.pack_answers(LESSON, name, published(), answers, kept.entries())
        (tmp_path / "in" / file).write_bytes(content)
    judged = {one.submission.name: one for one in report.report(tmp_path / "in").judged}
    assert set(judged) == {"李雷", "Zoë", "王芳"} and not any(one.submission.problems for one in judged.values())
    assert {status for status, *_ in judged["李雷"].verdicts.values()} == {"correct"}
    assert set(judged["李雷"].verdicts) == set(solved)
    direct = desk.grade(ID, lambda f, X: np.stack([f(X[0]) for row in X]), 0)
    assert judged["Zoë"].verdicts[ID][:2] == (direct.status, direct.key) and direct.status == "not yet"
    assert {status for status, *_ in judged["王芳"].verdicts.values()} == {"not attempted"}


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
        "from courseware import handing_in\n"
        "from lessons import catalogue\n"
        "lesson, text = catalogue.lesson('position_independence'), sys.stdin.buffer.read().decode()\n"
        "answers = {'position_independence.rowwise': handing_in.Typed('rowwise = len')}\n"
        "print(*handing_in.pack_answers(lesson, 'Ann', text, answers, {}))"
    )
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, input=published().encode(), capture_output=True, timeout=60)
    assert done.stdout.startswith(b"Ann_05_position_independence.zip b'PK"), done.stderr.decode()


CANVAS = "müllerzoë_88_1234_"
WRAPPED = {
    "alone": (lambda file: file, "Zoë Müller-Ångström ß"),
    "Canvas": (lambda file: f"{CANVAS}{file}", "müllerzoë"),
    "Canvas, handed in again": (lambda file: f"{CANVAS}{file.replace('.zip', '-1.zip')}", "müllerzoë"),
    "Moodle": (lambda file: f"Zoë Müller_12_assignsubmission_file_/{file}", "Zoë Müller"),
    "Moodle, flat": (lambda file: f"Zoë Müller_12_assignsubmission_file_{file}", "Zoë Müller"),
    "a folder": (lambda file: f"zoe/{file}", "Zoë Müller-Ångström ß"),
}


@pytest.mark.parametrize("packed", [True, False], ids=["one zip", "unpacked"])
@pytest.mark.parametrize("how", WRAPPED)
def test_report_reads_the_file_as_it_reads_notebook_and_progress(here, tmp_path, how, packed):
    name, learner = WRAPPED[how]
    desk.hand_in(LESSON.name, NAME)
    desk.hand_in(OTHER.name, NAME)
    files = {name(path.name): path.read_bytes() for path in here.glob("*.zip")}
    plain = tmp_path / "plain" / learner
    plain.mkdir(parents=True)
    for path in (here / LESSON.notebook, here / OTHER.notebook, tmp_path / "progress.json"):
        (plain / path.name).write_bytes(path.read_bytes())
    place = tmp_path / "in"
    place.mkdir()
    if packed:
        place = place / "class.zip"
        with zipfile.ZipFile(place, "w") as file:
            for path, content in files.items():
                file.writestr(path, content)
    for path, content in {} if packed else files.items():
        (place / path).parent.mkdir(exist_ok=True)
        (place / path).write_bytes(content)
    (expected,), (found,) = handed_in.read(plain.parent)[0], handed_in.read(place)[0]
    assert len(expected.cells) == 2 and len(expected.entries) == 4 and expected.problems == []
    assert [WRAPPED["alone"][1] in note for note in found.notes] == [True] * (how != "alone")
    found.notes.clear()
    assert found == expected

"""A learner's own copies: made once, blank, never written over; and where their progress lies."""

import json
import os

import pytest

from courseware import environment
from courseware.progress import Progress
from publish.learner import copies
from tests.publish.clones import Clones, code, edit, git, lesson, printed, sources, text, write
from whywrong.task import Status


@pytest.fixture
def clones(tmp_path):
    return Clones(tmp_path)


def test_copies_are_blank_and_have_the_same_names(clones):
    folders = clones.folders
    assert {path.name for path in folders.copies.iterdir()} == {"01_first.ipynb", "02_second.ipynb", ".course"}
    assert printed(clones.left()) == {"setup": "", "run-1": "42\n"}
    data = json.loads(clones.mine().read_text(encoding="utf-8"))
    assert [(cell["id"], "".join(cell["source"])) for cell in data["cells"]] == [
        (cell.id, cell.source) for cell in lesson()
    ]
    assert all(cell["outputs"] == [] for cell in data["cells"] if cell["cell_type"] == "code")
    assert all(cell["execution_count"] is None for cell in data["cells"] if cell["cell_type"] == "code")
    assert git(clones.root, "status", "--porcelain") == ""


def shown(kind, what):
    """Return what a cell displayed."""
    return copies.nbformat.v4.new_output("display_data", {kind: what, "text/plain": "Figure: a bank."})


def test_only_the_opening_picture_comes_along(tmp_path):
    """What needs a kernel does not, and what a cell shows is no part of the version that a copy was made from."""
    opening, run = code("opening", "which_bank()", "some words\n"), code("run-1", "draw()")
    picture = shown("image/png", "AAAA")
    opening.outputs += [shown("application/vnd.jupyter.widget-view+json", {"model_id": "1"}), picture]
    run.outputs = [picture]
    write(tmp_path / "notebooks" / "01_a.ipynb", [opening, run])
    folders = copies.Folders(tmp_path)
    copies.make(folders)
    for folder in (folders.copies, folders.bases):
        made = copies.read(folder / "01_a.ipynb")
        assert [cell.outputs for cell in made.cells] == [[picture], []]
        assert [cell.execution_count for cell in made.cells] == [None, None]
    assert copies.published(folders, "01_a.ipynb").cells[0].outputs == [picture]  # which an update brings in
    stamp, opening.outputs = copies.stamp(copies.read(folders.copies / "01_a.ipynb")), []
    write(tmp_path / "notebooks" / "01_a.ipynb", [opening, run])
    assert stamp == copies.version(copies.read(folders.published / "01_a.ipynb"))


def test_a_copy_is_never_written_over_and_a_missing_one_is_made(clones):
    edit(clones.mine(), predict_1="guess = 42")
    before = clones.mine().read_bytes()
    clones.mine("02_second.ipynb").unlink()
    write(clones.left("03_new.ipynb"), lesson())
    (sentence,) = copies.make(clones.folders)
    assert "02_second.ipynb, 03_new.ipynb" in sentence and "01_first" not in sentence
    assert clones.mine().read_bytes() == before
    assert sources(clones.mine("03_new.ipynb"))["predict-1"] == "guess = TODO"
    assert copies.make(clones.folders) == []


def test_work_left_in_the_published_notebooks_comes_along(clones):
    clones.mine().unlink()
    edit(clones.left(), predict_1="guess = 42")
    copies.make(clones.folders)
    assert sources(clones.mine())["predict-1"] == "guess = 42"
    assert sources(clones.folders.bases / "01_first.ipynb")["predict-1"] == "guess = TODO"


@pytest.mark.parametrize("kept", [False, True])
def test_a_copy_that_jupyter_will_not_open_is_named_at_the_start(clones, kept):
    if kept:
        checkpoint = clones.folders.copies / ".ipynb_checkpoints" / "01_first-checkpoint.ipynb"
        checkpoint.parent.mkdir()
        checkpoint.write_bytes(clones.mine().read_bytes())
    clones.mine().write_text("")
    (said,) = copies.make(clones.folders)
    assert "my_notebooks/01_first.ipynb is not a readable notebook (the file is empty)" in said
    assert said.endswith("01_first-checkpoint.ipynb" if kept else "No earlier one was found.")
    assert clones.mine().read_text() == ""


def test_a_newer_or_renamed_lesson_asks_for_an_update(clones):
    git(clones.root, "mv", "notebooks/02_second.ipynb", "notebooks/05_second.ipynb")
    (sentence,) = copies.make(clones.folders)
    assert "start.py update" in sentence and not clones.mine("05_second.ipynb").exists()
    git(clones.root, "mv", "notebooks/05_second.ipynb", "notebooks/02_second.ipynb")
    assert copies.make(clones.folders) == []
    edit(clones.left(), recap="Fixed.")
    git(clones.root, "commit", "--quiet", "--all", "--message=fix")
    (sentence,) = copies.make(clones.folders)
    assert "start.py update" in sentence


def test_a_copy_is_whole_or_not_there(clones, monkeypatch):
    clones.mine().unlink()
    replace = os.replace

    def fail(source, target):
        if target == clones.mine():
            raise OSError("the disk is full")
        replace(source, target)

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(OSError, match="the disk is full"):
        copies.make(clones.folders)
    assert not clones.mine().exists()
    monkeypatch.undo()
    copies.make(clones.folders)
    assert sources(clones.mine())["predict-1"] == "guess = TODO"


BROKEN = {
    "empty": "",
    "cut off": '{"cells": [{"cell_type": "code", "sou',
    "nothing in it": "{}",
    "an empty cell": '{"cells": [{}], "nbformat": 4, "nbformat_minor": 5, "metadata": {}}',
    "deep": "[" * 100_000,
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_notebooks_are_recognised(case):
    with pytest.raises(copies.Unreadable):
        copies.parse(BROKEN[case])


def test_ids_that_a_program_dropped_come_back_and_doubled_ones_are_told_apart(clones):
    data = json.loads(clones.mine().read_text(encoding="utf-8"))
    for cell in data["cells"]:
        del cell["id"]
    data["nbformat_minor"] = 4
    data["cells"][3]["source"] = "guess = 42"
    known = copies.read(clones.mine())
    found = [cell.id for cell in copies.parse(json.dumps(data), known).cells]
    assert found == ["title", "setup", "ask-1", "predict-1", "run-1", "recap"]
    del data["cells"][4]  # two cells are missing between its neighbours, so it may be either of them
    found = [cell.id for cell in copies.parse(json.dumps(data), known).cells]
    assert found == ["title", "setup", "ask-1", "unnamed-3", "recap"]
    doubled = json.loads(clones.mine().read_text(encoding="utf-8"))
    doubled["cells"] += [doubled["cells"][-1]]
    found = [cell.id for cell in copies.parse(json.dumps(doubled)).cells]
    assert found[:-1] == [cell.id for cell in lesson()] and len(set(found)) == len(found) == 7


def test_the_version_says_what_a_lesson_says_and_nothing_else():
    def notebook(*cells):
        made = copies.nbformat.v4.new_notebook(cells=list(cells))
        made.metadata["language_info"] = {"version": str(len(cells[-1].source))}
        return made

    same = [notebook(text("a"), code("b", "1", shown)) for shown in (None, "1\n")]
    assert copies.version(same[0]) == copies.version(same[1])
    for other in (notebook(text("a"), code("b", "2")), notebook(code("b", "1"), text("a")), notebook(text("a", ""))):
        assert copies.version(other) != copies.version(same[0])


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course in a folder of its own, as courseware.environment finds it from where it lies."""
    root = tmp_path / "course"
    (root / "notebooks").mkdir(parents=True)
    monkeypatch.setattr(environment, "ROOT", root)
    monkeypatch.setattr(environment, "NOTEBOOKS", root / "notebooks")
    monkeypatch.delenv("COURSE_PROGRESS")
    return root


def test_where_the_folder_cannot_be_written_it_is_said_and_progress_goes_nowhere_else(course):
    (course / "my_notebooks").write_text("not a folder")
    progress = Progress()
    progress.record("a.b", Status.CORRECT)
    assert progress.problem.startswith("Your progress could not be saved (") and progress.entries()["a.b"].done
    assert [path.name for path in course.rglob("*") if path.is_file()] == ["my_notebooks"]


def test_progress_lies_in_a_hidden_folder_beside_the_copies(course, monkeypatch):
    progress = Progress()
    progress.record("a.b", Status.CORRECT)
    hidden = course / "my_notebooks" / ".course"
    assert progress.problem == "" and progress.path == hidden / "progress.json"
    assert json.loads(progress.path.read_text())["entries"] == {"a.b": {"status": "correct", "attempts": 1}}
    assert all(path == hidden or hidden in path.parents for path in (course / "my_notebooks").rglob("*"))
    monkeypatch.setenv("COURSE_PROGRESS", str(course / "mine.json"))
    assert environment.progress_path() == course / "mine.json"

"""`make update` on two clones: what is the learner's stays, everything else becomes the new version."""

import json
import os
import shutil

import filelock
import pytest

from publish.learner import copies
from tests.publish.clones import (
    Clones,
    edit,
    everything,
    git,
    ids,
    lesson,
    printed,
    run_cell,
    sources,
    text,
    write,
)


@pytest.fixture
def clones(tmp_path):
    return Clones(tmp_path)


def fix_upstream(clones, **cells):
    """Change cells of the first lesson upstream."""
    edit(clones.theirs(), **(cells or {"recap": "You saw the product of two numbers."}))
    clones.publish()


def test_answers_and_outputs_stay_and_the_rest_becomes_new(clones, capsys):
    edit(clones.mine(), predict_1="guess = 42")
    run_cell(clones.mine(), "predict-1", "You said 42.\n")
    run_cell(clones.mine(), "run-1", "42 here\n")
    run_cell(clones.mine(), "setup", "")
    before = clones.mine().read_bytes()
    second = clones.mine("02_second.ipynb").read_bytes()
    fix_upstream(clones, recap="Fixed.", setup="import math, cmath")
    assert clones.update() == 0
    assert sources(clones.mine()) == {
        **{cell.id: cell.source for cell in lesson()},
        "predict-1": "guess = 42",
        "recap": "Fixed.",
        "setup": "import math, cmath",
    }
    assert printed(clones.mine()) == {"predict-1": "You said 42.\n", "run-1": "42 here\n"}
    assert sources(clones.left())["recap"] == "Fixed."
    assert clones.mine("02_second.ipynb").read_bytes() == second
    (backup,) = clones.backups()
    assert (backup / "01_first.ipynb").read_bytes() == before
    said = capsys.readouterr().out
    assert "01_first.ipynb: 2 cells renewed" in said and f"my_notebooks/.course/backups/{backup.name}" in said


def test_progress_stays_and_is_in_the_backup(clones):
    progress = clones.folders.course / "progress.json"
    progress.write_text('{"version": 1}')
    fix_upstream(clones)
    assert clones.update() == 0
    assert progress.read_text() == (clones.backups()[0] / ".course" / "progress.json").read_text() == '{"version": 1}'


def test_a_second_update_changes_nothing(clones, capsys):
    edit(clones.mine(), predict_1="guess = 42")
    fix_upstream(clones, predict_1="my_guess = TODO")
    assert clones.update() == 0
    before = everything(clones.root / "my_notebooks")
    copies.temporary(clones.mine()).write_text("left by one that was interrupted")
    for arguments in ([], ["--no-fetch"]):
        capsys.readouterr()
        assert clones.update(*arguments) == 0
        assert everything(clones.root / "my_notebooks") == before
        assert "Your copies are up to date." in capsys.readouterr().out
    assert len(clones.backups()) == 1


@pytest.mark.parametrize("answered", [True, False])
def test_a_lesson_with_another_number_is_renamed_along(clones, capsys, answered):
    if answered:
        edit(clones.mine("02_second.ipynb"), predict_1="guess = 42")
    git(clones.upstream, "mv", "notebooks/02_second.ipynb", "notebooks/03_second.ipynb")
    write(clones.theirs("02_between.ipynb"), lesson())
    edit(clones.theirs("03_second.ipynb"), recap="Fixed.")
    clones.publish()
    assert clones.update() == 0
    assert sorted(path.name for path in clones.folders.copies.glob("*.ipynb")) == [
        "01_first.ipynb",
        "02_between.ipynb",
        "03_second.ipynb",
    ]
    said = sources(clones.mine("03_second.ipynb"))
    assert said["recap"] == "Fixed." and said["predict-1"] == ("guess = 42" if answered else "guess = TODO")
    assert sorted(path.name for path in clones.folders.bases.iterdir())[-1] == "03_second.ipynb"
    assert "03_second.ipynb: this lesson was called 02_second.ipynb" in capsys.readouterr().out
    assert copies.make(clones.folders) == []


def test_a_file_of_the_learners_own_under_the_new_name_stays(clones, capsys):
    write(clones.mine("03_second.ipynb"), [text("my-own-idea")])
    before = clones.mine("03_second.ipynb").read_bytes(), clones.mine("02_second.ipynb").read_bytes()
    git(clones.upstream, "mv", "notebooks/02_second.ipynb", "notebooks/03_second.ipynb")
    clones.publish()
    assert clones.update() == 0
    assert (clones.mine("03_second.ipynb").read_bytes(), clones.mine("02_second.ipynb").read_bytes()) == before
    said = capsys.readouterr().out
    assert "both stay" in said and "is not a copy of the lesson" in said


def test_a_new_lesson_comes_and_a_deleted_one_leaves_its_copy(clones, capsys):
    before = clones.mine("02_second.ipynb").read_bytes()
    git(clones.upstream, "rm", "--quiet", "notebooks/02_second.ipynb")
    write(clones.theirs("03_third.ipynb"), lesson())
    clones.publish()
    assert clones.update() == 0
    assert printed(clones.mine("03_third.ipynb")) == {}
    assert clones.mine("02_second.ipynb").read_bytes() == before
    said = capsys.readouterr().out
    assert "02_second.ipynb: this lesson is no longer part of the course" in said and "03_third.ipynb: a new" in said
    assert clones.update() == 0
    assert "02_second" not in capsys.readouterr().out  # said once


@pytest.mark.parametrize("broken", ["", '{"cells": [{"cell_type": "co', "\xff not text", "[]"])
def test_a_half_saved_copy_is_named_and_not_touched_and_the_others_go_on(clones, capsys, broken):
    for name in ("01_first.ipynb", "02_second.ipynb"):
        edit(clones.theirs(name), recap="Fixed.")
    git(clones.upstream, "mv", "notebooks/02_second.ipynb", "notebooks/03_second.ipynb")
    clones.publish()
    clones.mine("02_second.ipynb").write_bytes(broken.encode("latin-1"))
    assert clones.update() == 0  # what could be done was done, today and on every later day
    assert clones.mine("02_second.ipynb").read_bytes() == broken.encode("latin-1")
    assert not clones.mine("03_second.ipynb").exists()
    assert sources(clones.mine())["recap"] == "Fixed."
    said = capsys.readouterr().out
    assert "my_notebooks/02_second.ipynb is not a readable notebook" in said and "is renamed" not in said


@pytest.mark.parametrize("restored", [True, False])
def test_a_copy_from_a_backup_is_merged_with_its_own_base(clones, restored):
    edit(clones.mine(), predict_1="guess = 42")
    fix_upstream(clones, setup="import cmath", recap="Fixed.")
    assert clones.update() == 0
    if restored:
        clones.mine().write_bytes((clones.backups()[0] / "01_first.ipynb").read_bytes())
    fix_upstream(clones, title="# Another title")
    assert clones.update() == 0
    assert ids(clones.mine()) == [cell.id for cell in lesson()]
    said = sources(clones.mine())
    assert (said["title"], said["setup"], said["predict-1"]) == ("# Another title", "import cmath", "guess = 42")


def test_a_copy_whose_base_is_lost_keeps_everything_and_shows_what_differs(clones):
    edit(clones.mine(), predict_1="guess = 42")
    shutil.rmtree(clones.folders.course)
    fix_upstream(clones, recap="Fixed.")
    assert clones.update() == 0
    said = sources(clones.mine())
    assert said["predict-1"] == "guess = 42" and said["recap"] == "You saw a product."
    assert {"Fixed.", "guess = TODO"} <= set(said.values())


def test_no_second_update_at_the_same_time(clones, capsys):
    with filelock.FileLock(clones.folders.course / "update.lock"):
        assert clones.update() == 1
    assert "Another update" in capsys.readouterr().err


def test_an_open_jupyter_is_told_to_reload(clones, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path))
    server = {"pid": os.getpid(), "root_dir": str(clones.root), "url": "http://localhost:1/"}
    (tmp_path / "jpserver-1.json").write_text(json.dumps(server))
    fix_upstream(clones)
    assert clones.update() == 0
    assert "Reload Notebook from Disk" in capsys.readouterr().out

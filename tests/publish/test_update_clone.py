"""`make update` and the clone: no network, no clone, commits of one's own, and work that was left in notebooks/."""

import os
import shutil
import subprocess
import sys

import pytest

from publish.learner import copies, update
from tests.publish.clones import Clones, code, edit, everything, git, ids, lesson, printed, rearrange, run_cell, sources


@pytest.fixture
def clones(tmp_path):
    return Clones(tmp_path)


def commit(folder):
    git(folder, "commit", "--quiet", "--all", "--message=mine")


def head(folder):
    return git(folder, "rev-parse", "HEAD")


def refused(clones, capsys):
    """Run an update that must change nothing, and return what it says."""
    before, at = everything(clones.root), head(clones.root) if (clones.root / ".git").exists() else None
    assert clones.update() == 1
    after = everything(clones.root)
    for changing in (".git/FETCH_HEAD", ".git/index"):
        before.pop(changing, None)
        after.pop(changing, None)
    assert {name for name in after if not name.startswith(".git/")} == {
        name for name in before if not name.startswith(".git/")
    }
    assert all(after[name] == content for name, content in before.items() if not name.startswith(".git/"))
    assert at is None or head(clones.root) == at
    assert clones.backups() == []
    return capsys.readouterr().err


def test_no_network(clones, capsys):
    edit(clones.mine(), predict_1="guess = 42")
    edit(clones.left(), predict_1="guess = 42")
    shutil.move(clones.upstream, clones.upstream.with_name("away"))
    said = refused(clones, capsys)
    assert "could not be reached, so nothing was changed" in said and "git fetch says: " in said


@pytest.mark.parametrize("inside_another", [True, False])
def test_a_zip_has_nothing_to_fetch_and_takes_in_what_lies_there(clones, capsys, inside_another):
    shutil.rmtree(clones.root / ".git")
    if inside_another:
        git(clones.root.parent, "init", "--quiet")
        git(clones.root.parent, "commit", "--quiet", "--allow-empty", "--message=another project")
    before = everything(clones.root)
    assert clones.update() == 0
    said = capsys.readouterr().out
    assert "came as a zip file" in said and "nothing is fetched" in said and "Your copies are up to date." in said
    after = everything(clones.root)
    assert {name: after[name] for name in before} == before and clones.backups() == []
    edit(clones.mine(), predict_1="guess = 42")
    edit(clones.left(), recap="Fixed.")  # as a newer zip file has it
    assert clones.update() == 0
    said = sources(clones.mine())
    assert (said["predict-1"], said["recap"]) == ("guess = 42", "Fixed.")


def test_a_clone_that_git_does_not_read_is_not_called_a_zip(clones, capsys):
    (clones.root / ".git" / "HEAD").write_text("")
    assert clones.update() == 1
    said = capsys.readouterr().err
    assert "git cannot read this clone" in said and "git rev-parse says" in said and "zip" not in said


def arrived(clones, *names):
    """Put files of the new version into the clone, as git does before it notes the new commit."""
    for name in names:
        shutil.copy(clones.upstream / name, clones.root / name)


def fixed_with_more(clones):
    edit(clones.theirs(), recap="Fixed.")
    edit(clones.theirs("02_second.ipynb"), recap="Fixed.")
    (clones.upstream / "helper.py").write_text("new\n")
    (clones.upstream / "requirements.txt").write_text("torch\nnumpy\n")
    clones.publish()


def test_killed_while_git_moves_forward(clones, capsys):
    edit(clones.mine(), predict_1="guess = 42")
    edit(clones.left("02_second.ipynb"), predict_1="guess = 43")
    fixed_with_more(clones)
    arrived(clones, "requirements.txt", "helper.py", "notebooks/01_first.ipynb")
    assert clones.update() == 0
    said = capsys.readouterr().out
    assert "own copies now:\n02_second.ipynb: 1 cell renewed\nNew commits" in said  # only what the learner did
    for name, guess in (("01_first.ipynb", "guess = 42"), ("02_second.ipynb", "guess = 43")):
        assert (sources(clones.mine(name))["predict-1"], sources(clones.mine(name))["recap"]) == (guess, "Fixed.")
    assert git(clones.root, "status", "--porcelain") == "" and (clones.root / "helper.py").read_text() == "new\n"


def test_a_lock_that_a_killed_git_left_is_named_and_no_backup_is_made_twice(clones, capsys):
    edit(clones.left("02_second.ipynb"), predict_1="guess = 43")
    lock = clones.root / ".git" / "index.lock"
    lock.touch()
    fixed_with_more(clones)
    said = refused_but_lock(clones, capsys)
    assert f"delete {lock}, then run this again." in said and "disk" not in said and not clones.backups()


def test_an_update_that_is_stopped_again_and_again_makes_one_backup(clones, capsys, monkeypatch):
    edit(clones.mine(), predict_1="guess = 42")
    fixed_with_more(clones)
    with monkeypatch.context() as stopped:
        stopped.setattr(copies, "put_in_place", lambda *_: os.stat(""))  # the disk fails among the copies
        assert clones.update() == 1 and clones.backups()
        stopped.setattr(update.Update, "_apply", lambda *_: sys.exit("stopped"))
        for _ in range(2):
            with pytest.raises(SystemExit):
                clones.update()
    assert clones.update() == 0 and len(clones.backups()) == 1
    assert clones.backups()[0].name in capsys.readouterr().out


def test_the_first_update_of_a_new_clone_speaks_of_no_backup(clones, capsys):
    shutil.rmtree(clones.root / "my_notebooks")
    assert clones.update() == 0 and "What you had before" not in capsys.readouterr().out and not clones.backups()


def test_without_git_installed(clones, capsys, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert clones.update() == 1
    assert "git is not installed" in capsys.readouterr().err


def test_a_clone_that_follows_no_branch(clones, capsys):
    git(clones.root, "switch", "--quiet", "--create", "mine")
    assert "does not follow a branch of the course" in refused(clones, capsys)


def test_files_of_ones_own_in_the_way_are_named(clones, capsys):
    (clones.upstream / "helper.py").write_text("new\n")
    (clones.upstream / "requirements.txt").write_text("torch\nnumpy\n")
    clones.publish()
    (clones.root / "helper.py").write_text("mine\n")
    (clones.root / "other.py").write_text("mine\n")
    (clones.root / "requirements.txt").write_text("mine\n")
    edit(clones.left(), predict_1="guess = 42")
    said = refused(clones, capsys)
    assert said.splitlines()[1:] == [
        "Files you changed: copy what you need to another place, then undo your changes:",
        "    git restore --staged --worktree requirements.txt",
        "Files you made: move them to another place:",
        "    helper.py",
        "Then run this again.",
    ]


@pytest.mark.parametrize("what", ["merge", "rebase"])
def test_a_merge_that_was_begun_is_named_and_its_way_out_works(clones, capsys, what):
    edit(clones.left(), predict_1="guess = 42")
    commit(clones.root)
    edit(clones.theirs(), predict_1="my_guess = TODO")
    clones.publish()
    git(clones.root, "fetch", "--quiet")
    with pytest.raises(subprocess.CalledProcessError):
        git(clones.root, what, "origin/main")
    assert clones.update() == 1
    assert f"git {what} --abort. Then run this again." in capsys.readouterr().err
    git(clones.root, what, "--abort")
    assert clones.update() == 1 and "1 commit of its own" in capsys.readouterr().err
    assert sources(clones.left())["predict-1"] == "guess = 42"


def test_commits_of_ones_own_beside_new_ones_and_the_way_out(clones, capsys):
    edit(clones.left(), predict_1="guess = 42")
    commit(clones.root)
    assert clones.update() == 0  # nothing new upstream: they are in nobody's way
    assert sources(clones.mine())["predict-1"] == "guess = 42"
    shutil.rmtree(clones.folders.copies)
    edit(clones.theirs(), recap="Fixed.")
    clones.publish()
    said = refused_but_lock(clones, capsys)
    assert "1 commit of its own" in said and "origin/main has 1 commit" in said
    lines = [line.strip() for line in said.splitlines() if line.startswith("    ")]
    assert lines[-1] == "python3 start.py update"
    for line in lines[:-1]:  # as the learner would: the advice must work
        base = git(clones.root, "merge-base", "HEAD", "@{upstream}").strip()
        git(clones.root, *line.replace("$(git merge-base HEAD @{upstream})", base).split()[1:])
    assert clones.update() == 0
    said = sources(clones.mine())
    assert (said["predict-1"], said["recap"]) == ("guess = 42", "Fixed.")
    assert git(clones.root, "status", "--porcelain") == ""
    assert head(clones.root) == head(clones.upstream)


def refused_but_lock(clones, capsys):
    capsys.readouterr()
    assert clones.update() == 1
    return capsys.readouterr().err


@pytest.mark.parametrize("with_copies", [True, False])
def test_work_left_in_notebooks_moves_to_the_copies(clones, capsys, with_copies):
    if with_copies:
        edit(clones.mine(), ask_1="My own question?", setup="import cmath")
    else:
        shutil.rmtree(clones.folders.copies)
    edit(clones.left(), predict_1="guess = 42", setup="import math as m")
    run_cell(clones.left(), "predict-1", "You said 42.\n")
    rearrange(clones.left(), lambda cells: [*cells[:4], code("mine-1", "guess + 1"), *cells[4:]])
    was = clones.left().read_bytes()
    edit(clones.left("02_second.ipynb"))  # opened only
    edit(clones.theirs(), recap="Fixed.")
    edit(clones.theirs("02_second.ipynb"), recap="Fixed.")
    clones.publish()
    assert clones.update() == 0
    said = sources(clones.mine())
    assert (said["predict-1"], said["mine-1"], said["recap"]) == ("guess = 42", "guess + 1", "Fixed.")
    assert [words for words in printed(clones.mine()).values() if words] == ["You said 42.\n"]
    if with_copies:
        assert (said["ask-1"], said["setup"]) == ("My own question?", "import cmath")
        below = ids(clones.mine())[ids(clones.mine()).index("setup") + 1 :][:2]
        assert "from there" in said[below[0]] and said[below[1]] == "import math as m"
    else:
        assert ids(clones.mine()) == ["title", "setup", "ask-1", "predict-1", "mine-1", "run-1", "recap"]
        assert said["setup"] == "import math as m"
    assert ids(clones.mine("02_second.ipynb")) == [cell.id for cell in lesson()]
    assert git(clones.root, "status", "--porcelain") == "" and head(clones.root) == head(clones.upstream)
    (backup,) = clones.backups()
    assert (backup / "notebooks" / "01_first.ipynb").read_bytes() == was
    assert "is in your own copies now:\n01_first.ipynb: " in capsys.readouterr().out


def test_a_notebook_that_was_only_opened_counts_as_unchanged(clones, capsys):
    edit(clones.left())
    run_cell(clones.left(), "run-1", "42 here\n")
    before = clones.mine().read_bytes()
    edit(clones.theirs("02_second.ipynb"), recap="Fixed.")
    clones.publish()
    assert clones.update() == 0
    assert clones.mine().read_bytes() == before
    assert "in your own copies now" not in capsys.readouterr().out


def test_a_half_saved_published_notebook_goes_to_the_backup_as_it_is(clones, capsys):
    clones.left().write_text('{"cells": [')
    clones.left("02_second.ipynb").unlink()
    edit(clones.theirs(), recap="Fixed.")
    clones.publish()
    assert clones.update() == 0
    (backup,) = clones.backups()
    assert (backup / "notebooks" / "01_first.ipynb").read_text() == '{"cells": ['
    assert sources(clones.left())["recap"] == sources(clones.mine())["recap"] == "Fixed."
    assert clones.left("02_second.ipynb").exists()
    assert "notebooks/01_first.ipynb is not a readable notebook" in capsys.readouterr().out

"""Updates on a class server: what a learner has done stays, what the teacher publishes comes, by git and by cell id."""

import json
import os
import shutil
import subprocess
import sys

import nbformat
import pytest

from classroom.server import settings, start
from publish.learner import pull
from tests.conftest import ROOT

LESSON = "01_linear_limits.ipynb"
ANSWER = "ex-1-check"


class Class:
    """A teacher's clone of the course, what the server makes of it, and one learner."""

    def __init__(self, folder):
        self.teacher, self.folder, self.home = folder / "teacher", folder / "class", folder / "home"
        self.learner = self.home / settings.NAME
        self.home.mkdir()
        files = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for name in filter(None, files.split("\0")):
            if (ROOT / name).is_file():
                (self.teacher / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / name, self.teacher / name)
        self.git("init", "--quiet", "--initial-branch=main")
        self.publish()

    def git(self, *arguments):
        subprocess.run(["git", "-C", str(self.teacher), *arguments], check=True, capture_output=True)

    def publish(self):
        self.git("add", "--all")
        self.course = start.publish_course(self.folder, self.teacher)

    def pull(self):
        """Do what happens before a learner's server starts; return (exit code, what it complained of)."""
        environment = os.environ | {
            "PYTHONPATH": os.pathsep.join([str(self.course), str(self.folder / "left_out")]),
            "GIT_CONFIG_GLOBAL": str(self.folder / "gitconfig"),
            "HOME": str(self.home),
        }
        command = [sys.executable, "-m", "publish.learner.pull", str(self.folder / "course.git"), settings.NAME]
        done = subprocess.run(command, cwd=self.home, env=environment, capture_output=True, text=True)
        return done.returncode, done.stderr

    def edit(self, path, change):
        notebook = nbformat.read(path, as_version=4)
        change(notebook)
        nbformat.write(notebook, path)

    def copy(self, name=LESSON):
        return nbformat.read(self.learner / "my_notebooks" / name, as_version=4)


@pytest.fixture(scope="module")
def first_day(tmp_path_factory):
    made = Class(tmp_path_factory.mktemp("class"))
    assert made.pull() == (0, "")
    return made


def cell(notebook, id):
    return next(one for one in notebook.cells if one.id == id)


def test_updates_keep_the_learners_work(first_day):
    one, mine = first_day, first_day.learner / "my_notebooks"
    assert len(list(mine.glob("*.ipynb"))) == len(list((ROOT / "notebooks").glob("*.ipynb")))
    assert not list(one.learner.rglob("solutions.py")) and not (one.learner / "classroom").exists()

    # what a learner does
    def answer(notebook):
        cell(notebook, ANSWER).source = "my_answer = 42"
        notebook.cells.append(nbformat.v4.new_code_cell("1 + 1  # of my own"))

    one.edit(mine / LESSON, answer)
    (one.learner / "notebooks" / "02_relu_vs_gelu.ipynb").unlink()
    (mine / ".course" / "progress.json").write_text(json.dumps({"mine": 1}))
    (one.learner / "README.md").write_text("scribbled over", encoding="utf-8")

    # what the teacher does: mends a lesson, adds one, and deletes a file
    def mend(notebook):
        cell(notebook, "recap").source += "\n\nA sentence that was mended."

    one.edit(one.teacher / "notebooks" / LESSON, mend)
    shutil.copy(one.teacher / "notebooks" / LESSON, one.teacher / "notebooks" / "12_new.ipynb")
    (one.teacher / "docs" / "which_bank.png").unlink()
    one.publish()
    assert one.pull() == (0, "")

    merged = one.copy()
    assert cell(merged, ANSWER).source == "my_answer = 42" and merged.cells[-1].source == "1 + 1  # of my own"
    assert cell(merged, "recap").source.endswith("A sentence that was mended.")
    assert (mine / "12_new.ipynb").exists() and not (one.learner / "docs" / "which_bank.png").exists()
    assert (one.learner / "notebooks" / "02_relu_vs_gelu.ipynb").exists()  # deleted by the learner: it comes back
    assert json.loads((mine / ".course" / "progress.json").read_text()) == {"mine": 1}
    assert list((mine / ".course" / "backups").iterdir())
    assert (one.learner / "README.md").read_text(encoding="utf-8") == "scribbled over"

    # nothing is new: nothing is done
    (one.learner / ".git" / "HEAD").rename(one.learner / ".git" / "gone")  # whoever asks git now, fails
    assert one.pull() == (0, "")
    (one.learner / ".git" / "gone").rename(one.learner / ".git" / "HEAD")


def test_what_failed_is_told_and_tried_again(first_day):
    one, path = first_day, first_day.learner / "my_notebooks" / LESSON
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[: len(whole) // 2], encoding="utf-8")  # saved by half
    one.edit(one.teacher / "notebooks" / LESSON, lambda notebook: cell(notebook, "recap").update(source="Once more."))
    one.publish()
    code, said = one.pull()
    assert code == 0 and "The new lessons could not be merged" in said and LESSON in said
    assert path.read_text(encoding="utf-8") == whole[: len(whole) // 2]
    path.unlink()
    os.mkfifo(path)  # reading from it would never end
    assert one.pull()[0] == 0
    path.unlink()
    path.write_text(whole, encoding="utf-8")
    assert one.pull() == (0, "")
    assert cell(one.copy(), "recap").source == "Once more." and cell(one.copy(), ANSWER).source == "my_answer = 42"


def test_without_the_repository_a_learner_works_on_but_nobody_begins(first_day, tmp_path, capsys):
    assert pull.main([str(tmp_path / "none.git"), str(first_day.learner)]) == 0
    assert "cannot be read" in capsys.readouterr().err
    assert pull.main([str(tmp_path / "none.git"), str(tmp_path / "new")]) == 1

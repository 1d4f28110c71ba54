"""What the course tells in a terminal, and what its first cell tells, run as it is told: in a clone in that state.

The clone has the course's own Makefile and launcher, on small lessons. Which text is run here: see tests/test_told.py.
"""

import contextlib
import copy
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import venv
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

from course_lib import environment
from publish import copies
from tests.conftest import NOTEBOOKS, ROOT
from tests.publish.clones import IGNORED, Clones, edit, equip, git, ids, sources

COURSE = (
    "Makefile",
    "start.py",
    "course_lib",
    "lessons",
    "whywrong",
    "publish",
    "config",
    "constraints.txt",
    "pyproject.toml",
)
ANSWER = "guess = 42"


class Course(Clones):
    """A clone in which every command of a learner runs; `say` types one and returns what it prints."""

    def __init__(self, folder):
        super().__init__(folder, names=("00_start_here.ipynb", "01_first.ipynb"))
        (self.upstream / ".gitignore").write_text(f"{IGNORED}\n.venv/\n__pycache__/\n")
        (self.upstream / "requirements.txt").write_text("filelock\n")
        for name in COURSE:
            copied = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copied(ROOT / name, self.upstream / name)
        self.publish()
        self.settle(folder)
        self.say("git pull --quiet")
        equip(self.root)
        self.say("make update")

    def settle(self, folder):
        """Take a folder for everything that belongs to the learner."""
        self.settings = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS", "ARGS"))},
            "HOME": str(folder),
            "BROWSER": "true",
            "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
            "JUPYTER_CONFIG_DIR": str(folder / "settings"),
            "GIT_CONFIG_GLOBAL": str(folder / "gitconfig"),
        }
        (folder / "gitconfig").write_text("[user]\n\tname = A Learner\n\temail = learner@example.org\n")

    def copied(self, folder):
        """Return a copy in another folder, files as old as here."""
        made = copy.copy(self)
        made.upstream, made.root = folder / "upstream", folder / "clone"
        for old, new in ((self.upstream, made.upstream), (self.root, made.root)):
            shutil.copytree(old, new, symlinks=True)
        made.folders = copies.Folders(made.root)
        made.settle(folder)
        equip(made.root)
        git(made.root, "remote", "set-url", "origin", str(made.upstream))
        return made

    def say(self, *lines, folder=None, fails=False):
        """Type lines into a shell in the clone, and return what is shown there; the last one works, or fails."""
        done = subprocess.run(
            ["sh", "-ec", "\n".join(lines)],
            cwd=folder or self.root,
            env=self.settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        assert (done.returncode != 0) is fails, done.stdout
        return done.stdout

    def press(self, process):
        """Press Ctrl+C twice, as a person does; and again where the first one came while the server still began."""
        for _ in range(4):
            for _ in range(2):  # two that arrive at once are one signal
                os.killpg(process.pid, signal.SIGINT)
                time.sleep(1)
                if process.poll() is not None:
                    return
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=20)
                return
        raise AssertionError("Ctrl+C, four times twice, does not stop it")

    def lab(self, folder=None):
        """Type `make lab`, wait until it says how to stop, stop it in that way, and return what it printed."""
        process = subprocess.Popen(
            ["make", "lab"],
            cwd=folder or self.root,
            env=self.settings,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        said = []
        try:
            for line in process.stdout:
                said.append(line)
                if line.startswith("To stop: press Ctrl+C here, twice."):
                    break
            self.press(process)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.stdout.close()
            process.wait()
        assert said and said[-1].startswith("To stop"), "".join(said)
        return "".join(said)


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    return Course(tmp_path_factory.mktemp("prepared"))


@pytest.fixture
def course(prepared, tmp_path):
    return prepared.copied(tmp_path)


def told(said, begin) -> list[str]:
    """Return the commands in a message that begin with a word, each as it is marked: in backticks, or on its line."""
    marked = re.findall(rf"`({begin} [^`]+)`", said)
    return marked + [line for line in re.findall(rf"(?:^ +|: )({begin} [^\n`]+?)\.?(?: Then .*)?$", said, re.MULTILINE)]


def changed_upstream(course, name="Makefile"):
    """Change a lesson upstream, and a file that is none."""
    edit(course.theirs(), recap="Fixed.")
    with open(course.upstream / name, "a", encoding="utf-8") as file:
        file.write("# more\n")
    course.publish()


def test_a_clone_that_follows_no_branch(course):
    course.say("git switch --quiet --create mine")
    changed_upstream(course)
    ways = told(course.say("make update", fails=True), "git")
    assert [way.split()[1] for way in ways] == ["switch", "branch"]
    for way in ways:
        course.say("git switch --quiet mine", way, "make update")
        assert sources(course.mine())["recap"] == "Fixed."
        course.say("git switch --quiet main", "git branch --quiet --unset-upstream mine || true")


@pytest.mark.parametrize("who", ["a learner", "a learner who changed what the course changed", "one who develops it"])
def test_commits_of_ones_own(course, who):
    edit(course.left(), predict_1=ANSWER)
    name = "Makefile" if "what the course changed" in who else "mine.txt"
    with open(course.root / name, "a", encoding="utf-8") as file:
        file.write("# mine\n")
    course.say("git add --all", "git commit --quiet --message=mine")
    changed_upstream(course)
    said = course.say("make update", fails=True)
    if who == "one who develops it":
        (rebase,) = [line for line in told(said, "git") if "rebase" in line]
        course.say(rebase, "make update")
        return
    *lines, update = [line.strip() for line in said.splitlines() if line.startswith("    ")]
    assert len(lines) == 2 and update == "python3 start.py update"
    course.say(*lines)
    if name == "Makefile":
        course.say(*told(course.say(update, fails=True), "git"))
    course.say(update)
    assert sources(course.mine())["recap"] == "Fixed." and sources(course.mine())["predict-1"] == ANSWER
    assert "# mine" in course.say(f"git show my-commits:{name}")
    course.say("make update")


def test_files_in_the_way(course):
    """Changed, changed and staged, deleted, added, made; one has a space in its name."""
    for name in ("one.txt", "two of them.txt", "three.txt"):
        (course.upstream / name).write_text("theirs\n")
    course.publish()
    course.say("make update")
    for name in ("one.txt", "two of them.txt", "three.txt", "added.txt", "made.txt"):
        (course.upstream / name).write_text("new\n")
    course.publish()
    for name in ("one.txt", "two of them.txt", "added.txt", "made.txt"):
        (course.root / name).write_text("mine\n")
    (course.root / "three.txt").unlink()
    course.say("git add added.txt 'two of them.txt'")
    said = course.say("make update", fails=True)
    restore = told(said, "git restore")
    assert len(restore) == 4
    made = said.splitlines()[said.splitlines().index("Files you made: move them to another place:") + 1].strip()
    course.say(*restore, f"mv {shlex.quote(made)} ..")
    course.say("make update")
    assert {(course.root / name).read_text() for name in ("one.txt", "two of them.txt", "made.txt")} == {"new\n"}


@pytest.mark.parametrize("what", ["merge", "rebase"])
def test_what_was_begun(course, what):
    edit(course.left(), predict_1=ANSWER)
    course.say("git commit --quiet --all --message=mine")
    edit(course.theirs(), predict_1="my_guess = TODO")
    course.publish()
    course.say("git fetch --quiet", f"git {what} origin/main", fails=True)
    (abort,) = told(course.say("make update", fails=True), "git")
    assert "begun" not in course.say(abort, "make update", fails=True)


def test_a_damaged_copy_of_a_lesson_that_was_done_elsewhere(course):
    edit(course.left(), predict_1=ANSWER)
    changed_upstream(course)
    course.mine().write_text("{")
    assert "Rename that copy, then run this again." in course.say("make update", fails=True)
    course.mine().rename(course.mine("broken.ipynb"))
    course.say("make update")
    assert sources(course.mine())["predict-1"] == ANSWER


def test_a_newer_zip_file(course):
    edit(course.mine(), predict_1=ANSWER)
    changed_upstream(course)
    for folder in (course.root, course.upstream):
        shutil.rmtree(folder / ".git")
    said = course.say("make update")
    assert "unpack a newer zip file next to this folder, move your folder my_notebooks there" in said
    new = course.root.parent / "new"
    shutil.copytree(course.upstream, new)
    shutil.move(course.folders.copies, new / "my_notebooks")
    equip(new)
    course.say("make update", folder=new)
    found = sources(new / "my_notebooks" / "01_first.ipynb")
    assert (found["predict-1"], found["recap"]) == (ANSWER, "Fixed.")


def test_an_old_line_of_import(course):
    """It is told what the lessons are called now; `make update` writes the new line where the cell is as published."""
    old = "from course_lib.lessons.start_here import solutions"
    done = subprocess.run([sys.executable, "-c", old], capture_output=True, text=True)
    assert "where `from course_lib.lessons.` stands. `python3 start.py update` does it" in done.stderr
    new = old.replace("course_lib.lessons", "lessons")
    assert subprocess.run([sys.executable, "-c", new], capture_output=True, text=True).stderr == ""
    edit(course.theirs(), setup=old)
    course.publish()
    course.say("make update")
    assert sources(course.mine())["setup"] == old
    edit(course.theirs(), setup=new)
    course.publish()
    course.say("make update")
    assert sources(course.mine())["setup"] == new


def test_the_next_lab(course):
    """It installs what is new, makes a new copy for a damaged one that was renamed, and names the update."""
    edit(course.theirs(), recap="Fixed.")
    (course.upstream / "requirements.txt").write_text("filelock\npsutil\n")
    course.publish()
    course.mine("00_start_here.ipynb").write_text("{")
    said = course.say("make update")
    assert "the next start installs them." in said
    assert "00_start_here.ipynb is not a readable notebook" in said and "Rename it, and the next start makes" in said
    course.mine("00_start_here.ipynb").rename(course.mine("broken.ipynb"))
    edit(course.theirs(), recap="Fixed again.")
    course.publish()
    course.say("git pull --quiet")
    said = course.lab()
    assert "Installing the packages in requirements.txt" in said
    assert ids(course.mine("00_start_here.ipynb")) and "00_start_here.ipynb. They are yours" in said
    (update,) = told(said, "python3")
    course.say(update)
    assert sources(course.mine())["recap"] == "Fixed again."


def test_run_all_after_a_merge_ends_with_the_learners_own(course):
    edit(course.mine(), predict_1=ANSWER)
    edit(course.theirs(), predict_1="guess = 0")
    course.publish()
    assert "yours kept, the other version below it: predict-1" in course.say("make update")
    notebook = nbformat.read(course.mine(), as_version=4)
    assert any("guess = 0" in cell.source for cell in notebook.cells)
    names = {}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            exec(cell.source, names)
    assert names["guess"] == 42


@pytest.mark.parametrize("alone", [False, True])
def test_the_first_cell(tmp_path, monkeypatch, alone):
    """In a kernel whose Python lacks the course the first cell says what to type, there or alone in a folder."""
    root = tmp_path / "the course"
    listed = git(
        ROOT,
        "ls-files",
        "--",
        "course_lib",
        "lessons",
        "whywrong",
        "notebooks",
        "*.txt",
        "*.toml",
        "LICENSE",
        "README.md",
    )
    for name in listed.splitlines():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, root / name)
    own = tmp_path / "own python"
    venv.create(own, symlinks=os.name != "nt")
    (packages,) = own.glob("lib/*/site-packages")
    installed = Path(nbformat.__file__).parents[1]
    (packages / "those_of_the_tests.pth").write_text(f"{installed}\n")  # all but the course, which is a .pth itself
    kernels = tmp_path / "share" / "jupyter" / "kernels" / "own"
    kernels.mkdir(parents=True)
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "share" / "jupyter"))
    argv = [str(own / "bin" / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (kernels / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "own"}))

    resources = {"metadata": {"path": tmp_path if alone else root / "notebooks"}}

    def said(*cells):
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
        client = NotebookClient(notebook, kernel_name="own", timeout=300, allow_errors=True, resources=resources)
        client.execute(env={**os.environ, "COURSE_PROGRESS": str(tmp_path / "progress.json")})
        return notebook.cells[-1].outputs

    setup = next(
        c.source for c in nbformat.read(NOTEBOOKS / "01_linear_limits.ipynb", as_version=4).cells if c.id == "setup"
    )
    (error,) = said(setup)
    show = "print(course_lib.__file__)"
    if alone:
        assert "This notebook is one file of a course" in error.evalue and "../" not in error.evalue
        git(root, "init", "--quiet")
        git(root, "add", ".")
        git(root, "commit", "--quiet", "-m", "All")
        where = said(error.evalue.partition("\n\n")[2].replace("ADDRESS", f"'{root}'"), setup, show)
        assert where[0].text.startswith(str(packages))
    else:
        assert error.evalue == environment.FIX
        said(error.evalue.rpartition(": ")[2])
        assert said(setup, show)[0].text.strip() == str(root / "course_lib" / "__init__.py")

"""Stop an update before each of its steps in turn, run it again, and compare with one that was not interrupted."""

import copy
import os
import shutil
from pathlib import Path

from publish.learner import copies
from publish.learner.checkout import Checkout
from tests.publish.clones import Clones, code, edit, everything, git, lesson, rearrange, sources, write

ANSWERS = {
    "01_first.ipynb": "guess = 42",  # in the copy
    "02_second.ipynb": "guess = 43",  # in notebooks/, never committed
    "03_third.ipynb": "guess = 44",  # in the copy of a lesson that gets another number
    "04_fourth.ipynb": "guess = 45",  # in the copy of a lesson that goes
}
CHANGING = [(os, "replace"), (os, "rename"), (os, "unlink")]
CHANGING_GIT = ("fetch", "checkout", "merge")


def scenario(folder: Path) -> Clones:
    """Make two clones between which everything has happened that an update handles."""
    clones = Clones(folder, tuple(ANSWERS))
    for name, answer in ANSWERS.items():
        edit(clones.left(name) if name == "02_second.ipynb" else clones.mine(name), predict_1=answer)
    edit(clones.mine("02_second.ipynb"), predict_1="guess = 40")
    rearrange(clones.mine(), lambda cells: [cells[-1], code("mine-1", "guess + 1"), *cells[:-1]])
    (clones.folders.course / "progress.json").write_text('{"version": 1}')
    edit(clones.theirs(), predict_1="my_guess = TODO", setup="import cmath")
    edit(clones.theirs("02_second.ipynb"), predict_1="my_guess = TODO", setup="import cmath")
    rearrange(clones.theirs(), lambda cells: [cells[2], *cells[:2], *cells[3:]])
    git(clones.upstream, "mv", "notebooks/03_third.ipynb", "notebooks/05_third.ipynb")
    edit(clones.theirs("05_third.ipynb"), recap="Fixed.")
    git(clones.upstream, "rm", "--quiet", "notebooks/04_fourth.ipynb")
    write(clones.theirs("03_new.ipynb"), lesson())
    clones.publish()
    return clones


def stopped_before_each_step(clones: Clones, folder: Path, monkeypatch) -> list[Clones]:
    """Run the update; return what lay on the disk before each of its steps: what a process killed there leaves."""
    found = []

    def kept_before(function, counts=lambda arguments: True):
        def step(*arguments, **named):
            if counts(arguments):
                left = copy.copy(clones)
                left.root = folder / str(len(found)) / "clone"
                left.folders = copies.Folders(left.root)
                shutil.copytree(clones.root, left.root, symlinks=True)
                found.append(left)
            return function(*arguments, **named)

        return step

    with monkeypatch.context() as patched:
        for owner, name in CHANGING:
            patched.setattr(owner, name, kept_before(getattr(owner, name)))
        patched.setattr(Checkout, "git", kept_before(Checkout.git, lambda arguments: arguments[1] in CHANGING_GIT))
        assert clones.update() == 0
    return found


def outcome(clones: Clones) -> dict[str, object]:
    """Return everything that an update must leave behind in one way only."""
    found = everything(clones.folders.copies)
    found["state of the clone"] = git(clones.root, "status", "--porcelain") + git(clones.root, "rev-parse", "HEAD")
    return found


def lost(clones: Clones) -> list[str]:
    """Return the answers that are nowhere to be found, and the copies that are no whole notebooks."""
    texts, problems = [], []
    for path in [*clones.folders.copies.glob("*.ipynb"), *clones.folders.published.glob("*.ipynb")]:
        if not path.name.startswith("."):
            try:
                copies.read(path)
                texts += sources(path).values()
            except copies.Unreadable as error:
                problems.append(f"{path.name}: {error}")
    return problems + [answer for answer in [*ANSWERS.values(), "guess = 40", "guess + 1"] if answer not in texts]


def test_interrupted_before_any_step_it_can_be_run_again(tmp_path, monkeypatch):
    whole = scenario(tmp_path)
    stopped = stopped_before_each_step(whole, tmp_path / "stopped", monkeypatch)
    assert len(stopped) > 12  # a step that is not reached proves nothing
    expected = outcome(whole)
    assert lost(whole) == []
    for number, clones in enumerate(stopped):
        git(clones.root, "status")  # the index knows the copied files again
        assert lost(clones) == [], f"stopped before step {number}"
        assert clones.update() == 0, f"the second update, stopped before step {number}"
        assert outcome(clones) == expected, f"stopped before step {number}"

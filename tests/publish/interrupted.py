"""Kill an update before each of its steps in turn, run it again, and compare with one that was not interrupted.

Usage: python -m tests.publish.interrupted FOLDER        (FOLDER is empty; what goes wrong is printed)

A process of its own: it forks, which a test runner with threads must not do.
"""

import contextlib
import io
import os
import shutil
import signal
import sys
from pathlib import Path

from publish import copies
from publish.checkout import Checkout
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


def forked(function) -> int:
    """Run a function in a process of its own; return its result, or minus the signal that ended it."""
    child = os.fork()
    if child == 0:
        with contextlib.redirect_stdout(io.StringIO()):
            os._exit(function())
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def killed_at(number: int, clones: Clones) -> int:
    """Run the update, and kill the process when it comes to its step with that number."""
    left = [number]

    def deadly(function, counts=lambda arguments: True):
        def step(*arguments, **named):
            left[0] -= counts(arguments)
            if left[0] < 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return function(*arguments, **named)

        return step

    for owner, name in CHANGING:
        setattr(owner, name, deadly(getattr(owner, name)))
    Checkout.git = deadly(Checkout.git, lambda arguments: arguments[1] in CHANGING_GIT)
    return clones.update()


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


def main(folder: Path) -> int:
    """Try every step; return the number of problems."""
    prepared = scenario(folder)
    before, problems, number = folder / "before", [], 0
    shutil.move(prepared.root, before)

    def fresh():
        shutil.rmtree(prepared.root, ignore_errors=True)
        shutil.copytree(before, prepared.root, symlinks=True)
        git(prepared.root, "status")  # the index knows the new files again

    fresh()
    if forked(prepared.update):
        problems.append("the update fails")
    expected = outcome(prepared)
    problems += [f"lost {one}" for one in lost(prepared)]
    while True:
        fresh()
        ended = forked(lambda number=number: killed_at(number, prepared))
        if ended == 0:
            break
        if ended != -signal.SIGKILL:
            problems.append(f"step {number}: the update ends with {ended}")
            break
        problems += [f"step {number}: lost {one}" for one in lost(prepared)]
        if forked(prepared.update):
            problems.append(f"step {number}: the second update fails")
        now = outcome(prepared)
        differ = [name for name in {*now, *expected} if now.get(name) != expected.get(name)]
        problems += [f"step {number}: {name} differs" for name in differ]
        number += 1
    print(f"killed at {number} steps", *problems, sep="\n")
    return len(problems)


if __name__ == "__main__":
    sys.exit(bool(main(Path(sys.argv[1]))))

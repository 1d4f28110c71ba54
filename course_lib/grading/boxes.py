"""Black boxes to be named: they are dealt shuffled, and a wrong name is told with the experiment that shows it."""

import weakref
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from course_lib.content import Case, Mistake
from course_lib.grading.compare import one_of


class Recipe(NamedTuple):
    """What a box is: the name it must be given, its function, and how to tell it from the others."""

    name: str
    compute: Callable
    tell: str


_MADE = weakref.WeakKeyDictionary()  # what each box is, in words, and its recipe; the box itself does not tell


def made_as(box) -> str:
    """Return what a box is, in words."""
    return _MADE[box][0]


def compute_of(box) -> Callable:
    """Return the function of a box, for its `__call__`."""
    return _MADE[box][1].compute


class Deal:
    """A set of boxes, and the names to choose from.

    Args:
        kind: the class of a box; its `__call__` reads the arguments and calls `compute_of(self)`.
        recipes: every box, by what it is in words for the learner.
        names: all names that can be given.
    """

    def __init__(self, kind: type, recipes: dict[str, Recipe], names: tuple[str, ...]):
        self.kind, self.recipes, self.names = kind, recipes, names

    def cases(self, rng: np.random.Generator) -> list[Case]:
        """Return one case that holds one box of every recipe, in random order."""
        boxes = []
        for which in map(str, rng.permutation(list(self.recipes))):
            boxes.append(self.kind())
            _MADE[boxes[-1]] = which, self.recipes[which]
        return [Case((boxes,))]

    def inspect(self, answer, case: Case) -> str | None:
        """Let the answer name every box; of several wrong names, the first in the order of the recipes is reported."""
        named = {made_as(box): one_of(answer(box), self.names) for box in case.args[0]}
        if len(set(named.values())) == 1:
            return _all_named(*set(named.values()))
        wrong = (which for which, box in self.recipes.items() if named[which] != box.name)
        return next((_named(which, named[which]) for which in wrong), None)

    def mistakes(self) -> tuple[Mistake, ...]:
        """Return every wrong way to name: one name for all boxes, and one box taken for another."""
        words = "but they are of several kinds: let the name depend on what f returns."
        found = [
            Mistake(_all_named(name), lambda box, name=name: name, f"Every box got the same name, {name!r}, {words}")
            for name in self.names
        ]
        for which, box in self.recipes.items():
            kind = "A correct box" if box.name == "correct" else "A box with a bug"
            detail = "" if which == "correct" else f" ({which})"
            found += [
                Mistake(
                    _named(which, name), self._confusing(which, name), f"{kind}{detail} was named {name!r}: {box.tell}"
                )
                for name in self.names
                if name != box.name
            ]
        return tuple(found)

    def _confusing(self, which, name):
        """Make an answer that names every box rightly, except that it takes one for another."""
        return lambda box: name if made_as(box) == which else self.recipes[made_as(box)].name


def _all_named(name):
    return f"all-{name}".replace(" ", "-")


def _named(which, name):
    which = which.replace(",", "").replace("/", "-").replace("−", "minus")
    return f"{which}-as-{name}".replace(" ", "-")

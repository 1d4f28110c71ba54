"""Black boxes to be judged: what each of them is stands here and not in the box, which does not tell."""

import weakref
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from whywrong.form import one_of
from whywrong.task import Case, Mistake

_MADE = weakref.WeakKeyDictionary()  # the recipe of each box


class Recipe(NamedTuple):
    """What a box is.

    words: for the learner: "a layer with a bias"; right: what is to be found out about it, such as its name.
    compute: its function.
    tell: what tells it from the others ("what is f of a row of zeros?"); none where it is never said what the box is.
    """

    words: str
    right: object
    compute: Callable
    tell: str = ""


class Box:
    """A black box; the `__call__` of its kind reads the arguments and calls `recipe_of(self).compute`."""

    def __init__(self, recipe: Recipe):
        _MADE[self] = recipe

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self


def recipe_of(box: Box) -> Recipe:
    """Return what a box is."""
    return _MADE[box]


def told_in(case: Case) -> Recipe | None:
    """Return what the box is that a case hands out, where that may be said; or None."""
    return next((_MADE[arg] for arg in case.args if isinstance(arg, Box) and _MADE[arg].tell), None)


class Deal:
    """A set of boxes that are dealt shuffled, each of them to be named.

    Args:
        kind: the class of a box.
        boxes: what each of them is, in words -> its name, its function, and what tells it from the others.
        names: all names that can be given.
    """

    def __init__(self, kind: type[Box], boxes: dict[str, tuple[str, Callable, str]], names: tuple[str, ...]):
        self.kind, self.names = kind, names
        self.recipes = [Recipe(words, *box) for words, box in boxes.items()]

    def cases(self, rng: np.random.Generator) -> list[Case]:
        """Return one case that holds one box of every recipe, in random order."""
        return [Case(([self.kind(self.recipes[place]) for place in rng.permutation(len(self.recipes))],))]

    def inspect(self, answer, case: Case) -> str | None:
        """Let the answer name every box; of several wrong names, the first in the order of the recipes is reported."""
        named = {recipe_of(box): one_of(answer(box), self.names) for box in case.args[0]}
        if len(set(named.values())) == 1:
            return _all_named(*set(named.values()))
        return next((_named(one, named[one]) for one in self.recipes if named[one] != one.right), None)

    def mistakes(self) -> tuple[Mistake, ...]:
        """Return every wrong way to name: one name for all boxes, and one box taken for another."""
        found = []
        for name in self.names:
            says = f"Every box got the same name, {name!r}, but they are of several kinds: let the name depend on what "
            found.append(Mistake(_all_named(name), lambda box, name=name: name, f"{says}f returns.", kind="all"))
        for one in self.recipes:
            box = "A correct box" if one.right == "correct" else "A box with a bug"
            box += "" if one.words == "correct" else f" ({one.words})"
            for name in self.names:
                if name != one.right:
                    says = f"{box} was named {name!r}: {one.tell}"
                    found.append(Mistake(_named(one, name), _confusing(one, name), says, kind=one.words))
        return tuple(found)


def _confusing(one, name):
    """Make an answer that names every box rightly, except that it takes one for another."""
    return lambda box: name if recipe_of(box) == one else recipe_of(box).right


def _all_named(name):
    return f"all-{name}".replace(" ", "-")


def _named(one, name):
    which = one.words.replace(",", "").replace("/", "-").replace("−", "minus")
    return f"{which}-as-{name}".replace(" ", "-")

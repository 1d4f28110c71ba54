"""Black boxes for learners to judge: what each of them is, is kept here and not in the box itself."""

import weakref
from collections.abc import Callable
from typing import NamedTuple, Self

import numpy as np

from whywrong.form import one_of
from whywrong.task import Case, Mistake

_RECIPES: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # what each box is


class Recipe(NamedTuple):
    """What a box is.

    words: for the learner: "a layer with a bias"; right: what the learner should find out about it, such as its name.
    compute: its function.
    tell: an experiment that recognises it ("what is f of a row of zeros?"); "" if learners never learn what it is.
    """

    words: str
    right: object
    compute: Callable
    tell: str = ""


class Box:
    """A black box; the `__call__` of a subclass reads the arguments and calls `recipe_of(self).compute`.

    >>> class Doubler(Box):
    ...     def __call__(self, x):
    ...         return recipe_of(self).compute(x)
    >>> box = Doubler(Recipe("a box that doubles", right="double", compute=lambda x: 2 * x))
    >>> box(4), recipe_of(box).right
    (8, 'double')
    """

    def __init__(self, recipe: Recipe):
        _RECIPES[self] = recipe

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict) -> Self:
        return self


def recipe_of(box: Box) -> Recipe:
    """Return what a box is."""
    return _RECIPES[box]


def find_recipe(case: Case) -> Recipe | None:
    """Return what the box in a case is, if there is one and learners may be told; or None."""
    recipes = [_RECIPES[arg] for arg in case.args if isinstance(arg, Box)]
    return next((recipe for recipe in recipes if recipe.tell), None)


class Deal:
    """A set of boxes in random order, each of which the learner must name.

    Args:
        kind: the class of a box.
        boxes: what each of them is, in words -> its name, its function, and an experiment that recognises it.
        names: all names that the learner can give.
    """

    def __init__(self, kind: type[Box], boxes: dict[str, tuple[str, Callable, str]], names: tuple[str, ...]):
        self.kind, self.names = kind, names
        self.recipes = [Recipe(words, *box) for words, box in boxes.items()]

    def cases(self, rng: np.random.Generator) -> list[Case]:
        """Return one case that holds one box of every recipe, in random order."""
        return [Case(([self.kind(self.recipes[place]) for place in rng.permutation(len(self.recipes))],))]

    def inspect(self, answer: Callable[[Box], object], case: Case) -> str | None:
        """Let the answer name every box; of several wrong names, the first in the order of the recipes is reported."""
        named = {recipe_of(box): one_of(answer(box), self.names) for box in case.args[0]}
        if len(set(named.values())) == 1:
            return _key_of_all(*set(named.values()))
        for recipe in self.recipes:
            if named[recipe] != recipe.right:
                return _key_of_one(recipe, named[recipe])
        return None

    def mistakes(self) -> tuple[Mistake, ...]:
        """Return every wrong way to name: one name for all boxes, and one box taken for another."""
        mistakes = []
        for name in self.names:
            message = f"Every box got the same name, {name!r}, but the boxes are of several kinds: "
            message += "let the name depend on what f returns."
            mistakes.append(Mistake(_key_of_all(name), lambda box, name=name: name, message, kind="all"))
        for recipe in self.recipes:
            box = "A correct box" if recipe.right == "correct" else "A box with a bug"
            box += "" if recipe.words == "correct" else f" ({recipe.words})"
            for name in self.names:
                if name != recipe.right:
                    message = f"{box} was named {name!r}: {recipe.tell}"
                    answer = _confuse(recipe, name)
                    mistakes.append(Mistake(_key_of_one(recipe, name), answer, message, kind=recipe.words))
        return tuple(mistakes)


def _confuse(recipe: Recipe, name: str) -> Callable[[Box], object]:
    """Make an answer that names every box correctly, but gives one of them another name."""
    return lambda box: name if recipe_of(box) == recipe else recipe_of(box).right


def _key_of_all(name: str) -> str:
    """Return the key of the mistake that gives all boxes the same name."""
    return f"all-{name}".replace(" ", "-")


def _key_of_one(recipe: Recipe, name: str) -> str:
    """Return the key of the mistake that gives one box a wrong name."""
    words = recipe.words.replace(",", "").replace("/", "-").replace("−", "minus")
    return f"{words}-as-{name}".replace(" ", "-")

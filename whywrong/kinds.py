"""Ask one exercise with torch tensors or with NumPy arrays: its cases, oracle and mistakes are written with arrays."""

import functools
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from whywrong.form import is_tensor, to_numpy
from whywrong.task import Case, Exercise


def on_tensors(item: Exercise) -> Exercise:
    """Return an exercise that hands out tensors in place of its arrays.

    Its oracle and its mistakes still compute with arrays, and what they return becomes a tensor again.

    Args:
        item: an exercise with a `tensor`.
    """

    def cases(rng):
        return [Case(tuple(_to_tensor(item, arg) for arg in case.args), case.sizes) for case in item.cases(rng)]

    mistakes = tuple(replace(one, answer=_through_arrays(item, one.answer)) for one in item.mistakes)
    return replace(item, cases=cases, oracle=_through_arrays(item, item.oracle), mistakes=mistakes)


def on_arrays(item: Exercise, in_words: Callable[[str], str]) -> Exercise:
    """Return an exercise that hands out its arrays as they are.

    Args:
        item: an exercise with a `tensor`.
        in_words: a sentence that speaks of torch -> the same sentence in the words of NumPy.
    """
    return replace(
        item,
        afterwards=None,
        mistakes=tuple(replace(one, message=in_words(one.message)) for one in item.mistakes),
        hints=tuple(map(in_words, item.hints)),
        right=in_words(item.right),
    )


def _to_tensor(item, value):
    """Return an array as a tensor of its own, and anything else as it is."""
    return item.tensor(value.copy()) if isinstance(value, np.ndarray) else value


def _through_arrays(item, function):
    """Return the function for tensors that does with their numbers what a function does with arrays."""

    @functools.wraps(function)  # replies read the names of the arguments
    def on_tensors(*args):
        return _to_tensor(item, function(*(to_numpy(arg) if is_tensor(arg) else arg for arg in args)))

    return on_tensors

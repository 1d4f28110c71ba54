"""How the figures of the lesson name, draw and evaluate an activation."""

import numpy as np

from course_lib.model.activations import ACTIVATIONS
from course_lib.model.one_thread import torch
from courseware.arguments import array, choice, items, to_numpy
from courseware.formats import minus, three_digits
from courseware.page.style import HIDDEN, INPUT, OUTPUT, REFERENCE

#: Colour, line style and marker of each activation, the same in every figure of the lesson.
LOOKS = {
    "relu": (INPUT, "--", "s"),
    "gelu": (OUTPUT, "-", "o"),
    "silu": (HIDDEN, "-.", "^"),
    "narrow GELU": (REFERENCE, ":", "D"),
}


def known(names):
    """Return the names of activations as a list, or raise what is wrong with them."""
    names = [choice(f"names[{index}]", name, LOOKS) for index, name in enumerate(items("names", names, "activations"))]
    if not names:
        raise ValueError("names must hold at least one activation, but it is empty.")
    return names


def rows(name, rows, axes, sizes):
    """Return rows of numbers, tensors among them, as one array with the given axes."""
    return array(name, [to_numpy(row) for row in items(name, rows, "rows")], axes, sizes)


def label(name):
    """Return how an activation is written."""
    return ACTIVATIONS[name].label if name in ACTIVATIONS else name


def evaluate(name, x, slope=False):
    """Return the values (or slopes) of an activation at the numbers of a NumPy array."""
    row = ACTIVATIONS[name]
    return (row.derivative if slope else row.function)(torch.as_tensor(x, dtype=torch.float64)).numpy()


def signed(value):
    """Write a number with three significant figures and a real minus sign; what rounds to nothing is 0."""
    return minus(three_digits(0.0 if abs(value) < 5e-7 else value))

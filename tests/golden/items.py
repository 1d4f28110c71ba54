"""Small exercises that belong to no lesson, and what answers to them are written with."""

import math

import numpy as np

from course_lib.model.one_thread import torch
from tests.whywrong import answers
from tests.whywrong.answers import exercise
from whywrong.task import Case, Exercise, Returns

NAMES = {"math": math, "np": np, "torch": torch, "nn": torch.nn}
TENSORS = exercise(
    lambda x, W: torch.einsum("ij,jk->ik", x, W),
    lambda rng: [Case((torch.tensor(rng.normal(size=(n, 3))), torch.tensor(rng.normal(size=(3, 2))))) for n in (4, 5)],
    returns=(Returns("y", ("n", "d_out")),),
)


def _linear(rng):
    made = torch.nn.Linear(3, 2, dtype=torch.float64)
    with torch.no_grad():
        for parameter in made.parameters():
            parameter.copy_(torch.tensor(rng.normal(size=parameter.shape)))
    return made


CALLED = exercise(
    lambda net, x: net(x).detach(),
    lambda rng: [Case((_linear(rng), torch.tensor(rng.normal(size=(4, 3)))))],
    returns=(Returns("y", ("n", "d_out")),),
)


def _handed_out(function):
    """Return a function as exercises hand it out: an object of the course that can be called."""
    return type("_Function", (), {"__module__": "lessons", "__call__": staticmethod(function)})()


STREAM = exercise(
    lambda x, g, norm: x + np.tanh(np.sign(x)),
    lambda rng: [Case((rng.normal(size=n), _handed_out(np.tanh), _handed_out(np.sign))) for n in (4, 5)],
    returns=(Returns("y", ("n",)),),
)
ITEMS = {name: one for name, one in {**vars(answers), **globals()}.items() if isinstance(one, Exercise)}
_ARGUMENTS = {
    "CURVE": "x",
    "RELU": "x",
    "LAYER": "x, W, b",
    "COUNT": "d, f, bias",
    "SHARE": "h",
    "TENSORS": "x, W",
    "CALLED": "net, x",
    "STREAM": "x, g, norm",
    **dict.fromkeys(("AVERAGE", "SUMS", "ROOT", "SHARE_OF", "AREA"), "a, b"),
    **dict.fromkeys(("TOTAL", "COLUMNS"), "A"),
    **dict.fromkeys(("POLYNOMIAL", "POSITIVE", "TANGENT", "ZEROS"), "x"),
    "WIDTH": "d",
    "UP": "d, m",
    "TWICE": "x, W",
    "LEFT": "p, n",
    "TOP": "x, k",
}


def whole(item: str, source: str) -> str:
    """Return an answer as a cell: an expression is what a function of the item's arguments returns."""
    if source.startswith(("def ", "class ", "del ")):
        return source
    return f"def f({_ARGUMENTS[item]}):\n    return {source}\n"

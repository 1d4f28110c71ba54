"""Exercise: tell seven kinds of FFN from each other by what they return; all but one of them have a bug."""

import numpy as np

from course_lib.model.numpy_ffn import relu
from courseware import arguments
from whywrong.boxes import Box, Deal, recipe_of
from whywrong.task import Inspection

NAMES = (
    "correct",
    "no activation",
    "activation last",
    "missing bias",
    "mixes positions",
    "residual inside",
    "tied weights",
)


def _shifted(h):
    """Add to every position half of the one before it."""
    return h + 0.5 * np.vstack([np.zeros_like(h[:1]), h[:-1]])


#: What every box is, in words -> its name, its function, and what tells it from the others.
BOXES = {
    "correct": (
        "correct",
        lambda x, W1, b1, W2, b2: relu(x @ W1 + b1) @ W2 + b2,
        "which of your tests does a correct FFN fail, and should it? Write down what the equation gives for that input.",
    ),
    "correct, other order of additions": (
        "correct",
        lambda x, W1, b1, W2, b2: (
            (np.maximum(0, b1 + (x[:, :, None] * W1).sum(axis=1))[:, :, None] * W2).sum(axis=1) + b2
        ),
        "it adds in another order, so its last digits differ: compare with np.allclose, not with ==.",
    ),
    "no activation": (
        "no activation",
        lambda x, W1, b1, W2, b2: (x @ W1 + b1) @ W2 + b2,
        "lesson 01 has the test: for an affine f, f(x) + f(−x) equals 2 f(0).",
    ),
    "no activation, multiplied out": (
        "no activation",
        lambda x, W1, b1, W2, b2: x @ (W1 @ W2) + (b1 @ W2 + b2),
        "lesson 01 has the test: for an affine f, f(x) + f(−x) equals 2 f(0), up to rounding.",
    ),
    "ReLU after the second layer": (
        "activation last",
        lambda x, W1, b1, W2, b2: relu((x @ W1 + b1) @ W2 + b2),
        "what can the output never be? Make b2 very negative and look.",
    ),
    "ReLU after both layers": (
        "activation last",
        lambda x, W1, b1, W2, b2: relu(relu(x @ W1 + b1) @ W2 + b2),
        "what can the output never be? Make b2 very negative and look.",
    ),
    "no b1": (
        "missing bias",
        lambda x, W1, b1, W2, b2: relu(x @ W1) @ W2 + b2,
        "change b1 alone: does the output move?",
    ),
    "no b2": (
        "missing bias",
        lambda x, W1, b1, W2, b2: relu(x @ W1 + b1) @ W2,
        "change b2 alone: does the output move?",
    ),
    "a mean over positions": (
        "mixes positions",
        lambda x, W1, b1, W2, b2: (y := relu(x @ W1 + b1) @ W2 + b2) + y.mean(axis=0),
        "change one row of x, or leave the others out, and compare the rows of the output.",
    ),
    "the position before": (
        "mixes positions",
        lambda x, W1, b1, W2, b2: _shifted(relu(x @ W1 + b1)) @ W2 + b2,
        "its first row is right, because nothing comes before it: compare all rows.",
    ),
    "a residual": (
        "residual inside",
        lambda x, W1, b1, W2, b2: x + relu(x @ W1 + b1) @ W2 + b2,
        "set all weights and biases to zero: what is left of the output?",
    ),
    "W1 for both layers": (
        "tied weights",
        lambda x, W1, b1, W2, b2: relu(x @ W1 + b1) @ W1.T + b2,
        "change W2 alone: does the output move?",
    ),
    "W2 for both layers": (
        "tied weights",
        lambda x, W1, b1, W2, b2: relu(x @ W2.T + b1) @ W2 + b2,
        "change W1 alone: does the output move?",
    ),
}


class _Network(Box):
    """Somebody's FFN, f(x, W1, b1, W2, b2), with or without a bug; it does not show how it is made."""

    def __call__(self, x, W1, b1, W2, b2):
        sizes = {}
        named = (
            ("x", x, ("seq_len", "d_model")),
            ("W1", W1, ("d_model", "d_ff")),
            ("b1", b1, ("d_ff",)),
            ("W2", W2, ("d_ff", "d_model")),
            ("b2", b2, ("d_model",)),
        )
        arrays = [arguments.array(name, value, axes, sizes, finite=False) for name, value, axes in named]
        with np.errstate(all="ignore"):
            return recipe_of(self).compute(*arrays)


_DEAL = Deal(_Network, BOXES, NAMES)

EXERCISE = Inspection(
    id="build_the_ffn.which_bug",
    kind="function",
    cases=_DEAL.cases,
    inspect=_DEAL.inspect,
    mistakes=_DEAL.mistakes(),
    hints=(
        "You choose the weights as well as x. For each bug, find arrays for which the equation says one thing and the bug another: with all weights and biases zero, what comes out, and what would a residual make of it?",
        "Use at least two positions, x of shape (seq_len, d_model) such as (4, 3), W1 (3, 6), b1 (6,), W2 (6, 3), b2 (3,), and biases that are not zero. Otherwise some bugs stay hidden.",
        "Start with: rng = np.random.default_rng(0), draw the five arrays with rng.normal(size=...), and keep what f returns for them as y. Change one of the five and compare.",
    ),
    right="You recognised every box from its behaviour alone, and that is what a good test does.",
)

"""Exercise: the forward pass with its mean squared error, and the arrays that the backward pass needs."""

import math

import numpy as np

from course_lib.model.descent import network
from lessons.build_backward.shared import SIZES, named_sizes
from whywrong.task import Case, Exercise, HalfRight, Mistake, Returns


def _cases(rng):
    return [Case(network(rng, *sizes), named_sizes(*sizes)) for sizes in SIZES]


def _oracle(x, target, W1, b1, W2, b2):
    """Compute loss, z, h and y number by number."""
    z, h, y = np.empty((len(x), len(b1))), np.empty((len(x), len(b1))), np.empty((len(x), len(b2)))
    for row in range(len(x)):
        for j in range(len(b1)):
            z[row, j] = math.fsum([b1[j], *(float(x[row, i] * W1[i, j]) for i in range(x.shape[1]))])
            h[row, j] = max(z[row, j], 0.0)
        for k in range(len(b2)):
            y[row, k] = math.fsum([b2[k], *(float(h[row, j] * W2[j, k]) for j in range(len(b1)))])
    return math.fsum(float(gap) ** 2 for gap in (y - target).ravel()) / y.size, z, h, y


def _changed(change):
    """Make a wrong forward of change(x, target, W1, b1, W2, b2, loss, z, h, y)."""

    def answer(x, target, W1, b1, W2, b2):
        z = x @ W1 + b1
        h = np.maximum(z, 0)
        y = h @ W2 + b2
        return change(x, target, W1, b1, W2, b2, _loss(y, target), z, h, y)

    return answer


def _loss(y, target):
    return float(((y - target) ** 2).mean())


def _with_loss(measure):
    """Make a forward of which the loss alone is wrong, measure(gap)."""
    return _changed(lambda x, target, W1, b1, W2, b2, loss, z, h, y: (float(measure(y - target)), z, h, y))


def _through(bend):
    """Make a forward with another h, which everything behind it feels."""

    def answer(x, target, W1, b1, W2, b2):
        z = x @ W1 + b1
        h = bend(z)
        y = h @ W2 + b2
        return _loss(y, target), z, h, y

    return answer


def _on_the_way(z_of, y_of):
    """Make a forward of z_of(x, W1, b1) and y_of(h, W2, b2)."""

    def answer(x, target, W1, b1, W2, b2):
        z = z_of(x, W1, b1)
        h = np.maximum(z, 0)
        y = y_of(h, W2, b2)
        return _loss(y, target), z, h, y

    return answer


def _up(x, W1, b1):
    return x @ W1 + b1


def _down(h, W2, b2):
    return h @ W2 + b2


EXERCISE = Exercise(
    id="build_backward.forward",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(
        Returns("loss"),
        Returns("z", ("n", "d_ff")),
        Returns("h", ("n", "d_ff")),
        Returns("y", ("n", "d_out")),
    ),
    mistakes=(
        HalfRight(
            "sum",
            _with_loss(lambda gap: (gap**2).sum()),
            "z, h and y are right, but your loss adds the squares up: the mean squared error divides that sum by y.size.",
        ),
        HalfRight(
            "sum-of-outputs",
            _with_loss(lambda gap: (gap**2).sum(axis=1).mean()),
            "z, h and y are right, but your loss is a mean over the rows only: the outputs of a row are averaged too, so divide by y.size.",
        ),
        HalfRight(
            "sum-over-rows",
            _with_loss(lambda gap: (gap**2).mean(axis=1).sum()),
            "z, h and y are right, but your loss adds up the rows: the mean is over all numbers of y, rows and outputs alike.",
        ),
        HalfRight(
            "half",
            _with_loss(lambda gap: (gap**2).mean() / 2),
            "z, h and y are right, but your loss is half of the mean: some books put a ½ in front; here there is none.",
        ),
        HalfRight(
            "absolute",
            _with_loss(lambda gap: np.abs(gap).mean()),
            "z, h and y are right, but your loss averages absolute gaps: square them.",
        ),
        HalfRight(
            "root",
            _with_loss(lambda gap: np.sqrt((gap**2).mean())),
            "z, h and y are right, but your loss is the root of the mean squared error: leave the root out.",
        ),
        HalfRight(
            "not-squared",
            _with_loss(lambda gap: gap.mean()),
            "z, h and y are right, but your loss averages the gaps themselves, and those above cancel those below: square each gap first.",
        ),
        HalfRight(
            "square-of-mean",
            _with_loss(lambda gap: gap.mean() ** 2),
            "z, h and y are right, but your loss squares the mean: square each gap first, then take the mean.",
        ),
        HalfRight(
            "h-not-bent",
            _changed(lambda x, target, W1, b1, W2, b2, loss, z, h, y: (loss, z, z, y)),
            "loss, z and y are right, but the h that you return has not passed through ReLU.",
        ),
        HalfRight(
            "y-from-z",
            _changed(lambda x, target, W1, b1, W2, b2, loss, z, h, y: (_loss(z @ W2 + b2, target), z, h, z @ W2 + b2)),
            "z and h are right, but y is made from z, so ReLU does nothing for it: the second layer reads h.",
        ),
        HalfRight(
            "z-bent",
            _changed(lambda x, target, W1, b1, W2, b2, loss, z, h, y: (loss, h, h, y)),
            "loss, h and y are right, but your z has passed through ReLU already: the backward pass must know where it was negative.",
        ),
        Mistake(
            "z-h-swapped",
            _changed(lambda x, target, W1, b1, W2, b2, loss, z, h, y: (loss, h, z, y)),
            "z and h have changed places: z comes before ReLU.",
        ),
        Mistake(
            "no-relu",
            _through(lambda z: z),
            "There is no activation between the two layers: h must be z with its negative numbers set to 0.",
        ),
        Mistake("abs", _through(np.abs), "Negative numbers of z become positive in your h; ReLU makes them 0."),
        Mistake(
            "no-b1",
            _on_the_way(lambda x, W1, b1: x @ W1, _down),
            "b1 is missing from z, so h, y and the loss are wrong as well.",
        ),
        Mistake(
            "minus-b1",
            _on_the_way(lambda x, W1, b1: x @ W1 - b1, _down),
            "b1 is subtracted in your z; it is added.",
        ),
        HalfRight(
            "no-b2",
            _on_the_way(_up, lambda h, W2, b2: h @ W2),
            "z and h are right, but b2 is missing from y, so the loss is wrong as well.",
        ),
        HalfRight(
            "minus-b2",
            _on_the_way(_up, lambda h, W2, b2: h @ W2 - b2),
            "z and h are right, but b2 is subtracted in your y; it is added.",
        ),
        HalfRight(
            "relu-last",
            _on_the_way(_up, lambda h, W2, b2: np.maximum(h @ W2 + b2, 0)),
            "z and h are right, but y passes through a ReLU too: outputs may be negative.",
        ),
    ),
    hints=(
        "The forward pass is that of lesson 03, with every array kept; the loss is one number more, a mean over all numbers of y.",
        "x is (n, d_in), z and h are (n, d_ff), y and target are (n, d_out), and the loss is a single number.",
        "Start with: z = x @ W1 + b1, then h and y. The last line returns the mean of (y − target) squared, and the three arrays.",
    ),
    right="One number says how good the network is, and z, h and y are kept for the way back.",
)

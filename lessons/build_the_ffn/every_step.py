"""Exercise: the forward pass of the FFN in NumPy, with every array on the way."""

import numpy as np

from course_lib.model.numpy_ffn import relu
from lessons.build_the_ffn.shared import SHAPES, by_loops, named_sizes, weights
from whywrong.task import Case, Exercise, HalfRight, Mistake, Returns


def _cases(rng):
    cases = []
    for leading, d_model, d_ff in SHAPES:
        x = 5 * rng.normal(size=(*leading, d_model))  # so that an upper limit of ReLU shows
        cases.append(Case((x, *weights(rng, d_model, d_ff)), named_sizes(leading, d_model, d_ff)))
    return cases


def _up(x, W1, b1, W2):
    return x @ W1 + b1


def _activation(z, b1):
    return relu(z)


def _down(h, W1, W2, b2):
    return h @ W2 + b2


def _unchanged(z, b1):
    return z.copy()


def _with(up=_up, activation=_activation, down=_down):
    """Make an answer with a wrong step; what comes after it follows from it."""

    def answer(x, W1, b1, W2, b2):
        z = up(x, W1, b1, W2)
        h = activation(z, b1)
        return z, h, down(h, W1, W2, b2)

    return answer


def _changed(change):
    """Make a wrong answer from the right z, h and y, the input, b1, and what the second layer makes of z."""

    def answer(x, W1, b1, W2, b2):
        z, h, y = _with()(x, W1, b1, W2, b2)
        return change(z, h, y, x, b1, z @ W2 + b2)

    return answer


EXERCISE = Exercise(
    id="build_the_ffn.every_step",
    kind="function",
    cases=_cases,
    oracle=by_loops,
    returns=(Returns("z", ("...", "d_ff")), Returns("h", ("...", "d_ff")), Returns("y", ("...", "d_model"))),
    mistakes=(
        HalfRight(
            "z-activated",
            _changed(lambda z, h, y, *_: (h, h, y)),
            "h and y are right, but your z has passed through ReLU as well. If your ReLU works in place, give it a copy of z.",
        ),
        HalfRight(
            "h-not-activated",
            _changed(lambda z, h, y, *_: (z, z, y)),
            "z and y are right, but your h has not passed through ReLU.",
        ),
        HalfRight(
            "y-from-z",
            _changed(lambda z, h, y, x, b1, y_from_z: (z, h, y_from_z)),
            "z and h are right, but the second layer reads z instead of h.",
        ),
        Mistake("z-h-swapped", _changed(lambda z, h, y, *_: (h, z, y)), "z and h are swapped: z comes before ReLU."),
        Mistake(
            "swapped-everywhere",
            _changed(lambda z, h, y, x, b1, y_from_z: (h, z, y_from_z)),
            "z and h are swapped, and the second layer reads the one before ReLU.",
        ),
        Mistake(
            "no-activation",
            _with(activation=_unchanged),
            "ReLU is left out: h equals z, so the two layers together are one linear layer, as in lesson 01.",
        ),
        Mistake(
            "relu-last",
            _with(activation=_unchanged, down=lambda h, W1, W2, b2: relu(h @ W2 + b2)),
            "ReLU comes after the second layer; it belongs between the two.",
        ),
        HalfRight(
            "relu-twice",
            _changed(lambda z, h, y, *_: (z, h, relu(y))),
            "z and h are right, but the output passes through ReLU as well, and outputs may be negative.",
        ),
        HalfRight(
            "residual",
            _changed(lambda z, h, y, x, *_: (z, h, x + y)),
            "z and h are right, but x is added to the output: that happens in the block around the FFN.",
        ),
        HalfRight(
            "no-b1-in-z",
            _changed(lambda z, h, y, x, b1, _: (z - b1, h, y)),
            "h and y are right, but b1 is missing in z.",
        ),
        Mistake("no-b1", _with(lambda x, W1, b1, W2: x @ W1), "b1 is missing, which changes z, h and y."),
        HalfRight(
            "no-b2",
            _with(down=lambda h, W1, W2, b2: h @ W2),
            "z and h are right, but b2 is missing in the output.",
        ),
        Mistake(
            "no-biases",
            _with(lambda x, W1, b1, W2: x @ W1, down=lambda h, W1, W2, b2: h @ W2),
            "You use only the matrices, but each layer has a bias as well.",
        ),
        Mistake(
            "b1-late",
            _with(lambda x, W1, b1, W2: x @ W1, lambda z, b1: relu(z) + b1),
            "b1 is added after ReLU. It must come before, in z, because it helps to decide which units are on.",
        ),
        Mistake(
            "abs",
            _with(activation=lambda z, b1: np.abs(z)),
            "Negative values of z become positive in your h; ReLU makes them 0.",
        ),
        Mistake(
            "step", _with(activation=lambda z, b1: (z > 0) * 1.0), "Your h holds only 0 and 1: where is the size of z?"
        ),
        Mistake(
            "relu-on-input",
            _with(lambda x, W1, b1, W2: relu(x) @ W1 + b1, _unchanged),
            "ReLU acts on x, before the first layer; it belongs on z.",
        ),
        Mistake(
            "b1-per-input",
            _with(lambda x, W1, b1, W2: x @ (W1 + b1)),
            "b1 is added to every row of W1, so it is counted once for each input; add it after the product.",
        ),
        HalfRight(
            "b2-per-unit",
            _with(down=lambda h, W1, W2, b2: h @ (W2 + b2)),
            "z and h are right, but b2 is added to every row of W2, so it is counted once for each hidden unit; add it after the product.",
        ),
        HalfRight(
            "tied",
            _with(down=lambda h, W1, W2, b2: h @ W1.T + b2),
            "z and h are right, but the way down uses W1 transposed: the shapes fit, but the second layer has a matrix of its own.",
        ),
        Mistake(
            "tied-up",
            _with(lambda x, W1, b1, W2: x @ W2.T + b1),
            "The way up uses W2 transposed: the shapes fit, but the first layer has a matrix of its own.",
        ),
        Mistake(
            "swapped-matrices",
            _with(lambda x, W1, b1, W2: x @ W2.T + b1, down=lambda h, W1, W2, b2: h @ W1.T + b2),
            "The two matrices are swapped, and transposing made the shapes fit.",
        ),
    ),
    hints=(
        "Two linear layers with ReLU between them: up, ReLU, down. Give the result of each step a name.",
        "z and h have shape (..., d_ff), y has shape (..., d_model) again; no reshape is needed.",
        "Start with: z = x @ W1 + b1. Which function sets its negative values to 0, and leaves z as it is?",
    ),
    right="Your FFN treats one token, a sequence and a batch alike.",
)

"""Exercise: the forward pass of the FFN in NumPy, for one token, a sequence and a batch."""

import numpy as np

from course_lib.model import numpy_ffn
from course_lib.model.numpy_ffn import relu
from lessons.build_the_ffn.shared import SHAPES, by_loops, named_sizes, weights
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    cases = []
    for leading, d_model, d_ff in SHAPES:
        x = rng.normal(size=(*leading, d_model)) * (5 if leading == (5,) else 1)  # so that an upper limit shows
        cases.append(Case((x, *weights(rng, d_model, d_ff)), named_sizes(leading, d_model, d_ff)))
    return cases


def _bent(function):
    """Make an FFN with another function between its layers."""
    return lambda x, W1, b1, W2, b2: function(x @ W1 + b1) @ W2 + b2


def _around(function):
    """Make an FFN whose output passes through one more function."""
    return lambda x, W1, b1, W2, b2: function(relu(x @ W1 + b1) @ W2 + b2)


def _softmax(x):
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _standardised(x):
    centred = x - x.mean(axis=-1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5)


#: What can be wrong on the way up and on the way down at once: h from (x, W1, b1), then y from (x, h, W2, b2).
_UP = {
    "no-activation": (
        lambda x, W1, b1: x @ W1 + b1,
        "there is no activation between the layers",
        "There is no activation between the two layers, so together they are one linear layer, as in lesson 01.",
    ),
    "b1-late": (lambda x, W1, b1: relu(x @ W1) + b1, "b1 is added after ReLU instead of before it"),
    "no-b1": (
        lambda x, W1, b1: relu(x @ W1),
        "b1 is missing",
        "The second layer is right, but the bias of the first one is missing.",
    ),
    "minus-b1": (lambda x, W1, b1: relu(x @ W1 - b1), "b1 has the wrong sign", "Look at the sign in front of b1."),
    "b1-twice": (lambda x, W1, b1: relu(x @ W1 + 2 * b1), "b1 is added twice", "b1 is added twice before ReLU."),
    "abs": (
        lambda x, W1, b1: np.abs(x @ W1 + b1),
        "negative hidden values become positive instead of 0",
        "Negative hidden values become positive; ReLU makes them 0.",
    ),
    "b1-per-input": (
        lambda x, W1, b1: relu(x @ (W1 + b1)),
        "b1 is added to every row of W1",
        "b1 is added to every row of W1, so it is counted once for each input; add it after the product.",
    ),
    "relu-on-input": (
        lambda x, W1, b1: relu(x) @ W1 + b1,
        "ReLU acts on x instead of the hidden values",
        "ReLU acts on x, before the first layer; it belongs on the hidden values.",
    ),
}
_DOWN = {
    "relu-last": (lambda x, h, W2, b2: relu(h @ W2 + b2), "the output passes through a ReLU"),
    "relu-then-b2": (
        lambda x, h, W2, b2: relu(h @ W2) + b2,
        "there is a second ReLU, before b2",
        "The hidden values are right, but the second product passes through ReLU too, before b2 is added.",
    ),
    "no-b2": (lambda x, h, W2, b2: h @ W2, "b2 is missing", "Everything is there except the bias of the second layer."),
    "minus-b2": (lambda x, h, W2, b2: h @ W2 - b2, "b2 has the wrong sign", "Look at the sign in front of b2."),
    "b2-twice": (
        lambda x, h, W2, b2: h @ W2 + 2 * b2,
        "b2 is added twice",
        "The hidden values are right, but b2 is added twice.",
    ),
    "b2-per-unit": (
        lambda x, h, W2, b2: h @ (W2 + b2),
        "b2 is added to every row of W2",
        "b2 is added to every row of W2, so it is counted once for each hidden unit; add it after the product.",
    ),
    "residual": (
        lambda x, h, W2, b2: h @ W2 + b2 + x,
        "x is added to the output",
        "x is added to the result: that residual connection belongs to the block around the FFN.",
    ),
}
_SAME_AS_ANOTHER = {("no-activation", "relu-last"), ("no-b1", "no-b2")}


def _both(up, down):
    """Make an FFN with a fault in each layer."""
    return lambda x, W1, b1, W2, b2: down(x, up(x, W1, b1), W2, b2)


def _mean_of_positions(x):
    """Replace every position by the mean of all; a single token has no other position and stays."""
    return x if x.ndim == 1 else np.broadcast_to(x.mean(axis=-2, keepdims=True), x.shape).copy()


EXERCISE = Exercise(
    id="build_the_ffn.forward",
    kind="function",
    cases=_cases,
    oracle=lambda *args: by_loops(*args)[2],
    returns=(Returns("the output", ("...", "d_model")),),
    mistakes=(
        Mistake("capped", _bent(lambda z: np.clip(z, 0, 6)), "Hidden values stop at 6: ReLU has no upper limit."),
        Mistake(
            "relu-last",
            lambda x, W1, b1, W2, b2: relu((x @ W1 + b1) @ W2 + b2),
            "ReLU comes after the second layer; it belongs between the two.",
        ),
        Mistake(
            "relu-twice",
            _around(relu),
            "The hidden values are right, but the output passes through ReLU as well, and outputs may be negative.",
        ),
        Mistake(
            "relu-before-b1",
            lambda x, W1, b1, W2, b2: (relu(x @ W1) + b1) @ W2 + b2,
            "b1 is added after ReLU. It must come before, because it helps to decide which units are on.",
        ),
        Mistake("no-biases", lambda x, W1, b1, W2, b2: relu(x @ W1) @ W2, "Neither of the two biases is used."),
        Mistake(
            "b1-in-the-mask-only",
            lambda x, W1, b1, W2, b2: np.where(x @ W1 + b1 > 0, x @ W1, 0) @ W2 + b2,
            "b1 helps to decide which units are on, but it is missing from the values that pass.",
        ),
        Mistake(
            "b1-in-the-value-only",
            lambda x, W1, b1, W2, b2: np.where(x @ W1 > 0, x @ W1 + b1, 0) @ W2 + b2,
            "Your code decides without b1 which units are on: compare x @ W1 + b1 with 0.",
        ),
        Mistake(
            "b1-as-the-floor",
            lambda x, W1, b1, W2, b2: np.maximum(x @ W1, b1) @ W2 + b2,
            "The hidden values stop at b1 instead of 0: b1 is added to x @ W1, and the sum is compared with 0.",
        ),
        Mistake(
            "half-abs",
            _bent(lambda z: np.abs(z) / 2),
            "Half of the size of z comes through on both sides of zero; ReLU gives z above zero and 0 below.",
        ),
        Mistake(
            "at-least-one",
            _bent(lambda z: np.maximum(z, 1)),
            "Hidden values below 1 become 1, but ReLU raises only those below 0, and only to 0.",
        ),
        Mistake(
            "only-b2",
            lambda x, W1, b1, W2, b2: np.zeros_like(x) + b2,
            "Only b2 comes out, whatever x is: are the hidden values lost on the way?",
        ),
        Mistake(
            "tied",
            lambda x, W1, b1, W2, b2: relu(x @ W1 + b1) @ W1.T + b2,
            "The way down uses W1 transposed: the shapes fit, but the second layer has a matrix of its own.",
        ),
        Mistake(
            "tied-up",
            lambda x, W1, b1, W2, b2: relu(x @ W2.T + b1) @ W2 + b2,
            "The way up uses W2 transposed: the shapes fit, but the first layer has a matrix of its own.",
        ),
        Mistake(
            "swapped-matrices",
            lambda x, W1, b1, W2, b2: relu(x @ W2.T + b1) @ W1.T + b2,
            "The two matrices are swapped, and transposing made the shapes fit.",
        ),
        Mistake(
            "position-mean",
            _around(_mean_of_positions),
            "All positions get the same output, their mean. Each position should be computed separately.",
        ),
        Mistake(
            "positions-reversed",
            lambda x, W1, b1, W2, b2: relu((x if x.ndim == 1 else x[..., ::-1, :]) @ W1 + b1) @ W2 + b2,
            "The values are right, but the positions come out in reverse order.",
        ),
        Mistake(
            "first-sequence",
            lambda x, W1, b1, W2, b2: (
                relu(x @ W1 + b1) @ W2 + b2 if x.ndim < 3 else relu(x[:1] @ W1 + b1) @ W2 + b2 + 0 * x
            ),
            "A batch gets the outputs of its first sequence everywhere.",
        ),
        Mistake(
            "negative-half",
            _bent(lambda z: np.minimum(z, 0)),
            "Your code keeps the negative half and loses the positive one.",
        ),
        Mistake("minus-relu", _bent(lambda z: relu(-z)), "The sign is flipped inside ReLU: a large z must stay large."),
        Mistake("step", _bent(lambda z: (z > 0) * 1.0), "The hidden values are 0 or 1: where is the size of z?"),
        Mistake(
            "clipped", _bent(lambda z: np.clip(z, 0, 1)), "Hidden values above 1 are cut off; ReLU has no upper end."
        ),
        Mistake("squared", _bent(lambda z: relu(z) ** 2), "The hidden values are squared after ReLU."),
        Mistake(
            "leaky",
            _bent(lambda z: np.where(z > 0, z, 0.01 * z)),
            "A hundredth of every negative value leaks through, but ReLU lets nothing through.",
        ),
        Mistake("tanh", _bent(np.tanh), "The activation is tanh; the exercise asks for ReLU."),
        Mistake("sigmoid", _bent(numpy_ffn.sigmoid), "The activation is the sigmoid; the exercise asks for ReLU."),
        Mistake("gelu", _bent(numpy_ffn.gelu), "The activation is GELU; the exercise asks for ReLU."),
        Mistake("silu", _bent(numpy_ffn.silu), "The activation is SiLU; the exercise asks for ReLU."),
        Mistake(
            "softmax-hidden",
            _bent(_softmax),
            "A softmax runs over the hidden values, but ReLU acts on each hidden value separately.",
        ),
        Mistake(
            "softmax-output",
            _around(_softmax),
            "The output passes through a softmax, but it should be a vector of features, not of probabilities.",
        ),
        Mistake(
            "norm-output",
            _around(_standardised),
            "The output is normalised: layer norm belongs to the block around the FFN.",
        ),
        Mistake(
            "norm-input",
            lambda x, W1, b1, W2, b2: relu(_standardised(x) @ W1 + b1) @ W2 + b2,
            "x is normalised first: layer norm belongs to the block around the FFN.",
        ),
        Mistake(
            "divided-by-width",
            lambda x, W1, b1, W2, b2: relu(x @ W1 + b1) @ W2 / len(b1) + b2,
            "The second product is divided by d_ff, but it is a sum over the hidden values, not their mean.",
        ),
        *two_at_once(
            "on the way up {}; on the way down {}",
            _UP,
            _DOWN,
            _both,
            _SAME_AS_ANOTHER,
            right=(lambda x, W1, b1: relu(x @ W1 + b1), lambda x, h, W2, b2: h @ W2 + b2),
        ),
    ),
    hints=(
        "Two linear layers with an activation between them: up, ReLU, down.",
        "x is (..., d_model), x @ W1 + b1 is (..., d_ff), and the output is (..., d_model) again; no reshape is needed.",
        "Start with: z = x @ W1 + b1. Which function sets its negative values to 0?",
    ),
    right="Your FFN treats one token, a sequence and a batch alike.",
)

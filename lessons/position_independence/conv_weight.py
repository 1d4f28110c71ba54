"""Exercise: make the weight of a convolution of width 1 from a matrix."""

import numpy as np

from course_lib.model.tensors import as_tensor
from lessons.position_independence.shared import softmax
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns


def _cases(rng):
    sizes = ((3, 5), (5, 3), (3, 7), (4, 4))
    return [Case((rng.normal(size=(d_in, d_out)),), {"d_in": d_in, "d_out": d_out}) for d_in, d_out in sizes]


def _oracle(W):
    """Fill the weight entry by entry: output channel o takes from input channel i what x @ W gives to o from i."""
    d_in, d_out = W.shape
    weight = np.zeros((d_out, d_in, 1))
    for i in range(d_in):
        for o in range(d_out):
            weight[o, i, 0] = W[i, o]
    return weight


# Weights that hold W without a transpose, and what is wrong with each.
_NOT_TRANSPOSED = {
    "W is not transposed": lambda W: W[:, :, None],
    "W is not transposed, and the axis of length 1 is in front instead of at the end": lambda W: W[None],
}


def _run(answer, case):
    """Call the answer; where W is not transposed, say so."""
    (W,) = case.args
    weight, right = answer(W), (*W.shape[::-1], 1)
    for says, make in _NOT_TRANSPOSED.items():
        wrong = make(W)
        is_it = isinstance(weight, type(W)) and weight.shape == wrong.shape and bool((weight == wrong).all())
        if is_it and weight.shape != right:
            shape, names = tuple(weight.shape), "(d_out, d_in, 1)"
            raise Fault(Key.SHAPE, f"The weight has shape {shape}; expected is {names} = {right}: {says}.")
    return weight


def _turned(change):
    """Make a wrong answer from what happens to the right weight."""
    return lambda W: change(W.T[:, :, None])


EXERCISE = Exercise(
    id="position_independence.conv_weight",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the weight", ("d_out", "d_in", "1")),),
    tensor=as_tensor,
    run=_run,
    mistakes=(
        Mistake(
            "reshaped",
            lambda W: W.reshape(W.shape[1], W.shape[0], 1),
            "The shape is right, but the entries are scrambled: reshape keeps the order in memory and swaps no axes.",
        ),
        Mistake(
            "reshaped-back",
            lambda W: W.T.reshape(W.shape).T[:, :, None],
            "The entries are scrambled: you swapped the axes twice, and reshaped between.",
        ),
        Mistake(
            "flipped-in",
            _turned(lambda w: np.flip(w, 1)),
            "The input features are in reverse order: PyTorch's convolution flips nothing, so you need not undo it.",
        ),
        Mistake("flipped-out", _turned(lambda w: np.flip(w, 0)), "The output features are in reverse order."),
        Mistake(
            "flipped-both",
            _turned(lambda w: np.flip(w, (0, 1))),
            "Both axes are in reverse order: transposing swaps the two axes, it does not rotate the matrix by half a turn.",
        ),
        Mistake("negated", _turned(lambda w: -w), "Every entry has the wrong sign."),
        Mistake("absolute", _turned(lambda w: np.abs(w)), "The signs of the entries are lost."),
        Mistake(
            "clipped",
            _turned(lambda w: np.maximum(w, 0)),
            "The negative entries were set to 0, but the ReLU is not part of W.",
        ),
        Mistake(
            "averaged",
            _turned(lambda w: w / w.shape[1]),
            "You divided by d_in, but a convolution adds up its products, as a matrix product does.",
        ),
        Mistake(
            "normalised",
            _turned(lambda w: softmax(w, axis=1)),
            "There is a softmax over the input features, but the weight holds the entries of W as they are.",
        ),
        Mistake("zeros", _turned(lambda w: 0 * w), "The weight is all zeros: the entries of W are not in it yet."),
        Mistake(
            "diagonal",
            _turned(lambda w: w * np.eye(*w.shape[:2])[..., None]),
            "Only the entries with equal indices are there, but every output takes from every input.",
        ),
        Mistake(
            "reshaped-and-flipped",
            lambda W: np.flip(W.reshape(W.shape[1], W.shape[0], 1), 1),
            "Two things are wrong: reshape scrambles the entries (W.T swaps the axes), and the input features are in reverse order (PyTorch's convolution flips nothing).",
            two=True,
        ),
        Mistake("doubled", _turned(lambda w: 2 * w), "Every entry is counted twice."),
    ),
    hints=(
        "For each output o, x @ W adds up x[i] · W[i, o] over i. The convolution does the same with weight[o, i, 0].",
        "From (d_in, d_out) to (d_out, d_in, 1): swap the two axes, then add one of length 1 at the end.",
        "The first step is W.T, of shape (d_out, d_in).",
    ),
    right="The same numbers, with the axes in the order of Conv1d: width 1 means that each position is seen alone.",
)

"""Exercise: write another member of the family from the equation of its paper."""

import math

import numpy as np

from course_lib.model.tensors import as_tensor
from lessons.bonus_swiglu.shared import sigmoid, silu, sizes_to_try
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns, two_at_once


def _cases(rng):
    cases = []
    for lead, sizes in sizes_to_try():
        d_model, d_ff = sizes["d_model"], sizes["d_ff"]
        shapes = ((*lead, d_model), (d_model, d_ff), (d_model, d_ff), (d_ff,), (d_ff,))
        x, *weights = (rng.normal(size=shape) for shape in shapes)
        cases.append(Case((5 * x, *weights), sizes))  # so that a limit of the gate shows
    return cases


def _by_hand(x, W, V, b, c):
    """Write GELU as z · (1 − erfc(z/√2) / 2), and the products with einsum."""
    z = np.einsum("...i,ij->...j", x, W) + b
    gate = np.array([v * (1 - math.erfc(v / math.sqrt(2)) / 2) for v in z.ravel()]).reshape(z.shape)
    return gate * (np.einsum("...i,ij->...j", x, V) + c)


def _gate_of(activation):
    return lambda x, W, V, b, c: activation(x @ W + b) * (x @ V + c)


_erf = np.vectorize(math.erf, otypes=[np.float64])


def _normal_cdf(z):
    return (1 + _erf(z / math.sqrt(2))) / 2


def _gelu(z):
    return z * _normal_cdf(z)


def _gelu_tanh(z):
    return z * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))) / 2


def _of_tensors(answer):
    """See that the result is a tensor: what has left torch cannot be trained."""
    if isinstance(answer(*map(as_tensor, _cases(np.random.default_rng(0))[0].args)), np.ndarray):
        words = "The values are right, but the result is a NumPy array, and no gradient passes through that. Return a torch tensor."
        raise Fault(Key.TYPE, words)


# What can be wrong in the gate's function and in the branches.
_GATE = {
    "tanh-form": (
        _gelu_tanh,
        "the gate is GELU's tanh form",
        "This is close, but not equal: you used the tanh form, and the equation has the exact GELU.",
    ),
    "swiglu": (silu, "the gate is SiLU", "This is SwiGLU: your gate is SiLU, and the equation has GELU."),
    "glu": (sigmoid, "the gate is a sigmoid", "This is the original GLU, whose gate is a sigmoid."),
    "reglu": (lambda z: np.maximum(z, 0), "the gate is a ReLU", "This is ReGLU, whose gate is a ReLU."),
}
_BRANCHES = {
    "swapped": (
        lambda f, x, W, V, b, c: f(x @ V + c) * (x @ W + b),
        "the branches have changed places",
        "W and V, with their biases, have changed places: look which branch the equation puts into GELU.",
    ),
    "biases-swapped": (
        lambda f, x, W, V, b, c: f(x @ W + c) * (x @ V + b),
        "the biases have changed places",
        "The biases have changed places: find out which one the equation adds to x W.",
    ),
    "no-b": (
        lambda f, x, W, V, b, c: f(x @ W) * (x @ V + c),
        "b is missing",
        "The bias of the gate branch is missing.",
    ),
    "no-c": (
        lambda f, x, W, V, b, c: f(x @ W + b) * (x @ V),
        "c is missing",
        "The bias of the linear branch is missing.",
    ),
    "no-biases": (
        lambda f, x, W, V, b, c: f(x @ W) * (x @ V),
        "both biases are missing",
        "Both biases are missing; unlike LLaMA, this equation has them.",
    ),
    "added": (
        lambda f, x, W, V, b, c: f(x @ W + b) + (x @ V + c),
        "the branches are added and not multiplied",
        "The branches are added; ⊗ multiplies them entry by entry.",
    ),
}


def _both(gate, branches):
    return lambda x, W, V, b, c: branches(gate, x, W, V, b, c)


EXERCISE = Exercise(
    id="bonus_swiglu.geglu",
    kind="function",
    cases=_cases,
    oracle=_by_hand,
    returns=(Returns("the result", ("...", "d_ff")),),
    afterwards=_of_tensors,
    tensor=as_tensor,
    mistakes=(
        Mistake(
            "b-outside",
            lambda x, W, V, b, c: (_gelu(x @ W) + b) * (x @ V + c),
            "b is added after GELU; the equation has it inside the brackets.",
        ),
        Mistake(
            "both-outside",
            lambda x, W, V, b, c: _gelu(x @ W) * (x @ V) + b + c,
            "The biases are added after the product; the equation adds each inside its own brackets.",
        ),
        Mistake(
            "c-outside",
            lambda x, W, V, b, c: _gelu(x @ W + b) * (x @ V) + c,
            "c is added after the product; the equation has it inside the second brackets.",
        ),
        Mistake(
            "quick",
            _gate_of(lambda z: z * sigmoid(1.702 * z)),
            "This is the sigmoid approximation of GELU; the equation has the exact one.",
        ),
        Mistake("bilinear", _gate_of(lambda z: z), "The gate has no activation: this is the bilinear member."),
        Mistake(
            "cdf-alone",
            _gate_of(_normal_cdf),
            "Your gate is Φ(z) alone; GELU has one more factor, z.",
        ),
        Mistake(
            "erf-unscaled",
            _gate_of(lambda z: z * (1 + _erf(z)) / 2),
            "Inside erf the argument must be divided by √2.",
        ),
        Mistake(
            "erf-over-two",
            _gate_of(lambda z: z * (1 + _erf(z / 2)) / 2),
            "Inside erf the argument must be divided by √2; you divided it by 2.",
        ),
        Mistake(
            "erf-without-one",
            _gate_of(lambda z: z * _erf(z / math.sqrt(2)) / 2),
            "Φ(z) is (1 + erf(z/√2)) / 2: the 1 is missing before erf.",
        ),
        Mistake(
            "gate-times-itself",
            lambda x, W, V, b, c: _gelu(x @ W + b) * (x @ W + b),
            "V and c are not used: both of your branches are x W + b.",
        ),
        Mistake(
            "biases-on-matrices",
            lambda x, W, V, b, c: _gelu(x @ (W + b)) * (x @ (V + c)),
            "The biases are added to the matrices, so x multiplies them, too. The equation multiplies first and then adds b or c.",
        ),
        Mistake(
            "gelu-on-product",
            lambda x, W, V, b, c: _gelu((x @ W + b) * (x @ V + c)),
            "GELU acts on the product here. Apply it to one branch, before you multiply.",
        ),
        Mistake(
            "both-gelu",
            lambda x, W, V, b, c: _gelu(x @ W + b) * _gelu(x @ V + c),
            "GELU acts on both branches; one of them stays linear.",
        ),
        Mistake(
            "no-linear-branch",
            lambda x, W, V, b, c: _gelu(x @ W + b),
            "V and c are not used: multiply the gate by x V + c.",
        ),
        Mistake(
            "minus-b",
            lambda x, W, V, b, c: _gelu(x @ W - b) * (x @ V + c),
            "b is subtracted; the equation adds it.",
        ),
        Mistake(
            "W-twice",
            lambda x, W, V, b, c: _gelu(x @ W + b) * (x @ W + c),
            "Both branches use W; the second one has a matrix of its own.",
        ),
        *two_at_once(
            "{}, and {}", _GATE, _BRANCHES, _both, right=(_gelu, lambda f, x, W, V, b, c: f(x @ W + b) * (x @ V + c))
        ),
        Mistake(
            "swapped-without-c",
            lambda x, W, V, b, c: _gelu(x @ V) * (x @ W + b),
            "Two things are wrong: the branches have changed places, and c is missing.",
            two=True,
        ),
    ),
    hints=(
        "Translate the paper's letters first: W and b make the gate, V and c the up value. There is no third matrix here.",
        "x has shape (..., d_model); W and V have (d_model, d_ff); b, c have (d_ff,); the result has (..., d_ff).",
        "Start with: gate = torch.nn.functional.gelu(…), which is the exact form, and return gate * ….",
    ),
    right="You can read a member of the family off its equation, whatever its letters are.",
)

"""Exercise: write SwiGLU in NumPy."""

import math

import numpy as np

from lessons.bonus_swiglu.shared import sigmoid, silu, sizes_to_try
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _gelu(z):
    return z * (1 + np.vectorize(math.erf, otypes=[np.float64])(z / math.sqrt(2))) / 2


def _gelu_tanh(z):
    return z * (1 + np.tanh(math.sqrt(2 / math.pi) * (z + 0.044715 * z**3))) / 2


def _softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _cases(rng):
    cases = []
    for lead, sizes in sizes_to_try():
        d_model, d_ff = sizes["d_model"], sizes["d_ff"]
        shapes = ((*lead, d_model), (d_model, d_ff), (d_model, d_ff), (d_ff, d_model))
        cases.append(Case(tuple(rng.normal(size=shape) for shape in shapes), sizes))
    return cases


def _unit_by_unit(x, W_gate, W_up, W_down):
    """Add up unit by unit with plain numbers, with the sigmoid written as (1 + tanh(z/2)) / 2."""
    y = np.zeros(x.shape)
    for place in np.ndindex(x.shape[:-1]):
        for unit in range(W_gate.shape[1]):
            z = math.fsum(x[place][i] * W_gate[i, unit] for i in range(x.shape[-1]))
            up = math.fsum(x[place][i] * W_up[i, unit] for i in range(x.shape[-1]))
            y[place] += z * (1 + math.tanh(z / 2)) / 2 * up * W_down[unit]
    return y


def _gate_of(activation):
    return lambda x, W_gate, W_up, W_down: (activation(x @ W_gate) * (x @ W_up)) @ W_down


# What can be wrong in the gate's function and in how the branches meet.
_GATE = {
    "glu": (
        sigmoid,
        "the gate is σ(z), without the factor z",
        "This is the original GLU: your gate is σ(z) alone, and SiLU has one more factor, z.",
    ),
    "minus-gate": (
        lambda z: z * sigmoid(-z),
        "the sign inside the exponential is flipped",
        "Look at the sign inside the exponential: your gate opens for negative z.",
    ),
    "no-one": (
        lambda z: z / np.exp(-z),
        "the 1 before the exponential is missing",
        "SiLU divides by 1 + exp(−z); in yours the 1 is missing, so the gate grows far too fast.",
    ),
    "tanh": (np.tanh, "the gate is a tanh", "The gate is a tanh here; write out SiLU from its definition."),
    "reglu": (lambda z: np.maximum(z, 0), "the gate is a ReLU", "This is ReGLU: the gate passes through a ReLU."),
    "geglu": (_gelu, "the gate is a GELU", "This is GEGLU, another member of the family: the gate is a GELU here."),
}
_MEET = {
    "swapped": (
        lambda f, x, g, u: f(x @ u) * (x @ g),
        "W_gate and W_up have changed places",
        "The two branches are swapped: look again which of them passes through the activation.",
    ),
    "added": (
        lambda f, x, g, u: f(x @ g) + x @ u,
        "the branches are added and not multiplied",
        "The branches are added: a gate has to scale the up value.",
    ),
    "no-up": (
        lambda f, x, g, u: f(x @ g),
        "W_up is not used",
        "W_up is not used: without it this is a plain FFN with SiLU.",
    ),
    "both": (lambda f, x, g, u: f(x @ g) * f(x @ u), "both branches pass through the function"),
}


def _both(gate, meet):
    return lambda x, W_gate, W_up, W_down: meet(gate, x, W_gate, W_up) @ W_down


EXERCISE = Exercise(
    id="bonus_swiglu.forward",
    kind="function",
    cases=_cases,
    oracle=_unit_by_unit,
    returns=(Returns("y", ("...", "d_model")),),
    mistakes=(
        Mistake(
            "silu-on-sum",
            lambda x, g, u, d: silu(x @ g + x @ u) @ d,
            "The branches are added, and SiLU acts on their sum. Apply SiLU to one branch, then multiply the two.",
        ),
        Mistake(
            "silu-on-product",
            lambda x, g, u, d: silu((x @ g) * (x @ u)) @ d,
            "SiLU acts on the product of the branches here. Apply it to one of them, before you multiply.",
        ),
        Mistake("geglu-tanh", _gate_of(_gelu_tanh), "This is GEGLU: the gate is a GELU here, in its tanh form."),
        Mistake(
            "geglu-sigmoid",
            _gate_of(lambda z: z * sigmoid(1.702 * z)),
            "This is GEGLU: the gate is a GELU here, in its sigmoid form. SiLU has no factor 1.702.",
        ),
        Mistake("bilinear", _gate_of(lambda z: z), "The gate has no activation here: this is the bilinear member."),
        Mistake(
            "no-gate",
            lambda x, g, u, d: (x @ u) @ d,
            "W_gate is not used: what remains is two linear layers in a row, which amount to a single one.",
        ),
        Mistake(
            "silu-on-up-only",
            lambda x, g, u, d: silu(x @ u) @ d,
            "W_gate is not used: the up value is its own gate here.",
        ),
        Mistake(
            "gate-twice",
            lambda x, g, u, d: (silu(x @ g) * (x @ g)) @ d,
            "Both branches use W_gate; the up value has a matrix of its own, W_up.",
        ),
        Mistake(
            "residual",
            lambda x, g, u, d: x + (silu(x @ g) * (x @ u)) @ d,
            "x was added to the result: the residual belongs to the block around the FFN.",
        ),
        Mistake(
            "softmax",
            _gate_of(_softmax),
            "A softmax makes the units of a token compete, but every gate opens on its own.",
        ),
        Mistake(
            "softmax-for-sigma",
            _gate_of(lambda z: z * _softmax(z)),
            "The gate is z times a softmax: SiLU is z · σ(z), and the sigmoid looks at one unit alone.",
        ),
        Mistake("gate-squared", _gate_of(lambda z: silu(z) ** 2), "The gate is squared: it scales the up value once."),
        Mistake("silu-twice", _gate_of(lambda z: silu(silu(z))), "SiLU is applied twice to the gate."),
        Mistake(
            "z-squared",
            _gate_of(lambda z: z * silu(z)),
            "There is one factor z too many: SiLU already contains it.",
        ),
        Mistake(
            "both-silu",
            lambda x, g, u, d: (silu(x @ g) * silu(x @ u)) @ d,
            "SiLU acts on both branches; one of them stays linear.",
        ),
        Mistake(
            "maximum",
            lambda x, g, u, d: np.maximum(silu(x @ g), x @ u) @ d,
            "You took the larger of the two branches; a gate scales the up value.",
        ),
        Mistake(
            "extra-relu",
            lambda x, g, u, d: np.maximum(silu(x @ g) * (x @ u), 0) @ d,
            "The negative hidden values are gone: no activation follows the product.",
        ),
        Mistake(
            "silu-on-x",
            lambda x, g, u, d: ((silu(x) @ g) * (x @ u)) @ d,
            "SiLU acts on the input; apply it after the product with W_gate.",
        ),
        Mistake(
            "silu-at-the-end",
            lambda x, g, u, d: silu(((x @ g) * (x @ u)) @ d),
            "SiLU acts on the output, where it is too late to open or close single units.",
        ),
        Mistake(
            "one-plus-up",
            lambda x, g, u, d: (silu(x @ g) * (1 + x @ u)) @ d,
            "1 was added to the up value, and the equation has no such term.",
        ),
        *two_at_once("{}, and {}", _GATE, _MEET, _both, right=(silu, lambda f, x, g, u: f(x @ g) * (x @ u))),
    ),
    hints=(
        "Compute two branches from the same x, pass one of them through SiLU, and multiply them entry by entry.",
        "x has shape (..., d_model); both branches have shape (..., d_ff); y has the shape of x again.",
        "Start with: z = x @ W_gate, and then gate = z / (1 + np.exp(-z)).",
    ),
    right="That is the feed-forward network of LLaMA, in a few lines.",
)

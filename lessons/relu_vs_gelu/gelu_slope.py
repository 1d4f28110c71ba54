"""Compute the slope of GELU."""

import math

import numpy as np

from course_lib.model.tensors import as_tensor
from courseware.arguments import is_tensor
from whywrong.task import Case, Exercise, Mistake, Returns

SQRT2, SQRT_2PI = math.sqrt(2), math.sqrt(2 * math.pi)
_AXES = {1: ("n",), 2: ("rows", "n"), 3: ("batch", "rows", "n")}


def _cases(rng):
    """Draw values on both sides of zero, with a few chosen ones among them: 0, and some far out."""
    chosen = ([0.0, 2.6, -1.4, -7.5], [-2.7, 8.5, -0.75], [1.3, -0.2, -3.1])
    cases = []
    for shape, extra in zip(((7,), (2, 5), (2, 3, 5)), chosen, strict=True):
        x = 2 * rng.normal(size=shape)
        x.flat[: len(extra)] = extra
        x = rng.permutation(x.ravel()).reshape(shape)
        cases.append(Case((x,), dict(zip(_AXES[x.ndim], x.shape, strict=True))))
    return cases


def _slope(value):
    """Compute the slope at one number with Python's math."""
    return math.erfc(-value / SQRT2) / 2 + value * math.exp(-value * value / 2) / SQRT_2PI


def erf(x):
    """Return erf(x) of an array of any shape; of a tensor as torch computes it, to the last digit."""
    return x.erf() if is_tensor(x) else _erf(x)


_erf = np.vectorize(math.erf, otypes=[np.float64])


def share_below(x):
    """Return Φ(x), the normal distribution function, of an array or a tensor of any shape."""
    return (1 + erf(x / SQRT2)) / 2


def bell(x):
    """Return φ(x), the bell curve of the normal distribution, of an array of any shape."""
    return np.exp(-x * x / 2) / SQRT_2PI


EXERCISE = Exercise(
    id="relu_vs_gelu.gelu_slope",
    kind="function",
    cases=_cases,
    oracle=lambda x: np.array([_slope(float(value)) for value in x.ravel()]).reshape(x.shape),
    returns=(Returns("the result", ("...",)),),
    tensor=as_tensor,
    tolerance=3e-8,  # so that a root taken in float32 passes, and a difference quotient, but not an x in float32
    mistakes=(
        Mistake("value", lambda x: x * share_below(x), "This is GELU itself, x Φ(x). The exercise asks for its slope."),
        Mistake(
            "gate-alone",
            share_below,
            "This is Φ(x) alone, as if the gate stayed where it is. But it opens while x grows, which adds x times the slope of Φ.",
        ),
        Mistake(
            "bell-alone",
            bell,
            "This is φ(x), the slope of the gate alone. The slope of a product has two parts: each factor's slope, times the other factor.",
        ),
        Mistake(
            "second-part-alone",
            lambda x: x * bell(x),
            "This is x times the slope of the gate. The other part is missing: the slope of x, which is 1, times the gate.",
        ),
        Mistake(
            "no-x",
            lambda x: share_below(x) + bell(x),
            "The factor x before φ(x) is missing: in the second part, the slope of the gate is multiplied by x.",
        ),
        Mistake(
            "relu",
            lambda x: (x > 0).astype(float),
            "This is ReLU's slope, 0 or 1. GELU's gate opens little by little, so its slope has no such jump.",
        ),
        Mistake(
            "erf-without-root",
            lambda x: (1 + erf(x)) / 2 + x * bell(x),
            "Your Φ rises too quickly: inside erf, x has to be divided by √2. The second part is right.",
        ),
        Mistake(
            "bell-unscaled",
            lambda x: share_below(x) + x * np.exp(-x * x / 2),
            "Φ(x) is right, but your bell curve is 2.5 times too high: divide it by √(2π).",
        ),
    ),
    hints=(
        "GELU is a product, x times Φ(x), and both factors change while x grows: so the slope has two parts.",
        "The slope of x is 1, and the slope of Φ(x) is φ(x). Multiply each by the other factor. At 0, a half comes out.",
        "Start with: share_below = … / 2 and bell = … / (2 * np.pi) ** 0.5. The slope is share_below + ….",
    ),
    right="This is Φ(x) + x φ(x). It is 0 at x = −0.75, to two decimals, where GELU is lowest.",
)

"""Compute the slope of GELU, exactly."""

import math

import numpy as np

from course_lib.arguments import to_numpy
from course_lib.model.tensors import as_tensor
from lessons.relu_vs_gelu.shared import (
    RESULT,
    SQRT2,
    SQRT_2PI,
    TANH_FACTOR,
    array_case,
    density,
    draw_values,
    each,
    erf,
    share_below,
    sigmoid,
)
from whywrong.task import Exercise, Mistake, two_at_once

_EXACT = 1e-14  # closed forms agree to a few 1e-16; no difference quotient comes this close on all cases


def _slope_cases(rng):
    """Draw the values of the other exercises, and add some so large that the step of a difference quotient drowns."""
    far = rng.uniform(1e5, 1e7, size=3)
    values = draw_values(rng)
    values.append(np.concatenate([far, -far[:1], rng.normal(size=3)]))
    return [array_case(x) for x in values]


def _slope(x):
    """Return the slope of GELU at a number, from erfc, which is accurate for negative x too."""
    return math.erfc(-x / SQRT2) / 2 + x * math.exp(-x * x / 2) / SQRT_2PI


def _tanh_slope(x):
    t = np.tanh(TANH_FACTOR * (x + 0.044715 * x**3))
    return (1 + t + x * (1 - t * t) * TANH_FACTOR * (1 + 3 * 0.044715 * x**2)) / 2


def _difference(x, step=1e-5):
    return ((x + step) * share_below(x + step) - (x - step) * share_below(x - step)) / (2 * step)


def _run_slope(answer, case):
    """Return the answer's slopes; if they are close to the right ones and yet not exact, those of the named mistake.

    In this way a difference quotient is known whatever its step. Only ordinary values must be close: farther out the
    error of a quotient grows without bound.
    """
    (x,) = case.args
    slopes = answer(x)
    if not isinstance(slopes, type(x)) or slopes.shape != x.shape or slopes.dtype != x.dtype:
        return slopes
    found, array = to_numpy(slopes), to_numpy(x)
    right, ordinary = each(_slope)(array), np.abs(array) < 100
    close = np.allclose(found[ordinary], right[ordinary], rtol=0, atol=4.5e-4) and bool(np.isfinite(found).all())
    exact = np.allclose(found, right, rtol=0, atol=_EXACT)
    tanh_form = np.allclose(found, _tanh_slope(array), rtol=1e-9, atol=1e-9)
    return _difference(x) if close and not exact and not tanh_form else slopes


# What can be wrong in the two terms at once.
_FIRST = {
    "gate-doubled": (lambda x: 1 + erf(x / SQRT2), "the ½ before 1 + erf is missing"),
    "erf-without-root": (lambda x: (1 + erf(x)) / 2, "x is not divided by √2 inside erf"),
    "bare-erf": (lambda x: erf(x / SQRT2), "erf stands for Φ, without the 1 and the ½"),
    "no-one": (lambda x: erf(x / SQRT2) / 2, "the 1 before erf is missing"),
}
_SECOND = {
    "no-x": (density, "the factor x is missing"),
    "subtracted": (lambda x: -x * density(x), "it is subtracted instead of added"),
    "no-scale": (lambda x: x * np.exp(-x * x / 2), "the bell curve is not divided by √(2π)"),
    "no-root": (lambda x: x * np.exp(-x * x / 2) / (2 * math.pi), "2π has no root"),
    "root-of-pi": (lambda x: x * np.exp(-x * x / 2) / math.sqrt(math.pi), "the 2 under the root is missing"),
    "no-half": (lambda x: x * np.exp(-x * x) / SQRT_2PI, "the ½ in the exponent is missing"),
    "without-minus": (lambda x: x * np.exp(x * x / 2) / SQRT_2PI, "the minus in the exponent is missing"),
}
_SCALES = {name: part for name, part in _SECOND.items() if name not in ("no-x", "subtracted")}
_SIGN = {"subtracted": (-1, "it is subtracted instead of added")}


def _second(second, sign):
    return lambda x: share_below(x) + sign * second(x)


def _both(first, second):
    return lambda x: first(x) + second(x)


EXERCISE = Exercise(
    id="relu_vs_gelu.gelu_grad",
    kind="function",
    cases=_slope_cases,
    oracle=each(_slope),
    run=_run_slope,
    returns=RESULT,
    tensor=as_tensor,
    tolerance=_EXACT,
    mistakes=(
        Mistake(
            "first-term",
            share_below,
            "One term is right, but the gate changes with x as well: the product rule gives a second term.",
        ),
        Mistake(
            "second-term",
            lambda x: x * density(x),
            "One term is right, but the factor x changes too: the product rule gives another term.",
        ),
        Mistake(
            "product-of-slopes",
            lambda x: share_below(x) * density(x),
            "Φ and φ are multiplied: the slope of a product is a sum of two terms, and in each one factor is differentiated.",
        ),
        Mistake(
            "bell-times-pi",
            lambda x: share_below(x) + x * np.exp(-x * x / 2) / 2 * math.pi,
            "The bell curve is halved and then multiplied by π: it has to be divided by the root of 2π, so put brackets around that root.",
        ),
        Mistake(
            "bell-without-minus",
            lambda x: share_below(x) + x * np.exp(x * x / 2) / math.sqrt(2 * math.pi),
            "The bell curve grows without end here: its exponent lacks the minus, which stands before the square and not under it.",
        ),
        Mistake(
            "no-x",
            lambda x: share_below(x) + density(x),
            "You have both terms of the product rule, but a factor is missing in the second one.",
        ),
        Mistake(
            "no-x-scaled",
            lambda x: share_below(x) + x * x * density(x),
            "In the second term there is one factor x too many: it is x φ(x).",
        ),
        Mistake(
            "bell-of-one",
            lambda x: share_below(x) - x * x * density(x),
            "The second term is x φ(x); yours is −x² φ(x), as if the bell curve had been differentiated once more.",
        ),
        Mistake(
            "erf-slope",
            lambda x: share_below(x) + x * np.exp(-x * x / 2) / math.sqrt(math.pi) * 2,
            "You used the slope of erf without scaling it down to that of Φ: φ(x) = exp(−x²/2) / √(2π).",
        ),
        Mistake(
            "erf-slope-unscaled",
            lambda x: share_below(x) + x * 2 / math.sqrt(math.pi) * np.exp(-x * x),
            "The second term has the slope of erf itself. Φ(x) is half of 1 + erf(x/√2), so apply the chain rule.",
        ),
        Mistake(
            "subtracted", lambda x: share_below(x) - x * density(x), "Both terms are right, but they have to be added."
        ),
        Mistake(
            "crossed",
            lambda x: x * share_below(x) + density(x),
            "In each term of the product rule one factor is differentiated and the other is not: you crossed them.",
        ),
        Mistake(
            "product",
            density,
            "The derivative of a product is not the product of the derivatives: the product rule has two terms.",
        ),
        Mistake(
            "all-multiplied",
            lambda x: share_below(x) * x * density(x),
            "The two terms of the product rule are added; you multiplied them.",
        ),
        Mistake(
            "root-of-pi-above",
            lambda x: share_below(x) + x * np.exp(-x * x / 2) / 2 * math.sqrt(math.pi),
            "Python reads `/ 2 * π**0.5` from left to right, so the root multiplies: divide by (2 * π) ** 0.5.",
        ),
        Mistake(
            "gate-doubled",
            lambda x: 1 + erf(x / SQRT2) + x * density(x),
            "The first term is twice too large: Φ(x) is half of 1 + erf(x/√2).",
        ),
        Mistake(
            "no-scale",
            lambda x: share_below(x) + x * np.exp(-x * x / 2),
            "The bell curve is not scaled: the area under it has to be 1.",
        ),
        Mistake(
            "no-root",
            lambda x: share_below(x) + x * np.exp(-x * x / 2) / (2 * math.pi),
            "The bell curve is divided by 2π, without the square root.",
        ),
        Mistake(
            "root-of-pi",
            lambda x: share_below(x) + x * np.exp(-x * x / 2) / math.sqrt(math.pi),
            "The second term is √2 times too large: the bell curve is exp(−x²/2) / √(2π), with the 2 under the root.",
        ),
        Mistake(
            "no-half",
            lambda x: share_below(x) + x * np.exp(-x * x) / SQRT_2PI,
            "The bell curve is too narrow: its exponent lacks the ½.",
        ),
        Mistake(
            "erf-without-root",
            lambda x: (1 + erf(x)) / 2 + x * density(x),
            "The second term is right; in the first, x is not divided by √2 inside erf.",
        ),
        Mistake(
            "bare-erf",
            lambda x: erf(x / SQRT2) + x * density(x),
            "The second term is right; the first is erf itself, which runs from −1 to 1: to get Φ, add 1 and halve it.",
        ),
        Mistake(
            "no-one",
            lambda x: erf(x / SQRT2) / 2 + x * density(x),
            "The slope should be near 1 far to the right, but yours ends at ½: in Φ, 1 is added to erf before halving.",
        ),
        Mistake(
            "difference",
            _difference,
            "Very close, but not exact: a difference of two values divided by a step, float32 on the way, or a rounded "
            "constant such as 3.14159 always leaves an error. Take the product rule, float64 and torch.pi.",
        ),
        Mistake(
            "tanh-form",
            _tanh_slope,
            "This is the slope of the tanh form: differentiate the exact GELU.",
        ),
        Mistake(
            "silu",
            lambda x: sigmoid(x) * (1 + x * (1 - sigmoid(x))),
            "This is the slope of SiLU: GELU's gate is Φ, not the sigmoid.",
        ),
        Mistake(
            "sigmoid-form",
            lambda x: sigmoid(1.702 * x) * (1 + 1.702 * x * (1 - sigmoid(1.702 * x))),
            "This is the slope of the sigmoid form: differentiate the exact GELU.",
        ),
        Mistake("value", lambda x: x * share_below(x), "This is GELU itself, not its slope."),
        Mistake(
            "relu",
            lambda x: (x > 0).astype(x.dtype),
            "This is the slope of ReLU, a step: GELU's slope passes through ½ at 0.",
        ),
        Mistake(
            "second-derivative",
            lambda x: (2 - x * x) * density(x),
            "You differentiated one time too many: this is the slope of the slope.",
        ),
        Mistake(
            "slope-of-a-sigmoid",
            lambda x: share_below(x) + x * share_below(x) * (1 - share_below(x)),
            "Φ(1 − Φ) would be the slope of Φ if Φ were a sigmoid; the slope of Φ is φ.",
        ),
        *two_at_once("in the first term {}, and in the second {}", _FIRST, _SECOND, _both),
        *two_at_once("in the second term {}, and {}", _SCALES, _SIGN, _second),
    ),
    hints=(
        "x Φ(x) is a product of two functions of x, and the slope of Φ is the bell curve φ(x) = exp(−x²/2) / √(2π).",
        "The result has the shape of x. The product rule gives two terms; at x = 0 they are ½ and 0.",
        "Start with the two functions: share_below as in the exercise above, and density = torch.exp(-(x**2) / 2) / (2 * torch.pi) ** 0.5.",
    ),
    right="This is the exact slope, everywhere.",
)

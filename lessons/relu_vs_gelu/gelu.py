"""Compute the exact GELU."""

import math

import numpy as np

from course_lib.model.numpy_ffn import relu
from course_lib.model.tensors import as_tensor
from lessons.relu_vs_gelu.shared import (
    RESULT,
    SQRT2,
    TANH_FACTOR,
    array_cases,
    density,
    each,
    erf,
    share_below,
    sigmoid,
)
from whywrong.task import Exercise, Mistake, two_at_once

# What can be wrong inside erf and around it at once.
_INSIDE = {
    "no-root": (erf, "x is not divided by √2"),
    "times-root": (lambda x: erf(x * SQRT2), "x is multiplied by √2 instead of divided by it"),
    "over-two": (lambda x: erf(x / 2), "x is divided by 2 instead of √2"),
    "tanh": (lambda x: np.tanh(x / SQRT2), "the function is tanh instead of erf"),
}
_AROUND = {
    "no-half": (
        lambda x, e: x * (1 + e),
        "the ½ is missing",
        "Your gate runs from 0 to 2, so large inputs come out doubled.",
    ),
    "no-one": (
        lambda x, e: x * e / 2,
        "the 1 is missing",
        "Your gate runs from −½ to ½: erf runs from −1 to 1, so add 1 before you halve it.",
    ),
    "bare": (lambda x, e: x * e, "the 1 and the ½ are missing"),
    "no-x": (lambda x, e: (1 + e) / 2, "the factor x is missing"),
    "minus": (
        lambda x, e: x * (1 - e) / 2,
        "erf is subtracted instead of added",
        "Your gate is open for negative inputs and closed for positive ones: look at the sign before erf.",
    ),
    "half-on-one": (lambda x, e: x * (0.5 + e), "only the 1 is halved"),
}


def _both(inside, around):
    return lambda x: around(x, inside(x))


EXERCISE = Exercise(
    id="relu_vs_gelu.gelu",
    kind="function",
    cases=array_cases,
    oracle=each(lambda x: x * math.erfc(-x / SQRT2) / 2),
    returns=RESULT,
    tensor=as_tensor,
    tolerance=1e-6,  # so that a root taken in float32 passes; the closest approximation is 500 times farther away
    mistakes=(
        Mistake(
            "tanh-form",
            lambda x: x * (1 + np.tanh(TANH_FACTOR * (x + 0.044715 * x**3))) / 2,
            "This is the tanh form, which is close but not equal: it is off by up to half a thousandth. The exercise asks for the exact GELU.",
        ),
        Mistake(
            "sigmoid-form",
            lambda x: x * sigmoid(1.702 * x),
            "This is the sigmoid form with its 1.702, which is off by up to 0.02. The exact GELU uses Φ.",
        ),
        Mistake(
            "silu",
            lambda x: x * sigmoid(x),
            "This is SiLU: its gate is the logistic curve, while GELU's gate belongs to the normal distribution.",
        ),
        Mistake("gate-alone", share_below, "This is the gate Φ(x) alone: the value itself has to pass through it."),
        Mistake(
            "density",
            lambda x: x * density(x),
            "The gate is the bell curve here, which falls again for large x. Φ(x) is the area under it, up to x.",
        ),
        Mistake(
            "erf-without-root",
            lambda x: x * (1 + erf(x)) / 2,
            "Your gate opens too quickly: erf measures in units of √2 standard deviations, so x must be scaled first.",
        ),
        Mistake(
            "erf-times-root",
            lambda x: x * (1 + erf(x * SQRT2)) / 2,
            "Inside erf you multiplied x by √2; divide by √2 instead.",
        ),
        Mistake(
            "erf-half",
            lambda x: x * (1 + erf(x / 2)) / 2,
            "Your gate opens too slowly: inside erf, x is divided by 2 instead of √2.",
        ),
        Mistake(
            "bare-erf",
            lambda x: x * erf(x),
            "erf itself is not a share: it runs from −1 to 1, so add 1 and halve it. And its argument is x/√2.",
        ),
        Mistake(
            "x-alone",
            lambda x: x + erf(x / SQRT2) / 2,
            "x stands outside the gate here and only erf is halved: x multiplies the whole of (1 + erf) / 2.",
        ),
        Mistake(
            "root-precedence",
            lambda x: x * (1 + erf(x / 4)) / 2,
            "Inside erf, x is divided by 4: Python reads `x / 2**1/2` as (x / 2) / 2, so put brackets around 1/2.",
        ),
        Mistake(
            "erf-root-of-pi",
            lambda x: x * (1 + erf(x / math.sqrt(math.pi))) / 2,
            "Inside erf, x is divided by √π; it has to be √2.",
        ),
        Mistake(
            "tanh-for-erf",
            lambda x: x * (1 + np.tanh(x / SQRT2)) / 2,
            "The gate is built right, but it uses tanh where erf belongs.",
        ),
        Mistake(
            "sigmoid-for-erf",
            lambda x: x * (1 + sigmoid(x / SQRT2)) / 2,
            "The gate uses a sigmoid where erf belongs.",
        ),
        Mistake(
            "x-times-one",
            lambda x: x / 2 + erf(x / SQRT2) / 2,
            "x multiplies the 1 but not erf: put brackets around 1 + erf.",
        ),
        Mistake(
            "x-plus-erf",
            lambda x: x + erf(x / SQRT2),
            "x multiplies the whole of 1 + erf, and the half is missing: put brackets around the sum, and ½ before it.",
        ),
        Mistake(
            "no-half-no-root",
            lambda x: x * (1 + erf(x)),
            "Two things are missing: the ½ before the bracket, and the √2 by which x is divided inside erf.",
        ),
        Mistake(
            "half-only-on-one",
            lambda x: x * (0.5 + erf(x / SQRT2)),
            "Only the 1 is halved. The ½ belongs in front of the whole bracket, so that erf is halved as well.",
        ),
        Mistake(
            "plus-gate",
            lambda x: x + share_below(x),
            "The gate was added to x; it multiplies x.",
        ),
        Mistake(
            "bell-unscaled",
            lambda x: x * np.exp(-x * x / 2),
            "The gate is a bell curve here, which falls again for large x. Φ(x) is the area under the bell, up to x.",
        ),
        Mistake(
            "erf-gate",
            lambda x: x * erf(x / SQRT2),
            "Your gate runs from −1 to 1: erf itself is not yet a share between 0 and 1.",
        ),
        Mistake(
            "x-squared",
            lambda x: x * x * share_below(x),
            "There is one factor x too many: the value passes through the gate once.",
        ),
        Mistake(
            "gate-squared",
            lambda x: x * share_below(x) ** 2,
            "The gate is applied twice: one factor Φ(x) is enough.",
        ),
        Mistake("relu", relu, "This is ReLU, whose gate is either open or closed."),
        Mistake(
            "softplus",
            lambda x: np.logaddexp(0, x),
            "This is softplus, which never goes below 0; GELU does.",
        ),
        Mistake(
            "one-inside-erf",
            lambda x: x * erf(1 + x / SQRT2) / 2,
            "The 1 is inside erf; add it to the result of erf instead.",
        ),
        Mistake(
            "running-total",
            lambda x: x * density(x).cumsum(0),
            "You added up the bell curve at the values that happen to be in x. Φ(x) is the area under the whole curve up to x, which torch.erf can compute.",
        ),
        *two_at_once(
            "inside erf {}, and around it {}",
            _INSIDE,
            _AROUND,
            _both,
            {("no-root", "no-half"), ("no-root", "bare")},
            right=(lambda x: erf(x / SQRT2), lambda x, e: x * (1 + e) / 2),
        ),
        Mistake(
            "minus-no-half",
            lambda x: x * (1 - erf(x / SQRT2)),
            "Two things are wrong: erf is subtracted instead of added, and the ½ is missing.",
            two=True,
        ),
        Mistake(
            "no-x-no-half",
            lambda x: 1 + erf(x / SQRT2),
            "Two things are missing: the factor x, and the ½.",
            two=True,
        ),
    ),
    hints=(
        "Φ(x) is the share of a standard normal population below x. torch.erf gives it after a shift and a scaling.",
        "x may have any shape; Φ(x) has the same shape and lies between 0 and 1: Φ(0) = ½, and Φ(1) is about 0.84.",
        "Start with: share_below = (1 + torch.erf(x / 2**0.5)) / 2.",
    ),
    right="This is the exact GELU, not one of its approximations.",
)

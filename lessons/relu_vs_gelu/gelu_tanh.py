"""Compute the tanh form of GELU."""

import math

import numpy as np

from course_lib.model.numpy_ffn import relu
from course_lib.model.tensors import as_tensor
from lessons.relu_vs_gelu.shared import (
    RESULT,
    SQRT2,
    TANH_FACTOR,
    array_case,
    array_cases,
    each,
    erf,
    share_below,
    sigmoid,
)
from whywrong.task import Exercise, Mistake, two_at_once


def _inner(x, factor=TANH_FACTOR, cubic=0.044715, power=3):
    return factor * (x + cubic * x**power)


def _tanh_form(factor=TANH_FACTOR, cubic=0.044715, one=1.0, half=0.5, power=3):
    """Make the tanh form with other constants: factor √(2/π), the coefficient and the power of the correction."""
    return lambda x: half * x * (one + np.tanh(_inner(x, factor, cubic, power)))


def _cases(rng):
    """Draw the values of the other exercises, and 30 and −30, at which a tanh written with exp overflows."""
    return [*array_cases(rng), array_case(rng.permutation(np.array([30.0, -30.0, 0.5, -1.5, 2.2])))]


def _by_exp(x):
    """Take another route to the same number: (1 + tanh u) / 2 = 1 / (1 + exp(−2u))."""
    return x / (1 + math.exp(min(-2 * math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x), 700)))


# What can be wrong inside tanh and around it at once.
_INSIDE = {
    "square": ({"power": 2}, "the correction has x² instead of x³"),
    "linear": ({"power": 1}, "the correction has x without its power of 3"),
    "no-cubic": ({"cubic": 0.0}, "the cubic term is missing"),
    "ten-times": ({"cubic": 0.44715}, "the coefficient is ten times too large"),
    "no-factor": ({"factor": 1.0}, "the factor √(2/π) is missing"),
    "no-root": ({"factor": 2 / math.pi}, "the factor lacks its root"),
    "root-of-two": ({"factor": SQRT2 / math.pi}, "the root covers only the 2"),
    "upside-down": ({"factor": 1 / TANH_FACTOR}, "the fraction under the root is upside down"),
}
_AROUND = {
    "no-half": (lambda x, u: x * (1 + np.tanh(u)), "the ½ is missing"),
    "no-one": (lambda x, u: x * np.tanh(u) / 2, "the 1 is missing"),
    "no-x": (lambda x, u: (1 + np.tanh(u)) / 2, "the factor x is missing"),
    "minus": (lambda x, u: x * (1 - np.tanh(u)) / 2, "tanh is subtracted instead of added"),
    "sigmoid": (lambda x, u: x * (1 + sigmoid(u)) / 2, "there is a sigmoid where tanh belongs"),
    "erf": (lambda x, u: x * (1 + erf(u)) / 2, "there is erf where tanh belongs"),
}


_CUBIC = {name: _INSIDE[name] for name in ("square", "linear", "no-cubic", "ten-times")}
_FACTOR = {name: _INSIDE[name] for name in ("no-factor", "no-root", "root-of-two", "upside-down")}


def _both(constants, around):
    return lambda x: around(x, _inner(x, **constants))


def _inside(cubic, factor):
    return _tanh_form(**cubic, **factor)


EXERCISE = Exercise(
    id="relu_vs_gelu.gelu_tanh",
    kind="function",
    cases=_cases,
    oracle=each(_by_exp),
    returns=RESULT,
    tensor=as_tensor,
    tolerance=1e-6,  # so that a root taken in float32 passes
    mistakes=(
        Mistake(
            "exact",
            lambda x: x * share_below(x),
            "This is the exact GELU. The exercise asks for the tanh form, with its small error.",
        ),
        Mistake(
            "no-half-no-factor",
            _tanh_form(factor=1.0, half=1.0),
            "Two things are missing: the ½ before x, and the factor √(2/π) before the bracket inside tanh.",
        ),
        Mistake("no-cubic", _tanh_form(cubic=0.0), "The cubic term inside tanh is missing."),
        Mistake(
            "upside-down",
            _tanh_form(factor=math.sqrt(math.pi / 2)),
            "The fraction under the root is upside down: the factor before the bracket is below 1.",
        ),
        Mistake(
            "no-root",
            _tanh_form(factor=2 / math.pi),
            "The factor before the bracket lacks its square root.",
        ),
        Mistake(
            "root-of-two",
            _tanh_form(factor=SQRT2 / math.pi),
            "The root covers only the 2: π belongs under it as well.",
        ),
        Mistake(
            "root-of-pi",
            _tanh_form(factor=2 / math.sqrt(math.pi)),
            "The root covers only π: the 2 belongs under it as well.",
        ),
        Mistake(
            "root-of-product",
            _tanh_form(factor=math.sqrt(2 * math.pi)),
            "Under the root 2 and π are multiplied; it is 2 divided by π.",
        ),
        Mistake(
            "root-missing-over",
            _tanh_form(factor=1 / math.pi),
            "The factor is 1/π: Python reads `(2 / π) ** 1/2` as ((2 / π) ** 1) / 2, so put brackets around 1/2.",
        ),
        Mistake(
            "cube-of-the-sum",
            lambda x: x * (1 + np.tanh(TANH_FACTOR * (x + 0.044715 * x) ** 3)) / 2,
            "The power of 3 belongs to the last x alone; you cubed the whole bracket.",
        ),
        Mistake(
            "linear-correction",
            _tanh_form(power=1),
            "The correction is 0.044715 · x³; yours has x without the power of 3.",
        ),
        Mistake(
            "coefficient-on-x",
            lambda x: x * (1 + np.tanh(TANH_FACTOR * (0.044715 * x + x**3))) / 2,
            "The coefficient 0.044715 belongs to x³, not to x.",
        ),
        Mistake("fourth-power", _tanh_form(power=4), "The correction is cubic; yours has the fourth power of x."),
        Mistake(
            "rounded-coefficient",
            _tanh_form(cubic=0.0447),
            "The coefficient of the cubic term is rounded: it is 0.044715.",
        ),
        Mistake(
            "rounded-coefficient-more",
            _tanh_form(cubic=0.045),
            "The coefficient of the cubic term is rounded to 0.045: it is 0.044715.",
        ),
        Mistake(
            "digits-swapped",
            _tanh_form(cubic=0.04715),
            "The coefficient of the cubic term is 0.044715: a 4 is missing in yours.",
        ),
        Mistake(
            "erf-for-tanh",
            lambda x: x * (1 + erf(TANH_FACTOR * (x + 0.044715 * x**3))) / 2,
            "There is erf where the formula has tanh.",
        ),
        Mistake(
            "minus-tanh",
            lambda x: x * (1 - np.tanh(TANH_FACTOR * (x + 0.044715 * x**3))) / 2,
            "Your gate is open for negative inputs and closed for positive ones: look at the sign before tanh.",
        ),
        Mistake(
            "x-times-one",
            lambda x: (x + np.tanh(TANH_FACTOR * (x + 0.044715 * x**3))) / 2,
            "x/2 has to multiply the whole bracket, 1 + tanh.",
        ),
        Mistake(
            "half-x-alone",
            lambda x: x / 2 + np.tanh(TANH_FACTOR * (x + 0.044715 * x**3)),
            "x/2 is multiplied by 1 alone: put brackets around 1 + tanh.",
        ),
        Mistake(
            "one-inside-tanh",
            lambda x: x / 2 * np.tanh(1 + TANH_FACTOR * (x + 0.044715 * x**3)),
            "The 1 is inside tanh; add it to the result of tanh instead.",
        ),
        Mistake("no-factor", _tanh_form(factor=1.0), "The factor with the root, before the bracket, is missing."),
        Mistake(
            "ten-times",
            _tanh_form(cubic=0.44715),
            "The coefficient of the cubic term is ten times too large: a zero after the point is missing.",
        ),
        Mistake(
            "tenth",
            _tanh_form(cubic=0.0044715),
            "The coefficient of the cubic term is ten times too small: there is a zero too many after the point.",
        ),
        Mistake("minus-cubic", _tanh_form(cubic=-0.044715), "The cubic term has to be added to x; you subtracted it."),
        Mistake(
            "square", _tanh_form(power=2), "The correction is cubic, so that it has the sign of x; yours is squared."
        ),
        Mistake(
            "cubed-all",
            lambda x: x * (1 + np.tanh(TANH_FACTOR * (x + (0.044715 * x) ** 3))) / 2,
            "The power of 3 belongs to x alone; you cubed the coefficient with it.",
        ),
        Mistake(
            "cubic-outside",
            lambda x: x * (1 + np.tanh(TANH_FACTOR * x + 0.044715 * x**3)) / 2,
            "The factor with the root multiplies the whole bracket, and the cubic term is in it.",
        ),
        Mistake("no-half", _tanh_form(half=1.0), "The factor ½ is missing: large inputs come out doubled."),
        Mistake(
            "no-one",
            _tanh_form(one=0.0),
            "Your gate runs from −½ to ½: add 1 to tanh before you halve it.",
        ),
        Mistake(
            "gate-alone",
            lambda x: (1 + np.tanh(TANH_FACTOR * (x + 0.044715 * x**3))) / 2,
            "This is the gate alone: the value itself has to pass through it.",
        ),
        Mistake(
            "sigmoid",
            lambda x: x * sigmoid(TANH_FACTOR * (x + 0.044715 * x**3)),
            "You used a sigmoid where the formula has (1 + tanh) / 2: the two differ by a factor of 2 inside.",
        ),
        Mistake(
            "sigmoid-form",
            lambda x: x * sigmoid(1.702 * x),
            "This is the sigmoid form, the cruder of the two; the exercise asks for the tanh form.",
        ),
        Mistake("silu", lambda x: x * sigmoid(x), "This is SiLU; the exercise asks for the tanh form of GELU."),
        Mistake("relu", relu, "This is ReLU; the exercise asks for the tanh form of GELU."),
        *two_at_once("inside tanh {}, and around it {}", _INSIDE, _AROUND, _both, {("no-factor", "no-half")}),
        Mistake(
            "sigmoid-for-tanh",
            lambda x: x * (1 + sigmoid(_inner(x))) / 2,
            "There is a sigmoid where the formula has tanh.",
        ),
        *two_at_once("inside tanh {}, and {}", _CUBIC, _FACTOR, _inside),
        Mistake(
            "cubic-outside-no-half",
            lambda x: x * (1 + np.tanh(TANH_FACTOR * x + 0.044715 * x**3)),
            "Two things are wrong: the factor with the root multiplies the cubic term, too, and the ½ is missing.",
            two=True,
        ),
    ),
    hints=(
        "Build it from the inside out: the bracket with its cubic term, the factor, tanh, then add 1, halve and multiply by x.",
        "x may have any shape, and every step keeps it; torch.tanh works value by value.",
        "Start with: inner = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3).",
    ),
    right="This is the form that GPT-2's code computes.",
)

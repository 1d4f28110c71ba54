"""Compute the tanh form of GELU."""

import math

from course_lib.content import Exercise, Mistake
from course_lib.lessons.relu_vs_gelu.shared import RESULT, SQRT2, TANH_FACTOR, each, share_below, tensor_cases
from course_lib.model.one_thread import torch


def _tanh_form(factor=TANH_FACTOR, cubic=0.044715, one=1.0, half=0.5, power=3):
    """Make the tanh form with other constants: factor √(2/π), the coefficient and the power of the correction."""
    return lambda x: half * x * (one + torch.tanh(factor * (x + cubic * x**power)))


EXERCISE = Exercise(
    id="relu_vs_gelu.gelu_tanh",
    kind="function",
    cases=tensor_cases,
    # (1 + tanh u) / 2 = 1 / (1 + exp(−2u)): another route to the same numbers
    oracle=each(lambda x: x / (1 + math.exp(-2 * math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x)))),
    returns=RESULT,
    tolerance=1e-9,
    mistakes=(
        Mistake(
            "exact",
            lambda x: x * share_below(x),
            "This is the exact GELU. Here the tanh form is asked, with its small error.",
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
        Mistake("minus-cubic", _tanh_form(cubic=-0.044715), "The cubic term is added to x; you took it away."),
        Mistake(
            "square", _tanh_form(power=2), "The correction is cubic, so that it has the sign of x; yours is squared."
        ),
        Mistake(
            "cubed-all",
            lambda x: x * (1 + torch.tanh(TANH_FACTOR * (x + (0.044715 * x) ** 3))) / 2,
            "The power of 3 belongs to x alone; you cubed the coefficient with it.",
        ),
        Mistake(
            "cubic-outside",
            lambda x: x * (1 + torch.tanh(TANH_FACTOR * x + 0.044715 * x**3)) / 2,
            "The factor with the root multiplies the whole bracket, and the cubic term is in it.",
        ),
        Mistake("no-half", _tanh_form(half=1.0), "The factor ½ is missing: large inputs come out doubled."),
        Mistake(
            "no-one",
            _tanh_form(one=0.0),
            "Your gate runs from −½ to ½: before it is halved, tanh has to be lifted.",
        ),
        Mistake(
            "gate-alone",
            lambda x: (1 + torch.tanh(TANH_FACTOR * (x + 0.044715 * x**3))) / 2,
            "This is the gate alone: the value itself has to pass through it.",
        ),
        Mistake(
            "sigmoid",
            lambda x: x * torch.sigmoid(TANH_FACTOR * (x + 0.044715 * x**3)),
            "You used a sigmoid where the formula has (1 + tanh) / 2: the two differ by a factor of 2 inside.",
        ),
        Mistake(
            "sigmoid-form",
            lambda x: x * torch.sigmoid(1.702 * x),
            "This is the sigmoid form, the cruder of the two; the tanh form is asked.",
        ),
        Mistake("silu", lambda x: x * torch.sigmoid(x), "This is SiLU; the tanh form of GELU is asked."),
        Mistake("relu", torch.relu, "This is ReLU; the tanh form of GELU is asked."),
    ),
    hints=(
        "Build it from the inside out: the bracket with its cubic term, the factor, tanh, then lift, halve and multiply by x.",
        "x may have any shape, and every step keeps it; torch.tanh works value by value.",
        "Start with: inner = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3).",
    ),
    right="This is the form that GPT-2's code computes.",
)

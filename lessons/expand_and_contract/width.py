"""Exercise: the width of the hidden layer from an expansion factor."""

import itertools
import math

from whywrong.form import as_size
from whywrong.task import Case, Exercise, Mistake, Returns

#: Factor, and widths that it makes a whole number.
_WIDTHS = (
    (3, (5, 9, 11)),
    (2, (7, 13, 15)),
    (0.25, (16, 20, 28)),
    (2.5, (12, 18, 22)),
    (4, (512, 768, 1024)),
    (8, (6, 10, 14)),
    (1.5, (10, 14, 26)),
)


def _cases(rng):
    return [Case((int(rng.choice(widths)), factor)) for factor, widths in _WIDTHS]


def _oracle(d_model, factor):
    """Add up the factor once for each feature, as an exact fraction."""
    numerator, denominator = factor.as_integer_ratio()
    return sum(itertools.repeat(numerator, d_model)) // denominator


EXERCISE = Exercise(
    id="expand_and_contract.width",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the width"),),
    afterwards=lambda answer: as_size(answer(12, 2.5)),
    mistakes=(
        Mistake(
            "added",
            lambda d, f: int(d + f),
            "You added the factor. It says how many times as wide the layer is, not how many units more.",
        ),
        Mistake("factor-alone", lambda d, f: math.ceil(f), "Your result does not depend on d_model."),
        Mistake("d-model", lambda d, f: d, "Your hidden layer is as wide as the token: the factor is not used."),
        Mistake(
            "both-layers",
            lambda d, f: 2 * int(d * f),
            "Your result is twice the width: there are two matrices, but one hidden layer between them.",
        ),
        Mistake(
            "d-too-many",
            lambda d, f: int(d * f) + d,
            "Your result has d_model units too many: the token itself is not part of the hidden layer.",
        ),
        Mistake(
            "d-too-few",
            lambda d, f: int(d * f) - d,
            "Your result has d_model units too few: nothing is subtracted for the token itself.",
        ),
        Mistake(
            "bias-unit",
            lambda d, f: int(d * f) + 1,
            "Your result has one unit too many: the bias is not a hidden unit.",
        ),
        Mistake(
            "rounded",
            lambda d, f: -(-int(d * f) // 64) * 64,
            "You rounded up to a multiple of 64. Some models do that for speed; here nothing is rounded.",
        ),
        Mistake("half", lambda d, f: int(d * f) // 2, "Your result is half the width."),
        Mistake("factor-twice", lambda d, f: int(d * f * f), "The factor is applied twice."),
        Mistake("always-two", lambda d, f: 2 * d, "Your width is always twice d_model: use the factor that is given."),
        Mistake(
            "always-four",
            lambda d, f: 4 * d,
            "Your width is always four times d_model: that is the common choice, but the factor is an argument.",
        ),
        Mistake("sign", lambda d, f: -int(d * f), "A width cannot be negative."),
        Mistake(
            "divided", lambda d, f: int(d / f), "You divided: a factor above 1 has to make the hidden layer wider."
        ),
        Mistake(
            "divided-exactly",
            lambda d, f: d / f,
            "You divided, and a factor multiplies: above 1 it has to make the hidden layer wider.",
        ),
        Mistake(
            "whole-factor",
            lambda d, f: d * int(f),
            "The factor lost its fraction before the product was taken: only the product is a whole number.",
        ),
        Mistake(
            "factor-up",
            lambda d, f: d * math.ceil(f),
            "The factor was rounded up first: only the product is a whole number.",
        ),
        Mistake(
            "weights",
            lambda d, f: 2 * d * int(d * f),
            "You counted the weights of both matrices; the width is the number of hidden units.",
        ),
        Mistake(
            "rounded-factor",
            lambda d, f: d * round(f),
            "The factor was rounded before the product was taken: only the product is a whole number.",
        ),
        Mistake(
            "rounded-half-up",
            lambda d, f: d * math.floor(f + 0.5),
            "The factor was rounded to the nearest whole number first: only the product is one.",
        ),
        Mistake(
            "always-128", lambda d, f: 128, "Your width is always 128: let it depend on d_model and on the factor."
        ),
        Mistake(
            "capped",
            lambda d, f: max(d, int(d * f)),
            "Your width never falls below d_model: a factor below 1 makes the hidden layer narrower.",
        ),
        Mistake("power", lambda d, f: int(d**f), "You raised d_model to a power: `**` is a power, `*` a product."),
    ),
    hints=(
        "The expansion factor is d_ff / d_model; solve that for d_ff.",
        "Two numbers come in, one whole number goes out; a float factor makes the product a float.",
        "Start with: return int(…).",
    ),
    right="That is the width of the hidden layer, and nn.Linear takes it.",
)

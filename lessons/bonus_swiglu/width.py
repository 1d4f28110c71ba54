"""Exercise: find the width that LLaMA gives its hidden layer."""

import math

from whywrong.form import as_size
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    pairs = [(512, 1), (64, 1), (4096, 256), (512, 256), (768, 256), (96, 64), (100, 32), (5120, 256), (1000, 7)]
    pairs.append((int(rng.integers(1000, 2000)) * 3 + 1, 128))
    return [Case(pair) for pair in pairs]


def _by_counting(d_model, multiple_of):
    """Find the largest width whose three matrices fit into two of 4 · d_model, then step up to a multiple."""
    width = 0
    while 3 * (width + 1) * d_model <= 2 * 4 * d_model * d_model:
        width += 1
    while width % multiple_of:
        width += 1
    return width


def _up(width, multiple_of):
    return math.ceil(width / multiple_of) * multiple_of


# What can be wrong in the width itself and in the step to a multiple.
_WIDTH = {
    "no-four": (lambda d: 2 * d / 3, "the width that is made smaller is d_model, and not four times that"),
    "four": (
        lambda d: 4 * d,
        "the 2/3 is missing",
        "This is the width of a plain FFN: with three matrices it costs half as much again.",
    ),
    "inverse": (
        lambda d: 6 * d,
        "3/2 stands for 2/3",
        "You multiplied by 3/2, but three matrices must be narrower to cost what two did.",
    ),
    "third": (lambda d: 4 * d / 3, "1/3 stands for 2/3"),
    "d_model": (lambda d: d, "the width is d_model itself, without the 4 and the 2/3"),
}
_STEP = {
    "down": (
        lambda width, m: int(width) // m * m,
        "the last step goes down",
        "You rounded down to the multiple; the last step goes up.",
    ),
    "nearest": (lambda width, m: round(width / m) * m, "the last step goes to the nearest multiple"),
    "one-more": (lambda width, m: (int(width) // m + 1) * m, "a width that is a multiple already does not stay"),
    "none": (lambda width, m: int(width), "the last step is missing"),
}


def _both(width, step):
    return lambda d, m: step(width(d), m)


EXERCISE = Exercise(
    id="bonus_swiglu.width",
    kind="function",
    cases=_cases,
    oracle=_by_counting,
    returns=(Returns("the width"),),
    afterwards=lambda answer: as_size(answer(512, 1)),
    mistakes=(
        Mistake(
            "no-four",
            lambda d, m: _up(int(2 * d / 3), m),
            "You took 2/3 of d_model: the width that is made smaller is the usual one, 4 · d_model.",
        ),
        Mistake(
            "nearest",
            lambda d, m: int(int(8 * d / 3) / m + 0.5) * m,
            "You rounded to the nearest multiple; the last step always goes up.",
        ),
        Mistake(
            "nearest-of-all",
            lambda d, m: round(2 / 3 * 4 * d / m) * m,
            "You rounded once, to the nearest multiple: the fraction is cut off first, and the step to the multiple goes up.",
        ),
        Mistake(
            "half",
            lambda d, m: _up(2 * d, m),
            "You took half of 4 · d_model, but there are three matrices now and not four. In Python, 8 // 3 is 2.",
        ),
        Mistake(
            "always-one-more",
            lambda d, m: (int(8 * d / 3) // m + 1) * m,
            "A width that is already a multiple should stay; you always go one step further.",
        ),
        Mistake("no-multiple", lambda d, m: int(8 * d / 3), "multiple_of is not used yet: the last step is missing."),
        Mistake(
            "times",
            lambda d, m: int(8 * d / 3) * m,
            "You multiplied the width by multiple_of; it only has to be divisible by it.",
        ),
        Mistake(
            "round-first",
            lambda d, m: int(2 * _up(4 * d, m) / 3),
            "You rounded before you took 2/3, so the result need no longer be a multiple.",
        ),
        Mistake(
            "ceil",
            lambda d, m: _up(math.ceil(8 * d / 3), m),
            "You rounded 8/3 · d_model up before the last step; LLaMA cuts off the fraction there, as int() does.",
        ),
        Mistake(
            "round",
            lambda d, m: _up(round(8 * d / 3), m),
            "You rounded 8/3 · d_model to the nearest whole number; LLaMA cuts off the fraction, as int() does.",
        ),
        Mistake(
            "add-multiple",
            lambda d, m: int(8 * d / 3) + m,
            "You added multiple_of; the result has to be divisible by it.",
        ),
        Mistake(
            "third",
            lambda d, m: _up(int(4 * d / 3), m),
            "You took one third of 4 · d_model: three matrices at that width cost half as much as two at full width.",
        ),
        Mistake(
            "fraction",
            lambda d, m: 8 * d / 3 if m == 1 else float(_up(int(8 * d / 3), m)),
            "A width is a whole number of units: cut off the fraction before the last step.",
        ),
        Mistake(
            "zero",
            lambda d, m: 0,
            "Your width is 0, whatever d_model is: in Python 2 // 3 is 0, so multiply first and divide last.",
        ),
        *two_at_once("{}, and {}", _WIDTH, _STEP, _both, right=(lambda d: 8 * d / 3, _up)),
    ),
    hints=(
        "Take the usual width 4 · d_model, take two thirds of it, cut off the fraction, and round up to a multiple.",
        "All numbers are whole: (512, 1) is a case without rounding, and an exact multiple stays as it is.",
        "Start with: width = int(2 * 4 * d_model / 3). For the last step, count how many multiples cover it.",
    ),
    right="With d_model 4096 and multiples of 256 this gives the 11008 of LLaMA-7B.",
)

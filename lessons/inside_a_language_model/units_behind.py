"""Exercise: how many hidden units make half of what is written for and against one character?"""

import numpy as np

from lessons.inside_a_language_model.counting import needed, one_by_one, told_apart, unsorted, upwards
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once

_SIZES = (11, 63), (13, 81), (9, 57), (12, 70), (7, 45)  # d_model, d_ff


def _cases(rng):
    """Draw cases that tell all named mistakes apart."""
    answers = [lambda *args: 1, EXERCISE.oracle, *(mistake.answer for mistake in EXERCISE.mistakes)]

    def draw():
        return [*(_case(rng, *sizes) for sizes in _SIZES), _just_half(rng)]

    return told_apart(EXERCISE.id, rng, draw, answers)


def _case(rng, d_model, d_ff):
    """Draw hidden values, half of them 0, columns with means of their own, and gains that are not one."""
    h = np.maximum(rng.normal(size=d_ff), 0) * rng.lognormal(0, 0.4, size=d_ff)
    W_down = rng.normal(size=(d_model, d_ff)) * rng.lognormal(0, 0.4, size=d_ff) + rng.normal(size=d_ff)
    gain, w_out = rng.uniform(0.2, 3.0, size=d_model), rng.normal(size=d_model) + 0.5
    return Case((h, W_down, gain, w_out), {"d_model": d_model, "d_ff": d_ff})


def _just_half(rng):
    """Draw four units of which one makes half exactly: what they write, and their lengths, are powers of 2."""
    W_down = np.array([1.0, 1, -1, -1])[:, None] * rng.permutation([8.0, -4, 2, -2])
    return Case((np.ones(4), W_down, np.ones(4), np.array([1.0, 0, 0, 0])), {"d_model": 4, "d_ff": 4})


def _unit_by_unit(h, W_down, gain, w_out):
    """Write out the sums, and take unit after unit, the largest first."""
    d_model, sizes = len(gain), []
    for unit, value in enumerate(h.tolist()):
        mean = sum(W_down[:, unit].tolist()) / d_model
        sizes.append(abs(value * sum(w_out[i] * gain[i] * (W_down[i, unit] - mean) for i in range(d_model))))
    return one_by_one(sizes, 1 / 2)


def _writes(h, W, g, w):
    return h * ((w * g) @ (W - W.mean(axis=0)))


def _half(sizes):
    return needed(sizes, 1 / 2)


# What can be wrong in what the units write, and in how they are counted.
_WRITTEN = {
    "no-hidden-values": (lambda h, W, g, w: _writes(1.0, W, g, w), "the hidden values are missing"),
    "no-gain": (lambda h, W, g, w: _writes(h, W, 1.0, w), "the gain of the norm is missing"),
    "not-centred": (lambda h, W, g, w: h * ((w * g) @ W), "the columns are not centred"),
}
_COUNTED = {
    "signed": (_half, "you take no absolute values before sorting the units"),
    "upwards": (
        lambda writes: upwards(abs(writes), 1 / 2),
        "you begin with the smallest instead of the largest",
    ),
    "one-too-few": (lambda writes: _half(abs(writes)) - 1, "the unit with which the half is reached is not counted"),
}


def _both(written, counted):
    return lambda h, W, g, w: counted(written(h, W, g, w))


EXERCISE = Exercise(
    id="inside_a_language_model.units_behind",
    kind="function",
    cases=_cases,
    oracle=_unit_by_unit,
    returns=(Returns("the number of units"),),
    tolerance=1e-9,
    mistakes=(
        Mistake(
            "one-too-few",
            lambda h, W, g, w: _half(abs(_writes(h, W, g, w))) - 1,
            "One unit is missing: the unit with which the sum reaches a half counts as well.",
        ),
        Mistake(
            "signed",
            lambda h, W, g, w: _half(_writes(h, W, g, w)),
            "What is written against the character counts as much as what is written for it: take absolute values before you sort.",
        ),
        Mistake(
            "no-hidden-values",
            lambda h, W, g, w: _half(abs(_writes(1.0, W, g, w))),
            "The hidden values are missing: a unit writes its column times h.",
        ),
        Mistake(
            "no-gain",
            lambda h, W, g, w: _half(abs(_writes(h, W, 1.0, w))),
            "The gain of the norm is missing: the read-out sees each feature times its gain.",
        ),
        Mistake(
            "not-centred",
            lambda h, W, g, w: _half(abs(h * ((w * g) @ W))),
            "The norm subtracts the mean before anything else: centre each column first.",
        ),
        Mistake(
            "rows-centred",
            lambda h, W, g, w: _half(abs(h * ((w * g) @ (W - W.mean(axis=1, keepdims=True))))),
            "You centred the rows of W_down. A unit owns a column, and the norm centres that.",
        ),
        Mistake(
            "bare",
            lambda h, W, g, w: _half(abs(h * (w @ W))),
            "Between the stream and the read-out comes the last norm: centre each column, and multiply by the gain.",
        ),
        Mistake(
            "lengths",
            lambda h, W, g, w: _half(h * np.linalg.norm(W, axis=0)),
            "You took the lengths of what the units add. Here only what they write for or against one character counts.",
        ),
        Mistake(
            "squares",
            lambda h, W, g, w: _half(_writes(h, W, g, w) ** 2),
            "You added squares. Add the absolute values themselves.",
        ),
        Mistake(
            "upwards",
            lambda h, W, g, w: upwards(abs(_writes(h, W, g, w)), 1 / 2),
            "You began with the smallest. The largest come first.",
        ),
        Mistake(
            "unsorted",
            lambda h, W, g, w: unsorted(abs(_writes(h, W, g, w)), 1 / 2),
            "You take the units in the order of their numbers. Sort them by size, the largest first.",
        ),
        Mistake(
            "features",
            lambda h, W, g, w: _half(abs(w * g * (W @ h - (W @ h).mean()))),
            "You sorted what the features of the output write. Sort what the single units write.",
        ),
        Mistake(
            "all-of-it",
            lambda h, W, g, w: int((h > 0).sum()),
            "You counted all active units. Stop as soon as half of the sum is reached.",
        ),
        Mistake(
            "lengths-of-what-is-read",
            lambda h, W, g, w: _half(h * np.linalg.norm((W - W.mean(axis=0)) * g[:, None], axis=0)),
            "You took the lengths of what the units write, after centring and gain. Take the dot product with w_out instead, which keeps the signs.",
        ),
        Mistake(
            "half-of-the-largest",
            lambda h, W, g, w: int((abs(_writes(h, W, g, w)) >= abs(_writes(h, W, g, w)).max() / 2).sum()),
            "You compared each unit with the largest one. Add up the sizes, the largest first, until half of their sum is reached.",
        ),
        Mistake(
            "half-of-the-active",
            lambda h, W, g, w: int(np.ceil((h > 0).sum() / 2)),
            "You took half of the number of active units. Take half of the sum of what they write.",
        ),
        *two_at_once("{}, and {}", _WRITTEN, _COUNTED, _both),
    ),
    tries=200,
    hints=(
        "Find what each unit writes for or against the character. Take absolute values, sort them, and add up from the largest until half is reached.",
        "Exercise 4 computes what a unit promotes. Here you need it for one character and all units at once: (w_out * gain) @ centred has the shape of h.",
        "Start with: centred = W_down - W_down.mean(axis=0).",
    ),
    right="All of this is exact except for the norm's division. It is the same number for all units, so it changes no count.",
)

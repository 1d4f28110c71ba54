"""Exercise: how many hidden units make up most of an FFN's output at one character?"""

import numpy as np

from lessons.inside_a_language_model.counting import needed, one_by_one, told_apart, unsorted, upwards
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once

_SIZES = (11, 63, 0.9), (13, 81, 0.9), (9, 57, 0.7), (12, 70, 0.8), (7, 45, 0.95)  # d_model, d_ff, share


def _cases(rng):
    """Draw cases that tell all named mistakes apart."""
    answers = [lambda h, W, s: 1, *(mistake.answer for mistake in EXERCISE.mistakes)]

    def draw():
        return [*(_case(rng, *row) for row in _SIZES), _none_silent(rng), _just_reached(rng)]

    return told_apart(EXERCISE.id, rng, draw, answers)


def _case(rng, d_model, d_ff, share):
    """Draw hidden values, half of them 0, and columns of very different lengths; half of these hold one number."""
    h = np.maximum(rng.normal(size=d_ff), 0) * rng.lognormal(0, 0.8, size=d_ff)
    W_down = rng.normal(size=(d_model, d_ff)) * rng.lognormal(0, 0.8, size=d_ff)
    W_down[1:, rng.permutation(d_ff)[: d_ff // 2]] = 0.0
    if share < 0.8:
        h *= 2 / (h * np.linalg.norm(W_down, axis=0)).sum()  # so that the share itself takes a few units, too
    return Case((h, W_down, share), {"d_model": d_model, "d_ff": d_ff})


def _none_silent(rng):
    """Draw three units of which all add nearly as much, so that also the shortest one counts in the sum."""
    return Case((rng.uniform(1, 1.3, size=3), rng.permutation(np.eye(4))[:, :3], 0.9), {"d_model": 4, "d_ff": 3})


def _just_reached(rng):
    """Draw four units of which two reach the share exactly: their lengths are powers of 2."""
    return Case((rng.permutation([4.0, 2, 1, 1]), rng.permutation(np.eye(5))[:, :4], 0.75), {"d_model": 5, "d_ff": 4})


def _until(sizes, goal):
    running = np.cumsum(np.sort(sizes)[::-1])
    return int((running < goal).sum() + 1)


# What can be wrong in what each unit adds, and in how the units are counted.
_ADDED = {
    "no-lengths": (lambda h, W: h, "you compare the hidden values alone, without the lengths of the columns"),
    "sums-of-numbers": (
        lambda h, W: h * np.abs(W).sum(axis=0),
        "you add the absolute values of a column's numbers, which is not its length",
    ),
}
_COUNTED = {
    "unsorted": (unsorted, "the units are not sorted, the largest first"),
    "upwards": (upwards, "you begin with the smallest instead of the largest"),
    "one-too-few": (lambda sizes, s: needed(sizes, s) - 1, "the unit with which the share is reached is not counted"),
}


def _both(added, counted):
    return lambda h, W, s: counted(added(h, W), s)


def _from_the_largest(h, W_down, share):
    """Take unit after unit, the largest contribution first."""
    sizes = [value * sum(w * w for w in W_down[:, unit]) ** 0.5 for unit, value in enumerate(h.tolist())]
    return one_by_one(sizes, share)


EXERCISE = Exercise(
    id="inside_a_language_model.units_needed",
    kind="function",
    cases=_cases,
    oracle=_from_the_largest,
    returns=(Returns("the number of units"),),
    tolerance=1e-9,
    mistakes=(
        Mistake(
            "one-too-few",
            lambda h, W, s: needed(h * np.linalg.norm(W, axis=0), s) - 1,
            "One unit is missing: the unit with which the sum reaches the share counts as well.",
        ),
        Mistake(
            "no-lengths",
            lambda h, W, s: needed(h, s),
            "You compared the hidden values alone. What a unit adds has the length of its column times h.",
        ),
        Mistake(
            "lengths-only",
            lambda h, W, s: needed(np.linalg.norm(W, axis=0), s),
            "You compared the lengths of the columns alone, but a unit whose hidden value is 0 adds nothing.",
        ),
        Mistake(
            "squares",
            lambda h, W, s: needed((h * np.linalg.norm(W, axis=0)) ** 2, s),
            "You added squares. Add the lengths themselves.",
        ),
        Mistake(
            "sums-of-numbers",
            lambda h, W, s: needed(h * np.abs(W).sum(axis=0), s),
            "You added the absolute values of a column's numbers. Its length is the root of the sum of their squares.",
        ),
        Mistake(
            "h-under-the-root",
            lambda h, W, s: needed(np.sqrt(h * (W**2).sum(axis=0)), s),
            "Your hidden values are under the root, but only the squared numbers of the column belong there.",
        ),
        Mistake(
            "active",
            lambda h, W, s: int((h > 0).sum()),
            "You counted the active units, and the share is not used.",
        ),
        Mistake(
            "upwards",
            lambda h, W, s: upwards(h * np.linalg.norm(W, axis=0), s),
            "You began with the smallest. The largest come first.",
        ),
        Mistake(
            "unsorted",
            lambda h, W, s: unsorted(h * np.linalg.norm(W, axis=0), s),
            "You take the units in the order of their numbers. Sort them by size, the largest first.",
        ),
        Mistake(
            "always-90",
            lambda h, W, s: needed(h * np.linalg.norm(W, axis=0), 0.9),
            "share is an argument: it is not always 90 %.",
        ),
        Mistake(
            "share-of-largest",
            lambda h, W, s: int((h * np.linalg.norm(W, axis=0) >= s * (h * np.linalg.norm(W, axis=0)).max()).sum()),
            "You compared each unit with the largest one. Add up the lengths, and compare the running sum with the share of the total.",
        ),
        Mistake(
            "upwards-one-too-few",
            lambda h, W, s: upwards(h * np.linalg.norm(W, axis=0), s) - 1,
            "You began with the smallest instead of the largest, and the unit with which the sum reaches the share is missing.",
        ),
        Mistake(
            "share-itself",
            lambda h, W, s: _until(h * np.linalg.norm(W, axis=0), s),
            "You compare the running sum with the share itself. Compare it with the share times the sum of all lengths.",
        ),
        Mistake(
            "share-of-the-whole-vector",
            lambda h, W, s: _until(h * np.linalg.norm(W, axis=0), s * np.linalg.norm(W @ h)),
            "You aim at a share of the length of the whole output. In that sum the vectors partly cancel, so take the sum of their lengths.",
        ),
        Mistake(
            "features",
            lambda h, W, s: needed(np.abs(W @ h), s),
            "You sorted the features of the output. Sort the lengths of what the single units add to it.",
        ),
        Mistake(
            "share-of-units",
            lambda h, W, s: int(np.ceil(s * (h > 0).sum())),
            "You took a share of the number of active units. Take the share of the sum of their lengths.",
        ),
        *two_at_once("{}, and {}", _ADDED, _COUNTED, _both),
    ),
    tries=200,
    hints=(
        "Find the length of what each unit adds to the output. Sort the lengths, and add them up from the largest until the share is reached.",
        "W_down is (d_model, d_ff): the length of each column is np.linalg.norm(W_down, axis=0), with the shape (d_ff,) of h.",
        "Start with: sizes = np.sort(h * np.linalg.norm(W_down, axis=0))[::-1].",
    ),
    right="Lengths do not say how much the additions cancel, so this is a count and not a measure of importance.",
)

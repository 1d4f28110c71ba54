"""Exercise: how many hidden units work at a character, and how many work anywhere?"""

import numpy as np

from whywrong.task import Case, Exercise, HalfRight, Mistake, Returns, two_at_once


def _cases(rng):
    """Draw hidden values after ReLU: some units never work, one character uses none; more units than characters and fewer."""
    cases = []
    for n, units, dead in ((7, 11, 3), (13, 5, 1)):
        h = np.maximum(rng.uniform(0.1, 3, size=(n, units)) * rng.choice([-1, -1, 1], size=(n, units)), 0)
        h[:, :dead] = 0
        h[rng.integers(3, n)] = h[:, dead] = 0
        h[0, dead], h[1, dead + 1], h[2, dead + 1] = 0.0004, 2.5, 0.3  # one unit works once, and faintly
        cases.append(Case((h,), {"n": n, "units": units}))
    return cases


def _one_by_one(h):
    """Count with plain loops."""
    here, used = 0, set()
    for row in h.tolist():
        for unit, value in enumerate(row):
            if value > 0:
                here += 1
                used.add(unit)
    return here / len(h), len(used)


# What can be wrong in both numbers at once.
_AT_A_CHARACTER = {
    "share": (lambda h: (h > 0).mean(), "the first number is a share of all values"),
    "total": (lambda h: (h > 0).sum(), "the first number counts over the whole text"),
    "busiest": (lambda h: (h > 0).sum(axis=1).max(), "the first number is that of the busiest character"),
    "median": (lambda h: np.median((h > 0).sum(axis=1)), "the first number is a median"),
    "values": (lambda h: h.sum(axis=1).mean(), "the first number adds the values themselves"),
}
_ANYWHERE = {
    "share": (lambda h: (h > 0).any(axis=0).mean(), "the second is a share"),
    "always": (lambda h: (h > 0).all(axis=0).sum(), "the second counts units that work at every character"),
    "along-rows": (lambda h: (h > 0).any(axis=1).sum(), "the second counts characters and not units"),
    "firings": (lambda h: (h > 0).sum(), "the second counts all values above 0"),
    "all-units": (lambda h: h.shape[1], "the second is the number of all units"),
    "busiest": (lambda h: (h > 0).sum(axis=0).max(), "the second says at how many characters the busiest unit works"),
}


def _both(here, anywhere):
    return lambda h: (here(h), anywhere(h))


EXERCISE = Exercise(
    id="inside_a_language_model.active_units",
    kind="function",
    cases=_cases,
    oracle=_one_by_one,
    returns=(Returns("the mean number at a character"), Returns("the number of units that work somewhere")),
    mistakes=(
        Mistake(
            "axes-swapped",
            lambda h: ((h > 0).sum(axis=0).mean(), (h > 0).any(axis=1).sum()),
            "Your axes are swapped: a row of h is a character, a column is a unit. Sum along a row to count the active units at a character.",
        ),
        Mistake(
            "used-along-rows",
            lambda h: ((h > 0).sum(axis=1).mean(), (h > 0).any(axis=1).sum()),
            "Your second number counts the characters at which some unit works. Count the units that work at some character.",
        ),
        Mistake(
            "shares",
            lambda h: ((h > 0).mean(), (h > 0).any(axis=0).mean()),
            "These are shares. Return numbers of units: don't divide by how many there are.",
        ),
        Mistake(
            "first-share",
            lambda h: ((h > 0).mean(), (h > 0).any(axis=0).sum()),
            "Your first number is a share of all values. Return the mean number of active units at a character.",
        ),
        Mistake(
            "second-share",
            lambda h: ((h > 0).sum(axis=1).mean(), (h > 0).any(axis=0).mean()),
            "Your second number is a share. Return how many units there are.",
        ),
        Mistake(
            "zeros",
            lambda h: ((h == 0).sum(axis=1).mean(), (h == 0).any(axis=0).sum()),
            "You counted the units that are zero. Count those above zero.",
        ),
        Mistake(
            "always",
            lambda h: ((h > 0).sum(axis=1).mean(), (h > 0).all(axis=0).sum()),
            "Your second number counts the units that work at every character, but one character is enough.",
        ),
        Mistake(
            "total",
            lambda h: ((h > 0).sum(), (h > 0).any(axis=0).sum()),
            "Your first number counts over the whole text. Divide it by the number of characters.",
        ),
        Mistake(
            "sum-of-values",
            lambda h: (h.sum(axis=1).mean(), (h > 0).any(axis=0).sum()),
            "You added the values themselves. Count how many are above zero.",
        ),
        Mistake(
            "one-threshold",
            lambda h: ((h > 1).sum(axis=1).mean(), (h > 1).any(axis=0).sum()),
            "Values between 0 and 1 are missing: a unit is active wherever it is above 0.",
        ),
        Mistake(
            "median",
            lambda h: (np.median((h > 0).sum(axis=1)), (h > 0).any(axis=0).sum()),
            "Your first number is the median, as in the lesson's picture, but this exercise asks for the mean.",
        ),
        Mistake(
            "mean-of-active-values",
            lambda h: (h[h > 0].mean(), (h > 0).any(axis=0).sum()),
            "Your first number is the mean of the values above 0. Count instead how many values are above 0 at a character.",
        ),
        Mistake(
            "most-at-once",
            lambda h: ((h > 0).sum(axis=1).mean(), (h > 0).sum(axis=1).max()),
            "Your second number counts the units that work at the busiest character. Count the units that work at one character or more.",
        ),
        Mistake(
            "all-firings",
            lambda h: ((h > 0).sum(axis=1).mean(), (h > 0).sum()),
            "Your second number counts all values above 0, but a unit that works at several characters counts only once.",
        ),
        Mistake(
            "all-units",
            lambda h: ((h > 0).sum(axis=1).mean(), h.shape[1]),
            "Your second number counts all units, but some of them work nowhere.",
        ),
        Mistake(
            "busiest-unit",
            lambda h: ((h > 0).sum(axis=1).mean(), (h > 0).sum(axis=0).max()),
            "Your second number says at how many characters the busiest unit works. Count the units that work at one character or more.",
        ),
        HalfRight(
            "turned-round",
            lambda h: ((h > 0).any(axis=0).sum(), (h > 0).sum(axis=1).mean()),
            "Both numbers are right but in the wrong order: the mean at a character comes first.",
        ),
        Mistake(
            "busiest",
            lambda h: ((h > 0).sum(axis=1).max(), (h > 0).any(axis=0).sum()),
            "Your first number counts the units that work at the busiest character. Take the mean over all characters.",
        ),
        *two_at_once(
            "{}, and {}",
            _AT_A_CHARACTER,
            _ANYWHERE,
            _both,
            {("share", "share"), ("busiest", "busiest"), ("median", "busiest")},
        ),
    ),
    hints=(
        "First ask for every value whether it is above zero. For the first number count along the units; for the second look along the characters.",
        "h > 0 has the shape (n, units); .sum(axis=1) counts along the units, .any(axis=0) looks along the characters.",
        "Start with: active = h > 0.",
    ),
    right="So every row of h can be nearly empty although hardly any unit is idle.",
)

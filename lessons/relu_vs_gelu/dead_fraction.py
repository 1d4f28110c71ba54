"""Find the share of dead units."""

import numpy as np

from course_lib.model.tensors import as_tensor
from courseware.arguments import is_tensor, to_numpy
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns, two_at_once

# tokens, and how many columns of each kind
_COUNTS = (
    (5, (3, 1, 2, 1, 1, 2, 3, 2, 1, 1)),
    (3, (1, 2, 1, 1, 3, 1, 1, 1, 2, 2)),
    (4, (0, 1, 1, 2, 1, 3, 1, 1, 1, 2)),
)


def _columns(rng, tokens):
    """Make one column of hidden values of each kind; all but the first only look dead from one side."""
    value = rng.uniform(0.2, 2, size=(8, tokens))
    rest = [0.0] * (tokens - 1)
    return {
        "dead": [0.0, *rest],
        "wakes once": [*rest, value[0, 0]],
        "sleeps once": [0.0, *value[1, 1:]],
        "negative": -value[2],
        "cancels": [1.5, -1.5, *rest[1:]],
        "small": [1e-60 * number for number in value[3]],
        "never positive": [-value[4, 0], *rest],
        "alive": value[5],
        "constant": [float(value[6, 0])] * tokens,
        "wakes inside": [0.0, value[7, 0], *rest[1:]],
    }


def _bring(kinds, kind, place):
    """Swap a column of one kind to a place."""
    found = list(kinds).index(kind)
    kinds[found], kinds[place] = kinds[place], kinds[found]


def _hidden_cases(rng):
    """Make hidden values with dead units among others, in other numbers for each case."""
    cases = []
    for tokens, counts in _COUNTS:
        kinds = [kind for kind, count in enumerate(counts) for _ in range(count)]
        kinds = rng.permutation(kinds)
        if tokens == 5:
            _bring(kinds, 0, -1)  # a dead unit comes last, for whoever looks at as many columns as there are tokens,
            _bring(kinds, 0, 0)  # and one comes first, so that what they find is not nothing
        if tokens == 4:
            _bring(kinds, 4, 0)  # and one that cancels comes first, where no unit is dead
        h = np.stack([list(_columns(rng, tokens).values())[kind] for kind in kinds], axis=1)
        if tokens == 5:
            h[2:4] = 0  # two tokens on which every unit is zero; of one, 17 // 17 would give the number too
        cases.append(Case((h,), {"tokens": tokens, "units": len(kinds)}))
    return cases


def _dead_share(h):
    """Count unit by unit with plain Python."""
    columns = list(zip(*h.tolist(), strict=True))
    return sum(all(value == 0 for value in column) for column in columns) / len(columns)


def _run(answer, case):
    """Call the answer; say what True and False are, where they come back."""
    (h,) = case.args
    result = answer(h)
    found = np.asarray(to_numpy(result)) if is_tensor(result) else np.asarray(result)
    if found.dtype != bool:
        return result
    if found.shape == ():
        along = "dim=0" if is_tensor(h) else "axis=0"
        words = (
            "One True or False came back: a look at all values at once says nothing about single units. Go along the "
        )
        raise Fault(Key.TYPE, words + f"tokens, with {along}, and take the share of units.")
    if found.shape == (h.shape[1],):
        words = "This is one True or False for each unit; the share is one number: how many are True, divided by the number of units."
        raise Fault(Key.SHAPE, words)
    return result


# What can be wrong in which units are found and in what is made of them.
_FOUND = {
    "any": (
        lambda h: (h == 0).any(axis=0),
        "units that are 0 on some token are counted",
        "This counts units that are 0 on some token; a dead unit is 0 on every one.",
    ),
    "alive": (
        lambda h: (h != 0).any(axis=0),
        "the units that live are counted",
        "This is the share of units that live, which is 1 minus the share you want.",
    ),
    "not-positive": (
        lambda h: (h <= 0).all(axis=0),
        "values below 0 count as zeros",
        "This counts units that are never above 0. A negative value is not 0: GELU units have many of them.",
    ),
    "per-token": (
        lambda h: (h == 0).all(axis=1),
        "tokens are counted instead of units",
        "This is the share of tokens on which every unit is 0: you went along the wrong axis.",
    ),
}
_SHARE = {
    "by-tokens": (lambda found, h: found.sum() / h.shape[0], "the count is divided by the number of tokens"),
    "count": (
        lambda found, h: found.sum(),
        "the count is not divided by the number of units",
        "This is how many units are dead; divide by the number of units to get the share.",
    ),
    "the-others": (lambda found, h: 1 - found.mean(), "the share is that of the other units"),
}

_SAME_AS_ANOTHER = {("alive", "the-others"), ("alive", "count"), ("per-token", "by-tokens")}


def _both(found, share):
    return lambda h: share(found(h), h)


EXERCISE = Exercise(
    id="relu_vs_gelu.dead_fraction",
    kind="function",
    cases=_hidden_cases,
    oracle=_dead_share,
    returns=(Returns("the share"),),
    tensor=as_tensor,
    run=_run,
    mistakes=(
        Mistake(
            "zeros",
            lambda h: (h == 0).mean(),
            "This is the share of zeros among all values: a unit may be 0 on one token and still live on another.",
        ),
        Mistake(
            "percent",
            lambda h: 100 * (h == 0).all(axis=0).mean(),
            "This is in percent; give the share as a number from 0 to 1.",
        ),
        Mistake(
            "largest",
            lambda h: (h.max(axis=0) == 0).mean(),
            "This counts units whose largest value is 0: such a unit can still be negative somewhere.",
        ),
        Mistake(
            "sum",
            lambda h: (h.sum(axis=0) == 0).mean(),
            "This counts units whose values add up to 0: positive and negative ones can cancel.",
        ),
        Mistake(
            "constant",
            lambda h: (h.std(axis=0, ddof=1) < 1e-12).mean(),
            "This counts units that never change. A unit that gives 0.7 on every token is not dead: dead means 0.",
        ),
        Mistake(
            "smallest",
            lambda h: (h.min(axis=0) == 0).mean(),
            "This counts units whose smallest value is 0: such a unit can still be positive somewhere.",
        ),
        Mistake(
            "small",
            lambda h: (np.abs(h) < 1e-6).all(axis=0).mean(),
            "This counts units that are very small as well; dead means exactly 0.",
        ),
        Mistake(
            "first-token",
            lambda h: (h[0] == 0).mean(),
            "This looks at the first token only: the unit may wake up on another.",
        ),
        Mistake(
            "ends",
            lambda h: ((h[0] == 0) & (h[-1] == 0)).mean(),
            "This looks at the first token and the last: the unit may wake up between them.",
        ),
        Mistake(
            "last-token",
            lambda h: (h[-1] == 0).mean(),
            "This looks at the last token only: the unit may wake up on another.",
        ),
        Mistake(
            "total-zeros-by-units",
            lambda h: (h == 0).sum() / h.shape[1],
            "This counts all zeros and divides by the number of units: count units, not values.",
        ),
        Mistake(
            "total-zeros-by-tokens",
            lambda h: (h == 0).sum() / h.shape[0],
            "This counts all zeros and divides by the number of tokens: count units, not values.",
        ),
        Mistake(
            "zeros-counted",
            lambda h: (h == 0).sum(),
            "This is how many zeros there are. The exercise asks for the share of units that are 0 everywhere.",
        ),
        Mistake(
            "mostly-zero",
            lambda h: ((h == 0).mean(axis=0) > 0.5).mean(),
            "This counts units that are 0 on most tokens; a dead unit is 0 on every one.",
        ),
        Mistake(
            "waking-tokens",
            lambda h: (h != 0).sum(axis=0).mean(),
            "This is the number of tokens on which a unit is awake, on average. The exercise asks for the share of units that never are.",
        ),
        Mistake(
            "live-count",
            lambda h: (h != 0).any(axis=0).sum(),
            "This is how many units live. The exercise asks for the share of units that do not.",
        ),
        Mistake(
            "zeros-by-unit",
            lambda h: 1 - (h == 0).mean(),
            "This is the share of values that are not 0; a dead unit is 0 on every token.",
        ),
        Mistake(
            "as-many-as-tokens",
            lambda h: (h[:, : len(h)] == 0).all(axis=0).sum() / h.shape[1],
            "You look at only as many units as there are tokens. Units lie along axis 1, and there are h.shape[1] of them.",
        ),
        Mistake(
            "sums-of-as-many-as-tokens",
            lambda h: (h[:, : len(h)].sum(axis=0) == 0).sum() / h.shape[1],
            "You look at only as many units as there are tokens, but there are h.shape[1] units. And values can cancel to a sum of 0: ask whether each of them is 0.",
        ),
        Mistake(
            "zeros-on-top",
            lambda h: ((h != 0).cumsum(axis=0) == 0).sum() / h.shape[1],
            "Your count grows with every zero before a unit wakes up: count each unit once, after you have seen all of its values.",
        ),
        Mistake(
            "divided-by-tokens",
            lambda h: (h == 0).all(axis=0).sum() / h.shape[0],
            "The number of dead units is right, but it is divided by the number of tokens.",
        ),
        Mistake(
            "sum-by-tokens",
            lambda h: (h.sum(axis=0) == 0).sum() / h.shape[0],
            "The count is divided by the number of tokens instead of units. And values can cancel to a sum of 0: ask whether each of them is 0.",
        ),
        Mistake(
            "divided-by-all",
            lambda h: (h == 0).all(axis=0).sum() / h.size,
            "The number of dead units is right, but it is divided by the number of all values.",
        ),
        Mistake(
            "odds",
            lambda h: (h == 0).all(axis=0).sum() / (h != 0).any(axis=0).sum(),
            "You divided by the number of living units; divide by the number of all units.",
        ),
        *two_at_once(
            "{}, and {}",
            _FOUND,
            _SHARE,
            _both,
            _SAME_AS_ANOTHER,
            right=(lambda h: (h == 0).all(axis=0), lambda found, h: found.mean()),
        ),
    ),
    hints=(
        "Look at one unit, which is one column: it is dead if all of its values are 0. Then count such columns.",
        "h has shape (tokens, units); .all(dim=0) looks along the tokens and leaves shape (units,).",
        "Start with: dead = ….all(dim=0). What is the mean of dead if True counts as 1 and False as 0?",
    ),
    right="You count units that are 0 on every token, and nothing else.",
)

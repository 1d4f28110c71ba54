"""Exercise: the share of hidden values that are exactly zero."""

import math

import numpy as np

from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns, two_at_once
from whywrong.todo import holds_todo


def _cases(rng):
    """Draw values as after ReLU (one dead unit, one token of zeros), as after GELU (tiny and negative ones too), a token, and no zero at all."""
    after_relu = np.maximum(rng.uniform(0.1, 1.9, size=(5, 7)) * rng.choice([-1, 1], size=(5, 7)), 0)
    after_relu[:, 3], after_relu[2], after_relu[1, 4] = 0, 0, 0.5
    after_gelu = rng.uniform(0.1, 1, size=(2, 3, 5)) * rng.choice([-1, 1], size=(2, 3, 5))
    places = rng.permutation(30)
    after_gelu.flat[places[:11]] = [0, -0.0, 0, 0, 1e-9, -1e-9, 1e-12, 0.3, 0.4, -0.3, -0.4]
    one_token = np.concatenate([[0, 0.0], rng.uniform(0.1, 1, size=5)])[rng.permutation(7)]
    return [
        Case((after_relu,), {"tokens": 5, "d_ff": 7}),
        Case((after_gelu,), {"batch": 2, "tokens": 3, "d_ff": 5}),
        Case((one_token,), {"d_ff": 7}),
        Case((rng.permutation([-0.1, 0.3, 0.3, 1.2]),), {"d_ff": 4}),
    ]


def _oracle(h):
    """Look at every value on its own."""
    values = h.ravel().tolist()
    return sum(1 for value in values if not value) / len(values)


def _run(answer, case):
    """Call the answer, and say of several numbers which shape they have: one number is wanted."""
    share, h = answer(*case.args), case.args[0]
    shape = tuple(getattr(share, "shape", ()))
    if math.prod(shape) != 1 and not holds_todo(share):
        words = (
            f"The share must be one number, but yours has shape {shape}: take the mean over all axes of h, {h.shape}."
        )
        raise Fault(Key.TYPE, words)
    return share


# What can be wrong in the comparison and in what is made of it.
_COMPARED = {
    "not-positive": (
        lambda h: h <= 0,
        "negative values are counted as zeros",
        "Negative values were counted too. After ReLU there are none, but after GELU there are.",
    ),
    "not-zero": (
        lambda h: h != 0,
        "the values that are not zero are counted",
        "This is the share of values that are not zero.",
    ),
}
_COUNTED = {
    "percent": (
        lambda found: 100 * found.mean(),
        "the result is in percent",
        "This is in percent; give the share from 0 to 1.",
    ),
    "count": (
        lambda found: found.sum(),
        "the result is a count, not a share",
        "You counted the zeros. Return their share, from 0 to 1.",
    ),
    "by-length": (
        lambda found: found.sum() / len(found),
        "it is divided by the length of the first axis instead of h.size",
        "You divided by the length of the first axis. Divide by the number of values along all axes.",
    ),
}


def _both(compared, counted):
    return lambda h: counted(compared(h))


EXERCISE = Exercise(
    id="expand_and_contract.zero_fraction",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the share"),),
    run=_run,
    mistakes=(
        Mistake(
            "one-minus-mean",
            lambda h: 1 - h.mean(),
            "You took the mean of the values themselves: a share is the mean of a comparison, True or False for each value.",
        ),
        Mistake("positive", lambda h: (h > 0).mean(), "This is the share of positive values."),
        Mistake("negative", lambda h: (h < 0).mean(), "This is the share of negative values; zero itself is missing."),
        Mistake(
            "tiny",
            lambda h: np.isclose(h, 0, atol=1e-6).mean(),
            "Tiny values were counted as zeros: ask for exactly zero, without a tolerance.",
        ),
        Mistake(
            "not-positive-or-tiny",
            lambda h: (h < 1e-6).mean(),
            "Negative and tiny values were counted too: ask for exactly zero.",
        ),
        Mistake(
            "two-decimals",
            lambda h: round((h == 0).mean(), 2),
            "The share was rounded to two decimals: return it as it is.",
        ),
        Mistake(
            "one-decimal",
            lambda h: round((h == 0).mean(), 1),
            "The share was rounded to one decimal: return it as it is.",
        ),
        Mistake(
            "first-times-last",
            lambda h: (h == 0).sum() / (h.shape[0] * h.shape[-1]),
            "You divided by the product of the first and the last axis. h.size counts the values along all axes.",
        ),
        Mistake(
            "std", lambda h: (h == 0).std(), "You took the standard deviation of the comparison; the share is its mean."
        ),
        Mistake(
            "small",
            lambda h: (np.abs(h) < 0.5).mean(),
            "All values below one half were counted, as if they were rounded: ask for exactly zero.",
        ),
        Mistake(
            "whole-part",
            lambda h: (h.astype(int) == 0).mean(),
            "The values were cut to whole numbers first, so everything between −1 and 1 counts as zero.",
        ),
        Mistake(
            "dead-along-first",
            lambda h: (h == 0).all(axis=0).mean(),
            "You counted a place only if it is zero along the whole first axis; count single values.",
        ),
        Mistake(
            "all-in-row",
            lambda h: (h == 0).all(axis=-1).mean(),
            "This is the share of tokens that are zero everywhere; count single values.",
        ),
        Mistake(
            "any-along-first",
            lambda h: (h == 0).any(axis=0).mean(),
            "You counted a place as soon as it has one zero along the first axis; count single values.",
        ),
        Mistake(
            "by-the-sum",
            lambda h: (h == 0).sum() / h.sum(),
            "You divided by the sum of the values. Divide by how many values there are, h.size.",
        ),
        Mistake("any", lambda h: float((h == 0).any()), "This says whether there is a zero at all: count how many."),
        Mistake(
            "dead-units",
            lambda h: (h == 0).reshape(-1, h.shape[-1]).all(axis=0).mean(),
            "This is the share of units that are zero for every token; count single values.",
        ),
        Mistake(
            "any-in-row",
            lambda h: (h == 0).any(axis=-1).mean(),
            "This is the share of tokens that have a zero somewhere; count single values.",
        ),
        Mistake(
            "per-token",
            lambda h: (h == 0).sum(axis=-1).mean(),
            "This is the number of zeros for each token. Divide the number of zeros by the number of all values.",
        ),
        Mistake(
            "by-units",
            lambda h: (h == 0).sum() / h.shape[-1],
            "You divided by d_ff alone: with several tokens there are more values than that.",
        ),
        Mistake(
            "share-by-length",
            lambda h: 1 - (h != 0).sum() / len(h),
            "You divided the number of values that are not 0 by the length of the first axis. h.size counts the values along all axes.",
        ),
        Mistake(
            "first-token", lambda h: (h[0] == 0).mean(), "Only the first entry along the first axis was looked at."
        ),
        Mistake(
            "odds",
            lambda h: (h == 0).sum() / (h != 0).sum(),
            "You compared the zeros with the values that are not zero; compare them with all values.",
        ),
        Mistake("mean", lambda h: h.mean(), "This is the mean of the values themselves; compare them with zero first."),
        Mistake(
            "rounded",
            lambda h: float(round((h == 0).mean())),
            "The share was rounded to a whole number: keep the fraction.",
        ),
        Mistake(
            "axes-counted",
            lambda h: len(np.where(h == 0)) / h.size,
            "You counted the axes of h, not its zeros: np.where gives one array of places for each axis.",
        ),
        Mistake(
            "tiniest",
            lambda h: (np.abs(h) < 1e-10).mean(),
            "The tiniest values were counted as zeros too: ask for exactly zero, h == 0.",
        ),
        *two_at_once("{}, and {}", _COMPARED, _COUNTED, _both, right=(lambda h: h == 0, np.mean)),
    ),
    hints=(
        "Compare every value with zero; True counts as 1 and False as 0.",
        "h may have any shape, and h == 0 has the same shape. The share is one number.",
        "Start with: zero = h == 0, and take the mean of it.",
    ),
    right="Exact zeros only, for any shape, after ReLU as after GELU.",
)

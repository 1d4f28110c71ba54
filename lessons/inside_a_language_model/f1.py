"""Exercise: how well does a unit recognise a context?"""

import numpy as np

from whywrong.evidence import format_value
from whywrong.form import is_finite, is_number, kind_of
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns, two_at_once


def _cases(rng):
    """Draw units and labels of different lengths with hits, misses and false alarms, all of different number."""
    cases = []
    for n, hits, misses, alarms in ((40, 7, 2, 5), (60, 9, 6, 4), (31, 4, 3, 11)):
        active, label = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        places = rng.permutation(n)
        label[places[: hits + misses]] = True
        active[places[:hits]] = active[places[hits + misses : hits + misses + alarms]] = True
        cases.append(Case((active, label), {"n": n}))
    return cases


def _counted(active, label):
    """Take the harmonic mean of precision and recall, from counts; without a hit it is 0."""
    hits = sum(1 for a, b in zip(active.tolist(), label.tolist(), strict=True) if a and b)
    if hits == 0:
        return 0.0
    precision, recall = hits / active.tolist().count(True), hits / label.tolist().count(True)
    return 2 / (1 / precision + 1 / recall)


def _parts(active, label):
    hits = (active & label).sum()
    return hits, hits / active.sum(), hits / label.sum()


# What can be wrong above the line and below it.
_ABOVE = {
    "half": (lambda a, b: (a & b).sum(), "the hits above the line are counted once, but they count twice"),
    "percent": (lambda a, b: 200 * (a & b).sum(), "the result is in percent"),
    "agreement": (lambda a, b: 2 * (a == b).sum(), "places where both say no are counted among the hits"),
}
_BELOW = {
    "places": (lambda a, b: len(a), "below the line you have the number of all places and not firings plus context"),
    "union": (lambda a, b: (a | b).sum(), "below the line, places where both say yes are counted once and not twice"),
}


def _both(above, below):
    return lambda a, b: above(a, b) / below(a, b)


def _of_a_silent_unit(answer):
    """Check that a unit that never fires gets 0: the model has a few such units."""
    try:
        with np.errstate(all="ignore"):
            f1 = answer(np.zeros(2, dtype=bool), np.array([True, False]))
    except ZeroDivisionError:
        f1 = np.nan
    if is_number(f1) and abs(float(f1)) < EXERCISE.tolerance:
        return
    lead = "For a unit that never fires, as in f1(np.array([False, False]), np.array([True, False])), F1 is 0"
    if not is_number(f1) or is_finite(f1):
        raise Fault(Key.VALUE, f"{lead}, but yours is {format_value(f1) if is_number(f1) else kind_of(f1)}.")
    says = "but your code divides by 0. 2 · hits / (firings + places of the context) works here, because it needs no precision"
    raise Fault(Key.VALUE, f"{lead}, {says}.")


EXERCISE = Exercise(
    id="inside_a_language_model.f1",
    kind="function",
    cases=_cases,
    oracle=_counted,
    returns=(Returns("F1"),),
    afterwards=_of_a_silent_unit,
    mistakes=(
        Mistake(
            "accuracy",
            lambda a, b: (a == b).mean(),
            "This is the share of places where both agree. It is high for every rare label, even for a unit that never fires; F1 leaves out the places where both say no.",
        ),
        Mistake(
            "precision",
            lambda a, b: _parts(a, b)[1],
            "This is the precision, the share of the firings that are right. Recall is missing.",
        ),
        Mistake(
            "recall",
            lambda a, b: _parts(a, b)[2],
            "This is the recall, the share of the label that is found. A unit that always fires would reach 1. Precision is missing.",
        ),
        Mistake(
            "mean",
            lambda a, b: sum(_parts(a, b)[1:]) / 2,
            "You took the plain mean of precision and recall. F1 is their harmonic mean, which is low as soon as one of them is low.",
        ),
        Mistake(
            "product",
            lambda a, b: _parts(a, b)[1] * _parts(a, b)[2],
            "You multiplied precision and recall. Divide twice that product by their sum.",
        ),
        Mistake(
            "half",
            lambda a, b: (a & b).sum() / (a.sum() + b.sum()),
            "Your result is half as large as it should be. The hits count twice, because each of the two sums contains them.",
        ),
        Mistake(
            "union",
            lambda a, b: (a & b).sum() / (a | b).sum(),
            "You divided the hits by the places where either says yes (the Jaccard index). F1 divides twice the hits by the sum of both counts.",
        ),
        Mistake(
            "union-doubled",
            lambda a, b: 2 * (a & b).sum() / (a | b).sum(),
            "Below the line, places where both say yes must count twice: add the two counts.",
        ),
        Mistake(
            "geometric",
            lambda a, b: np.sqrt(_parts(a, b)[1] * _parts(a, b)[2]),
            "This is the geometric mean of precision and recall. F1 is the harmonic mean.",
        ),
        Mistake(
            "agreement",
            lambda a, b: 2 * (a == b).sum() / (a.sum() + b.sum()),
            "You also counted the places where both say no as hits. A hit is a place where both say yes.",
        ),
        Mistake(
            "agreement-above",
            lambda a, b: (a == b).sum() / (a.sum() + b.sum()),
            "Above the line you have the places where both agree. Take twice the places where both say yes.",
        ),
        Mistake(
            "sum-of-inverses",
            lambda a, b: sum(1 / part for part in _parts(a, b)[1:]),
            "You added the inverses of precision and recall. The harmonic mean is 2 divided by that sum.",
        ),
        Mistake(
            "mean-of-inverses",
            lambda a, b: sum(1 / part for part in _parts(a, b)[1:]) / 2,
            "This is F1 upside down: take 1 divided by the mean of the two inverses.",
        ),
        Mistake(
            "hits",
            lambda a, b: (a & b).sum(),
            "You counted the hits. Divide twice that count by the firings plus the places of the context.",
        ),
        Mistake(
            "share-of-all",
            lambda a, b: 2 * (a & b).sum() / (len(a) + len(b)),
            "You divided by the number of places. Divide by how often the unit and the label say yes.",
        ),
        Mistake(
            "by-places",
            lambda a, b: 2 * (a & b).sum() / len(a),
            "You divided by the number of places. Divide by the firings plus the places of the context.",
        ),
        Mistake(
            "product-of-shares",
            lambda a, b: 2 * a.mean() * b.mean() / (a.mean() + b.mean()),
            "The product of both shares is not the share of hits. A hit is a place where both say yes, so count active & label.",
        ),
        Mistake(
            "percent",
            lambda a, b: 200 * (a & b).sum() / (a.sum() + b.sum()),
            "This is in percent, but F1 goes from 0 to 1.",
        ),
        Mistake(
            "rounded",
            lambda a, b: round(2 * (a & b).sum() / (a.sum() + b.sum()), 2),
            "You rounded F1 to two decimals. Return it as it is.",
        ),
        *two_at_once("{}, and {}", _ABOVE, _BELOW, _both, {("half", "union"), ("half", "places")}),
    ),
    hints=(
        "Count three things: how often both say yes, how often the unit does, and how often the label does.",
        "active & label is True at the hits, with the shape (n,); .sum() counts the True.",
        "Start with: hits = (active & label).sum().",
    ),
    right="F1 comes near 1 only for a unit that rarely fails in either way: few false alarms and few misses.",
)

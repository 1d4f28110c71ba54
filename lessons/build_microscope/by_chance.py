"""Exercise: how many random directions tell a context as well as a unit does?"""

import numpy as np

from whywrong.task import Case, Exercise, Mistake, Returns

_DRAWN: dict = {}  # which draw tells the answers apart, by its seed


def _cases(rng):
    """Draw cases until no two answers agree in all of them: shares of a few directions are often equal by chance.

    A check draws the same cases again and again, so the draw that did it is remembered.
    """
    seed = int(rng.integers(2**31))
    if seed not in _DRAWN:
        _DRAWN[seed] = next(
            number for number in range(1000) if _tell_apart(_draw(np.random.default_rng([seed, number])))
        )
    return _draw(np.random.default_rng([seed, _DRAWN[seed]]))


def _tell_apart(cases):
    """Tell whether no two answers give the same shares."""
    answers = [_one_by_one, *(mistake.answer for mistake in EXERCISE.mistakes)]
    given = [tuple(round(float(answer(*case.args)), 9) for case in cases) for answer in answers]
    return len(set(given)) == len(given)


def _draw(rng):
    """Draw inputs, a unit that follows the context loosely, the context, and directions of which some follow it too."""
    cases = []
    for n, d_model, m in ((35, 5, 17), (52, 7, 24), (44, 6, 29)):
        x = rng.normal(size=(n, d_model))
        w = rng.normal(size=d_model)
        here = x @ w + rng.normal(size=n) > 0.8
        h = np.maximum(x @ (w + 1.2 * rng.normal(size=d_model)) - rng.uniform(-0.5, 0.5), 0)
        directions = rng.normal(size=(m, d_model)) + rng.choice([0, 0.6], size=(m, 1)) * w
        cases.append(Case((x, h, here, directions), {"n": n, "d_model": d_model, "m": m}))
    return cases


def _one_by_one(x, h, here, directions):
    """Let each direction fire at as many places as the unit, and count its hits, one place after the other."""
    count = sum(value > 0 for value in h.tolist())
    hits = sum(value > 0 and there for value, there in zip(h.tolist(), here.tolist(), strict=True))
    as_good = 0
    for direction in directions:
        scores = [float(row @ direction) for row in x]
        chosen = sorted(range(len(x)), key=lambda place: -scores[place])[:count]
        as_good += sum(bool(here[place]) for place in chosen) >= hits
    return as_good / len(directions)


def _hits_of(x, here, directions, count, key=lambda scores: -scores):
    """Return how many of the places that each direction fires at lie in the context, (m,)."""
    order = np.argsort(key(x @ directions.T), axis=0, kind="stable")[: max(int(count), 1)]
    return here[order].sum(axis=0)


def _f1(hits, fires, here):
    return 2 * hits / np.maximum(fires + here.sum(), 1)


def _above_zero(x, h, here, directions):
    """Compare F1 with directions that fire wherever their product is positive."""
    fires = x @ directions.T > 0
    unit = h > 0
    random = _f1((fires & here[:, None]).sum(axis=0), fires.sum(axis=0), here)
    return (random >= _f1((unit & here).sum(), unit.sum(), here)).mean()


def _hits_above_zero(x, h, here, directions):
    fires = x @ directions.T > 0
    return ((fires & here[:, None]).sum(axis=0) >= ((h > 0) & here).sum()).mean()


def _compared(compare, key=lambda scores: -scores, count=lambda h, here: (h > 0).sum()):
    """Make an answer that compares the hits in another way."""

    def by_chance(x, h, here, directions):
        return compare(_hits_of(x, here, directions, count(h, here), key), ((h > 0) & here).sum())

    return by_chance


def _across(x, h, here, directions):
    """Sort the directions at each place, along the last axis, and take the first rows."""
    order = np.argsort(-(x @ directions.T), axis=-1, kind="stable")[: (h > 0).sum()]
    return (here[order].sum(axis=0) >= ((h > 0) & here).sum()).mean()


def _mean_f1(x, h, here, directions):
    count = (h > 0).sum()
    return _f1(_hits_of(x, here, directions, count), count, here).mean()


def _share(random, unit):
    return (random >= unit).mean()


EXERCISE = Exercise(
    id="build_microscope.by_chance",
    kind="function",
    cases=_cases,
    oracle=_one_by_one,
    returns=(Returns("the share of directions"),),
    mistakes=(
        Mistake(
            "above-zero",
            _above_zero,
            "Your directions fire wherever x · v is above 0, about half of the time. For a fair comparison each fires at as many places as the unit.",
        ),
        Mistake(
            "hits-above-zero",
            _hits_above_zero,
            "You count the hits of directions that fire wherever x · v is above 0: one that fires more often than the unit gets more hits for that alone.",
        ),
        Mistake(
            "strictly",
            _compared(lambda random, unit: (random > unit).mean()),
            "You count only the directions that do better. One that does as well speaks against the name too: use >=.",
        ),
        Mistake(
            "worse",
            _compared(lambda random, unit: (random < unit).mean()),
            "This is the share of directions that do worse than the unit; those that do at least as well are asked.",
        ),
        Mistake(
            "no-better",
            _compared(lambda random, unit: (random <= unit).mean()),
            "This is the share of directions that do no better than the unit: turn the comparison round.",
        ),
        Mistake(
            "smallest",
            _compared(_share, key=lambda scores: scores),
            "Your directions fire where x · v is smallest: np.argsort begins with the smallest, so sort −scores.",
        ),
        Mistake(
            "absolute",
            _compared(_share, key=lambda scores: -np.abs(scores)),
            "Your directions fire where x · v is far from 0 on either side. A unit with ReLU fires on one side: leave the absolute value out.",
        ),
        Mistake(
            "as-often-as-the-context",
            _compared(_share, count=lambda h, here: here.sum()),
            "Your directions fire as often as the context occurs; each must fire as often as the unit does, (h > 0).sum().",
        ),
        Mistake(
            "one-too-few",
            _compared(_share, count=lambda h, here: (h > 0).sum() - 1),
            "Your directions fire at one place fewer than the unit: with order[:count] the first count places are taken.",
        ),
        Mistake(
            "one-too-many",
            _compared(_share, count=lambda h, here: (h > 0).sum() + 1),
            "Your directions fire at one place more than the unit: a threshold that is itself reached counts as not firing, or order[:count] takes the first count places.",
        ),
        Mistake(
            "counted",
            _compared(lambda random, unit: (random >= unit).sum()),
            "You counted the directions; their share is asked, so divide by how many there are.",
        ),
        Mistake(
            "percent",
            _compared(lambda random, unit: 100 * (random >= unit).mean()),
            "Your share is in percent: leave the factor 100 out.",
        ),
        Mistake(
            "mean-hits",
            _compared(lambda random, unit: random.mean() / unit if unit else 0.0),
            "This compares the mean of the random directions with the unit. Ask each direction, and take the share that does as well.",
        ),
        Mistake(
            "best-of-all",
            _compared(lambda random, unit: random.max() / unit if unit else 0.0),
            "This compares the best random direction with the unit. Ask each direction, and take the share that does as well.",
        ),
        Mistake(
            "sorted-across-directions",
            _across,
            "You sort the directions at each place. With scores of shape (n, m) each direction is a column, so sort along axis=0.",
        ),
        Mistake(
            "mean-f1",
            _mean_f1,
            "This is the mean F1 of the random directions. Ask each direction, and take the share that does as well as the unit.",
        ),
        Mistake(
            "its-own-f1",
            lambda x, h, here, directions: _f1(((h > 0) & here).sum(), (h > 0).sum(), here),
            "This is the F1 of the unit. The random directions are missing: which share of them does at least as well?",
        ),
        Mistake(
            "strictly-above-zero",
            lambda x, h, here, directions: (
                ((x @ directions.T > 0) & here[:, None]).sum(axis=0) > ((h > 0) & here).sum()
            ).mean(),
            "Two things are wrong: your directions fire wherever x · v is above 0 and not as often as the unit, and those that do as well are left out.",
            two=True,
        ),
    ),
    hints=(
        "A direction that fires at more places hits more for that alone. How do you make the comparison fair, and what is left to compare then?",
        "x @ directions.T has the shape (n, m): sort down each column. With as many firings, more hits mean a higher F1.",
        "Start with: fires = …, where the unit fires, and order = …[: fires.sum()], where each direction does.",
    ),
    right="Every direction fires as often as the unit, so F1 depends on the hits alone, and comparing hits is comparing F1.",
)

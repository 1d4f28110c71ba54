"""Exercise: tell position-wise layers from others, whatever they are made of."""

import numpy as np

from lessons.position_independence.shared import (
    Layer,
    called,
    dusty,
    normed,
    small_network,
    softmax,
)
from whywrong.boxes import recipe_of
from whywrong.task import Case, Exercise, Mistake, Returns

_ALONE = "does each row alone, f(X[i : i + 1]), give the same as row i of f(X), up to rounding?"
_CHANGE = "change one row at random: does another output row move?"


def _place(n):
    return np.sin(1.7 * np.arange(n))[:, None]


def _only(X, row):
    """Return another row in the place of one row, and zeros in all others; for a row alone there is none."""
    heard = np.zeros_like(X)
    if len(X) > max(row, 1):
        heard[row] = X[(row + len(X) // 2) % len(X)]
    return heard


def _threes(X):
    """Return for every row the mean of its three: rows 0 to 2, rows 3 to 5, and so on."""
    return np.vstack(
        [np.repeat(X[i : i + 3].mean(axis=0)[None], len(X[i : i + 3]), axis=0) for i in range(0, len(X), 3)]
    )


# What a box is, what shows it, and how it is made of a network g and a matrix A: the position-wise ones first.
_POSITION_WISE = (
    ("an FFN", _ALONE, lambda g, A: g),
    ("a residual connection around an FFN of the normed row", _ALONE, lambda g, A: lambda X: X + g(normed(X))),
    ("a softmax over the features of each row", _ALONE, lambda g, A: lambda X: softmax(X @ A, axis=1)),
    ("a layer that gives each row the mean 0 and the variance 1", _ALONE, lambda g, A: lambda X: normed(X) @ A),
    ("an FFN with a dust of rounding from the other rows", _ALONE, lambda g, A: lambda X: g(dusty(X))),
    ("an FFN whose matrices share their numbers", _ALONE, lambda g, A: lambda X: np.maximum(X @ A, 0) @ A.T),
    ("a layer that sorts the features of each row", _ALONE, lambda g, A: lambda X: np.sort(X, axis=1) @ A),
    ("a gated FFN", _ALONE, lambda g, A: lambda X: g(X) * (X @ A)),
)
_MIXING = (
    (
        "a layer that scales each feature by its statistics over the rows",
        _CHANGE,
        lambda g, A: lambda X: g((X - X.mean(axis=0)) / np.sqrt(X.var(axis=0) + 1e-5)),
    ),
    (
        "a running mean over the rows so far",
        "change the first row: do the later outputs move?",
        lambda g, A: lambda X: g(X.cumsum(axis=0) / np.arange(1, len(X) + 1)[:, None]),
    ),
    (
        "a running mean from the end",
        "change the last row: do the earlier outputs move?",
        lambda g, A: lambda X: g(X[::-1].cumsum(axis=0)[::-1] / np.arange(len(X), 0, -1)[:, None]),
    ),
    ("a softmax over the rows", _CHANGE, lambda g, A: lambda X: softmax(X @ A, axis=0)),
    (
        "an FFN that adds another number at each position",
        "what does f give for the same row at two positions?",
        lambda g, A: lambda X: g(X) + _place(len(X)),
    ),
    (
        "an FFN whose input gets another number at each position",
        "what does f give for the same row at two positions?",
        lambda g, A: lambda X: g(X + _place(len(X))),
    ),
    ("attention", _CHANGE, lambda g, A: lambda X: softmax(X @ A @ X.T / 5, axis=1) @ g(X)),
    (
        "an FFN with a faint trace of all rows",
        "change one row at random: do the others stay up to 1e-8?",
        lambda g, A: lambda X: g(X) + 1e-4 * X.mean(axis=0) @ A,
    ),
    (
        "an FFN in which rows hear each other in threes",
        "change one row at random, or give f each row alone: does a row that stands close to it move?",
        lambda g, A: lambda X: g(X) + _threes(X) @ A,
    ),
    (
        "an FFN that reads the rows in reverse order",
        "change the first row: is it the first output that moves?",
        lambda g, A: lambda X: g(X[::-1]),
    ),
    (
        "an FFN with the mean of all normed rows added",
        "change one row at random, each feature by another amount: does another output row move?",
        lambda g, A: lambda X: g(X) + normed(X).mean(axis=0) @ A,
    ),
    *(
        (
            f"an FFN in which only row {row} hears another one",
            "do you test every row, and change each in turn?",
            lambda g, A, row=row: lambda X: g(X) + _only(X, row) @ A,
        )
        for row in range(6)
    ),
)


def _cases(rng):
    d = 8
    X, cases = rng.normal(size=(6, d)), []
    for word, boxes in ((True, _POSITION_WISE), (False, _MIXING)):
        for box, experiment, make in boxes:
            layer = Layer(make(small_network(rng, d, d), rng.normal(size=(d, d)) / d**0.5), word, box, experiment)
            cases.append(Case((layer, X.copy()), {"n": 6, "d": d}))
    return [cases[place] for place in rng.permutation(len(cases))]


def _answer(*tests):
    """Make an answer from tests (f, X) -> bool: a layer is called position-wise when it passes all of them."""
    return lambda f, X: all(test(f, X) for test in tests)


def _in_order(order_of):
    def test(f, X):
        order = order_of(np.arange(len(X)))
        return bool(np.allclose(f(X[order]), f(X)[order], rtol=1e-6, atol=1e-9))

    return test


_shuffled = _in_order(lambda rows: np.roll(rows, 2)[::-1])


def _others_stay(rows=None, change=None, tolerance=1e-9):
    """Make the test that changing one row leaves all others alone, for the given rows only."""
    change = change or (lambda row, j: row + np.random.default_rng(j).normal(size=row.shape))

    def test(f, X):
        Y = f(X)
        for j in range(len(X)) if rows is None else rows:
            Z = X.copy()
            Z[j] = change(X[j], j % len(X))
            gap = np.delete(np.abs(f(Z) - Y).max(axis=1), j)
            if not (gap <= tolerance).all():
                return False
        return True

    return test


def _equal_rows(f, X):
    Z = X.copy()
    Z[3] = Z[1]
    Y = f(Z)
    return bool(np.allclose(Y[3], Y[1], rtol=1e-6, atol=1e-9))


def _alone(rows=slice(None), tolerance=1e-9):
    def test(f, X):
        Y = f(X)
        return bool(all(np.abs(f(X[i : i + 1])[0] - Y[i]).max() <= tolerance for i in range(len(X))[rows]))

    return test


def _without(rows):
    """Make the test that leaving rows out changes nothing in the others."""

    def test(f, X):
        return bool(np.allclose(f(X[rows]), f(X)[rows], rtol=1e-6, atol=1e-9))

    return test


EXERCISE = Exercise(
    id="position_independence.which_layers",
    kind="function",
    cases=_cases,
    oracle=lambda f, X: recipe_of(f).right,
    returns=(Returns("the answer"),),
    run=lambda answer, case: called(answer, *case.args),
    mistakes=(
        Mistake("all", lambda f, X: True, "You call every layer position-wise, attention too."),
        Mistake(
            "none",
            lambda f, X: False,
            "You call no layer position-wise, not even the FFN. Do you compare without a tolerance, rows in another order, or arrays of shapes (n, 1, d) and (n, d), which broadcast?",
        ),
        Mistake("flipped", lambda f, X: not _alone()(f, X), "True and False are swapped: True means position-wise."),
        Mistake(
            "shuffle-only",
            _answer(_shuffled),
            "Your test lets layers pass that mix the rows but do not care about their order, as attention does. See whether changing one row moves another.",
        ),
        Mistake(
            "reversed-only",
            _answer(_in_order(lambda rows: rows[::-1])),
            "Attention passes your test: reversing the order changes nothing in a layer that mixes all rows alike. See whether changing one row moves another.",
        ),
        Mistake(
            "neighbours-only",
            _answer(_others_stay()),
            "Your test sees whether rows reach each other, but a layer that does something else at every place passes it. Position-wise means the same function everywhere.",
        ),
        Mistake(
            "equal-rows",
            _answer(_equal_rows),
            "Your test lets layers pass that treat equal rows alike and still mix them, as attention does. See whether changing one row moves another.",
        ),
        Mistake(
            "last-row-only",
            _answer(_others_stay(rows=(-1,))),
            "You changed the last row only: a layer that looks back at earlier rows goes unnoticed.",
        ),
        Mistake(
            "first-row-only",
            _answer(_others_stay(rows=(0,))),
            "You changed the first row only: a layer that looks ahead at later rows goes unnoticed.",
        ),
        Mistake(
            "first-alone",
            _answer(_alone(rows=slice(0, 1))),
            "A running mean passes your test: it looks back, and the first row has nothing to look back at. Test every row.",
        ),
        Mistake(
            "last-alone",
            _answer(_alone(rows=slice(-1, None))),
            "You compared the last row only: a layer that looks ahead has nothing to look ahead at there.",
        ),
        Mistake(
            "ends-alone",
            _answer(_alone(rows=slice(0, 1)), _alone(rows=slice(-1, None))),
            "You compared the first and the last row only: in some layers a row between them hears another one.",
        ),
        Mistake(
            "first-dropped",
            _answer(_without(slice(1, None))),
            "You left out the first row only: a layer that looks ahead does not miss it.",
        ),
        Mistake(
            "exact",
            _answer(_others_stay(tolerance=0), _shuffled),
            "You ask for equal bits, so you reject a layer that is position-wise up to rounding. Allow a small tolerance.",
        ),
        Mistake(
            "coarse",
            _answer(_alone(tolerance=0.03)),
            "Your tolerance is too large: in one layer the other rows have only a tiny effect.",
        ),
        Mistake(
            "same-shift",
            _answer(_others_stay(change=lambda row, j: row + 1), _shuffled),
            "Adding one number to all features of a row goes unseen by a layer that removes each row's mean: change the features by different amounts.",
        ),
        Mistake(
            "one-is-enough",
            lambda f, X: any(_alone(rows=slice(i, i + 1))(f, X) for i in range(len(X))),
            "Your test says True as soon as one row passes, and in some layers one row does. Every row has to pass.",
        ),
        Mistake(
            "halves",
            lambda f, X: bool(np.allclose(np.vstack([f(X[:3]), f(X[3:])]), f(X), rtol=1e-6, atol=1e-9)),
            "You cut the rows into two halves and give f each half, but within a half, rows may still reach each other. Give f each row alone.",
        ),
    ),
    hints=(
        "Take the definition literally: what a layer does to a row must not depend on the other rows or on the row's place.",
        "X has shape (n, d). X[i : i + 1] has shape (1, d): a sequence of one row, and f takes it. Compare with np.allclose.",
        "Start with: alone = np.concatenate(…), in which f has seen each row alone. What should alone be equal to?",
    ),
    right="Twenty-five layers, and your test gets every one right.",
)

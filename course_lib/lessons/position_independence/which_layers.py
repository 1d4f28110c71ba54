"""Exercise: tell position-wise layers from others, whatever they are made of."""

import numpy as np

from course_lib.content import Case, Exercise, Fault, Key, Mistake, Returns
from course_lib.grading.todo import holds_todo
from course_lib.lessons.position_independence.shared import (
    Layer,
    as_zeros_and_ones,
    normed,
    small_network,
    softmax,
    truth_of,
)


def _place(n):
    return np.sin(1.7 * np.arange(n))[:, None]


def _boxes(rng, d):
    """Make twenty layers with random weights: the position-wise ones first, and how many those are."""

    def net():
        return small_network(rng, d, d)

    def made(make):
        return make(net(), rng.normal(size=(d, d)) / d**0.5)

    alone = [
        lambda g, A: g,
        lambda g, A: lambda X: X + g(normed(X)),
        lambda g, A: lambda X: softmax(X @ A, axis=1),
        lambda g, A: lambda X: normed(X) @ A,
        lambda g, A: lambda X: g(X + 1000 * X.mean(axis=0) - 1000 * X.mean(axis=0)),
        lambda g, A: lambda X: np.maximum(X @ A, 0) @ A.T,
        lambda g, A: lambda X: np.sort(X, axis=1) @ A,
        lambda g, A: lambda X: g(X) * (X @ A),
    ]
    mixing = [
        lambda g, A: lambda X: g((X - X.mean(axis=0)) / np.sqrt(X.var(axis=0) + 1e-5)),
        lambda g, A: lambda X: g(X.cumsum(axis=0) / np.arange(1, len(X) + 1)[:, None]),
        lambda g, A: lambda X: g(X[::-1].cumsum(axis=0)[::-1] / np.arange(len(X), 0, -1)[:, None]),
        lambda g, A: lambda X: softmax(X @ A, axis=0),
        lambda g, A: lambda X: g(X) + _place(len(X)),
        lambda g, A: lambda X: g(X + _place(len(X))),
        lambda g, A: lambda X: softmax(X @ A @ X.T / 5, axis=1) @ g(X),
        lambda g, A: lambda X: g(X) + 0.005 * X.mean(axis=0) @ A,
        lambda g, A: lambda X: g(X) + normed(X).mean(axis=0) @ A,
        lambda g, A: lambda X: g(X[::-1]),
        lambda g, A: lambda X: g(X) + X[len(X) // 2] @ A,
        lambda g, A: lambda X: g(X) + X.max(axis=0) @ A,
    ]
    return [made(make) for make in alone + mixing], len(alone)


def _cases(rng):
    d = 5
    functions, count = _boxes(rng, d)
    layers = [Layer(function, index < count) for index, function in enumerate(functions)]
    order = rng.permutation(len(layers))
    X = rng.normal(size=(6, d))
    groups = [[layers[index] for index in order[start : start + 5]] for start in range(0, len(layers), 5)]
    return [Case((group, X.copy()), {"layer": 5, "n": 6, "d": d}) for group in groups]


def _run(answer, case):
    """Call the answer and turn its list, tuple or array into an array; True and False count as 1 and 0."""
    said = answer(*case.args)
    if said is None or holds_todo(said):
        return said
    if isinstance(said, (list, tuple)) and all(isinstance(item, (bool, np.bool_, int, float)) for item in said):
        said = np.array(said, dtype=np.float64)
    if not isinstance(said, np.ndarray):
        raise Fault(Key.TYPE, "Return a list with one True or False for each layer, such as [True, False, …].")
    return as_zeros_and_ones("The list", said, (len(case.args[0]),))


def _answers(*tests):
    """Make an answer from tests (f, X) -> bool: a layer is called position-wise when it passes all of them."""
    return lambda layers, X: [all(test(f, X) for test in tests) for f in layers]


def _shuffled(f, X):
    order = np.roll(np.arange(len(X)), 2)[::-1]
    return bool(np.allclose(f(X[order]), f(X)[order], rtol=1e-6, atol=1e-9))


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


def _alone(first_only=False, tolerance=1e-9):
    def test(f, X):
        Y = f(X)
        rows = range(1 if first_only else len(X))
        return bool(all(np.abs(f(X[i : i + 1])[0] - Y[i]).max() <= tolerance for i in rows))

    return test


EXERCISE = Exercise(
    id="position_independence.which_layers",
    kind="function",
    cases=_cases,
    oracle=lambda layers, X: np.array([float(truth_of(layer)) for layer in layers]),
    returns=(Returns("the list", ("layer",)),),
    run=_run,
    mistakes=(
        Mistake(
            "all",
            lambda layers, X: [True] * len(layers),
            "You call every layer position-wise, attention too.",
        ),
        Mistake(
            "none",
            lambda layers, X: [False] * len(layers),
            "You call no layer position-wise, not even the FFN. If you compare exactly, remember what rounding does.",
        ),
        Mistake(
            "flipped",
            lambda layers, X: [not _alone()(f, X) for f in layers],
            "True and False are swapped: True means position-wise.",
        ),
        Mistake(
            "shuffle-only",
            _answers(_shuffled),
            "Your test lets layers pass that mix the rows but do not care about their order, as attention does. See whether changing one row moves another.",
        ),
        Mistake(
            "neighbours-only",
            _answers(_others_stay()),
            "Your test sees whether rows reach each other, but lets a layer pass that does something else at every place. Position-wise means the same function everywhere.",
        ),
        Mistake(
            "equal-rows",
            _answers(_equal_rows),
            "Two equal rows also give equal outputs in attention: this test cannot tell the two apart.",
        ),
        Mistake(
            "last-row-only",
            _answers(_others_stay(rows=(-1,))),
            "You changed the last row only: a layer that looks back at earlier rows goes unnoticed.",
        ),
        Mistake(
            "first-row-only",
            _answers(_others_stay(rows=(0,))),
            "You changed the first row only: a layer that looks ahead at later rows goes unnoticed.",
        ),
        Mistake(
            "first-alone",
            _answers(_alone(first_only=True)),
            "You compared the first row only: a layer that looks back has nothing to look back at there.",
        ),
        Mistake(
            "exact",
            _answers(_others_stay(tolerance=0), _shuffled),
            "You ask for equal bits: a layer that is position-wise up to rounding is turned away. Allow a small tolerance.",
        ),
        Mistake(
            "coarse",
            _answers(_alone(tolerance=0.1)),
            "Your tolerance is too large: one layer lets the other rows in very quietly.",
        ),
        Mistake(
            "same-shift",
            _answers(_others_stay(change=lambda row, j: row + 1), _shuffled),
            "Adding one number to all features of a row goes unseen by a layer that removes each row's mean: change the features by different amounts.",
        ),
    ),
    hints=(
        "Take the definition at its word: what a layer does to a row must not depend on the other rows, nor on the row's place.",
        "X has shape (n, d). X[i : i + 1] has shape (1, d): a sequence of one row, and f takes it.",
        "For each f, start with: alone = np.concatenate([f(X[i : i + 1]) for i in range(len(X))]).",
    ),
    right="Twenty layers, and your test tells them all apart.",
)

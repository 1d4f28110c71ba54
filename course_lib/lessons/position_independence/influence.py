"""Exercise: find out which output rows of a layer react to which input rows."""

import numpy as np

from course_lib.content import Case, Exercise, Mistake, Returns
from course_lib.lessons.position_independence.shared import (
    Layer,
    as_zeros_and_ones,
    normed,
    small_network,
    softmax,
    truth_of,
)


def _cases(rng):
    n, d_in, d_out = 6, 5, 2  # with few features, a random change of a row is too often lost in its layer norm
    A, diagonal, everywhere = rng.normal(size=(d_in, d_out)), np.eye(n, dtype=bool), np.ones((n, n), dtype=bool)
    nets = [small_network(rng, d_in, d_out) for _ in range(5)]
    band = np.abs(np.subtract.outer(np.arange(n), np.arange(n))) <= 1
    mixing = band * (0.5 + rng.random((n, n)))
    weak = diagonal | (np.arange(n) == 1)[None, :]

    def gossip(feature):  # one output feature also hears row 0, the other does not
        def layer(X):
            Y = nets[3](X)
            Y[1:, feature] += 2 * (X[0] @ A)[feature]
            return Y

        return layer

    layers = (
        Layer(nets[0], diagonal),
        Layer(lambda X: softmax(X @ X.T / n, axis=1) @ X @ A, everywhere),
        Layer(lambda X: X.cumsum(axis=0) @ A, np.tri(n, dtype=bool)),
        Layer(lambda X: np.vstack([X[1:], 0 * X[:1] + 1]) @ A, np.eye(n, k=1, dtype=bool)),
        Layer(lambda X: mixing @ (X @ A), band),
        Layer(lambda X: nets[1](normed(X)), diagonal),
        Layer(lambda X: nets[4](X - X.mean(axis=1, keepdims=True)), diagonal),
        Layer(lambda X: nets[2](X + 1000 * X.mean(axis=0) - 1000 * X.mean(axis=0)), diagonal),
        Layer(lambda X: X @ A + 0.01 * (X[1] @ A), weak),
        Layer(gossip(0), diagonal | (np.arange(n) == 0)[None, :]),
        Layer(gossip(-1), diagonal | (np.arange(n) == 0)[None, :]),
    )
    X = rng.normal(size=(n, d_in))
    return [Case((layer, X.copy()), {"n": n, "d_in": d_in, "d_out": d_out}) for layer in layers]


def _run(answer, case):
    """Call the answer; True and False count as 1 and 0."""
    n = len(case.args[1])
    return as_zeros_and_ones("M", answer(*case.args), (n, n))


def _probe(change=None, moved=None, keep_changes=False):
    """Make an influence function from how it changes a row and how it compares; each argument makes it a wrong one."""
    change = change or (lambda row, j: row + np.random.default_rng(j).normal(size=row.shape))
    moved = moved or (lambda Y, Z: (np.abs(Z - Y) > 1e-7).any(axis=1))

    def influence(f, X):
        Y, M, Z = f(X), np.zeros((len(X), len(X)), dtype=bool), X.copy()
        for j in range(len(X)):
            Z = Z if keep_changes else X.copy()
            Z[j] = change(X[j], j)
            M[:, j] = moved(Y, f(Z))
        return M

    return influence


def _seen(change):
    """Make a wrong answer from what happens to the right matrix."""
    right = _probe()
    return lambda f, X: change(right(f, X))


EXERCISE = Exercise(
    id="position_independence.influence",
    kind="function",
    cases=_cases,
    oracle=lambda f, X: truth_of(f).astype(np.float64),
    returns=(Returns("M", ("n", "n")),),
    run=_run,
    mistakes=(
        Mistake(
            "transposed",
            _seen(lambda M: M.T.copy()),
            "Rows and columns are swapped: row i is the output that moves, column j the input that changes.",
        ),
        Mistake(
            "diagonal",
            _seen(lambda M: np.eye(len(M), dtype=bool)),
            "You say for every layer that a row reacts to itself only; attention, for one, is not like that.",
        ),
        Mistake(
            "all",
            _seen(np.ones_like),
            "You say for every layer that all rows react: compare row by row, and not the output as a whole.",
        ),
        Mistake("none", _seen(np.zeros_like), "Nothing ever moves: does the changed copy of X really go into f?"),
        Mistake("inverted", _seen(np.logical_not), "True and False are swapped: True stands where a row moves."),
        Mistake(
            "exact",
            _probe(moved=lambda Y, Z: (Y != Z).any(axis=1)),
            "Rounding is taken for movement: one layer shifts all rows up and down again and leaves a dust of about 1e-13. Allow a small tolerance.",
        ),
        Mistake(
            "coarse",
            _probe(moved=lambda Y, Z: (np.abs(Z - Y) > 0.1).any(axis=1)),
            "Your tolerance is too large: one layer lets a neighbour through very quietly.",
        ),
        Mistake(
            "same-shift",
            _probe(change=lambda row, j: row + 1),
            "Adding one number to all features of a row goes unseen by a layer that removes the row's mean: change the features by different amounts.",
        ),
        Mistake(
            "stretched",
            _probe(change=lambda row, j: 2 * row),
            "Doubling a row goes unseen by a layer that normalises the row's length: change its features by different amounts.",
        ),
        Mistake(
            "nan",
            _probe(change=lambda row, j: row * np.nan, moved=lambda Y, Z: np.isnan(Z).any(axis=1)),
            "NaN also passes through a weight of zero, because 0 × NaN is NaN: make an ordinary change instead.",
        ),
        Mistake(
            "piled-up",
            _probe(keep_changes=True),
            "The changes pile up: rows that you changed before are still changed. Begin with a fresh copy of X for every j.",
        ),
        Mistake(
            "every-feature",
            _probe(moved=lambda Y, Z: (np.abs(Z - Y) > 1e-7).all(axis=1)),
            "A row has moved as soon as any of its features has; you ask for all of them.",
        ),
        Mistake(
            "first-feature",
            _probe(moved=lambda Y, Z: np.abs(Z - Y)[:, 0] > 1e-7),
            "You look at the first output feature only; one layer leaks through the last one.",
        ),
        Mistake(
            "not-itself",
            _seen(lambda M: M & ~np.eye(len(M), dtype=bool)),
            "The diagonal is missing: whether a row reacts to its own input counts too.",
        ),
        Mistake("only-itself", _seen(lambda M: M & np.eye(len(M), dtype=bool)), "You compare row j with row j only."),
        Mistake(
            "only-earlier",
            _seen(np.tril),
            "You look at inputs that come before the output only; some layers look ahead.",
        ),
        Mistake(
            "only-later", _seen(np.triu), "You look at inputs from the output's own row on; some layers look back."
        ),
        Mistake(
            "symmetric",
            _seen(lambda M: M | M.T),
            "You count a pair in both directions, but who reacts to whom can be one-sided.",
        ),
        Mistake(
            "off-by-one",
            _seen(lambda M: np.roll(M, 1, axis=1)),
            "The columns are off by one: column j belongs to the change of row j.",
        ),
        Mistake(
            "last-column",
            _seen(lambda M: np.hstack([M[:, :-1], 0 * M[:, -1:]])),
            "The last column is empty: does the loop end one row too early?",
        ),
    ),
    hints=(
        "Keep f(X). For every j change row j of a fresh copy, call f again, and see which output rows differ.",
        "f gives shape (n, d_out); comparing two outputs along axis 1 gives n answers, and they are column j of M.",
        "Start with: before = f(X); rng = np.random.default_rng(0); M = np.zeros((len(X), len(X)), dtype=bool).",
    ),
    right="Your matrix tells who reacts to whom, also where the reaction is faint.",
)

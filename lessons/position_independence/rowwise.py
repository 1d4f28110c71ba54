"""Exercise: apply a function of one row to every row."""

import numpy as np

from lessons.position_independence.shared import called, softmax
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns


class _RowOnly:
    """A small network for one row, (d_in,) -> (d_out,); it refuses a whole matrix, so that each row goes in alone."""

    def __init__(self, W1, b1, W2, b2):
        self._weights = W1, b1, W2, b2

    def __call__(self, row):
        W1, b1, W2, b2 = self._weights
        row = np.asarray(row, dtype=np.float64)
        if row.shape != (len(W1),):
            raise Fault(
                Key.SHAPE,
                f"Here f takes one row, of shape (d_in,) = ({len(W1)},); you gave an array of shape {row.shape}: call f for "
                "each row of X.",
            )
        return np.tanh(row @ W1 + b1) @ W2 + b2


def _cases(rng):
    cases = []
    for n, d_in, d_out in ((7, 3, 5), (4, 2, 7), (1, 5, 3)):
        f = _RowOnly(
            rng.normal(size=(d_in, 6)), rng.normal(size=6), rng.normal(size=(6, d_out)), rng.normal(size=d_out)
        )
        cases.append(Case((f, rng.normal(size=(n, d_in))), {"n": n, "d_in": d_in, "d_out": d_out}))
    return cases


def _oracle(f, X):
    """Compute all rows in one go from the weights, entry by entry of the sums; f itself is never called."""
    W1, b1, W2, b2 = f._weights
    hidden = np.tanh(np.einsum("ni,ih->nh", X, W1) + b1)
    return np.einsum("nh,ho->no", hidden, W2) + b2


def _run(answer, case):
    """Call the answer; say where rows are d_in wide and not d_out, stand end to end, or are only one."""
    f, X = case.args
    try:
        Y = called(answer, f, X)
    except ValueError as error:
        if "shapes (0,) (" in str(error):
            words = "An empty list and a row cannot be added value by value. `+=` adds, while `Y.append(…)` puts a row into a list"
            raise Fault(Key.RAISES, f"{words}.") from None
        d_in, d_out = case.sizes["d_in"], case.sizes["d_out"]
        if f"from shape ({d_out},) into shape ({d_in},)" in str(error):
            words = f"f gives rows of d_out = {d_out} numbers, and your array has rows of d_in = {d_in}, like X"
            raise Fault(Key.SHAPE, f"{words}: make it as wide as f(X[0]) is.") from None
        raise
    if isinstance(Y, np.ndarray) and Y.shape == (len(X) * case.sizes["d_out"],) and len(X) > 1:
        words = "all rows stand end to end, as one long row. np.stack puts rows under each other, and so does np.array"
        raise Fault(Key.SHAPE, f"Y has shape {Y.shape}: {words}.")
    one = isinstance(Y, np.ndarray) and Y.shape == (case.sizes["d_out"],) and len(X) > 1
    if one and any(np.allclose(Y, f(X[i])) for i in (0, -1)):
        words = "a single row came back. A loop that ends with its first round, or that replaces y in every round, leaves one"
        raise Fault(Key.SHAPE, f"Y has shape {Y.shape}: {words}; collect all rows.")
    if one and np.allclose(Y, sum(f(row) for row in X)):
        raise Fault(Key.SHAPE, f"Y has shape {Y.shape}: all results were added up into one row. Stack them instead.")
    return Y


def _rows(f, X):
    return np.stack([f(row) for row in X])


def _each(make):
    """Make a wrong answer from a rule (X, i) -> the row that f gets for output row i."""
    return lambda f, X: np.stack([f(make(X, i)) for i in range(len(X))])


def _after(change):
    """Make a wrong answer from what happens to the right outputs."""
    return lambda f, X: change(_rows(f, X))


def _blanked(index):
    def change(Y):
        Y = Y.copy()
        Y[index] = 0
        return Y

    return change


EXERCISE = Exercise(
    id="position_independence.rowwise",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("Y", ("n", "d_out")),),
    run=_run,
    takes_rows=True,
    mistakes=(
        Mistake(
            "prefix-mean",
            _each(lambda X, i: X[: i + 1].mean(axis=0)),
            "Earlier rows leak in: output row i was computed from the mean of rows 0 to i, and it may see row i only.",
        ),
        Mistake(
            "prefix-sum",
            _each(lambda X, i: X[: i + 1].sum(axis=0)),
            "Earlier rows leak in: output row i was computed from the sum of rows 0 to i, and it may see row i only.",
        ),
        Mistake(
            "mean",
            _each(lambda X, i: X.mean(axis=0)),
            "All output rows are equal: f got the mean over the positions each time.",
        ),
        Mistake(
            "total",
            _each(lambda X, i: X.sum(axis=0)),
            "All output rows are equal: f got the sum over the positions each time.",
        ),
        Mistake("first-row", _each(lambda X, i: X[0]), "Every output row comes from row 0: use the loop's variable."),
        Mistake("last-row", _each(lambda X, i: X[-1]), "Every output row comes from the last row of X."),
        Mistake(
            "row-before",
            _each(lambda X, i: X[i - 1]),
            "The rows are off by one: output row i was computed from row i − 1 of X.",
        ),
        Mistake(
            "row-after",
            _each(lambda X, i: X[(i + 1) % len(X)]),
            "The rows are off by one: output row i was computed from row i + 1 of X.",
        ),
        Mistake(
            "backwards", _each(lambda X, i: X[-1 - i]), "The rows come out in reverse order: the last one comes first."
        ),
        Mistake(
            "neighbours",
            _each(lambda X, i: X[max(i - 1, 0) : i + 2].mean(axis=0)),
            "Output row i was computed from the mean of row i and its neighbours: no other row may come in.",
        ),
        Mistake(
            "attention",
            lambda f, X: _rows(f, softmax(X @ X.T, axis=1) @ X),
            "This is attention: the rows were mixed by their similarity before f saw them.",
        ),
        Mistake(
            "accumulated",
            _after(lambda Y: Y.cumsum(axis=0)),
            "The outputs pile up from row to row: each one should stand alone.",
        ),
        Mistake(
            "running-maximum",
            _after(lambda Y: np.maximum.accumulate(Y, axis=0)),
            "Each output keeps the largest value so far: an earlier row may not reach a later one.",
        ),
        Mistake(
            "centred",
            _after(lambda Y: Y - Y.mean(axis=0)),
            "You subtracted the mean over the positions from the outputs, and that brings all rows into each of them.",
        ),
        Mistake(
            "averaged",
            _after(lambda Y: np.broadcast_to(Y.mean(axis=0), Y.shape).copy()),
            "f saw the rows one by one, but then its outputs were averaged over the positions.",
        ),
        Mistake(
            "scaled",
            _after(lambda Y: Y * np.arange(1, len(Y) + 1)[:, None]),
            "Output row i is multiplied by i + 1: its place in the sequence should not matter.",
        ),
        Mistake(
            "place-added",
            _each(lambda X, i: X[i] + i),
            "The number of the row was added to it: f should get the row as it is.",
        ),
        Mistake(
            "features-backwards",
            _each(lambda X, i: X[i, ::-1]),
            "Each row went into f with its features in reverse order.",
        ),
        Mistake(
            "normed",
            _each(lambda X, i: X[i] - X[i].mean()),
            "You subtracted the mean of each row's features before f saw the row: f should get the row as it is.",
        ),
        Mistake("first-missing", _after(_blanked(0)), "Output row 0 is all zeros: does the loop begin at 1?"),
        Mistake("last-missing", _after(_blanked(-1)), "The last output row is all zeros: does the loop end too early?"),
        Mistake("clipped", _after(lambda Y: np.maximum(Y, 0)), "The negative outputs are gone: return what f gives."),
    ),
    hints=(
        "Go through the rows of X, call f on one row at a time, and put the results back together in the same order.",
        "f takes shape (d_in,) and gives (d_out,); n such results stacked have shape (n, d_out).",
        "Start with: rows = [f(row) for row in X], then let NumPy stack the list.",
    ),
    right="Each row went through f alone. Nothing you do to one row can reach another.",
)

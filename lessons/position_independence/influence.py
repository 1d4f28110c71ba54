"""Exercise: find out which output rows of a layer react to which input rows.

The layers remember what they were called with, so that a wrong matrix can be traced to the change that was made, or to
the way in which outputs were compared.
"""

import numpy as np

from lessons.position_independence.hearing import layers_and_input
from lessons.position_independence.shared import called, inputs_of
from whywrong.boxes import recipe_of
from whywrong.form import kind_of, nothing_came_back, refuse_strings
from whywrong.task import Case, Fault, Inspection, Key, Mistake
from whywrong.todo import holds_todo

TOLERANCE = 1e-8  # a difference above it counts as a reaction; the task says so


def _cases(rng):
    layers, X = layers_and_input(rng)
    n, d_in = X.shape
    return [Case((layer, X.copy()), {"n": n, "d_in": d_in, "d_out": 2}) for layer in layers]


def _inspect(answer, case):
    """Return the name of the first mistake that the matrix shows, or None."""
    f, X = case.args
    before = X.copy()
    M = _read(called(answer, f, X), len(X))
    if X.shape != before.shape or not np.array_equal(X, before):
        raise Fault(Key.MUTATES, "Your code changed its argument number 2: change a copy, X.copy(), and leave X alone.")
    truth = recipe_of(f).right
    if np.array_equal(M, truth):
        return None
    return _by_the_calls(f, X, M, inputs_of(f)) or _by_the_pattern(M, truth) or _by_the_entry(f, M, truth)


def _read(M, n):
    """Return the answer as a Boolean array; 1 and 0 count as True and False, and a list as an array."""
    if M is None:
        raise nothing_came_back()
    if holds_todo(M):
        raise Fault(Key.TODO, "There is still a TODO in what your function returns: replace it, then check again.")
    refuse_strings("M", M)
    try:
        array = np.asarray(M.detach() if hasattr(M, "detach") else M)
        kind = array.dtype.kind
    except Exception:
        kind = "O"
    if kind not in "biuf" or (not isinstance(M, (list, tuple)) and not hasattr(M, "shape")):
        raise Fault(Key.TYPE, f"M must be an array of True and False, but it is {kind_of(M)}.")
    if array.shape != (n, n):
        raise Fault(Key.SHAPE, f"M has shape {array.shape}; expected is (n, n) = {(n, n)}.")
    if not np.isfinite(array).all():
        raise Fault(Key.NAN, "M holds NaN or infinity: answer each question with True or False.")
    if not np.isin(array, (0, 1)).all():
        raise Fault(
            Key.VALUE,
            "M holds distances or other numbers: compare them with a tolerance, so that M holds True and False.",
        )
    return array.astype(bool)


def _by_the_calls(f, X, M, inputs):
    """Name what is wrong with what f was called with, or with how its outputs were compared."""
    if not inputs:
        return "not-called"
    same = [Z for Z in inputs if Z.shape == X.shape]
    if len(same) < len(inputs):
        return "other-length"
    if any(not np.isfinite(Z).all() for Z in same):
        return "nan"
    changed = [np.flatnonzero((Z != X).any(axis=1)) for Z in same]
    if not any(len(rows) for rows in changed):
        return "unchanged"
    if any(len(rows) > 1 for rows in changed):
        return "piled-up"
    latest = {int(rows[0]): Z for rows, Z in zip(changed, same, strict=True) if len(rows)}
    if len(latest) < len(X):
        return "never-changed"
    compute = recipe_of(f).compute
    Y = compute(X)
    outputs = np.stack([compute(latest[j]) for j in range(len(X))], axis=1)  # (n, n, d_out): row i, change of j
    ever = np.zeros(M.shape, dtype=bool)  # what differs by a bit in any of the changes, where a row was changed often
    for rows, Z in zip(changed, same, strict=True):
        if len(rows):
            ever[:, rows[0]] |= (compute(Z) != Y).any(axis=1)
    moves = outputs - Y[:, None]
    return _by_the_comparison(M, outputs, Y, ever) or _by_the_change(M, recipe_of(f), moves, X, latest)


def _by_the_comparison(M, outputs, Y, ever):
    """Name the faulty comparison that gives exactly this matrix."""
    moves = outputs - Y[:, None]
    far, lengths = np.abs(moves), np.linalg.norm(outputs, axis=2) - np.linalg.norm(Y, axis=1)[:, None]
    right = (far > TOLERANCE).any(axis=2)
    found = {  # row-norms before no-abs: only the layer that turns rows shows it, and no-abs fails at an earlier one
        "exact": [(moves != 0).any(axis=2), ever],
        "row-norms": [np.abs(lengths) > TOLERANCE, lengths != 0],
        "no-abs": [(sign * moves > TOLERANCE).any(axis=2) for sign in (1, -1)],
        "every-feature": [(far > TOLERANCE).all(axis=2)],
        "first-feature": [far[:, :, 0] > TOLERANCE],
        "last-feature": [far[:, :, -1] > TOLERANCE],
        "row-sums": [
            np.abs(moves.sum(axis=2)) > TOLERANCE,
            moves.sum(axis=2) != 0,
            *(sign * moves.sum(axis=2) > TOLERANCE for sign in (1, -1) if M.any()),  # none at all tells nothing
        ],
        "relative": [~np.isclose(outputs, Y[:, None]).all(axis=2)],
        "coarse": [
            *((far > size).any(axis=2) for size in (1e-5, 1e-4, 1e-3, 0.01, 0.05, 0.1, 0.5, 1)),
            *((far**2).sum(axis=2) > TOLERANCE, (far**2).mean(axis=2) > TOLERANCE, (far**2 > TOLERANCE).any(axis=2)),
        ],
    }
    for name, matrices in found.items():
        if any(np.array_equal(M, matrix) and not np.array_equal(matrix, right) for matrix in matrices):
            return name
    return None


def _by_the_change(M, recipe, moves, X, latest):
    """Name the kind of change to which a layer is blind; only where a reaction is missed for want of a difference."""
    truth = recipe.right
    unseen = truth & (np.abs(moves).max(axis=2) <= TOLERANCE)
    if not (unseen & ~M).any() or (M & ~truth).any():
        return None
    after = np.stack([latest[j][j] for j in range(len(X))])
    change = after - X
    if np.abs(change).max() < 0.1 * np.abs(X).max() and _larger_is_seen(recipe.compute, X, change, unseen):
        return "too-small"
    if (change == 0).all(axis=0).any():
        return "some-features"
    if np.array_equal(np.sort(np.abs(after), axis=1), np.sort(np.abs(X), axis=1)):
        return "signs-or-order"
    if np.allclose(change, change[:, :1]):
        return "same-shift"
    ratio = (change * X).sum(axis=1, keepdims=True) / (X**2).sum(axis=1, keepdims=True)
    return "stretched" if np.allclose(change, ratio * X) else "unseen"


def _larger_is_seen(compute, X, change, unseen):
    """Tell whether the same changes, made as large as the numbers of X, show all that was missed."""
    Y, larger = compute(X), change * (np.abs(X).max() / max(np.abs(change).max(), 1e-300))
    for j in np.flatnonzero(unseen.any(axis=0)):
        Z = X.copy()
        Z[j] += larger[j]
        if not (np.abs(compute(Z) - Y).max(axis=1) > TOLERANCE)[unseen[:, j]].all():
            return False
    return True


def _by_the_pattern(M, truth):
    """Name the wrong way to fill the matrix that gives exactly this one."""
    diagonal = np.eye(len(M), dtype=bool)
    patterns = {
        "transposed": truth.T,
        "inverted": ~truth,
        "none": np.zeros_like(truth),
        "whole-output": np.broadcast_to(truth.any(axis=0), truth.shape),
        "not-itself": truth & ~diagonal,
        "only-itself": truth & diagonal,
        "only-earlier": np.tril(truth),
        "only-later": np.triu(truth),
        "symmetric": truth | truth.T,
        "off-by-one": np.roll(truth, 1, axis=1),
        "first-column": truth & (np.arange(len(M)) == 0)[None, :],
        "last-column": truth & (np.arange(len(M)) == len(M) - 1)[None, :],
    }
    return next((name for name, pattern in patterns.items() if np.array_equal(M, pattern)), None)


def _by_the_entry(f, M, truth):
    i, j = map(int, np.argwhere(truth != M)[0])
    says, does = ("moves", "stays") if M[i, j] else ("stays", "moves")
    count = int((truth != M).sum())
    raise Fault(
        Key.VALUE,
        f"In {recipe_of(f).words} you say that row {i} {says} when row {j} changes, and it {does} ({count} of {M.size} entries are "
        "wrong). Make that one change by hand and print both outputs.",
    )


def _probe(change=None, moved=None, keep_changes=False, rows=slice(None)):
    """Make an influence function from how it changes a row and how it compares; each argument makes it a wrong one."""
    change = change or (lambda row, j: row + np.random.default_rng(j).normal(size=row.shape))
    moved = moved or (lambda Y, Z: (np.abs(Z - Y) > 1e-7).any(axis=1))

    def influence(f, X):
        Y, M, Z = f(X), np.zeros((len(X), len(X)), dtype=bool), X.copy()
        for j in range(len(X))[rows]:
            Z = Z if keep_changes else X.copy()
            Z[j] = change(X[j], j)
            M[:, j] = moved(Y, f(Z))
        return M

    return influence


def _seen(change):
    """Make a wrong answer from what happens to the right matrix."""
    right = _probe()
    return lambda f, X: change(right(f, X))


def _parts(f, X):
    """Compare the outputs of X with those of each row alone."""
    Y = f(X)
    return np.array([[np.abs(f(X[j : j + 1]) - Y[i]).max() > 1e-7 for j in range(len(X))] for i in range(len(X))])


EXERCISE = Inspection(
    id="position_independence.influence",
    kind="function",
    cases=_cases,
    inspect=_inspect,
    mistakes=(
        Mistake(
            "transposed",
            _seen(lambda M: M.T.copy()),
            "Rows and columns are swapped: row i is the output that moves, column j the input that changes.",
        ),
        Mistake(
            "not-called",
            lambda f, X: np.eye(len(X), dtype=bool),
            "Your function never calls f, so it says the same of every layer: f is a black box, and only a call shows what it does.",
        ),
        Mistake(
            "unchanged",
            lambda f, X: np.stack([(f(X.copy()) != f(X)).any(axis=1) for _ in X], axis=1),
            "Whenever your code called f, it gave it X as it is: does the changed copy of X go into f?",
        ),
        Mistake(
            "never-changed",
            _probe(rows=slice(0, -1)),
            "Some row of X is never changed: does the loop go over all of range(len(X))?",
        ),
        Mistake(
            "other-length",
            _parts,
            "Your code gives f another number of rows than X has. Leave all rows in place and change one of them.",
        ),
        Mistake(
            "none",
            _seen(np.zeros_like),
            "Outputs of f moved, but M is False everywhere. Is the comparison reversed, made for all rows at once, or not written into M?",
        ),
        Mistake("inverted", _seen(np.logical_not), "True and False are swapped: True stands where a row moves."),
        Mistake(
            "whole-output",
            _seen(lambda M: np.broadcast_to(M.any(axis=0), M.shape).copy()),
            "M is True everywhere as soon as anything moves: compare the outputs row by row, along axis 1.",
        ),
        Mistake(
            "exact",
            _probe(moved=lambda Y, Z: (Y != Z).any(axis=1)),
            "Rounding is taken for movement: this layer leaves a dust of about 1e-13 on all rows. Count a difference only above 1e-8.",
        ),
        Mistake(
            "coarse",
            _probe(moved=lambda Y, Z: (np.abs(Z - Y) > 0.1).any(axis=1)),
            "Real reactions go unseen: your tolerance is too large, your change too small, or squares are compared, and the square of 1e-5 is 1e-10. Every difference above 1e-8 counts.",
        ),
        Mistake(
            "relative",
            _probe(moved=lambda Y, Z: ~np.isclose(Y, Z).all(axis=1)),
            "Your tolerance grows with the outputs, as in np.isclose and np.allclose, which add a hundred-thousandth of each number to the 1e-8: a faint reaction of a large output goes unseen. Pass rtol=0, or compare np.abs(…) with 1e-8.",
        ),
        Mistake(
            "no-abs",
            _probe(moved=lambda Y, Z: (Z - Y > 1e-7).any(axis=1)),
            "Only moves in one direction are seen: a value that falls has moved too. Take the absolute value of the difference.",
        ),
        Mistake(
            "too-small",
            _probe(change=lambda row, j: row + 1e-9 * np.cos(np.arange(1, len(row) + 1))),
            "Your change is so small that what it does to the outputs stays below 1e-8: change a row by numbers as large as its own.",
        ),
        Mistake(
            "same-shift",
            _probe(change=lambda row, j: row + 1),
            "Adding one number to all features of a row goes unseen by a layer that removes the row's mean: change the features by different amounts.",
        ),
        Mistake(
            "stretched",
            _probe(change=lambda row, j: 2 * row),
            "Multiplying a row goes unseen by a layer that scales every row to one length: change its features by different amounts.",
        ),
        Mistake(
            "some-features",
            _probe(change=lambda row, j: row + 0.1 * (np.arange(len(row)) == 0)),
            "Your change leaves some features of the row as they are, and a layer may react to one of those alone: change every feature of the row.",
        ),
        Mistake(
            "signs-or-order",
            _probe(change=lambda row, j: -row),
            "Your change keeps the size of every number in the row and changes only signs or the order. A layer may react to nothing but the sizes: put in new random numbers.",
        ),
        Mistake(
            "unseen",
            _probe(change=lambda row, j: 1.5 * row + 2),
            "Your change of a row goes unseen by a layer that does react to that row: add a different random number to each feature.",
        ),
        Mistake(
            "nan",
            _probe(change=lambda row, j: row * np.nan, moved=lambda Y, Z: np.isnan(Z).any(axis=1)),
            "NaN also passes through a weight of zero, because 0 × NaN is NaN: make an ordinary change instead.",
        ),
        Mistake(
            "piled-up",
            _probe(keep_changes=True),
            "f got an X with more than one changed row: begin with a fresh copy of X for every j, and change row j alone.",
        ),
        Mistake(
            "every-feature",
            _probe(moved=lambda Y, Z: (np.abs(Z - Y) > 1e-7).all(axis=1)),
            "A row has moved as soon as any of its features has; you ask for all of them.",
        ),
        Mistake(
            "first-feature",
            _probe(moved=lambda Y, Z: np.abs(Z - Y)[:, 0] > 1e-7),
            "You look at the first output feature only, and a layer can react in another one.",
        ),
        Mistake(
            "last-feature",
            _probe(moved=lambda Y, Z: np.abs(Z - Y)[:, -1] > 1e-7),
            "You look at the last output feature only, and a layer can react in another one.",
        ),
        Mistake(
            "row-sums",
            _probe(moved=lambda Y, Z: np.abs(Z.sum(axis=1) - Y.sum(axis=1)) > 1e-7),
            "You compare the sums (or means) of the rows: where one feature rises as much as another falls, the sum stays. Compare value by value.",
        ),
        Mistake(
            "row-norms",
            _probe(moved=lambda Y, Z: np.abs(np.linalg.norm(Z, axis=1) - np.linalg.norm(Y, axis=1)) > 1e-7),
            "You compare the lengths of the rows: a row that turns keeps its length. Subtract first, then take the length.",
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
            "You look only at inputs that come before the output, but some layers look ahead.",
        ),
        Mistake(
            "only-later",
            _seen(np.triu),
            "You look only at inputs from the output's own row on, but some layers look back.",
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
            "first-column",
            _seen(lambda M: np.hstack([M[:, :1], 0 * M[:, 1:]])),
            "Only the first column is filled: is the return inside the loop?",
        ),
        Mistake(
            "last-column",
            _seen(lambda M: np.hstack([0 * M[:, :-1], M[:, -1:]])),
            "Only the last column is filled: do you create M again inside the loop?",
        ),
    ),
    hints=(
        "Change a single row of the input, and see which rows of the output have moved. What must be undone before you change the next one?",
        "f gives shape (n, d_out); comparing two outputs along axis 1 gives n answers, and they are column j of M.",
        "Start with: rng = np.random.default_rng(0) and M = np.zeros((len(X), len(X)), dtype=bool). In a loop over j: changed[j] += rng.normal(size=…), then M[:, j] = ….any(axis=1).",
    ),
    right="Your matrix says who reacts to whom, even where the reaction is faint.",
)

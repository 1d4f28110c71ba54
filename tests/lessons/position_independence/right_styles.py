"""Right answers in other styles than the worked ones."""

import functools

import numpy as np
import torch


def filled(f, X):
    Y = None
    for i in range(len(X)):
        y = f(X[i])
        if Y is None:
            Y = np.zeros((len(X), len(y)))
        Y[i] = y
    return Y


def along_axis(function, rows):
    return np.apply_along_axis(function, 1, rows)


def array_of_a_list(f, X):
    return np.array(list(map(f, X)))


def backwards_and_turned(f, X):
    return np.vstack([f(row) for row in X[::-1]])[::-1]


def one_by_one(f, X):
    first, *rest = X
    Y = f(first)[None]
    for row in rest:
        Y = np.concatenate([Y, f(row)[None]])
    return Y


def _columns(f, X, change, moved):
    before, M = f(X), np.zeros((len(X), len(X)), dtype=bool)
    for j in range(len(X)):
        other = X.copy()
        other[j] = change(X[j])
        M[:, j] = moved(before, f(other))
    return M


def row_blanked(f, X):
    return _columns(f, X, lambda row: 0 * row, lambda a, b: ~np.isclose(a, b, rtol=0).all(axis=1))


def distances(f, X):
    return _columns(f, X, lambda row: row + np.arange(row.size) + 1, lambda a, b: np.linalg.norm(a - b, axis=1) > 1e-6)


def zeros_and_ones(f, X):
    rng = np.random.default_rng(1)
    rows = []
    for j in range(len(X)):
        Z = np.array(X)
        Z[j] += 10 * rng.random(X.shape[1])
        rows.append([float(not np.allclose(a, b, rtol=0)) for a, b in zip(f(X), f(Z), strict=True)])
    return np.array(rows).T


def several_changes(f, X):
    rng = np.random.default_rng(2)
    M = np.zeros((len(X), len(X)), dtype=int)
    for _ in range(3):
        for j in range(len(X)):
            Z = X + 0
            Z[j] = rng.normal(size=X.shape[1])
            M[:, j] |= np.abs(f(Z) - f(X)).max(axis=1) > 1e-8
    return M


def slopes(f, X):
    n, d = X.shape
    M = np.zeros((n, n), dtype=bool)
    for j in range(n):
        for k in range(d):
            Z = X.copy()
            Z[j, k] += 1e-3
            M[:, j] |= (np.abs(f(Z) - f(X)) > 1e-8).any(axis=1)
    return M


def with_isclose(f, X):
    rng = np.random.default_rng(7)
    return np.stack(
        [
            ~np.isclose(f(np.where(np.arange(len(X))[:, None] == j, rng.normal(size=X.shape), X)), f(X), rtol=0).all(1)
            for j in range(len(X))
        ],
        axis=1,
    )


def as_lists(f, X):
    return with_isclose(f, X).tolist()


def each_row_alone(f, X):
    return np.allclose(f(X), np.vstack([f(row[None]) for row in X]))


def changed_and_shuffled(f, X):
    rng = np.random.default_rng(0)
    before, order, well = f(X), rng.permutation(len(X)), True
    for j in range(len(X)):
        Z = X.copy()
        Z[j] += rng.normal(size=X.shape[1])
        gap = np.abs(f(Z) - before).max(axis=1)
        gap[j] = 0
        well &= bool(gap.max() < 1e-8)
    return well and np.allclose(f(X[order]), before[order])


def as_an_array(box, rows):
    alone = np.array([box(rows[i : i + 1])[0] for i in range(len(rows))])
    return np.abs(box(rows) - alone).max() < 1e-6


def as_a_number(f, X):
    return 1.0 * each_row_alone(f, X)


def as_a_tensor(f, X):
    return torch.tensor(each_row_alone(f, X))


def row_by_row(f, X):
    return all(np.isclose(f(X)[i], f(X[[i]])[0]).all() for i in range(len(X)))


def pairs_of_rows(f, X):
    # every row before and after every other one gives the same as in the whole sequence
    Y = f(X)
    for i in range(len(X)):
        for j in range(len(X)):
            y = f(X[[j, i]])
            if not np.allclose(y, Y[[j, i]], rtol=1e-6, atol=1e-8):
                return False
    return True


def own_numbers(f, X):
    Z = np.random.default_rng(3).uniform(-2, 2, size=(9, X.shape[1]))
    return np.allclose(f(Z), np.concatenate([f(Z[i][None, :]) for i in range(9)]), atol=1e-7)


STYLES = {
    "position_independence.rowwise": [
        filled,
        along_axis,
        array_of_a_list,
        backwards_and_turned,
        one_by_one,
        functools.partial(filled),
    ],
    "position_independence.influence": [
        zeros_and_ones,
        row_blanked,
        distances,
        several_changes,
        slopes,
        with_isclose,
        as_lists,
    ],
    "position_independence.which_layers": [
        changed_and_shuffled,
        as_an_array,
        as_a_number,
        as_a_tensor,
        row_by_row,
        pairs_of_rows,
        own_numbers,
    ],
}

# True and False count as 1 and 0, of any dtype; the matrix, and the rows, may come as a list of lists.
ACCEPTS = {
    "position_independence.influence": {"integers", "float32", "list for array"},
    "position_independence.rowwise": {"list for array"},
    "position_independence.which_layers": {"number for truth"},
}

"""Look inside a network: who influences whom, and rank.

Values may be torch tensors or NumPy arrays; results are plain numbers and NumPy arrays. NaN and infinity are refused.
"""

import numpy as np

from course_lib.model.one_thread import torch
from courseware import arguments


def influence(f, x, seed: int = 0) -> np.ndarray:
    """Measure how far each output row moves when one input row changes.

        M[i, j] = ‖f(x with row j changed)[i] - f(x)[i]‖, where the change is a random vector of length 1

    Args:
        f: a function of x that returns (n_out, features), such as a module in eval mode (dropout would move all rows).
        x: (n_in, features), a tensor or an array; f receives the same kind.
        seed: of the random change.

    Returns:
        (n_out, n_in), 0 where nothing moves. For a layer that treats every position alone all but the diagonal is
        exactly 0, because every call has the same shape.

    Raises:
        TypeError: f is not callable, or x is not numeric (the same holds for every function of this module).
        ValueError: f returns something else than rows, or x is empty, has the wrong shape, or holds NaN or infinity
            (the same).
    """
    if not callable(f):
        raise TypeError(f"f must be callable, but {arguments.described(f)} was given.")
    rows = arguments.array("x", x, ("n_in", "features"))
    x = arguments.tensor("x", x).detach() if arguments.is_tensor(x) else rows
    change = np.random.default_rng(arguments.integer("seed", seed, 0)).normal(size=rows.shape)
    change /= np.linalg.norm(change, axis=1, keepdims=True)
    with torch.no_grad():
        before = _rows(f(x))
        moved = [_rows(f(_with_row_moved(x, j, change[j]))) for j in range(len(rows))]
    return np.stack([np.linalg.norm(after - before, axis=1) for after in moved], axis=1)


def rank(h) -> int:
    """Return how many directions the tokens spread over: the numerical rank of h after its mean is removed.

    Singular values below the largest · max(tokens, features) · machine epsilon count as zero.

    Args:
        h: (tokens, features).
    """
    h = arguments.array("h", h, ("tokens", "features"))
    return int(np.linalg.matrix_rank(h - h.mean(axis=0)))


def _rows(y) -> np.ndarray:
    return arguments.array("f(x)", y, ("n_out", "features"))


def _with_row_moved(x, j, change):
    if arguments.is_tensor(x):
        moved, change = x.clone(), torch.as_tensor(change, dtype=x.dtype)
    else:
        moved = x.copy()
    moved[j] += change
    return moved

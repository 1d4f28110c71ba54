"""What the exercises of this lesson share: the shapes they try, random weights, and the FFN number by number."""

import math

import numpy as np

#: Leading shape, d_model and d_ff: a batch, a sequence, a single token, and three axes before a narrow layer.
SHAPES = (((3, 5), 7, 11), ((5,), 7, 3), ((), 5, 7), ((3, 1, 6), 2, 9))


def named_sizes(leading, d_model, d_ff) -> dict[str, int]:
    """Return the axis sizes of a case by name; the axes of the leading shape are those next to the features."""
    names = ("group", "batch", "seq_len")[3 - len(leading) :]
    return dict(zip(names, leading, strict=True)) | {"d_model": d_model, "d_ff": d_ff}


def weights(rng, d_model, d_ff) -> list[np.ndarray]:
    """Draw W1, b1, W2 and b2; no bias is zero, so that a missing one is seen."""
    shapes = ((d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,))
    return [rng.normal(size=shape) for shape in shapes]


def by_loops(x, W1, b1, W2, b2) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Compute z, h and y number by number: no matrix product and no array operation.

    Args:
        x: (..., d_model).
        W1, b1, W2, b2: (d_model, d_ff), (d_ff,), (d_ff, d_model) and (d_model,).
    """
    z, h, y = (np.empty((*x.shape[:-1], len(bias))) for bias in (b1, b1, b2))
    for token in np.ndindex(x.shape[:-1]):
        for j in range(len(b1)):
            z[token][j] = math.fsum([b1[j], *(float(x[token][i] * W1[i, j]) for i in range(len(b2)))])
            h[token][j] = max(float(z[token][j]), 0.0)
        for i in range(len(b2)):
            y[token][i] = math.fsum([b2[i], *(float(h[token][j] * W2[j, i]) for j in range(len(b1)))])
    return z, h, y

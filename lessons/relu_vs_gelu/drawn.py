"""The results for the guesses that a page lets its reader draw: the points of a curve, and a dot for each seed."""

import numpy as np

from course_lib.model.numpy_ffn import gelu

SEEDS, DRAWS = 5, 1000


def predict_lowest() -> tuple[list, list]:
    """Return the curve of the average, x Φ(x), which is GELU, and averages over random thresholds, seed by seed."""
    x = np.linspace(-4, 1, 101)
    dots = []
    for seed in range(SEEDS):
        thresholds = np.random.default_rng(seed).normal(size=DRAWS)
        dots += [(one, (one * (one > thresholds)).mean()) for one in x[::10]]
    return list(zip(x, gelu(x), strict=True)), dots

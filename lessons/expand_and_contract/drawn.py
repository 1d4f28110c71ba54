"""The results for the guesses that a page lets its reader draw: the points of a curve, and a dot for each seed."""

from functools import cache

import numpy as np

from course_lib.model import tasks, training

WIDTHS = (4, 8, 16, 32, 64, 128, 256)
ASKED_FIRST = 32  # units; what wider layers do is asked, and drawn, only after it


def predict_recall_2x() -> tuple[list, list]:
    """Return how many of 100 pairs are recalled at each width up to the one that is asked: means, and each run."""
    return tuple([point for point in points if point[0] <= ASKED_FIRST] for points in predict_recall_4x())


@cache
def predict_recall_4x() -> tuple[list, list]:
    """Return how many of 100 pairs are recalled at each width, as section 2 counts them: means, and each run."""
    keys, values = tasks.pairs(256, 16, seeds=5)
    line, dots = [], []
    for width in WIDTHS:
        five = training.networks((16, width, 16), seeds=5)
        output = training.fit(five, keys, values, steps=200, rate=0.03, schedule="cosine").trained(keys)
        nearest = ((output[:, :, None] - values[:, None]) ** 2).sum(dim=3).argmin(dim=2).numpy()
        recalled = 100 * (nearest == np.arange(len(keys[0]))).mean(axis=1)
        line.append((width, recalled.mean()))
        dots += [(width, run) for run in recalled]
    return line, dots

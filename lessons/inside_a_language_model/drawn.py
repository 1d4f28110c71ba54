"""The results for the guesses that a page lets its reader draw: the points of a curve, and a dot for each seed."""

import numpy as np

from course_lib.model import reading

PIECES = 8


def predict_zeros() -> tuple[list, list]:
    """Return the share of the hidden values of FFN 2 that is exactly 0 on part B, and that of each eighth of it."""
    zero = reading.of_part("B").hidden[1] == 0
    return [(0, zero.mean())], [(0, piece.mean()) for piece in np.array_split(zero, PIECES)]

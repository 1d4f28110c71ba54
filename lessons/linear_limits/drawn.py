"""The results for the guesses that a page lets its reader draw: the points of a curve, and a dot for each seed."""

import numpy as np

from course_lib.model import tasks, training

WIDTHS, STARTS, GROUPS = (2, 4, 8, 12, 16), 200, 4


def predict_width() -> tuple[list, list]:
    """Return the percentages of starts that solve XOR, trained as in section 3: of all 200, and of each group of 50."""
    corners, is_xor = tasks.xor()
    line, dots = [], []
    for width in WIDTHS:
        many = training.networks((2, width, 1), STARTS)
        solved = 100.0 * (training.fit(many, corners, is_xor, steps=400, rate=0.05).final < 0.05)
        line.append((width, solved.mean()))
        dots += [(width, group.mean()) for group in np.split(solved, GROUPS)]
    return line, dots

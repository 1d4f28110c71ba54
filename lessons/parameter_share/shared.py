"""How the oracles count: by making the arrays."""

import numpy as np


def numbers_in(*shapes) -> int:
    """Count the numbers in arrays of these shapes by making the arrays."""
    return sum(np.empty(shape).size for shape in shapes)

"""How numbers are written in captions, tables and prints: one way each."""

import numpy as np


def three_digits(value) -> str:
    """Write a number with three significant figures."""
    return f"{float(value):.3g}"


def minus(number: str) -> str:
    """Put a real minus sign in front of a written number, in place of the hyphen of the keyboard."""
    return number.replace("-", "−")


def spread(values, digits: int = 2, form: str = "g") -> str:
    """Write mean and range of some numbers, as in "0.25 [0.24, 0.26]".

    Args:
        values: numbers, any shape.
        digits, form: as in a format specification: 2 and "g" for two significant figures.
    """
    values = np.asarray(values)
    mean, low, high = (f"{value:.{digits}{form}}" for value in (values.mean(), values.min(), values.max()))
    return f"{mean} [{low}, {high}]"

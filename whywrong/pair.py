"""Hold what one case gave and what was wanted, side by side."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from whywrong.form import near


@dataclass(frozen=True)
class Pair:
    """What one case gave and what was wanted, as float arrays of one shape.

    >>> Pair(np.array([1.0, 2.0, 3.5]), np.array([1.0, 2.0, 3.0])).wrong
    array([False, False,  True])

    axes: the names of the axes; is_boolean: whether the values are True and False, here 1 and 0.
    inputs: the arrays that were passed in, by name; others: what the other returned values should be.
    sizes: whole numbers of the case, by name; flags: other arguments that distinguish cases, such as {"bias": True}.
    tolerance: up to which difference a value counts as right.
    """

    given: np.ndarray
    wanted: np.ndarray
    axes: tuple[str, ...] = ()
    is_boolean: bool = False
    inputs: dict[str, np.ndarray] = field(default_factory=dict)
    others: dict[str, np.ndarray] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    flags: dict[str, object] = field(default_factory=dict)
    tolerance: float = 1e-7

    @cached_property
    def wrong(self) -> np.ndarray:
        """For each value, whether it is wrong."""
        return ~near(self.given, self.wanted, self.tolerance)


def between(low: float, high: float) -> float | None:
    """Return a number with few digits between two others, 0 if possible; None if there is none.

    >>> between(-2, 3), between(0.1234, 0.1299), between(1, 1)
    (0.0, 0.127, None)
    """
    middles = [0.0, *(round((low + high) / 2, digits) for digits in range(7))]
    return next((middle for middle in middles if low < middle < high and float(f"{middle:.4g}") == middle), None)

"""What one case gave and what was wanted, side by side."""

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from whywrong.form import near


@dataclass(frozen=True)
class Pair:
    """What one case gave and what was wanted, as float arrays of one shape.

    axes: the names of the axes; truths: whether the values are True and False, here 1 and 0.
    inputs: the arrays that were handed in, by name; others: what is wanted of the other returned values.
    sizes: whole numbers of the case, by name; flags: what else tells cases apart, such as {"bias": True}.
    tolerance: up to which a value counts as right.
    """

    given: np.ndarray
    wanted: np.ndarray
    axes: tuple[str, ...] = ()
    truths: bool = False
    inputs: dict[str, np.ndarray] = field(default_factory=dict)
    others: dict[str, np.ndarray] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    flags: dict[str, object] = field(default_factory=dict)
    tolerance: float = 1e-7

    @cached_property
    def wrong(self) -> np.ndarray:
        """Tell of each value whether it is wrong."""
        return ~near(self.given, self.wanted, self.tolerance)


def between(low: float, high: float) -> float | None:
    """Return a short number between two others: 0 where it fits; None where there is none."""
    middles = [0.0, *(round((low + high) / 2, digits) for digits in range(7))]
    return next((middle for middle in middles if low < middle < high and float(f"{middle:.4g}") == middle), None)

"""What a hypothesis looks at: in each case, what was given and what was wanted, and what else is known of the case."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from course_lib.grading.compare import near

ENOUGH = 3  # values that differ, which a hypothesis must explain
EXACT = 1e-9  # how well it must explain them


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

    @property
    def wrong(self) -> np.ndarray:
        """Tell of each value whether it is wrong."""
        return ~near(self.given, self.wanted, self.tolerance)


@dataclass(frozen=True)
class Seen:
    """What was seen: a stable name, what follows the name of the value in a sentence, and a question behind it."""

    name: str
    says: str
    asks: str = ""


def equal(one: np.ndarray, other: np.ndarray) -> bool:
    """Tell whether two arrays are the same up to rounding; an infinite number equals none."""
    return one.shape == other.shape and bool((np.isfinite(other) & near(one, other, EXACT)).all())


def explains(pairs: list[Pair], change: Callable[[Pair], np.ndarray | None]) -> bool:
    """Tell whether a change of what was wanted gives what was given, in every case and in enough values that differ."""
    different = 0
    for pair in pairs:
        changed = change(pair)
        if changed is None or not equal(pair.given, np.asarray(changed, dtype=float)):
            return False
        different += int(pair.wrong.sum())
    return different >= ENOUGH


def everywhere(pairs: list[Pair]) -> str:
    """Return " everywhere" where the values are arrays."""
    return " everywhere" if any(pair.wanted.ndim for pair in pairs) else ""


def depth(pairs: list[Pair]) -> int:
    """Return the number of axes that all cases have."""
    return min(pair.wanted.ndim for pair in pairs)


def axis_name(pairs: list[Pair], axis: int) -> str:
    """Name an axis, counted from the end."""
    axes = pairs[0].axes
    named = axes[axis] if len(axes) >= -axis else "..."
    return f"the axis {named}" if named != "..." else f"axis {axis}"

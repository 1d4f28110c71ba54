"""What rewritten code calls, under the names in HELPERS, where an edit needs more than Python's own functions."""

import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from whywrong.form import is_array, is_tensor


def _compare_values(name: str) -> Callable:
    """Return np.maximum or np.minimum, for tensors and for a single array as well."""

    def compare(*args: Any) -> Any:
        if len(args) != 2:
            return getattr(args[0], name)()
        if any(map(is_tensor, args)):
            torch = sys.modules["torch"]
            first, second = (torch.as_tensor(arg, dtype=torch.float64) for arg in args)
            return getattr(torch, name + "imum")(first, second)
        return getattr(np, name + "imum")(*args)

    return compare


def _call_math(name: str, *args: Any) -> Any:
    """Call a function of `math` on numbers, arrays or tensors."""
    if any(map(is_tensor, args)):
        return getattr(sys.modules["torch"], name)(*args)
    return np.vectorize(math.erf)(*args) if name == "erf" else getattr(np, name)(*args)


def _mean(values: Any, *args: Any, **options: Any) -> Any:
    """Take the mean, of a Boolean tensor as well."""
    return values.double().mean(*args, **options) if is_tensor(values) else values.mean(*args, **options)


def _count_true(values: Any) -> Any:
    if not is_array(values) or "bool" not in str(values.dtype):
        raise TypeError
    return values.sum()


def _power(base: Any, exponent: Any) -> Any:
    if is_array(base):
        return base**exponent
    return float(base) ** float(exponent)  # a power of large whole numbers could take for ever


def _square(base: Any) -> Any:
    return _power(_check_bool(base, wanted=False), 2)


def _both(first: Any, second: Any) -> Any:
    """Return 2 where two Boolean arrays are both True, and 0 elsewhere."""
    return 2 * (_check_bool(first, wanted=True) & _check_bool(second, wanted=True))


def _check_bool(value: Any, wanted: bool) -> Any:
    """Return a value; raise TypeError unless it is a Boolean array (or none, if none is wanted)."""
    if ("bool" in str(getattr(value, "dtype", ""))) != wanted:
        raise TypeError
    return value


def _row_numbers(columns: Any) -> np.ndarray:
    """Return the number of each row as a column, to index with a matrix of columns."""
    if is_tensor(columns) or not isinstance(columns, np.ndarray) or columns.ndim != 2 or columns.dtype.kind not in "iu":
        raise TypeError
    return np.arange(len(columns))[:, None]


def _check_two_axes(x: Any) -> Any:
    """Return x; raise TypeError unless it has two axes."""
    if getattr(x, "ndim", 0) != 2:
        raise TypeError
    return x


HELPERS = {
    "_slip_len": _count_true,
    "_slip_power": _power,
    "_slip_square": _square,
    "_slip_both": _both,
    "_slip_max": _compare_values("max"),
    "_slip_min": _compare_values("min"),
    "_slip_sum": lambda values: values.sum(),
    "_slip_math": _call_math,
    "_slip_mean": _mean,
    "_slip_rows": _row_numbers,
    "_slip_two_axes": _check_two_axes,
}

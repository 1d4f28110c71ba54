"""What mended code calls, under the names in HELPERS, where an edit needs more than Python's own words."""

import math
import sys

import numpy as np

from whywrong.form import is_tensor


def _valuewise(name):
    def valuewise(*args):
        if len(args) != 2:
            return getattr(args[0], name)()
        if any(map(is_tensor, args)):
            torch = sys.modules["torch"]
            low, high = (torch.as_tensor(one, dtype=torch.float64) for one in args)
            return getattr(torch, name + "imum")(low, high)
        return getattr(np, name + "imum")(*args)

    return valuewise


def _math(name, *args):
    if any(map(is_tensor, args)):
        return getattr(sys.modules["torch"], name)(*args)
    return np.vectorize(math.erf)(*args) if name == "erf" else getattr(np, name)(*args)


def _mean(values, *args, **options):
    return values.double().mean(*args, **options) if is_tensor(values) else values.mean(*args, **options)


def _count(values):
    if not (is_tensor(values) or isinstance(values, np.ndarray)) or "bool" not in str(values.dtype):
        raise TypeError
    return values.sum()


def _power(base, exponent):
    if is_tensor(base) or isinstance(base, np.ndarray):
        return base**exponent
    return float(base) ** float(exponent)  # of whole numbers it could take for ever


def _both(one, other):
    return 2 * (_that_hold(one, bools=True) & _that_hold(other, bools=True))


def _that_hold(value, bools):
    if ("bool" in str(getattr(value, "dtype", ""))) != bools:
        raise TypeError
    return value


def _rows(places):
    if is_tensor(places) or not isinstance(places, np.ndarray) or places.ndim != 2 or places.dtype.kind not in "iu":
        raise TypeError
    return np.arange(len(places))[:, None]


def _two_axes(x):
    if getattr(x, "ndim", 0) != 2:
        raise TypeError
    return x


HELPERS = {
    "_slip_len": _count,
    "_slip_power": _power,
    "_slip_square": lambda base: _power(_that_hold(base, bools=False), 2),
    "_slip_both": _both,
    "_slip_max": _valuewise("max"),
    "_slip_min": _valuewise("min"),
    "_slip_sum": lambda values: values.sum(),
    "_slip_math": _math,
    "_slip_mean": _mean,
    "_slip_rows": _rows,
    "_slip_two_axes": _two_axes,
}

"""Check arguments once, in one place, with messages that name the argument, what was given and what is accepted."""

import math
import numbers
import re

import numpy as np

from whywrong.form import is_tensor, to_numpy
from whywrong.form import spreads as spreads


def described(value) -> str:
    """Describe a value in a few words: its type, and its shape or its short form."""
    kind = type(value).__name__
    shape = getattr(value, "shape", None)
    if shape is not None and not callable(shape):
        return f"{kind} of shape {tuple(shape)}"
    try:
        text = re.sub(r" at 0x[0-9A-Fa-f]+", "", repr(value))  # an address says nothing and changes each time
    except Exception:
        return kind
    return f"{kind} {text}" if len(text) <= 60 else f"{kind} {text[:57]}..."


def integer(name: str, value, minimum: int = 1, maximum: int | None = None) -> int:
    """Return value as an int.

    Raises:
        TypeError: value is not a whole number (True and False are refused too).
        ValueError: value is outside [minimum, maximum].
    """
    accepted = f"an integer of at least {minimum}"
    if maximum is not None:
        accepted = f"an integer from {minimum} to {maximum}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be {accepted}, but {described(value)} was given.")
    if value < minimum or (maximum is not None and value > maximum):
        raise ValueError(f"{name} must be {accepted}, but {described(value)} was given.")
    return int(value)


def real(
    name: str, value, minimum: float = -math.inf, maximum: float = math.inf, *, open_low=False, open_high=False
) -> float:
    """Return value as a finite float.

    Args:
        minimum, maximum: the accepted range; `open_low` and `open_high` leave the end itself out.

    Raises:
        TypeError: value is not a real number.
        ValueError: value is NaN, infinite, or outside the range.
    """
    accepted = "a finite number"
    if minimum > -math.inf or maximum < math.inf:
        left = "(" if open_low or minimum == -math.inf else "["
        right = ")" if open_high or maximum == math.inf else "]"
        accepted = f"a number in {left}{minimum:g}, {maximum:g}{right}"
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be {accepted}, but {described(value)} was given.")
    low_ok = value > minimum if open_low else value >= minimum
    high_ok = value < maximum if open_high else value <= maximum
    if not (math.isfinite(value) and low_ok and high_ok):
        raise ValueError(f"{name} must be {accepted}, but {described(value)} was given.")
    return float(value)


def choice(name: str, value, known) -> str:
    """Return value if it is one of the known names.

    Raises:
        TypeError: value is not a string.
        ValueError: value is not among `known`; the message lists them.
    """
    names = ", ".join(repr(item) for item in known)
    if not isinstance(value, str):
        raise TypeError(f"{name} must be one of {names}, but {described(value)} was given.")
    if value not in known:
        raise ValueError(f"unknown {name} {value!r}: known are {names}.")
    return value


def boolean(name: str, value) -> bool:
    """Return value if it is True or False.

    Raises:
        TypeError: value is anything else, such as 1 or "yes".
    """
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False, but {described(value)} was given.")
    return bool(value)


def function(name: str, value, known: dict):
    """Return the function that value names in `known`, or value itself when it is callable.

    Raises:
        TypeError: value is neither a name nor callable, or it is a class where one of its objects is meant.
        ValueError: value is not among the known names; the message lists them.
    """
    if isinstance(value, str):
        return known[choice(name, value, known)]
    if isinstance(value, type):
        raise TypeError(
            f"{name} must be a function, but the class {value.__name__} was given; did you mean {value.__name__}()?"
        )
    if not callable(value):
        names = ", ".join(repr(item) for item in known)
        raise TypeError(f"{name} must be a function or one of {names}, but {described(value)} was given.")
    return value


def tensor(name: str, value, axis: str = "", size: int | None = None, like=None):
    """Return value if it is a floating-point torch tensor.

    Args:
        axis, size: the name and the length that its last axis must have, such as "features" and 512.
        like: weights whose dtype it must share.

    Raises:
        TypeError: value is not a tensor, does not hold floating-point numbers, or has another dtype.
        ValueError: its last axis has another length; the `axis` of the error is its name.
    """
    if not is_tensor(value):
        raise TypeError(f"{name} must be a torch tensor, but {described(value)} was given.")
    if not value.is_floating_point():
        raise TypeError(
            f"{name} must hold floating-point numbers, but its dtype is {value.dtype}: {name}.float() converts it."
        )
    if size is not None and (value.ndim == 0 or value.shape[-1] != size):
        wanted = f"the last dimension of {name} must be {axis} = {size}"
        error = ValueError(f"{wanted}, but the shape of {name} is {tuple(value.shape)}.")
        error.axis = axis
        raise error
    if like is not None and value.dtype != like.dtype:
        raise TypeError(f"{name} must have the dtype of the weights, {like.dtype}, but its dtype is {value.dtype}.")
    return value


def items(name: str, value, what: str) -> list:
    """Return value as a list; `what` says what it must hold, such as "integers". Strings are refused.

    Raises:
        TypeError: value is not iterable.
    """
    try:
        if isinstance(value, (str, bytes)):
            raise TypeError
        return list(value)
    except TypeError:
        raise TypeError(f"{name} must be a list of {what}, but {described(value)} was given.") from None


def array(name: str, value, axes: tuple[str, ...] | None = None, sizes: dict | None = None, finite=True) -> np.ndarray:
    """Return an array, a list or a tensor as a floating-point NumPy array (float32 and float64 stay as they are).

    Args:
        axes: the names of the last axes, such as ("d_in", "d_out"); a leading "..." allows any batch axes before them.
        sizes: axis sizes already known, such as {"d_in": 3}; the sizes found here are added to it.
        finite: refuse NaN and infinity.

    Raises:
        TypeError: value is not numeric.
        ValueError: an axis is missing, empty, or of another size than `sizes` says; or a value is not finite.
    """
    try:
        result = to_numpy(value)
    except Exception as error:  # ragged lists and objects that cannot be read as an array
        raise ValueError(f"{name} must be an array of numbers, but {described(value)} was given.") from error
    if result.dtype.kind not in "fiu":
        raise TypeError(f"{name} must be an array of real numbers, but {described(value)} was given.")
    if result.dtype.kind != "f" or result.dtype.itemsize < 4:
        result = result.astype(np.float64)
    if result.size == 0:
        raise ValueError(f"{name} must not be empty, but {described(value)} was given.")
    if axes is not None:
        result = _with_axes(name, result, axes, {} if sizes is None else sizes)
    if finite and not np.isfinite(result).all():
        raise ValueError(f"{name} must be finite, but it holds NaN or infinity.")
    return result


def truths(name: str, value, axes: tuple[str, ...], sizes: dict | None = None) -> np.ndarray:
    """Return a Boolean array, list or tensor (or one of 0 and 1) as a NumPy array of bool.

    Args:
        axes, sizes: as for `array`.

    Raises:
        TypeError: value holds something else.
        ValueError: an axis is missing, empty, or of another size than `sizes` says.
    """
    wrong = f"{name} must be an array of True and False, but {described(value)} was given."
    try:
        result = to_numpy(value)
    except Exception as error:
        raise ValueError(wrong) from error
    if result.dtype.kind != "b" and (result.dtype.kind not in "iuf" or not np.isin(result, (0, 1)).all()):
        raise TypeError(wrong)
    if result.size == 0:
        raise ValueError(f"{name} must not be empty, but {described(value)} was given.")
    return _with_axes(name, result.astype(bool), axes, {} if sizes is None else sizes)


def words(name: str, value) -> str:
    """Return value if it is a string.

    Raises:
        TypeError: value is anything else.
    """
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, but {described(value)} was given.")
    return value


def _with_axes(name, result, axes, sizes):
    shown = "(" + ", ".join(axes) + ("," if len(axes) == 1 else "") + ")"
    wanted = [axis for axis in axes if axis != "..."]
    fits = result.ndim >= len(wanted) if axes[0] == "..." else result.ndim == len(wanted)
    if not fits:
        raise ValueError(f"{name} must have shape {shown}, but its shape is {result.shape}.")
    for axis, size in zip(wanted, result.shape[result.ndim - len(wanted) :], strict=True):
        if sizes.setdefault(axis, size) != size:
            message = f"{name} must have shape {shown} with {axis} = {sizes[axis]}, but its shape is {result.shape}."
            raise ValueError(message)
    return result

"""Recognise right values in another shape: in a list, or with axes of size 1 that are missing or too many."""

import numpy as np

from whywrong.answer import Answer
from whywrong.form import (
    as_values,
    explain_unfinished,
    is_array,
    is_tensor,
    name_axes,
    name_dtype,
    name_shape,
    near,
    same_word,
    split_values,
    to_numpy,
)
from whywrong.task import Exercise, Finding, Key, Returns


def find_right_values(answer: Answer) -> Finding | None:
    """Say how to give right values the shape that is asked for; None if more than the shape is wrong in some case."""
    item, said = answer.item, answer.finding
    if said is None or said.kind not in (Key.TYPE, Key.SHAPE) or not isinstance(item, Exercise):
        return None
    try:
        return _find_shapes(answer)
    except Exception:  # it cannot be run on every case, or a list makes no array
        return None


def _find_shapes(answer: Answer) -> Finding | None:
    """Return how to fix the first value that is right except for its shape; None if any value is wrong."""
    item, finding = answer.item, None
    for case, again in zip(answer.cases(), answer.cases(), strict=True):
        given, wanted = split_values(item, item.run(answer.guarded, case)), as_values(item, item.oracle(*again.args))
        for returned, value, right in zip(item.returns, given, wanted, strict=True):
            if not _has_right_values(returned, value, right, item.tolerance):
                return None
            finding = finding or _describe_shape(returned, value, right, case.sizes)
    return finding


def _has_right_values(returned: Returns, value: object, right: object, tolerance: float) -> bool:
    """Return whether a value is right, apart from lists and axes of size 1."""
    if isinstance(right, str):
        return isinstance(value, str) and same_word(value, right)
    array, wanted = _to_array(value), to_numpy(right)
    if is_array(value) and returned.axes is not None and name_dtype(value, right) != name_dtype(right, right):
        return False
    if array.dtype.kind not in "biuf" or (array.dtype == bool) != (wanted.dtype == bool):
        return False
    array, wanted = array.squeeze(), wanted.squeeze()
    return array.shape == wanted.shape and bool(near(array, wanted, tolerance).all())


def _to_array(value: object) -> np.ndarray:
    """Convert nested lists of numbers, arrays and tensors to one array.

    >>> _to_array([np.zeros(2), (1, 2)]).shape
    (2, 2)
    """
    if isinstance(value, (list, tuple)):
        return np.array([_to_array(part) for part in value])
    return to_numpy(value)


def _describe_shape(returned: Returns, value: object, right: object, sizes: dict[str, int]) -> Finding | None:
    """Say how to give one right value its shape; None if it has it."""
    is_list, shape, wanted = isinstance(value, (list, tuple)), _to_array(value).shape, tuple(to_numpy(right).shape)
    if is_list:
        return Finding("slip", "list", _describe_list(returned, value, right, shape, wanted))
    if shape == wanted:
        return None
    if returned.axes is None:
        says = f"The value is right, but it is inside an array of shape {shape}: `.item()` takes it out."
        return Finding("slip", "axes", says)
    yours = f"{returned.name} has shape {shape}{name_axes(shape, sizes)}"
    expected = f"{name_shape(returned, wanted)} is expected"
    advice = _describe_indexing(shape, wanted)
    return Finding("slip", "axes", f"The values are right but not the shape: {yours}, and {expected}. {advice}.")


def _describe_list(
    returned: Returns, value: list | tuple, right: object, shape: tuple[int, ...], wanted: tuple[int, ...]
) -> str:
    """Say how to turn a list or a tuple with the right values into what is asked for."""
    kind = type(value).__name__
    if returned.axes is None or (len(value) == 1 and tuple(getattr(value[0], "shape", ())) == wanted):
        values = "The value is" if returned.axes is None else "The values are"
        return f"{values} right, but {returned.name} is a {kind}{explain_unfinished(value)}."
    make = "np.array(…)"
    if is_tensor(right):
        dtype = name_dtype(right, right)
        make = "torch.tensor(…)" if dtype == "float32" else f"torch.tensor(…, dtype=torch.{dtype})"
        make = "torch.stack(…)" if any(map(is_tensor, value)) else make
    package = "torch tensor" if is_tensor(right) else "NumPy array"
    of_shape = "" if shape == wanted else f" of shape {name_shape(returned, wanted)}"
    code = make + "".join(find_indexing(shape, wanted))
    return f"The values are right, but {returned.name} is a {kind}: `{code}` turns it into a {package}{of_shape}."


def _describe_indexing(shape: tuple[int, ...], wanted: tuple[int, ...]) -> str:
    """Say which code removes and adds axes of size 1.

    >>> _describe_indexing((1, 5), (5,)), _describe_indexing((5,), (5, 1))
    ('`.squeeze(0)` removes the extra axis', '`[:, None]` adds the missing axis')
    """
    squeeze, index = find_indexing(shape, wanted)
    axis = "axis" if abs(len(shape) - len(wanted)) == 1 else "axes"
    if squeeze and index:
        return f"`{squeeze}{index}` moves the axis of size 1 to the right place"
    return f"`{squeeze}` removes the extra {axis}" if squeeze else f"`{index}` adds the missing {axis}"


def find_indexing(shape: tuple[int, ...], wanted: tuple[int, ...]) -> tuple[str, str]:
    """Return the code that removes axes of size 1 from a shape, and the code that then adds them.

    >>> find_indexing((5,), (5, 1)), find_indexing((1, 5, 2), (5, 2)), find_indexing((1, 5, 2), (5, 2, 1))
    (('', '[:, None]'), ('.squeeze(0)', ''), ('.squeeze(0)', '[:, :, None]'))
    """
    ones, wanted_ones = _count_ones(shape), _count_ones(wanted)
    removed, index, axis = [], [], 0
    for gap, (count, wanted_count) in enumerate(zip(ones, wanted_ones, strict=True)):
        removed += range(axis, axis + count - wanted_count)
        index += [":"] * min(count, wanted_count) + ["None"] * (wanted_count - count)
        axis += count + 1
        index += [":"] * (gap < len(ones) - 1)
    squeeze = f".squeeze({removed[0] if len(removed) == 1 else tuple(removed)})" if removed else ""
    while index and index[-1] == ":":
        index.pop()
    return squeeze, f"[{', '.join(index)}]" if index else ""


def _count_ones(shape: tuple[int, ...]) -> list[int]:
    """Count the axes of size 1 before, between and after the other axes.

    >>> _count_ones((1, 1, 5, 2, 1))
    [2, 0, 1]
    """
    counts = [0]
    for size in shape:
        if size == 1:
            counts[-1] += 1
        else:
            counts.append(0)
    return counts

"""Read arrays that a learner filled by hand: one rule for all exercises that ask for them."""

import numpy as np

from courseware.arguments import is_tensor, to_numpy
from whywrong.form import explain_unfinished, kind_of, nothing_came_back, refuse_strings
from whywrong.task import Fault, Key
from whywrong.todo import holds_todo


def read(given, shapes: dict[str, tuple], meant: dict[str, str]) -> list[np.ndarray]:
    """Return the arrays of an answer in float64; lists, whole numbers, tensors and one number for (1,) are welcome.

    Args:
        given: what the learner's function returned.
        shapes: the shape of each array, by name.
        meant: what the axes of each of them are, in words, by name.

    Raises:
        Fault: there are not as many arrays, one holds no finite numbers, or has another shape.
    """
    if given is None:
        raise nothing_came_back()
    if holds_todo(given):
        raise Fault(Key.TODO, "There is still a TODO in what your function returns: replace it and check again.")
    if not isinstance(given, (tuple, list)) or len(given) != len(shapes):
        count = f" of {len(given)}" if isinstance(given, (tuple, list)) else ""
        words = f"Return {len(shapes)} arrays, {', '.join(shapes)}: your function returned {kind_of(given)}{count}."
        raise Fault(Key.TYPE, words)
    return [_read_one(name, part, shapes[name], meant[name]) for name, part in zip(shapes, given, strict=True)]


def _read_one(name, part, shape, meant):
    if part is None:
        raise Fault(Key.NONE, f"{name} is None: is an assignment missing?")
    refuse_strings(name, part)
    try:
        array = np.asarray(to_numpy(part) if is_tensor(part) else part, dtype=np.float64)
    except (TypeError, ValueError):
        what = "an array of numbers, with rows of equal length"
        words = f"{name} must be {what}, but it is {kind_of(part)}{explain_unfinished(part)}."
        raise Fault(Key.TYPE, words) from None
    if array.shape == () and shape == (1,):
        array = array.reshape(1)
    if array.shape != shape:
        raise Fault(Key.SHAPE, f"{name} has shape {array.shape}; expected is {shape}: {meant}.")
    if not np.isfinite(array).all():
        raise Fault(Key.NAN, f"{name} holds NaN or infinity.")
    return array

"""Compare what an answer returned with what is wanted: type, unchanged inputs, shape, dtype, NaN, values."""

import inspect
import numbers
from collections.abc import Collection

import numpy as np

from whywrong.task import Case, Exercise, Fault, Key, Returns
from whywrong.todo import holds_todo


def is_tensor(value: object) -> bool:
    """Return whether value is a torch tensor, by its methods, so that torch need not be loaded."""
    return not isinstance(value, type) and hasattr(value, "detach") and hasattr(value, "is_floating_point")


def is_array(value: object) -> bool:
    """Return whether value is a NumPy array or a torch tensor."""
    return isinstance(value, np.ndarray) or is_tensor(value)


def to_numpy(value: object) -> np.ndarray:
    """Convert a tensor, an array or a list to a NumPy array.

    >>> to_numpy([1, 2])
    array([1, 2])
    """
    return value.detach().cpu().numpy() if is_tensor(value) else np.asarray(value)


def spreads(shape: tuple[int, ...], target: tuple[int, ...]) -> bool:
    """Return whether values of one shape broadcast to another.

    >>> spreads((3, 1), (3, 2)), spreads((3,), (3, 2))
    (True, False)
    """
    # torch's own function loads sympy, which takes half a second.
    try:
        return np.broadcast_shapes(shape, target) == tuple(target)
    except ValueError:
        return False


def kind_of(value: object) -> str:
    """Name the type of a value with its article.

    >>> kind_of([1]), kind_of(2), kind_of(dict), kind_of(None)
    ('a list', 'an int', 'the class dict', 'None')
    """
    if value is None:
        return "None"
    if inspect.isclass(value):
        return f"the class {value.__name__}"
    kind = "function" if callable(value) and not hasattr(value, "parameters") else type(value).__name__
    return f"{'an' if kind[0] in 'aeiouAEIOU' else 'a'} {kind}"


def is_number(value: object) -> bool:
    """Return whether value is a real number, or an array or tensor without axes that holds one.

    >>> is_number(2.5), is_number(np.array(2)), is_number(True), is_number("2")
    (True, True, False, False)
    """
    if isinstance(value, (bool, np.bool_)):
        return False
    zero_d = is_array(value) and value.ndim == 0
    return isinstance(value, numbers.Real) or (zero_d and to_numpy(value).dtype.kind in "fiu")


def as_truth(value: object, right: object = True) -> object:
    """Return one truth of Python, NumPy or torch, and 1 or 0, as a bool where a bool is right; else the value itself.

    >>> as_truth(np.array(True)), as_truth(1.0), as_truth(2), as_truth([True])
    (True, True, 2, [True])
    """
    if not isinstance(right, (bool, np.bool_)):
        return value
    plain = value.item() if getattr(value, "shape", None) == () else value
    return bool(plain) if isinstance(plain, (bool, int, float)) and plain in (0, 1) else value


def is_finite(number: float) -> bool:
    """Return whether a number is neither NaN nor infinite; an integer beyond the largest float counts as infinite.

    >>> is_finite(3), is_finite(float("nan")), is_finite(10**400)
    (True, False, False)
    """
    try:
        return bool(np.isfinite(float(number)))
    except OverflowError:
        return False


def refuse_strings(name: str, value: object) -> None:
    """Refuse a string, and an array, a list or a tuple that holds one, where numbers are asked for.

    Raises:
        Fault: there is a string, such as "-2" for −2.
    """
    word = value if isinstance(value, (str, bytes)) else _find_string(value)
    if word is None:
        return
    try:
        float(word)
        advice = ": write numbers without quotes; float(…) converts a string"
    except ValueError:
        advice = f": write {word}, without quotes" if word in ("True", "False") else ", which is not a number"
    verb = "is" if word is value else "holds"
    raise Fault(Key.TYPE, f"{sentence_start(name)} {verb} the string {word!r}{advice}.")


def _find_string(value: object) -> str | None:
    """Return the first string in a list, a tuple or an array, at any depth; None if there is none.

    >>> _find_string([[1, 2], [3, "4"]])
    '4'
    """
    if isinstance(value, np.ndarray):
        value = value.ravel().tolist() if value.dtype.kind in "USO" else []
    for part in value if isinstance(value, (list, tuple)) else ():
        word = str(part) if isinstance(part, (str, bytes)) else _find_string(part)
        if word is not None:
            return word
    return None


def join_rows(rows: list | tuple) -> object:
    """Return the array of a list of rows; the list itself if they make none.

    >>> join_rows([np.zeros(2), [1, 2]]).shape, join_rows([[1], [1, 2]])
    ((2, 2), [[1], [1, 2]])
    """
    if not rows or not all(isinstance(row, (np.ndarray, list, tuple)) for row in rows):
        return rows
    try:
        return np.array(rows)
    except ValueError:  # their lengths differ
        return rows


def as_values(exercise: Exercise, result: object) -> tuple:
    """Return a result as a tuple with one entry for each of `exercise.returns`."""
    return tuple(result) if len(exercise.returns) > 1 else (result,)


def find_misfit(exercise: Exercise, result: object) -> str:
    """Say in a sentence how a result of the oracle contradicts `exercise.returns`; return "" if it fits."""
    if result is None:
        return "The oracle returned None."
    many = len(exercise.returns)
    try:
        count = len(result) if many > 1 else 1
    except TypeError:
        count = kind_of(result)
    if count != many:
        return f"`returns` names {many} values, but the oracle returned {count}."
    for returned, part in zip(exercise.returns, as_values(exercise, result), strict=True):
        if part is None:
            return f"The oracle returned None for {returned.name}."
        shape = tuple(part.shape) if is_array(part) else None
        if returned.axes is None:
            if not (shape == () or is_number(part) or isinstance(part, (str, bool, np.bool_))):
                what = kind_of(part) if shape is None else f"an array of shape {shape}"
                return f"Returns({returned.name!r}) names no axes, but the oracle returned {what}."
            continue
        declared = f"Returns({returned.name!r}, {returned.axes!r})"
        if shape is None:
            if not isinstance(part, np.generic):
                return f"{declared} means an array, but the oracle returned {kind_of(part)}."
            shape = ()
        named = len(returned.axes) - ("..." in returned.axes)
        if len(shape) < named or (len(shape) > named and "..." not in returned.axes):
            actual = f"the oracle's result has {_count_axes(len(shape))}: its shape is {shape}"
            return f"{declared} names {_count_axes(named)}, but {actual}."
    return ""


def _count_axes(count: int) -> str:
    return f"{count} {'axis' if count == 1 else 'axes'}"


def check_form(
    exercise: Exercise, got: object, wanted: tuple, case: Case, original: Case, *, values_first: bool = False
) -> tuple:
    """Check everything about a result except its values, and return it as a tuple of plain values.

    Args:
        got: what the answer returned for `case`.
        wanted: the right values.
        original: the case as it was before the answer saw it.
        values_first: whether wrong integers pass, so that the reply is about the values and not the dtype.

    Raises:
        Fault: type, shape or dtype is not as wanted, a value is not finite, or the inputs were changed.
    """
    if got is None and exercise.kind == "value":
        raise Fault(Key.NONE, "Your answer is None: write it where TODO was.")
    if got is None:
        raise nothing_came_back()
    if holds_todo(got):
        raise Fault(Key.TODO, "There is still a TODO in what your function returns: replace it and check again.")
    got = tuple(map(as_truth, split_values(exercise, got), wanted))
    for item, value, right in zip(exercise.returns, got, wanted, strict=True):
        _check_type(item, value, right)
    for position, (arg, before) in enumerate(zip(case.args, original.args, strict=True)):
        if not unchanged(arg, before):
            message = f"Your code changed argument number {position + 1}. Leave the inputs alone, and work on a copy."
            raise Fault(Key.MUTATES, message)
    for item, value, right in zip(exercise.returns, got, wanted, strict=True):
        _check_values(item, value, right, case.sizes, values_first)
    return tuple(
        _copy_plain(item, value, right) for item, value, right in zip(exercise.returns, got, wanted, strict=True)
    )


def describe_other_package(exercise: Exercise, got: object, wanted: tuple) -> str:
    """Say how to convert an array given instead of a tensor, or a tensor instead of an array; "" if there is none."""
    for item, value, right in zip(exercise.returns, as_values(exercise, got), wanted, strict=True):
        lead = sentence_start(item.name)
        if isinstance(value, np.ndarray) and is_tensor(right):
            return f"{lead} is a NumPy array, though; torch functions expect a tensor: `torch.from_numpy(…)` makes one."
        if is_tensor(value) and isinstance(right, np.ndarray):
            return f"{lead} is a torch tensor, though; NumPy functions expect an array: `.numpy()` makes one."
    return ""


def nothing_came_back() -> Fault:
    """Return the Fault of a function that returned None."""
    return Fault(Key.NONE, "Your function returned None: is the return statement missing?", "nothing-came-back")


def close(exercise: Exercise, got: tuple, wanted: tuple) -> bool:
    """Return whether all returned values agree within the tolerance of the exercise."""
    triples = zip(exercise.returns, got, wanted, strict=True)
    return all(close_one(item, value, right, exercise.tolerance) for item, value, right in triples)


def close_one(item: Returns, value: object, right: object, tolerance: float) -> bool:
    """Return whether one returned value agrees: words up to case, numbers and arrays within the tolerance.

    >>> close_one(Returns("the share"), 0.3334, 1 / 3, 1e-3), close_one(Returns("the name"), "GELU ", "gelu", 0)
    (True, True)
    """
    if isinstance(right, str) or isinstance(value, str):
        return isinstance(right, str) and isinstance(value, str) and same_word(value, right)
    if isinstance(right, (bool, np.bool_)):
        return bool(value) == bool(right)
    if item.axes is None:
        return bool(near(float(value), float(right), tolerance))
    value, right = to_numpy(value), to_numpy(right)
    return value.shape == right.shape and bool(near(value, right, tolerance).all())


def near(value: object, right: object, tolerance: float) -> np.ndarray:
    """Say for each number whether |value − right| is at most tolerance · max(1, |right|).

    >>> near([0.25, 200.0], [0.0, 201.0], 0.01)
    array([False,  True])
    """
    difference = np.abs(np.subtract(value, right, dtype=float))  # True and False count as 1 and 0
    return difference <= tolerance * np.maximum(1.0, np.abs(np.asarray(right, dtype=float)))


def same_word(value: str, right: str) -> bool:
    """Return whether two words are the same up to case and blanks around them.

    >>> same_word(" GELU", "gelu")
    True
    """
    return value.strip().casefold() == right.strip().casefold()


def split_values(exercise: Exercise, got: object) -> tuple:
    """Return a result as a tuple of as many values as the exercise asks for."""
    if len(exercise.returns) == 1:
        return (got,)
    only_numbers = all(item.axes is None for item in exercise.returns)
    if only_numbers and is_array(got) and got.shape == (len(exercise.returns),):
        return tuple(got.tolist())  # several numbers may come in one array
    if not isinstance(got, (tuple, list)) or len(got) != len(exercise.returns):
        names = ", ".join(item.name for item in exercise.returns)
        count = f" of {len(got)}" if isinstance(got, (tuple, list)) else ""
        message = f"Return {len(exercise.returns)} values ({names}): your function returned {kind_of(got)}{count}."
        raise Fault(Key.TYPE, message)
    return tuple(got)


def _check_type(item: Returns, value: object, right: object) -> None:
    explained = ""
    if value is None:
        raise Fault(Key.NONE, f"{sentence_start(item.name)} is None: is an assignment missing?")
    if item.axes is None:
        if isinstance(right, str):
            fits, wanted = isinstance(value, str), "a word in quotes"
        elif isinstance(right, (bool, np.bool_)):
            fits, wanted = isinstance(value, bool), "True or False"
        else:
            fits, wanted = is_number(value), "a number"
    else:
        if not isinstance(value, str):
            refuse_strings(item.name, value)
        inside = to_numpy(value).item() if is_array(value) and value.ndim == 0 and right.ndim else value
        if inside is not value and (explained := explain_unfinished(inside)):
            raise Fault(Key.TYPE, f"{sentence_start(item.name)} is an array around {kind_of(inside)}{explained}.")
        fits = is_array(value) or (right.ndim == 0 and is_number(value))
        wanted = "a torch tensor" if is_tensor(right) else "a NumPy array"
        if not fits and isinstance(value, (list, tuple)):
            explained = _explain_several_arrays(value, right)
            make = "torch.tensor(…)" if is_tensor(right) else "np.array(…)"
            wanted += "" if explained else f" ({make} makes one)"
    if not fits:
        shape = f" of shape {tuple(value.shape)}" if is_array(value) and value.ndim else ""
        asks = {"True or False": ": a comparison gives one of them, and `.all()` or `all(…)` makes one of many"}
        if isinstance(value, str):
            asks["a number"] = ": return the number itself, not text"
        explained = explained or explain_unfinished(value) or asks.get(wanted, "")
        words = f"{sentence_start(item.name)} must be {wanted}, but it is {kind_of(value)}{shape}{explained}."
        raise Fault(Key.TYPE, words)


def _explain_several_arrays(value: list | tuple, right: np.ndarray) -> str:
    """Say what to do with several arrays if one is asked for; return "" if they are its rows."""
    arrays = [part for part in value if is_array(part)]
    row_shape = tuple(right.shape[1:])
    are_rows = tuple(right.shape[:1]) == (len(value),) and all(tuple(array.shape) == row_shape for array in arrays)
    if not arrays or are_rows:
        return ""
    if len(value) == 1:
        return explain_unfinished(value)
    if isinstance(value, list) and all(getattr(part, "shape", None) == right.shape for part in value):
        return f" of {len(value)} values, each as large as the one that is asked for: combine them"
    return f" of {len(value)} values: return only the one that is asked for"


def explain_unfinished(value: object) -> str:
    """Say what is left to do with a value that is not a result yet, such as a generator."""
    kind = type(value).__name__
    if isinstance(value, (tuple, list)) and len(value) == 1:
        around = "the comma after it" if isinstance(value, tuple) else "the square brackets around it"
        return f" with one entry: take it out with `[0]`, or leave out {around}"
    if is_array(value) and set(value.shape) <= {1}:
        return ": `.item()` takes the value out"
    if hasattr(type(value), "forward"):
        where_numbers_are = "; its numbers are its `.weight`" if hasattr(value, "weight") else ""
        return f": that is a module, which computes only when you call it on a tensor{where_numbers_are}"
    if kind in ("map", "filter", "generator", "zip", "range"):
        return ", which has not run yet: list(…) turns it into a list, and np.array(list(…)) into an array"
    if callable(value) and not inspect.isclass(value):
        return ": to call it, add round brackets after its name"
    return ""


def _check_values(item: Returns, value: object, right: object, sizes: dict[str, int], values_first: bool) -> None:
    """Check shape, dtype and NaN of one returned value."""
    if item.axes is None:
        if not isinstance(right, str) and not is_finite(value):
            raise Fault(Key.NAN, f"{sentence_start(item.name)} is not a finite number.")
        return
    shape, wanted = tuple(np.shape(value)), tuple(right.shape)
    if shape != wanted:
        yours = f"{sentence_start(item.name)} has shape {shape}{name_axes(shape, sizes)}"
        message = f"{yours}, but {name_shape(item, wanted)} is expected."
        raise Fault(Key.SHAPE, message)
    dtype, expected = (name_dtype(array, right) for array in (value, right))
    is_whole = values_first and dtype.startswith(("int", "uint"))  # float32 is not exact enough to be compared
    if dtype != expected and (not is_whole or near(to_numpy(value), to_numpy(right), 1e-4).all()):
        hint = _explain_dtype(value, dtype, expected)
        raise Fault(
            Key.DTYPE,
            f"{sentence_start(item.name)} has dtype {dtype}, but {expected} is expected, as in the inputs{hint}.",
        )
    bad = ~np.isfinite(to_numpy(value))
    if bad.any():
        where = f"{sentence_start(item.name)} contains NaN or infinity{_name_bad_rows(bad)}"
        raise Fault(
            Key.NAN, f"{where}. Look for a division by zero, the root of a negative number, a log of 0 or an overflow."
        )


def name_dtype(value: object, right: np.ndarray) -> str:
    """Return the name of a dtype without its package; that of `right` for a value that has none."""
    return str(getattr(value, "dtype", right.dtype)).removeprefix("torch.")


def _name_bad_rows(bad: np.ndarray) -> str:
    """Say which rows are bad as a whole, if all other rows are good."""
    rows = bad.all(axis=-1) if bad.ndim == 2 else np.zeros(1, bool)
    if not rows.any() or rows.all() or bad[~rows].any():
        return ""
    numbers = [str(row) for row in np.flatnonzero(rows)[:4]]
    has_more = bool(len(numbers) < rows.sum())
    which = f"row{'s' * (len(numbers) > 1)} {', '.join(numbers)}{' and others' * has_more}"
    return f" in all of {which}, and nowhere else"


def _explain_dtype(value: object, dtype: str, expected: str) -> str:
    """Say where a value with this dtype comes from, if the two dtypes show it."""
    if dtype == "bool":
        return ": a comparison gives True and False, not numbers"
    if is_tensor(value) and (dtype, expected) == ("float32", "float64"):
        return ": torch creates float32 tensors unless you pass dtype=x.dtype"
    if (dtype, expected) == ("float32", "float64"):
        return ": compute in float64 from the start"
    if dtype.startswith(("int", "uint")) and expected.startswith("float"):
        return ": whole numbers cannot hold fractions"
    return f": `.to(torch.{expected})` converts it" if is_tensor(value) else f": `.astype(np.{expected})` converts it"


def _copy_plain(item: Returns, value: object, right: object) -> object:
    """Copy a value into a plain type, whose methods are not the learner's."""
    if item.axes is not None:
        return np.array(to_numpy(value))
    if isinstance(right, str):
        return str.__str__(value)
    return value if isinstance(value, bool) else float(value)


def sentence_start(name: str) -> str:
    """Return the name of a value for the start of a sentence; a name from the code keeps its small letter.

    >>> sentence_start("the width"), sentence_start("y")
    ('The width', 'y')
    """
    return name[0].upper() + name[1:] if " " in name else name


def name_axes(shape: tuple[int, ...], sizes: dict[str, int]) -> str:
    """Name the axes of a shape by their sizes, if every size is known.

    >>> name_axes((3, 2), {"d_in": 2, "d_out": 3})
    ' = (d_out, d_in)'
    """
    names = {size: name for name, size in sizes.items()}
    if shape and len(names) == len(sizes) and all(size in names for size in shape):
        return " = (" + ", ".join(names[size] for size in shape) + ("," if len(shape) == 1 else "") + ")"
    return ""


def name_shape(item: Returns, shape: tuple[int, ...]) -> str:
    """Write the shape of a returned array with the names of its axes.

    >>> name_shape(Returns("y", ("tokens",)), (5,))
    '(tokens,) = (5,)'
    """
    return f"({', '.join(item.axes)}{',' * (len(item.axes) == 1)}) = {shape}"


def unchanged(value: object, before: object) -> bool:
    """Return whether a plain argument is unchanged; callables and modules always count as unchanged."""
    if is_array(before):
        a, b = to_numpy(value), to_numpy(before)
        return a.shape == b.shape and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=True)
    if isinstance(before, (list, tuple)):
        return len(value) == len(before) and all(unchanged(a, b) for a, b in zip(value, before, strict=True))
    if isinstance(before, (numbers.Number, str, type(None))):
        return value == before
    return True  # callables and modules: their own exercise compares what matters


def one_of(given: object, names: Collection[str]) -> str:
    """Return the name in `names` that an answer means, whatever its case, spaces, hyphens and underscores.

    >>> one_of("No_Residual", ["no residual", "correct"])
    'no residual'

    Raises:
        Fault: it is None, not a string, or none of the names.
    """
    if given is None:
        raise nothing_came_back()
    if not isinstance(given, str):
        words = f"The name must be a word in quotes, but it is {kind_of(given)}{explain_unfinished(given)}."
        raise Fault(Key.TYPE, words)
    name = " ".join(given.casefold().replace("_", " ").replace("-", " ").split())
    if name not in names:
        words = f"The word {name[:40]!r} is not one of the names: use {', '.join(map(repr, names))}."
        raise Fault(Key.VALUE, words)
    return name

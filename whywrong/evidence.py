"""Describe a difference in numbers: the case, what the answer gives, what is expected, and how many values differ."""

import dis
import inspect
import numbers
import types
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from whywrong.boxes import find_recipe
from whywrong.form import as_values, close, is_array, near, to_numpy
from whywrong.task import Case, Exercise, Inspection, Returns

if TYPE_CHECKING:
    from whywrong.answer import Answer

TINY = 8  # up to this many values are shown one by one
MOST_ROWS = 4
RESIDUE = 4e-15  # rounding errors are at most this share of the expected value, or of the largest one if that is 0
Place: TypeAlias = tuple[int, ...]
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def describe_difference(answer: "Answer") -> str:
    """Describe a case that differs, in plain lines.

    The expected values are shown only if cases are drawn afresh (`Exercise.fresh`): a fixed case would give them away.

    Args:
        answer: its values differ; the parameters of a function name the arguments.
    """
    item, cases, number, wrong = answer.item, answer.cases(), answer.number, answer.differing(answer.number)
    if item.kind == "value":
        return ""
    arguments, lines = case_arguments(item, cases[number], answer.handed_in), []
    for returned, value, right in zip(item.returns, answer.given[number], answer.expected[number], strict=True):
        if returned.name in wrong:
            lines += _describe_value(item, returned, value, right, arguments)
    differ = sum(answer.wrong)
    count = f"Case {number + 1} of {len(cases)} ({differ} of them differ{'s' * (differ == 1)})"
    where = f"{count if len(cases) > 1 else 'The case'}: {describe_case(item, cases[number], answer.handed_in)}"
    return "\n".join([where.rstrip(" "), *lines])


def describe_case(exercise: Exercise | Inspection, case: Case, answer: object) -> str:
    """Describe the arguments of a case in one line: numbers and words by value, arrays by shape."""
    box = find_recipe(case)
    parts = [box.words] if box else []
    for name, value in case_arguments(exercise, case, answer).items():
        if is_array(value):
            parts.append(f"{name} of shape {tuple(value.shape)}")
        elif isinstance(value, (numbers.Number, str)):
            parts.append(f"{name} = {format_value(value)}")
    return ", ".join(parts)


def case_arguments(exercise: Exercise | Inspection, case: Case, answer: object) -> dict[str, object]:
    """Return the arguments of a case by the names of the answer's parameters, or of the oracle's; {} if none fit."""
    for function in (answer if exercise.kind == "function" else None, getattr(exercise, "oracle", None)):
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            continue
        names = [parameter.name for parameter in parameters]
        if len(names) == len(case.args) and all(parameter.kind in _POSITIONAL for parameter in parameters):
            return dict(zip(names, case.args, strict=True))
    return {}


def find_unused_argument(item: Exercise | Inspection, answer: object, case: Case) -> str:
    """Say which argument the code of a function never uses, though the result depends on it; "" if there is none."""
    code, names = getattr(answer, "__code__", None), case_arguments(item, case, answer)
    if item.kind != "function" or code is None or not isinstance(item, Exercise) or set(names) - set(code.co_varnames):
        return ""
    used = _collect_loaded_names(code)
    for place, (name, arg) in enumerate(names.items()):
        for changed in () if name in used else _make_other_values(arg):
            args = [*case.args[:place], changed, *case.args[place + 1 :]]
            try:
                results = [as_values(item, item.oracle(*given)) for given in (args, case.args)]
                depends = not close(item, *results)
            except Exception:  # no such case can be asked for
                continue
            if depends:
                return f"Your code never uses `{name}`, but the result depends on it."
    return ""


def _make_other_values(arg: object) -> tuple:
    """Return other values of the same type for a number, a bool or an array of floats; nothing for anything else."""
    if isinstance(arg, bool):
        return (not arg,)
    if isinstance(arg, (int, float)):
        return (arg + 1,)
    return (2 * arg + 1, arg**2) if is_array(arg) and "float" in str(arg.dtype) else ()


def _collect_loaded_names(code: types.CodeType) -> set:
    """Return all names and constants that a code object and those inside it load."""
    names = set()
    for step in dis.get_instructions(code):
        if step.opname.startswith("LOAD"):
            names |= set(step.argval if isinstance(step.argval, tuple) else (step.argval,))  # two at once since 3.13
    return names.union(*(_collect_loaded_names(inner) for inner in code.co_consts if inspect.iscode(inner)))


def _describe_value(
    exercise: Exercise, item: Returns, value: object, right: object, arguments: dict[str, object]
) -> list[str]:
    """Describe one returned value that differs, in indented lines."""
    if item.axes is None:
        if isinstance(value, float):
            value = _zero_residues(np.array(value), np.array(right))[()]
        return [f"  {item.name}: {_format_both(value, right) if exercise.fresh else f'yours {format_value(value)}'}"]
    value, right = to_numpy(value), to_numpy(right)
    wrong = ~near(value, right, exercise.tolerance)
    value = _zero_residues(value, right)
    places = list(np.ndindex(right.shape))
    if right.size > TINY:
        places = [place for place in places if wrong[place]][:MOST_ROWS]
    label = _find_label(exercise, item, right, arguments)
    rows = [_format_row(label(place), value[place], right[place], wrong[place], exercise.fresh) for place in places]
    count = int(wrong.sum())
    summary = f"  {count} of {right.size} values of {item.name} {'differs' if count == 1 else 'differ'}"
    if exercise.fresh and right.size > TINY and right.dtype.kind == "f":
        summary += f"; the largest difference is {format_value(np.abs(value - right).max())}"
    return [*rows, summary + "."]


def _format_row(label: str, value: object, right: object, wrong: bool, fresh: bool) -> str:
    if wrong and fresh:
        return f"  {label}: {_format_both(value, right)}"
    return f"  {label}: yours {format_value(value)}, {'wrong' if wrong else 'right'}"


def _zero_residues(value: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Replace values that rounding left, which differ from processor to processor, by 0."""
    if value.dtype.kind != "f":
        return value
    size = np.abs(right)
    largest = size[np.isfinite(size)].max(initial=0)
    return np.where(np.abs(value) < RESIDUE * np.where(size == 0, largest, size), 0, value)


def _format_both(value: object, right: object) -> str:
    """Write two values that differ, with as many digits as it takes to see that they do.

    >>> _format_both(0.33331, 0.33334)
    'yours 0.33331, expected 0.33334'
    """
    for digits in (4, 7, 10, 17):
        yours, expected = format_value(value, digits), format_value(right, digits)
        if yours != expected:
            break
    return f"yours {yours}, expected {expected}"


def _find_label(
    exercise: Exercise, item: Returns, right: np.ndarray, arguments: dict[str, object]
) -> Callable[[Place], str]:
    """Return the function that names a place: by the input there, if there is only one that fits, else by its index."""
    arrays = {name: to_numpy(arg) for name, arg in arguments.items() if is_array(arg)}
    name, array = next(iter(arrays.items()), ("", np.zeros(())))
    if len(arrays) == 1 and len(exercise.returns) == 1 and right.ndim:
        if array.shape == right.shape:
            return lambda place: f"{name}{_format_index(place)} = {format_value(array[place])}"
        if array.ndim == 2 and array.shape[1] <= 4 and len(array) == right.size == len(right):
            return lambda place: f"{name}{_format_index(place[:1])} = ({', '.join(map(format_value, array[place[0]]))})"
    return lambda place: item.name + _format_index(place)


def _format_index(place: Place) -> str:
    return f"[{', '.join(map(str, place))}]" if place else ""


def format_value(value: object, digits: int = 4) -> str:
    """Write a number or a word for a reply.

    >>> format_value(-2 / 3), format_value(25165824), format_value("gelu")
    ('−0.6667', '25,165,824', "'gelu'")
    """
    if isinstance(value, (bool, np.bool_)):
        return str(bool(value))
    if isinstance(value, str):
        return repr(str(value))
    if isinstance(value, numbers.Number) and not isinstance(value, numbers.Real):
        return str(value)
    number = float(value)
    if number.is_integer() and abs(number) < 1e15:
        return f"{int(number):,}".replace("-", "−")
    large = 1000 <= abs(number) < 1e15
    return (f"{number:,.{digits - 3}f}" if large else f"{number:.{digits}g}").replace("-", "−")

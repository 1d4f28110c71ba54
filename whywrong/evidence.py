"""Show a difference in numbers: the case, what the answer gives, what was expected, and how many values differ."""

import dis
import inspect
import numbers

import numpy as np

from whywrong.boxes import find_recipe
from whywrong.form import as_values, close, is_tensor, near, to_numpy
from whywrong.task import Case, Exercise

TINY = 8  # values that are shown one by one
MOST_ROWS = 4
RESIDUE = 4e-15  # of the value that is expected, or of the largest one where that is 0: rounding leaves no more
_PLAIN = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def evidence(answer) -> str:
    """Return plain lines about the first case that differs.

    What was expected is shown only where cases are drawn afresh (`Exercise.fresh`): a fixed case would give it away.

    Args:
        answer: an Answer whose values differ; a function lends the names of its parameters.
    """
    item, cases, number, wrong = answer.item, answer.cases(), answer.number, answer.differing(answer.number)
    if item.kind == "value":
        return ""
    arguments, lines = case_arguments(item, cases[number], answer.handed_in), []
    for one, value, right in zip(item.returns, answer.given[number], answer.expected[number], strict=True):
        if one.name in wrong:
            lines += _differing(item, one, value, right, arguments)
    differ = sum(answer.wrong)
    count = f"Case {number + 1} of {len(cases)} ({differ} of them differ{'s' * (differ == 1)})"
    where = f"{count if len(cases) > 1 else 'The case'}: {describe_case(item, cases[number], answer.handed_in)}"
    return "\n".join([where.rstrip(" "), *lines])


def describe_case(exercise, case: Case, answer) -> str:
    """Describe the arguments of a case in one line: numbers and words by value, arrays by shape."""
    box = find_recipe(case)
    parts = [box.words] if box else []
    for name, value in case_arguments(exercise, case, answer).items():
        if is_tensor(value) or isinstance(value, np.ndarray):
            parts.append(f"{name} of shape {tuple(value.shape)}")
        elif isinstance(value, (numbers.Number, str)):
            parts.append(f"{name} = {written(value)}")
    return ", ".join(parts)


def case_arguments(exercise, case: Case, answer) -> dict[str, object]:
    """Return the arguments of a case by the names that the answer gives them, or else those of the oracle."""
    for function in (answer if exercise.kind == "function" else None, getattr(exercise, "oracle", None)):
        try:
            parameters = inspect.signature(function).parameters.values()
        except (TypeError, ValueError):
            continue
        names = [one.name for one in parameters]
        if len(names) == len(case.args) and all(one.kind in _PLAIN for one in parameters):
            return dict(zip(names, case.args, strict=True))
    return {f"argument {number}": arg for number, arg in enumerate(case.args, 1)}


def never_used(item, answer, case: Case) -> str:
    """Say which argument the code of a function never uses, though the result depends on it; "" where there is none."""
    code, names = getattr(answer, "__code__", None), case_arguments(item, case, answer)
    if item.kind != "function" or code is None or not isinstance(item, Exercise) or set(names) - set(code.co_varnames):
        return ""
    used = _used(code)
    for place, (name, arg) in enumerate(names.items()):
        for other in () if name in used else _others(arg):
            try:
                args = [other if number == place else one for number, one in enumerate(case.args)]
                depends = not close(item, *(as_values(item, item.oracle(*each)) for each in (args, case.args)))
            except Exception:  # no such case can be asked for
                continue
            if depends:
                return f"Your code never uses `{name}`, and the result depends on it."
    return ""


def _others(arg):
    """Return values like this one, and others; none where it is no number, no truth and no array of numbers."""
    if isinstance(arg, bool):
        return (not arg,)
    if isinstance(arg, (int, float)):
        return (arg + 1,)
    is_array = is_tensor(arg) or isinstance(arg, np.ndarray)
    return (2 * arg + 1, arg**2) if is_array and "float" in str(arg.dtype) else ()


def _used(code):
    """Return the names of all that a code reads, and the codes inside it."""
    loads = (one.argval for one in dis.get_instructions(code) if one.opname.startswith("LOAD"))
    found = {name for one in loads for name in (one if isinstance(one, tuple) else (one,))}
    return found.union(*(_used(part) for part in code.co_consts if inspect.iscode(part)))


def _differing(exercise, item, value, right, arguments):
    if item.axes is None:
        if isinstance(value, float):
            value = _without_residues(np.array(value), np.array(right))[()]
        return [f"  {item.name}: {_told_apart(value, right) if exercise.fresh else f'yours {written(value)}'}"]
    value, right = to_numpy(value), to_numpy(right)
    wrong = ~near(value, right, exercise.tolerance)
    value = _without_residues(value, right)
    places = list(np.ndindex(right.shape))
    if right.size > TINY:
        places = [place for place in places if wrong[place]][:MOST_ROWS]
    label = _label(exercise, item, right, arguments)
    rows = [_row(label(place), place, value, right, bool(wrong[place]), exercise.fresh) for place in places]
    count = int(wrong.sum())
    summary = f"  {count} of {right.size} values of {item.name} {'differs' if count == 1 else 'differ'}"
    if exercise.fresh and right.size > TINY and right.dtype.kind == "f":
        summary += f"; the largest difference is {written(np.abs(value - right).max())}"
    return [*rows, summary + "."]


def _row(label, place, value, right, wrong, fresh):
    if wrong and fresh:
        return f"  {label}: {_told_apart(value[place], right[place])}"
    return f"  {label}: yours {written(value[place])}, {'wrong' if wrong else 'right'}"


def _without_residues(value, right):
    """Return the values with 0 for those that are no more than rounding, which differ from processor to processor."""
    if value.dtype.kind != "f":
        return value
    size = np.abs(right)
    largest = size[np.isfinite(size)].max(initial=0)
    return np.where(np.abs(value) < RESIDUE * np.where(size == 0, largest, size), 0, value)


def _told_apart(value, right):
    """Write two values that differ, with as many digits as it takes to see that they do."""
    for digits in (4, 7, 10, 17):
        yours, expected = written(value, digits), written(right, digits)
        if yours != expected:
            break
    return f"yours {yours}, expected {expected}"


def _label(exercise, item, right, arguments):
    """Return how a place is named: by the one input there, if the exercise has but one that fits, else by its index."""
    arrays = {name: to_numpy(arg) for name, arg in arguments.items() if is_tensor(arg) or isinstance(arg, np.ndarray)}
    name, array = next(iter(arrays.items()), ("", np.zeros(())))
    if len(arrays) == 1 and len(exercise.returns) == 1 and right.ndim:
        if array.shape == right.shape:
            return lambda place: f"{name}{_index(place)} = {written(array[place])}"
        if array.ndim == 2 and array.shape[1] <= 4 and len(array) == right.size == len(right):
            return lambda place: f"{name}{_index(place[:1])} = ({', '.join(map(written, array[place[0]]))})"
    return lambda place: item.name + _index(place)


def _index(place):
    return f"[{', '.join(map(str, place))}]" if place else ""


def written(value, digits: int = 4) -> str:
    """Write a number or a word as these lines show it."""
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

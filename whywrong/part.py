"""Compute how much of a wrong answer is right, for part marks.

A mistake that is known by name is worth half; more, if more of the rows, values or boxes are right. An answer that
gives the same everywhere, or hands its input back, is worth nothing, and so are the rows that it would get right. Right
values in another shape are worth half, whether the slip has a name or not; entries that `reshape` scrambled are worth
nothing.
"""

import contextlib
import itertools
from collections import Counter
from fractions import Fraction

import numpy as np

from whywrong import sandbox
from whywrong.answer import Answer
from whywrong.form import as_values, close_one, to_numpy
from whywrong.judge import FUSE_SECONDS
from whywrong.task import Case, Exercise, Fault, Inspection, Key, Returns, Status, Verdict

NAMED = Fraction(1, 2)  # of the points, for a mistake or a slip that is known by name


def compute_share(item: Exercise | Inspection, handed_in: object, verdict: Verdict, seed: int) -> tuple[Fraction, str]:
    """Return the share of an answer that is right, from 0 to 1, and the rule that gives it, such as "named".

    Args:
        item: what was asked.
        handed_in: the learner's function, class or value.
        verdict: on it, with the same seed.
        seed: of the random cases.
    """
    if verdict.status == Status.CORRECT:
        return Fraction(1), "right"
    if verdict.status != Status.NOT_YET:
        return Fraction(0), "stopped" if verdict.status == Status.STOPPED else "blank"
    answer = Answer.run(item, handed_in, seed)
    return sandbox.run(lambda limits: _share_of(answer, verdict), FUSE_SECONDS).value or (Fraction(0), "stopped")


def _share_of(answer: Answer, verdict: Verdict) -> tuple[Fraction, str]:
    if verdict.key == "slip:borrowed":
        return Fraction(0), "borrowed"
    if _says_nothing(answer):
        return Fraction(0), "constant"
    if answer.differs and _is_scrambled(answer):
        return Fraction(0), "scrambled"
    rows = _share_of_rows(answer) if answer.differs else Fraction(0)
    if verdict.key.startswith(("mistake:", "slip:")):
        return max(NAMED, rows), "named"
    if verdict.key == Key.SHAPE and _are_only_reshaped(answer):
        return max(NAMED, rows), "shape"
    return rows, "part" if rows else "wrong"


def _are_only_reshaped(answer: Answer) -> bool:
    """Tell whether an answer of the wrong shape holds the right values in their order, laid end to end for example."""
    item = answer.item
    if isinstance(item, Inspection):
        return False
    for case, own in zip(answer.cases(), answer.cases(), strict=True):
        given = as_values(item, _run_to_value(answer, case))
        for kind, value, right in zip(item.returns, given, as_values(item, item.oracle(*own.args)), strict=True):
            value, right = to_numpy(value), to_numpy(right)
            if value.size != right.size or not close_one(kind, value.reshape(right.shape), right, item.tolerance):
                return False
    return True


def _run_to_value(answer: Answer, case: Case) -> object:
    """Return what an answer gives in a case; where the exercise itself refuses the shape, what the last call gave."""
    calls = []
    try:
        return answer.item.run(lambda *args: calls.append(answer.guarded(*args)) or calls[-1], case)
    except Fault:
        return calls[-1]


def _share_of_rows(answer: Answer) -> Fraction:
    """Return the share of rows, values and boxes that are right, beyond what a constant answer would get."""
    rows = [
        (kind, got, wanted)
        for given, expected in zip(answer.given, answer.expected, strict=True)
        for kind, values, rights in zip(answer.item.returns, given, expected, strict=True)
        for got, wanted in _pair_rows(kind, values, rights)
    ]
    count = sum(close_one(kind, got, wanted, answer.item.tolerance) for kind, got, wanted in rows)
    same = max(Counter((kind.name, str(wanted)) for kind, _, wanted in rows).values())
    return Fraction(max(0, count - same), len(rows) - same) if len(rows) > same else Fraction(0)


def _pair_rows(kind: Returns, value: object, right: object) -> list[tuple]:
    """Pair the rows of an array with the wanted ones; a number, a bool or a word is one row."""
    if kind.axes is None or to_numpy(right).ndim == 0:
        return [(value, right)]
    value, right = to_numpy(value), to_numpy(right)
    return list(zip(value, right, strict=True)) if value.shape == right.shape else [(value, right)]


def _is_scrambled(answer: Answer) -> bool:
    """Return whether arrays hold all the right entries, scrambled by `reshape` where axes must be swapped."""
    pairs = []
    for given, expected in zip(answer.given, answer.expected, strict=True):
        for kind, value, right in zip(answer.item.returns, given, expected, strict=True):
            if not close_one(kind, value, right, answer.item.tolerance):
                pairs.append((value, right))
    arrays = [(to_numpy(value), to_numpy(right)) for value, right in pairs if not isinstance(right, str)]
    if len(arrays) < len(pairs) or not all(2 <= right.ndim <= 4 for _, right in arrays):
        return False
    orders = list(itertools.permutations(range(arrays[0][1].ndim)))
    return any(
        all(_are_alike_in_memory(value, right, order, other) for value, right in arrays)
        and any(_permute(value.shape, order) != _permute(right.shape, other) for value, right in arrays)
        for order, other in itertools.product(orders, orders)
    )


def _are_alike_in_memory(value: np.ndarray, right: np.ndarray, order: tuple[int, ...], other: tuple[int, ...]) -> bool:
    return np.allclose(value.transpose(order).ravel(), right.transpose(other).ravel())


def _permute(shape: tuple[int, ...], order: tuple[int, ...]) -> list[int]:
    """Return the sizes of a shape in another order, without those of size 1."""
    return [shape[axis] for axis in order if shape[axis] > 1]


def _says_nothing(answer: Answer) -> bool:
    """Return whether a function returns one number everywhere, the same for all inputs, or one of its inputs."""
    if answer.item.kind != "function" or answer.guarded is None:
        return False
    calls = _record_calls(answer)
    results = [result for _, result in calls]
    places = range(min((len(args) for args, _ in calls), default=0))
    are_alike = len(places) > 0 and len(calls) > 1 and all(_are_equal(results[0], result) for result in results)
    is_input = any(all(_are_equal(args[place], result) for args, result in calls) for place in places)
    return are_alike or is_input or len(set().union(*map(_collect_numbers, results))) == 1


def _record_calls(answer: Answer) -> list[tuple[tuple, object]]:
    """Return arguments and result of every call of the answer, in the cases of its seed."""
    calls = []

    def record(*args):
        result = answer.guarded(*args)
        calls.append((args, result))
        return result

    for case in answer.cases():
        with contextlib.suppress(Fault):  # the exercise itself refuses a shape
            if isinstance(answer.item, Inspection):
                answer.item.inspect(record, case)
            else:
                answer.item.run(record, case)
    return calls


def _collect_numbers(result: object) -> set:
    """Return the different numbers in a result; something else, such as a word, as text."""
    if isinstance(result, tuple | list):
        return set().union(*map(_collect_numbers, result))
    try:
        return {*np.unique(to_numpy(result)).astype(float).tolist()}
    except Exception:  # it may return anything
        return {str(result)}


def _are_equal(first: object, second: object) -> bool:
    try:
        return bool(np.array_equal(to_numpy(first), to_numpy(second)))
    except Exception:  # they cannot be converted to arrays
        return first is second or (isinstance(first, str) and first == second)

"""How much of a wrong answer is right, for part marks: a mistake with a name, or rows, values or boxes that are right.

What one and the same answer everywhere would get counts for nothing, and so does an answer that hands its input back.
"""

from collections import Counter
from fractions import Fraction

import numpy as np

from whywrong import sandbox
from whywrong.answer import Answer
from whywrong.form import close_one, to_numpy
from whywrong.judge import FUSE_SECONDS
from whywrong.task import Exercise, Inspection, Status, Verdict

NAMED = Fraction(1, 2)  # of the points, for a mistake or a slip that is known by name


def right(item: Exercise | Inspection, handed_in, verdict: Verdict, seed: int) -> Fraction:
    """Return the part of an answer that is right, from 0 to 1.

    Args:
        item: what was asked.
        handed_in: what the learner made.
        verdict: of the same seed.
        seed: of the random cases.
    """
    if verdict.status == Status.CORRECT:
        return Fraction(1)
    if verdict.status != Status.NOT_YET:
        return Fraction(0)
    answer = Answer(item, handed_in, seed)
    return sandbox.run(lambda limits: _part(answer, verdict), FUSE_SECONDS).value or Fraction(0)


def _part(answer, verdict):
    if verdict.key == "slip:borrowed" or _says_nothing(answer):
        return Fraction(0)
    named = NAMED if verdict.key.startswith(("mistake:", "slip:")) else Fraction(0)
    return max(named, _rows(answer)) if answer.differs else named


def _rows(answer):
    """Return the share of rows, single values and boxes that are right, beyond what one answer everywhere would get."""
    rows = [
        (kind, got, wanted)
        for given, expected in zip(answer.given, answer.expected, strict=True)
        for kind, values, rights in zip(answer.item.returns, given, expected, strict=True)
        for got, wanted in _pairs(kind, values, rights)
    ]
    count = sum(close_one(kind, got, wanted, answer.item.tolerance) for kind, got, wanted in rows)
    same = max(Counter((kind.name, str(wanted)) for kind, _, wanted in rows).values())
    return Fraction(max(0, count - same), len(rows) - same) if len(rows) > same else Fraction(0)


def _pairs(kind, value, right):
    """Return the rows of an array beside those that are wanted; a number, a truth or a word is one row."""
    if kind.axes is None or to_numpy(right).ndim == 0:
        return [(value, right)]
    value, right = to_numpy(value), to_numpy(right)
    return list(zip(value, right, strict=True)) if value.shape == right.shape else [(value, right)]


def _says_nothing(answer):
    """Tell whether a function gives one number everywhere, the same for whatever it gets, or one of its inputs back."""
    if answer.item.kind != "function" or answer.guarded is None:
        return False
    calls = _calls(answer)
    results, places = [result for _, result in calls], range(min((len(args) for args, _ in calls), default=0))
    alike = len(places) > 0 and len(calls) > 1 and all(_same(results[0], result) for result in results)
    back = any(all(_same(args[place], result) for args, result in calls) for place in places)
    return alike or back or len({one for result in results for one in _numbers(result)}) == 1


def _calls(answer):
    """Return arguments and result of every call of the answer, in the cases of its seed."""
    calls = []

    def recording(*args):
        result = answer.guarded(*args)
        calls.append((args, result))
        return result

    for case in answer.cases():
        if isinstance(answer.item, Inspection):
            answer.item.inspect(recording, case)
        else:
            answer.item.run(recording, case)
    return calls


def _numbers(result):
    """Return the different numbers in a result; of what is none, such as a word, itself."""
    if isinstance(result, tuple | list):
        return {one for part in result for one in _numbers(part)}
    try:
        return {*np.unique(to_numpy(result)).astype(float).tolist()}
    except Exception:  # whatever else may come back
        return {str(result)}


def _same(one, other):
    try:
        return bool(np.array_equal(to_numpy(one), to_numpy(other)))
    except Exception:  # no array can be made of them
        return one is other or (isinstance(one, str) and one == other)

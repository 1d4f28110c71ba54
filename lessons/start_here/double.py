"""Double every value of an array: a first exercise, to try how checks work."""

import numpy as np

from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns


def _cases(rng):
    cases = [Case((rng.normal(size=n),), {"n": n}) for n in (3, 5)]
    cases[1].args[0][rng.integers(5)] = 0  # exposes an answer that divides by x
    return cases


def _run(answer, case):
    """Call the answer; recognise an array that was repeated instead of multiplied by its values."""
    (x,) = case.args
    result = answer(x)
    twice_as_long = isinstance(result, (np.ndarray, list)) and np.ndim(result) == 1 and len(result) == 2 * len(x)
    if twice_as_long and np.allclose(np.sort(result), np.sort(np.tile(x, 2))):
        words = "The array now holds every value twice: repeating is not multiplying, and the result needs as many "
        raise Fault(Key.SHAPE, words + "values as x. (A list times 2 is repeated; an array times 2 is doubled.)")
    if np.ndim(result) == 0 and isinstance(result, (float, int)):
        if np.isclose(result, 2 * x[0]):
            words = (
                "Only the first value came back: return the whole array. (A `return` inside a loop, if yours has one, "
            )
            raise Fault(Key.TYPE, words + "ends the function in the first round.)")
        if np.isclose(result, 2 * x[-1]):
            words = "Only the last value came back. (In a loop, each round replaces what the round before it found.) Without a "
            raise Fault(Key.TYPE, words + "loop, NumPy doubles the whole array at once.")
        if np.isclose(result, 2 * x.sum()):
            raise Fault(Key.TYPE, "The values were added up to one number; each of them should be doubled on its own.")
    return result


EXERCISE = Exercise(
    id="start_here.double",
    kind="function",
    cases=_cases,
    oracle=lambda x: x + x,
    run=_run,
    returns=(Returns("the result", ("n",)),),
    mistakes=(
        Mistake(
            "positive-only",
            lambda x: np.where(x > 0, 2 * x, x),
            "You doubled only the positive numbers, but twice −3 is −6.",
        ),
        Mistake(
            "unchanged", lambda x: x, "The result is x itself, unchanged: every value should come out twice as large."
        ),
        Mistake(
            "places",
            lambda x: 2.0 * np.arange(len(x)),
            "You doubled the positions 0, 1, 2 and so on: double the values at these positions, x[i].",
        ),
        Mistake("plus-two", lambda x: x + 2, "You added 2 to every value; doubling multiplies every value by 2."),
        Mistake("plus-one", lambda x: x + 1, "You added 1 to every value; doubling multiplies every value by 2."),
        Mistake(
            "running-sum",
            np.cumsum,
            "You added up all the values up to each one, but each should be added only to itself.",
        ),
        Mistake(
            "times-length",
            lambda x: len(x) * x,
            "You multiplied every value by the number of values; doubling multiplies it by 2.",
        ),
        Mistake("squared", lambda x: x**2, "You squared the values; doubling multiplies every value by 2."),
        Mistake("halved", lambda x: x / 2, "The values became half as large; they should become twice as large."),
        Mistake(
            "exponent",
            lambda x: 2**x,
            "You took 2 to the power of every value; doubling multiplies every value by 2.",
        ),
        Mistake("absolute", lambda x: 2 * np.abs(x), "The signs are lost: twice −1.5 is −3."),
        Mistake(
            "rows-joined",
            lambda x: x + x[::-1],
            "You added each value to the one at the same place from the other end; add it to itself instead.",
        ),
        Mistake(
            "total",
            lambda x: np.full_like(x, x.sum()),
            "Every entry is the sum of all values; each should be twice its own value.",
        ),
    ),
    hints=(
        "NumPy multiplies a whole array by a number in one step; no loop is needed.",
        "x has shape (n,), and so has the result.",
        "Start with: return 2 * …",
    ),
    right="Every value is doubled, and the input array is left as it was.",
)

"""Compute ReLU with NumPy."""

import numpy as np

from lessons.relu_vs_gelu.shared import RESULT, array_case, draw_values, each
from whywrong.task import Exercise, Fault, Key, Mistake


def _run(answer, case):
    """Call the answer; the largest value along an axis, which np.max gives, is known by its values."""
    (x,) = case.args
    result = answer(x)
    if isinstance(result, (np.ndarray, np.floating)) and np.shape(result) != x.shape:
        for axis in (0, None):
            if np.array_equal(result, x.max(axis=axis)):
                what = (
                    "the largest of all values" if axis is None or x.ndim == 1 else "the largest value of each column"
                )
                words = f"This is {what}: np.max looks for one maximum among many values. Compare each value with 0 separately."
                raise Fault(Key.SHAPE, words)
    if isinstance(result, np.ndarray) and np.array_equal(result, x[x > 0]) and result.shape != x.shape:
        raise Fault(Key.SHAPE, "Only the positive values are left. The others must keep their places and become 0.")
    if isinstance(result, np.ndarray) and result.dtype.kind == "i" and np.array_equal(result, x > 0):
        return result.astype(x.dtype)  # the gate alone, which has a sentence of its own
    return result


def _ended_at_the_first_negative(start):
    """Make an answer whose loop ends where it meets a negative value: start(x) holds what is never reached."""

    def relu(x):
        result, below = start(x).ravel(), np.flatnonzero(x < 0)
        end = below[0] if below.size else x.size
        result[:end] = x.ravel()[:end]
        result[end : end + 1] = 0
        return result.reshape(x.shape)

    return relu


def _cases(rng):
    """Draw values on both sides of zero, and last of all some below it alone: there the floor shows that lies at 0."""
    cases = [array_case(x) for x in draw_values(rng)]
    return [*cases, array_case(-0.5 - np.abs(rng.normal(size=4)))]


EXERCISE = Exercise(
    id="relu_vs_gelu.relu",
    kind="function",
    cases=_cases,
    oracle=each(lambda x: x if x > 0 else 0.0),
    returns=RESULT,
    run=_run,
    mistakes=(
        Mistake("absolute", np.abs, "This is the absolute value: a negative input comes out positive instead of 0."),
        Mistake(
            "minimum",
            lambda x: np.minimum(x, 0),
            "This keeps the negative half and sets the positive one to 0. ReLU does the opposite.",
        ),
        Mistake(
            "leaky",
            lambda x: np.where(x > 0, x, 0.01 * x),
            "This is leaky ReLU: it lets a hundredth of a negative input through, where plain ReLU gives exactly 0.",
        ),
        Mistake(
            "leaky-tenth",
            lambda x: np.where(x > 0, x, 0.1 * x),
            "This is leaky ReLU: it lets a tenth of a negative input through, where plain ReLU gives exactly 0.",
        ),
        Mistake(
            "derivative",
            lambda x: (x > 0).astype(float),
            "This is the gate alone, 1 or 0, which is ReLU's slope: the value itself has to pass through the gate.",
        ),
        Mistake(
            "flipped",
            lambda x: np.maximum(-x, 0),
            "The sign of the input is flipped: negative inputs pass and positive ones are blocked.",
        ),
        Mistake(
            "minus",
            lambda x: -np.maximum(x, 0),
            "The right values pass, but with the wrong sign: no output of ReLU is negative.",
        ),
        Mistake(
            "squared",
            lambda x: np.maximum(x, 0) ** 2,
            "This is squared ReLU. In plain ReLU, a positive input comes out unchanged.",
        ),
        Mistake(
            "capped",
            lambda x: np.clip(x, 0, 6),
            "This is ReLU6: it stops at 6, while ReLU has no upper limit.",
        ),
        Mistake(
            "clipped",
            lambda x: np.clip(x, 0, 1),
            "Everything above 1 became 1, while ReLU has no upper limit.",
        ),
        Mistake(
            "capped-at-the-largest",
            lambda x: np.clip(x, 0, x.max()),
            "The upper limit is the largest value of x itself: where all values are below 0, that one comes out instead of 0. ReLU has no upper limit.",
        ),
        Mistake("unchanged", lambda x: x.copy(), "The result is x itself: nothing was set to 0."),
        Mistake("zero", lambda x: 0 * x, "Everything came out as 0: positive inputs have to pass unchanged."),
        Mistake(
            "at-least-one",
            lambda x: np.maximum(x, 1),
            "Everything below 1 became 1: ReLU bends at 0, and 0 is also its smallest output.",
        ),
        Mistake(
            "softplus",
            lambda x: np.logaddexp(0, x),
            "This is softplus, log(1 + exp(x)), a smooth curve above ReLU: at 0 it gives 0.69 instead of 0.",
        ),
        Mistake(
            "sigmoid-gate",
            lambda x: x / (1 + np.exp(-x)),
            "This is SiLU: its gate is a smooth number between 0 and 1, while ReLU's gate is either open or closed.",
        ),
        Mistake(
            "gate-below",
            lambda x: np.where(x > 0, x, 1.0),
            "Negative inputs came out as 1; they have to come out as 0.",
        ),
        Mistake(
            "minus-one",
            lambda x: np.where(x > 0, x, -1.0),
            "Negative inputs came out as −1; they have to come out as 0.",
        ),
        Mistake(
            "shifted",
            lambda x: np.where(x >= 1, x, 0.0),
            "Values between 0 and 1 are lost: ReLU bends at 0, not at 1.",
        ),
        Mistake(
            "shifted-down",
            lambda x: np.where(x >= -1, x, 0.0),
            "Values between −1 and 0 pass unchanged: ReLU bends at 0, not at −1.",
        ),
        Mistake(
            "first-negative-only",
            _ended_at_the_first_negative(np.copy),
            "Only the first negative value became 0, and the values after it are unchanged: does your loop end there, with a `break`?",
        ),
        Mistake(
            "up-to-the-first-negative",
            _ended_at_the_first_negative(np.zeros_like),
            "Everything after the first negative value is 0: does your loop end there, with a `break`? Later positive values must pass, too.",
        ),
        Mistake(
            "lowest-to-zero",
            lambda x: x - x.min(),
            "You subtracted the smallest value from all values, which moves every one of them. ReLU sets negative values to 0 and leaves the others unchanged.",
        ),
        Mistake("sign", np.sign, "This is the sign of the input: the size of a positive input has to be kept."),
    ),
    hints=(
        "Every value is compared with 0, and the larger of the two comes out.",
        "x may have any shape, and the result has the same; NumPy compares a whole array with one number in one step.",
        "np.maximum(a, b) goes value by value, and b may be one number; np.max(a) is another function.",
    ),
    right="Positive values pass, everything else becomes 0, and the input array is unchanged.",
)

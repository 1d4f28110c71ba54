"""Exercise: set two gated units by hand, so that they multiply their two inputs."""

import numpy as np

from course_lib.content import Case, Exercise, Fault, Key, Mistake, Returns
from course_lib.lessons.bonus_swiglu.shared import silu

_PARTS = (("W_gate", (2, 2)), ("W_up", (2, 2)), ("W_down", (2, 1)))


def _outputs(answer, case):
    """Put the three matrices of the answer into a SwiGLU without biases and return its outputs on the points."""
    parts = answer()
    if parts is None:
        return None
    if not isinstance(parts, (tuple, list)) or len(parts) != len(_PARTS):
        raise Fault(Key.TYPE, "Return three arrays: W_gate, W_up, W_down.")
    arrays = []
    for (name, shape), part in zip(_PARTS, parts, strict=True):
        if part is None:
            raise Fault(Key.NONE, f"{name} is None: is an assignment missing?")
        if not isinstance(part, (np.ndarray, list, tuple)):
            return parts  # a foreign type: the general checks find the words for it
        array = np.asarray(part, dtype=np.float64)
        if array.shape != shape:
            raise Fault(Key.SHAPE, f"{name} has shape {array.shape}; expected is {shape}.")
        arrays.append(array)
    W_gate, W_up, W_down = arrays
    x = case.args[0]
    return (silu(x @ W_gate) * (x @ W_up)) @ W_down


def _matrices(W_gate, W_up, W_down):
    """Make an answer that returns these three matrices."""
    arrays = tuple(np.array(part, dtype=np.float64) for part in (W_gate, W_up, W_down))
    return lambda: arrays


_READ_X, _READ_Y = [[1, -1], [0, 0]], [[0, 0], [1, -1]]

EXERCISE = Exercise(
    id="bonus_swiglu.product_unit",
    kind="function",
    cases=lambda rng: [Case((3 * rng.normal(size=(7, 2)),), {"point": 7})],
    oracle=lambda x: np.prod(x, axis=1, keepdims=True),
    returns=(Returns("the output", ("point", "d_out")),),
    run=_outputs,
    mistakes=(
        Mistake(
            "one-unit",
            _matrices(_READ_X, _READ_Y, [[1], [0]]),
            "One unit is not used: its partner alone loses nearly everything where x is negative.",
        ),
        Mistake(
            "one-unit-y",
            _matrices(_READ_Y, _READ_X, [[1], [0]]),
            "One unit is not used: its partner alone loses nearly everything where y is negative.",
        ),
        Mistake(
            "same-sign",
            _matrices(_READ_X, _READ_Y, [[1], [-1]]),
            "For negative x the result has the wrong sign: the second unit must bring a minus into its up value or its output weight, and not into both.",
        ),
        Mistake(
            "same-sign-y",
            _matrices(_READ_Y, _READ_X, [[1], [-1]]),
            "For negative y the result has the wrong sign: the second unit must bring a minus into its up value or its output weight, and not into both.",
        ),
        Mistake(
            "twice-the-same",
            _matrices([[1, 1], [0, 0]], [[0, 0], [1, 1]], [[1], [1]]),
            "Both units are the same, so the second one cannot make up for what the first one loses.",
        ),
        Mistake("minus", _matrices(_READ_X, _READ_Y, [[-1], [-1]]), "The result is −x · y: look at the signs."),
        Mistake("twice", _matrices(_READ_X, _READ_Y, [[2], [2]]), "The result is twice as large as x · y everywhere."),
        Mistake(
            "half",
            _matrices(_READ_X, _READ_Y, [[0.5], [0.5]]),
            "The result is half of x · y: add the two units, without taking their mean.",
        ),
        Mistake(
            "x-squared",
            _matrices(_READ_X, _READ_X, [[1], [1]]),
            "The result is x²: the gate and the up value both read x.",
        ),
        Mistake(
            "y-squared",
            _matrices(_READ_Y, _READ_Y, [[1], [1]]),
            "The result is y²: the gate and the up value both read y.",
        ),
        Mistake(
            "sum-squared",
            _matrices([[1, -1], [1, -1]], [[1, -1], [1, -1]], [[1], [1]]),
            "The result is (x + y)²: let the gate read one of the two, and the up value the other.",
        ),
        Mistake(
            "difference-of-squares",
            _matrices([[1, -1], [1, -1]], [[1, -1], [-1, 1]], [[1], [1]]),
            "The result is x² − y²: let the gate read one of the two, and the up value the other.",
        ),
        Mistake(
            "zero",
            _matrices([[0, 0], [0, 0]], _READ_Y, [[1], [1]]),
            "The result is 0 everywhere: do the units cancel, or is one of the matrices all zeros?",
        ),
        Mistake(
            "crossed",
            _matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [[0.5], [0.5]]),
            "One gate reads x and the other y; let the second gate make up for what the first one loses.",
        ),
        Mistake(
            "crossed-sum",
            _matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1], [1]]),
            "One gate reads x and the other y; let the second gate read the opposite of what the first one reads.",
        ),
        Mistake(
            "positive-and-itself",
            _matrices([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1], [1]]),
            "Each unit multiplies a number with itself; gate and up value must read different ones.",
        ),
    ),
    hints=(
        "Let the first gate read x and the second −x. What must the up values be, so that the two add up to x · y?",
        "Column j of W_gate and of W_up, and row j of W_down, belong to unit j; row 0 reads x, row 1 reads y.",
        "Start with: W_gate = np.array([[1.0, -1.0], [0.0, 0.0]]).",
    ),
    right="Two gated units multiply exactly, for every x and y.",
)

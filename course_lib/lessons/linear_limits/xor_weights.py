"""Choose the weights of a network with two ReLUs that computes XOR."""

import numpy as np

from course_lib.content import Case, Exercise, Fault, Key, Mistake, Returns

_XOR_X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
_PARTS = (("W1", (2, 2)), ("b1", (2,)), ("W2", (2, 1)), ("b2", (1,)))


def _run_xor(answer, case):
    """Put the four weights of the answer into the network and return its outputs on the four points."""
    parts = answer()
    if parts is None:
        return None
    if not isinstance(parts, (tuple, list)) or len(parts) != 4:
        raise Fault(Key.TYPE, "Return four arrays: W1, b1, W2, b2.")
    arrays = []
    for (name, shape), part in zip(_PARTS, parts, strict=True):
        if part is None:
            raise Fault(Key.NONE, f"{name} is None: is an assignment missing?")
        if not isinstance(part, np.ndarray) and not isinstance(part, (list, tuple, int, float)):
            return parts  # a TODO or a foreign type: the general checks find the words for it
        array = np.asarray(part, dtype=np.float64)
        if array.shape != shape:
            raise Fault(Key.SHAPE, f"{name} has shape {array.shape}; expected is {shape}.")
        arrays.append(array)
    W1, b1, W2, b2 = arrays
    return np.maximum(case.args[0] @ W1 + b1, 0) @ W2 + b2


def _xor_mistake(W1, b1, W2, b2):
    arrays = tuple(np.array(part, dtype=np.float64) for part in (W1, b1, W2, b2))
    return lambda: arrays


EXERCISE = Exercise(
    id="linear_limits.xor_weights",
    kind="function",
    cases=lambda rng: [Case((_XOR_X.copy(),), {"point": 4})],
    oracle=lambda x: (x[:, :1] != x[:, 1:]).astype(np.float64),
    returns=(Returns("the output", ("point", "d_out")),),
    run=_run_xor,
    mistakes=(
        Mistake(
            "or",
            _xor_mistake([[1, 1], [1, 1]], [0, -1], [[1], [-1]], [0]),
            "The point (1, 1) gives 1: this is OR. The second unit has to be subtracted twice there.",
        ),
        Mistake(
            "sum",
            _xor_mistake([[1, 1], [1, 1]], [0, -1], [[1], [0]], [0]),
            "The output is the sum of the inputs: the second unit, which fires only at (1, 1), is not used yet.",
        ),
        Mistake(
            "and", _xor_mistake([[1, 1], [1, 1]], [0, -1], [[0], [1]], [0]), "This is AND: it fires only at (1, 1)."
        ),
        Mistake(
            "xnor",
            _xor_mistake([[1, 1], [1, 1]], [0, -1], [[-1], [2]], [1]),
            "This is the opposite of XOR: it says 1 where both inputs are equal.",
        ),
        Mistake(
            "zero",
            _xor_mistake([[0, 0], [0, 0]], [0, 0], [[0], [0]], [0]),
            "The output is 0 everywhere: do the two units cancel, because they are the same?",
        ),
        Mistake(
            "half",
            _xor_mistake([[0, 0], [0, 0]], [0, 0], [[0], [0]], [0.5]),
            "The output is 0.5 everywhere, which is the best that a line can do in squared error.",
        ),
        Mistake(
            "one-side",
            _xor_mistake([[1, -1], [-1, 1]], [0, 0], [[1], [0]], [0]),
            "Only one of the two points with y = 1 is found: the second unit should find the other.",
        ),
        Mistake(
            "signed",
            _xor_mistake([[1, -1], [-1, 1]], [0, 0], [[1], [-1]], [0]),
            "One of the two points with y = 1 comes out as −1: look at the sign in W2.",
        ),
    ),
    hints=(
        "Let the first unit count how many inputs are 1, and the second one fire only when both are.",
        "W1 has shape (2, 2), b1 (2,), W2 (2, 1), b2 (1,): column j of W1 and entry j of b1 belong to hidden unit j.",
        "Start with: W1 = np.array([[1.0, 1.0], [1.0, 1.0]]) and b1 = np.array([0.0, -1.0]).",
    ),
    right="Two ReLUs, set by hand, do what no line can.",
)

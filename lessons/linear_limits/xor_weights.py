"""Choose the weights of a network with two ReLUs that computes XOR."""

import inspect

import numpy as np

from courseware import by_hand
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns

_XOR_X = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
_XOR = np.array([[0.0], [1.0], [1.0], [0.0]])
_SHAPES = {"W1": (2, 2), "b1": (2,), "W2": (2, 1), "b2": (1,)}
_MEANT = {
    "W1": "one row for each input, one column for each unit",
    "b1": "one number for each unit",
    "W2": "one row for each unit and one column, as in [[p], [q]]",
    "b2": "one number",
}


def _run_xor(answer, case):
    """Put the four weights of the answer into the network and return its outputs on the four points."""
    try:
        inspect.signature(answer).bind()
    except TypeError:
        words = "The function takes no arguments: it returns the weights, and the check sends the four points through the network."
        raise Fault(Key.RAISES, words) from None
    except ValueError:
        pass  # its arguments cannot be known
    W1, b1, W2, b2 = by_hand.read(answer(), _SHAPES, _MEANT)
    hidden = np.maximum(case.args[0] @ W1 + b1, 0)
    output = hidden @ W2 + b2
    flipped = np.maximum(case.args[0] @ W1.T + b1, 0) @ W2 + b2
    if np.allclose(flipped, _XOR, atol=1e-7) and not np.allclose(output, _XOR, atol=1e-7):
        words = "Your numbers are right, but each unit is a row of your W1: in x @ W1, unit j is column j."
        raise Fault(Key.VALUE, words)
    named = [_XOR, *(pattern for _, pattern, _ in _PATTERNS)]
    if any(np.allclose(output, pattern, atol=1e-7) for pattern in named):
        return output
    raise Fault(Key.VALUE, _diagnosis(hidden, output))


def _diagnosis(hidden, output):
    """Say what the network gives, and which of its two layers must change."""
    given = ", ".join(_short(value) for value in output[:, 0])
    said = f"On (0, 0), (0, 1), (1, 0) and (1, 1) your network gives {given}."
    units = "; ".join(f"unit {j + 1} gives {', '.join(map(_short, hidden[:, j]))}" for j in range(2))
    with_one = np.hstack([hidden, np.ones((4, 1))])
    best = with_one @ np.linalg.lstsq(with_one, _XOR, rcond=None)[0]
    if np.allclose(best, _XOR, atol=1e-7):
        return f"{said} Your hidden layer is fine ({units}): with other numbers in W2 and b2 it gives XOR."
    silent = [j + 1 for j in range(2) if not hidden[:, j].any()]
    if silent:
        which = "Both units are" if len(silent) == 2 else f"Unit {silent[0]} is"
        return f"{said} {which} 0 on all four points, so the bend is never used: look at W1 and b1."
    if np.linalg.matrix_rank(hidden - hidden[:1]) < 2:
        return f"{said} Your two units say the same thing up to a factor and a constant ({units}): let one of them bend elsewhere."
    return f"{said} No W2 and b2 can turn your hidden values into XOR ({units}): change W1 or b1 first."


def _short(value):
    return f"{value:.3g}".replace("-", "−")


# Wrong outputs on the four points that have a sentence of their own; EXERCISE makes weights for each.
_PATTERNS = tuple(
    (name, np.array(outputs, dtype=np.float64)[:, None], says)
    for name, outputs, says in (
        (
            "or",
            (0, 1, 1, 1),
            "This is OR: (1, 1) gives 1 as well. A unit that fires only at (1, 1) has to subtract exactly that.",
        ),
        (
            "sum",
            (0, 1, 1, 2),
            "The output is the sum of the inputs. Let one unit be above 0 at (1, 1) and nowhere else, so that W2 can subtract it: is yours above 0 there?",
        ),
        ("and", (0, 0, 0, 1), "This is AND: it fires only at (1, 1)."),
        ("nor", (1, 0, 0, 0), "This is the opposite of OR: it says 1 only where both inputs are 0."),
        ("nand", (1, 1, 1, 0), "This is the opposite of AND: (0, 0) gives 1 as well, where XOR is 0."),
        ("xnor", (1, 0, 0, 1), "This is the opposite of XOR: it says 1 where both inputs are equal."),
        ("minus", (0, -1, -1, 0), "Your outputs are XOR with the sign flipped: look at the signs in W2."),
        ("zero", (0, 0, 0, 0), "The output is 0 everywhere: are both units 0, or do they cancel?"),
        ("one", (1, 1, 1, 1), "The output is 1 everywhere: (0, 0) and (1, 1) must give 0."),
        (
            "half",
            (0.5, 0.5, 0.5, 0.5),
            "The output is 0.5 everywhere, which is the best that a line can do in squared error.",
        ),
        ("twice", (0, 2, 2, 0), "Your outputs are twice those of XOR: halve W2, and b2 with it."),
        ("halved", (0, 0.5, 0.5, 0), "Your outputs are half of those of XOR: double W2, and b2 with it."),
        (
            "one-side",
            (0, 0, 1, 0),
            "Of the two points where XOR is 1, your network finds only (1, 0): the other unit should find (0, 1).",
        ),
        (
            "other-side",
            (0, 1, 0, 0),
            "Of the two points where XOR is 1, your network finds only (0, 1): the other unit should find (1, 0).",
        ),
        ("signed", (0, -1, 1, 0), "The point (0, 1) comes out as −1: look at the signs in W2."),
        ("signed-other", (0, 1, -1, 0), "The point (1, 0) comes out as −1: look at the signs in W2."),
        ("first-input", (0, 0, 1, 1), "The output is the first input: the second one must count too."),
        ("second-input", (0, 1, 0, 1), "The output is the second input: the first one must count too."),
    )
)


def _weights_for(outputs):
    """Return weights that give these outputs on the four points; two units can give every pattern of the list."""
    for W1, b1 in (([[1, 1], [1, 1]], [0, -1]), ([[1, -1], [-1, 1]], [0, 0]), ([[1, 0], [0, 1]], [0, 0])):
        hidden = np.maximum(_XOR_X @ np.array(W1, dtype=np.float64) + b1, 0)
        with_one = np.hstack([hidden, np.ones((4, 1))])
        found = np.linalg.lstsq(with_one, outputs, rcond=None)[0]
        if np.allclose(with_one @ found, outputs):
            return np.array(W1), np.array(b1), found[:2], found[2]
    raise ValueError(f"no weights for {outputs}")


EXERCISE = Exercise(
    id="linear_limits.xor_weights",
    kind="function",
    cases=lambda rng: [Case((_XOR_X.copy(),), {"point": 4})],
    oracle=lambda x: (x[:, :1] != x[:, 1:]).astype(np.float64),
    returns=(Returns("the output", ("point", "d_out")),),
    run=_run_xor,
    fresh=False,
    mistakes=tuple(
        Mistake(name, lambda outputs=outputs: _weights_for(outputs), says) for name, outputs, says in _PATTERNS
    ),
    hints=(
        "Let the first unit count how many inputs are 1, and the second one fire only when both are.",
        "W1 has shape (2, 2), b1 (2,), W2 (2, 1), b2 (1,): column j of W1 and entry j of b1 belong to hidden unit j.",
        "Start with the first unit, W1 = np.array([[1.0, …], [1.0, …]]) and b1 = np.array([0.0, …]): it counts the ones.",
    ),
    right="Two ReLUs, set by hand, do what no line can.",
)

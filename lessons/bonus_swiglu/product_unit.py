"""Exercise: set two gated units by hand, so that they multiply their two inputs."""

import numpy as np

from courseware import by_hand
from lessons.bonus_swiglu.shared import silu
from whywrong.task import Case, Fault, Inspection, Key, Mistake

_SHAPES = {"W_gate": (2, 2), "W_up": (2, 2), "W_down": (2, 1)}
_MEANT = dict.fromkeys(_SHAPES, "one row per input, one column per unit") | {"W_down": "one row per unit, one column"}
_CORNERS = np.array([[2.0, 3.0], [2.0, -3.0], [-2.0, 3.0], [-2.0, -3.0]])


def _cases(rng):
    return [Case((np.concatenate([_CORNERS, 3 * rng.normal(size=(7, 2))]),))]


def _outputs(x, W_gate, W_up, W_down):
    """Return the outputs of a SwiGLU network without biases, shape (points,)."""
    return ((silu(x @ W_gate) * (x @ W_up)) @ W_down)[:, 0]


def _is(found, wanted):
    return bool(np.allclose(found, wanted, rtol=1e-7, atol=1e-7))


def _inspect(answer, case):
    """Return the name of what is wrong with the three matrices; each cause is tried on the network itself."""
    x = case.args[0]
    W_gate, W_up, W_down = by_hand.read(answer(), _SHAPES, _MEANT)
    found, target = _outputs(x, W_gate, W_up, W_down), x.prod(axis=1)
    if _is(found, target):
        return None
    if _is(_outputs(x, W_gate.T, W_up.T, W_down), target):
        return "unit-per-row"
    if _is(_outputs(x, W_gate.T, W_up, W_down), target):
        return "gate-per-row"
    if _is(_outputs(x, W_gate, W_up.T, W_down), target):
        return "up-per-row"
    known = _known_function(x, found, target)
    if known is not None:
        return known
    times = found[0] / target[0]
    if times and _is(found, times * target):
        words = f"The result is {times:.4g} · x · y everywhere: divide the output weights by {times:.4g}."
        raise Fault(Key.VALUE, words.replace("-", "−"))
    name = _cause(x, W_gate, W_up, W_down, target)
    if name is not None:
        return name
    shown = ", ".join(f"{value:.3g}" for value in found[:4]).replace("-", "−")
    raise Fault(
        Key.VALUE,
        f"At (2, 3), (2, −3), (−2, 3) and (−2, −3) your network gives {shown}; it should give 6, −6, −6 and 6.",
    )


def _known_function(x, found, target):
    """Name the simple function that the network is instead of x · y."""
    first, second = x.T
    functions = {
        "minus": -target,
        "twice": 2 * target,
        "half": target / 2,
        "x-squared": first**2,
        "y-squared": second**2,
        "sum-squared": (first + second) ** 2,
        "difference-of-squares": first**2 - second**2,
    }
    return next((name for name, values in functions.items() if _is(found, values)), None)


def _cause(x, W_gate, W_up, W_down, target):
    """Name what can be seen in the matrices: a unit that is missing or repeated, a sign, what gate and up value read."""
    idle = [not (W_gate[:, unit].any() and W_up[:, unit].any() and W_down[unit].any()) for unit in (0, 1)]
    if all(idle):
        return "zero"
    if any(idle):
        return "one-unit"
    turned = _outputs(x, W_gate, W_up * [1, -1], W_down)
    if _is(turned, target) or _is(turned, -target):
        return "up-sign"
    if _is(W_gate[:, 0], W_gate[:, 1]):
        return "same-gate"
    reads_gate, reads_up = W_gate != 0, W_up != 0
    if (reads_gate & reads_up).any():
        return "same-input"
    if _is(W_gate[:, 0], -W_gate[:, 1]):
        return "unequal-units"
    if not (reads_gate[:, 0] == reads_gate[:, 1]).all():
        return "crossed"
    return "gates-not-opposite" if reads_gate.sum(axis=0).max() == 1 else None


def _matrices(W_gate, W_up, W_down):
    """Make an answer that returns these three matrices."""
    arrays = tuple(np.array(part, dtype=np.float64) for part in (W_gate, W_up, W_down))
    return lambda: arrays


_READ_X, _READ_Y = [[1, -1], [0, 0]], [[0, 0], [1, -1]]
_ONES = [[1], [1]]

EXERCISE = Inspection(
    id="bonus_swiglu.product_unit",
    kind="function",
    cases=_cases,
    inspect=_inspect,
    mistakes=(
        Mistake(
            "unit-per-row",
            _matrices([[1, 0], [-1, 0]], [[0, 1], [0, -1]], _ONES),
            "The numbers are right, but you wrote one unit per row of W_gate and W_up: in x @ W, unit j is column j.",
        ),
        Mistake(
            "gate-per-row",
            _matrices([[1, 0], [-1, 0]], _READ_Y, _ONES),
            "W_up has one unit per column, and you wrote W_gate with one per row: in x @ W, unit j is column j.",
        ),
        Mistake(
            "up-per-row",
            _matrices(_READ_X, [[0, 1], [0, -1]], _ONES),
            "W_gate has one unit per column, and you wrote W_up with one per row: in x @ W, unit j is column j.",
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
            _matrices(_READ_X, _READ_X, _ONES),
            "The result is x²: the gate and the up value both read x.",
        ),
        Mistake(
            "y-squared",
            _matrices(_READ_Y, _READ_Y, _ONES),
            "The result is y²: the gate and the up value both read y.",
        ),
        Mistake(
            "sum-squared",
            _matrices([[1, -1], [1, -1]], [[1, -1], [1, -1]], _ONES),
            "The result is (x + y)²: let the gate read one of the two, and the up value the other.",
        ),
        Mistake(
            "difference-of-squares",
            _matrices([[1, -1], [1, -1]], [[1, -1], [-1, 1]], _ONES),
            "The result is x² − y²: let the gate read one of the two, and the up value the other.",
        ),
        Mistake(
            "one-unit",
            _matrices(_READ_X, _READ_Y, [[1], [0]]),
            "Only one unit is at work: in the other, the gate, the up value or the output weight is 0. Alone, a unit "
            "loses nearly everything where its gate is negative.",
        ),
        Mistake(
            "zero",
            _matrices([[0, 0], [0, 0]], _READ_Y, _ONES),
            "The result is 0 everywhere: each unit has a gate, an up value or an output weight of 0.",
        ),
        Mistake(
            "up-sign",
            _matrices(_READ_X, _READ_Y, [[1], [-1]]),
            "The gates are right, but the two units pull against each other. One of them needs the opposite "
            "sign, in its up value or in its output weight, and not in both.",
        ),
        Mistake(
            "same-gate",
            _matrices([[1, 1], [0, 0]], [[0, 0], [1, 1]], _ONES),
            "Both gates read the same, so the second unit cannot make up for what the first one loses.",
        ),
        Mistake(
            "unequal-units",
            _matrices(_READ_X, [[0, 0], [1, -2]], _ONES),
            "The two gates are opposite, as they should be; but up value times output weight must be opposite too, "
            "and equally large.",
        ),
        Mistake(
            "crossed",
            _matrices([[1, 0], [0, 1]], [[0, 1], [1, 0]], [[0.5], [0.5]]),
            "One gate reads x and the other y; let the second gate read the opposite of what the first one reads.",
        ),
        Mistake(
            "same-input",
            _matrices([[1, -1], [1, -1]], [[0, 0], [1, -1]], _ONES),
            "The gate and the up value of a unit read the same input, so that input is multiplied by itself, as in a square: let "
            "each of the two read one input.",
        ),
        Mistake(
            "gates-not-opposite",
            _matrices([[1, -3], [0, 0]], [[0, 0], [1, -1]], _ONES),
            "The two gates must be exactly opposite: SiLU(z) − SiLU(−z) is a straight line only with the same z in both.",
        ),
    ),
    hints=(
        "Let the first gate read x and the second −x. What must the up values be, so that the two add up to x · y?",
        "Column j of W_gate and of W_up, and row j of W_down, belong to unit j; row 0 reads x, row 1 reads y.",
        "Start with the first unit: W_gate = np.array([[1.0, …], [0.0, …]]) and W_up = np.array([[0.0, …], [1.0, …]]).",
    ),
    right="Two gated units multiply exactly, for every x and y.",
)

"""Lesson 08, a bonus: SwiGLU and its family."""

import math

import numpy as np

from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Fault, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question

# --- Predictions

GATE = guess(
    "swiglu.predict_gate",
    3,
    {
        0: "A pre-activation of 0 does not close a sigmoid gate: σ is exactly halfway between 0 and 1 there.",
        6: "The whole up value passes only where σ is close to 1, far on the positive side.",
        0.5: "That is how far the gate is open; the output is this factor times the up value.",
        12: "A sigmoid gate never amplifies: its factor lies between 0 and 1.",
        -6: "A sigmoid gate has no sign of its own: its factor lies between 0 and 1.",
    },
    "At a pre-activation of 0 the sigmoid gate is half open, so half of the up value passes.",
    (
        "The gate is a factor; find out what σ gives at 0.",
        "Both are single numbers: output = σ(0) × 6.",
        "Start with: σ(0) = 1 / (1 + e⁰).",
    ),
)

PERCENT = guess(
    "swiglu.predict_percent",
    50,
    {
        33: "One of three matrices is new, but the question starts from two: compare the third with the two that were there.",
        100: "That would be two more matrices; a gate adds one.",
        0: "The same d_ff does not mean the same number of parameters: count the matrices.",
        67: "Two thirds is the factor that brings the width back to equal parameters; the question asks what comes first.",
        150: "That is the new size in per cent of the old one; the question asks for how many per cent more.",
        49.8: "Counted exactly, biases included. Round it to a whole number, as the question asks.",
        0.5: "That is the share; the question asks for per cent.",
        1.5: "That is the factor; the question asks for how many per cent more.",
    },
    "Three matrices of equal size instead of two; the two biases that it lacks hardly show.",
    (
        "Count the matrices of each network; all have d_model × d_ff entries.",
        "(512, 2048) twice without a gate, three times with one.",
        "The new size is 3/2 of the old one.",
    ),
)

UNITS = guess(
    "swiglu.predict_units",
    2,
    {
        1: "One unit gives SiLU(x) · y, and SiLU bends: for negative x almost nothing passes. Something must make up for that.",
        3: "It takes fewer: one unit for x, and one more for what the first one loses.",
        4: "It takes fewer: one unit for x, and one more for what the first one loses.",
        0: "Without a unit the network gives 0 everywhere.",
    },
    "One unit whose gate reads x, and one whose gate reads −x: together they lose nothing.",
    (
        "Let one gate read x. For which x does it pass too little? Let a second gate read what is missing there.",
        "Every unit contributes one number: SiLU(gate) × up value × output weight.",
        "SiLU(z) − SiLU(−z) = z.",
    ),
)

NOISY = guess(
    "swiglu.predict_noisy",
    10,
    {
        0: "The gated network can multiply features, but a straight line needs no products: look at its row in the figure.",
        5: "Here it is one-sided: look at the last row of the figure.",
        1: "It is the other way round: look at the last row of the figure.",
        2: "It is the other way round: look at the last row of the figure.",
        8: "You are on the right side; look at the last row of the figure.",
        9: "You are on the right side; look at the last row of the figure.",
    },
    "All learn the few noisy examples by heart; on new ones a plain network is closest in every seed here.",
    (
        "What does the target need, and what can a few hundred parameters do with 64 noisy examples?",
        "Your answer is a whole number from 0 to 10.",
        "All of them learn the noisy examples by heart. Which one is likely to bend most between these?",
    ),
)

FUSED = guess(
    "swiglu.predict_fused",
    "same",
    {
        "fewer": "Each entry of both results still needs d_model multiply–adds; writing the matrices side by side saves none.",
        "more": "Nothing is computed twice: the columns of the wide matrix are the columns of the two.",
    },
    "The number of multiply–adds stays the same; what can change is how well a machine works through them.",
    (
        "How many multiply–adds does one entry of x W cost?",
        "(n, d_model) times (d_model, 2 · d_ff), against two products with (d_model, d_ff).",
        "Your answer is one of the words 'fewer', 'same' and 'more'.",
    ),
)

# --- swiglu.forward


def _sigmoid(z):
    return 1 / (1 + np.exp(-z))


def _silu(z):
    return z * _sigmoid(z)


def _gelu(z):
    return z * (1 + np.vectorize(math.erf, otypes=[np.float64])(z / math.sqrt(2))) / 2


def _softmax(z):
    e = np.exp(z - z.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def _gated_inputs(rng):
    cases = []
    for lead, d_model, d_ff in (((7,), 3, 5), ((2, 7), 5, 3), ((), 2, 5)):
        args = (
            rng.normal(size=(*lead, d_model)),
            rng.normal(size=(d_model, d_ff)),
            rng.normal(size=(d_model, d_ff)),
            rng.normal(size=(d_ff, d_model)),
        )
        names = dict(zip(("batch", "seq_len")[2 - len(lead) :], lead, strict=True))
        cases.append(Case(args, {**names, "d_model": d_model, "d_ff": d_ff}))
    return cases


def _forward_by_hand(x, W_gate, W_up, W_down):
    """Add up unit by unit with plain numbers, with the sigmoid written as (1 + tanh(z/2)) / 2."""
    y = np.zeros(x.shape)
    for place in np.ndindex(x.shape[:-1]):
        for unit in range(W_gate.shape[1]):
            z = math.fsum(x[place][i] * W_gate[i, unit] for i in range(x.shape[-1]))
            up = math.fsum(x[place][i] * W_up[i, unit] for i in range(x.shape[-1]))
            y[place] += z * (1 + math.tanh(z / 2)) / 2 * up * W_down[unit]
    return y


def _gate_of(activation):
    return lambda x, W_gate, W_up, W_down: (activation(x @ W_gate) * (x @ W_up)) @ W_down


FORWARD = Exercise(
    id="swiglu.forward",
    kind="function",
    cases=_gated_inputs,
    oracle=_forward_by_hand,
    returns=(Returns("y", ("...", "d_model")),),
    mistakes=(
        Mistake(
            "swapped",
            lambda x, g, u, d: (_silu(x @ u) * (x @ g)) @ d,
            "The two branches are swapped: look again which of them passes through the activation.",
        ),
        Mistake(
            "silu-on-product",
            lambda x, g, u, d: _silu((x @ g) * (x @ u)) @ d,
            "SiLU acts on the product of the branches here; it belongs on one of them, before they meet.",
        ),
        Mistake(
            "glu",
            _gate_of(_sigmoid),
            "This is the original GLU: your gate is σ(z) alone, and SiLU has one more factor.",
        ),
        Mistake("reglu", _gate_of(lambda z: np.maximum(z, 0)), "This is ReGLU: the gate passes through a ReLU."),
        Mistake("geglu", _gate_of(_gelu), "This is GEGLU, another member of the family: the gate is a GELU here."),
        Mistake("bilinear", _gate_of(lambda z: z), "The gate has no activation here: this is the bilinear member."),
        Mistake("tanh", _gate_of(np.tanh), "The gate is a tanh here; write out SiLU from its definition."),
        Mistake(
            "added",
            lambda x, g, u, d: (_silu(x @ g) + x @ u) @ d,
            "The branches are added: a gate has to scale the up value.",
        ),
        Mistake(
            "no-up",
            lambda x, g, u, d: _silu(x @ g) @ d,
            "W_up is not used: without it this is a plain FFN with SiLU.",
        ),
        Mistake(
            "no-gate",
            lambda x, g, u, d: (x @ u) @ d,
            "W_gate is not used: what remains is two linear layers in a row, and they are one.",
        ),
        Mistake(
            "silu-on-up-only",
            lambda x, g, u, d: _silu(x @ u) @ d,
            "W_gate is not used: the up value is its own gate here.",
        ),
        Mistake(
            "gate-twice",
            lambda x, g, u, d: (_silu(x @ g) * (x @ g)) @ d,
            "Both branches use W_gate; the second one has a matrix of its own.",
        ),
        Mistake(
            "residual",
            lambda x, g, u, d: x + (_silu(x @ g) * (x @ u)) @ d,
            "x was added to the result: the residual belongs to the block around the FFN.",
        ),
        Mistake(
            "softmax",
            _gate_of(_softmax),
            "A softmax lets the units of a token compete; every gate opens on its own.",
        ),
        Mistake("gate-squared", _gate_of(lambda z: _silu(z) ** 2), "The gate is squared: it scales the up value once."),
        Mistake("silu-twice", _gate_of(lambda z: _silu(_silu(z))), "SiLU is applied twice to the gate."),
        Mistake(
            "z-squared",
            _gate_of(lambda z: z * _silu(z)),
            "There is one factor z too many: SiLU already contains it.",
        ),
        Mistake(
            "minus-gate",
            _gate_of(lambda z: z * _sigmoid(-z)),
            "Look at the sign inside the exponential: your gate opens for negative z.",
        ),
        Mistake(
            "both-silu",
            lambda x, g, u, d: (_silu(x @ g) * _silu(x @ u)) @ d,
            "SiLU acts on both branches; one of them stays linear.",
        ),
        Mistake(
            "maximum",
            lambda x, g, u, d: np.maximum(_silu(x @ g), x @ u) @ d,
            "You took the larger of the two branches; a gate scales the up value.",
        ),
        Mistake(
            "extra-relu",
            lambda x, g, u, d: np.maximum(_silu(x @ g) * (x @ u), 0) @ d,
            "The negative hidden values are gone: no activation follows the product.",
        ),
        Mistake(
            "silu-on-x",
            lambda x, g, u, d: ((_silu(x) @ g) * (x @ u)) @ d,
            "SiLU acts on the input; it belongs behind the product with W_gate.",
        ),
        Mistake(
            "silu-at-the-end",
            lambda x, g, u, d: _silu(((x @ g) * (x @ u)) @ d),
            "SiLU acts on the output; there it is too late to open or close single units.",
        ),
        Mistake(
            "one-plus-up",
            lambda x, g, u, d: (_silu(x @ g) * (1 + x @ u)) @ d,
            "1 was added to the up value, and the equation has no such term.",
        ),
    ),
    hints=(
        "Compute two branches from the same x, pass one of them through SiLU, and multiply them entry by entry.",
        "x has shape (..., d_model); both branches have shape (..., d_ff); y has the shape of x again.",
        "Start with: z = x @ W_gate, and then gate = z / (1 + np.exp(-z)).",
    ),
    right="That is the feed-forward network of LLaMA, in a few lines.",
)

# --- swiglu.width


def _widths(rng):
    pairs = [(512, 1), (64, 1), (4096, 256), (512, 256), (768, 256), (96, 64), (100, 32), (5120, 256), (1000, 7)]
    pairs.append((int(rng.integers(1000, 2000)) * 3 + 1, 128))
    return [Case(pair) for pair in pairs]


def _width_by_counting(d_model, multiple_of):
    """Find the largest width whose three matrices fit into two of 4 · d_model, then step up to a multiple."""
    width = 0
    while 3 * (width + 1) * d_model <= 2 * 4 * d_model * d_model:
        width += 1
    while width % multiple_of:
        width += 1
    return width


def _up(width, multiple_of):
    return math.ceil(width / multiple_of) * multiple_of


WIDTH = Exercise(
    id="swiglu.width",
    kind="function",
    cases=_widths,
    oracle=_width_by_counting,
    returns=(Returns("the width"),),
    mistakes=(
        Mistake(
            "no-four",
            lambda d, m: _up(int(2 * d / 3), m),
            "You took 2/3 of d_model: the width that is made smaller is the usual one, 4 · d_model.",
        ),
        Mistake(
            "down",
            lambda d, m: int(8 * d / 3) // m * m,
            "You rounded down to the multiple; the last step goes up.",
        ),
        Mistake(
            "nearest",
            lambda d, m: int(int(8 * d / 3) / m + 0.5) * m,
            "You rounded to the nearest multiple; the last step always goes up.",
        ),
        Mistake(
            "inverse",
            lambda d, m: _up(6 * d, m),
            "You multiplied by 3/2: three matrices must become narrower to cost what two did.",
        ),
        Mistake(
            "half",
            lambda d, m: _up(2 * d, m),
            "You took half of 4 · d_model; the step goes from two matrices to three, and not to four.",
        ),
        Mistake(
            "always-one-more",
            lambda d, m: (int(8 * d / 3) // m + 1) * m,
            "A width that is a multiple already should stay; you always take one step more.",
        ),
        Mistake("no-multiple", lambda d, m: int(8 * d / 3), "multiple_of is not used yet: the last step is missing."),
        Mistake(
            "four",
            lambda d, m: _up(4 * d, m),
            "This is the width of a plain FFN: with three matrices it costs half as much again.",
        ),
        Mistake(
            "times",
            lambda d, m: int(8 * d / 3) * m,
            "You multiplied the width by multiple_of; it only has to be divisible by it.",
        ),
        Mistake(
            "round-first",
            lambda d, m: int(2 * _up(4 * d, m) / 3),
            "You rounded before you took 2/3, so the result need not be a multiple any more.",
        ),
        Mistake(
            "ceil",
            lambda d, m: _up(math.ceil(8 * d / 3), m),
            "You rounded 8/3 · d_model up before the last step; LLaMA cuts off the fraction there, as int() does.",
        ),
        Mistake(
            "round",
            lambda d, m: _up(round(8 * d / 3), m),
            "You rounded 8/3 · d_model to the nearest whole number; LLaMA cuts off the fraction, as int() does.",
        ),
        Mistake(
            "add-multiple",
            lambda d, m: int(8 * d / 3) + m,
            "You added multiple_of; the result has to be divisible by it.",
        ),
        Mistake(
            "third",
            lambda d, m: _up(int(4 * d / 3), m),
            "You took one third of 4 · d_model: three matrices at that width cost half of what two did.",
        ),
        Mistake(
            "fraction",
            lambda d, m: 8 * d / 3 if m == 1 else float(_up(int(8 * d / 3), m)),
            "A width is a whole number of units: cut off the fraction before the last step.",
        ),
    ),
    hints=(
        "Take the usual width 4 · d_model, make it 2/3 as wide, cut off the fraction, and step up to a multiple.",
        "All numbers are whole: (512, 1) is a case without rounding, and an exact multiple stays as it is.",
        "Start with: width = int(2 * 4 * d_model / 3). For the last step, count how many multiples cover it.",
    ),
    right="With d_model 4096 and multiples of 256 this gives the 11008 of LLaMA-7B.",
)

# --- swiglu.parameters


def _sizes(rng):
    pairs = [(512, 2048), (512, 1365), (4096, 11008), (3, 7), (5, 2)]
    return [Case(pair) for pair in [*pairs, tuple(int(size) for size in rng.integers(10, 100, size=2))]]


def _count_entries(d_model, d_ff):
    """Count the entries of three matrices, made as views of a single number."""
    shapes = (d_model, d_ff), (d_model, d_ff), (d_ff, d_model)
    return sum(np.broadcast_to(0.0, shape).size for shape in shapes)


PARAMETERS = Exercise(
    id="swiglu.parameters",
    kind="function",
    cases=_sizes,
    oracle=_count_entries,
    returns=(Returns("the number of parameters"),),
    mistakes=(
        Mistake("two", lambda d, f: 2 * d * f, "Two matrices are counted: that is a plain FFN, without its biases."),
        Mistake("one", lambda d, f: d * f, "One matrix is counted; how many does the equation name?"),
        Mistake(
            "plain",
            lambda d, f: 2 * d * f + f + d,
            "This is a plain FFN with biases: count the matrices of the gated equation.",
        ),
        Mistake(
            "biases",
            lambda d, f: 3 * d * f + 2 * f + d,
            "The matrices are right, but biases are counted too, and this equation has none.",
        ),
        Mistake(
            "one-bias",
            lambda d, f: 3 * d * f + d,
            "The matrices are right, but a bias is counted too, and this equation has none.",
        ),
        Mistake(
            "square",
            lambda d, f: 2 * d * f + f * f,
            "One matrix is counted as d_ff × d_ff: no branch reads what the other one gives.",
        ),
        Mistake(
            "three-square",
            lambda d, f: 3 * f * f,
            "All three are counted as d_ff × d_ff; each of them has d_model on one side.",
        ),
        Mistake("model-square", lambda d, f: 3 * d * d, "All three are counted as d_model × d_model; where is d_ff?"),
        Mistake("sum", lambda d, f: 3 * (d + f), "A matrix has rows times columns entries, and not rows plus columns."),
        Mistake(
            "four-times",
            lambda d, f: 12 * d * d,
            "d_ff is an argument: you counted as if it were always 4 · d_model.",
        ),
        Mistake(
            "eight-thirds",
            lambda d, f: 8 * d * d,
            "d_ff is an argument: you counted as if it were always 8/3 · d_model.",
        ),
        Mistake("four", lambda d, f: 4 * d * f, "Four matrices are counted; the product of the branches has none."),
        Mistake(
            "bytes", lambda d, f: 12 * d * f, "These are bytes in float32; the question asks for how many numbers."
        ),
        Mistake("two-thirds", lambda d, f: d * f * 2 * 2 // 3, "The factor 2/3 is for the width; count the matrices."),
        Mistake(
            "half-more-with-biases",
            lambda d, f: 3 * (2 * d * f + f + d) // 2,
            "Half as much again is right for the matrices; the biases of the plain FFN fall away.",
        ),
    ),
    hints=(
        "Count how many matrices the equation names; every entry is one parameter.",
        "W_gate and W_up have shape (d_model, d_ff), and W_down has shape (d_ff, d_model).",
        "The first one has d_model * d_ff entries.",
    ),
    right="Three matrices, no biases: half as much again as the two of a plain FFN.",
)

# --- swiglu.product_unit

_PARTS = (("W_gate", (2, 2)), ("W_up", (2, 2)), ("W_down", (2, 1)))


def _run_product(answer, case):
    """Put the three matrices of the answer into a SwiGLU without biases and return its outputs on the points."""
    parts = answer()
    if parts is None:
        return None
    if not isinstance(parts, (tuple, list)) or len(parts) != len(_PARTS):
        raise Fault("type", "Return three arrays: W_gate, W_up, W_down.")
    arrays = []
    for (name, shape), part in zip(_PARTS, parts, strict=True):
        if part is None:
            raise Fault("none", f"{name} is None: is an assignment missing?")
        if not isinstance(part, (np.ndarray, list, tuple)):
            return parts  # a TODO or a foreign type: the general checks find the words for it
        array = np.asarray(part, dtype=np.float64)
        if array.shape != shape:
            raise Fault("shape", f"{name} has shape {array.shape}; expected is {shape}.")
        arrays.append(array)
    W_gate, W_up, W_down = arrays
    x = case.args[0]
    return (_silu(x @ W_gate) * (x @ W_up)) @ W_down


def _product_mistake(W_gate, W_up, W_down):
    arrays = tuple(np.array(part, dtype=np.float64) for part in (W_gate, W_up, W_down))
    return lambda: arrays


_READ_X, _READ_Y = [[1, -1], [0, 0]], [[0, 0], [1, -1]]

PRODUCT_UNIT = Exercise(
    id="swiglu.product_unit",
    kind="function",
    cases=lambda rng: [Case((3 * rng.normal(size=(7, 2)),), {"point": 7})],
    oracle=lambda x: np.prod(x, axis=1, keepdims=True),
    returns=(Returns("the output", ("point", "d_out")),),
    run=_run_product,
    mistakes=(
        Mistake(
            "one-unit",
            _product_mistake(_READ_X, _READ_Y, [[1], [0]]),
            "One unit is not used: its partner alone loses nearly everything where x is negative.",
        ),
        Mistake(
            "one-unit-y",
            _product_mistake(_READ_Y, _READ_X, [[1], [0]]),
            "One unit is not used: its partner alone loses nearly everything where y is negative.",
        ),
        Mistake(
            "same-sign",
            _product_mistake(_READ_X, _READ_Y, [[1], [-1]]),
            "For negative x the result has the wrong sign: the second unit must bring a minus into its up value or its output weight, and not into both.",
        ),
        Mistake(
            "same-sign-y",
            _product_mistake(_READ_Y, _READ_X, [[1], [-1]]),
            "For negative y the result has the wrong sign: the second unit must bring a minus into its up value or its output weight, and not into both.",
        ),
        Mistake(
            "twice-the-same",
            _product_mistake([[1, 1], [0, 0]], [[0, 0], [1, 1]], [[1], [1]]),
            "Both units are the same, so the second one cannot make up for what the first one loses.",
        ),
        Mistake("minus", _product_mistake(_READ_X, _READ_Y, [[-1], [-1]]), "The result is −x · y: look at the signs."),
        Mistake(
            "twice", _product_mistake(_READ_X, _READ_Y, [[2], [2]]), "The result is twice as large as x · y everywhere."
        ),
        Mistake(
            "half",
            _product_mistake(_READ_X, _READ_Y, [[0.5], [0.5]]),
            "The result is half of x · y: add the two units, without taking their mean.",
        ),
        Mistake(
            "x-squared",
            _product_mistake(_READ_X, _READ_X, [[1], [1]]),
            "The result is x²: the gate and the up value both read x.",
        ),
        Mistake(
            "y-squared",
            _product_mistake(_READ_Y, _READ_Y, [[1], [1]]),
            "The result is y²: the gate and the up value both read y.",
        ),
        Mistake(
            "sum-squared",
            _product_mistake([[1, -1], [1, -1]], [[1, -1], [1, -1]], [[1], [1]]),
            "The result is (x + y)²: let the gate read one of the two, and the up value the other.",
        ),
        Mistake(
            "difference-of-squares",
            _product_mistake([[1, -1], [1, -1]], [[1, -1], [-1, 1]], [[1], [1]]),
            "The result is x² − y²: let the gate read one of the two, and the up value the other.",
        ),
        Mistake(
            "zero",
            _product_mistake([[0, 0], [0, 0]], _READ_Y, [[1], [1]]),
            "The result is 0 everywhere: do the units cancel, or is one of the matrices all zeros?",
        ),
        Mistake(
            "crossed",
            _product_mistake([[1, 0], [0, 1]], [[0, 1], [1, 0]], [[0.5], [0.5]]),
            "One gate reads x and the other y; let the second gate make up for what the first one loses.",
        ),
        Mistake(
            "crossed-sum",
            _product_mistake([[1, 0], [0, 1]], [[0, 1], [1, 0]], [[1], [1]]),
            "One gate reads x and the other y; let the second gate read the opposite of what the first one reads.",
        ),
        Mistake(
            "positive-and-itself",
            _product_mistake([[1, 0], [0, 1]], [[1, 0], [0, 1]], [[1], [1]]),
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

# --- swiglu.geglu


def _geglu_inputs(rng):
    from course_lib._torch import torch

    cases = []
    for lead, d_model, d_ff in (((7,), 3, 5), ((2, 7), 5, 3), ((), 2, 5)):
        shapes = ((*lead, d_model), (d_model, d_ff), (d_model, d_ff), (d_ff,), (d_ff,))
        names = dict(zip(("batch", "seq_len")[2 - len(lead) :], lead, strict=True))
        args = tuple(torch.from_numpy(rng.normal(size=shape)) for shape in shapes)
        cases.append(Case(args, {**names, "d_model": d_model, "d_ff": d_ff}))
    return cases


def _geglu_by_hand(x, W, V, b, c):
    """Write GELU as z · (1 − erfc(z/√2) / 2), and the products with einsum."""
    from course_lib._torch import torch

    x, W, V, b, c = (part.numpy() for part in (x, W, V, b, c))
    z = np.einsum("...i,ij->...j", x, W) + b
    gate = np.array([v * (1 - math.erfc(v / math.sqrt(2)) / 2) for v in z.ravel()]).reshape(z.shape)
    return torch.from_numpy(gate * (np.einsum("...i,ij->...j", x, V) + c))


def _torch_gate(activation):
    return lambda x, W, V, b, c: activation(x @ W + b) * (x @ V + c)


def _g(z, approximate="none"):
    from course_lib._torch import nn

    return nn.functional.gelu(z, approximate=approximate)


def _normal_cdf(z):
    return (1 + (z / math.sqrt(2)).erf()) / 2


GEGLU = Exercise(
    id="swiglu.geglu",
    kind="function",
    cases=_geglu_inputs,
    oracle=_geglu_by_hand,
    returns=(Returns("the result", ("...", "d_ff")),),
    mistakes=(
        Mistake(
            "swapped",
            lambda x, W, V, b, c: _g(x @ V + c) * (x @ W + b),
            "W and V, with their biases, have changed places: look which branch the equation puts into GELU.",
        ),
        Mistake(
            "biases-swapped",
            lambda x, W, V, b, c: _g(x @ W + c) * (x @ V + b),
            "The biases have changed places: find out which one the equation adds to x W.",
        ),
        Mistake("no-b", lambda x, W, V, b, c: _g(x @ W) * (x @ V + c), "The bias of the gate branch is missing."),
        Mistake("no-c", lambda x, W, V, b, c: _g(x @ W + b) * (x @ V), "The bias of the linear branch is missing."),
        Mistake(
            "no-biases",
            lambda x, W, V, b, c: _g(x @ W) * (x @ V),
            "Both biases are missing; unlike LLaMA, this equation has them.",
        ),
        Mistake(
            "b-outside",
            lambda x, W, V, b, c: (_g(x @ W) + b) * (x @ V + c),
            "b is added behind GELU; the equation has it inside the brackets.",
        ),
        Mistake(
            "tanh-form",
            _torch_gate(lambda z: _g(z, "tanh")),
            "This is close, but not equal: you used the tanh form, and the equation has the exact GELU.",
        ),
        Mistake(
            "quick",
            _torch_gate(lambda z: z * (1.702 * z).sigmoid()),
            "This is the sigmoid approximation of GELU; the equation has the exact one.",
        ),
        Mistake("swiglu", _torch_gate(lambda z: z * z.sigmoid()), "This is SwiGLU: the gate is SiLU, and not GELU."),
        Mistake("glu", _torch_gate(lambda z: z.sigmoid()), "This is the original GLU, whose gate is a sigmoid."),
        Mistake("reglu", _torch_gate(lambda z: z.relu()), "This is ReGLU, whose gate is a ReLU."),
        Mistake("bilinear", _torch_gate(lambda z: z), "The gate has no activation: this is the bilinear member."),
        Mistake(
            "cdf-alone",
            _torch_gate(_normal_cdf),
            "Your gate is Φ(z) alone; GELU has one more factor.",
        ),
        Mistake(
            "erf-unscaled",
            _torch_gate(lambda z: z * (1 + z.erf()) / 2),
            "Inside erf the argument must be divided by √2.",
        ),
        Mistake(
            "added",
            lambda x, W, V, b, c: _g(x @ W + b) + (x @ V + c),
            "The branches are added; ⊗ multiplies them entry by entry.",
        ),
        Mistake(
            "gelu-on-product",
            lambda x, W, V, b, c: _g((x @ W + b) * (x @ V + c)),
            "GELU acts on the product here; it belongs on one branch, before they meet.",
        ),
        Mistake(
            "both-gelu",
            lambda x, W, V, b, c: _g(x @ W + b) * _g(x @ V + c),
            "GELU acts on both branches; one of them stays linear.",
        ),
        Mistake(
            "no-linear-branch",
            lambda x, W, V, b, c: _g(x @ W + b),
            "V and c are not used: where is the gate's partner?",
        ),
        Mistake(
            "minus-b",
            lambda x, W, V, b, c: _g(x @ W - b) * (x @ V + c),
            "Look at the sign of b.",
        ),
        Mistake(
            "W-twice",
            lambda x, W, V, b, c: _g(x @ W + b) * (x @ W + c),
            "Both branches use W; the second one has a matrix of its own.",
        ),
    ),
    hints=(
        "Translate the paper's letters first: W and b make the gate, V and c the up value. There is no third matrix here.",
        "x has shape (..., d_model); W and V have (d_model, d_ff); b, c have (d_ff,); the result has (..., d_ff).",
        "Start with: gate = torch.nn.functional.gelu(x @ W + b), which is the exact form.",
    ),
    right="You can read a member of the family off its equation, whatever its letters are.",
)

QUESTIONS = (
    Question(
        "swiglu.quiz-1",
        "A SwiGLU unit has gate pre-activation −20 and up value 1,000. What is its output, roughly?",
        (
            Option("1,000", "The gate is as good as closed, so the up value does not pass."),
            Option("−20,000", "That is what the bilinear gate gives; SiLU presses −20 to nearly 0."),
            Option("0", "SiLU(−20) is about −4e-8, and even a thousand times that is nearly nothing.", True),
        ),
    ),
    Question(
        "swiglu.quiz-2",
        "Why did LLaMA make the hidden width 2/3 of 4 · d_model?",
        (
            Option(
                "To keep the number of parameters equal.",
                "Three matrices at 2/3 of the width hold as much as two did.",
                True,
            ),
            Option(
                "Because a gate needs fewer units to fit the data.",
                "The choice keeps a budget; it makes no statement about how many units a task needs.",
            ),
            Option(
                "Two of the three are narrower.",
                "All three have the same number of entries, d_model × d_ff.",
            ),
        ),
    ),
    Question(
        "swiglu.quiz-3",
        "Why is no ReLU network exactly x · y on a whole square, however wide it is?",
        (
            Option(
                "Training gets stuck.",
                "There are none to be found: the function itself is out of reach.",
            ),
            Option(
                "It is made of flat pieces.",
                "It is linear on each of finitely many pieces, and x · y curves on every piece.",
                True,
            ),
            Option(
                "ReLU sets the negative inputs to zero.",
                "Two ReLUs give back any number, ReLU(z) − ReLU(−z) = z; that is not the obstacle.",
            ),
        ),
    ),
    Question(
        "swiglu.quiz-4",
        "How does the paper that proposed SwiGLU explain why it works?",
        (
            Option("By better gradients.", "You can read that in many places, but not in the paper."),
            Option(
                "By the products of features that it can form.",
                "This lesson shows that it forms them; that this is the cause of better language models is not shown.",
            ),
            Option("It offers no explanation.", "Its conclusion says so in as many words; it reports results.", True),
        ),
    ),
    Question(
        "swiglu.quiz-5",
        "Someone reports: “SwiGLU beats ReLU, both with d_model = 512 and d_ff = 2048.” What do you ask first?",
        (
            Option(
                "How many parameters both have.",
                "At equal d_ff the gated network has half as many parameters again.",
                True,
            ),
            Option(
                "Which framework was used.",
                "The equation is the same in all of them; the two networks still differ in size.",
            ),
            Option(
                "Whether the gate had a bias, and how it was set.",
                "A bias adds a few thousand parameters, the third matrix a million.",
            ),
        ),
    ),
)

LESSON = Lesson(
    number=8,
    topic="swiglu",
    title="Bonus: SwiGLU",
    exercises=(
        GATE,
        PERCENT,
        UNITS,
        NOISY,
        FUSED,
        FORWARD,
        WIDTH,
        PARAMETERS,
        PRODUCT_UNIT,
        GEGLU,
    ),
    questions=QUESTIONS,
)

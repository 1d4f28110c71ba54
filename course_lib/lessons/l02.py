"""Lesson 02: ReLU and GELU."""

import math

import numpy as np

from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Fault, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question

# --- Predictions

RELU_SUM = guess(
    "act.predict_relu",
    7.6,
    {
        5.8: "That is the sum of the four numbers as they are: ReLU changes one of them first.",
        9.4: "You added 1.8: that is the absolute value. ReLU does not turn a negative number around.",
        2.5: "That is the first value alone: 5.1 is positive too.",
        5.1: "That is the largest value: ReLU works on every number alone, and then you add them up.",
        3: "That is how many values pass unchanged; add them up.",
    },
    "Three numbers stay as they are, and −1.8 becomes 0.",
    (
        "ReLU looks at one number at a time and asks only whether it is positive.",
        "Four numbers go in and four come out; the answer is the sum of the four.",
        "The first number comes out as 2.5, the second as 0.",
    ),
)

LOWEST = guess(
    "act.predict_lowest",
    -0.75,
    {
        0: "At 0 the average is 0. A little to the left of it a negative number is kept rather often.",
        -0.1: "Kept nearly half of the time, but so small that it hardly pulls the average down. Look further left.",
        -1.5: "A −1.5 is kept in 7 % of the draws, which makes an average of −0.10. Further right it is lower still.",
        -3: "A −3 is kept about once in 700 draws: the average there is close to 0 again. Look further right.",
        0.75: "For a positive number the average is positive, so the lowest point lies to the left of 0.",
    },
    "There the two effects balance: further left a number is kept too rarely, further right it is too small.",
    (
        "A negative number pulls the average down by its size, but only when it is kept.",
        "Your answer is one of the numbers −3, −1.5, −0.75, −0.1 and 0.",
        "Multiply each number by how often it is kept: −3 in 0.1 %, −1.5 in 7 %, −0.75 in 23 %, −0.1 in 46 % of the draws.",
    ),
)

ERROR = guess(
    "act.predict_error",
    0.001,
    {
        0.1: "It does stay below 0.1, but that bound belongs to the sigmoid form; the tanh form is far closer.",
        0.01: "It does stay below 0.01, and below a smaller one of the four as well.",
        0.0001: "It is close, but not that close: near x = ±2.7 the error is a few times larger.",
    },
    "The largest error lies between 0.0001 and 0.001.",
    (
        "The formula was fitted to be close, and 0.044715 is written with five digits.",
        "Your answer is one of the numbers 0.1, 0.01, 0.001 and 0.0001.",
        "Read the largest error off the right panel and take the next larger of the four numbers.",
    ),
)

DEAD = guess(
    "act.predict_dead",
    100,
    {
        0: "Training moves a unit only through its gradient, and here there is none to begin with.",
        50: "Half of the values would be negative for an ordinary start; these biases were pushed far down.",
        75: "More: with inputs of this size, a bias near −3 keeps every unit below zero on every point.",
        90: "Even more: with inputs of this size, a bias near −3 keeps every unit below zero on every point.",
        1: "Give the share in percent, from 0 to 100.",
    },
    "Every ReLU unit is below zero on every point, so nothing tells it where to go.",
    (
        "A unit gets a gradient only from points on which its slope is not 0.",
        "Your answer is a percentage, from 0 to 100.",
        "The inputs have size 1 or so and the weights are below 0.36: can eight such products outweigh −3?",
    ),
)

KINK = guess(
    "act.predict_kink",
    "relu",
    {
        "gelu": "GELU wins on the smooth wave. The target |x| has a kink, and a sum of smooth bends only rounds it off.",
        "neither": "The two do differ here: their ranges over ten seeds do not touch.",
    },
    "Two ReLUs make |x| exactly: relu(x) + relu(−x).",
    (
        "Which of the two curves looks more like a part of |x|?",
        "Your answer is one of the words 'relu', 'gelu' and 'neither'.",
        "Try to write |x| as a sum of two bends.",
    ),
)

# --- Cases

_SQRT2, _SQRT_2PI = math.sqrt(2), math.sqrt(2 * math.pi)


def _torch():
    """Load torch when the first case needs it, so that the catalogue loads fast."""
    from course_lib._torch import torch

    return torch


def _values(rng):
    """Draw values on both sides of zero, with a few chosen ones among them: 0, and some far out."""
    chosen = ([0.0, 2.6, -1.4, -7.5], [-2.7, 8.5, -0.75], [1.3, -0.2, -3.1])
    values = []
    for shape, extra in zip(((7,), (2, 5), (2, 3, 5)), chosen, strict=True):
        x = 2 * rng.normal(size=shape)
        x.flat[: len(extra)] = extra
        values.append(rng.permutation(x.ravel()).reshape(shape))
    return values


_AXES = {1: ("n",), 2: ("rows", "n"), 3: ("batch", "rows", "n")}


def _sizes(x):
    return dict(zip(_AXES[x.ndim], x.shape, strict=True))


def _array_cases(rng):
    return [Case((x,), _sizes(x)) for x in _values(rng)]


def _tensor_cases(rng):
    return [Case((_torch().from_numpy(x),), _sizes(x)) for x in _values(rng)]


def _each(function):
    """Make an oracle that computes value by value with Python's math, for a tensor or an array of any shape."""

    def oracle(x):
        numbers = np.array([function(float(value)) for value in x.reshape(-1)]).reshape(tuple(x.shape))
        return numbers if isinstance(x, np.ndarray) else _torch().from_numpy(numbers)

    return oracle


def _phi(x):
    """Return Φ(x), the normal distribution function."""
    return (1 + _torch().erf(x / _SQRT2)) / 2


def _density(x):
    return _torch().exp(-x * x / 2) / _SQRT_2PI


def _sigmoid(x):
    return _torch().sigmoid(x)


_RESULT = (Returns("the result", ("...",)),)

# --- act.relu

RELU = Exercise(
    id="act.relu",
    kind="function",
    cases=_array_cases,
    oracle=_each(lambda x: x if x > 0 else 0.0),
    returns=_RESULT,
    mistakes=(
        Mistake("absolute", np.abs, "This is the absolute value: a negative input comes out positive, and not as 0."),
        Mistake(
            "minimum",
            lambda x: np.minimum(x, 0),
            "This keeps the negative half and sets the positive one to 0: it is the other way round.",
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
            "squared", lambda x: np.maximum(x, 0) ** 2, "This is squared ReLU: a positive input comes out as it is."
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
        Mistake("unchanged", lambda x: x.copy(), "The result is x itself: nothing was set to 0."),
        Mistake("zero", lambda x: 0 * x, "Everything came out as 0: positive inputs have to pass unchanged."),
        Mistake(
            "at-least-one",
            lambda x: np.maximum(x, 1),
            "Everything below 1 became 1: the bend of ReLU lies at 0, and so does its floor.",
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
        Mistake("sign", np.sign, "This is the sign of the input: the size of a positive input has to be kept."),
    ),
    hints=(
        "Every value is compared with 0, and the larger of the two comes out.",
        "x may have any shape, and the result has the same; NumPy compares a whole array with one number in one step.",
        "np.maximum takes two arguments; np.max is another function.",
    ),
    right="Positive values pass, everything else is 0, and the input array is left as it was.",
)

# --- act.gelu

GELU = Exercise(
    id="act.gelu",
    kind="function",
    cases=_tensor_cases,
    oracle=_each(lambda x: x * math.erfc(-x / _SQRT2) / 2),
    returns=_RESULT,
    tolerance=1e-9,
    mistakes=(
        Mistake(
            "tanh-form",
            lambda x: x * (1 + _torch().tanh(_SQRT_2PI / math.pi * (x + 0.044715 * x**3))) / 2,
            "This is the tanh form, close but not equal: it is off by up to half a thousandth. The exact GELU is asked.",
        ),
        Mistake(
            "sigmoid-form",
            lambda x: x * _sigmoid(1.702 * x),
            "This is the sigmoid form with its 1.702, which is off by up to 0.02: the exact GELU uses Φ.",
        ),
        Mistake(
            "silu",
            lambda x: x * _sigmoid(x),
            "This is SiLU: its gate is the logistic curve, while GELU's gate belongs to the normal distribution.",
        ),
        Mistake("gate-alone", _phi, "This is the gate Φ(x) alone: the value itself has to pass through it."),
        Mistake(
            "density",
            lambda x: x * _density(x),
            "The gate is the bell curve here, which falls again for large x. Φ(x) is the area under it, up to x.",
        ),
        Mistake(
            "erf-without-root",
            lambda x: x * (1 + _torch().erf(x)) / 2,
            "Your gate opens too quickly: erf measures in units of √2 standard deviations, so x must be scaled first.",
        ),
        Mistake(
            "erf-times-root",
            lambda x: x * (1 + _torch().erf(x * _SQRT2)) / 2,
            "Inside erf you stretched x by √2; it has to be shrunk by it.",
        ),
        Mistake(
            "erf-half",
            lambda x: x * (1 + _torch().erf(x / 2)) / 2,
            "Your gate opens too slowly: inside erf, x is divided by 2, and the root is missing.",
        ),
        Mistake(
            "no-one",
            lambda x: x * _torch().erf(x / _SQRT2) / 2,
            "Your gate runs from −½ to ½: erf runs from −1 to 1 and has to be lifted before it is halved.",
        ),
        Mistake(
            "no-half",
            lambda x: x * (1 + _torch().erf(x / _SQRT2)),
            "Your gate runs from 0 to 2, so large inputs come out doubled.",
        ),
        Mistake(
            "erf-gate",
            lambda x: x * _torch().erf(x / _SQRT2),
            "Your gate runs from −1 to 1: erf itself is not yet a share between 0 and 1.",
        ),
        Mistake(
            "minus",
            lambda x: x * (1 - _torch().erf(x / _SQRT2)) / 2,
            "Your gate is open for negative inputs and closed for positive ones: look at the sign before erf.",
        ),
        Mistake(
            "x-squared",
            lambda x: x * x * _phi(x),
            "There is a factor x too many: the value passes through the gate once.",
        ),
        Mistake(
            "gate-squared",
            lambda x: x * _phi(x) ** 2,
            "The gate is applied twice: one factor Φ(x) is enough.",
        ),
        Mistake("relu", lambda x: _torch().relu(x), "This is ReLU, whose gate is either open or closed."),
        Mistake(
            "softplus",
            lambda x: _torch().nn.functional.softplus(x),
            "This is softplus, which never goes below 0; GELU does.",
        ),
    ),
    hints=(
        "Φ(x) is the share of a standard normal population below x. torch.erf gives it after a shift and a scaling.",
        "x may have any shape; Φ(x) has the same shape and lies between 0 and 1: Φ(0) = ½, and Φ(1) is about 0.84.",
        "Start with: share_below = (1 + torch.erf(x / 2**0.5)) / 2.",
    ),
    right="This is the exact GELU, to the last digits, and not one of its approximations.",
)

# --- act.gelu_tanh


def _tanh_form(factor=_SQRT_2PI / math.pi, cubic=0.044715, one=1.0, half=0.5, power=3):
    """Make the tanh form with other constants: factor √(2/π), the coefficient and the power of the correction."""
    return lambda x: half * x * (one + _torch().tanh(factor * (x + cubic * x**power)))


GELU_TANH = Exercise(
    id="act.gelu_tanh",
    kind="function",
    cases=_tensor_cases,
    # (1 + tanh u) / 2 = 1 / (1 + exp(−2u)): another route to the same numbers
    oracle=_each(lambda x: x / (1 + math.exp(-2 * math.sqrt(2 / math.pi) * x * (1 + 0.044715 * x * x)))),
    returns=_RESULT,
    tolerance=1e-9,
    mistakes=(
        Mistake(
            "exact",
            lambda x: x * _phi(x),
            "This is the exact GELU. Here the tanh form is asked, with its small error.",
        ),
        Mistake("no-cubic", _tanh_form(cubic=0.0), "The cubic term inside tanh is missing."),
        Mistake(
            "upside-down",
            _tanh_form(factor=math.sqrt(math.pi / 2)),
            "The fraction under the root is upside down: the factor before the bracket is below 1.",
        ),
        Mistake(
            "no-root",
            _tanh_form(factor=2 / math.pi),
            "The factor before the bracket lacks its square root.",
        ),
        Mistake(
            "root-of-two",
            _tanh_form(factor=_SQRT2 / math.pi),
            "The root covers only the 2: π belongs under it as well.",
        ),
        Mistake("no-factor", _tanh_form(factor=1.0), "The factor with the root, before the bracket, is missing."),
        Mistake(
            "ten-times",
            _tanh_form(cubic=0.44715),
            "The coefficient of the cubic term is ten times too large: a zero after the point is missing.",
        ),
        Mistake(
            "tenth",
            _tanh_form(cubic=0.0044715),
            "The coefficient of the cubic term is ten times too small: there is a zero too many after the point.",
        ),
        Mistake("minus-cubic", _tanh_form(cubic=-0.044715), "The cubic term is added to x; you took it away."),
        Mistake(
            "square", _tanh_form(power=2), "The correction is cubic, so that it has the sign of x; yours is squared."
        ),
        Mistake(
            "cubed-all",
            lambda x: x * (1 + _torch().tanh(_SQRT_2PI / math.pi * (x + (0.044715 * x) ** 3))) / 2,
            "The power of 3 belongs to x alone; you cubed the coefficient with it.",
        ),
        Mistake(
            "cubic-outside",
            lambda x: x * (1 + _torch().tanh(_SQRT_2PI / math.pi * x + 0.044715 * x**3)) / 2,
            "The factor with the root multiplies the whole bracket, and the cubic term is in it.",
        ),
        Mistake("no-half", _tanh_form(half=1.0), "The factor ½ is missing: large inputs come out doubled."),
        Mistake(
            "no-one",
            _tanh_form(one=0.0),
            "Your gate runs from −½ to ½: before it is halved, tanh has to be lifted.",
        ),
        Mistake(
            "gate-alone",
            lambda x: (1 + _torch().tanh(_SQRT_2PI / math.pi * (x + 0.044715 * x**3))) / 2,
            "This is the gate alone: the value itself has to pass through it.",
        ),
        Mistake(
            "sigmoid",
            lambda x: x * _sigmoid(_SQRT_2PI / math.pi * (x + 0.044715 * x**3)),
            "You used a sigmoid where the formula has (1 + tanh) / 2: the two differ by a factor of 2 inside.",
        ),
        Mistake(
            "sigmoid-form",
            lambda x: x * _sigmoid(1.702 * x),
            "This is the sigmoid form, the cruder of the two; the tanh form is asked.",
        ),
        Mistake("silu", lambda x: x * _sigmoid(x), "This is SiLU; the tanh form of GELU is asked."),
        Mistake("relu", lambda x: _torch().relu(x), "This is ReLU; the tanh form of GELU is asked."),
    ),
    hints=(
        "Build it from the inside out: the bracket with its cubic term, the factor, tanh, then lift, halve and multiply by x.",
        "x may have any shape, and every step keeps it; torch.tanh works value by value.",
        "Start with: inner = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3).",
    ),
    right="This is the form that GPT-2's code computes.",
)

# --- act.gelu_grad

_EXACT = 1e-14  # closed forms agree to a few 1e-16; no difference quotient comes this close on all cases
_NOT_EXACT = (
    "Very close, but not exact: a difference of two values divided by a step, or float32 on the way, always leaves an "
    "error. Differentiate x Φ(x) with the product rule instead."
)


def _slope_cases(rng):
    """Draw the values of the other exercises, and add some so large that the step of a difference quotient drowns."""
    values = _values(rng)
    far = rng.uniform(1e5, 1e7, size=3)
    values.append(np.concatenate([far, -far[:1], rng.normal(size=3)]))
    return [Case((_torch().from_numpy(x),), _sizes(x)) for x in values]


def _slope(x):
    """Return the slope of GELU at a number, from erfc, which is accurate for negative x too."""
    return math.erfc(-x / _SQRT2) / 2 + x * math.exp(-x * x / 2) / _SQRT_2PI


def _tanh_slope(x):
    scale = _SQRT_2PI / math.pi
    t = _torch().tanh(scale * (x + 0.044715 * x**3))
    return (1 + t + x * (1 - t * t) * scale * (1 + 3 * 0.044715 * x**2)) / 2


def _difference(x, step=1e-5):
    return ((x + step) * _phi(x + step) - (x - step) * _phi(x - step)) / (2 * step)


def _run_slope(answer, case):
    """Return the answer's slopes; say so when they are close to the right ones and yet not exact."""
    (x,) = case.args
    slopes = answer(x)
    torch = _torch()
    if not isinstance(slopes, torch.Tensor) or slopes.shape != x.shape or slopes.dtype != x.dtype:
        return slopes
    with torch.no_grad():
        right = _each(_slope)(x)
        close = torch.allclose(slopes, right, rtol=0, atol=4.5e-4)
        exact = torch.allclose(slopes, right, rtol=_EXACT, atol=_EXACT)
        tanh_form = torch.allclose(slopes, _tanh_slope(x), rtol=1e-9, atol=1e-9)
    if close and not exact and not tanh_form:
        raise Fault("mistake:difference", _NOT_EXACT)
    return slopes


GELU_GRAD = Exercise(
    id="act.gelu_grad",
    kind="function",
    cases=_slope_cases,
    oracle=_each(_slope),
    run=_run_slope,
    returns=_RESULT,
    tolerance=_EXACT * 100,  # the engine's absolute tolerance is a hundredth of it
    mistakes=(
        Mistake(
            "first-term",
            _phi,
            "One term is right, but the gate changes with x as well: the product rule gives a second term.",
        ),
        Mistake(
            "second-term",
            lambda x: x * _density(x),
            "One term is right, but the factor x changes too: the product rule gives another term.",
        ),
        Mistake(
            "no-x",
            lambda x: _phi(x) + _density(x),
            "Two terms are right in kind, but in the second one a factor is missing.",
        ),
        Mistake("subtracted", lambda x: _phi(x) - x * _density(x), "Both terms are right, but they are added."),
        Mistake(
            "crossed",
            lambda x: x * _phi(x) + _density(x),
            "In each term of the product rule one factor is differentiated and the other is not: you crossed them.",
        ),
        Mistake(
            "product",
            _density,
            "The derivative of a product is not the product of the derivatives: the product rule has two terms.",
        ),
        Mistake(
            "no-scale",
            lambda x: _phi(x) + x * _torch().exp(-x * x / 2),
            "The bell curve is not scaled: the area under it has to be 1.",
        ),
        Mistake(
            "no-root",
            lambda x: _phi(x) + x * _torch().exp(-x * x / 2) / (2 * math.pi),
            "The bell curve is divided by 2π, without the square root.",
        ),
        Mistake(
            "root-of-pi",
            lambda x: _phi(x) + x * _torch().exp(-x * x / 2) / math.sqrt(math.pi),
            "The 2 under the root of the bell curve's scale is missing.",
        ),
        Mistake(
            "no-half",
            lambda x: _phi(x) + x * _torch().exp(-x * x) / _SQRT_2PI,
            "The bell curve is too narrow: its exponent lacks the ½.",
        ),
        Mistake(
            "erf-without-root",
            lambda x: (1 + _torch().erf(x)) / 2 + x * _density(x),
            "The second term is right; in the first, x is not divided by √2 inside erf.",
        ),
        Mistake(
            "no-one",
            lambda x: _torch().erf(x / _SQRT2) / 2 + x * _density(x),
            "The slope should be near 1 far to the right, but yours ends at ½: in Φ, erf has to be lifted by 1.",
        ),
        Mistake("difference", _difference, _NOT_EXACT),
        Mistake(
            "tanh-form",
            _tanh_slope,
            "This is the slope of the tanh form: differentiate the exact GELU.",
        ),
        Mistake(
            "silu",
            lambda x: _sigmoid(x) * (1 + x * (1 - _sigmoid(x))),
            "This is the slope of SiLU: GELU's gate is Φ, not the sigmoid.",
        ),
        Mistake(
            "sigmoid-form",
            lambda x: _sigmoid(1.702 * x) * (1 + 1.702 * x * (1 - _sigmoid(1.702 * x))),
            "This is the slope of the sigmoid form: differentiate the exact GELU.",
        ),
        Mistake("value", lambda x: x * _phi(x), "This is GELU itself, and not its slope."),
        Mistake(
            "relu",
            lambda x: (x > 0).to(x.dtype),
            "This is the slope of ReLU, a step: GELU's slope passes through ½ at 0.",
        ),
        Mistake(
            "second-derivative",
            lambda x: (2 - x * x) * _density(x),
            "You differentiated once too often: this is the slope of the slope.",
        ),
    ),
    hints=(
        "x Φ(x) is a product of two functions of x, and the slope of Φ is the bell curve φ(x) = exp(−x²/2) / √(2π).",
        "The result has the shape of x. The product rule gives two terms; at x = 0 they are ½ and 0.",
        "Start with the two functions: share_below as in the exercise above, and density = torch.exp(-(x**2) / 2) / (2 * torch.pi) ** 0.5.",
    ),
    right="This is the exact slope, everywhere.",
)

# --- act.dead_fraction


def _columns(rng, tokens):
    """Make one column of hidden values of each kind; all but the first only look dead from one side."""
    value = rng.uniform(0.2, 2, size=(6, tokens))
    rest = [0.0] * (tokens - 1)
    return {
        "dead": [0.0, *rest],
        "wakes once": [*rest, value[0, 0]],
        "sleeps once": [0.0, *value[1, 1:]],
        "negative": -value[2],
        "cancels": [1.5, -1.5, *rest[1:]],
        "small": [1e-9 * number for number in value[3]],
        "never positive": [-value[4, 0], *rest],
        "alive": value[5],
    }


def _hidden_cases(rng):
    """Make hidden values with dead units among others, in other numbers for each case."""
    cases = []
    for tokens, counts in ((5, (3, 1, 2, 1, 1, 2, 3, 2)), (3, (1, 2, 1, 1, 3, 1, 1, 1)), (4, (0, 1, 1, 2, 1, 2, 1, 1))):
        kinds = [kind for kind, count in enumerate(counts) for _ in range(count)]
        h = np.stack([list(_columns(rng, tokens).values())[kind] for kind in rng.permutation(kinds)], axis=1)
        if tokens == 5:
            h[3] = 0  # a token on which every unit is zero
        cases.append(Case((_torch().from_numpy(h),), {"tokens": tokens, "d_ff": len(kinds)}))
    return cases


def _dead_share(h):
    """Count unit by unit with plain Python."""
    columns = list(zip(*h.tolist(), strict=True))
    return sum(all(value == 0 for value in column) for column in columns) / len(columns)


DEAD_FRACTION = Exercise(
    id="act.dead_fraction",
    kind="function",
    cases=_hidden_cases,
    oracle=_dead_share,
    returns=(Returns("the share"),),
    mistakes=(
        Mistake(
            "zeros",
            lambda h: (h == 0).double().mean(),
            "This is the share of zeros among all values: a unit may be 0 on one token and still live on another.",
        ),
        Mistake(
            "alive",
            lambda h: (h != 0).any(dim=0).double().mean(),
            "This is the share of units that live, which is 1 minus the share you want.",
        ),
        Mistake(
            "count",
            lambda h: (h == 0).all(dim=0).sum(),
            "This is how many units are dead; the share compares it with the number of units.",
        ),
        Mistake(
            "percent",
            lambda h: 100 * (h == 0).all(dim=0).double().mean(),
            "This is in percent; give the share as a number from 0 to 1.",
        ),
        Mistake(
            "per-token",
            lambda h: (h == 0).all(dim=1).double().mean(),
            "This is the share of tokens on which every unit is 0: you went along the other axis.",
        ),
        Mistake(
            "any",
            lambda h: (h == 0).any(dim=0).double().mean(),
            "This counts units that are 0 on some token; a dead unit is 0 on every one.",
        ),
        Mistake(
            "not-positive",
            lambda h: (h <= 0).all(dim=0).double().mean(),
            "This counts units that are never above 0. A negative value is not 0: GELU units have many of them.",
        ),
        Mistake(
            "largest",
            lambda h: (h.amax(dim=0) == 0).double().mean(),
            "This counts units whose largest value is 0: such a unit can still be negative somewhere.",
        ),
        Mistake(
            "sum",
            lambda h: (h.sum(dim=0) == 0).double().mean(),
            "This counts units whose values add up to 0: positive and negative ones can cancel.",
        ),
        Mistake(
            "small",
            lambda h: (h.abs() < 1e-6).all(dim=0).double().mean(),
            "This counts units that are very small as well; dead means exactly 0.",
        ),
        Mistake(
            "first-token",
            lambda h: (h[0] == 0).double().mean(),
            "This looks at the first token only: the unit may wake up on another.",
        ),
        Mistake(
            "last-token",
            lambda h: (h[-1] == 0).double().mean(),
            "This looks at the last token only: the unit may wake up on another.",
        ),
        Mistake(
            "divided-by-tokens",
            lambda h: (h == 0).all(dim=0).sum() / h.shape[0],
            "The number of dead units is right, but it is divided by the number of tokens.",
        ),
        Mistake(
            "divided-by-all",
            lambda h: (h == 0).all(dim=0).sum() / h.numel(),
            "The number of dead units is right, but it is divided by the number of all values.",
        ),
    ),
    hints=(
        "Look at one unit, which is one column: it is dead if all of its values are 0. Then count such columns.",
        "(h == 0) has shape (tokens, d_ff); .all(dim=0) looks along the tokens and leaves shape (d_ff,).",
        "Start with: dead = (h == 0).all(dim=0). A mean needs numbers, and .double() makes them from True and False.",
    ),
    right="You count units that are 0 on every token, and nothing else.",
)

# --- Quiz

QUESTIONS = (
    Question(
        "act.quiz-1",
        "A GELU unit receives x = −0.75, and later x = −3. How do the outputs compare?",
        (
            Option("Both are exactly 0.", "That is ReLU. GELU lets a share Φ(x) of a negative input through."),
            Option(
                "The output at −3 is lower, since −3 is the smaller number.",
                "The gate closes faster than x falls: at −3 it lets almost nothing through.",
            ),
            Option(
                "The output at −0.75 is lower.",
                "There the curve has its lowest point; at −3 it is nearly back at 0.",
                True,
            ),
        ),
    ),
    Question(
        "act.quiz-2",
        "You load weights that were trained with the tanh form. Your code uses the exact GELU. What happens?",
        (
            Option(
                "Outputs change slightly.",
                "Each activation moves by less than a thousandth. Use the form of the training, and the question is gone.",
                True,
            ),
            Option(
                "Nothing at all: both are the same function in other words.",
                "They are two functions that lie close to each other; you plotted their difference.",
            ),
            Option(
                "The model has to be trained again.",
                "The difference is small; and choosing the form it was trained with removes it altogether.",
            ),
        ),
    ),
    Question(
        "act.quiz-3",
        "A ReLU unit outputs 0 on one token. Is it dead?",
        (
            Option(
                "Yes: its slope is 0, so its weights can never change again.",
                "On this token they get no gradient, but on another token they may.",
            ),
            Option("Not unless it is 0 on all tokens.", "Dead means that no token gives it a gradient.", True),
            Option(
                "No: a unit can be dead only with GELU or SiLU.",
                "It is the other way round: those two have a slope that is not 0 on the negative side.",
            ),
        ),
    ),
    Question(
        "act.quiz-4",
        "Why do GELU units with biases pushed to −10 stay where they are?",
        (
            Option(
                "Their slope is exactly 0 to the left of −4.",
                "The table shows numbers that are not 0 even at −10; they are tiny.",
            ),
            Option(
                "GELU is not differentiable there.",
                "GELU is smooth everywhere.",
            ),
            Option(
                "The data set has no negative inputs.",
                "It has as many negative as positive inputs; the biases decide here.",
            ),
            Option(
                "Their gradient is too small to matter.",
                "The slope falls like exp(−x²/2): at −10 what remains is far below anything the update notices.",
                True,
            ),
        ),
    ),
    Question(
        "act.quiz-5",
        "What did the three fits show?",
        (
            Option(
                "GELU is the better choice, since it is smooth and never dies.",
                "It lost on the kink, and it can get stuck too.",
            ),
            Option(
                "It depends on the target.",
                "ReLU won on a kink, GELU on a smooth wave, and in noise neither did.",
                True,
            ),
            Option(
                "ReLU is better on real data, because such data is noisy.",
                "On the noisy target the ranges of the two overlap.",
            ),
        ),
    ),
)

LESSON = Lesson(
    number=2,
    topic="act",
    title="ReLU vs GELU",
    exercises=(
        RELU_SUM,
        LOWEST,
        ERROR,
        DEAD,
        KINK,
        RELU,
        GELU,
        GELU_TANH,
        GELU_GRAD,
        DEAD_FRACTION,
    ),
    questions=QUESTIONS,
)

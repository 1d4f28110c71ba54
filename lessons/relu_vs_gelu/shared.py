"""What the exercises on activations share: random inputs, an oracle that works value by value, and parts of GELU."""

import math

import numpy as np

from courseware.arguments import is_tensor
from whywrong.task import Case, Returns

SQRT2, SQRT_2PI = math.sqrt(2), math.sqrt(2 * math.pi)
TANH_FACTOR = math.sqrt(2 / math.pi)  # before the bracket of the tanh form
RESULT = (Returns("the result", ("...",)),)
_AXES = {1: ("n",), 2: ("rows", "n"), 3: ("batch", "rows", "n")}


def draw_values(rng) -> list[np.ndarray]:
    """Draw values on both sides of zero, with a few chosen ones among them: 0, and some far out."""
    chosen = ([0.0, 2.6, -1.4, -7.5], [-2.7, 8.5, -0.75], [1.3, -0.2, -3.1])
    values = []
    for shape, extra in zip(((7,), (2, 5), (2, 3, 5)), chosen, strict=True):
        x = 2 * rng.normal(size=shape)
        x.flat[: len(extra)] = extra
        values.append(rng.permutation(x.ravel()).reshape(shape))
    return values


def array_case(x: np.ndarray) -> Case:
    """Make a case of an array."""
    return Case((x,), dict(zip(_AXES[x.ndim], x.shape, strict=True)))


def array_cases(rng) -> list[Case]:
    """Make a case of each of `draw_values`."""
    return [array_case(x) for x in draw_values(rng)]


def each(function):
    """Make an oracle that computes value by value with Python's math, for an array of any shape."""

    def oracle(x):
        return np.array([function(float(value)) for value in x.reshape(-1)]).reshape(x.shape)

    return oracle


def erf(x):
    """Return erf(x) of an array of any shape; of a tensor as torch computes it, to the last digit."""
    return x.erf() if is_tensor(x) else _erf(x)


_erf = np.vectorize(math.erf, otypes=[np.float64])


def share_below(x):
    """Return Φ(x), the normal distribution function, of an array or a tensor of any shape."""
    return (1 + erf(x / SQRT2)) / 2


def density(x):
    """Return φ(x), the bell curve of the normal distribution, of an array of any shape."""
    return np.exp(-x * x / 2) / SQRT_2PI


def sigmoid(x):
    """Return σ(x) = 1 / (1 + exp(−x)) of an array of any shape."""
    return 1 / (1 + np.exp(-x))

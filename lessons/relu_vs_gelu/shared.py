"""What the exercises on activations share: random inputs, an oracle that works value by value, and parts of GELU."""

import math

import numpy as np

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


def tensor_case(x: np.ndarray) -> Case:
    """Make a case of an array, as a tensor."""
    from course_lib.model.one_thread import torch  # here, so that arrays need none

    return Case((torch.from_numpy(x),), array_case(x).sizes)


def tensor_cases(rng) -> list[Case]:
    """Draw the values of `draw_values` as tensors."""
    return [tensor_case(x) for x in draw_values(rng)]


def each(function):
    """Make an oracle that computes value by value with Python's math, for a tensor or an array of any shape."""

    def oracle(x):
        numbers = np.array([function(float(value)) for value in x.reshape(-1)]).reshape(tuple(x.shape))
        return numbers if isinstance(x, np.ndarray) else x.new_tensor(numbers)

    return oracle


def share_below(x):
    """Return Φ(x), the normal distribution function, of a tensor of any shape."""
    return (1 + (x / SQRT2).erf()) / 2


def density(x):
    """Return φ(x), the bell curve of the normal distribution, of a tensor of any shape."""
    return (-x * x / 2).exp() / SQRT_2PI

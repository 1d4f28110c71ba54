"""What the exercises of this lesson share: sizes, names, and gradients found without the chain rule."""

import tomllib
from functools import cache
from pathlib import Path

import numpy as np

PARAMETERS = ("W1", "b1", "W2", "b2")
GRADIENTS = ("dW1", "db1", "dW2", "db2", "dx")
#: n, d_in, d_ff and d_out of the cases: a wide output, a narrow hidden layer, and one number in and out.
SIZES = ((5, 3, 9, 7), (6, 4, 3, 2), (7, 1, 5, 1))


def named_sizes(n, d_in, d_ff, d_out) -> dict[str, int]:
    """Return the sizes of a case by name; where d_in and d_out are equal, one name stands for both."""
    sizes = {"n": n, "d_in": d_in, "d_ff": d_ff}
    return sizes if d_in == d_out else sizes | {"d_out": d_out}


def steps(x, target, W1, b1, W2, b2) -> tuple:
    """Return the loss, z, h and y; of complex numbers ReLU looks at the real part."""
    z = x @ W1 + b1
    h = np.where(z.real > 0, z, 0)
    y = h @ W2 + b2
    return ((y - target) ** 2).sum() / y.size, z, h, y


def complex_step(x, target, W1, b1, W2, b2) -> tuple[np.ndarray, ...]:
    """Return dW1, db1, dW2, db2 and dx, each number by itself: Im f(a + i·10⁻³⁰) · 10³⁰ (Squire & Trapp 1998).

    No rule of differentiation is used, and nothing is subtracted, so that the result is right to the last digits.
    """
    arrays = [np.array(one, dtype=complex) for one in (x, W1, b1, W2, b2)]
    found = []
    for array in arrays:
        gradient = np.empty(array.shape)
        for place in np.ndindex(array.shape):
            array[place] += 1e-30j
            gradient[place] = steps(arrays[0], target, *arrays[1:])[0].imag * 1e30
            array[place] = array[place].real
        found.append(gradient)
    dx, *rest = found
    return (*rest, dx)


@cache
def stored() -> dict[str, np.ndarray]:
    """Return a small network and what torch's autograd says of it, as `autograd.py` beside this file has stored them."""
    text = (Path(__file__).parent / "autograd.toml").read_text(encoding="utf-8")
    return {name: np.array(value) for name, value in tomllib.loads(text).items()}

"""What the exercises of this lesson share: random networks, the wave of lesson 01, and gradients without a chain rule."""

import tomllib
from functools import cache
from pathlib import Path

import numpy as np

PARAMETERS = ("W1", "b1", "W2", "b2")
GRADIENTS = ("dW1", "db1", "dW2", "db2", "dx")
#: n, d_in, d_ff and d_out of the cases: a wide output, a narrow hidden layer, and one number in and out.
SIZES = ((5, 3, 9, 7), (6, 4, 3, 2), (7, 1, 5, 1))
UNITS, POINTS, GOAL, STARTS = 32, 128, 0.001, 6


def network(rng, n, d_in, d_ff, d_out) -> tuple[np.ndarray, ...]:
    """Draw x, target, W1, b1, W2 and b2; no bias is zero, so that a missing one is seen."""
    shapes = ((n, d_in), (n, d_out), (d_in, d_ff), (d_ff,), (d_ff, d_out), (d_out,))
    return tuple(rng.normal(size=shape) for shape in shapes)


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


def wave(n: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Return the wave of lesson 01: x on an even grid over [−π, π], and sin(x), both of shape (n, 1)."""
    x = np.linspace(-np.pi, np.pi, n)[:, None]
    return x, np.sin(x)


def start(seed: int) -> list[np.ndarray]:
    """Draw W1, b1 and W2 for the wave from N(0, 1), W2 divided by the root of the number of units; b2 is 0."""
    rng = np.random.default_rng(seed)
    W1, b1, W2 = rng.normal(size=(1, UNITS)), rng.normal(size=UNITS), rng.normal(size=(UNITS, 1))
    return [W1, b1, W2 / np.sqrt(UNITS), np.zeros(1)]


def descents(rate: float, momentum: float, count: int) -> np.ndarray:
    """Return the losses of six starts on the wave, shape (steps, starts); NaN from where a loss passes a million."""
    x, target = wave()
    W1, b1, W2, b2 = (np.stack(each) for each in zip(*map(start, range(STARTS)), strict=True))
    b1, b2 = b1[:, None], b2[:, None]
    velocities, losses = [np.zeros_like(one) for one in (W1, b1, W2, b2)], []
    for _ in range(count):
        z = x * W1 + b1
        h = np.maximum(z, 0)
        gap = h @ W2 + b2 - target
        losses.append((gap**2).mean(axis=(1, 2)))
        dy = 2 * gap / len(x)
        dz = (dy * W2.mT) * (z > 0)
        gradients = (x.T @ dz, dz.sum(axis=1, keepdims=True), h.mT @ dy, dy.sum(axis=1, keepdims=True))
        far = (losses[-1] > 1e6)[:, None, None]  # a start that has run away stays where it is
        velocities = [momentum * one + np.where(far, 0, more) for one, more in zip(velocities, gradients, strict=True)]
        W1, b1, W2, b2 = (one - np.where(far, 0, rate * v) for one, v in zip((W1, b1, W2, b2), velocities, strict=True))
    found = np.array(losses)
    found[np.maximum.accumulate(found, axis=0) > 1e6] = np.nan
    return found

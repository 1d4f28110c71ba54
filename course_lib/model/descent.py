"""Gradient descent in NumPy, written out: small random networks, the wave of lesson 01, and six starts on it."""

import numpy as np

UNITS, POINTS, GOAL, STARTS = 32, 128, 0.001, 6


def network(rng, n, d_in, d_ff, d_out) -> tuple[np.ndarray, ...]:
    """Draw x, target, W1, b1, W2 and b2; no bias is zero, so that a missing one is seen."""
    shapes = ((n, d_in), (n, d_out), (d_in, d_ff), (d_ff,), (d_ff, d_out), (d_out,))
    return tuple(rng.normal(size=shape) for shape in shapes)


def wave(n: int = POINTS) -> tuple[np.ndarray, np.ndarray]:
    """Return the wave of lesson 01: x on an even grid over [−π, π], and sin(x), both of shape (n, 1)."""
    x = np.linspace(-np.pi, np.pi, n)[:, None]
    return x, np.sin(x)


def start(seed: int) -> list[np.ndarray]:
    """Draw W1, b1 and W2 for the wave from N(0, 1), W2 divided by the root of the number of units; b2 is 0."""
    rng = np.random.default_rng(seed)
    W1, b1, W2 = rng.normal(size=(1, UNITS)), rng.normal(size=UNITS), rng.normal(size=(UNITS, 1))
    return [W1, b1, W2 / np.sqrt(UNITS), np.zeros(1)]


def valleys(sizes) -> np.ndarray:
    """Return the losses of six starts on the wave after one step of each size, shape (sizes, starts)."""
    x, target = wave()
    found = []
    for seed in range(STARTS):
        W1, b1, W2, b2 = start(seed)
        z = x @ W1 + b1
        h = np.maximum(z, 0)
        dy = 2 * (h @ W2 + b2 - target) / len(x)
        dz = (dy @ W2.T) * (z > 0)
        steps = (x.T @ dz, dz.sum(axis=0), h.T @ dy, dy.sum(axis=0))
        for size in sizes:
            U, a, V, c = (one - size * step for one, step in zip((W1, b1, W2, b2), steps, strict=True))
            found.append(((np.maximum(x @ U + a, 0) @ V + c - target) ** 2).mean())
    return np.reshape(found, (STARTS, len(sizes))).T


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

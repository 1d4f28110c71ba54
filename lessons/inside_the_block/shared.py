"""What the exercises on the block share: random cases, the right results, and wrong blocks made from lines of code."""

import numpy as np

from whywrong.task import Case

AXES = ("...", "seq_len", "d_model")


class _Attention:
    """One head of self-attention over the second last axis, (..., seq_len, d_model) to the same shape."""

    def __init__(self, rng, d):
        self.Q, self.K, self.V, self.O = rng.normal(size=(4, d, d)) / d**0.5
        self.b = rng.normal(size=d)

    def __call__(self, x):
        scores = (x @ self.Q) @ np.swapaxes(x @ self.K, -1, -2) / len(self.b) ** 0.5
        weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
        return weights / weights.sum(axis=-1, keepdims=True) @ (x @ self.V) @ self.O + self.b


class _FFN:
    """A feed-forward network with ReLU."""

    def __init__(self, rng, d):
        self.W1, self.W2 = rng.normal(size=(d, 4 * d)), rng.normal(size=(4 * d, d)) / d
        self.b1, self.b2 = rng.normal(size=4 * d), rng.normal(size=d)

    def __call__(self, x):
        return np.maximum(x @ self.W1 + self.b1, 0) @ self.W2 + self.b2


class _Norm:
    """A layer norm with a gain and a shift of its own."""

    def __init__(self, rng, d):
        self.gain, self.shift = 1 + 0.5 * rng.uniform(size=d), rng.normal(size=d)

    def __call__(self, x):
        centred = x - x.mean(axis=-1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * self.gain + self.shift


def blocks(rng):
    """Return cases, tokens and the four parts of a block: a sequence, and a batch of them."""
    cases = []
    for shape in ((3, 5), (2, 3, 7)):
        d = shape[-1]
        parts = (_Attention(rng, d), _FFN(rng, d), _Norm(rng, d), _Norm(rng, d))
        sizes = dict(zip(("d_model", "seq_len", "batch"), reversed(shape), strict=False))
        cases.append(Case((rng.normal(size=shape), *parts), sizes))
    return cases


def pre_norm(x, attention, ffn, norm1, norm2):
    """Keep a list of all that was ever written into the stream; every sub-layer reads its normalised sum."""
    stream = [x]
    for sub_layer, norm in ((attention, norm1), (ffn, norm2)):
        stream.append(sub_layer(norm(np.sum(stream, axis=0))))
    return np.sum(stream, axis=0)


def post_norm(x, attention, ffn, norm1, norm2):
    """Go from sub-layer to sub-layer; the norm reads the sum of what went in and what came out."""
    for sub_layer, norm in ((attention, norm1), (ffn, norm2)):
        x = norm(np.sum([x, sub_layer(x)], axis=0))
    return x


def block_of(*lines):
    """Make a wrong block from lines of code; the last one is its result."""
    body = "\n".join(f"    {line}" for line in lines[:-1])
    scope = {"np": np}
    exec(f"def block(x, attention, ffn, norm1, norm2):\n{body}\n    return {lines[-1]}", scope)
    return scope["block"]

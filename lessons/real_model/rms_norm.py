"""Exercise: the norm of the Llama models, RMSNorm."""

import math

import numpy as np

from whywrong.task import Case, Exercise, Mistake, Returns


def _cases(rng):
    """Draw rows of several lengths around a mean that is not 0, and an eps that counts beside their squares."""
    cases = []
    for n, d, eps in ((4, 7, 0.01), (6, 3, 0.3), (3, 11, 0.002)):
        x = rng.uniform(0.05, 1, size=(n, 1)) * (0.4 + rng.normal(size=(n, d)))
        cases.append(Case((x, rng.uniform(0.3, 2, size=d), eps), {"seq_len": n, "d_model": d}))
    return cases


def _number_by_number(x, g, eps):
    """Normalise one number after the other, without an array's methods."""
    rows = []
    for row in x.tolist():
        size = math.sqrt(math.fsum(value * value for value in row) / len(row) + eps)
        rows.append([value * gain / size for value, gain in zip(row, g.tolist(), strict=True)])
    return np.array(rows)


def _by(size):
    """Make an answer that divides by another size of x."""
    return lambda x, g, eps: x / size(x, eps) * g


def _root(x, eps):
    return np.sqrt((x**2).mean(axis=-1, keepdims=True) + eps)


def _spread(x, eps):
    return np.sqrt(x.var(axis=-1, keepdims=True) + eps)


EXERCISE = Exercise(
    id="real_model.rms_norm",
    kind="function",
    cases=_cases,
    oracle=_number_by_number,
    returns=(Returns("the output", ("seq_len", "d_model")),),
    mistakes=(
        Mistake(
            "layer-norm",
            lambda x, g, eps: (x - x.mean(axis=-1, keepdims=True)) / _spread(x, eps) * g,
            "This is a layer norm: it subtracts each row's mean and divides by the standard deviation. RMSNorm subtracts no mean.",
        ),
        Mistake(
            "spread",
            _by(_spread),
            "You divide by the spread around each row's mean, which `var` and `std` measure. RMSNorm takes the mean of the squares of x itself.",
        ),
        Mistake(
            "no-root",
            _by(lambda x, eps: (x**2).mean(axis=-1, keepdims=True) + eps),
            "You divide by the mean of the squares plus eps; its square root is asked for.",
        ),
        Mistake(
            "eps-outside",
            _by(lambda x, eps: _root(x, 0) + eps),
            "eps is added after the root; add it to the mean of the squares, under the root.",
        ),
        Mistake(
            "square-of-mean",
            _by(lambda x, eps: np.sqrt(x.mean(axis=-1, keepdims=True) ** 2 + eps)),
            "You square each row's mean. Square the numbers first, then take the mean of the squares.",
        ),
        Mistake(
            "layer-norm-eps-outside",
            lambda x, g, eps: (x - x.mean(axis=-1, keepdims=True)) / (_spread(x, 0) + eps) * g,
            "Two things are wrong: this is a layer norm, which subtracts each row's mean and divides by the standard deviation, and eps is added after the root. RMSNorm subtracts no mean, and eps stands under the root.",
            two=True,
        ),
        Mistake(
            "spread-eps-outside",
            _by(lambda x, eps: _spread(x, 0) + eps),
            "Two things are wrong: you divide by the spread around each row's mean, as `std` measures it, and eps is added after the root. RMSNorm takes the mean of the squares of x itself, and eps stands under the root.",
            two=True,
        ),
        Mistake(
            "length",
            _by(lambda x, eps: np.linalg.norm(x, axis=-1, keepdims=True) + eps),
            "Two things are wrong: you divide by each row's length, the root of the sum of its squares, where their mean is asked for, and eps is added after the root.",
            two=True,
        ),
    ),
    hints=(
        "Find one size for each row: square its numbers, take their mean, add eps, take the root. Divide the row by it, then apply the gain.",
        "The sizes have shape (seq_len, 1), which keepdims=True gives, so that they fit beside x of shape (seq_len, d_model). g has shape (d_model,), and fits as it is.",
        "Start with: mean_square = (x**2).mean(axis=-1, keepdims=True).",
    ),
    right="That is LlamaRMSNorm: with a gain of 1 and a tiny eps, every row comes out with a root mean square of almost 1.",
)

"""Right answers to the exercises of "Build the FFN", in styles other than that of the worked solutions."""

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from course_lib.model.ffn import PositionWiseFeedForward
from lessons.build_the_ffn.solutions import which_bug


def steps_by_loops(x, W1, b1, W2, b2):
    z, y = np.zeros((*x.shape[:-1], len(b1))), np.zeros_like(x)
    for token in np.ndindex(x.shape[:-1]):
        y[token] = b2
        for j in range(len(b1)):
            z[token][j] = b1[j] + sum(a * w for a, w in zip(x[token], W1[:, j], strict=True))
            if z[token][j] > 0:
                y[token] += z[token][j] * W2[j]
    return z, z.clip(min=0), y


def steps_by_einsum(x, W1, b1, W2, b2):
    z = np.einsum("...i,ij->...j", x, W1) + b1
    h = z * (z > 0)
    return [z, h, np.einsum("...j,ji->...i", h, W2) + b2]


def steps_in_place_on_a_copy(tokens, up, up_bias, down, down_bias):
    before = tokens @ up
    before += up_bias
    hidden = before.copy()
    hidden[hidden < 0] = 0
    out = np.matmul(hidden, down)
    out += down_bias
    return before, hidden, out


def steps_flattened(x, W1, b1, W2, b2):
    rows = x.reshape(-1, x.shape[-1])
    z = rows @ W1 + b1
    h = np.where(z > 0, z, 0)
    return tuple(one.reshape(*x.shape[:-1], -1) for one in (z, h, h @ W2 + b2))


def steps_transposed(x, W1, b1, W2, b2):
    z = np.tensordot(x, W1, axes=1) + b1
    h = (z + np.abs(z)) / 2
    return z, h, (W2.T @ h[..., None])[..., 0] + b2


class WithReLUModule(nn.Module):
    def __init__(self, d_model, d_ff):
        nn.Module.__init__(self)
        self.down = nn.Linear(d_ff, d_model)
        self.bend = nn.ReLU(inplace=True)
        self.up = nn.Linear(d_model, d_ff)

    def forward(self, tokens):
        h = self.bend(self.up(tokens))
        return self.down(h)


class InASequence(nn.Module):
    def __init__(self, width, hidden):
        super().__init__()
        self.up, self.down = nn.Linear(width, hidden), nn.Linear(hidden, width)
        self.both = nn.Sequential(self.up, nn.ReLU(), self.down)

    def forward(self, x):
        return self.both(x)


class WithDropout(nn.Module):
    def __init__(self, d_model, d_ff, dropout=0.1):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(self.down(functional.relu(self.up(x))))


class ByMatrices(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up = nn.Linear(d_model, d_ff, bias=True)
        self.down = nn.Linear(d_ff, d_model, bias=True)

    def forward(self, x):
        z = torch.einsum("...i,ji->...j", x, self.up.weight) + self.up.bias
        return z.clamp(min=0) @ self.down.weight.T + self.down.bias


class FromTheCourse(PositionWiseFeedForward):
    """Leave the work to the course."""


def by_one_number(f):
    """Probe with one feature and one hidden unit wherever that is enough."""

    def g(x, W1=0.0, b1=0.0, W2=0.0, b2=0.0):
        return f(np.array([[x]]), np.array([[W1]]), np.array([b1]), np.array([[W2]]), np.array([b2]))[0, 0]

    if g(5.0) != 0:
        second = f(np.array([[5.0], [1.0]]), np.zeros((1, 1)), np.zeros(1), np.zeros((1, 1)), np.zeros(1))[1, 0]
        return "residual inside" if np.isclose(second, 1) else "mixes positions"
    two = f(np.array([[1.0], [2.0]]), np.ones((1, 1)), np.ones(1), np.ones((1, 1)), np.ones(1))
    if not np.allclose(two[:, 0], [g(1.0, 1, 1, 1, 1), g(2.0, 1, 1, 1, 1)]):
        return "mixes positions"
    if g(0.0, b2=-1.0) == 0 and g(0.0, b2=1.0) != 0:
        return "activation last"
    if g(0.0, b2=1.0) == 0 or g(0.0, 1.0, 3.0, 1.0) == 0:
        return "missing bias"
    if not np.isclose(g(1.0, 2.0, 0.0, 3.0), 6.0):
        return "tied weights"
    return "correct" if abs(g(-1.0, 1.0, 0.0, 1.0)) < 1e-12 else "no activation"


def by_what_each_array_moves(f):
    """Change one array at a time, and look which of them the output does not feel."""
    rng = np.random.default_rng(1)
    shapes = {"x": (4, 3), "W1": (3, 6), "b1": (6,), "W2": (6, 3), "b2": (3,)}
    given = {name: rng.normal(size=shape) for name, shape in shapes.items()}
    y = f(**given)

    def still(**changed):
        return np.allclose(f(**(given | changed)), y)

    if still(b1=given["b1"] - 0.5) or still(b2=given["b2"] - 0.5):
        return "missing bias"
    if still(W1=given["W1"][:, ::-1]) or still(W2=-given["W2"]):
        return "tied weights"
    without_first, without_last = f(**(given | {"x": given["x"][1:]})), f(**(given | {"x": given["x"][:-1]}))
    if not (np.allclose(without_first, y[1:]) and np.allclose(without_last, y[:-1])):
        return "mixes positions"
    lower = f(**(given | {"b2": given["b2"] - 1e3}))
    if not np.allclose(lower, y - 1e3):
        return "activation last"
    off = f(**(given | {"b1": np.full(6, -1e3)}))  # no unit is on, so only b2 is left
    if np.allclose(off, given["b2"]):
        return "correct"
    return "residual inside" if np.allclose(off, given["b2"] + given["x"]) else "no activation"


def equation(x, W1, b1, W2, b2):
    return np.maximum(x @ W1 + b1, 0) @ W2 + b2


def by_comparison(f):
    """Compare with the equation, and look for the difference."""
    rng = np.random.default_rng(7)
    x, W1, b1 = rng.normal(size=(5, 4)), rng.normal(size=(4, 9)), rng.normal(size=9)
    W2, b2 = rng.normal(size=(9, 4)), rng.normal(size=4)
    y, right = f(x, W1, b1, W2, b2), equation(x, W1, b1, W2, b2)
    guesses = {
        "correct": [right],
        "no activation": [(x @ W1 + b1) @ W2 + b2],
        "activation last": [np.maximum((x @ W1 + b1) @ W2 + b2, 0), np.maximum(right, 0)],
        "missing bias": [equation(x, W1, 0 * b1, W2, b2), right - b2],
        "residual inside": [right + x],
        "tied weights": [
            equation(x, W1, b1, W1.T, b2),
            equation(x, W2.T, b1, W2, b2),
        ],
    }
    for name, arrays in guesses.items():
        if any(np.allclose(y, array) for array in arrays):
            return name.upper()
    return "mixes positions"


def by_nan(f):
    """Mark a position with NaN and see where it turns up; the rest as before."""
    x = np.arange(6.0).reshape(3, 2)
    x[1] = np.nan
    y = f(x, np.ones((2, 4)), np.ones(4), np.ones((4, 2)), np.ones(2))
    return "mixes positions" if np.isnan(y[[0, 2]]).any() else which_bug(f)


class Detective:
    """A callable object, with numbers drawn anew in every call."""

    def __call__(self, box):
        for name in ("mixes positions", "residual inside"):
            if by_comparison(box) == name.upper():
                return name
        return which_bug(box)


def with_underscores(f):
    return which_bug(f).replace(" ", "_")


class NoDoubleUnderscores(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        for name, sizes in (("up", (d_model, d_ff)), ("down", (d_ff, d_model))):
            self.add_module(name, nn.Linear(*sizes))

    def forward(self, x):
        return self.down(torch.max(self.up(x), torch.zeros(())))


class OldSuper(nn.Module):
    def __init__(self, d_model, d_ff):
        super(type(self), self).__init__()
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.down(self.up(x).relu())


BORROWED = {"build_the_ffn.module": [FromTheCourse, PositionWiseFeedForward]}
STYLES = {
    "build_the_ffn.every_step": [
        steps_by_loops,
        steps_by_einsum,
        steps_in_place_on_a_copy,
        steps_flattened,
        steps_transposed,
    ],
    "build_the_ffn.module": [
        WithReLUModule,
        InASequence,
        WithDropout,
        ByMatrices,
        NoDoubleUnderscores,
        OldSuper,
    ],
    "build_the_ffn.which_bug": [
        with_underscores,
        by_one_number,
        by_comparison,
        by_nan,
        by_what_each_array_moves,
        Detective(),
    ],
}

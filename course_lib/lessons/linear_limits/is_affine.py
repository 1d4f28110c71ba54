"""Tell whether a black box is a linear layer, or hides a bend."""

import numpy as np

from course_lib.content import Case, Exercise, Mistake, Returns


class _BlackBox:
    """A function of rows, (n, d_in) -> (n, d_out); it does not show how it is made."""

    def __init__(self, function):
        self._function = function

    def __call__(self, x):
        return self._function(np.asarray(x, dtype=np.float64))


def _boxes(rng):
    d_in, d_hidden, d_out = 3, 5, 2
    W1, W2, A = rng.normal(size=(d_in, d_hidden)), rng.normal(size=(d_hidden, d_out)), rng.normal(size=(d_in, d_out))
    b1, b2 = rng.normal(size=d_hidden), rng.normal(size=d_out)
    w = A[:, 0] / np.linalg.norm(A[:, 0])
    makers = (
        lambda x: (x @ W1 + b1) @ W2 + b2,
        lambda x: x @ A,
        lambda x: np.maximum(x @ W1 + b1, 0) @ W2 + b2,
        lambda x: np.maximum(x @ W1, 0) @ W2,
        lambda x: x @ A + np.maximum((x @ w)[:, None] - 4, 0) * b2,
        lambda x: (x @ A) ** 2,
        lambda x: x * 0 + 3,
        lambda x: x @ A + 0.01 * np.tanh(x @ A),
    )
    return [Case((_BlackBox(make), d_in), {"d_in": d_in, "d_out": d_out}) for make in makers]


def _is_affine_oracle(f, d_in):
    """Compare f with the affine map that agrees with it on zero and the unit vectors, on a fine and wide set of points."""
    zero = f(np.zeros((1, d_in)))
    slope = f(np.eye(d_in)) - zero
    points = np.random.default_rng(1).normal(size=(500, d_in)) * np.geomspace(0.01, 100, 500)[:, None]
    gap = np.abs(f(points) - (points @ slope + zero)).max(axis=1) / (1 + np.abs(points).max(axis=1))
    return bool(gap.max() < 1e-6)


def _sum_rule(scale, with_zero=True, exact=False, flip=False, probes=200):
    """Make a tester of f(a + b) + f(0) = f(a) + f(b) with probes of one scale; the flags make it a wrong one."""

    def is_affine(f, d_in):
        rng = np.random.default_rng(2)
        a, b = scale * rng.normal(size=(2, probes, d_in))
        left = f(a + b) + (f(np.zeros((1, d_in))) if with_zero else 0)
        same = (
            np.array_equal(left, f(a) + f(b)) if exact else np.allclose(left, f(a) + f(b), rtol=1e-6, atol=1e-6 * scale)
        )
        return bool(same) != flip

    return is_affine


def _doubling(f, d_in):
    a = np.random.default_rng(2).normal(size=(200, d_in)) * 10
    zero = f(np.zeros((1, d_in)))
    return bool(np.allclose(f(2 * a) - zero, 2 * (f(a) - zero), rtol=1e-6, atol=1e-6))


EXERCISE = Exercise(
    id="linear_limits.is_affine",
    kind="function",
    cases=_boxes,
    oracle=_is_affine_oracle,
    returns=(Returns("the result"),),
    mistakes=(
        Mistake(
            "always-true",
            lambda f, d_in: True,
            "Your function calls every box affine, also one that squares its input.",
        ),
        Mistake(
            "always-false",
            lambda f, d_in: False,
            "Your function calls no box affine, not even a single matrix product.",
        ),
        Mistake(
            "biases-refused",
            _sum_rule(10, with_zero=False),
            "Your function refuses layers with a bias: f(0) must be taken into account, since affine is linear plus a constant.",
        ),
        Mistake(
            "too-strict",
            _sum_rule(10, exact=True),
            "Your function compares floats exactly; rounding differs with the order of additions, so allow a small tolerance.",
        ),
        Mistake("flipped", _sum_rule(10, flip=True), "True and False are swapped."),
        Mistake(
            "small-probes",
            _sum_rule(0.5),
            "Your function misses a kink that lies far from zero: try inputs that are ten times as large.",
        ),
        Mistake(
            "doubling-only",
            _doubling,
            "Your function tests only what doubling the input does; a ReLU without biases passes that test. Add two different inputs.",
        ),
    ),
    hints=(
        "If f is affine, f(a + b) + f(0) = f(a) + f(b) for all a and b. One pair that breaks the rule is enough to say no.",
        "Draw a and b of shape (200, d_in); f gives (200, d_out). Allow for rounding, and use small and large inputs.",
        "Start with: rng = np.random.default_rng(0), then a, b = 10 * rng.normal(size=(2, 200, d_in)).",
    ),
    right="Your test finds the non-linearity in every box, however it is hidden.",
)

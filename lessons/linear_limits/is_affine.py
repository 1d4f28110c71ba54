"""Find out whether a black box is affine or hides a bend."""

import numpy as np

from whywrong.boxes import Box, Recipe, recipe_of
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns


class _BlackBox(Box):
    """A function of rows, (n, d_in) -> (n, d_out); it does not show how it is made."""

    def __init__(self, recipe, d_in):
        super().__init__(recipe)
        self._d_in = d_in

    def __call__(self, x):
        x = np.asarray(x, dtype=np.float64)
        if x.ndim != 2 or x.shape[1] != self._d_in:
            words = f"f takes rows, of shape (n, d_in) with d_in = {self._d_in}; you gave it shape {x.shape}. "
            raise Fault(Key.SHAPE, words + "One input is one row: np.zeros((1, d_in)) is a row of zeros.")
        return recipe_of(self).compute(x)


_FAR = "how large are your inputs, how many are there, and are some of them positive and some negative?"


_MANY = "do you try many pairs, large and of both signs, and does every single gap have to be 0?"


def _boxes(rng):
    d_in, d_hidden, d_out = 4, 5, 2
    W1, W2, A = rng.normal(size=(d_in, d_hidden)), rng.normal(size=(d_hidden, d_out)), rng.normal(size=(d_in, d_out))
    b1, b2 = rng.normal(size=d_hidden), rng.uniform(0.5, 2, size=d_out)

    def far(distance, direction=None):
        w = rng.normal(size=d_in) if direction is None else direction
        w = w / np.linalg.norm(w)
        return lambda x: x @ A + np.maximum((x @ w)[:, None] - distance, 0) * b2

    boxes = [
        (lambda x: x @ A, "one matrix product", "it obeys every such rule up to rounding: is a small gap allowed?"),
        (lambda x: (x @ W1 + b1) @ W2 + b2, "two linear layers with biases", "what is f of a row of zeros there?"),
        (lambda x: x[:, :d_out] * 0 + 3, "a box that gives 3 for every input", "it is x @ W + b with W = 0."),
        (lambda x: 1000 * (x @ A) + b1[:d_out], "a linear layer with large weights", "does your gap grow with them?"),
        (lambda x: (x @ A) ** 2, "a box that squares", "compare f(a + b) + f(0) with f(a) + f(b) for one pair."),
        (lambda x: np.maximum(x @ W1 + b1, 0) @ W2 + b2, "two layers with a ReLU between them", _MANY),
        (
            lambda x: np.maximum(x @ W1, 0) @ W2,
            "two layers with a ReLU and no biases",
            "doubling an input shows nothing there, and some pairs miss the bend: do you try many, and must all of them fit?",
        ),
        (
            lambda x: np.maximum(x[:, :d_out], 0),
            "a ReLU and nothing else",
            "the gap f(a + b) − f(a) − f(b) is below 0 where a and b differ in sign, and 0 elsewhere: do you try such pairs?",
        ),
        (
            lambda x: -np.maximum(x[:, :d_out], 0),
            "a ReLU with its sign flipped",
            "the gap f(a + b) − f(a) − f(b) is above 0 where a and b differ in sign, and 0 elsewhere: do you try such pairs?",
        ),
        (
            lambda x: np.stack([x @ A[:, 0], np.maximum(x @ A[:, 1], 0)], axis=1),
            "a box that bends in its last output only",
            "do you look at every output, for many pairs?",
        ),
        (
            lambda x: np.stack([np.maximum(x @ A[:, 0], 0), x @ A[:, 1]], axis=1),
            "a box that bends in its first output only",
            "do you look at every output, for many pairs?",
        ),
        (
            lambda x: x @ A + np.maximum(x @ A[:, :1], 0) * [1, -1],
            "a box whose two outputs bend in opposite ways",
            "do you look at each gap separately, instead of at their sum or their mean?",
        ),
        (
            lambda x: x @ A + x[:, :1] * x[:, 1:2] * b2,
            "a box that multiplies two of its inputs",
            "do a and b differ from 0 in all their features?",
        ),
        (
            lambda x: x @ A + 0.01 * np.tanh(x @ A),
            "a box with a bend of one hundredth",
            "is your limit for a gap far below that, and are a and b two independent inputs, not a and −a?",
        ),
        (far(4), "a box that bends 4 away from zero", _FAR),
        (far(4), "another box that bends 4 away from zero", _FAR),
        (far(4, -np.ones(d_in)), "a box that bends where its inputs are negative", _FAR),
        (far(4, np.ones(d_in)), "a box that bends where its inputs are positive", _FAR),
        (far(12), "a box that bends 12 away from zero", _FAR),
        *(
            (far(12), f"{a} box that bends 12 away from zero", _FAR)
            for a in ("another", "a third", "a fourth", "a fifth")
        ),
    ]
    sizes = {"d_in": d_in, "d_out": d_out}
    return [Case((_BlackBox(Recipe(description, None, f, ask), d_in), d_in), sizes) for f, description, ask in boxes]


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


def _any_pair(f, d_in):
    a, b = np.random.default_rng(2).normal(size=(2, 1000, d_in))
    gap = np.abs(f(a + b) + f(np.zeros((1, d_in))) - f(a) - f(b))
    return bool((gap < 1e-7).all(axis=1).any())


def _doubling(f, d_in):
    a = np.random.default_rng(2).normal(size=(200, d_in)) * 10
    zero = f(np.zeros((1, d_in)))
    return bool(np.allclose(f(2 * a) - zero, 2 * (f(a) - zero), rtol=1e-6, atol=1e-6))


def _one_way(sign):
    """Make a tester that forgets the absolute value."""

    def is_affine(f, d_in):
        a, b = 10 * np.random.default_rng(2).normal(size=(2, 400, d_in))
        gap = f(a + b) + f(np.zeros((1, d_in))) - f(a) - f(b)
        return bool((sign * gap < 1e-6).all())

    return is_affine


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
            "Your function calls every box affine, even one that squares its input.",
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
            "Your function compares floats exactly; rounding differs with the order of additions, so allow a small gap.",
        ),
        Mistake("flipped", _sum_rule(10, flip=True), "True and False are swapped."),
        Mistake(
            "one-way",
            _one_way(1),
            "Your function counts a gap in one direction only: use its absolute value.",
        ),
        Mistake(
            "other-way",
            _one_way(-1),
            "Your function counts a gap below zero, but not one above zero: use its absolute value.",
        ),
        Mistake(
            "one-is-enough",
            _any_pair,
            "Your test says True as soon as one pair fits, and in some boxes one pair does. Every pair has to fit.",
        ),
        Mistake(
            "doubling-only",
            _doubling,
            "Your function tests only what doubling the input does; a ReLU without biases passes that test. Add two different inputs.",
        ),
    ),
    hints=(
        "If f is affine, f(a + b) + f(0) = f(a) + f(b) for all a and b. One pair that breaks the rule is enough to say no.",
        "f takes rows: draw a and b of shape (200, d_in), and take f of a row of zeros, np.zeros((1, d_in)). Compare up to "
        "rounding, with np.allclose, and use small and large inputs.",
        "Start with: rng = np.random.default_rng(0), then for scale in (0.1, 1, 10, 100): a, b = scale * …, and return False as soon as the rule fails.",
    ),
    right="Your test separates the boxes that bend from those that do not, even where the bend lies 12 away from zero.",
)

"""Exercise: tell from outside which one of six things was changed in a norm with a gated FFN."""

import itertools
import math

import numpy as np

from courseware import arguments
from whywrong.boxes import Box, Recipe, recipe_of
from whywrong.form import one_of
from whywrong.task import Case, Exercise, Mistake, Returns
from whywrong.todo import holds_todo

#: What was changed -> the box in words, and what tells it from the others.
CHANGES = {
    "gate and up exchanged": (
        "an FFN with its branches exchanged",
        "exchange W_gate and W_up in what you compute, leave all else as it was, and compare.",
    ),
    "gelu": (
        "a gate with GELU",
        "compute the gate as z · (1 + erf(z/√2))/2 and compare (the tanh form is only near), or give this name to the box that fits none of the others.",
    ),
    "down transposed": (
        "an FFN with W_down transposed",
        "compute the last product with W_down.T, leave all else as it was, and compare.",
    ),
    "no gain": ("a norm without its gain", "leave out g in what you compute, and nothing else, and compare."),
    "mean": (
        "a norm that divides by the mean of |x|",
        "divide by the mean of |x| plus eps in what you compute, leave all else as it was, and compare. In rows whose numbers all have the same size, as in np.ones, it is the same as 'eps outside'.",
    ),
    "eps outside": (
        "a norm with eps after the root",
        "divide by √(mean of x²) + eps in what you compute, leave all else as it was, and compare. In rows whose numbers all have the same size, as in np.ones, it is the same as 'mean'.",
    ),
}
NAMES = tuple(CHANGES)
_erf = np.vectorize(math.erf, otypes=[np.float64])


def compute(change, x, g, W_gate, W_up, W_down, eps):
    """Return RMSNorm and a gated FFN of x, with one change, or with none where the word names none."""
    square = (x**2).mean(axis=-1, keepdims=True)
    sizes = {"mean": np.abs(x).mean(axis=-1, keepdims=True) + eps, "eps outside": np.sqrt(square) + eps}
    u = x / sizes.get(change, np.sqrt(square + eps)) * (1 if change == "no gain" else g)
    z, up = (u @ W_up, u @ W_gate) if change == "gate and up exchanged" else (u @ W_gate, u @ W_up)
    share = (1 + _erf(z / math.sqrt(2))) / 2 if change == "gelu" else (1 + np.tanh(z / 2)) / 2
    return (z * share * up) @ (W_down.T if change == "down transposed" else W_down)


class _Ffn(Box):
    """A norm and a gated FFN in one, ffn(x), with one change; it does not show which."""

    def __init__(self, change, *weights):
        words, tell = CHANGES[change]
        super().__init__(Recipe(words, change, lambda x: compute(change, x, *weights), tell))
        self._d = len(weights[0])

    def __call__(self, x):
        x = arguments.array("x", x, ("...", "d_model"), {"d_model": self._d})
        return recipe_of(self).compute(x.astype(np.float64))


def _cases(rng):
    """Draw two sets of weights, and with each of them all six changes in random order."""
    cases = []
    for d in (5, 8):
        weights = rng.uniform(0.3, 2, size=d), *rng.normal(size=(3, d, d)), float(rng.integers(20, 100)) / 1000
        cases += [Case((_Ffn(change, *weights), *weights), {"d_model": d}) for change in NAMES]
    return [cases[place] for place in rng.permutation(len(cases))]


def _run(answer, case):
    """Call the answer, and read its word, however it is written."""
    said = answer(*case.args)
    return said if holds_todo(said) else one_of(said, NAMES)


def _called(renamed):
    """Make an answer that gives some boxes another name: the change -> what it is called."""

    def which_change(ffn, *weights):
        change = recipe_of(ffn).right
        return renamed.get(change, change)

    return which_change


EXERCISE = Exercise(
    id="real_model.which_change",
    kind="function",
    cases=_cases,
    oracle=lambda ffn, g, W_gate, W_up, W_down, eps: recipe_of(ffn).right,
    returns=(Returns("the name"),),
    run=_run,
    mistakes=(
        *(
            Mistake(
                f"all-{name}".replace(" ", "-"),
                lambda ffn, *weights, name=name: name,
                f"Every box got the same name, {name!r}, although all six changes occur: your tests say the same of each. Print ffn(x) beside what you compare it with.",
                kind="all",
            )
            for name in NAMES
        ),
        *(
            Mistake(
                f"{change}-as-{name}".replace(" ", "-"),
                _called({change: name}),
                f"You call {CHANGES[change][0]} {name!r}: {CHANGES[change][1]} Do your rows look like that?",
            )
            for change, name in itertools.permutations(("mean", "eps outside"))
        ),
    ),
    hints=(
        "You know all parts, so you can compute what each change would give for the same row, and see which of them ffn gives.",
        "One row is enough, x of shape (len(g),), if its numbers differ in size; ffn(x) has the same shape. Several rows, of shape (seq_len, len(g)), work too.",
        "Start with: rng = np.random.default_rng(0), x = rng.normal(size=…), what ffn gives for x, and u = … * g as RMSNorm makes it. Then change one thing at a time.",
    ),
    right="Six changes, none of which shapes or an error message would have shown, and you recognised each by its numbers.",
)

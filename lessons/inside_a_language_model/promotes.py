"""Exercise: what do the output weights of a hidden unit promote?"""

import numpy as np

from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    """Draw weights stored as nn.Linear stores them, with means that are not zero and gains that are not one."""
    cases = []
    for d_model, d_ff, characters in ((5, 7, 9), (6, 8, 4)):
        W_down = rng.normal(size=(d_model, d_ff)) + 0.7
        gain, W_out = rng.uniform(0.4, 2.0, size=d_model), rng.normal(size=(characters, d_model)) + 0.3
        gain[rng.integers(d_model)] *= -1  # what training may make of a gain
        unit = int(rng.integers(1, min(d_model, d_ff)))
        W_down[0, unit] = -abs(W_down[0, unit]) - 0.2  # a column is not positive throughout
        sizes = {"d_model": d_model, "d_ff": d_ff, "characters": characters}
        cases.append(Case((W_down, gain, W_out, unit), sizes))
    return cases


def _number_by_number(W_down, gain, W_out, unit):
    """Write out the sums."""
    d_model = len(gain)
    v = [W_down[i, unit] for i in range(d_model)]
    mean = sum(v) / d_model
    return np.array([sum(W_out[c, i] * gain[i] * (v[i] - mean) for i in range(d_model)) for c in range(len(W_out))])


def _centred(v):
    return v - v.mean()


def _softmax(z):
    e = np.exp(z - z.max())
    return e / e.sum()


# What can be wrong before the gain, at the gain, and before a softmax that does not belong here.
_COLUMN = {
    "not-centred": (lambda W, u: W[:, u], "the column is not centred"),
    "one-mean": (lambda W, u: W[:, u] - W.mean(), "the mean of the whole matrix is subtracted"),
    "over-units": (lambda W, u: (W - W.mean(axis=1, keepdims=True))[:, u], "the mean runs over the units"),
    "next-unit": (lambda W, u: _centred(W[:, u - 1]), "it is the unit before, for units count from 0"),
}
_GAIN = {
    "no-gain": (lambda v, g: v, "the gain is missing"),
    "divided-by-gain": (lambda v, g: v / g, "you divide by the gain instead of multiplying"),
}

_LOGITS = {
    "no-gain": (lambda W, g, u: _centred(W[:, u]), "the gain is missing"),
    "not-centred": (lambda W, g, u: g * W[:, u], "the column is not centred"),
    "gain-first": (lambda W, g, u: _centred(g * W[:, u]), "the gain multiplies before the column is centred"),
    "next-unit": (lambda W, g, u: g * _centred(W[:, u - 1]), "it is the unit before, for units count from 0"),
}
_SOFTMAX = {"softmax": (_softmax, "a softmax turns the change of the logits into probabilities")}


def _read_out(written, after):
    return lambda W, g, W_out, u: after(W_out @ written(W, g, u))


def _both(column, gain):
    return lambda W, g, W_out, u: W_out @ gain(column(W, u), g)


EXERCISE = Exercise(
    id="inside_a_language_model.promotes",
    kind="function",
    cases=_cases,
    oracle=_number_by_number,
    returns=(Returns("the result", ("characters",)),),
    mistakes=(
        Mistake(
            "no-gain",
            lambda W, g, W_out, u: W_out @ _centred(W[:, u]),
            "The gain of the norm is missing: the read-out sees each feature times its gain.",
        ),
        Mistake(
            "not-centred",
            lambda W, g, W_out, u: W_out @ (g * W[:, u]),
            "The norm subtracts the mean before anything else: centre v first.",
        ),
        Mistake(
            "bare",
            lambda W, g, W_out, u: W_out @ W[:, u],
            "Between the stream and the read-out comes the last norm: centre v, and multiply by the gain.",
        ),
        Mistake(
            "gain-first",
            lambda W, g, W_out, u: W_out @ _centred(g * W[:, u]),
            "The order is reversed: the norm first centres, and then multiplies by the gain.",
        ),
        Mistake(
            "centred-last",
            lambda W, g, W_out, u: _centred(W_out @ (g * W[:, u])),
            "You centred the logits at the end. The norm centres what the unit writes, before the gain and the read-out.",
        ),
        Mistake(
            "softmax",
            lambda W, g, W_out, u: _softmax(W_out @ (g * _centred(W[:, u]))),
            "You went on to probabilities. Return how the logits change, without a softmax.",
        ),
        Mistake(
            "centred-over-units",
            lambda W, g, W_out, u: W_out @ (g * (W - W.mean(axis=1, keepdims=True))[:, u]),
            "You took the mean over the units. The norm takes it over the features of one vector.",
        ),
        Mistake(
            "one-mean",
            lambda W, g, W_out, u: W_out @ (g * (W[:, u] - W.mean())),
            "You subtracted the mean of the whole matrix. Subtract the mean of this unit's own column.",
        ),
        Mistake(
            "divided",
            lambda W, g, W_out, u: W_out @ (g * _centred(W[:, u]) / W[:, u].std()),
            "You divided by the standard deviation of v. The norm divides by that of the whole stream, which is the same for all characters and is left out here.",
        ),
        Mistake(
            "divided-by-gain",
            lambda W, g, W_out, u: W_out @ (_centred(W[:, u]) / g),
            "You divided by the gain, but the norm multiplies by it.",
        ),
        Mistake(
            "next-unit",
            lambda W, g, W_out, u: W_out @ (g * _centred(W[:, u - 1])),
            "This is the unit before: units are counted from 0, as columns are.",
        ),
        *two_at_once("{}, and {}", _COLUMN, _GAIN, _both, {("not-centred", "no-gain")}),
        *two_at_once("{}, and {}", _LOGITS, _SOFTMAX, _read_out),
        Mistake(
            "gain-first-divided",
            lambda W, g, W_out, u: W_out @ _centred(W[:, u] / g),
            "Two things are wrong: the norm first centres and then multiplies by the gain, while your code first divides by it.",
            two=True,
        ),
    ),
    hints=(
        "Follow what the unit writes: its column of the matrix goes into the stream, then through the last norm, and then to the read-out.",
        "W_down is (d_model, d_ff), as nn.Linear stores it, so a unit owns a column, v of shape (d_model,); gain is (d_model,), W_out is (characters, d_model).",
        "Start with: v = W_down[:, unit], and subtract its mean.",
    ),
    right="This is the direct path from the unit to the logits. What later blocks do with the unit's output is not included.",
)

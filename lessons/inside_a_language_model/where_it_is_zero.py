"""Exercise: does a unit change a prediction where it is 0?"""

import numpy as np

from whywrong.task import Case, Exercise, HalfRight, Mistake, Returns, two_at_once


def _cases(rng):
    """Draw a last FFN, and an earlier one, after which characters are mixed again; `_telling` says which draws are kept."""
    while True:
        cases = [_case(rng, 9, 5, 7, 3, _norm_and_read_out), _case(rng, 8, 6, 5, 3, _mixing_and_read_out)]
        cases.append(_case(rng, 8, 6, 5, 3, _passed_on_and_read_out))
        if _telling(cases):
            return cases


def _case(rng, n, d_model, d_ff, characters, after):
    h = np.maximum(rng.normal(size=(n, d_ff)), 0) + 0.3 * (rng.random((n, d_ff)) < 0.2)
    unit = int(rng.integers(1, min(d_model, d_ff)))
    h[:, unit] = rng.uniform(0.3, 2, size=n) * (rng.permutation(n) < n // 2)
    h[0, unit], h[-1, unit] = 0.8, 0
    if after is _passed_on_and_read_out:
        h[:, unit] = np.tile([1.0, 0], n // 2) * rng.uniform(0.5, 1, size=n)
    W_down, W_out = rng.normal(size=(d_model, d_ff)) + 0.4, rng.normal(size=(characters, d_model))
    stream = rng.normal(size=(n, d_model)) + h @ W_down.T
    gain = rng.uniform(0.5, 1.5, size=d_model)
    sizes = {"n": n, "d_model": d_model, "d_ff": d_ff, "characters": characters}
    return Case((h, W_down, stream, lambda stream: after(stream, gain, W_out), unit), sizes)


def _norm_and_read_out(stream, gain, W_out):
    """What follows the last FFN: every character alone."""
    centred = stream - stream.mean(axis=1, keepdims=True)
    return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * gain @ W_out.T


def _mixing_and_read_out(stream, gain, W_out):
    """What follows an earlier FFN, in short: each character gets the mean of all up to it."""
    means = stream.cumsum(axis=0) / np.arange(1, len(stream) + 1)[:, None]
    return _norm_and_read_out(stream + means, gain, W_out)


def _passed_on_and_read_out(stream, gain, W_out):
    """Each character gets three times what the one before it holds: what falls silent shows most one place later."""
    before = np.concatenate([0 * stream[:1], stream[:-1]])
    return (stream + 3 * before) * gain @ W_out.T


def _telling(cases):
    """Tell whether the largest change where the unit is active is a fall in one case, and a rise in the other."""
    signs = []
    for h, W_down, stream, predict, unit in (case.args for case in cases):
        change = predict(stream) - predict(stream - np.outer(h[:, unit], W_down[:, unit]))
        change = change[h[:, unit] > 0]
        if abs(change.max() + change.min()) < 0.05:
            return False
        signs.append(change.max() > -change.min())
    return signs[0] != signs[1]


def _place_by_place(h, W_down, stream, predict, unit):
    """Let the unit fall silent, one number after the other."""
    other = stream.copy()
    for place in range(len(h)):
        for feature in range(len(W_down)):
            other[place, feature] -= h[place, unit] * W_down[feature, unit]
    one, two = predict(stream), predict(other)
    found = {True: 0.0, False: 0.0}
    for place in range(len(h)):
        for character in range(one.shape[1]):
            silent = bool(h[place, unit] == 0)
            found[silent] = max(found[silent], abs(one[place, character] - two[place, character]))
    return found[True], found[False]


def _change(h, W_down, stream, predict, unit):
    """Return how each logit changes when the unit falls silent."""
    return predict(stream - np.outer(h[:, unit], W_down[:, unit])) - predict(stream)


def _each_place_alone(h, W_down, stream, predict, unit):
    """Return how the logits change when predict gets one place at a time."""
    return np.concatenate([_change(h[[n]], W_down, stream[[n]], predict, unit) for n in range(len(h))])


def _chosen_places_alone(h, W_down, stream, predict, unit):
    """Predict the places where the unit is 0, and then the others."""
    silent = h[:, unit] == 0
    return tuple(np.abs(_change(h[one], W_down, stream[one], predict, unit)).max() for one in (silent, ~silent))


def _answer(change=_change, gather=lambda change: np.abs(change).max(axis=1), pick=None):
    """Return an answer that goes wrong in one step."""

    def where_it_is_zero(h, W_down, stream, predict, unit):
        per_place = gather(change(h, W_down, stream, predict, unit))
        silent = h[:, unit] == 0
        if pick is not None:
            return pick(per_place, silent)
        return per_place[silent].max(), per_place[~silent].max()

    return where_it_is_zero


def _sizes(change):
    return np.abs(change).max(axis=1)


# What can be wrong in what is compared, (change, how it is gathered, which is wanted), and in what is returned.
_COMPARED = {
    "written-twice": (
        (lambda h, W, s, predict, u: predict(s + np.outer(h[:, u], W[:, u])) - predict(s), _sizes, np.max),
        "what the unit writes is added once more",
    ),
    "without-its-value": (
        (lambda h, W, s, predict, u: predict(s - W[:, u]) - predict(s), _sizes, np.max),
        "the column is not multiplied by its hidden value",
    ),
    "next-unit": (
        (lambda h, W, s, predict, u: _change(h, W, s, predict, u - 1), _sizes, np.max),
        "it is the unit before, for units count from 0",
    ),
    "signed": ((_change, lambda change: change.max(axis=1), np.max), "you leave out falls of a logit"),
    "mean": (
        (_change, lambda change: np.abs(change).mean(axis=1), np.mean),
        "you take means instead of the largest changes",
    ),
}
_RETURNED = {
    "turned-round": (lambda found, silent, most: (most(found[~silent]), most(found[silent])), "the two are swapped"),
    "of-all": (lambda found, silent, most: (most(found[silent]), most(found)), "the second number takes all places"),
    "all-places": (
        lambda found, silent, most: (most(found), most(found[~silent])),
        "the first number takes all places",
    ),
    "by-decree": (
        lambda found, silent, most: (0.0, most(found[~silent])),
        "the first number is a fixed 0 and not measured",
    ),
}


def _both(compared, returned):
    change, gather, most = compared
    return _answer(change, gather, lambda found, silent: returned(found, silent, most))


EXERCISE = Exercise(
    id="inside_a_language_model.where_it_is_zero",
    kind="function",
    cases=_cases,
    oracle=_place_by_place,
    returns=(Returns("the largest change where the unit is 0"), Returns("the largest change elsewhere")),
    mistakes=(
        Mistake(
            "by-decree",
            _answer(pick=lambda found, silent: (0.0, found[~silent].max())),
            "Your first number is a fixed 0. Measure it: the check also tries a case in which attention follows the FFN, and there it is not 0.",
        ),
        HalfRight(
            "turned-round",
            _answer(pick=lambda found, silent: (found[~silent].max(), found[silent].max())),
            "Both numbers are right but in the wrong order: the places where the unit is 0 come first.",
        ),
        Mistake(
            "all-places",
            _answer(pick=lambda found, silent: (found.max(), found[~silent].max())),
            "Your first number takes all places. Keep only those where the unit is 0.",
        ),
        Mistake(
            "signed",
            _answer(gather=lambda change: change.max(axis=1)),
            "A fall of a logit is a change too. Take the absolute value before you look for the largest.",
        ),
        Mistake(
            "signed-the-other-way",
            _answer(gather=lambda change: -change.min(axis=1)),
            "A rise and a fall both count as changes. Take the absolute value before you look for the largest.",
        ),
        Mistake(
            "of-all-places",
            _answer(pick=lambda found, silent: (found[silent].max(), found.max())),
            "Your second number is the largest change over all places. Take it only where the unit is not 0.",
        ),
        Mistake(
            "mean-of-characters",
            _answer(gather=lambda change: np.abs(change).mean(axis=1)),
            "You took the mean over the characters. Take the largest change, because a mean can hide one.",
        ),
        Mistake(
            "mean-of-places",
            _answer(pick=lambda found, silent: (found[silent].mean(), found[~silent].mean())),
            "You took the mean over the places. Take the largest change, because a mean can hide one.",
        ),
        Mistake(
            "sum",
            _answer(
                gather=lambda change: np.abs(change).sum(axis=1),
                pick=lambda found, silent: (found[silent].sum(), found[~silent].sum()),
            ),
            "You added up all changes. Take the largest single one.",
        ),
        Mistake(
            "squared",
            _answer(gather=lambda change: (change**2).max(axis=1)),
            "You squared the changes. Return the largest absolute change as it is.",
        ),
        Mistake(
            "written-twice",
            _answer(lambda h, W, s, predict, u: predict(s + np.outer(h[:, u], W[:, u])) - predict(s)),
            "You added what the unit writes once more. The stream contains it already, so subtract it.",
        ),
        Mistake(
            "without-its-value",
            _answer(lambda h, W, s, predict, u: predict(s - W[:, u]) - predict(s)),
            "You subtracted the whole column at every place. The unit writes its column times its hidden value there.",
        ),
        Mistake(
            "all-units",
            _answer(lambda h, W, s, predict, u: predict(s - h @ W.T) - predict(s)),
            "You subtracted what all units write. Silence only this one.",
        ),
        Mistake(
            "all-others",
            _answer(lambda h, W, s, predict, u: predict(s - np.delete(h, u, 1) @ np.delete(W, u, 1).T) - predict(s)),
            "You subtracted what all the other units write. Silence this one and keep the others.",
        ),
        Mistake(
            "stream-rebuilt",
            _answer(lambda h, W, s, predict, u: predict(np.delete(h, u, 1) @ np.delete(W, u, 1).T) - predict(s)),
            "You rebuilt the stream from the other units, but it also contains what came before this FFN. Subtract what the unit wrote from `stream`.",
        ),
        Mistake(
            "feature",
            _answer(lambda h, W, s, predict, u: predict(s * (np.arange(s.shape[1]) != u)) - predict(s)),
            "You set a feature of the stream to 0. A unit is not a feature of the stream: it writes its column into all of them.",
        ),
        Mistake(
            "alone",
            _answer(lambda h, W, s, predict, u: predict(np.outer(h[:, u], W[:, u]))),
            "You predict from what the unit writes alone. Predict from the stream with it and without it, and compare.",
        ),
        Mistake(
            "place-by-place",
            _answer(_each_place_alone),
            "You pass predict one place at a time, so where attention follows the FFN no place can read another. Pass the whole stream.",
        ),
        Mistake(
            "chosen-places-alone",
            _chosen_places_alone,
            "You pass predict the chosen places alone, so where attention follows the FFN they cannot read the others. Pass the whole stream, and choose afterwards.",
        ),
        Mistake(
            "absolute-first",
            _answer(
                lambda h, W, s, predict, u: np.abs(predict(s)) - np.abs(predict(s - np.outer(h[:, u], W[:, u]))),
                gather=lambda change: change.max(axis=1),
            ),
            "You compare the absolute values of the logits. Subtract first, and then take the absolute value of the difference.",
        ),
        Mistake(
            "next-unit",
            _answer(lambda h, W, s, predict, u: _change(h, W, s, predict, u - 1)),
            "You silenced the unit before this one: units are counted from 0, as columns are.",
        ),
        Mistake(
            "stream",
            _answer(lambda h, W, s, predict, u: np.outer(h[:, u], W[:, u])),
            "You compared the streams. Pass both to predict, and compare the logits.",
        ),
        *two_at_once("{}, and {}", _COMPARED, _RETURNED, _both),
        Mistake(
            "mean-of-all",
            _both(_COMPARED["mean"][0], lambda found, silent, most: (most(found[silent]), most(found[~silent]))),
            "You took means. Take the largest change, because a mean can hide one.",
        ),
    ),
    hints=(
        "Silence the unit: subtract from the stream what it wrote. Predict with it and without it, and compare.",
        "At each place the unit writes its hidden value, h[:, unit] of shape (n,), times its column, (d_model,): together (n, d_model).",
        "Start with: without = stream - h[:, [unit]] * W_down[:, unit].",
    ),
    right="After the last FFN the first number is exactly 0 for any weights, because 0 times a column is 0 and what follows sees each place alone. Where attention follows the FFN, it is not 0.",
)

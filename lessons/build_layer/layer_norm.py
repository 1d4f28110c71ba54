"""Exercise: a layer norm with a gain and a shift."""

from course_lib.model.one_thread import nn, torch
from lessons.build_layer.shared import random_tensors
from whywrong.task import Case, Exercise, Mistake, Returns

EPS = 1e-5


def _cases(rng):
    cases = []
    for shape in ((4, 7), (2, 3, 5), (6,)):
        sizes = dict(zip(("d_model", "seq_len", "batch"), reversed(shape), strict=False))
        x, gain, shift = random_tensors(rng, shape, shape[-1:], shape[-1:])
        small = torch.from_numpy(rng.uniform(0.005, 0.02, size=(*shape[:-1], 1)))  # so that eps counts
        cases.append(Case((small * x + 0.3, 1 + 0.5 * gain, shift), sizes))
    return cases


def _norm(x, gain, shift, *, eps=EPS, axis=-1, unbiased=False, outside=False, centre=True, root=True):
    """Normalise with one thing changed."""
    mean = x.mean(axis, keepdim=True)
    variance = x.var(axis, correction=int(unbiased), keepdim=True)
    if not centre:
        variance = (x**2).mean(axis, keepdim=True)
    size = variance.sqrt() + eps if outside else (variance + eps).sqrt() if root else variance + eps
    return gain * (x - mean * centre) / size + shift


def _with(**changes):
    return lambda x, gain, shift: _norm(x, gain, shift, **changes)


def _over_positions(x, gain, shift):
    return _norm(x, gain, shift, axis=-2 if x.ndim > 1 else -1)


def _over_all(x, gain, shift):
    return _norm(x, gain, shift, axis=tuple(range(x.ndim)))


EXERCISE = Exercise(
    id="build_layer.layer_norm",
    kind="function",
    cases=_cases,
    oracle=lambda x, gain, shift: nn.functional.layer_norm(x, x.shape[-1:], gain, shift, EPS),
    returns=(Returns("the output", ("...", "d_model")),),
    mistakes=(
        Mistake(
            "unbiased",
            _with(unbiased=True),
            "The variance is divided by d_model − 1, as `var` and `std` do by default: a layer norm divides by d_model.",
        ),
        Mistake(
            "eps-outside",
            _with(outside=True),
            "eps is added to the standard deviation, after the root: it belongs to the variance, under the root.",
        ),
        Mistake(
            "eps-outside-unbiased",
            _with(outside=True, unbiased=True),
            "Two things are wrong: eps is added after the root, and the variance is divided by d_model − 1.",
            two=True,
        ),
        Mistake(
            "no-eps-unbiased",
            _with(eps=0.0, unbiased=True),
            "Two things are wrong: eps is missing under the root, and `std` or `var` divides by d_model − 1.",
            two=True,
        ),
        Mistake(
            "eps-large",
            _with(eps=1e5),
            "eps is 100,000, so next to nothing is left of the token: 1e-5 is 0.00001.",
        ),
        Mistake(
            "eps-beside-gain",
            lambda x, gain, shift: _norm(x, 1, EPS * gain + shift, eps=0.0),
            "eps is added after the division, and even multiplied by the gain: brackets must keep it under the root.",
        ),
        Mistake(
            "variance-of-x",
            lambda x, gain, shift: (
                gain * (x - x.mean(-1, keepdim=True)) / ((x**2).mean(-1, keepdim=True) + EPS).sqrt() + shift
            ),
            "The tokens are divided by the root of the mean of x²; the variance is the mean of the squared distances from "
            "the mean.",
        ),
        Mistake(
            "over-positions",
            _over_positions,
            "Mean and variance are taken over the positions: every token is normalised on its own, over its features.",
        ),
        Mistake(
            "over-all",
            _over_all,
            "Mean and variance are taken over all numbers of x: every token is normalised on its own.",
        ),
        Mistake("no-eps", _with(eps=0.0), "eps is missing: it is added to the variance, under the root."),
        Mistake("eps-small", _with(eps=1e-6), "eps is 1e-6; torch's layer norm takes 1e-5."),
        Mistake("eps-smaller", _with(eps=1e-8), "eps is 1e-8; torch's layer norm takes 1e-5."),
        Mistake(
            "mean-left",
            lambda x, gain, shift: (
                _norm(x, gain, shift)
                + gain * x.mean(-1, keepdim=True) / (x.var(-1, correction=0, keepdim=True) + EPS).sqrt()
            ),
            "The variance is right, but the mean is not subtracted from x before the division: divide x − mean.",
        ),
        Mistake(
            "not-centred",
            _with(centre=False),
            "The mean is never subtracted: this is an RMS norm, not a layer norm.",
        ),
        Mistake(
            "variance",
            _with(root=False),
            "The tokens are divided by their variance; divide by its square root.",
        ),
        Mistake(
            "no-shift",
            lambda x, gain, shift: _norm(x, gain, 0 * shift),
            "The shift is missing: it is added at the end.",
        ),
        Mistake(
            "no-gain", lambda x, gain, shift: _norm(x, 1, shift), "The gain is missing: it multiplies each feature."
        ),
        Mistake(
            "neither",
            lambda x, gain, shift: _norm(x, 1, 0 * shift),
            "The tokens are normalised, but the gain and the shift are never used.",
        ),
        Mistake("swapped", lambda x, gain, shift: _norm(x, shift, gain), "Gain and shift have changed places."),
        Mistake(
            "shift-first",
            lambda x, gain, shift: _norm(x, gain, 0 * shift) + gain * shift,
            "The gain multiplies the shift, too: add the shift last.",
        ),
        Mistake(
            "gain-plus-one",
            lambda x, gain, shift: _norm(x, 1 + gain, shift),
            "The tokens are multiplied by 1 + gain; multiply by the gain alone.",
        ),
    ),
    hints=(
        "Subtract the mean of each token, divide by its spread, then multiply by the gain and add the shift.",
        "mean and variance have shape (..., 1), which keepdim=True gives, so that they fit beside x of shape (..., d_model).",
        "Start with: centred = x - x.mean(-1, keepdim=True), then variance = (centred**2).mean(-1, keepdim=True).",
    ),
    right="Mean 0 and variance almost 1, whatever came in; the gain and the shift decide what goes out.",
)

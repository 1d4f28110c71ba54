"""Exercise: causal attention for one head, in torch."""

import math

from course_lib.model.one_thread import torch
from lessons.build_layer.shared import attend, head_by_head, kept, masked_after, random_tensors, scores_of
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns, two_at_once


def _cases(rng):
    cases = []
    for shape in ((7, 4), (2, 5, 3), (3, 2)):
        sizes = dict(zip(("head_dim", "seq_len", "batch"), reversed(shape), strict=False))
        q, k, v = random_tensors(rng, shape, shape, shape)
        cases.append(Case((1.5 * q, 1.5 * k, v), sizes))
    return cases


def _with(**changes):
    """Make attention with some things changed."""
    return lambda q, k, v: attend(q, k, v, **changes)


def _divided(by):
    """Make attention whose scores are divided by a number of its sizes: by(q)."""
    return lambda q, k, v: attend(q, k, v, scale=by(q))


def _without_softmax(q, k, v):
    return scores_of(q, k) * kept(scores_of(q, k)) @ v


def _without_sum(q, k, v):
    return scores_of(q, k).exp() * kept(scores_of(q, k)) @ v


def _transposed_weights(q, k, v):
    return scores_of(q, k).masked_fill(~kept(scores_of(q, k)), -math.inf).softmax(-1).mT @ v


def _value_by_value(q, k, v):
    return (q * k / math.sqrt(q.shape[-1])).softmax(-1) * v


def _mask_turned_to_zero(q, k, v):
    """Let every token see only later ones; where none is left, torch's own attention gives 0."""
    return attend(q, k, v, keep="triu", shift=1).nan_to_num(0.0)


def _weights_at_minus_infinity(q, k, v):
    weights = scores_of(q, k).softmax(-1)
    return weights.masked_fill(~kept(weights), -math.inf) @ v


def _run(answer, case):
    """Call the answer, and say which infinity has spoiled an output that is right wherever it is finite."""
    found = answer(*case.args)
    if not torch.is_tensor(found) or found.isfinite().all():
        return found
    known = {
        "The mask comes after the softmax, so −∞ stands among the weights: mask the scores, and the softmax makes weights of 0.": _weights_at_minus_infinity,
        "Hidden scores become +∞, which makes NaN of their rows: a score is hidden by −∞.": _with(hide=math.inf),
    }  # fmt: skip
    for says, wrong in known.items():
        spoilt = wrong(*case.args)
        if found.shape == spoilt.shape and torch.allclose(found, spoilt, equal_nan=True):
            raise Fault(Key.NAN, says)
    return found


def _scaled_late(q, k, v):
    return attend(q, k, v, scale=1.0) / math.sqrt(q.shape[-1])


_MASKS = {
    "no-mask": (
        {"keep": "all"},
        "tokens see the tokens after them",
        "Tokens see the tokens after them: nothing hides those scores.",
    ),
    "mask-transposed": (
        {"keep": "triu"},
        "the mask is transposed",
        "The mask is transposed: every token sees itself and what comes after it, and should see what comes before.",
    ),
    "mask-with-zero": (
        {"hide": 0.0},
        "hidden scores become 0 instead of −∞",
        "Hidden scores become 0, and the softmax makes a weight of e⁰ = 1 of each: a score is hidden by −∞.",
    ),
}
_SCALES = {
    "no-scale": (lambda q: 1.0, "the division by √head_dim is missing", "The scores are not divided by √head_dim."),
    "scale-without-root": (
        lambda q: q.shape[-1],
        "the scores are divided by head_dim and not by its root",
        "The scores are divided by head_dim; divide by its square root.",
    ),
    "scale-by-seq-len": (
        lambda q: math.sqrt(q.shape[-2]),
        "the scores are divided by √seq_len and not by √head_dim",
        "The scores are divided by √seq_len: what counts is how many products each score adds up, head_dim.",
    ),
}

EXERCISE = Exercise(
    id="build_layer.one_head",
    kind="function",
    cases=_cases,
    oracle=head_by_head,
    run=_run,
    returns=(Returns("the output", ("...", "seq_len", "head_dim")),),
    mistakes=(
        Mistake(
            "mask-strict",
            _with(shift=-1),
            "The mask hides the diagonal as well, so no token sees itself, and the first one has nothing left to look at.",
        ),
        Mistake(
            "mask-strict-finite",
            _with(shift=-1, hide=-1e9),
            "The mask hides the diagonal as well: no token sees itself, and the first one, with all its scores equally "
            "low, looks at all tokens.",
        ),
        Mistake(
            "mask-loose",
            _with(shift=1),
            "The mask begins one place too late: every token also sees the one right after it.",
        ),
        Mistake(
            "mask-turned",
            _with(keep="triu", shift=1),
            "The mask hides what should stay: tokens see only those after them, and the last one sees nothing.",
        ),
        Mistake(
            "mask-turned-finite",
            _with(keep="triu", shift=1, hide=-1e9),
            "The mask hides what should stay: tokens see only those after them; for the last one all scores are equally low.",
        ),
        Mistake(
            "mask-turned-to-zero",
            _mask_turned_to_zero,
            "The mask hides what should stay: tokens see only those after them, and the last one gets 0. In a Boolean `attn_mask` of scaled_dot_product_attention, True means that a token may be seen.",
        ),
        Mistake(
            "mask-sign",
            _with(hide=1e9),
            "The large number has the wrong sign: later tokens get the highest scores where they should get the lowest.",
        ),
        Mistake(
            "all-nan",
            lambda q, k, v: v * math.nan,
            "Every value is NaN. In attention that happens where 0 is multiplied by −∞, as in a mask times −∞, or where "
            "whole rows are hidden.",
        ),
        Mistake(
            "mask-times-scores-transposed",
            _with(keep="triu", hide=0.0),
            "Two things are wrong: hidden scores become 0 instead of −∞, and the mask is transposed.",
            two=True,
        ),
        Mistake(
            "mask-after-softmax",
            masked_after,
            "The mask comes after the softmax, so the weights that are left no longer add up to 1: mask the scores.",
        ),
        Mistake(
            "scale-times",
            _divided(lambda q: 1 / math.sqrt(q.shape[-1])),
            "The scores are multiplied by √head_dim; they should be divided by it.",
        ),
        Mistake(
            "scale-after-softmax",
            _scaled_late,
            "The weights are divided by √head_dim, after the softmax, and no longer add up to 1: divide the scores.",
        ),
        Mistake(
            "value-by-value",
            _value_by_value,
            "q and k are multiplied feature by feature, so no token meets another: scores are the matrix product q kᵀ.",
        ),
        Mistake(
            "softmax-over-queries",
            _with(axis=-2),
            "The softmax runs over the queries: the weights of each row, over the keys, should add up to 1.",
        ),
        Mistake(
            "keys-ask",
            _with(flip=True),
            "The scores are k qᵀ, so keys and queries have changed places: row i must hold the scores of query i.",
        ),
        Mistake(
            "no-softmax",
            _without_softmax,
            "There is no softmax: the scores themselves weigh the values, and they may be negative.",
        ),
        Mistake(
            "no-sum",
            _without_sum,
            "The exponentials are never divided by their sum, so the weights of a row do not add up to 1.",
        ),
        Mistake(
            "weights-transposed",
            _transposed_weights,
            "The weights are transposed before they meet the values: row i of the output needs row i of the weights.",
        ),
        Mistake("mixes-keys", lambda q, k, v: attend(q, k, k), "The weights mix the keys; they should mix the values."),
        Mistake(
            "mixes-queries", lambda q, k, v: attend(q, k, q), "The weights mix the queries; they should mix the values."
        ),
        Mistake(
            "keys-twice", lambda q, k, v: attend(k, k, v), "The keys are compared with themselves: q is never used."
        ),
        Mistake(
            "queries-twice",
            lambda q, k, v: attend(q, q, v),
            "The queries are compared with themselves: k is never used.",
        ),
        *two_at_once(
            "{}, and {}",
            _MASKS,
            _SCALES,
            lambda mask, by: lambda q, k, v: attend(q, k, v, scale=by(q), **mask),
            right=({}, lambda q: math.sqrt(q.shape[-1])),
        ),
    ),
    hints=(
        "Three steps: scores from queries and keys, the mask and the softmax, then a weighted mean of the values.",
        "The scores have shape (..., seq_len, seq_len): row i belongs to query i, column j to key j. k.mT swaps the last two axes.",
        "Start with: scores = q @ k.mT / …, then later = ….triu(1), which says what to hide, and weights = ….softmax(dim=-1).",
    ),
    right="Every token asks, and only the tokens up to itself may answer.",
)

"""Exercise: compute the FFN's share of an encoder layer."""

import numpy as np

from lessons.parameter_share.shared import numbers_in
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    d_model, d_ff = (int(size) for size in rng.choice(np.arange(8, 40), size=2, replace=False))
    return [Case(args) for args in ((2, 5), (3, 7), (7, 2), (5, 31), (d_model, d_ff))]


def _oracle(d_model, d_ff):
    ffn = numbers_in((d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,))
    attention = numbers_in(*[(d_model, d_model), (d_model,)] * 4)
    norms = numbers_in(*[(d_model,), (d_model,)] * 2)
    return ffn / (ffn + attention + norms)


def _counts(d, f):
    """Return the parameters of FFN, attention and both norms."""
    return 2 * d * f + f + d, 4 * d * d + 4 * d, 4 * d


def _with_ffn(count):
    """Make a wrong answer from a wrong count of the FFN."""

    def share(d_model, d_ff):
        ffn = count(d_model, d_ff)
        return ffn / (ffn + sum(_counts(d_model, d_ff)[1:]))

    return share


def _of_counts(formula):
    """Make a wrong answer from a formula in the three right counts."""
    return lambda d_model, d_ff: formula(*_counts(d_model, d_ff))


# What can be wrong in the count of the FFN and in that of the rest at once.
_FFN = {
    "no-ffn-biases": (lambda d, f: 2 * d * f, "the FFN's biases are missing", "The biases of the FFN are missing."),
    "one-ffn-matrix": (
        lambda d, f: d * f + f + d,
        "one of the FFN's two matrices is missing",
        "One of the FFN's two matrices is missing.",
    ),
    "gated": (
        lambda d, f: 3 * d * f + 2 * f + d,
        "the FFN has a third matrix",
        "That is a layer with a gated FFN of three matrices; this one has two.",
    ),
    "both-biases-wide": (
        lambda d, f: 2 * d * f + 2 * f,
        "both biases of the FFN have d_ff numbers",
        "Both biases of the FFN are counted with d_ff numbers: the second layer has d_model outputs, and as many biases.",
    ),
    "both-biases-narrow": (
        lambda d, f: 2 * d * f + 2 * d,
        "both biases of the FFN have d_model numbers",
        "Both biases of the FFN are counted with d_model numbers: the first layer has d_ff outputs, and as many biases.",
    ),
}
_REST = {
    "half-the-norms": (
        lambda d: 4 * d * d + 6 * d,
        "half of the norms' numbers are missing",
        "Half of the norms' parameters are missing: there are two norms, and each has a gain and a shift.",
    ),
    "no-norms": (
        lambda d: 4 * d * d + 4 * d,
        "the norms, or attention's biases, are missing",
        "Some 4 · d_model numbers are missing from the whole layer: are both layer norms counted, and attention's biases?",
    ),
    "three-projections": (
        lambda d: 3 * d * d + 7 * d,
        "one of attention's projections is missing",
        "One of attention's projections is missing.",
    ),
    "matrices-only": (lambda d: 4 * d * d, "the norms and attention's biases are missing"),
}

_SAME_AS_ANOTHER = {
    ("no-ffn-biases", "no-norms"),
    ("no-ffn-biases", "matrices-only"),
    ("both-biases-wide", "no-norms"),  # a factor d_model + 1 falls out of the fraction: f / (f + 2 d) is left
}


def _both(ffn, rest):
    return lambda d, f: ffn(d, f) / (ffn(d, f) + rest(d))


EXERCISE = Exercise(
    id="parameter_share.layer_share",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the share"),),
    mistakes=(
        Mistake(
            "percent",
            _of_counts(lambda ffn, attention, norms: 100 * ffn / (ffn + attention + norms)),
            "Return a number between 0 and 1, not per cent.",
        ),
        Mistake(
            "ratio",
            _of_counts(lambda ffn, attention, norms: ffn / attention),
            "You divided by attention's parameters; a share is a part of the whole.",
        ),
        Mistake(
            "ratio-to-the-rest",
            _of_counts(lambda ffn, attention, norms: ffn / (attention + norms)),
            "You divided by what is left without the FFN; a share is a part of the whole.",
        ),
        Mistake(
            "attention",
            _of_counts(lambda ffn, attention, norms: attention / (ffn + attention + norms)),
            "That is attention's share.",
        ),
        Mistake(
            "all-but-the-ffn",
            _of_counts(lambda ffn, attention, norms: (attention + norms) / (ffn + attention + norms)),
            "That is the share of everything but the FFN.",
        ),
        Mistake(
            "upside-down",
            _of_counts(lambda ffn, attention, norms: (ffn + attention + norms) / ffn),
            "The fraction is upside down: a share cannot be above 1.",
        ),
        Mistake(
            "count",
            _of_counts(lambda ffn, attention, norms: ffn),
            "That is the count of the FFN's parameters: divide it by the count of the whole layer.",
        ),
        Mistake("two-thirds", lambda d, f: 2 / 3, "Two thirds is right for one ratio of d_ff to d_model only."),
        Mistake(
            "always-four",
            lambda d, f: _oracle(d, 4 * d),
            "d_ff is an argument: it is not always four times d_model.",
        ),
        Mistake(
            "matrices-only",
            lambda d, f: 2 * d * f / (2 * d * f + 4 * d * d),
            "You counted only the matrices: biases and layer norms belong to the layer too.",
        ),
        Mistake(
            "no-biases",
            lambda d, f: 2 * d * f / (2 * d * f + 4 * d * d + 4 * d),
            "The biases of the FFN are missing, and so are those of attention, or the norms: each of the two comes to 4 · d_model.",
        ),
        Mistake(
            "attention-matrices-only",
            lambda d, f: (2 * d * f + f + d) / (2 * d * f + f + d + 4 * d * d),
            "The FFN is right; of the rest of the layer only attention's matrices are counted: its biases and both norms are missing.",
            says_right=True,
        ),
        Mistake(
            "brackets",
            _of_counts(lambda ffn, attention, norms: 1 + attention + norms),
            "Brackets are missing: Python computes ffn / ffn before it adds. Put the whole layer into brackets.",
        ),
        Mistake(
            "norm-one-number",
            _of_counts(lambda ffn, attention, norms: ffn / (ffn + attention + 4)),
            "You counted 4 numbers where there are 4 · d_model: attention's four biases are vectors with d_model numbers each, and so are the two gains and two shifts of the norms.",
        ),
        Mistake(
            "d_ff-twice",
            _with_ffn(lambda d, f: 2 * d * f + 2 * f + d),
            "The hidden bias of the FFN is counted twice: the FFN has two bias vectors, one with d_ff numbers and one with d_model.",
        ),
        Mistake(
            "first-ffn-bias-only",
            _with_ffn(lambda d, f: 2 * d * f + f),
            "The bias of the FFN's second layer is missing: how many outputs does that layer have?",
        ),
        Mistake(
            "second-ffn-bias-only",
            _with_ffn(lambda d, f: 2 * d * f + d),
            "The bias of the FFN's first layer is missing: how many outputs does that layer have?",
        ),
        Mistake(
            "bias-per-weight",
            _with_ffn(lambda d, f: 4 * d * f),
            "The FFN has one bias for each output of a layer, and not one for each weight.",
        ),
        Mistake(
            "one-number-biases",
            _with_ffn(lambda d, f: 2 * d * f + 2),
            "A bias of the FFN is a vector: it has one number for each output of its layer.",
        ),
        Mistake(
            "no-attention",
            _of_counts(lambda ffn, attention, norms: ffn / (ffn + norms)),
            "Attention is missing from the whole layer.",
        ),
        Mistake(
            "one-attention-bias",
            lambda d, f: _counts(d, f)[0] / (_counts(d, f)[0] + 4 * d * d + d + 4 * d),
            "You counted one vector where there are four: each of attention's four projections has a bias vector, and the two norms have two gains and two shifts.",
        ),
        Mistake(
            "decoder",
            _of_counts(lambda ffn, attention, norms: ffn / (ffn + 2 * attention + 1.5 * norms)),
            "That is a decoder layer, with two attentions and three norms; an encoder layer has one attention and two norms.",
        ),
        *two_at_once(
            "{}, and {}",
            _FFN,
            _REST,
            _both,
            _SAME_AS_ANOTHER,
            right=(lambda d, f: 2 * d * f + f + d, lambda d: 4 * d * d + 8 * d),
        ),
        Mistake(
            "attention-biases-and-half-the-norms",
            lambda d, f: _counts(d, f)[0] / (_counts(d, f)[0] + 4 * d * d + 2 * d),
            "Two things are missing: attention's biases, and half of the norms, of which there are two with a gain and a shift each.",
            two=True,
        ),
    ),
    hints=(
        "Count the three parts, add them up, and divide the FFN's count by the sum.",
        "A layer has one bias for each of its outputs. Attention has four layers from d_model to d_model. A norm has a gain and a shift, each (d_model,).",
        "Start with: ffn = … + d_ff + d_model and attention = … + 4 * d_model. Put the whole sum below the fraction into brackets.",
    ),
    right="You counted every part, down to the last bias.",
    may_use=("count_parameters",),
)

"""Exercise: count the parameters of an FFN."""

import numpy as np

from lessons.parameter_share.shared import numbers_in
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    d_model, d_ff = (int(size) for size in rng.choice(np.arange(8, 40), size=2, replace=False))
    sizes = (2, 5, True), (7, 3, False), (5, 7, True), (3, 8, False), (d_model, d_ff, True), (d_model, d_ff, False)
    return [Case(args) for args in sizes]


def _oracle(d_model, d_ff, bias):
    return numbers_in((d_model, d_ff), (d_ff, d_model)) + (numbers_in((d_ff,), (d_model,)) if bias else 0)


# What can be wrong in the matrices and in the biases at once.
_MATRICES = {
    "one-matrix": (
        lambda d, f: d * f,
        "one matrix is missing",
        "One matrix is missing: the FFN goes up to d_ff and comes back down.",
    ),
    "three": (lambda d, f: 3 * d * f, "there is a matrix too many"),
    "squares": (
        lambda d, f: d * d + f * f,
        "the matrices are taken for squares",
        "Your matrices are square, d_model × d_model and d_ff × d_ff: each layer leads from one width to the other.",
    ),
}
_BIASES = {
    "both-wide": (lambda d, f, bias: bias * 2 * f, "both biases have d_ff numbers"),
    "both-narrow": (lambda d, f, bias: bias * 2 * d, "both biases have d_model numbers"),
    "no-hidden-bias": (lambda d, f, bias: bias * d, "the bias with d_ff numbers is missing"),
    "no-output-bias": (lambda d, f, bias: bias * f, "the bias with d_model numbers is missing"),
    "single-numbers": (lambda d, f, bias: bias * 2, "a bias is taken for a single number"),
    "subtracted": (lambda d, f, bias: -bias * (f + d), "the biases are taken away"),
    "always": (lambda d, f, bias: f + d, "biases are counted even when bias is False"),
    "none": (lambda d, f, bias: 0, "the biases are missing"),
}


def _both(matrices, biases):
    return lambda d, f, bias: matrices(d, f) + biases(d, f, bias)


EXERCISE = Exercise(
    id="parameter_share.ffn",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the count"),),
    mistakes=(
        Mistake(
            "first-layer-only",
            lambda d, f, bias: d * f + (f if bias else 0),
            "You counted the first layer alone, which leads up to d_ff: a second one leads back, with its own bias.",
        ),
        Mistake(
            "second-layer-only",
            lambda d, f, bias: d * f + (d if bias else 0),
            "You counted the second layer alone, which leads back to d_model: the first one leads up, with its own bias.",
        ),
        Mistake(
            "always-bias",
            lambda d, f, bias: 2 * d * f + f + d,
            "Right with biases; with bias=False there must be none.",
        ),
        Mistake(
            "no-bias",
            lambda d, f, bias: 2 * d * f,
            "The weights are right; with bias=True each output of each layer has one more number.",
        ),
        Mistake(
            "bias-flipped",
            lambda d, f, bias: 2 * d * f + (not bias) * (f + d),
            "The biases are counted when bias is False, and left out when it is True.",
        ),
        Mistake(
            "first-bias-only",
            lambda d, f, bias: 2 * d * f + bias * f,
            "The bias of the second layer is missing: how many outputs has it?",
        ),
        Mistake(
            "second-bias-only",
            lambda d, f, bias: 2 * d * f + bias * d,
            "The bias of the first layer is missing: how many outputs has it?",
        ),
        Mistake(
            "both-biases-wide",
            lambda d, f, bias: 2 * d * f + bias * 2 * f,
            "You counted d_ff numbers for both biases, but the second layer has d_model outputs.",
        ),
        Mistake(
            "both-biases-narrow",
            lambda d, f, bias: 2 * d * f + bias * 2 * d,
            "You counted d_model numbers for both biases: look at the outputs of the first layer.",
        ),
        Mistake(
            "biases-twice",
            lambda d, f, bias: 2 * d * f + bias * 2 * (f + d),
            "The weights are right, but the biases are counted twice: a layer has one for each output and none for its inputs.",
        ),
        Mistake(
            "one-number",
            lambda d, f, bias: 2 * d * f + bias,
            "bias counts as the number 1 in your formula: it says whether there are biases, one for each output of each layer.",
        ),
        Mistake(
            "one-number-a-layer",
            lambda d, f, bias: 2 * d * f + bias * 2,
            "A bias is a vector: one number for each output, and not one for the whole layer.",
        ),
        Mistake(
            "bias-per-weight",
            lambda d, f, bias: 2 * d * f * (1 + bias),
            "You gave every weight a bias; there is one for each output.",
        ),
        Mistake(
            "bias-trick",
            lambda d, f, bias: 2 * (d + bias) * (f + bias),
            "You enlarged both sides of each matrix by one; a bias adds a row, for an input that is always 1, and no column.",
        ),
        Mistake(
            "always-four",
            lambda d, f, bias: 8 * d * d + bias * 5 * d,
            "d_ff is an argument: it is not always four times d_model.",
        ),
        Mistake(
            "d-ff-ignored",
            lambda d, f, bias: 2 * d * d + bias * 2 * d,
            "Your formula does not contain d_ff: the matrices lead from d_model to d_ff and back.",
        ),
        Mistake(
            "hidden-square",
            lambda d, f, bias: d * f + f * f + bias * (f + d),
            "The second matrix leads from d_ff back to d_model; yours stays at d_ff.",
        ),
        Mistake(
            "hidden-square-always-bias",
            lambda d, f, bias: d * f + f * f + f + d,
            "The second matrix leads from d_ff back to d_model; yours stays at d_ff. And biases count only with bias=True.",
        ),
        Mistake(
            "always-four-no-bias",
            lambda d, f, bias: 8 * d * d,
            "d_ff is an argument, not always four times d_model; and with bias=True there are biases.",
        ),
        Mistake(
            "rows-plus-columns",
            lambda d, f, bias: 2 * (d + f) + bias * (f + d),
            "A matrix has rows times columns numbers, not rows plus columns.",
        ),
        Mistake(
            "rows-plus-columns-only",
            lambda d, f, bias: 2 * (d + f),
            "A matrix has rows times columns numbers, not rows plus columns; and biases count only with bias=True.",
        ),
        Mistake(
            "multiplied",
            lambda d, f, bias: (d * f) ** 2 + bias * (f + d),
            "You multiplied the counts of the two matrices: numbers in two matrices add up.",
        ),
        Mistake(
            "multiplied-no-bias",
            lambda d, f, bias: (d * f) ** 2,
            "You multiplied the counts of the two matrices: they add up. The biases are missing too.",
        ),
        Mistake(
            "one-matrix-one-number",
            lambda d, f, bias: d * f + bias,
            "You counted one matrix and one number: the FFN has two matrices, and each layer has a bias for every output.",
        ),
        Mistake(
            "one-matrix-no-bias",
            lambda d, f, bias: d * f,
            "You counted one matrix: the FFN goes up to d_ff and comes back down, and with bias=True it has biases too.",
        ),
        Mistake(
            "weights-with-bias-only",
            lambda d, f, bias: bias * 2 * d * f + f + d,
            "Only the biases depend on bias; the weights are always there.",
        ),
        Mistake(
            "attention-too",
            lambda d, f, bias: 2 * d * f + bias * (f + d) + 4 * d * d,
            "Attention's four matrices are counted too; they are not part of the FFN.",
        ),
        Mistake(
            "norm-too",
            lambda d, f, bias: 2 * d * f + bias * (f + d) + 2 * d,
            "A layer norm is counted too; it belongs to the block around the FFN.",
        ),
        Mistake(
            "three-matrices",
            lambda d, f, bias: 3 * d * f + bias * (2 * f + d),
            "That is a gated FFN with three matrices; this one has two.",
        ),
        Mistake(
            "bytes",
            lambda d, f, bias: 4 * (2 * d * f + bias * (f + d)),
            "Four times too many: did you count bytes? Count numbers.",
        ),
        *two_at_once(
            "{}, and {}",
            _MATRICES,
            _BIASES,
            _both,
            {("one-matrix", "no-hidden-bias"), ("one-matrix", "no-output-bias"), ("one-matrix", "none")},
            right=(lambda d, f: 2 * d * f, lambda d, f, bias: bias * (f + d)),
        ),
    ),
    hints=(
        "Write down the shape of each matrix and of each bias; a matrix has rows times columns numbers.",
        "W1 is (d_model, d_ff), b1 is (d_ff,), W2 is (d_ff, d_model), b2 is (d_model,).",
        "Start with: weights = 2 * d_model * d_ff. Then add the biases if there are any.",
    ),
    right="Two matrices, and a bias for each output of each.",
    may_use=("count_parameters", "PositionWiseFeedForward"),
)

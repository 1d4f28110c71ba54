"""Exercise: count the parameters of multi-head attention."""

from lessons.parameter_share.shared import numbers_in
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    d_model = int(rng.integers(8, 40))
    return [Case((d, bias)) for d in (2, 3, 5, 7, d_model) for bias in (True, False)]


def _oracle(d_model, bias):
    each = [(d_model, d_model), (d_model,)] if bias else [(d_model, d_model)]
    return sum(numbers_in(*each) for _ in ("query", "key", "value", "output"))


# What can be wrong in the number of projections and in the biases at once.
_PROJECTIONS = {
    "three": (
        3,
        "one projection is missing",
        "Query, key and value are three projections. A fourth follows after the heads are put side by side.",
    ),
    "two": (2, "two projections are missing", "Only two projections are counted; attention has more."),
    "five": (
        5,
        "there is a projection too many",
        "You counted one projection too many: the scores come from queries and keys and have no weights of their own.",
    ),
}
_BIASES = {
    "one-bias": (
        lambda d, bias, count: bias * d,
        "only one bias vector is counted",
        "Only one bias vector is counted; every projection has one.",
    ),
    "single-numbers": (lambda d, bias, count: bias * count, "a bias is taken for a single number"),
    "flipped": (lambda d, bias, count: (not bias) * count * d, "biases are counted when bias is False"),
}


def _both(count, biases):
    return lambda d, bias: count * d * d + biases(d, bias, count)


EXERCISE = Exercise(
    id="parameter_share.attention",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the count"),),
    mistakes=(
        Mistake("one", lambda d, bias: d * d + bias * d, "Only one projection is counted; attention has several."),
        Mistake(
            "no-bias",
            lambda d, bias: 4 * d * d,
            "The weights are right; with bias=True every projection has a bias vector as well.",
        ),
        Mistake(
            "always-bias",
            lambda d, bias: 4 * d * d + 4 * d,
            "This is right with biases, but with bias=False there must be none.",
        ),
        Mistake(
            "bias-flipped",
            lambda d, bias: 4 * d * d + (not bias) * 4 * d,
            "You counted the biases when bias is False, and left them out when it is True.",
        ),
        Mistake(
            "no-output-bias",
            lambda d, bias: 4 * d * d + bias * 3 * d,
            "One bias vector is missing: the output projection has one too.",
        ),
        Mistake(
            "one-number-each",
            lambda d, bias: 4 * d * d + bias * 4,
            "A bias is a vector: one number for each output of a projection.",
        ),
        Mistake(
            "bias-per-weight",
            lambda d, bias: 4 * d * d * (1 + bias),
            "You gave every weight a bias; there is one for each output.",
        ),
        Mistake(
            "rows-plus-columns",
            lambda d, bias: 8 * d + bias * 4 * d,
            "A matrix has rows times columns numbers, not rows plus columns.",
        ),
        Mistake(
            "vectors",
            lambda d, bias: 4 * d + bias * 4 * d,
            "A projection is a matrix from d_model features to d_model features, not a vector.",
        ),
        Mistake(
            "ffn",
            lambda d, bias: 8 * d * d + bias * 5 * d,
            "That is the FFN with four times the width; attention's matrices are all square.",
        ),
        Mistake(
            "four-squared",
            lambda d, bias: (4 * d) ** 2 + bias * 4 * d,
            "The 4 is squared as well: four matrices add up, they do not form one that is four times as wide and as high.",
        ),
        Mistake(
            "four-squared-only",
            lambda d, bias: (4 * d) ** 2,
            "The 4 is squared as well: four matrices add up. And with bias=True there are biases.",
        ),
        Mistake(
            "eight",
            lambda d, bias: 8 * d * d + bias * 4 * d,
            "Every matrix is counted twice: there are four of them, and each has d_model · d_model numbers.",
        ),
        Mistake(
            "eight-no-bias",
            lambda d, bias: 8 * d * d,
            "Every matrix is counted twice, and with bias=True the biases are missing.",
        ),
        Mistake(
            "weights-with-bias-only",
            lambda d, bias: bias * 4 * d * d,
            "The weights are there whatever bias is; it is the four bias vectors that depend on it.",
        ),
        Mistake(
            "fourth-power",
            lambda d, bias: d**4,
            "The sizes are multiplied: four matrices of d_model · d_model numbers add up, to 4 · d_model².",
        ),
        Mistake(
            "norm-too",
            lambda d, bias: 4 * d * d + bias * 4 * d + 2 * d,
            "A layer norm is counted too; it belongs to the block around attention.",
        ),
        Mistake(
            "bytes",
            lambda d, bias: 4 * (4 * d * d + bias * 4 * d),
            "Four times too many: did you count bytes? Count numbers.",
        ),
        *two_at_once("{}, and {}", _PROJECTIONS, _BIASES, _both, right=(4, lambda d, bias, count: bias * count * d)),
    ),
    hints=(
        "Attention has four projections: for query, key, value, and one for the output.",
        "Each has a matrix of shape (d_model, d_model) and, with bias, a vector of shape (d_model,).",
        "Start with: one_projection = d_model * d_model.",
    ),
    right="Attention has four square matrices. The heads share them, so the number of heads does not matter.",
    may_use=("count_parameters",),
)

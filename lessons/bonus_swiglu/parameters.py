"""Exercise: count the parameters of SwiGLU."""

import numpy as np

from whywrong.task import Case, Exercise, Mistake, Returns


def _cases(rng):
    pairs = [(512, 2048), (512, 1365), (96, 256), (3, 7), (5, 2)]
    return [Case(pair) for pair in [*pairs, tuple(int(size) for size in rng.integers(10, 100, size=2))]]


def _count_entries(d_model, d_ff):
    """Count the entries of three matrices, made as views of a single number."""
    shapes = (d_model, d_ff), (d_model, d_ff), (d_ff, d_model)
    return sum(np.broadcast_to(0.0, shape).size for shape in shapes)


EXERCISE = Exercise(
    id="bonus_swiglu.parameters",
    kind="function",
    cases=_cases,
    oracle=_count_entries,
    returns=(Returns("the number of parameters"),),
    mistakes=(
        Mistake("two", lambda d, f: 2 * d * f, "Two matrices are counted: that is a plain FFN, without its biases."),
        Mistake("one", lambda d, f: d * f, "One matrix is counted; how many does the equation name?"),
        Mistake(
            "plain",
            lambda d, f: 2 * d * f + f + d,
            "This is a plain FFN with biases: count the matrices of the gated equation.",
        ),
        Mistake(
            "biases",
            lambda d, f: 3 * d * f + 2 * f + d,
            "The matrices are right, but biases are counted too, and this equation has none.",
        ),
        Mistake(
            "one-bias",
            lambda d, f: 3 * d * f + d,
            "The matrices are right, but a bias is counted too, and this equation has none.",
        ),
        Mistake(
            "square",
            lambda d, f: 2 * d * f + f * f,
            "One matrix is counted as d_ff × d_ff: no branch reads the other's result, so each matrix has d_model on one side.",
        ),
        Mistake(
            "three-square",
            lambda d, f: 3 * f * f,
            "All three are counted as d_ff × d_ff; each of them has d_model on one side.",
        ),
        Mistake("model-square", lambda d, f: 3 * d * d, "All three are counted as d_model × d_model; where is d_ff?"),
        Mistake("sum", lambda d, f: 3 * (d + f), "A matrix has rows times columns entries, but you added the two."),
        Mistake(
            "four-times",
            lambda d, f: 12 * d * d,
            "d_ff is an argument: you counted as if it were always 4 · d_model.",
        ),
        Mistake(
            "eight-thirds",
            lambda d, f: 8 * d * d,
            "d_ff is an argument: you counted as if it were always 8/3 · d_model.",
        ),
        Mistake("four", lambda d, f: 4 * d * f, "Four matrices are counted; the product of the branches has none."),
        Mistake(
            "bytes", lambda d, f: 12 * d * f, "These are bytes in float32; the question asks for how many numbers."
        ),
        Mistake("two-thirds", lambda d, f: d * f * 2 * 2 // 3, "The factor 2/3 is for the width; count the matrices."),
        Mistake(
            "half-more-with-biases",
            lambda d, f: 3 * (2 * d * f + f + d) // 2,
            "Half as much again is right for the matrices, but the biases of the plain FFN are still in your count.",
        ),
        Mistake(
            "half-more-with-biases-as-fraction",
            lambda d, f: 1.5 * (2 * d * f + f + d),
            "Half as much again is right for the matrices alone; the biases of the plain FFN are still in your count.",
        ),
    ),
    hints=(
        "Count how many matrices the equation names; every entry is one parameter.",
        "W_gate and W_up have shape (d_model, d_ff), and W_down has shape (d_ff, d_model).",
        "The first one has d_model * d_ff entries.",
    ),
    may_use=("count_parameters", "SwiGLUFeedForward", "GatedFeedForward"),  # a real network may be counted
    right="Three matrices, no biases: half as much again as the two of a plain FFN.",
)

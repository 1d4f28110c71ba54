"""Exercise: find the length at which attention costs as much as the FFN."""

from functools import cache

from lessons.parameter_share.shared import numbers_in
from whywrong.task import Case, Exercise, Mistake, Returns


def _cases(rng):
    d_model = int(rng.integers(13, 40))
    sizes = (2, 9), (3, 20), (5, 11), (12, 48), (64, 20_128), (d_model, 2 * d_model + int(rng.integers(3, 60)))
    return [Case(args) for args in sizes]


@cache
def _oracle(d_model, d_ff):
    """Search for the length, counting one multiply–add for each entry of a matrix that a token's vector meets."""
    ffn = numbers_in((d_model, d_ff), (d_ff, d_model))
    projections = numbers_in(*[(d_model, d_model)] * 4)
    length = 1
    while projections + numbers_in((d_model, length), (length, d_model)) < ffn:  # all keys, then all values
        length += 1
    return length


EXERCISE = Exercise(
    id="parameter_share.crossover",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the length"),),
    mistakes=(
        Mistake(
            "projections-missing",
            lambda d, f: f,
            "At that length, scores and mixing alone cost as much as the FFN. Attention has four projections as well, so the crossover comes earlier.",
        ),
        Mistake(
            "biases",
            lambda d, f: (2 * d * f + d + f - 4 * d * d - 4 * d) / (2 * d),
            "You counted biases, but they are added and multiply nothing: count only the entries of matrices.",
        ),
        Mistake(
            "biases-of-the-ffn",
            lambda d, f: (2 * d * f + d + f - 4 * d * d) / (2 * d),
            "You counted the biases of the FFN, but they multiply nothing: count only the entries of matrices.",
        ),
        Mistake(
            "one-product-missing",
            lambda d, f: 2 * f - 4 * d,
            "Your length is twice what it should be: each further token costs d_model for its score and d_model again for mixing.",
        ),
        Mistake(
            "product-twice",
            lambda d, f: (f - 2 * d) / 2,
            "Your length is half of what it should be: scores and mixing cost 2 · n · d_model together, not each.",
        ),
        Mistake(
            "projections-missing-and-half",
            lambda d, f: f / 2,
            "The projections are missing, and what is left is halved: the FFN costs 2 · d_model · d_ff, and each further token 2 · d_model.",
        ),
        Mistake(
            "projections-added",
            lambda d, f: f + 2 * d,
            "The projections are on attention's side: they make the length shorter, and you made it longer.",
        ),
        Mistake(
            "projections-and-one-product-missing",
            lambda d, f: 2 * f,
            "Far too long: the projections are missing, and one of the two products, scores and mixing, as well.",
        ),
        Mistake(
            "three-projections",
            lambda d, f: f - 1.5 * d,
            "One projection is missing: query, key, value, and the one for the output.",
        ),
        Mistake(
            "one-projection",
            lambda d, f: f - d / 2,
            "Only one projection is counted; attention has four: query, key, value, output.",
        ),
        Mistake(
            "three-projections-one-product",
            lambda d, f: 2 * f - 3 * d,
            "One projection is missing (the output's), and one of the two products, scores and mixing.",
        ),
        Mistake(
            "one-ffn-matrix",
            lambda d, f: f / 2 - 2 * d,
            "One of the FFN's two matrices is missing: a token's vector meets both.",
        ),
        Mistake(
            "gated",
            lambda d, f: 1.5 * f - 2 * d,
            "You counted three matrices in the FFN: that is a gated one; this one has two.",
        ),
        Mistake(
            "four-times",
            lambda d, f: 2 * d,
            "That holds for d_ff = 4 · d_model; here d_ff is an argument of its own.",
        ),
        Mistake(
            "four-times-without-projections",
            lambda d, f: 4 * d,
            "d_ff does not occur, and the projections are missing: with d_ff = 4 · d_model, your length is d_ff.",
        ),
        Mistake(
            "not-divided",
            lambda d, f: 2 * d * f - 4 * d * d,
            "That is what is left for scores and mixing; divide it by what each further token of the sequence costs.",
        ),
        Mistake(
            "divided-by-2",
            lambda d, f: d * f - 2 * d * d,
            "Each further token costs two times d_model, not 2: divide by d_model as well.",
        ),
        Mistake(
            "quotient",
            lambda d, f: f / (2 * d),
            "You divided the FFN's cost by that of the projections: subtract them, then divide by the cost of a token.",
        ),
        Mistake(
            "quotient-of-costs",
            lambda d, f: f / (2 * d + 1),
            "You divided the FFN's cost by that of attention at a single token. Keep the length n in attention's cost, set both costs equal, and solve for n.",
        ),
        Mistake(
            "steps-of-64",
            lambda d, f: -(-(f - 2 * d) // 64) * 64,
            "You search in steps of 64, as the picture's lengths do, and the answer lies between two of them: solve for n.",
        ),
        Mistake("ffn-cost", lambda d, f: 2 * d * f, "That is what the FFN costs per token; the answer is a length."),
        Mistake(
            "negative",
            lambda d, f: 2 * d - f,
            "A length cannot be negative: subtract the projections from the FFN, not the other way round.",
        ),
        Mistake(
            "first-longer",
            lambda d, f: f - 2 * d + 1,
            "Your length is one too long: there, attention already costs more. The task asks where both cost the same.",
        ),
        Mistake(
            "last-shorter",
            lambda d, f: f - 2 * d - 1,
            "Your length is one too short: there, attention is still cheaper. The task asks where both cost the same.",
        ),
        Mistake(
            "fixed",
            lambda d, f: 1024,
            "That is the length for d_model = 512 and d_ff = 2048; return it for any sizes.",
        ),
    ),
    hints=(
        "Write both costs per token as formulas, set them equal, and solve for the length n.",
        "A token's vector meets two matrices of the FFN, four of the projections, (d_model, d_model), and then n keys and n values, each (d_model,).",
        "Start with: ffn = … and projections = 4 * …. What is left for scores and mixing, and what does each further token cost?",
    ),
    right="The length is d_ff − 2 · d_model: the wider the FFN, the later attention starts to cost more.",
)

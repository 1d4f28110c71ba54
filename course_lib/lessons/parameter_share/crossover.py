"""Exercise: find the length at which attention costs as much as the FFN."""

from course_lib.content import Case, Exercise, Mistake, Returns
from course_lib.lessons.parameter_share.shared import numbers_in


def _cases(rng):
    return [Case((d,)) for d in (2, 3, 5, 12, int(rng.integers(13, 60)))]


def _oracle(d_model):
    """Search for the length, counting one multiply–add for each entry of a matrix that a token's vector meets."""
    ffn = numbers_in((d_model, 4 * d_model), (4 * d_model, d_model))
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
            "projections-or-one-product-missing",
            lambda d: 4 * d,
            "Too long. Are attention's four projections counted, and both products along the sequence, scores and mixing?",
        ),
        Mistake(
            "d-model",
            lambda d: d,
            "Too short: are scores and mixing counted twice? Each of the two costs n · d_model per token.",
        ),
        Mistake(
            "projections-added",
            lambda d: 6 * d,
            "The projections are on attention's side: they make the length shorter, and you made it longer.",
        ),
        Mistake(
            "projections-and-one-product-missing",
            lambda d: 8 * d,
            "Far too long: the projections are missing, and one of the two products, scores and mixing, as well.",
        ),
        Mistake(
            "three-projections",
            lambda d: 2.5 * d,
            "One projection is missing: query, key, value, and the one for the output.",
        ),
        Mistake(
            "three-projections-one-product",
            lambda d: 5 * d,
            "One projection is missing (the output's), and one of the two products, scores and mixing.",
        ),
        Mistake(
            "one-ffn-matrix",
            lambda d: 0,
            "Did you count one of the FFN's two matrices only? Then the projections alone cost as much.",
        ),
        Mistake(
            "d-forgotten",
            lambda d: 2,
            "The length grows with d_model: divide by what one more token costs, and check the powers of d_model.",
        ),
        Mistake(
            "not-divided",
            lambda d: 4 * d * d,
            "That is what is left for scores and mixing; divide it by what each further token of the sequence costs.",
        ),
        Mistake(
            "divided-by-2",
            lambda d: 2 * d * d,
            "Each further token costs two times d_model and not 2: divide by d_model as well.",
        ),
        Mistake("ffn-cost", lambda d: 8 * d * d, "That is what the FFN costs per token; the answer is a length."),
        Mistake(
            "negative",
            lambda d: -2 * d,
            "A length cannot be negative: subtract the projections from the FFN, not the other way round.",
        ),
        Mistake(
            "first-longer",
            lambda d: 2 * d + 1,
            "One too long: there, attention costs more already. Asked is where it costs as much.",
        ),
        Mistake(
            "last-shorter",
            lambda d: 2 * d - 1,
            "One too short: there, attention is still cheaper. Asked is where it costs as much.",
        ),
        Mistake("half", lambda d: d / 2, "That is upside down: attention is still cheaper there."),
        Mistake("fixed", lambda d: 1024, "That is the length for d_model = 512; return it for any d_model."),
    ),
    hints=(
        "Write both costs per token as formulas, set them equal, and solve for the length n.",
        "FFN: 2 · d_model · d_ff with d_ff = 4 · d_model. Projections: 4 · d_model². Scores and mixing: 2 · n · d_model.",
        "Start with: left_for_mixing = 8 * d_model**2 - 4 * d_model**2.",
    ),
    right="The length grows in step with the width: wider models can read longer texts before attention dominates.",
)

"""Lesson 04: expand and contract."""

import itertools
import math
import numbers

import numpy as np

from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Fault, Mistake, Returns, guess
from course_lib.exercises.quiz import Option, Question

# --- Predictions

ZEROS = guess(
    "expand.predict_zeros",
    0.5,
    {
        0: "That would need every value before the ReLU to be positive; with random weights, signs come out both ways.",
        0.25: "It is more: nothing in a random layer favours positive values over negative ones.",
        0.75: "It is fewer: nothing in a random layer favours negative values over positive ones.",
        0.9: "So sparse a layer needs training, and the right task. Here every weight is random.",
        0.03: "In the T5 model mentioned below, that is the share that is not zero, and only after training. Here every weight is random.",
        50: "Give the share as a number between 0 and 1.",
    },
    "Random weights know no preferred sign, and ReLU cuts off one of the two.",
    (
        "ReLU sets a value to zero when it is negative. How often is a random sum negative?",
        "There are 4 × 32 values before the ReLU, and each is a sum of random terms that may have either sign.",
        "Flip the sign of every weight and bias: what happens to the values, and is the flipped network less likely?",
    ),
)

RECALL_2X = guess(
    "expand.predict_recall_2x",
    25,
    {
        6: "That was the recall of the 16 units; the second 16 add far more than nothing.",
        12: "Twice the units, twice the pairs: a natural guess, but recall starts slowly and then climbs faster than the width.",
        50: "Not that fast: at this width most outputs still lie closer to a wrong value.",
        85: "Not yet: that takes another doubling.",
    },
    "Twice the width, about four times the recall: near the bottom of the curve it climbs faster than the width.",
    (
        "Compare ½× with 1× in the cell above: by how much did one doubling multiply the recall?",
        "Your answer is one of the numbers 6, 12, 25, 50 and 85.",
        "The last doubling multiplied the recall by about three; expect a little more this time.",
    ),
)

RECALL_4X = guess(
    "expand.predict_recall_4x",
    85,
    {
        25: "That was the recall at half this width.",
        35: "It climbs much more: most pairs were close to being recalled already.",
        50: "Twice the width, twice the recall would be 50. The curve is steeper than that here.",
        100: "Close, but a few pairs are still closer to a wrong value; one more doubling gets them.",
    },
    "One doubling lifts most pairs over the line; the next doubling takes the rest.",
    (
        "A pair counts as recalled as soon as its own value is the nearest: many cross that line at about the same width.",
        "Your answer is one of the numbers 25, 35, 50, 85 and 100.",
        "The curve has the shape of an S, and this doubling is its steepest part.",
    ),
)

RANK = guess(
    "expand.predict_rank",
    8,
    {
        32: "There are 32 columns, but each of them is mixed from the same few input numbers.",
        512: "There are 512 rows, but no row can leave the space that the columns span.",
        40: "Input and hidden columns do not add up: the hidden ones are mixed from the input ones.",
        24: "Count what the 32 columns are mixed from.",
        1: "One direction would mean that all tokens lie on a line; random tokens do not, and random weights keep them apart.",
    },
    "A matrix product cannot add a direction, however wide it writes.",
    (
        "A hidden value before the activation is a weighted sum of the token's numbers, plus a bias.",
        "The shapes are (512, 8) @ (8, 32): the result is (512, 32), but a product's rank is at most the smaller rank of its two factors.",
        "Ask how many independent columns a product can have when its left factor has 8.",
    ),
)

DELETED = guess(
    "expand.predict_deleted",
    1,
    {
        0: "That is what happens in the network trained as usual, where other units stand in. Here no other unit knows the fact.",
        2: "Look at the right-hand picture: how many rows does one column light up?",
        12: "That would be half of them; look at the right-hand picture: how many rows does one column light up?",
        24: "The other units are untouched, and each of them still answers its own question.",
    },
    "The fact that lived in this unit is gone, and no other.",
    (
        "In the right-hand picture, follow one column from top to bottom.",
        "A column is a hidden unit, a row is a fact; a fact is lost if nothing else in its row is left.",
        "Count the coloured cells in one column of the right-hand picture.",
    ),
)

WIDEST = guess(
    "expand.predict_widest",
    8,
    {
        4: "Four is the most frequent factor, but not the largest.",
        16: "None of these is so wide for its token.",
        64: "T5-11B does have that factor (Raffel et al. 2019), but it is not among these models.",
        5: "One of them is close to that; others are wider.",
        6: "Others are wider.",
        3: "Even the smallest factors here are close to that.",
    },
    "The Gemma models are twice as wide as the classic four, and gated on top of that.",
    (
        "Think of models from 2024: some have small tokens and a very wide FFN.",
        "The number you look for is d_ff divided by d_model.",
        "Gemma-2B has d_model 2048 and d_ff 16384.",
    ),
)

# --- expand.width

_WIDTHS = ((5, 3), (7, 2), (16, 0.25), (12, 2.5), (512, 4), (6, 8))


def _width_oracle(d_model, factor):
    """Add up the factor once for each feature, as an exact fraction."""
    numerator, denominator = factor.as_integer_ratio()
    return sum(itertools.repeat(numerator, d_model)) // denominator


def _run_width(answer, case):
    result = answer(*case.args)
    is_float = isinstance(result, (float, np.floating)) and not isinstance(result, numbers.Integral)
    if is_float and float(result).is_integer():
        message = f"The result is a {type(result).__name__}. A width counts units, and PyTorch takes it only as an int."
        raise Fault("type", message)
    return result


WIDTH = Exercise(
    id="expand.width",
    kind="function",
    cases=lambda rng: [Case(args) for args in _WIDTHS],
    oracle=_width_oracle,
    returns=(Returns("the width"),),
    run=_run_width,
    mistakes=(
        Mistake(
            "added", lambda d, f: int(d + f), "The factor says how many times as wide, and not how many units more."
        ),
        Mistake("factor-alone", lambda d, f: math.ceil(f), "Your result does not depend on d_model."),
        Mistake("d-model", lambda d, f: d, "Your hidden layer is as wide as the token: the factor is not used."),
        Mistake(
            "both-layers",
            lambda d, f: 2 * int(d * f),
            "Your result is twice the width: there are two matrices, but one hidden layer between them.",
        ),
        Mistake(
            "d-too-many",
            lambda d, f: int(d * f) + d,
            "Your result has d_model units too many: the token itself is not part of the hidden layer.",
        ),
        Mistake(
            "d-too-few",
            lambda d, f: int(d * f) - d,
            "Your result has d_model units too few: nothing is subtracted for the token itself.",
        ),
        Mistake("bias-unit", lambda d, f: int(d * f) + 1, "One unit too many: the bias is no hidden unit."),
        Mistake(
            "rounded",
            lambda d, f: -(-int(d * f) // 64) * 64,
            "You rounded up to a multiple of 64. Some models do that for speed; here nothing is rounded.",
        ),
        Mistake("half", lambda d, f: int(d * f) // 2, "Your result is half the width."),
        Mistake("factor-twice", lambda d, f: int(d * f * f), "The factor is applied twice."),
        Mistake("always-two", lambda d, f: 2 * d, "Your width is always twice d_model: use the factor that is given."),
        Mistake(
            "always-four",
            lambda d, f: 4 * d,
            "Your width is always four times d_model: that is the common choice, but the factor is an argument.",
        ),
        Mistake("sign", lambda d, f: -int(d * f), "A width cannot be negative."),
        Mistake(
            "divided", lambda d, f: int(d / f), "You divided: a factor above 1 has to make the hidden layer wider."
        ),
        Mistake(
            "whole-factor",
            lambda d, f: d * int(f),
            "The fraction of the factor got lost: int() was applied before the product instead of after it.",
        ),
        Mistake(
            "factor-up",
            lambda d, f: d * math.ceil(f),
            "The factor was rounded up first: only the product is a whole number.",
        ),
        Mistake(
            "weights",
            lambda d, f: 2 * d * int(d * f),
            "You counted the weights of both matrices; the width is the number of hidden units.",
        ),
        Mistake("power", lambda d, f: int(d**f), "You raised d_model to a power: `**` is a power, `*` a product."),
    ),
    hints=(
        "The expansion factor is d_ff / d_model; solve that for d_ff.",
        "Two numbers come in, one whole number goes out; a float factor makes the product a float.",
        "Start with: return int(…).",
    ),
    right="That is the width of the hidden layer, and nn.Linear takes it.",
)

# --- expand.zero_fraction


def _hidden_values(rng):
    after_relu = np.maximum(rng.normal(size=(5, 7)), 0)
    after_relu[:, 3], after_relu[1, 4] = 0, 0.5
    after_gelu = rng.uniform(0.1, 1, size=(2, 3, 5)) * rng.choice([-1, 1], size=(2, 3, 5))
    places = rng.permutation(30)
    after_gelu.flat[places[:11]] = [0, -0.0, 0, 0, 1e-9, -1e-9, 1e-12, 0.3, 0.4, -0.3, -0.4]
    one_token = np.concatenate([[0, 0.0], rng.uniform(0.1, 1, size=5)])[rng.permutation(7)]
    return [
        Case((after_relu,), {"tokens": 5, "d_ff": 7}),
        Case((after_gelu,), {"batch": 2, "tokens": 3, "d_ff": 5}),
        Case((one_token,), {"d_ff": 7}),
    ]


def _zero_fraction_oracle(h):
    """Look at every value on its own."""
    values = h.ravel().tolist()
    return sum(1 for value in values if not value) / len(values)


ZERO_FRACTION = Exercise(
    id="expand.zero_fraction",
    kind="function",
    cases=_hidden_values,
    oracle=_zero_fraction_oracle,
    returns=(Returns("the share"),),
    mistakes=(
        Mistake("count", lambda h: (h == 0).sum(), "You counted the zeros; the share is wanted, from 0 to 1."),
        Mistake("not-zero", lambda h: (h != 0).mean(), "This is the share of values that are not zero."),
        Mistake("positive", lambda h: (h > 0).mean(), "This is the share of positive values."),
        Mistake(
            "not-positive",
            lambda h: (h <= 0).mean(),
            "Negative values were counted too. After ReLU there are none, but after GELU there are.",
        ),
        Mistake("negative", lambda h: (h < 0).mean(), "This is the share of negative values; zero itself is missing."),
        Mistake(
            "tiny",
            lambda h: np.isclose(h, 0, atol=1e-6).mean(),
            "Tiny values were counted as zeros: ask for exactly zero, without a tolerance.",
        ),
        Mistake("percent", lambda h: 100 * (h == 0).mean(), "This is in percent; give the share from 0 to 1."),
        Mistake(
            "dead-units",
            lambda h: (h == 0).reshape(-1, h.shape[-1]).all(axis=0).mean(),
            "This is the share of units that are zero for every token; count single values.",
        ),
        Mistake(
            "any-in-row",
            lambda h: (h == 0).any(axis=-1).mean(),
            "This is the share of tokens that have a zero somewhere; count single values.",
        ),
        Mistake(
            "per-token",
            lambda h: (h == 0).sum(axis=-1).mean(),
            "This is the number of zeros for each token; a share compares with all values.",
        ),
        Mistake(
            "by-units",
            lambda h: (h == 0).sum() / h.shape[-1],
            "You divided by d_ff alone: with several tokens there are more values than that.",
        ),
        Mistake(
            "by-length",
            lambda h: (h == 0).sum() / len(h),
            "You divided by the length of the first axis; count the values along all axes.",
        ),
        Mistake(
            "first-token", lambda h: (h[0] == 0).mean(), "Only the first entry along the first axis was looked at."
        ),
        Mistake(
            "odds",
            lambda h: (h == 0).sum() / (h != 0).sum(),
            "You compared the zeros with the values that are not zero; compare them with all values.",
        ),
        Mistake("mean", lambda h: h.mean(), "This is the mean of the values themselves; compare them with zero first."),
        Mistake(
            "rounded",
            lambda h: float(round((h == 0).mean())),
            "The share was rounded to a whole number: keep the fraction.",
        ),
    ),
    hints=(
        "Compare every value with zero; True counts as 1 and False as 0.",
        "h may have any shape, h == 0 has the same one, and the share is one number.",
        "Start with: zero = h == 0, and take the mean of it.",
    ),
    right="Exact zeros only, for any shape, after ReLU as after GELU.",
)

# --- expand.hand_wired_and


def _all_tokens(d_model):
    return np.array(list(itertools.product((0.0, 1.0), repeat=d_model)))


def _and_cases(rng):
    places = ((3, 0, 2), (5, 3, 1), (7, 2, 5))
    return [
        Case(
            (d_model, a, b, rng.uniform(0.5, 2, size=d_model) * rng.choice([-1, 1], size=d_model)), {"d_model": d_model}
        )
        for d_model, a, b in places
    ]


def _and_oracle(d_model, a, b, value):
    """Decide token by token with Python's own `and`."""
    return np.array([value if token[a] and token[b] else 0 * value for token in _all_tokens(d_model)])


def _run_wired(answer, case):
    """Put the weights of the answer into the network and return its outputs on all tokens of zeros and ones."""
    parts = answer(*case.args)
    if parts is None:
        return None
    if not isinstance(parts, (tuple, list)) or len(parts) != 4:
        raise Fault("type", "Return four arrays: W1, b1, W2, b2.")
    d_model, arrays = case.args[0], []
    shapes = (("W1", (d_model, 1)), ("b1", (1,)), ("W2", (1, d_model)), ("b2", (d_model,)))
    for (name, shape), part in zip(shapes, parts, strict=True):
        if part is None:
            raise Fault("none", f"{name} is None: is an assignment missing?")
        if not isinstance(part, np.ndarray) and not isinstance(part, (list, tuple, int, float)):
            return parts  # a TODO or a foreign type: the general checks find the words for it
        array = np.asarray(part, dtype=np.float64)
        if array.shape != shape:
            raise Fault("shape", f"{name} has shape {array.shape}; expected is {shape}, with d_model = {d_model}.")
        arrays.append(array)
    W1, b1, W2, b2 = arrays
    return np.maximum(_all_tokens(d_model) @ W1 + b1, 0) @ W2 + b2


def _wired(weight_a=1.0, weight_b=1.0, bias=-1.0, others=0.0, write=lambda value, a, b: value, always=0.0, shift=0):
    """Make an answer with one hidden unit; every option away from its default makes it a wrong one."""

    def hand_wired_and(d_model, a, b, value):
        W1 = np.full((d_model, 1), others)
        W1[a + shift], W1[b + shift] = weight_a, weight_b
        b1 = np.array([bias(d_model) if callable(bias) else bias])
        return W1, b1, np.array(write(value, a, b))[None, :], always * value

    return hand_wired_and


def _at_two_places(value, a, b):
    return np.where(np.isin(np.arange(len(value)), (a, b)), value, 0)


HAND_WIRED_AND = Exercise(
    id="expand.hand_wired_and",
    kind="function",
    cases=_and_cases,
    oracle=_and_oracle,
    returns=(Returns("the output", ("token", "d_model")),),
    run=_run_wired,
    mistakes=(
        Mistake(
            "no-threshold",
            _wired(bias=0.0),
            "Your unit fires already when one of the two features is there: it needs a threshold.",
        ),
        Mistake(
            "threshold-too-low",
            _wired(bias=-0.5),
            "Your unit still fires a little for one feature alone, and too strongly for both: raise the threshold.",
        ),
        Mistake(
            "threshold-too-high",
            _wired(bias=-1.5),
            "Your unit fires for the right tokens, but at half strength: what is left of the sum after the threshold?",
        ),
        Mistake(
            "never",
            _wired(bias=-2.0),
            "Your unit never fires: with both features there, the threshold takes away the whole sum.",
        ),
        Mistake(
            "threshold-added",
            _wired(bias=1.0),
            "The threshold has the wrong sign: your unit fires even when both features are missing.",
        ),
        Mistake("only-a", _wired(weight_b=0.0, bias=0.0), "Your unit asks for feature a only."),
        Mistake("only-b", _wired(weight_a=0.0, bias=0.0), "Your unit asks for feature b only."),
        Mistake(
            "a-without-b",
            _wired(weight_b=-1.0, bias=0.0),
            "Your unit fires for a without b: one of its two weights has the wrong sign.",
        ),
        Mistake(
            "neither",
            _wired(weight_a=-1.0, weight_b=-1.0, bias=1.0),
            "Your unit fires when both features are missing: the signs of its weights and of its threshold are flipped.",
        ),
        Mistake(
            "all-count",
            _wired(others=1.0),
            "Your unit counts all features; the ones besides a and b must not matter.",
        ),
        Mistake(
            "all-needed",
            _wired(others=1.0, bias=lambda d_model: 1.0 - d_model),
            "Your unit fires only when every feature is 1; the ones besides a and b must not matter.",
        ),
        Mistake(
            "counted-from-one",
            _wired(shift=-1),
            "Your unit asks for the neighbours of a and b: features are counted from 0.",
        ),
        Mistake(
            "too-strong",
            _wired(weight_a=2.0, weight_b=2.0, bias=-2.0),
            "Your unit fires for the right tokens, but with strength 2, so the value comes out twice as large.",
        ),
        Mistake(
            "negated",
            _wired(write=lambda value, a, b: -value),
            "The right tokens are found, but the value has the wrong sign.",
        ),
        Mistake(
            "ones",
            _wired(write=lambda value, a, b: np.ones_like(value)),
            "The right tokens are found, but your unit answers with ones instead of the value.",
        ),
        Mistake(
            "two-places",
            _wired(write=_at_two_places),
            "The right tokens are found, but the value is written at the places a and b only: it has d_model numbers.",
        ),
        Mistake(
            "always-and-more",
            _wired(always=1.0),
            "The value is in b2 as well, so it is written for every token: b2 is what is said when no unit fires.",
        ),
        Mistake(
            "always",
            _wired(weight_a=0.0, weight_b=0.0, bias=0.0, always=1.0),
            "Every token gets the value: it stands in b2, which no unit can switch off.",
        ),
    ),
    hints=(
        "Let the unit add up the two features; its threshold must let only the sum 2 through, and leave 1 of it.",
        "W1 has shape (d_model, 1): its only column asks. W2 has shape (1, d_model): its only row answers.",
        "Start with: W1 = np.zeros((d_model, 1)), then W1[a] = 1.0 and W1[b] = 1.0.",
    ),
    right="One unit, one fact: a column that asks, a threshold, and a row that answers.",
)

QUESTIONS = (
    Question(
        "expand.quiz-1",
        "In a random network half of the hidden values are zero after ReLU. What does that tell you about the data?",
        (
            Option(
                "That half of its features are useless.",
                "The zeros are hidden values; and they come whatever the data is.",
            ),
            Option(
                "That it has been compressed.", "Nothing was compressed: the layer before made more numbers, not fewer."
            ),
            Option("Nothing.", "Random weights give either sign equally often, for any input.", True),
        ),
    ),
    Question(
        "expand.quiz-2",
        "You make the hidden layer of a network without an activation ten times as wide. What can it store in addition?",
        (
            Option(
                "Nothing at all.", "Two linear layers are one of the same outer size, however wide the middle is.", True
            ),
            Option(
                "Ten times as many pairs.", "The parameters are there, but they multiply out to the same one matrix."
            ),
            Option(
                "A little more, with enough training.",
                "Least squares is its bound, and it does not depend on the width.",
            ),
        ),
    ),
    Question(
        "expand.quiz-3",
        "512 tokens of 8 numbers pass W₁ with 32 columns. Which step lets them spread over more than 8 directions?",
        (
            Option(
                "The product with W₁, which has 32 columns.", "The 32 columns are mixed from 8, so no direction is new."
            ),
            Option(
                "The activation.",
                "It folds the 8-dimensional plane, and the folded sheet reaches into new directions.",
                True,
            ),
            Option("The bias, which shifts every token.", "A shift moves all tokens alike; it adds no spread."),
        ),
    ),
    Question(
        "expand.quiz-4",
        "Hidden unit j fires strongly for a token. Where does it say what is then added to the output?",
        (
            Option("In row j of W₂.", "The hidden value multiplies exactly this row.", True),
            Option(
                "In column j of W₁, the one it belongs to.",
                "That column asks the question: it decides whether the unit fires.",
            ),
            Option("In the output bias.", "The output bias is added for every token, whichever unit fires."),
        ),
    ),
    Question(
        "expand.quiz-5",
        "Why is d_ff so often four times d_model?",
        (
            Option(
                "Wider layers were found to be worse.",
                "In the original paper's own table, the factor 8 scored higher than 4.",
            ),
            Option(
                "The paper chose it, and it worked well.",
                "It is a good choice that stayed; published factors vary.",
                True,
            ),
            Option(
                "Four is the number of dimensions that each hidden unit needs.",
                "A hidden unit is one number, and nothing ties it to four dimensions.",
            ),
        ),
    ),
)

LESSON = Lesson(
    number=4,
    topic="expand",
    title="Expand and contract",
    exercises=(ZEROS, RECALL_2X, RECALL_4X, RANK, DELETED, WIDEST, WIDTH, ZERO_FRACTION, HAND_WIRED_AND),
    questions=QUESTIONS,
)

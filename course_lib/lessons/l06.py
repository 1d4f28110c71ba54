"""Lesson 06: parameter share and cost."""

import math

import numpy as np

from course_lib import accounting
from course_lib.exercises.api import Lesson
from course_lib.exercises.engine import Case, Exercise, Mistake, Returns, guess, take_value
from course_lib.exercises.quiz import Option, Question

_MODELS = {model.name: model for model in accounting.published_models()}

# --- Predictions

COUNT = guess(
    "params.predict_count",
    round(accounting.ffn_parameters(512, 2048) / 1e6),
    {
        1: "That is one matrix. There are two of the same size: one up to d_ff, one back down.",
        3: "That is about three matrices; this FFN has fewer.",
        4: "That is too many: count two matrices, each with d_model · d_ff numbers.",
        2.1: "Right, and finer than asked: type the nearest of the four numbers.",
        accounting.ffn_parameters(
            512, 2048
        ): "The count is right; type it in millions, as the nearest of the four numbers.",
        2560: "You added the two widths; a matrix has rows times columns numbers.",
    },
    "Two matrices of a million numbers each, and a few thousand biases.",
    (
        "Count the numbers in each matrix: rows times columns.",
        "The matrices have the shapes (512, 2048) and (2048, 512).",
        "512 times 2048 is about 1.05 million.",
    ),
)

SHARE = guess(
    "params.predict_share",
    round(100 * accounting.layer_share(512, 2048)["ffn"]),
    {
        80: "Too much: attention has four matrices of its own, and they weigh more than a fifth.",
        50: "It is more: the FFN's two matrices are each four times as large as one of attention's.",
        33: "That is attention's share.",
        70: "Close, and often copied; the count says less. How many times does d_model² stand in each part?",
        75: "Too much: did you leave out one of attention's four matrices?",
        66.6: "Right, and finer than asked: type the nearest of the four numbers.",
        66.7: "Right without biases and norms, and finer than asked: type the nearest of the four numbers.",
        0.67: "Type the share in per cent, as one of the four numbers.",
    },
    "Two thirds, and a little less because of biases and norms.",
    (
        "With d_ff = 4 · d_model, count how many times d_model² is in each part.",
        "Attention has four matrices of shape (d_model, d_model); the FFN has two of shape (d_model, 4 · d_model).",
        "Attention has 4 · d_model². How many d_model² has the FFN?",
    ),
)

SMALLEST = guess(
    "params.predict_model",
    min(_MODELS.values(), key=accounting.ffn_share).name,
    {
        "GPT-2 small": "A good guess: its table of tokens is large for so small a model. One of the four goes lower still.",
        "LLaMA-7B": "Its layers are close to two thirds, and its tables are small beside them.",
        "DeepSeek-V3": "It is the other end: hundreds of experts, and each one is an FFN.",
    },
    "Half of its layers have two attentions, and its table of tokens is large beside such narrow layers.",
    (
        "Two things push the share down: more attention in a layer, and large tables of tokens beside small layers.",
        "Which of the four has an encoder and a decoder?",
        "Your answer is one of the four names, in quotes.",
    ),
)

CROSSOVER_LENGTH = guess(
    "params.predict_crossover",
    accounting.crossover_length(512, 2048),
    {
        2048: "That is where scores and mixing alone cost as much; attention has four projections besides.",
        512: "Attention is still cheaper there: its projections cost half of what the FFN costs, and scores and mixing a quarter.",
        4096: "Far beyond: there, scores and mixing alone cost twice what the FFN costs.",
        3072: "The projections belong to attention's side: with them it reaches the FFN earlier and not later.",
        256: "Attention is still cheaper there: scores and mixing are small beside its projections.",
    },
    "Twice d_model: half of the FFN's cost is matched by the projections, the other half by scores and mixing.",
    (
        "Write down what each costs per token: FFN, projections, scores and mixing. Only the last one grows with the length n.",
        "FFN: 2 · 512 · 2048. Projections: 4 · 512². Scores and mixing: 2 · n · 512.",
        "Solve 4 · 512² + 2 · n · 512 = 2 · 512 · 2048 for n.",
    ),
)

MEMORY = guess(
    "params.predict_memory",
    round(accounting.weight_bytes(_MODELS["Llama-3-8B"].exact_total, "bfloat16") / 1e9),
    {
        8: "That would be one byte for each number; bfloat16 takes 16 bits.",
        32: "That is float32, with four bytes for each number.",
        128: "You counted bits: a byte has eight of them.",
        4: "That would be half a byte for each number; bfloat16 takes 16 bits.",
        16.1: "Right, and finer than asked: type the nearest of the four numbers.",
        64: "That is float64, with eight bytes for each number.",
    },
    "Two bytes for each number.",
    (
        "A byte has 8 bits, so a number of 16 bits takes how many bytes?",
        "Bytes = parameters × bytes of one number; a gigabyte is 10⁹ bytes.",
        "Multiply 8 billion by the bytes of one number.",
    ),
)


def _numbers(*shapes):
    """Count the numbers in arrays of these shapes by making the arrays."""
    return sum(np.empty(shape).size for shape in shapes)


# --- params.ffn


def _ffn_cases(rng):
    d_model, d_ff = (int(size) for size in rng.choice(np.arange(8, 40), size=2, replace=False))
    sizes = (2, 5, True), (7, 3, False), (5, 7, True), (3, 8, False), (d_model, d_ff, True), (d_model, d_ff, False)
    return [Case(args) for args in sizes]


def _ffn_oracle(d_model, d_ff, bias):
    return _numbers((d_model, d_ff), (d_ff, d_model)) + (_numbers((d_ff,), (d_model,)) if bias else 0)


FFN = Exercise(
    id="params.ffn",
    kind="function",
    cases=_ffn_cases,
    oracle=_ffn_oracle,
    returns=(Returns("the count"),),
    mistakes=(
        Mistake(
            "one-matrix",
            lambda d, f, bias: d * f + bias * (f + d),
            "One matrix is missing: the FFN goes up to d_ff and comes back down.",
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
            "Both biases are counted with d_ff numbers; the second layer has fewer outputs or more.",
        ),
        Mistake(
            "both-biases-narrow",
            lambda d, f, bias: 2 * d * f + bias * 2 * d,
            "Both biases are counted with d_model numbers; look at the outputs of the first layer.",
        ),
        Mistake(
            "biases-twice",
            lambda d, f, bias: 2 * d * f + bias * 2 * (f + d),
            "The weights are right, but the biases are counted twice: a layer has one for each output and none for its inputs.",
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
            "d_ff does not occur: the matrices lead from d_model to d_ff and back.",
        ),
        Mistake(
            "hidden-square",
            lambda d, f, bias: d * f + f * f + bias * (f + d),
            "The second matrix leads from d_ff back to d_model; yours stays at d_ff.",
        ),
        Mistake(
            "rows-plus-columns",
            lambda d, f, bias: 2 * (d + f) + bias * (f + d),
            "A matrix has rows times columns numbers, not rows plus columns.",
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
    ),
    hints=(
        "Write down the shape of each matrix and of each bias; a matrix has rows times columns numbers.",
        "W1 is (d_model, d_ff), b1 is (d_ff,), W2 is (d_ff, d_model), b2 is (d_model,).",
        "Start with: weights = 2 * d_model * d_ff. Then add the biases if there are any.",
    ),
    right="Two matrices, and a bias for each output of each.",
)

# --- params.attention


def _attention_cases(rng):
    d_model = int(rng.integers(8, 40))
    return [Case((d, bias)) for d in (2, 3, 5, 7, d_model) for bias in (True, False)]


def _attention_oracle(d_model, bias):
    each = [(d_model, d_model), (d_model,)] if bias else [(d_model, d_model)]
    return sum(_numbers(*each) for _ in ("query", "key", "value", "output"))


ATTENTION = Exercise(
    id="params.attention",
    kind="function",
    cases=_attention_cases,
    oracle=_attention_oracle,
    returns=(Returns("the count"),),
    mistakes=(
        Mistake(
            "three",
            lambda d, bias: 3 * d * d + bias * 3 * d,
            "Query, key and value are three projections; one more follows after the heads are put side by side.",
        ),
        Mistake(
            "two", lambda d, bias: 2 * d * d + bias * 2 * d, "Only two projections are counted; attention has more."
        ),
        Mistake("one", lambda d, bias: d * d + bias * d, "Only one projection is counted; attention has several."),
        Mistake(
            "five",
            lambda d, bias: 5 * d * d + bias * 5 * d,
            "One projection too many: the scores come from queries and keys, and have no weights of their own.",
        ),
        Mistake(
            "no-bias",
            lambda d, bias: 4 * d * d,
            "The weights are right; with bias=True every projection has a bias vector as well.",
        ),
        Mistake(
            "always-bias",
            lambda d, bias: 4 * d * d + 4 * d,
            "Right with biases; with bias=False there must be none.",
        ),
        Mistake(
            "bias-flipped",
            lambda d, bias: 4 * d * d + (not bias) * 4 * d,
            "The biases are counted when bias is False, and left out when it is True.",
        ),
        Mistake(
            "one-bias",
            lambda d, bias: 4 * d * d + bias * d,
            "Only one bias vector is counted; every projection has one.",
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
            "norm-too",
            lambda d, bias: 4 * d * d + bias * 4 * d + 2 * d,
            "A layer norm is counted too; it belongs to the block around attention.",
        ),
        Mistake(
            "bytes",
            lambda d, bias: 4 * (4 * d * d + bias * 4 * d),
            "Four times too many: did you count bytes? Count numbers.",
        ),
    ),
    hints=(
        "Attention has four projections: for query, key, value, and one for the output.",
        "Each has a matrix of shape (d_model, d_model) and, with bias, a vector of shape (d_model,).",
        "Start with: one_projection = d_model * d_model.",
    ),
    right="Four square matrices; the heads share them, so that their number does not matter.",
)

# --- params.layer_share


def _layer_cases(rng):
    d_model, d_ff = (int(size) for size in rng.choice(np.arange(8, 40), size=2, replace=False))
    return [Case(args) for args in ((2, 5), (3, 7), (7, 2), (5, 31), (d_model, d_ff))]


def _layer_oracle(d_model, d_ff):
    ffn = _numbers((d_model, d_ff), (d_ff,), (d_ff, d_model), (d_model,))
    attention = _numbers(*[(d_model, d_model), (d_model,)] * 4)
    norms = _numbers(*[(d_model,), (d_model,)] * 2)
    return ffn / (ffn + attention + norms)


def _counts(d, f):
    """Return the parameters of FFN, attention and both norms."""
    return 2 * d * f + f + d, 4 * d * d + 4 * d, 4 * d


def _of_counts(formula):
    """Make a wrong answer from a formula in the three right counts."""
    return lambda d_model, d_ff: formula(*_counts(d_model, d_ff))


LAYER_SHARE = Exercise(
    id="params.layer_share",
    kind="function",
    cases=_layer_cases,
    oracle=_layer_oracle,
    returns=(Returns("the share"),),
    mistakes=(
        Mistake(
            "percent",
            _of_counts(lambda ffn, attention, norms: 100 * ffn / (ffn + attention + norms)),
            "Return a number between 0 and 1, not per cent.",
        ),
        Mistake(
            "no-norms",
            _of_counts(lambda ffn, attention, norms: ffn / (ffn + attention)),
            "Some 4 · d_model numbers are missing from the whole layer: are both layer norms counted, and attention's biases?",
        ),
        Mistake(
            "half-the-norms",
            _of_counts(lambda ffn, attention, norms: ffn / (ffn + attention + norms / 2)),
            "Half of the norms' parameters are missing: there are two norms, and each has a gain and a shift.",
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
            "The fraction stands upside down: a share cannot be above 1.",
        ),
        Mistake(
            "count",
            _of_counts(lambda ffn, attention, norms: ffn),
            "That is the count of the FFN's parameters: divide it by the count of the whole layer.",
        ),
        Mistake(
            "rounded",
            _of_counts(lambda ffn, attention, norms: round(ffn / (ffn + attention + norms), 2)),
            "Return the share itself, without rounding it.",
        ),
        Mistake("two-thirds", lambda d, f: 2 / 3, "Two thirds hold for one ratio of d_ff to d_model only."),
        Mistake(
            "always-four",
            lambda d, f: _layer_oracle(d, 4 * d),
            "d_ff is an argument: it is not always four times d_model.",
        ),
        Mistake(
            "matrices-only",
            lambda d, f: 2 * d * f / (2 * d * f + 4 * d * d),
            "Only the matrices are counted: biases and layer norms belong to the layer too.",
        ),
        Mistake(
            "no-biases",
            lambda d, f: 2 * d * f / (2 * d * f + 4 * d * d + 4 * d),
            "The biases of the FFN and of attention are missing.",
        ),
        Mistake(
            "no-ffn-biases",
            lambda d, f: 2 * d * f / (2 * d * f + 4 * d * d + 8 * d),
            "The biases of the FFN are missing.",
        ),
        Mistake(
            "three-projections",
            lambda d, f: _counts(d, f)[0] / (_counts(d, f)[0] + 3 * d * d + 3 * d + 4 * d),
            "One of attention's projections is missing.",
        ),
        Mistake(
            "one-ffn-matrix",
            lambda d, f: (d * f + f + d) / (d * f + f + d + sum(_counts(d, f)[1:])),
            "One of the FFN's two matrices is missing.",
        ),
        Mistake(
            "gated",
            lambda d, f: (3 * d * f + 2 * f + d) / (3 * d * f + 2 * f + d + sum(_counts(d, f)[1:])),
            "That is a layer with a gated FFN of three matrices; this one has two.",
        ),
        Mistake(
            "decoder",
            _of_counts(lambda ffn, attention, norms: ffn / (ffn + 2 * attention + 1.5 * norms)),
            "That is a decoder layer, with two attentions and three norms; an encoder layer has one attention and two norms.",
        ),
    ),
    hints=(
        "Count the three parts, add them up, and divide the FFN's count by the sum.",
        "FFN: your first exercise with biases. Attention: your second. A layer norm has a gain and a shift, each (d_model,).",
        "Start with: ffn = 2 * d_model * d_ff + d_ff + d_model.",
    ),
    right="Every part is counted, down to the last bias.",
)

# --- params.crossover


def _crossover_cases(rng):
    return [Case((d,)) for d in (2, 3, 5, 12, int(rng.integers(13, 60)))]


def _crossover_oracle(d_model):
    """Search for the length, counting one multiply–add for each entry of a matrix that a token's vector meets."""
    ffn = _numbers((d_model, 4 * d_model), (4 * d_model, d_model))
    projections = _numbers(*[(d_model, d_model)] * 4)
    length = 1
    while projections + _numbers((d_model, length), (length, d_model)) < ffn:  # all keys, then all values
        length += 1
    return length


CROSSOVER = Exercise(
    id="params.crossover",
    kind="function",
    cases=_crossover_cases,
    oracle=_crossover_oracle,
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

# --- params.tiny_llama


def _llama(d=2048, f=5632, layers=22, heads=32, kv_heads=4, vocab=32_000, ffns=3, tables=2, norms=2, last=1, scale=1):
    """Count a decoder in the style of Llama from its configuration, matrix by matrix; every option can be got wrong."""
    kv = d * kv_heads // heads
    shapes = [(d, d), (d, kv), (d, kv), (d, d)] + [(d, f)] * ffns + [(d,)] * norms * scale
    layer = sum(math.prod(shape) for shape in shapes)
    return layers * layer + tables * vocab * d + last * scale * d


_TINY = _llama()
_TINY_FFN = 3 * 2048 * 5632

TINY_LLAMA = Exercise(
    id="params.tiny_llama",
    kind="value",
    cases=lambda rng: [Case()],
    oracle=_llama,
    returns=(Returns("the total"),),
    run=take_value,
    tolerance=1e-10,
    mistakes=(
        Mistake("two-matrices", _llama(ffns=2), "SwiGLU is gated: its FFN has one matrix more than the one of 2017."),
        Mistake(
            "full-attention",
            _llama(kv_heads=32),
            "Every query head has a key and a value head of its own here; the configuration has fewer of those.",
        ),
        Mistake(
            "one-kv-head", _llama(kv_heads=1), "All query heads share one key and value head here; there are more."
        ),
        Mistake("tied", _llama(tables=1), "One table of tokens is counted; input and output have a table each."),
        Mistake("no-tables", _llama(tables=0), "The tables of tokens are missing, at the input and at the output."),
        Mistake(
            "no-norms", _llama(norms=0, last=0), "The norms are missing: two in each layer, and one after the last."
        ),
        Mistake("last-norm", _llama(last=0), "You are off by one norm: one more stands after the last layer."),
        Mistake("layer-norms-only-last", _llama(norms=0), "The norms in the layers are missing; each layer has two."),
        Mistake("one-norm", _llama(norms=1), "Each layer has two norms: one before attention, one before the FFN."),
        Mistake(
            "norm-shift",
            _llama(scale=2),
            "An RMSNorm has a gain and no shift: one number for each feature.",
        ),
        Mistake("one-layer", _llama(layers=1), "Only one layer is counted."),
        Mistake(
            "only-layers",
            _llama(tables=0, last=0),
            "The layers are right; the two tables of tokens and the last norm are missing.",
        ),
        Mistake("ffn-only", 22 * _TINY_FFN, "That is what the FFNs hold; the whole model is asked."),
        Mistake("published", 1_100_000_000, "That is the published size, rounded; count it to the last digit."),
        Mistake("in-billions", _TINY / 1e9, "The digits are right; give the number itself and not billions."),
        Mistake("in-millions", _TINY / 1e6, "The digits are right; give the number itself and not millions."),
    ),
    hints=(
        "Count one layer: attention, FFN, two norms. Then multiply, and add what stands outside the layers.",
        "Outside the layers stand two tables of shape (32000, 2048) and one norm of shape (2048,).",
        "Start with: attention = accounting.attention_parameters(2048, bias=False, n_heads=32, n_kv_heads=4).",
    ),
    right="You counted a model that is not in the table, to the last digit.",
)

QUESTIONS = (
    Question(
        "params.quiz-1",
        "You double d_model and keep d_ff = 4 · d_model. What happens to the FFN's share of an encoder layer?",
        (
            Option("It doubles.", "A share of two thirds cannot double; attention grows with d_model too."),
            Option(
                "It falls, because attention has four matrices and the FFN has two.",
                "All six matrices become four times as large, so their ratio stays.",
            ),
            Option(
                "It hardly changes.",
                "Every matrix becomes four times as large; only biases and norms lose a little weight.",
                True,
            ),
        ),
    ),
    Question(
        "params.quiz-2",
        "Grouped-query attention lets several query heads share one key and value head. What does that do to the FFN's share?",
        (
            Option("It rises.", "The matrices for key and value become smaller; the FFN stays as it is.", True),
            Option("It falls.", "Attention loses parameters and the FFN loses none, so it goes the other way."),
            Option(
                "Nothing, because heads share d_model anyway.",
                "That holds for query heads alone; fewer key and value heads mean narrower matrices.",
            ),
        ),
    ),
    Question(
        "params.quiz-3",
        "A mixture of experts goes from 8 to 16 experts a layer and still uses 2 for each token. What doubles?",
        (
            Option(
                "The multiply–adds per token in the FFNs.",
                "Each token still passes through two experts, so its cost stays.",
            ),
            Option(
                "The parameters in the FFNs.",
                "All experts are stored, used or not; the cost per token stays.",
                True,
            ),
            Option(
                "Both the parameters and the multiply–adds per token.",
                "Storing and computing are two things here: only two experts compute.",
            ),
            Option("Neither.", "The new experts have weights, and those are parameters."),
        ),
    ),
    Question(
        "params.quiz-4",
        "“The FFN costs O(n·d²) and attention O(n²·d), so attention costs more as soon as n is above d.” What is wrong?",
        (
            Option(
                "Attention's projections are left out.",
                "They cost 4·n·d² and belong to attention; the constants count too: with d_ff = 4·d they meet at n = 2·d.",
                True,
            ),
            Option(
                "The FFN costs O(n²·d) as well, as it sees all tokens.",
                "The FFN handles each position alone; its cost per token does not depend on n.",
            ),
            Option("Nothing: they cost the same at n = d.", "At n = d the FFN still costs more: count the constants."),
        ),
    ),
    Question(
        "params.quiz-5",
        "In which of these layers do you expect the smallest share of the FFN?",
        (
            Option(
                "An encoder layer of 2017 with d_ff = 4 · d_model.",
                "One attention of 4·d² beside an FFN of 8·d²: two thirds.",
            ),
            Option(
                "A decoder layer of 2017 with d_ff = 4 · d_model.",
                "It has two attentions, which together weigh as much as the FFN.",
                True,
            ),
            Option(
                "A layer with grouped-query attention and a gated FFN with d_ff = 3.5 · d_model.",
                "The FFN has 10.5·d², and attention has less than 4·d².",
            ),
        ),
    ),
)

LESSON = Lesson(
    number=6,
    topic="params",
    title="Parameter share",
    exercises=(
        COUNT,
        SHARE,
        SMALLEST,
        CROSSOVER_LENGTH,
        MEMORY,
        FFN,
        ATTENTION,
        LAYER_SHARE,
        CROSSOVER,
        TINY_LLAMA,
    ),
    questions=QUESTIONS,
)

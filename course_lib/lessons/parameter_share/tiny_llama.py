"""Exercise: count a published model to the last digit."""

import math

from course_lib.content import Case, Exercise, Mistake, Returns, take_value


def _llama(d=2048, f=5632, layers=22, heads=32, kv_heads=4, vocab=32_000, ffns=3, tables=2, norms=2, last=1, scale=1):
    """Count a decoder in the style of Llama from its configuration, matrix by matrix; every option can be got wrong."""
    kv = d * kv_heads // heads
    shapes = [(d, d), (d, kv), (d, kv), (d, d)] + [(d, f)] * ffns + [(d,)] * norms * scale
    layer = sum(math.prod(shape) for shape in shapes)
    return layers * layer + tables * vocab * d + last * scale * d


_TINY = _llama()
_TINY_FFN = 3 * 2048 * 5632

EXERCISE = Exercise(
    id="parameter_share.tiny_llama",
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

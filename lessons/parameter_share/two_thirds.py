"""Exercise: find the width at which a gated FFN has two thirds of a layer with grouped-query attention."""

from lessons.parameter_share.shared import numbers_in
from whywrong.task import Case, Exercise, Mistake, Returns


def _cases(rng):
    heads = int(rng.integers(3, 6))
    sizes = (12, 4, 2), (12, 4, 1), (10, 5, 5), (64, 8, 2), (heads * int(rng.integers(7, 12)), heads, heads - 1)
    return [Case(args) for args in sizes]


def _oracle(d_model, n_heads, n_kv_heads):
    narrow = d_model // n_heads * n_kv_heads
    attention = numbers_in((d_model, d_model), (d_model, narrow), (d_model, narrow), (d_model, d_model))
    return 2 * attention / numbers_in((3, d_model))


EXERCISE = Exercise(
    id="parameter_share.two_thirds",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the width"),),
    mistakes=(
        Mistake(
            "all-heads",
            lambda d, heads, kv: 8 * d / 3,
            "That is the width beside an attention with as many heads for keys and values as for queries. Here the matrices for key and value are narrower.",
        ),
        Mistake(
            "two-matrices",
            lambda d, heads, kv: 2 * d * (1 + kv / heads),
            "That is the width of an FFN with two matrices. A gated one has three.",
        ),
        Mistake(
            "two-thirds-of-attention",
            lambda d, heads, kv: 4 * d * (1 + kv / heads) / 9,
            "Your FFN is two thirds as large as attention. If it has two thirds of both together, how many times as large is it?",
        ),
        Mistake(
            "as-large-as-attention",
            lambda d, heads, kv: 2 * d * (1 + kv / heads) / 3,
            "Your FFN is as large as attention, so it has half of the layer. The factor that would give it two thirds is missing.",
        ),
        Mistake(
            "only-keys-narrow",
            lambda d, heads, kv: 2 * d * (3 + kv / heads) / 3,
            "Only one of attention's four matrices is narrower in your count. Keys and values both have n_kv_heads heads.",
        ),
        Mistake(
            "heads-upside-down",
            lambda d, heads, kv: 4 * d * (1 + heads / kv) / 3,
            "The fraction of the heads is upside down: with fewer heads for keys and values, their matrices become narrower.",
        ),
        Mistake(
            "output-narrow-too",
            lambda d, heads, kv: 2 * d * (1 + 3 * kv / heads) / 3,
            "Three of attention's four matrices are narrower in your count. Only those for key and value are.",
        ),
        Mistake(
            "whole",
            lambda d, heads, kv: 4 * d * (heads + kv) // (3 * heads),
            "You rounded down. Return the width itself, a fraction if need be.",
        ),
    ),
    hints=(
        "If the FFN has two thirds, attention has one third: how many times as large as attention is the FFN?",
        "Query and output are (d_model, d_model). Key and value are (d_model, d_model · n_kv_heads / n_heads).",
        "Start with: narrow = … / n_heads, which is how wide keys and values are, and attention = … + 2 * d_model * narrow.",
    ),
    right="With all heads, this is the 8/3 · d_model of the first LLaMA; with fewer heads for keys and values it is less.",
    may_use=("attention_parameters", "count_parameters"),
)

"""What the lesson claims in words, held against the accounting and against real modules."""

import pytest

from course_lib.desk import grade
from course_lib.lessons.catalogue import item
from course_lib.lessons.parameter_share.tiny_llama import EXERCISE as TINY_LLAMA
from course_lib.model import accounting
from course_lib.model.one_thread import nn
from tests.lessons.stored import plain_outputs

OUTPUTS = plain_outputs("06_parameter_share")
MODELS = {model.name: model for model in accounting.published_models()}


def without_embeddings(model):
    parts = accounting.model_parts(model)
    return parts["ffn"] / (sum(parts.values()) - parts["embeddings"])


def test_tiny_llama_as_real_modules():
    def linear(rows, columns):
        return nn.Linear(rows, columns, bias=False, device="meta")

    layer = [linear(2048, 2048), linear(2048, 256), linear(2048, 256), linear(2048, 2048)]
    layer += [linear(2048, 5632), linear(2048, 5632), linear(5632, 2048)]
    layer += [nn.RMSNorm(2048, device="meta"), nn.RMSNorm(2048, device="meta")]
    outside = [nn.Embedding(32_000, 2048, device="meta"), linear(2048, 32_000), nn.RMSNorm(2048, device="meta")]
    total = 22 * sum(map(accounting.count_parameters, layer)) + sum(map(accounting.count_parameters, outside))
    assert total == TINY_LLAMA.oracle()
    assert not any("tinyllama" in name.lower() for name in MODELS)


def says_right(prediction, guess):
    return grade(f"parameter_share.predict_{prediction}", guess).key == "correct"


@pytest.mark.parametrize(
    ("prediction", "number", "cell", "shown", "printed"),
    [
        ("count", accounting.ffn_parameters(512, 2048) / 1e6, "run-1", "together                  2,099,712", 2099712),
        ("share", 100 * accounting.layer_share(512, 2048)["ffn"], "run-2", ": 66.6 %", 66.6),
        (
            "memory",
            accounting.weight_bytes(MODELS["Llama-3-8B"].exact_total, "bfloat16") / 1e9,
            "run-5",
            "  16.1  ",
            16.1,
        ),
    ],
)
def test_the_nearest_choice_is_the_answer(prediction, number, cell, shown, printed):
    asked = item(f"parameter_share.predict_{prediction}")
    assert min(asked.choices, key=lambda choice: abs(choice - number)) == asked.answer
    assert shown in OUTPUTS[cell] and printed in asked.printed
    assert all(says_right(prediction, guess) for guess in asked.printed)


def test_the_other_answers_to_the_predictions():
    four = [MODELS[name] for name in item("parameter_share.predict_model").choices]
    assert says_right("model", min(four, key=accounting.ffn_share).name)
    assert "from 39.9 % (Transformer base)" in OUTPUTS["run-3"]
    assert says_right("crossover", accounting.crossover_length(512, 2048))
    assert "All of attention costs as much at 1,024 tokens" in OUTPUTS["run-4"]


def test_what_moves_the_share():
    """The four groups that the lesson reads from its table."""
    for model in MODELS.values():
        share = without_embeddings(model)
        eight_d_squared = (3 if model.gated else 2) * model.expansion == pytest.approx(8, rel=0.02)
        if model.kind == "encoder-decoder":
            assert share < 0.58, model.name
        elif model.experts:
            assert share > 0.96, model.name
        elif model.n_kv_heads == model.n_heads and eight_d_squared:
            assert share == pytest.approx(2 / 3, abs=0.006), model.name
        else:
            assert share > 0.75, model.name
            assert model.n_kv_heads < model.n_heads or model.expansion > 4, model.name


def test_embeddings_lower_the_share_most_in_small_models():
    gpt2 = [MODELS[f"GPT-2 {size}"] for size in ("small", "medium", "large", "XL")]
    losses = [without_embeddings(model) - accounting.ffn_share(model) for model in gpt2]
    assert losses == sorted(losses, reverse=True)


def test_below_the_crossover_the_ffn_is_more_than_half_of_the_work():
    for d in (64, 512, 768):
        ffn, projections = accounting.ffn_multiply_adds(d, 4 * d), accounting.projection_multiply_adds(d)
        for n in (1, d, 2 * d - 1, 2 * d, 2 * d + 1, 8 * d):
            mixing = accounting.mixing_multiply_adds(d, n)
            assert (ffn > projections + mixing) == (n < 2 * d)
            assert (projections > mixing) == (n < 2 * d)

"""What the lesson claims in words, held against the accounting and against real modules."""

import dataclasses

import pytest

from course_lib.model import accounting
from course_lib.model.one_thread import nn
from lessons.parameter_share import measure
from lessons.parameter_share.tiny_llama import RIGHT

MODELS = {model.name: model for model in accounting.published_models()}


def without_embeddings(model):
    parts = accounting.model_parts(model)
    return parts["ffn"] / (sum(parts.values()) - parts["embeddings"])


def test_tiny_llama_as_real_modules():
    def linear(rows, columns):
        return nn.Linear(rows, columns, bias=False, device="meta")

    def count(*modules):
        return sum(map(accounting.count_parameters, modules))

    norm = nn.RMSNorm(2048, device="meta")
    assert {
        "attention": 22 * count(linear(2048, 2048), linear(2048, 256), linear(2048, 256), linear(2048, 2048)),
        "ffns": 22 * count(linear(2048, 5632), linear(2048, 5632), linear(5632, 2048)),
        "norms": (22 * 2 + 1) * count(norm),
        "tables": count(nn.Embedding(32_000, 2048, device="meta"), linear(2048, 32_000)),
    } == RIGHT
    assert sum(RIGHT.values()) == 1_100_048_384
    assert not any("tinyllama" in name.lower() for name in MODELS)


def test_the_totals_that_the_text_compares():
    """With the table of tokens counted twice, and the parameters that work for one token."""
    gpt2, deepseek = MODELS["GPT-2 small"], MODELS["DeepSeek-V3"]
    twice = accounting.total_parameters(dataclasses.replace(gpt2, tied_embeddings=False))
    assert [round(total / 1e6) for total in (gpt2.exact_total, twice)] == [124, 163]
    active, table = accounting.active_parameters(deepseek), deepseek.vocab * deepseek.d_model
    assert [round(count / 1e9, 1) for count in (active, active - table)] == [37.6, 36.6]


def test_what_moves_the_share():
    """The four groups that the lesson reads from its table."""
    for model in MODELS.values():
        share = without_embeddings(model)
        eight_d_squared = (3 if model.gated else 2) * model.expansion == pytest.approx(8, rel=0.02)
        if model.kind == "encoder-decoder":
            assert share < 0.58, model.name
        elif model.experts:
            assert share > 0.95, model.name
        elif model.n_kv_heads == model.n_heads and eight_d_squared:
            assert share == pytest.approx(2 / 3, abs=0.006), model.name
        else:
            assert share > 0.7, model.name
            assert model.n_kv_heads < model.n_heads or model.expansion > 4, model.name


def test_what_the_lesson_says_about_the_recorded_times():
    record = measure.record()
    tokens = {int(n): time for n, time in record["tokens"].items()}
    assert 0.4 < record["adding"] / tokens[1] < 0.6 and tokens[1] > 7 * tokens[256] and tokens[64] < 1.3 * tokens[256]
    for d_model, shares in record["activations"].items():
        operations = 100 / (2 * int(d_model))
        assert operations < shares["ReLU"] < 1 and shares["ReLU"] == pytest.approx(shares["only × 1"], rel=0.3)
        assert shares["GELU, exact"] < 3 and shares["SiLU"] < 3
        assert shares["the same, written out"] > 2 * shares["GELU, tanh form"] > 8 * shares["ReLU"]

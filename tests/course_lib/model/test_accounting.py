"""Closed forms against counts of real modules, and the published models against their exact totals."""

import subprocess
import sys
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from course_lib.model.accounting import (
    active_parameters,
    count_parameters,
    ffn_multiply_adds,
    ffn_parameters,
    gated_parameters,
    mixing_multiply_adds,
    model_parts,
    projection_multiply_adds,
    published_models,
    total_parameters,
)
from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward

MODELS = {model.name: model for model in published_models()}
each_model = pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))

sizes = st.integers(1, 40)


@settings(deadline=None)
@given(d_model=sizes, d_ff=sizes, bias=st.booleans())
def test_feed_forward_networks(d_model, d_ff, bias):
    two = nn.Sequential(nn.Linear(d_model, d_ff, bias=bias), nn.ReLU(), nn.Linear(d_ff, d_model, bias=bias))
    assert ffn_parameters(d_model, d_ff, bias) == count_parameters(two)
    assert ffn_parameters(d_model, d_ff) == count_parameters(PositionWiseFeedForward(d_model, d_ff))
    assert gated_parameters(d_model, d_ff, bias) == count_parameters(GatedFeedForward(d_model, d_ff, bias=bias))


def measured_multiply_adds(function, *inputs):
    """Count the multiply–adds of the matrix products that torch really runs."""
    with FlopCounterMode(display=False) as counter:
        function(*inputs)
    return counter.get_total_flops() // 2


def test_multiply_adds_equal_what_torch_counts():
    d_model, d_ff, tokens = 12, 40, 9
    x = torch.zeros(tokens, d_model)
    ffn, gated = PositionWiseFeedForward(d_model, d_ff), GatedFeedForward(d_model, d_ff)
    assert measured_multiply_adds(ffn, x) == tokens * ffn_multiply_adds(d_model, d_ff)
    assert measured_multiply_adds(gated, x) == tokens * ffn_multiply_adds(d_model, d_ff, gated=True)

    def attend(x):
        q, k, v = (x @ torch.zeros(d_model, d_model) for _ in range(3))
        return (q @ k.T).softmax(dim=-1) @ v @ torch.zeros(d_model, d_model)

    expected = projection_multiply_adds(d_model) + mixing_multiply_adds(d_model, seq_len=tokens)
    assert measured_multiply_adds(attend, x) == tokens * expected


@each_model
def test_the_total_is_exact(model):
    assert total_parameters(model) == model.exact_total


def test_the_parts_of_the_base_model_as_real_modules():
    """The attentions of 2017 have no biases, unlike those of torch's layers."""
    parts = model_parts(MODELS["Transformer base"])
    encoder = nn.TransformerEncoderLayer(512, 8, 2048, device="meta")
    decoder = nn.TransformerDecoderLayer(512, 8, 2048, device="meta")
    attention = nn.MultiheadAttention(512, 8, bias=False, device="meta")
    norms = [m for layer in (encoder, decoder) for m in layer.modules() if isinstance(m, nn.LayerNorm)]
    assert parts["attention"] == 6 * 3 * count_parameters(attention)
    assert parts["ffn"] == 12 * ffn_parameters(512, 2048)
    assert parts["rest"] == 6 * count_parameters(nn.ModuleList(norms))
    assert parts["embeddings"] == count_parameters(nn.Embedding(37000, 512, device="meta"))


def test_the_notes_say_what_was_counted():
    deepseek = MODELS["DeepSeek-V3"]
    active, table = active_parameters(deepseek), deepseek.vocab * deepseek.d_model
    assert (round(active / 1e9, 1), round((active - table) / 1e9, 1)) == (37.6, 36.6)
    assert "37.6" in deepseek.note and "36.6" in deepseek.note
    oss = MODELS["gpt-oss-120b"]
    active, table = active_parameters(oss), oss.vocab * oss.d_model
    assert (round(active / 1e9, 1), round((active - table) / 1e9, 1)) == (5.7, 5.1)
    assert "5.7" in oss.note and "5.1" in oss.note
    qwen = MODELS["Qwen3-235B-A22B"]
    assert f"{active_parameters(qwen) / 1e9:.1f}" == "22.2" and "22.2" in qwen.note
    qwen, olmo = MODELS["Qwen3-32B"], MODELS["OLMo-3-32B"]
    assert round((qwen.exact_total - 2 * qwen.vocab * qwen.d_model) / 1e9, 1) == 31.2 and "31.2" in qwen.note
    padding = olmo.exact_total - total_parameters(replace(olmo, vocab=100_278))
    assert olmo.vocab == 100_352 and f"{padding:,}" in olmo.note
    for name, reported in (("Gemma-2B", 2_506_434_560), ("Gemma-7B", 8_538_074_112)):
        model = MODELS[name]
        assert model.exact_total + 128 * model.d_model == reported and f"{reported:,}" in model.note


def test_accounting_loads_no_torch():
    code = "import sys, course_lib.model.accounting as a; a.published_models(); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"

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
    attention_parameters,
    count_parameters,
    crossover_length,
    ffn_multiply_adds,
    ffn_parameters,
    ffn_share,
    ffn_total,
    gated_parameters,
    latent_attention_parameters,
    layer_norm_parameters,
    layer_share,
    mixing_multiply_adds,
    model_parts,
    projection_multiply_adds,
    published_models,
    total_parameters,
)
from course_lib.model.activations import ACTIVATIONS
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


@settings(max_examples=30, deadline=None)
@given(head_dim=st.integers(1, 8), n_heads=st.integers(1, 6), d_ff=sizes, bias=st.booleans())
def test_layers_of_torch(head_dim, n_heads, d_ff, bias):
    d_model = head_dim * n_heads
    attention = nn.MultiheadAttention(d_model, n_heads, bias=bias)
    assert attention_parameters(d_model, bias) == count_parameters(attention)
    assert attention_parameters(d_model, bias, n_heads) == count_parameters(attention)
    assert layer_norm_parameters(d_model, bias) == count_parameters(nn.LayerNorm(d_model, bias=bias))
    encoder = nn.TransformerEncoderLayer(d_model, n_heads, d_ff, bias=bias)
    parts = ffn_parameters(d_model, d_ff, bias) + attention_parameters(d_model, bias)
    assert parts + 2 * layer_norm_parameters(d_model, bias) == count_parameters(encoder)


@settings(max_examples=30, deadline=None)
@given(d_model=sizes, n_kv_heads=st.integers(1, 4), group=st.integers(1, 4), head_dim=sizes, bias=st.booleans())
def test_grouped_query_attention(d_model, n_kv_heads, group, head_dim, bias):
    n_heads = n_kv_heads * group
    layers = [
        nn.Linear(d_model, n_heads * head_dim, bias=bias),
        nn.Linear(d_model, n_kv_heads * head_dim, bias=bias),
        nn.Linear(d_model, n_kv_heads * head_dim, bias=bias),
        nn.Linear(n_heads * head_dim, d_model, bias=bias),
    ]
    expected = count_parameters(nn.ModuleList(layers))
    assert attention_parameters(d_model, bias, n_heads, n_kv_heads, head_dim) == expected


def test_latent_attention():
    d_model, n_heads, head_dim, query_rank, key_value_rank, rope_dim = 13, 3, 5, 7, 4, 2
    layers = [
        nn.Linear(d_model, query_rank, bias=False),
        nn.RMSNorm(query_rank),
        nn.Linear(query_rank, n_heads * (head_dim + rope_dim), bias=False),
        nn.Linear(d_model, key_value_rank + rope_dim, bias=False),
        nn.RMSNorm(key_value_rank),
        nn.Linear(key_value_rank, n_heads * (head_dim + head_dim), bias=False),
        nn.Linear(n_heads * head_dim, d_model, bias=False),
    ]
    expected = count_parameters(nn.ModuleList(layers))
    assert latent_attention_parameters(d_model, n_heads, head_dim, query_rank, key_value_rank, rope_dim) == expected


def test_a_layer_of_torch_as_wide_as_in_2017():
    assert ffn_parameters(512, 2048) == 2_099_712
    assert gated_parameters(512, 2048) == 3_145_728
    share = layer_share(512, 2048)
    assert [round(100 * share[part], 2) for part in ("ffn", "attention", "norm")] == [66.61, 33.33, 0.06]
    assert round(100 * share["norm"], 3) == 0.065
    assert round(100 * layer_share(512, 2048, decoder=True)["ffn"], 2) == 49.95


@settings(deadline=None)
@given(d_model=sizes, d_ff=sizes, bias=st.booleans(), decoder=st.booleans())
def test_shares_of_a_layer(d_model, d_ff, bias, decoder):
    share = layer_share(d_model, d_ff, bias, decoder)
    layer = (nn.TransformerDecoderLayer if decoder else nn.TransformerEncoderLayer)(
        d_model, 1, d_ff, bias=bias, device="meta"
    )
    norms = sum(count_parameters(part) for part in layer.modules() if isinstance(part, nn.LayerNorm))
    assert sum(share.values()) == pytest.approx(1)
    assert share["ffn"] * count_parameters(layer) == pytest.approx(ffn_parameters(d_model, d_ff, bias))
    assert share["norm"] * count_parameters(layer) == pytest.approx(norms)


def test_a_shared_parameter_counts_once():
    tied = nn.ModuleList([nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False)])
    tied[1].weight = tied[0].weight
    assert count_parameters(tied) == 9


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


@settings(deadline=None)
@given(d_model=sizes, d_ff=st.integers(1, 400))
def test_crossover_lengths(d_model, d_ff):
    ffn = ffn_multiply_adds(d_model, d_ff)
    alone = crossover_length(d_model, d_ff, projections=False)
    assert mixing_multiply_adds(d_model, alone) == ffn
    n = crossover_length(d_model, d_ff)
    if n:
        assert projection_multiply_adds(d_model) + mixing_multiply_adds(d_model, n) == ffn
    else:
        assert projection_multiply_adds(d_model) >= ffn


def test_crossover_at_four_times_the_width():
    assert crossover_length(512, 2048) == 2 * 512
    assert crossover_length(512, 2048, projections=False) == 4 * 512


def test_there_are_33_models_with_different_names():
    assert len(published_models()) == len(MODELS) == 33


@each_model
def test_the_total_is_exact(model):
    assert total_parameters(model) == model.exact_total


@each_model
def test_the_parts_of_a_model(model):
    parts = model_parts(model)
    assert list(parts) == ["ffn", "attention", "embeddings", "rest"]
    assert min(parts.values()) > 0
    assert sum(parts.values()) == model.exact_total
    assert parts["ffn"] == ffn_total(model)
    assert parts["rest"] < 0.01 * model.exact_total


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


@each_model
def test_a_row_makes_sense(model):
    assert model.published_parameters == pytest.approx(model.exact_total, rel=0.04)
    assert model.kind in {"encoder", "decoder", "encoder-decoder"}
    assert (model.encoder_layers > 0, model.decoder_layers > 0) == ("encoder" in model.kind, "decoder" in model.kind)
    assert model.attention_bias in {"yes", "no", "qkv"}
    assert model.head_norms in {"yes", "no", "wide"}
    assert model.norm in {"layernorm", "layernorm without bias", "rmsnorm"}
    assert model.activation in {*ACTIVATIONS, "relu2"}
    assert model.ffn_name in {"ReLU", "ReLU²", "GELU", "GEGLU", "SwiGLU"}
    assert model.n_heads % model.n_kv_heads == 0
    assert 2017 <= model.year <= 2026
    assert model.source and model.checked
    assert 0 < ffn_total(model) < total_parameters(model)


def test_shares_of_whole_models_reach_from_40_to_98_percent():
    shares = {name: ffn_share(model) for name, model in MODELS.items()}
    assert min(shares, key=shares.get) == "Transformer base"
    assert max(shares, key=shares.get) == "gpt-oss-120b"
    assert (round(min(shares.values()), 2), round(max(shares.values()), 2)) == (0.40, 0.98)


def test_the_totals_of_2017_have_no_biases_in_attention():
    totals = [
        (MODELS[name].attention_bias, MODELS[name].exact_total) for name in ("Transformer base", "Transformer big")
    ]
    assert totals == [("no", 63_045_632), ("no", 214_171_648)]


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


def test_active_parameters():
    assert active_parameters(MODELS["Mixtral 8x7B"]) == 12_879_925_248
    assert active_parameters(MODELS["LLaMA-7B"]) == MODELS["LLaMA-7B"].exact_total


@pytest.mark.parametrize(
    "function",
    [
        ffn_parameters,
        gated_parameters,
        layer_share,
        ffn_multiply_adds,
        mixing_multiply_adds,
        crossover_length,
    ],
)
def test_wrong_sizes(function):
    with pytest.raises(ValueError, match="d_model must be an integer of at least 1, but int 0 was given"):
        function(0, 4)
    with pytest.raises(ValueError, match=r"(d_ff|seq_len) must be an integer of at least 1, but int -4 was given"):
        function(4, -4)
    with pytest.raises(TypeError, match=r"d_model must be an integer of at least 1, but float 4\.0 was given"):
        function(4.0, 4)


def test_other_wrong_arguments():
    with pytest.raises(TypeError, match="bias must be True or False, but str 'qkv' was given"):
        attention_parameters(8, "qkv")
    with pytest.raises(ValueError, match=r"n_heads must divide d_model \(or give head_dim\), but 3 does not divide 8"):
        attention_parameters(8, n_heads=3)
    with pytest.raises(ValueError, match="n_kv_heads must be an integer from 1 to 4, but int 5 was given"):
        attention_parameters(8, n_heads=4, n_kv_heads=5)
    with pytest.raises(ValueError, match="query_rank must be an integer of at least 1"):
        latent_attention_parameters(8, 2, 4, 0, 4, 2)
    for wrong in (None, nn.Linear, 3):
        with pytest.raises(TypeError, match="module must be a torch module, but"):
            count_parameters(wrong)
    for function in (total_parameters, model_parts, ffn_total, ffn_share, active_parameters):
        with pytest.raises(TypeError, match="model must be a PublishedModel, but str 'BERT-base' was given"):
            function("BERT-base")


def test_accounting_loads_no_torch():
    code = "import sys, course_lib.model.accounting as a; a.published_models(); print('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"

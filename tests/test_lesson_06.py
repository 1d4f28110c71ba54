"""What lesson 06 claims in words, held against the accounting and against real modules."""

import numpy as np
import pytest
from torch import nn

from course_lib import accounting
from course_lib.figures import params as figures
from course_lib.figures.style import Interactive
from course_lib.lessons import l06

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
    assert total == l06.TINY_LLAMA.oracle()
    assert not any("tinyllama" in name.lower() for name in MODELS)


def test_the_answers_to_the_predictions_are_computed():
    answers = [exercise.oracle() for exercise in (l06.COUNT, l06.SHARE, l06.SMALLEST, l06.CROSSOVER_LENGTH, l06.MEMORY)]
    assert answers == [2, 67, "Transformer base", 1024, 16]


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


def test_the_slider_agrees_with_the_accounting():
    explorer = figures.share_explorer(64)
    assert isinstance(explorer, Interactive)
    assert "at 128 tokens" in explorer.update(ratio=4, seq_len=32)
    assert "or more at every length" in explorer.update(ratio=2, seq_len=32)
    assert "50.0 % of its multiply–adds" in explorer.update(ratio=4, seq_len=128)
    for ratio, seq_len in ((0.5, 1), (4, 64), (16, 8192)):
        explorer.update(ratio=ratio, seq_len=seq_len)
        bars = [artist for artist in explorer.moving if hasattr(artist, "get_width")]
        widths = np.array([bar.get_width() for bar in bars]).reshape(4, 2)  # parts, rows
        assert widths.sum(axis=0) == pytest.approx([100, 100])
        share = accounting.layer_share(64, round(ratio * 64))
        assert widths[0, 0] == pytest.approx(100 * share["ffn"])


def test_captions_come_from_the_data():
    _, caption = figures.cost_by_length([1, 2, 3, 4, 5, 6], 6, 2, [1, 2, 3, 4, 5, 7])
    assert "at 4, its scores" not in caption and "as much at 4 tokens" in caption
    _, caption = figures.time_ratio([1, 2, 4], [0.5, 1.0, 2.0], [0.1, 0.2, 0.3])
    assert "As measured, attention costs as much as the FFN at about 2 tokens" in caption
    assert "as counted, attention costs as much as the FFN at no length shown here" in caption


def test_wrong_arguments():
    with pytest.raises(ValueError, match="every row of shares"):
        figures.layer_bars(["a"], ["x", "y"], [[0.5, 0.6]])
    with pytest.raises(ValueError, match="shares must have a row for each of 2 names"):
        figures.model_bars(["a", "b"], ["x", "y"], [[0.5, 0.5]])
    with pytest.raises(ValueError, match="d_model must be an integer of at least 1"):
        figures.share_explorer(0)
    with pytest.raises(ValueError, match="seq_len must be an integer of at least 1"):
        figures.share_explorer(8).update(ratio=4, seq_len=0)

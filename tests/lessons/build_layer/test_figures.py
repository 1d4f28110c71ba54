"""The figures of the build draw the data they are given, and their captions follow it."""

import numpy as np
import pytest

from lessons.build_layer import figures

WORDS = ["a", "b", "c"]


def test_parts_names_every_part_once():
    figure, caption = figures.parts(16, 4, 64)
    texts = [text.get_text() for text in figure.axes[0].texts]
    for name in ("norm1", "qkv", "4 heads", "out", "norm2", "up", "GELU", "down"):
        assert texts.count(name) == 1
    assert "qkv 48" in caption and "up 64" in caption and texts.count("+") == 2


def test_attention_weights_says_whether_rows_and_zeros_hold():
    weights = np.tril(np.ones((3, 3))) / np.arange(1, 4)[:, None]
    figure, caption = figures.attention_weights(weights, WORDS)
    assert "later word: True" in caption and "c 0.33" in caption
    assert [text.get_text() for text in figure.axes[0].texts].count("0.00") == 3
    assert "later word: False" in figures.attention_weights(np.full((3, 3), 1 / 3), WORDS)[1]
    assert "later word: False" in figures.attention_weights(weights / 2, WORDS)[1]


def test_largest_weights_tells_both_ends():
    plain, scaled = np.full((2, 5), 0.5), np.full((2, 5), 0.25)
    plain[1] = 0.9
    caption = figures.largest_weights([4, 16], plain, scaled)[1]
    assert "grows from 0.5 to 0.9 as a head grows from 4 to 16 features; with it, the median stays near 0.25" in caption


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.parts(0, 4, 64), "d_model must be an integer"),
        (lambda: figures.attention_weights(np.ones((2, 2)), WORDS), "with queries = 3, but its shape is"),
        (lambda: figures.largest_weights([4], np.ones((2, 3)), np.ones((2, 3))), "with n = 1, but its shape is"),
    ],
)
def test_wrong_figure_data(call, message):
    with pytest.raises(ValueError, match=message):
        call()

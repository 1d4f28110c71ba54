"""What the figures draw and say, held against the layers themselves."""

import numpy as np
import pytest

from course_lib.model import probes
from course_lib.model.block import EncoderBlock
from course_lib.model.one_thread import torch
from course_lib.page.interactive import Choice, Explorer
from lessons.position_independence import figures

WORDS = ["the", "river", "reached", "the", "bank"]


def draw(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def block(d_model=8, d_ff=32):
    torch.manual_seed(0)
    return EncoderBlock(d_model, 2, d_ff).double().eval()


def causal(layer, n):
    mask = torch.ones(n, n).triu(1).bool()
    return lambda x: layer.attention(x, x, x, attn_mask=mask)[0]


def matrices():
    layer, x = block(), draw(5, 8)
    return {"FFN": probes.influence(layer.ffn, x), "causal": probes.influence(causal(layer, 5), x)}


def test_influence_maps_share_one_scale_and_name_the_pattern():
    found = matrices()
    figure, caption = figures.influence_maps(WORDS, found.values(), list(found))
    limits = {image.get_clim() for axes in figure.axes for image in axes.get_images()}
    top = max(matrix.max() for matrix in found.values())
    assert limits == {(0, top)}
    assert "FFN, only the diagonal (5 of 25)" in caption
    assert "causal, the diagonal and everything below it (15 of 25)" in caption
    assert "some entries (3 of 25)" in figures.influence_maps(WORDS, [np.eye(5, k=2)], ["shift"])[1]


def test_who_moves_follows_its_controls():
    interactive = figures.who_moves(WORDS, matrices())
    explorer = Explorer(
        interactive,
        word=Choice("change", figures.numbered(WORDS)),
        layer=Choice("layer", ("FFN", "causal")),
    )
    first = explorer.png()
    assert "1 output row moves (1 the), 4 stay" in explorer.caption
    explorer.set(word="2 river", layer="causal")
    assert "4 output rows move (2 river, 3 reached, 4 the, 5 bank), 1 stays" in explorer.caption
    assert explorer.png() != first
    explorer.set(word="1 the", layer="FFN")
    assert explorer.png() == first
    with pytest.raises(ValueError, match="unknown word 'the'"):
        interactive.update("the", "FFN")
    with pytest.raises(ValueError, match="unknown layer 'RNN'"):
        interactive.update("1 the", "RNN")


def test_wrong_arguments_of_the_figures():
    with pytest.raises(TypeError, match="words must be a non-empty list of strings"):
        figures.numbered([1, 2])
    with pytest.raises(ValueError, match=r"matrices must have shape \(words, words\) with words = 5"):
        figures.who_moves(WORDS, {"FFN": np.eye(4)})
    with pytest.raises(ValueError, match="finite"):
        figures.influence_maps(WORDS, [np.full((5, 5), np.nan)], ["FFN"])

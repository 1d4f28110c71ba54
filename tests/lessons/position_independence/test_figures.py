"""What the slider draws and says, held against the layers themselves."""

import numpy as np
import pytest

from course_lib.model import probes
from course_lib.model.block import EncoderBlock
from course_lib.model.one_thread import torch
from courseware.page.interactive import Choice, Explorer
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

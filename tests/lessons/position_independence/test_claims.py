"""What the lesson claims in words: what is exact and what is not, and the answers to its predictions."""

import re

import nbformat
import numpy as np
import pytest

from course_lib.model import accounting
from course_lib.model.block import EncoderBlock
from course_lib.model.ffn import PositionWiseFeedForward
from course_lib.model.one_thread import torch
from tests.conftest import NOTEBOOKS

NOTEBOOK = "05_position_independence"


def draw(*shape, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=dtype)


@pytest.mark.parametrize("value", [1000.0, np.nan, np.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("n", "d"), [(2, 8), (5, 8), (64, 64), (128, 256), (64, 512)])
def test_at_equal_shape_the_other_rows_keep_every_bit(n, d, dtype, value):
    torch.manual_seed(0)
    ffn, x = PositionWiseFeedForward(d, 4 * d).to(dtype).eval(), draw(n, d, dtype=dtype)
    changed = x.clone()
    changed[0] = value
    with torch.no_grad():
        assert torch.equal(ffn(changed)[1:], ffn(x)[1:])
        assert not torch.equal(ffn(changed)[0], ffn(x)[0])


@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_one_token_at_a_time_is_equal_up_to_rounding(dtype, bound):
    torch.manual_seed(0)
    ffn, x = PositionWiseFeedForward(512, 2048).to(dtype).eval(), draw(64, 512, dtype=dtype)
    with torch.no_grad():
        one_by_one = torch.cat([ffn(row[None]) for row in x])
        assert (one_by_one - ffn(x)).abs().max() < bound
        assert (one_by_one.roll(1, 0) - ffn(x)).abs().max() > 0.1  # the demonstration can fail


def test_equal_words_get_equal_outputs_only_where_order_is_unknown():
    """The FFN and attention pass the test of the two "the"; causal attention and a convolution fail it."""
    torch.manual_seed(0)
    words = draw(4, 8)
    x = words[[0, 1, 2, 0, 3]]
    layer = EncoderBlock(8, 2, 32).double().eval()
    mask = torch.ones(5, 5).triu(1).bool()
    kernel = torch.nn.Conv1d(8, 8, kernel_size=3, padding=1).double()
    with torch.no_grad():
        for f in (layer.ffn, layer.attend):
            assert torch.allclose(f(x)[0], f(x)[3], atol=1e-12)
        for f in (lambda x: layer.attention(x, x, x, attn_mask=mask)[0], lambda x: kernel(x.T).T):
            assert (f(x)[0] - f(x)[3]).abs().max() > 0.1


def test_so_many_models_add_positions_to_the_tokens():
    models = accounting.published_models()
    adds = [model for model in models if model.learned_positions or model.year == 2017]
    cells = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS / f"{NOTEBOOK}.ipynb", as_version=4).cells}
    told = re.search(r"In (\d+) of the (\d+) models in the course's table", cells["explain-4"])
    assert [int(number) for number in told.groups()] == [len(adds), len(models)]
    begin = ("Transformer ", "BERT-", "GPT-2 ", "GPT-3 ", "OPT-")
    assert [sum(model.name.startswith(name) for model in adds) for name in begin] == [2, 2, 4, 1, 1]

"""What the lesson claims in words: what is exact and what is not, and the answers to its predictions."""

import re

import nbformat
import numpy as np
import pytest

from course_lib.desk import grade
from course_lib.model import accounting, bank
from course_lib.model.block import EncoderBlock
from course_lib.model.ffn import PositionWiseFeedForward
from course_lib.model.one_thread import torch
from tests.conftest import NOTEBOOKS
from tests.lessons.stored import plain_outputs, run_cells

NOTEBOOK = "05_position_independence"
OUTPUTS = plain_outputs(NOTEBOOK)


def draw(*shape, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(0), dtype=dtype)


def says_right(prediction, guess):
    """Tell whether a guess is exactly what the experiment shows."""
    return "and that is right" in grade(f"position_independence.predict_{prediction}", guess).message


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


def test_the_answers_to_the_predictions():
    """They follow from what the notebook shows."""
    assert "FFN: 8 of 40 output numbers move" in OUTPUTS["run-1"] and says_right("numbers", 8)
    assert "attention: 40 of 40 output numbers move" in OUTPUTS["run-1"]
    assert "numbers change in row 2 only" in OUTPUTS["run-1-stages"]
    assert "FFN, only the diagonal (5 of 25); attention, every entry (25 of 25)" in OUTPUTS["run-2"]
    assert "causal attention, the diagonal and everything below it (15 of 25)" in OUTPUTS["run-2"]
    assert says_right("causal", 15)
    assert says_right("gap", "tiny")  # the test above has the bound, and the notebook's own numbers may differ
    shuffles = OUTPUTS["run-4"].splitlines()[2:]
    assert len(shuffles) == 3 and says_right("shuffle", sum("  20 of 20  " in line for line in shuffles))
    assert "two convolutions with a ReLU between them give the FFN: True" in OUTPUTS["run-5"]
    assert "the best single convolution misses 21 %" in OUTPUTS["run-5-single"] and says_right("convolutions", 2)


def test_one_product_beats_many():
    assert OUTPUTS["run-5-together"].endswith("more than twice as long: True\n")


def test_so_many_models_add_positions_to_the_tokens():
    models = accounting.published_models()
    adds = [model for model in models if model.learned_positions or model.year == 2017]
    cells = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS / f"{NOTEBOOK}.ipynb", as_version=4).cells}
    told = re.search(r"In (\d+) of the (\d+) models in the course's table", cells["explain-4"])
    assert [int(number) for number in told.groups()] == [len(adds), len(models)]
    begin = ("Transformer ", "BERT-", "GPT-2 ", "GPT-3 ", "OPT-")
    assert [sum(model.name.startswith(name) for model in adds) for name in begin] == [2, 2, 4, 1, 1]


def test_the_ffn_alone_cannot_see_the_river():
    rows = [line.split()[-4:] for line in OUTPUTS["story"].splitlines()[2:]]
    assert rows == [["0.98", "0.00", "0.00", "0.98"], ["0.00"] * 4]


def test_the_storys_layer_is_written_out_as_it_is():
    names = run_cells(NOTEBOOK, "setup", "run-2-bank")
    for cue in bank.CUES:
        for causal in (False, True):
            way = bank.way(cue, causal=causal)
            found = names["shore"](way.x, np.tri(5) if causal else np.ones((5, 5)))
            assert np.allclose(found, way.written("shore"))
    without, masked = (line.split()[-5:] for line in OUTPUTS["run-2-bank"].splitlines()[2:])
    assert without == ["0.00", "0.98", "0.00", "0.00", "0.00"] and masked == ["0.00"] * 5

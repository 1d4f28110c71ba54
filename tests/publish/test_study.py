"""The study of what an FFN buys: that its rows are comparable, and how the rate is chosen."""

import numpy as np
import pytest
import torch

from course_lib.model import language_model
from course_lib.model.excerpts import excerpt
from publish.language_model import study, train

TEXT = excerpt("A").text
CODES = language_model.encoded(TEXT).astype(np.uint8)
SCORED = [TEXT[:400]]


def size(row):
    return sum(parameter.numel() for parameter in study.made(row, 0).parameters())


@pytest.mark.parametrize("row", ["linear ×4", "attention, wide", "attention, deep", "GELU ×4", "ReLU² ×4", "SwiGLU"])
def test_rows_that_are_compared_have_equally_many_parameters(row):
    assert size(row) == pytest.approx(size("ReLU ×4"), rel=0.006)


def test_the_width_and_nothing_else_grows():
    sizes = [size(f"ReLU ×{times}") for times in (1, 2, 4, 8)]
    unit = 64 + 1 + 64
    assert np.diff(sizes).tolist() == [2 * 64 * times * unit for times in (1, 2, 4)]
    assert sizes[0] - size("no FFN") == 2 * (64 * unit + 64 + 128)  # with the output's biases, and the norm before it


@pytest.mark.parametrize("row", study.ROWS)
def test_a_character_does_not_know_what_follows_it_in_any_row(row):
    model = study.made(row, 0).eval()
    codes = torch.tensor([[3, 7, 9, 11, 2, 5], [3, 7, 9, 50, 60, 70]])
    logits = model(codes)
    torch.testing.assert_close(logits[0, :3], logits[1, :3], rtol=0, atol=1e-5)
    assert not torch.allclose(logits[0, 3:], logits[1, 3:], atol=1e-3)
    assert all(parameter.requires_grad for parameter in model.parameters())


def test_the_rows_are_what_they_are_called():
    x = torch.linspace(-2, 2, 5 * 64).reshape(5, 64)
    ffn = {row: study.made(row, 0).blocks[0].ffn for row in study.ROWS}
    for row in ("no FFN", "attention, wide", "attention, deep"):
        assert not ffn[row](x).any()
    linear = ffn["linear ×4"]
    torch.testing.assert_close(linear(2 * x) + linear(0 * x), 2 * linear(x))
    z = ffn["ReLU² ×4"].up(x)
    torch.testing.assert_close(ffn["ReLU² ×4"].hidden(x), z.clamp(min=0) * z)
    assert [len(study.made(row, 0).blocks) for row in ("ReLU ×4", "attention, deep")] == [2, 6]


def test_attentions_side_by_side_are_one_with_more_heads():
    """Three heads' worth of queries, keys and values, and one read-out of all that they bring."""
    block = study.made("attention, wide", 0).blocks[0].eval()
    x, parts = torch.randn(1, 7, 64, generator=torch.Generator().manual_seed(0)), block.attention.parts
    brought = []
    for part in parts:
        q, k, v = (x @ part.in_proj_weight.T + part.in_proj_bias).chunk(3, dim=-1)
        q, k, v = (one.unflatten(-1, (4, 16)).transpose(1, 2) for one in (q, k, v))
        scores = (q @ k.transpose(2, 3) / 4).masked_fill(torch.ones(7, 7).triu(1).bool(), -torch.inf)
        brought.append((torch.softmax(scores, dim=-1) @ v).transpose(1, 2).flatten(2))
    read_out = torch.cat([part.out_proj.weight for part in parts], dim=1)
    wanted = torch.cat(brought, dim=-1) @ read_out.T + sum(part.out_proj.bias for part in parts)
    torch.testing.assert_close(block.attend(x), wanted, rtol=1e-4, atol=1e-5)


def test_every_row_reads_the_same_windows(monkeypatch):
    read, next_windows = [], train.next_windows

    def noting(*args):
        read.append(next_windows(*args))
        return read[-1]

    monkeypatch.setattr(train, "next_windows", noting)
    for row in ("ReLU ×1", "attention, deep"):
        study.run(row, 3, 0.01, 2, CODES, SCORED)
    assert read[0].shape == (study.BATCH, study.WINDOW + 1)
    assert torch.equal(read[0], read[2]) and torch.equal(read[1], read[3]) and not torch.equal(read[0], read[1])


def pretended(calls, stop=None):
    """Return a training that takes no time; the best rate of each row is another one on the tuning seed than else."""

    def run(row, seed, rate, steps, text, scored):
        calls.append((row, seed, rate))
        if len(calls) == stop:
            raise KeyboardInterrupt
        best = study.RATES[list(study.ROWS).index(row) % 4] if seed == study.TUNING else 0.032
        return {"parameters": 10, "bits": 2 + abs(rate - best) + seed / 1000, "seconds": 1.0, "losses": [3.0]}

    return run


def test_the_rate_is_chosen_with_a_seed_that_is_not_in_the_table(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(study, "run", pretended(calls))
    *_, rows = study.study(tmp_path, [0, 1, 2], 5, CODES, SCORED)
    assert list(rows) == list(study.ROWS) and len(calls) == 13 * (4 + 3)
    for place, found in enumerate(rows.values()):
        assert found["rate"] == study.RATES[place % 4] and list(found["bits"]) == ["0", "1", "2"]
        assert set(found["rates_tried"]) == {str(rate) for rate in study.RATES}
    assert study.TUNING not in (0, 1, 2)

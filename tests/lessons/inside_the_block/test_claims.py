"""What the lesson says, measured again: the bound for one head, both orders of the norms, and its stored outputs."""

import re

import nbformat
import numpy as np
import pytest
import torch

from course_lib.lessons import catalogue
from course_lib.lessons.inside_the_block import LESSON
from course_lib.model.block import EncoderBlock
from tests.conftest import NOTEBOOKS

CELLS = nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4).cells


def printed(id):
    """Return what the stored outputs of a cell say."""
    cell = next(cell for cell in CELLS if cell.id == id)
    return "\n".join(output.get("text") or output.data["text/plain"] for output in cell.outputs)


def test_one_head_stays_above_its_bound_whatever_its_values_are():
    rng = np.random.default_rng(0)
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    for _ in range(2000):
        weights, values = np.exp(3 * rng.normal(size=(2, 2))), 3 * rng.normal(size=(2, 2))
        rest, constant = np.exp(3 * rng.normal()), 3 * rng.normal()
        means = (weights[0, a] * values[0, a] + weights[1, b] * values[1, b]) / (weights[0, a] + weights[1, b] + rest)
        for sign in (-1, 1):
            scale = np.polyfit(sign * means, a ^ b, 1) if np.ptp(means) > 1e-9 else (0, 0.5)
            for f in (np.polyval(scale, sign * means), means + constant):
                assert np.mean((f - (a ^ b)) ** 2) >= 0.125 - 1e-12


@pytest.mark.parametrize(("id", "norm_first"), [("pre_norm", True), ("post_norm", False)])
def test_oracle_is_the_encoder_block(id, norm_first):
    torch.manual_seed(0)
    block = EncoderBlock(8, 2, 16, norm_first=norm_first).double().eval()
    with torch.no_grad():
        for norm in (block.norm1, block.norm2):  # with gains and shifts that are no plain ones
            norm.weight.add_(0.2 * torch.randn(8).double())
            norm.bias.add_(0.2 * torch.randn(8).double())
    x = torch.randn(2, 5, 8, dtype=torch.float64)

    def plain(module):
        return lambda z: module(torch.from_numpy(z)).detach().numpy()

    parts = map(plain, (block.attend, block.ffn, block.norm1, block.norm2))
    y = catalogue.item(f"inside_the_block.{id}").oracle(x.numpy(), *parts)
    np.testing.assert_allclose(y, block(x).detach().numpy(), rtol=0, atol=1e-12)


def test_stored_outputs_say_what_the_prose_says():
    assert "All other runs end at 1/4, to 1e-3: True" in printed("run-3")
    assert "XOR of positions 1 and 3: attention + ReLU FFN." in printed("run-3")
    heads = [int(count) for count in re.findall(r"solves? (\d+) of", printed("run-4"))[:3]]
    assert heads[0] == 0 and min(heads[1:]) > 4
    assert "No run with 1 head is below 1/8: True" in printed("run-4")
    solved = [int(count) for count in re.findall(r"(\d+) of 10", printed("run-4-layers"))]
    assert solved[:2] == [0, 0] and min(solved[2:]) > 5
    assert "XOR of its own bits: with residuals;" in printed("run-5-frozen")
    assert printed("run-5").count("no residual below 1e-10") == 4  # the picture's text and its caption
    assert printed("ex-3-symptoms").count("False") == 3


def test_repaired_blocks_pass_the_symptoms():
    """With right blocks in place of the broken ones, the cell of the symptoms says True three times."""
    pre, post = (catalogue.item(f"inside_the_block.{id}").oracle for id in ("pre_norm", "post_norm"))

    def twice(x, *parts):
        return pre(pre(x, *parts), *parts)

    scope = {"np": np, "block_a": pre, "block_b": twice, "block_c": post}
    for id in ("ex-3-parts", "ex-3-symptoms"):
        exec(next(cell.source for cell in CELLS if cell.id == id), scope)
    assert scope["same"] and np.array_equal(scope["x"], scope["before"])
    assert not np.allclose(scope["one"], scope["other"])

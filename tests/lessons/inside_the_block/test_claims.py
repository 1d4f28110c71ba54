"""What the lesson says, measured again: the bound for one head, both orders of the norms, and repaired blocks."""

import nbformat
import numpy as np
import pytest
import torch

from course_lib.model import tasks
from course_lib.model.block import EncoderBlock
from lessons.inside_the_block import LESSON
from lessons.inside_the_block.shared import post_norm, pre_norm
from tests.conftest import NOTEBOOKS

CELLS = nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4).cells


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


@pytest.mark.parametrize(("oracle", "norm_first"), [(pre_norm, True), (post_norm, False)])
def test_oracle_is_the_encoder_block(oracle, norm_first):
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
    y = oracle(x.numpy(), *parts)
    np.testing.assert_allclose(y, block(x).detach().numpy(), rtol=0, atol=1e-12)


def test_repaired_blocks_pass_the_symptoms():
    """With right blocks in place of the broken ones, the cell of the symptoms says True three times."""

    def twice(x, *parts):
        return pre_norm(pre_norm(x, *parts), *parts)

    scope = {"np": np, "block_a": pre_norm, "block_b": twice, "block_c": post_norm}
    exec(next(cell.source for cell in CELLS if cell.id == "ex-3-symptoms"), scope)
    assert scope["same"] and np.array_equal(scope["rows"], scope["before"])
    assert not np.allclose(scope["one"], scope["other"])


def test_the_bound_of_the_parallel_block_and_of_the_ffn_first():
    """The best sum of three functions of one token each is off by 1/4, and an affine map of two of them is one such."""
    sequences, targets = tasks.tokens()
    x, y = sequences.numpy(), targets["XOR of positions 1 and 3"].numpy().ravel()
    kinds = 2 * (x[..., 0] > 0) + (x[..., 1] > 0)  # each token is one of four
    columns = np.concatenate([np.eye(4)[kinds[:, place]] for place in (1, 3, 5)], axis=1)
    best = columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    assert np.square(best - y).mean() == pytest.approx(1 / 4)


def test_each_block_adds_about_as_much_as_the_first():
    torch.manual_seed(0)
    stream = torch.randn(16, 64).double()
    added = []
    with torch.no_grad():
        for _ in range(96):
            block = EncoderBlock(64, 4, 256, norm_first=True).double().eval()
            for weights in block.parameters():
                if weights.ndim == 2:
                    weights.normal_(0, weights.shape[1] ** -0.5)
            stream, before = block(stream), stream
            added.append((stream - before).norm().item())
    assert 0.5 < np.mean(added[-10:]) / np.mean(added[:10]) < 2

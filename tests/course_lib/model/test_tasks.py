"""The small data sets are what their descriptions say."""

import math

import numpy as np
import pytest
import torch

from course_lib.model import tasks


def test_turns():
    x, y = tasks.turns(50, 5, seed=3)
    assert x.shape == (50, 5, 6) and y.shape == (50, 5, 2) and x.dtype == y.dtype == torch.float64
    assert torch.equal(x, tasks.turns(50, 5, seed=3)[0]) and not torch.equal(x, tasks.turns(50, 5, seed=4)[0])
    assert (x[..., 2:] == 0).all()
    pointer, turn = x[..., 0] + 1j * x[..., 1], y[..., 0] + 1j * y[..., 1]
    for token in range(5):
        torch.testing.assert_close(pointer[:, token - 1] * turn[:, token], pointer[:, token])
    torch.testing.assert_close(pointer.abs(), torch.ones(50, 5, dtype=torch.float64))


def test_best_affine_answer_to_each_task():
    x, targets = tasks.tokens(2)
    with_one = np.hstack([x.reshape(len(x), -1).numpy(), np.ones((len(x), 1))])
    for name, error in (("XOR of its own bits", 0.25), ("copy from position 1", 0), ("XOR of positions 1 and 3", 0.25)):
        y = targets[name].numpy()
        answer = with_one @ np.linalg.lstsq(with_one, y, rcond=None)[0]
        assert np.mean((answer - y) ** 2) == pytest.approx(error, abs=1e-12)


def test_global_random_state_is_left_alone():
    before = torch.random.get_rng_state()
    tasks.tokens(5)
    assert torch.equal(torch.random.get_rng_state(), before)

"""The small data sets are what their descriptions say."""

import math

import numpy as np
import pytest
import torch

from course_lib import tasks


def test_xor():
    x, y = tasks.xor()
    assert x.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]] and y.tolist() == [[0], [1], [1], [0]]
    assert x.dtype == y.dtype == torch.float64
    # the best affine answer is one half everywhere, by least squares
    design = np.hstack([x.numpy(), np.ones((4, 1))])
    best, *_ = np.linalg.lstsq(design, y.numpy(), rcond=None)
    assert np.allclose(design @ best, 0.5)


@pytest.mark.parametrize("n", [2, 7, 400])
def test_rings(n):
    x, y = tasks.rings(n)
    assert x.shape == (n, 2) and y.shape == (n, 1) and x.dtype == y.dtype == torch.float64
    assert (y == 0).sum() == n // 2 and set(y.unique().tolist()) == {0.0, 1.0}


def test_rings_radii_and_noise():
    x, y = tasks.rings(200, noise=0)
    radius = x.norm(dim=1)
    assert torch.allclose(radius, torch.where(y[:, 0] == 1, 1.5, 0.6).double())
    noisy = tasks.rings(4000, noise=0.1)[0] - tasks.rings(4000, noise=0)[0]
    assert noisy.std().item() == pytest.approx(0.1, rel=0.05)
    # angles cover the whole ring
    angles = torch.atan2(*x.T)
    assert angles.min() < -3 and angles.max() > 3


def test_rings_seed():
    assert torch.equal(tasks.rings(9, seed=3)[0], tasks.rings(9, seed=3)[0])
    assert not torch.equal(tasks.rings(9, seed=3)[0], tasks.rings(9, seed=4)[0])


@pytest.mark.parametrize("n", [2, 256])
def test_wave(n):
    x, y = tasks.wave(n)
    assert x.shape == y.shape == (n, 1) and x.dtype == y.dtype == torch.float64
    assert x[0].item() == pytest.approx(-math.pi) and x[-1].item() == pytest.approx(math.pi)
    assert np.allclose(np.diff(x[:, 0]), 2 * math.pi / (n - 1))
    assert np.allclose(y, np.sin(x.numpy()))


def test_global_random_state_is_left_alone():
    before = torch.random.get_rng_state()
    tasks.rings(50)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tasks.rings(1), ValueError, "n must be an integer of at least 2, but int 1"),
        (lambda: tasks.rings(2.5), TypeError, "n must be an integer"),
        (lambda: tasks.rings(4, noise=-1), ValueError, "noise must be"),
        (lambda: tasks.rings(4, noise=float("nan")), ValueError, "noise must be"),
        (lambda: tasks.rings(4, seed=-1), ValueError, "seed must be an integer of at least 0"),
        (lambda: tasks.wave(1), ValueError, "n must be an integer of at least 2"),
        (lambda: tasks.wave("many"), TypeError, "n must be an integer of at least 2, but str 'many'"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()

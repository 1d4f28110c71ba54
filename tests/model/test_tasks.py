"""The small data sets are what their descriptions say."""

import math

import numpy as np
import pytest
import torch

from course_lib.model import tasks


def test_xor():
    x, y = tasks.xor()
    assert x.tolist() == [[0, 0], [0, 1], [1, 0], [1, 1]] and y.tolist() == [[0], [1], [1], [0]]
    assert x.dtype == y.dtype == torch.float64
    # the best affine answer is one half everywhere, by least squares
    design = np.hstack([x.numpy(), np.ones((4, 1))])
    best, *_ = np.linalg.lstsq(design, y.numpy(), rcond=None)
    assert np.allclose(design @ best, 0.5)


@pytest.mark.parametrize("n", [2, 256])
def test_wave(n):
    x, y = tasks.wave(n)
    assert x.shape == y.shape == (n, 1) and x.dtype == y.dtype == torch.float64
    assert x[0].item() == pytest.approx(-math.pi) and x[-1].item() == pytest.approx(math.pi)
    assert np.allclose(np.diff(x[:, 0]), 2 * math.pi / (n - 1))
    assert np.allclose(y, np.sin(x.numpy()))


def test_turns():
    x, y = tasks.turns(50, 5, seed=3)
    assert x.shape == (50, 5, 6) and y.shape == (50, 5, 2) and x.dtype == y.dtype == torch.float64
    assert torch.equal(x, tasks.turns(50, 5, seed=3)[0]) and not torch.equal(x, tasks.turns(50, 5, seed=4)[0])
    assert (x[..., 2:] == 0).all()
    pointer, turn = x[..., 0] + 1j * x[..., 1], y[..., 0] + 1j * y[..., 1]
    for token in range(5):
        torch.testing.assert_close(pointer[:, token - 1] * turn[:, token], pointer[:, token])
    torch.testing.assert_close(pointer.abs(), torch.ones(50, 5, dtype=torch.float64))


@pytest.mark.parametrize("copies", [1, 3])
def test_tokens(copies):
    x, targets = tasks.tokens(copies, seed=4)
    assert x.shape == (64 * copies, 6, 2) and x.dtype == torch.float64
    assert set(x.unique().tolist()) == {-1.0, 1.0}
    seen = x[:, 1::2].reshape(-1, 6)
    rows, counts = torch.unique(seen, dim=0, return_counts=True)
    assert len(rows) == 64 and (counts == copies).all()
    others = x.reshape(copies, 64, 6, 2)[:, :, 0::2]
    assert (others == others[:, :1]).all()
    bits = (x > 0).int().tolist()
    for name, right in {
        "XOR of its own bits": [s[5][0] != s[5][1] for s in bits],
        "copy from position 1": [s[1][0] == 1 for s in bits],
        "XOR of positions 1 and 3": [s[1][0] != s[3][0] for s in bits],
    }.items():
        assert targets[name].dtype == torch.float64
        assert targets[name].tolist() == [[float(one)] for one in right]
    assert torch.equal(x, tasks.tokens(copies, seed=4)[0])


def test_best_affine_answer_to_each_task():
    x, targets = tasks.tokens(2)
    with_one = np.hstack([x.reshape(len(x), -1).numpy(), np.ones((len(x), 1))])
    for name, error in (("XOR of its own bits", 0.25), ("copy from position 1", 0), ("XOR of positions 1 and 3", 0.25)):
        y = targets[name].numpy()
        answer = with_one @ np.linalg.lstsq(with_one, y, rcond=None)[0]
        assert np.mean((answer - y) ** 2) == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize("n", [2, 4])
def test_parity(n):
    x, y = tasks.parity(n)
    assert x.shape == (2**n, n, 1) and y.shape == (2**n, 1)
    assert len(torch.unique(x, dim=0)) == 2**n
    assert torch.equal((x > 0).sum(dim=1) % 2, y.long())


def test_pairs():
    keys, values = tasks.pairs(5, 3, seeds=2, first_seed=7)
    assert keys.shape == values.shape == (2, 5, 3) and keys.dtype == torch.float64
    assert len({*keys.ravel().tolist(), *values.ravel().tolist()}) == 60
    again = tasks.pairs(5, 3, first_seed=8)
    assert torch.equal(again[0][0], keys[1]) and torch.equal(again[1][0], values[1])
    with pytest.raises(ValueError, match="n must be an integer of at least 1"):
        tasks.pairs(0, 3)
    with pytest.raises(TypeError, match="d_model must be"):
        tasks.pairs(2, 3.0)


def test_capitals():
    countries, cities = tasks.capitals()
    assert len(set(countries)) == len(set(cities)) == len(countries) == len(cities) == 24
    assert countries == sorted(countries)
    assert cities[countries.index("Argentina")] == "Buenos Aires" and cities[countries.index("Vietnam")] == "Hanoi"


@pytest.mark.parametrize(
    ("short", "long"),
    [
        (lambda: tasks.wave(), lambda: tasks.wave(256)),
        (lambda: tasks.pairs(3, 4), lambda: tasks.pairs(3, 4, 1, first_seed=0)),
        (lambda: tasks.tokens(), lambda: tasks.tokens(1, seed=0)),
        (lambda: tasks.parity(), lambda: tasks.parity(4)),
        (lambda: tasks.turns(3), lambda: tasks.turns(3, 6, seed=0)),
    ],
    ids=["wave", "pairs", "tokens", "parity", "turns"],
)
def test_the_defaults(short, long):
    torch.testing.assert_close(short(), long(), rtol=0, atol=0)


def test_global_random_state_is_left_alone():
    before = torch.random.get_rng_state()
    tasks.tokens(5)
    assert torch.equal(torch.random.get_rng_state(), before)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: tasks.turns(0), ValueError, "n must be an integer of at least 1"),
        (lambda: tasks.turns(2.5), TypeError, "n must be an integer"),
        (lambda: tasks.turns(3, 1), ValueError, "seq_len must be an integer of at least 2"),
        (lambda: tasks.tokens(0), ValueError, "copies must be an integer of at least 1"),
        (lambda: tasks.tokens(1.5), TypeError, "copies must be an integer"),
        (lambda: tasks.tokens(seed=-1), ValueError, "seed must be an integer of at least 0"),
        (lambda: tasks.parity(1), ValueError, "n must be an integer from 2 to 12"),
        (lambda: tasks.wave(1), ValueError, "n must be an integer of at least 2"),
        (lambda: tasks.wave("many"), TypeError, "n must be an integer of at least 2, but str 'many'"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()

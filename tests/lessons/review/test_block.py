"""The threshold and the budget of the block, measured again, and blocks that the check must tell apart."""

import itertools
import os

import numpy as np
import pytest

from course_lib.desk import grade
from course_lib.model import accounting, ffn, tasks, training
from course_lib.model.one_thread import nn, torch
from lessons.review.block import BUDGET, THRESHOLD


def looking_back(x):
    """Return x and what the fixed head brings, one row for each token."""
    h = x.clone()
    h[..., 2:4] += x.roll(1, dims=-2)[..., :2]
    return h.flatten(0, 1)


def trained_errors(many, steps=200):
    """Train networks in the block of the lesson and return their errors on fresh pointers."""
    around = training.Networks(many.parameters, lambda p, h: (h + many.forward(p, h))[..., 4:])
    (x, y), (fresh, turned) = tasks.turns(64, seed=0), tasks.turns(256, seed=1)
    training.fit(around, looking_back(x), y.flatten(0, 1), steps=steps, rate=0.03, schedule="cosine")
    return training.mean_squared_error(around(looking_back(fresh)), turned.flatten(0, 1)).numpy()


def test_no_affine_answer_beats_a_constant():
    x, y = tasks.turns(40_000, 3, seed=5)
    h, y = looking_back(x).numpy(), y.flatten(0, 1).numpy()
    h = np.hstack([h[:, :4], np.ones((len(h), 1))])
    error = np.mean((h @ np.linalg.lstsq(h, y, rcond=None)[0] - y) ** 2)
    assert error == pytest.approx(0.5, abs=2e-3)


def test_a_plain_network_reaches_the_threshold_from_every_start():
    many = training.networks((6, 14, 6), 50)
    assert many.size == 188 <= BUDGET < training.networks((6, 15, 6), 1).size
    assert trained_errors(many).max() < THRESHOLD / 2


@pytest.mark.parametrize(("activation", "width"), [("identity", 14), ("relu", 4)])
def test_linear_and_narrow_networks_never_do(activation, width):
    assert trained_errors(training.networks((6, width, 6), 20, activation)).min() > 5 * THRESHOLD


def test_gated_networks_reach_it_too():
    many = training.gated_networks((6, 9, 6), 20)
    assert many.size <= BUDGET and accounting.gated_parameters(6, 11) == 198
    assert trained_errors(many).max() < THRESHOLD / 2


def block(make):
    class MyBlock(nn.Module):
        def __init__(self):
            super().__init__()
            self.ffn = make()

        def forward(self, x):
            h = looking_back(x).unflatten(0, x.shape[:2])
            return h + self.ffn(h)

    return MyBlock


def layers(activation):
    return nn.Sequential(nn.Linear(6, 14), activation, nn.Linear(14, 6))


class NoInit(nn.Module):
    def __init__(self):
        self.up = nn.Linear(6, 14)


def test_the_check_trains_as_the_notebook_does():
    """Both start from the same kind of weights, on the same pointers; so a width passes or fails in both."""
    for width in (4, 14):
        verdict = grade(
            "review.block", block(lambda width=width: ffn.PositionWiseFeedForward(6, width, dropout=0.0)), 0
        )
        errors = trained_errors(training.networks((6, width, 6), 3))
        assert (verdict.key == "correct") == (errors.max() < THRESHOLD)


def test_the_check_is_deterministic_and_independent_of_the_session():
    answer = block(lambda: ffn.PositionWiseFeedForward(6, 14, dropout=0.0))
    for dtype, seed in itertools.product((torch.float32, torch.float64), (0, 1)):
        torch.set_default_dtype(dtype)
        torch.manual_seed(seed)
        try:
            assert grade("review.block", answer).key == "correct"
            assert torch.get_default_dtype() == dtype
        finally:
            torch.set_default_dtype(torch.float32)


def test_the_check_works_in_a_live_notebook(monkeypatch):
    monkeypatch.delenv("COURSE_STATIC", raising=False)
    assert os.environ.get("COURSE_STATIC") is None
    assert grade("review.block", block(lambda: ffn.SwiGLUFeedForward(6, 11))).key == "correct"


@pytest.mark.parametrize(
    ("answer", "key", "words"),
    [
        (block(lambda: ffn.SwiGLUFeedForward(6, 16)), "mistake:over-budget", "more than 200"),
        (
            block(lambda: ffn.PositionWiseFeedForward(6, 14, activation="identity", dropout=0.0)),
            "mistake:linear",
            "sum rule",
        ),
        (block(lambda: nn.Linear(6, 6)), "mistake:linear", "sum rule"),
        (block(lambda: nn.LayerNorm(6)), "mistake:no-better-than-constant", "than a constant"),
        (block(lambda: layers(nn.Softmax(dim=1))), "mistake:mixes-positions", ""),
        (block(lambda: layers(nn.Softmax(dim=2))), "mistake:narrow", "above the threshold"),
        (block(lambda: lambda h: nn.functional.dropout(h, 0.5)), "value", "Two calls"),
        (block(lambda: lambda h: 0 * h - 1), "mistake:plain-tensors", "no parameters"),
        (block(lambda: nn.Sequential(nn.Linear(6, 6), nn.Sigmoid())), "value", "every parameter at 0"),
        (block(lambda: lambda h: None), "slip:operand", "is None"),
        (NoInit, "raises", "super"),
    ],
)
def test_other_blocks(answer, key, words):
    verdict = grade("review.block", answer, 0)
    assert verdict.key == key, verdict
    assert words in verdict.message


class Normed(nn.Module):
    """A block with a norm behind each sum."""

    def __init__(self):
        super().__init__()
        self.norm1, self.norm2, self.ffn = nn.LayerNorm(6), nn.LayerNorm(6), nn.Sequential(nn.Linear(6, 12), nn.ReLU())
        self.ffn.append(nn.Linear(12, 6))

    def forward(self, x):
        h = self.norm1(x + roll_back(x))
        return self.norm2(h + self.ffn(h))


class BareNorm(Normed):
    def forward(self, x):
        h = x + roll_back(nn.functional.layer_norm(x, (6,)))
        return h + self.ffn(h)


def roll_back(x):
    return nn.functional.pad(x.roll(1, dims=-2)[..., :2], (2, 2))


def reading(read, width=14):
    """Make blocks that add look_back(x) to x, and an FFN of read(x, look_back(x))."""

    class MyBlock(nn.Module):
        def __init__(self):
            super().__init__()
            self.ffn = nn.Sequential(nn.Linear(6, width), nn.GELU(), nn.Linear(width, 6))

        def forward(self, x):
            return x + roll_back(x) + self.ffn(read(x, roll_back(x)))

    return MyBlock


class OneLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.ffn = nn.Sequential(nn.Linear(6, 6), nn.GELU())

    def forward(self, x):
        h = x + roll_back(x)
        return h + self.ffn(h)


@pytest.mark.parametrize(
    ("answer", "name"),
    [
        (Normed, "norm"),
        (BareNorm, "norm"),
        (reading(lambda x, brought: x), "reads-x"),
        (reading(lambda x, brought: brought), "reads-attention"),
        (reading(lambda x, brought: x + brought), None),
        (OneLayer, "bend-last"),
    ],
)
def test_what_the_network_reads(answer, name):
    assert grade("review.block", answer, 0).key == (f"mistake:{name}" if name else "correct")


def test_weights_that_training_cannot_find_are_told():
    class InAList(nn.Module):
        def __init__(self):
            super().__init__()
            self.layers = [nn.Linear(6, 14), nn.Linear(14, 6)]

        def forward(self, x):
            h = looking_back(x).reshape(x.shape)
            up, down = (layer.to(x.dtype) for layer in self.layers)
            return h + down(torch.relu(up(h)))

    for seed in range(3):
        assert grade("review.block", InAList, seed).key == "mistake:plain-tensors"

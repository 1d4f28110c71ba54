"""The threshold and the budget of the block, measured again; the check trains the same way each time."""

import itertools
import os

import numpy as np
import pytest

from course_lib.desk import grade
from course_lib.model import ffn, tasks, training
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


def test_a_plain_network_reaches_the_threshold_from_every_start():
    many = training.networks((6, 14, 6), 50)
    assert many.size == 188 <= BUDGET < training.networks((6, 15, 6), 1).size
    assert trained_errors(many).max() < THRESHOLD / 2


@pytest.mark.parametrize(("activation", "width"), [("identity", 14), ("relu", 4)])
def test_linear_and_narrow_networks_never_do(activation, width):
    assert trained_errors(training.networks((6, width, 6), 20, activation)).min() > 5 * THRESHOLD


def block(make):
    class MyBlock(nn.Module):
        def __init__(self):
            super().__init__()
            self.ffn = make()

        def forward(self, x):
            h = looking_back(x).unflatten(0, x.shape[:2])
            return h + self.ffn(h)

    return MyBlock


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

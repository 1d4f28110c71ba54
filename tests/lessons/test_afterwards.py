"""What is asked once all values are right: answers that fail there alone are told why, and wrong values come first."""

from functools import partial

import numpy as np
import pytest
import torch

from course_lib.desk import grade
from tests.lessons.answers import CATALOGUE, assert_documented
from whywrong.task import Exercise


def gated(x, W, V, b, c):
    return torch.nn.functional.gelu(x @ W + b) * (x @ V + c)


def at_most(count, sign=-1):
    """Make a training loop that stops after so many steps, whatever is asked for."""

    def train(gradients, parameters, rate, momentum, steps):
        here, velocities = [one.copy() for one in parameters], [np.zeros_like(one) for one in parameters]
        for _ in range(min(steps, count)):
            pairs = zip(velocities, gradients(here), strict=True)
            velocities = [momentum * velocity + gradient for velocity, gradient in pairs]
            here = [one + sign * rate * velocity for one, velocity in zip(here, velocities, strict=True)]
        return here

    return train


def windows(first, positive=False):
    """Make an answer that begins with the window at a place; `positive`: only values above 0 are looked at."""

    def strongest_contexts(h, codes, k, width):
        values = h[width - 1 + first :]
        values = np.where(values > 0, values, 0) if positive else values
        ends = np.argsort(-values, kind="stable")[:k] + width - 1 + first
        return np.array([codes[end - width + 1 : end + 1] for end in ends])

    return strongest_contexts


def each_choice_alone(x, chosen, gates, mine, everywhere=False):
    """Run an expert on its own tokens for one of their choices after the other, or on every token."""
    y = np.zeros(x.shape)
    for place in range(chosen.shape[1]):
        for number, expert in mine.items():
            rows = chosen[:, place] == number
            added = expert(x)[rows] if everywhere else expert(x[rows])
            y[rows] += gates[rows, place, None] * added
    return y


DISPATCH = "bonus_experts.dispatch"
TRAIN, CONTEXTS = "build_backward.train", "build_microscope.strongest_contexts"
GEGLU = "bonus_swiglu.geglu"
RIGHT_BUT = [
    (DISPATCH, partial(each_choice_alone, everywhere=True), "value", "tokens chose it: pick their rows first"),
    (DISPATCH, each_choice_alone, "value", "was called 2 times: collect the rows"),
    (GEGLU, lambda *args: gated(*args).numpy(), "type", "Return a torch tensor"),
    (TRAIN, at_most(20), "value", "does every one of the steps happen?"),
    (CONTEXTS, windows(1), "value", "right, except for the first one of the text"),
    (CONTEXTS, windows(0, positive=True), "value", "wrong where all values are negative"),
]
WRONG_TOO = [
    (DISPATCH, lambda x, *others: x + each_choice_alone(x, *others), "mistake:residual"),
    (GEGLU, lambda x, W, V, b, c: gated(x, W, V, b, 0 * c).numpy(), "mistake:no-c"),
    (TRAIN, at_most(20, sign=1), "mistake:uphill"),
    (CONTEXTS, lambda h, codes, k, width: windows(1)(-h, codes, k, width), "mistake:smallest"),
]


@pytest.mark.parametrize("row", RIGHT_BUT, ids=lambda row: row[0])
def test_right_values_in_a_wrong_way_are_told_so(row):
    id, answer, key, words = row
    for seed in range(5):
        verdict = grade(id, answer, seed)
        assert verdict.key == key and words in verdict.message, verdict
        assert_documented(id, verdict, seed)


@pytest.mark.parametrize("row", WRONG_TOO, ids=lambda row: row[0])
def test_wrong_values_are_told_first(row):
    id, answer, key = row
    assert all(grade(id, answer, seed).key == key for seed in range(5))


def test_every_question_that_is_asked_afterwards_is_tried():
    asked = {id for id, item in CATALOGUE.items() if isinstance(item, Exercise) and item.afterwards is not None}
    assert asked == {row[0] for row in RIGHT_BUT} == {row[0] for row in WRONG_TOO}

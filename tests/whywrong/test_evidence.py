"""The numbers below a verdict: the first case that differs, by the learner's own names, and no answer given away."""

import re
from dataclasses import replace

import numpy as np
import pytest

from tests.whywrong.answers import COUNT, CURVE, LAYER, exercise
from whywrong.judge import grade
from whywrong.task import Case, Returns

NUMBERS = exercise(lambda d, name: float(d), [((3, "a"),), ((5, "b"),)], returns=(Returns("the count"),))
POINTS = exercise(
    lambda X: X[:, :1] * X[:, 1:],
    [((np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),),)],
    returns=(Returns("y", ("points", "d_out")),),
)


def shown(item, answer, seed=0):
    verdict = grade(item, answer, seed)
    assert verdict.status == "not yet", verdict
    return verdict.evidence.splitlines()


@pytest.mark.parametrize(
    ("item", "answer"),
    [
        (POINTS, lambda X: X[:, :1] + X[:, 1:] - 0.25),
        (COUNT, lambda d, f, bias: d * f + 12345 * bias),
        (NUMBERS, lambda d, name: d * 100 + 7),
        (LAYER, lambda x, W, b: x @ W + np.abs(b)),
    ],
)
def test_fixed_cases_never_show_what_is_expected(item, answer):
    fixed = replace(item, fresh=False)
    open_, closed = shown(item, answer), shown(fixed, answer)
    assert any("expected" in line for line in open_) and not any("expected" in line for line in closed)
    assert not any("largest difference" in line for line in closed)
    assert open_[0] == closed[0]
    for line, other in zip(closed[1:], open_[1:], strict=True):
        assert line.split(",")[0].split(";")[0].rstrip(".") in other  # what is theirs stays


def test_values_that_look_alike_are_told_apart():
    for factor, digits in ((1 + 1e-5, 7), (1 + 1e-12, 17)):
        item = replace(NUMBERS, oracle=lambda d, name: d / 7, tolerance=1e-13)
        line = shown(item, lambda d, name, factor=factor: d / 7 * factor)[1]
        yours, expected = re.fullmatch(r"  the count: yours (\S+), expected (\S+)", line).groups()
        assert yours != expected and len(expected) <= digits + 3


def test_what_rounding_leaves_is_shown_as_0():
    """It differs from processor to processor; a value that is small because it must be is shown as it is."""
    point = replace(CURVE, oracle=lambda x: x, cases=lambda rng: [Case((np.array([0.0, 2.0, -3e-15]),))])
    shifted = shown(point, lambda x: np.array([-6e-16, 7e-16, -2e-15]))
    assert [line.split(": ")[1] for line in shifted[1:4]] == [
        "yours 0, right",
        "yours 0, expected 2",
        "yours −2e−15, right",
    ]
    assert shown(NUMBERS, lambda d, name: 1e-16)[1] == "  the count: yours 0, expected 3"

"""Part marks: how much of a wrong answer is right."""

import math
import runpy
from fractions import Fraction

import numpy as np
import pytest

from lessons import catalogue
from whywrong import judge, part

SEED = 1
marked = runpy.run_module("course_lib.points")["marked"]  # as a cell with points does it
HALF, NONE = Fraction(1, 2), Fraction(0)


def share(id, answer, seed=SEED):
    item = catalogue.item(id)
    return part.compute_share(item, answer, judge.grade(item, answer, seed), seed)[0]


def mistaken(id, name):
    return next(mistake.answer for mistake in catalogue.item(id).mistakes if mistake.name == name)


DOUBLE = "start_here.double"
ROWWISE = "position_independence.rowwise"
AFFINE = "linear_limits.is_affine"


def test_right_answer_gets_all_and_stopped_or_malformed_ones_nothing():
    assert share(DOUBLE, lambda x: 2 * x) == 1
    for wrong in (lambda x: 1 / 0, lambda x: None, lambda x: np.zeros((9, 9, 9)), 3, lambda x: "two"):
        assert share(DOUBLE, wrong) == NONE


@pytest.mark.parametrize(
    ("id", "name", "expected"),
    [
        (ROWWISE, "first-missing", Fraction(8, 11)),  # of rows
        (AFFINE, "other-way", Fraction(3, 4)),  # of boxes, beyond those that one answer gets
        ("build_the_ffn.which_bug", "residual-as-correct", None),
        ("position_independence.influence", "exact", HALF),
        ("relu_vs_gelu.gelu_slope", "no-x", HALF),
    ],
)
def test_named_mistake_gets_half_and_more_right_values_more(id, name, expected):
    names = [mistake.name for mistake in catalogue.item(id).mistakes]
    name = name if name in names else next(one for one in names if not one.startswith("all"))
    assert share(id, mistaken(id, name)) == (expected or HALF)


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("start_here.double", "unchanged"),
        (AFFINE, "always-true"),
        ("position_independence.which_layers", "none"),
        ("position_independence.influence", "none"),
        ("build_the_ffn.which_bug", "all-correct"),
    ],
)
def test_answer_that_says_nothing_gets_nothing_though_the_mistake_has_a_name(id, name):
    verdict = judge.grade(catalogue.item(id), mistaken(id, name), SEED)
    assert verdict.key == f"mistake:{name}" and share(id, mistaken(id, name)) == NONE


# A function, a class, and an answer that is looked at: of one, two and three stars.
@pytest.mark.parametrize("id", ["relu_vs_gelu.gelu_slope", "build_the_ffn.module", "position_independence.influence"])
def test_no_wrong_answer_gets_all_and_each_the_same_again(id):
    worth = 2 * catalogue.lesson(id.partition(".")[0]).exercises[id.partition(".")[2]].stars
    for mistake in catalogue.item(id).mistakes[:2]:
        first = marked(id, mistake.answer, worth, (SEED,))
        assert 0 <= first.points < worth and (2 * first.points).is_integer()
        np.random.seed(0)
        assert marked(id, mistake.answer, worth, (SEED,)) == first


def test_an_answer_is_marked_in_the_first_draw_in_which_it_is_wrong():
    begun = []
    draws = (begun.append(seed) or seed for seed in (1, 2026))
    assert marked(DOUBLE, lambda x: len(begun) * x, 2, draws).points == 0

"""Why values differ: part by part, and by how they grow; a second fault or a growth is not made up."""

import math

import numpy as np
import pytest

from tests.whywrong.answers import COUNT, exercise, in_file, told
from whywrong.judge import grade
from whywrong.task import Case, HalfRight, Mistake, Returns


def _arrays(rng):
    return [Case((rng.normal(size=size) * 2,)) for size in (7, 5)]


X = Returns("the result", ("n",))
NAMED = exercise(
    lambda x: np.array([v * math.exp(-v * v / 2) for v in x]),
    _arrays,
    returns=(X,),
    mistakes=(
        Mistake("no-x", lambda x: np.exp(-x * x / 2), "The factor x is missing."),
        Mistake("no-half", lambda x: x * np.exp(-x * x), "The ½ is missing."),
        Mistake("root", lambda x: np.sqrt(x), "This is a root."),
    ),
)


def test_nan_beside_right_values_only(tmp_path):
    def right_but(x, places):
        y = x * np.exp(-x * x / 2)
        y[places] = np.nan
        return y

    assert grade(NAMED, lambda x: right_but(x, [0]), 0).message.endswith("All finite values are right.")
    for answer in (lambda x: right_but(x, slice(None)), lambda x: right_but(x, [0]) + (np.arange(len(x)) == 1)):
        verdict = grade(NAMED, answer, 0)
        assert verdict.key == "nan" and "finite are right" not in verdict.message


def test_two_faults_are_not_told_where_one_mend_makes_all_right(tmp_path):
    known = Mistake("two", lambda x: -x * np.exp(-x * x / 2), "Two things are wrong: so they say.", two=True)
    item = exercise(NAMED.oracle, _arrays, returns=(X,), mistakes=(known,))
    answer = "def f(x):\n    return -x * np.exp(-x * x / 2)"
    assert told(item, in_file(answer, tmp_path))[0] == "slip:minus"
    assert grade(item, known.answer, 0).key == "mistake:two"  # nobody's code: there is nothing to mend


PAIR = exercise(
    lambda x: (2 * x, x**3),
    _arrays,
    returns=(Returns("a", ("n",)), Returns("b", ("n",))),
    mistakes=(
        Mistake("thrice", lambda x: (3 * x, x**3), "It is twice, and not three times."),
        Mistake("square", lambda x: (2 * x, x * x), "It is the cube, and not the square."),
        HalfRight("one-right", lambda x: (5 * x, x**3), "b is right; a is five times x."),
        Mistake("constant", lambda x: (0 * x, x**3), "It is not 0."),
    ),
)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            lambda x: (3 * x, x * x),
            "In `a`: It is twice, and not three times. In `b`: It is the cube, and not the square.",
        ),
        (lambda x: (3 * x, np.sin(x)), "In `a`: It is twice, and not three times. `b` is wrong too."),
    ],
)
def test_each_value_has_its_own_mistake(answer, words):
    verdict = grade(PAIR, answer, 0)
    assert (verdict.key, verdict.message) == ("seen:parts", words)


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (
            lambda d, f, bias: 7 * (d + f) + 0 * bias,
            "Is there a sum where you meant a product, or one quotient too many?",
        ),
        (lambda d, f, bias: d * f * d + 0 * bias, "Is there one factor or power too many?"),
    ],
)
def test_growth(answer, words):
    verdict = grade(COUNT, answer, 0)
    assert verdict.key == "seen:growth" and verdict.message.endswith(words), verdict


def test_growth_is_not_told_where_both_grow_alike_or_expected_values_are_kept_back():
    assert grade(COUNT, lambda d, f, bias: 1.07 * d * f + d * 1.3 + 0 * bias, 0).key != "seen:growth"
    kept_back = exercise(COUNT.oracle, COUNT.cases, returns=COUNT.returns, fresh=False)
    assert grade(kept_back, lambda d, f, bias: 7 * (d + f) + 0 * bias, 0).key != "seen:growth"


# ---- one fault is not told as two ------------------------------------------------------------------------------------

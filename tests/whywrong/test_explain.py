"""Why values differ: by a named mistake, part by part, by how they grow; a second fault is not made up."""

import math
import re

import numpy as np
import pytest

from course_lib.desk import grade as graded
from tests.whywrong.answers import COUNT, exercise, in_file, told
from whywrong.judge import grade
from whywrong.task import Case, HalfRight, Mistake, Returns, two_at_once


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


def test_nan_is_told_by_the_mistake_that_gives_it(tmp_path):
    key, message = told(
        NAMED, in_file("def f(x):\n    with np.errstate(all='ignore'):\n        return x**0.5", tmp_path)
    )
    assert (key, message) == ("mistake:root", "This is a root.")
    key, _ = told(NAMED, in_file("def f(x):\n    return np.where(x > 1, np.nan, 0.3)", tmp_path))
    assert key == "nan"


def test_nan_beside_right_values_only(tmp_path):
    def right_but(x, places):
        y = x * np.exp(-x * x / 2)
        y[places] = np.nan
        return y

    assert grade(NAMED, lambda x: right_but(x, [0]), 0).message.endswith("All finite values are right.")
    for answer in (lambda x: right_but(x, slice(None)), lambda x: right_but(x, [0]) + (np.arange(len(x)) == 1)):
        verdict = grade(NAMED, answer, 0)
        assert verdict.key == "nan" and "finite are right" not in verdict.message


# ---- two faults that are known of two parts --------------------------------------------------------------------------

_FACTOR = {"no-x": (lambda x: 1.0, "the factor x is missing"), "minus": (lambda x: -x, "the sign is turned")}
_BELL = {
    "no-half": (lambda x: np.exp(-x * x), "the ½ is missing"),
    "minus": (lambda x: -np.exp(-x * x / 2), "its sign is turned"),
}
TWO = two_at_once("{}, and {}", _FACTOR, _BELL, lambda one, other: lambda x: one(x) * other(x), {("minus", "minus")})
BOTH = exercise(NAMED.oracle, _arrays, returns=(X,), mistakes=tuple(TWO))


def test_two_faults_are_told_of_two_parts(tmp_path):
    assert [one.name for one in BOTH.mistakes] == ["no-x.no-half", "no-x.minus", "minus.no-half"]
    key, message = told(BOTH, in_file("def f(x):\n    return np.exp(-x * x)", tmp_path))
    assert key == "mistake:no-x.no-half"
    assert message == "Two things are wrong: the factor x is missing, and the ½ is missing."


def test_two_faults_are_not_told_where_one_mend_makes_all_right(tmp_path):
    known = Mistake("two", lambda x: -x * np.exp(-x * x / 2), "Two things are wrong: so they say.", two=True)
    item = exercise(NAMED.oracle, _arrays, returns=(X,), mistakes=(known,))
    answer = "def f(x):\n    return -x * np.exp(-x * x / 2)"
    assert told(item, in_file(answer, tmp_path))[0] == "slip:minus"
    assert grade(item, known.answer, 0).key == "mistake:two"  # nobody's code: there is nothing to mend


# ---- several returned values, and growth -----------------------------------------------------------------------------

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


def test_no_mistake_is_named_for_a_part_where_it_is_not_certain():
    for answer in (lambda x: (5 * x, np.sin(x)), lambda x: (0 * x, np.sin(x))):
        assert grade(PAIR, answer, 0).key != "seen:parts"  # the words speak of b; all values are the same


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


def test_growth_is_told_by_the_numbers(tmp_path):
    verdict = grade(COUNT, lambda d, f, bias: 7 * (d + f) + 0 * bias, 0)
    yours, right = map(float, re.findall(r"([\d.]+) times", verdict.message))
    d, f = 3, 5
    assert yours == 2
    assert right == pytest.approx((4 * d * f + 2 * d + 2 * f) / (d * f + d + f), rel=1e-2)


def test_growth_is_not_told_where_both_grow_alike_or_expected_values_are_kept_back():
    assert grade(COUNT, lambda d, f, bias: 1.07 * d * f + d * 1.3 + 0 * bias, 0).key != "seen:growth"
    kept_back = exercise(COUNT.oracle, COUNT.cases, returns=COUNT.returns, fresh=False)
    assert grade(kept_back, lambda d, f, bias: 7 * (d + f) + 0 * bias, 0).key != "seen:growth"


@pytest.mark.parametrize("answer", [lambda d, f, bias: d + f + 17, lambda d, f, bias: d * f * (d + 3)])
def test_growth_of_several_terms_says_nothing_of_one_factor(answer):
    assert grade(COUNT, lambda d, f, bias: answer(d, f, bias) + 0 * bias, 0).key != "seen:growth"


# ---- one fault is not told as two ------------------------------------------------------------------------------------

ONE_FAULT = {  # two mends turn each of these into another known mistake, into what is right, or nearer to it
    "a bias left out": (
        "parameter_share.layer_share(d, f)",
        "(2 * d * f + f) / (2 * d * f + f + 4 * d**2 + 4 * d + 2 * (2 * d))",
    ),
    "a divisor left out": ("bonus_swiglu.width(d, m)", "(int(2 * 4 * d) + m - 1) // m * m"),
    "a factor left out": ("parameter_share.crossover(d, f)", "(d * f - 4 * d**2) // (2 * d)"),
    "a bias not added again": ("build_the_ffn.forward(x, W1, b1, W2, b2)", "np.maximum(x @ W1, -b1) @ W2 + b2"),
    "a bias bent": (
        "build_the_ffn.forward(x, W1, b1, W2, b2)",
        "np.maximum(x @ W1 + b1, 0) @ W2 + np.maximum(b2, 0)",
    ),
}


@pytest.mark.parametrize("fault", ONE_FAULT)
def test_an_answer_with_one_fault_is_not_told_of_two(fault, tmp_path):
    call, value = ONE_FAULT[fault]
    id, _, names = call.partition("(")
    answer = in_file(f"def answer({names}:\n    return {value}", tmp_path)
    for seed in range(3):
        message = graded(id, answer, seed).message
        assert not re.search(r"\b([Tt]wo|[Mm]ore than one) things?\b", message), message

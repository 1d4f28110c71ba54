"""Two faults at once: what is told was tried, and nothing is told of an answer with one fault or with many."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest

from course_lib.content import Case, Mistake, Returns
from course_lib.grading.grade import grade
from course_lib.lessons.relu_vs_gelu.dead_fraction import EXERCISE as DEAD
from tests.grading.answers import COUNT, CURVE, RELU, exercise, in_file, told


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
        Mistake("zero", lambda x: 0 * x, "The result is 0 everywhere."),
        Mistake("root", lambda x: np.sqrt(x), "This is a root."),
        Mistake("ones", lambda x: 0 * x + 1, "The input is not used."),
    ),
)


@pytest.mark.parametrize(
    ("source", "place", "rest"),
    [
        ("return x * np.exp(x * x)", "`x * np.exp(x * x)`", "The ½ is missing."),
        ("return np.exp(x * x / 2)", "", "The factor x is missing."),
        ("return x / np.exp(-x * x)", "`-x`", "The ½ is missing."),
        ("y = np.exp(-x * x)\n    return x + y", "`x + y`", "The ½ is missing."),
    ],
)
def test_a_mend_leaves_a_named_mistake(source, place, rest, tmp_path):
    key, message = told(NAMED, in_file(f"def f(x):\n    {source}", tmp_path))
    assert key in ("slip:two-faults", "slip:minus-missing"), message
    if key == "slip:two-faults":
        assert message.startswith("Two things are wrong. ") and message.endswith(
            f"With that mended, this is left: {rest}"
        ), message
        assert place in message, message


def test_an_axis_that_is_right_is_not_called_wrong(tmp_path):
    """Divided by the rows and not by the columns: the axis turned gives what another axis gives, and proves nothing."""
    item = replace(DEAD, mistakes=tuple(one for one in DEAD.mistakes if one.name != "sum-by-tokens"))
    key, message = told(item, in_file("def f(h):\n    return (h.sum(dim=0) == 0).sum() / h.shape[0]", tmp_path))
    assert "other axis" not in message, (key, message)


POLYNOMIAL = exercise(
    lambda a, b, c: a * b + b * c - a / c, lambda rng: [Case(tuple(rng.uniform(1, 3, 3))) for _ in range(5)]
)


@pytest.mark.parametrize(
    "source",
    ["return a + b + b * c + a / c", "return a * b - b * c - a * c", "return a * b + b * b - c / a"],
)
def test_two_mends(source, tmp_path):
    key, message = told(POLYNOMIAL, in_file(f"def f(a, b, c):\n    {source}", tmp_path))
    assert key == "slip:two-faults", message
    assert re.fullmatch(r"Two things are wrong\. (.+)\. The (other .+|other: .+)\.", message), message


def test_a_mend_that_helps_is_told_with_its_numbers(tmp_path):
    source = "def f(x):\n    y = np.where(x < 0, 0.0, x)\n    y = -y\n    y[0] = 99.0\n    y[y > 1e9] = 5\n    return y"
    item = exercise(
        lambda x: np.where(x > 0, x, 0.0),
        lambda rng: [Case((np.abs(rng.normal(size=9)),)) for _ in range(2)],
        returns=(X,),
    )
    key, message = told(item, in_file(source, tmp_path))
    assert key == "slip:two-faults", message
    assert message.endswith("As it is, 0 of 18 values are right, and with it mended 16."), message


def test_no_numbers_are_told_of_an_answer_that_holds_nan(tmp_path):
    """A product in place of the quotient makes the zeros right that are NaN in this answer, and nothing else."""
    item = exercise(
        lambda x: np.where(x > 1, x, 0.0),
        lambda rng: [Case((np.append(rng.uniform(-1, 1, size=14), [2.0, 3.0]),)) for _ in range(2)],
        returns=(X,),
    )
    source = "def f(x):\n    y = np.where(x > 1, 2.5 * x + 0.7, 0.0)\n"
    source += "    return y / np.sqrt(np.where(x > 1, 7.0 + x**2, 0.0))"
    key, message = told(item, in_file(source, tmp_path))
    assert key == "nan", (key, message)


def test_what_a_mend_spoils_is_no_second_fault(tmp_path):
    """An answer that a mend turns into zeros, or into one that leaves an input out, is not called that mistake."""
    for source in ("return 7 * x - 3", "return np.cos(3 * x) * 0.1", "return x * 0 + 5 * (x > 0.3)"):
        message = told(NAMED, in_file(f"def f(x):\n    {source}", tmp_path))[1]
        assert "0 everywhere" not in message and "not used" not in message, message


def test_answers_far_from_right_are_not_explained(tmp_path):
    for item, source in (
        (CURVE, "def f(x):\n    return np.cos(x) * 3.7 + np.arange(len(x)) ** 2"),
        (RELU, "def f(x):\n    return np.sin(x * 17.3)"),
        (COUNT, "def f(d, f, bias):\n    return 17 * d + 4 * f * f * f + 9"),
    ):
        assert told(item, in_file(source, tmp_path))[0] != "slip:two-faults"


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

    assert grade(NAMED, lambda x: right_but(x, [0]), 0).message.endswith("All values that are finite are right.")
    for answer in (lambda x: right_but(x, slice(None)), lambda x: right_but(x, [0]) + (np.arange(len(x)) == 1)):
        verdict = grade(NAMED, answer, 0)
        assert verdict.key == "nan" and "finite are right" not in verdict.message


# ---- several returned values, and growth -----------------------------------------------------------------------------

PAIR = exercise(
    lambda x: (2 * x, x**3),
    _arrays,
    returns=(Returns("a", ("n",)), Returns("b", ("n",))),
    mistakes=(
        Mistake("thrice", lambda x: (3 * x, x**3), "It is twice, and not three times."),
        Mistake("square", lambda x: (2 * x, x * x), "It is the cube, and not the square."),
        Mistake("one-right", lambda x: (5 * x, x**3), "b is right; a is five times x."),
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
        (lambda d, f, bias: d + f + 17, "is there a sum where a product is meant, or a quotient too many?"),
        (lambda d, f, bias: d * f * (d + 3), "is there a factor or a power too many?"),
    ],
)
def test_growth(answer, words):
    verdict = grade(COUNT, answer, 0)
    assert verdict.key == "seen:growth" and verdict.message.endswith(words), verdict


def test_growth_is_told_by_the_numbers(tmp_path):
    verdict = grade(COUNT, lambda d, f, bias: d + f + 17, 0)
    yours, right = map(float, re.findall(r"([\d.]+) times", verdict.message))
    d, f = 3, 5
    assert yours == pytest.approx((2 * d + 2 * f + 17) / (d + f + 17), rel=1e-2)
    assert right == pytest.approx((4 * d * f + 2 * d + 2 * f) / (d * f + d + f), rel=1e-2)


def test_growth_is_not_told_where_both_grow_alike_or_expected_values_are_kept_back():
    assert grade(COUNT, lambda d, f, bias: 1.07 * d * f + d * 1.3, 0).key != "seen:growth"
    kept_back = exercise(COUNT.oracle, COUNT.cases, returns=COUNT.returns, fresh=False)
    assert grade(kept_back, lambda d, f, bias: d + f + 17, 0).key != "seen:growth"


def test_a_mend_that_lets_a_part_vanish_is_no_fault(tmp_path):
    """With other brackets (1 - 1 / n) is 0, and all that comes with it is gone."""
    item = exercise(
        lambda n, k, t: n * (1 - (1 - k / n) ** t),
        lambda rng: [Case((9 + int(n), int(k), int(t))) for n, k, t in rng.integers(3, 9, size=(5, 3))],
        mistakes=(Mistake("all", lambda n, k, t: n, "Not all are certain."),),
    )
    source = "def f(n, k, t):\n    return n * (1 - (1 - 1 / n) ** (k + t))"
    assert "Not all are certain" not in told(item, in_file(source, tmp_path))[1]


def test_values_near_a_mistake_are_told_it(tmp_path):
    verdict = grade(NAMED, lambda x: 1.00001 * np.exp(-x * x / 2), 0)
    assert verdict.key == "seen:near-mistake"
    assert verdict.message.startswith("The factor x is missing. Your values come within 0.1 % of that")
    for answer in (
        lambda x: 1.02 * np.exp(-x * x / 2) + 0.01 * x,
        lambda x: 1.00001 * x * np.exp(-x * x / 2),
        lambda x: 500 + x,
    ):
        assert grade(NAMED, answer, 0).key != "seen:near-mistake"  # too far from the mistake; nearer to what is right

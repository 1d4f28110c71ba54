"""Why values differ: a second fault or a growth is not made up."""

import math

import numpy as np

from tests.whywrong.answers import COUNT, exercise, in_file, told
from whywrong.judge import grade
from whywrong.task import Case, Mistake, Returns


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


def test_growth_is_not_told_where_both_grow_alike_or_expected_values_are_kept_back():
    assert grade(COUNT, lambda d, f, bias: 1.07 * d * f + d * 1.3 + 0 * bias, 0).key != "seen:growth"
    kept_back = exercise(COUNT.oracle, COUNT.cases, returns=COUNT.returns, fresh=False)
    assert grade(kept_back, lambda d, f, bias: 7 * (d + f) + 0 * bias, 0).key != "seen:growth"

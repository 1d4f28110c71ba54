"""Nothing that goes wrong while an answer is explained reaches anyone, and what is told is of this answer."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.whywrong.answers import COUNT, CURVE, HALF, LAYER, MODULE, exercise, in_file, told
from whywrong import evidence, probes, sandbox, traits
from whywrong import judge as judging
from whywrong.boxes import Box, Recipe, recipe_of
from whywrong.fixes import search
from whywrong.judge import grade, last_case
from whywrong.task import Case, Fault, Key, Returns

NAMED = replace(CURVE, mistakes=(HALF,))

# ---- the order of the explanations -----------------------------------------------------------------------------------


def test_values_that_are_right_are_named():
    two = exercise(
        lambda x: (np.sort(x), x**3),
        lambda rng: [Case((rng.normal(size=6),)) for _ in range(2)],
        returns=(Returns("h", ("n",)), Returns("y", ("n",))),
    )
    message = told(two, lambda x: (np.sort(x), np.sin(3 * x) + x))[1]
    assert message == "Shape and type are right, but the values of y are wrong (h is right)."
    assert told(two, lambda x: (np.sort(x) * np.cos(x), np.sin(3 * x) + x))[1].endswith(
        "the values of h and y are wrong."
    )
    partly = told(two, lambda x: (np.sort(x), np.where(x > np.median(x), np.sin(3 * x) + x, x**3)))[1]
    assert partly == "Shape and type are right, but some of the values of y are wrong (h is right)."
    assert told(two, lambda x: (x**3, x**3)) == ("seen:equals", "h equals what y should be.")


# ---- what was printed ------------------------------------------------------------------------------------------------


def test_at_most_ten_lines_are_kept():
    def f(x):
        for number in range(25):
            print("line", number, file=(sys.stdout, sys.stderr)[number % 2])
        return 0.5 * x + x**3

    verdict = grade(CURVE, f, 0)
    assert verdict.key == "correct"
    assert verdict.printed.splitlines() == [*(f"line {number}" for number in range(10)), "…"]
    assert len(grade(CURVE, lambda x: print("x" * 10**6), 0).printed) <= 2000


# ---- the case that failed --------------------------------------------------------------------------------------------

SHARED = np.arange(1.0, 6.0)
TENSOR = torch.ones(3, dtype=torch.float64, requires_grad=True)
FIXED = exercise(
    lambda x, t, name, layer: x + 1,
    lambda rng: [Case((SHARED, TENSOR, ["a", [1]], print))],
    returns=(Returns("y", ("n",)),),
)


def test_the_case_is_handed_out_as_copies():
    answer = lambda x, t, name, layer: x + 2  # noqa: E731
    for _ in range(2):
        assert grade(FIXED, answer, 0).key == "seen:constant"
        case = last_case("t.exercise")
        assert list(case) == ["x", "t", "name", "layer"] and case["layer"] is print
        assert np.array_equal(case["x"], SHARED) and torch.equal(case["t"], TENSOR)
        case["x"][:], case["name"][1][0] = 0, "spoiled"
        with torch.no_grad():
            case["t"][:] = 0
    assert np.array_equal(SHARED, np.arange(1.0, 6.0)) and bool((TENSOR == 1).all())
    assert grade(FIXED, lambda x, t, name, layer: x + 1, 0).key == "correct"
    assert last_case("t.exercise") is None


class Line(Box):
    def __call__(self, x):
        return recipe_of(self).compute(x)


BOXES = [
    Case((Line(Recipe(words, None, compute, tell)),))
    for words, compute, tell in (
        ("a layer with a bias", lambda x: x + 1, "what is f(0)?"),
        ("a box that takes sizes", abs, "try −1 and 1."),
        ("a product", lambda x: 3 * x, "double its input."),
    )
]


def judge(f):
    return "linear" if f(2) == 2 * f(1) and f(-1) == -f(1) else "bent"


JUDGING = exercise(judge, lambda rng: BOXES, returns=(Returns("the kind"),))


# ---- chance, and rows that look at each other ------------------------------------------------------------------------


def test_results_by_chance():
    def f(x):
        return x + np.random.default_rng().normal(size=x.shape)

    assert told(CURVE, f) == (
        "seen:random",
        "Calling your function again with the same inputs gives different values of the result.",
    )
    # also where something less is seen of all values
    assert told(CURVE, lambda x: 0.5 * x + x**3 + 5 + np.random.default_rng().random(x.shape))[0] == "seen:random"
    calls = []

    def counted(x):
        calls.append(x)
        return x * len(calls) + np.sin(x)

    assert told(CURVE, counted)[0] == "seen:random"


ROWS = exercise(
    lambda X: np.exp(X) / np.exp(X).sum(-1, keepdims=True),
    lambda rng: [Case((rng.normal(size=shape),)) for shape in ((4, 3), (2, 3, 3))],
    returns=(Returns("Y", ("...", "d")),),
)


def test_rows_that_may_look_at_each_other_are_not_blamed():
    mixing = replace(ROWS, oracle=lambda X: X - X.mean(-2, keepdims=True))
    assert told(mixing, lambda X: np.sin(X - X.mean(-2, keepdims=True)) + X.max(-2, keepdims=True))[0] == "value"
    assert told(ROWS, lambda X: np.sin(X) ** 2)[0] != "seen:depends"


# ---- nothing escapes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("module", "name"),
    [
        (traits, "find_trait"),
        (probes, "_pair"),
        (probes, "_row_depends"),
        (judging, "describe_difference"),
        (evidence, "_describe_value"),
        (search, "find_source"),
        (search, "run_definition"),
    ],
)
@pytest.mark.parametrize("error", [ValueError("a fault of the course"), Fault(Key.NAN, "No.")])
def test_errors_of_the_course_in_explaining_stay_inside(module, name, error, monkeypatch, tmp_path):
    def fail(*args, **options):
        raise error

    monkeypatch.setattr(module, name, fail)
    monkeypatch.delenv(judging.STRICT)
    answer = in_file("def f(x):\n    return np.sin(x) * 9 + x", tmp_path)
    verdict = grade(NAMED, answer, 0)
    assert (verdict.status, verdict.key) == ("not yet", "value")
    assert verdict.message == "Shape and type are right, but the values of the result are wrong."
    assert grade(JUDGING, lambda f: "linear", 0).status == "not yet"


def test_a_stage_that_raises_is_passed_over_and_fails_a_test(monkeypatch):
    def broken(answer):
        return answer.of_no_such_name

    monkeypatch.setattr(judging, "LADDER", (broken, *judging.LADDER))
    assert grade(NAMED, CURVE.oracle, 0).key == "correct"  # no stage was asked
    with pytest.raises(AttributeError, match="of_no_such_name"):
        grade(NAMED, HALF.answer, 0)
    monkeypatch.delenv(judging.STRICT)
    assert grade(NAMED, HALF.answer, 0).key == "mistake:half"


@pytest.mark.parametrize("stop", [sandbox.OutOfTime, sandbox.OutOfMemory, MemoryError])
def test_a_stage_that_meets_a_limit_is_passed_over_in_tests_too(monkeypatch, stop):
    def endless(answer):
        raise stop

    monkeypatch.setattr(judging, "LADDER", (endless, *judging.LADDER))
    assert grade(NAMED, HALF.answer, 0).key == "mistake:half"


class Hostile:
    """Whatever is asked of it, it raises."""

    def __getattr__(self, name):
        raise RuntimeError(name)

    def __call__(self, *args):
        raise RuntimeError


def test_odd_answers_are_graded_as_well():
    odd = [Hostile(), Hostile, type("Meta", (type,), {}), np.vectorize(lambda x: x), object(), iter([]), NotImplemented]
    for item in (CURVE, MODULE, COUNT, JUDGING):
        for answer in odd:
            assert grade(item, answer, 0).status in ("not yet", "stopped")


def test_odd_results_are_graded_as_well():
    class Array(np.ndarray):
        def __sub__(self, other):
            raise RuntimeError

    for result in (
        np.ones(7).view(Array),
        np.array(["a"] * 7),
        np.array([None] * 7),
        np.ma.masked_array(np.ones(7), mask=True),
        torch.ones(7, dtype=torch.complex128),
        torch.ones(7).to_sparse(),
        [Hostile()],
        Hostile(),
    ):
        verdict = grade(CURVE, lambda x, result=result: result, 0)
        assert verdict.status in ("not yet", "stopped"), (result, verdict)


def test_one_run_for_a_right_answer(monkeypatch):
    from whywrong import sandbox

    runs, run = [], sandbox.run
    monkeypatch.setattr(sandbox, "run", lambda *args: runs.append(1) or run(*args))
    assert grade(LAYER, lambda x, W, b: x @ W + b, 0).key == "correct" and len(runs) == 1
    assert grade(LAYER, lambda x, W, b: -(x @ W + b), 0).key == "seen:sign" and len(runs) <= len(judging.LADDER) + 2

"""A wrong answer is told by its most specific explanation, and nothing that goes wrong on the way reaches anyone."""

import sys
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.whywrong.answers import COUNT, CURVE, HALF, LAYER, MODULE, RELU, WORDS, exercise, in_file, told
from whywrong import evidence, probes, sandbox, traits
from whywrong import judge as judging
from whywrong.boxes import Box, Recipe, recipe_of
from whywrong.fixes import search
from whywrong.judge import grade, last_case
from whywrong.task import Case, Fault, Inspection, Key, Mistake, Returns
from whywrong.todo import TODO

NAMED = replace(CURVE, mistakes=(HALF,))

# ---- the order of the explanations -----------------------------------------------------------------------------------

IN_ORDER = [
    ("TODO", "todo"),
    ("lambda x: TODO * x", "todo"),
    ("3", "type"),
    ("lambda x: nothing", "raises"),
    ("lambda x: None", "none"),
    ("lambda x: 'words'", "type"),
    ("lambda x: x.__imul__(2)", "mutates"),
    ("lambda x: x[:-1]", "shape"),
    ("lambda x: x.astype(np.float32)", "dtype"),
    ("lambda x: (0.5 * x + x**3).astype(int)", "seen:rounded"),
    ("lambda x: x.round().astype(int)", "value"),
    ("lambda x: x / 0", "nan"),
    ("def f(x):\n    return (0.5 * x + x**3) * 3 // 6", "mistake:half"),  # and no slip: rounding is not all
    ("def f(x):\n    return 0.5 * (0.5 * x + x**3)", "mistake:half"),
    ("def f(x):\n    return 0.5 * x + x**3 * 3", "slip:too-much"),
    ("lambda x: -0.5 * x - x**3", "seen:sign"),
    ("lambda x: np.sin(x) * 9 + x", "value"),
    ("lambda x: 0.5 * x + x**3", "correct"),
]


@pytest.mark.parametrize(("source", "key"), IN_ORDER)
def test_the_first_explanation_that_fits(source, key, tmp_path):
    item = replace(NAMED, oracle=lambda x: 0.5 * x + np.round(x, 12) ** 3)
    answer = in_file(source if source.startswith("def") else f"f = {source}", tmp_path, TODO=TODO)
    if "//" in source:
        item = replace(NAMED, mistakes=(Mistake("half", lambda x: (0.5 * x + x**3) * 3 // 6, "Cut off."),))
    assert told(item, answer)[0] == key


def test_every_wrong_value_carries_the_numbers():
    for answer, key in (
        (lambda x: 0.5 * (0.5 * x + x**3), "mistake:half"),
        (lambda x: -0.5 * x - x**3, "seen:sign"),
        (lambda x: np.sin(x) * 9 + x, "value"),
    ):
        verdict = grade(NAMED, answer, 0)
        assert verdict.key == key and verdict.evidence.startswith("Case 1 of 2 (2 of them differ): x of shape (7,)\n")
    assert grade(NAMED, lambda x: None, 0).evidence == grade(NAMED, CURVE.oracle, 0).evidence == ""


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


def test_names_of_the_learner_in_what_is_seen():
    message = told(COUNT, lambda width, wide, flag: width * wide + flag * width)[1]
    assert message == "The count is right when flag is False; when flag is True it is too small by wide."


# ---- what was printed ------------------------------------------------------------------------------------------------


def test_the_printed_lines_of_the_first_case_only():
    def f(x):
        print("shape", x.shape)
        return x

    verdict = grade(CURVE, f, 0)
    assert verdict.key == "seen:equals" and verdict.printed == "shape (7,)"
    assert grade(replace(CURVE, cases=lambda rng: CURVE.cases(rng)[:1]), f, 0).printed == "shape (7,)"


def test_at_most_ten_lines_are_kept():
    def f(x):
        for number in range(25):
            print("line", number, file=(sys.stdout, sys.stderr)[number % 2])
        return 0.5 * x + x**3

    verdict = grade(CURVE, f, 0)
    assert verdict.key == "correct"
    assert verdict.printed.splitlines() == [*(f"line {number}" for number in range(10)), "…"]
    assert len(grade(CURVE, lambda x: print("x" * 10**6), 0).printed) <= 2000


def test_what_stood_before_an_error_is_shown():
    def f(x):
        print("before")
        raise ValueError("odd")

    assert grade(CURVE, f, 0).printed == "before"
    assert grade(MODULE, type("Net", (), {"__init__": lambda self, *sizes: print("made")}), 0).printed == "made"


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


def test_the_case_is_the_first_that_failed():
    grade(CURVE, lambda numbers: np.where(len(numbers) == 5, 0, CURVE.oracle(numbers)), 3)
    case = last_case("t.exercise")
    assert list(case) == ["numbers"] and np.array_equal(
        case["numbers"], CURVE.cases(np.random.default_rng(3))[1].args[0]
    )
    grade(CURVE, lambda x: x / 0 if len(x) == 5 else CURVE.oracle(x), 3)
    assert len(last_case("t.exercise")["x"]) == 5
    grade(CURVE, TODO, 3)
    assert last_case("t.exercise") is None  # nothing was tried


# ---- boxes -----------------------------------------------------------------------------------------------------------


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


def test_the_first_box_that_is_misjudged_is_named():
    verdict = grade(JUDGING, lambda f: "linear" if f(2) == 2 * f(1) else "bent", 0)
    assert (verdict.key, verdict.message) == ("seen:box", "You said 'linear' for a box that takes sizes: try −1 and 1.")
    assert verdict.evidence == "1 of 3 boxes is misjudged."
    verdict = grade(JUDGING, lambda f: "linear", 0)
    assert verdict.message == "You said 'linear' for a layer with a bias: what is f(0)?"
    assert verdict.evidence == "2 of 3 boxes are misjudged."
    shown = last_case("t.exercise")["f"]
    assert shown(0) == 1  # the box of the case that failed still works
    named = replace(JUDGING, mistakes=(Mistake("always", lambda f: "linear", "You call every box linear."),))
    assert grade(named, lambda f: "linear", 0).key == "mistake:always"


def test_boxes_that_are_judged_by_an_array():
    item = exercise(
        lambda f: np.array([f(-1) > 0, f(0) > 0, f(1) > 0]), lambda rng: BOXES, returns=(Returns("M", ("input",)),)
    )
    verdict = grade(item, lambda f: np.array([f(-1) < 0, f(0) > 0, f(1) > 0]), 0)
    assert verdict.message == "The first box that you misjudge is a box that takes sizes: try −1 and 1."
    assert verdict.evidence.splitlines()[:2] == [
        "2 of 3 boxes are misjudged.",
        "Case 2 of 3 (2 of them differ): a box that takes sizes",
    ]


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


@pytest.mark.parametrize("axis", [0, -2])
def test_rows_that_look_at_other_rows(axis):
    key, message = told(replace(ROWS, cases=lambda rng: ROWS.cases(rng)[:1]), lambda X: np.exp(X) / np.exp(X).sum(axis))
    assert key == "seen:depends"
    assert message.startswith("The first row of Y changes when the other rows of X are left out, but each row must")
    assert told(ROWS, lambda X: np.exp(X) / np.exp(X).sum(axis, keepdims=True))[0] == "seen:depends"


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


def test_an_inspection_is_told_by_its_names():
    item = Inspection(
        **{"id": "t.exercise", "kind": "function", "cases": RELU.cases} | WORDS,
        inspect=lambda answer, case: "negative" if (answer(*case.args) < 0).any() else None,
        mistakes=(Mistake("negative", lambda x: x, "It lets negative values through."),),
    )
    assert told(item, lambda x: x) == ("mistake:negative", "It lets negative values through.")
    assert told(item, np.abs) == ("correct", "So it is.")
    assert told(item, lambda x: TODO)[0] == "todo"
    assert list(last_case("t.exercise") or {}) == []


def test_one_run_for_a_right_answer(monkeypatch):
    from whywrong import sandbox

    runs, run = [], sandbox.run
    monkeypatch.setattr(sandbox, "run", lambda *args: runs.append(1) or run(*args))
    assert grade(LAYER, lambda x, W, b: x @ W + b, 0).key == "correct" and len(runs) == 1
    assert grade(LAYER, lambda x, W, b: -(x @ W + b), 0).key == "seen:sign" and len(runs) <= len(judging.LADDER) + 2


# ---- what is asked once all values are right -------------------------------------------------------------------------


def _of_nothing(answer):
    if answer(np.zeros(0)).dtype != float:
        raise Fault(Key.TYPE, "Of an empty array it is no float.")


def test_what_is_asked_afterwards(tmp_path):
    item = exercise(CURVE.oracle, CURVE.cases, returns=CURVE.returns, afterwards=_of_nothing)
    right = "def f(x):\n    {}return 0.5 * x + x**3"
    assert told(item, in_file(right.format(""), tmp_path)) == ("correct", "So it is.")
    whole = in_file(right.format("if not len(x):\n        return np.arange(0)\n    "), tmp_path)
    assert told(item, whole) == ("type", "Of an empty array it is no float.") and last_case("t.exercise") is None
    key, message = told(item, in_file(right.format("assert len(x), 'nothing'\n    "), tmp_path))
    assert key == "raises" and "saying “nothing”" in message and "The inputs were" not in message
    wrong = "def f(x):\n    if not len(x):\n        return x.astype(int)\n    return 0.5 * x - x**3"
    assert told(CURVE, in_file(wrong, tmp_path))[0] == "slip:sign"
    assert told(item, in_file(wrong, tmp_path))[0] != "slip:sign"  # mended there it would still be wrong

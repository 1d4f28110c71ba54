"""The numbers below a verdict: the first case that differs, by the learner's own names, and no answer given away."""

import re
from dataclasses import replace

import numpy as np
import pytest
import torch

from tests.whywrong.answers import COUNT, CURVE, LAYER, MODULE, exercise
from whywrong.boxes import Box, Recipe
from whywrong.evidence import case_arguments, describe_case, format_value
from whywrong.judge import grade
from whywrong.task import Case, Returns

NUMBERS = exercise(lambda d, name: float(d), [((3, "a"),), ((5, "b"),)], returns=(Returns("the count"),))
TRUTH = exercise(lambda d: d > 3, [((3,),), ((5,),)], returns=(Returns("the answer"),))
WORD = exercise(lambda d: "many", [((3,),)], returns=(Returns("the word"),))
TWO = exercise(
    lambda x: (2 * x, float(x.sum())),
    lambda rng: [Case((rng.normal(size=3),))],
    returns=(Returns("h", ("n",)), Returns("the sum")),
)
POINTS = exercise(
    lambda X: X[:, :1] * X[:, 1:],
    [((np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]),),)],
    returns=(Returns("y", ("points", "d_out")),),
)


def shown(item, answer, seed=0):
    verdict = grade(item, answer, seed)
    assert verdict.status == "not yet", verdict
    return verdict.evidence.splitlines()


def test_a_tiny_table_beside_its_input():
    lines = shown(CURVE, lambda numbers: np.where(numbers > 0, CURVE.oracle(numbers), 0.25))
    assert lines[0] == "Case 1 of 2 (2 of them differ): numbers of shape (7,)"
    assert len(lines) == 9
    x = CURVE.cases(np.random.default_rng(0))[0].args[0]
    for number, line in enumerate(lines[1:8]):
        start = f"  numbers[{number}] = {format_value(x[number])}: yours "
        right = x[number] > 0
        expected = format_value(CURVE.oracle(x)[number])
        assert line == start + (f"{expected}, right" if right else f"0.25, expected {expected}")
    assert lines[8] == f"  {(x < 0).sum()} of 7 values of the result differ."


def test_a_large_array_shows_what_differs_and_how_much():
    lines = shown(LAYER, lambda x, W, b: x @ W + b * (np.arange(len(b)) > 0))
    assert lines[0] == "Case 1 of 2 (2 of them differ): x of shape (4, 3), W of shape (3, 2), b of shape (2,)"
    assert re.fullmatch(r"  y\[0, 0\]: yours \S+, expected \S+", lines[1])
    lines = shown(replace(LAYER, cases=lambda rng: LAYER.cases(rng)[1:]), lambda x, W, b: x @ W + b * (b < 0))
    assert lines[0].startswith("The case: x of shape (5, 3)") and len(lines) == 6
    assert all(re.fullmatch(r"  y\[\d, \d\]: yours \S+, expected \S+", line) for line in lines[1:5])
    assert re.fullmatch(r"  \d+ of 30 values of y differ; the largest difference is \S+\.", lines[5])


def test_numbers_words_and_truths():
    assert shown(NUMBERS, lambda width, letter: width + (letter == "b")) == [
        "Case 2 of 2 (1 of them differs): width = 5, letter = 'b'",
        "  the count: yours 6, expected 5",
    ]
    assert shown(TRUTH, lambda d: True)[1] == "  the answer: yours True, expected False"
    assert shown(WORD, lambda d: "few")[1] == "  the word: yours 'few', expected 'many'"


def test_several_values_name_those_that_differ():
    verdict = grade(TWO, lambda x: (2 * x, float(x.sum()) + 1.5), 0)
    assert "(h is right)" in verdict.message or verdict.key.startswith("seen:")
    assert [line.split(":")[0] for line in verdict.evidence.splitlines()[1:]] == ["  the sum"]
    lines = shown(TWO, lambda x: (2 * x + (x < 0), 3.25))
    assert lines[1].startswith("  h[0]: yours ") and lines[-1].startswith("  the sum: yours 3.25, expected ")


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


def test_fixed_points_say_which_are_wrong():
    assert shown(replace(POINTS, fresh=False), lambda X: 0.5 * X[:, :1] + 0.5 * X[:, 1:]) == [
        "The case: X of shape (4, 2)",
        "  X[0] = (0, 0): yours 0, right",
        "  X[1] = (0, 1): yours 0.5, wrong",
        "  X[2] = (1, 0): yours 0.5, wrong",
        "  X[3] = (1, 1): yours 1, right",
        "  2 of 4 values of y differ.",
    ]


def test_a_value_to_work_out_has_no_evidence():
    value = exercise(lambda: 12.0, [((),)], kind="value", run=lambda answer, case: answer)
    for fresh in (True, False):
        verdict = grade(replace(value, fresh=fresh), 13.0, 0)
        assert (verdict.message, verdict.evidence) == ("Your number is too large.", "")
    assert grade(value, 3, 0).message == "Your number is too small."


def test_truths_in_an_array():
    item = exercise(
        lambda x: x > 0, lambda rng: [Case((rng.normal(size=(4, 4)),))], returns=(Returns("M", ("from", "to")),)
    )
    lines = shown(item, lambda x: x > -0.7)
    assert re.fullmatch(r"  x\[\d, \d\] = −0\.\d+: yours True, expected False", lines[1])
    assert re.fullmatch(r"  \d+ of 16 values of M differ\.", lines[-1])


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


def test_names_come_from_the_function_or_from_the_oracle():
    case = LAYER.cases(np.random.default_rng(0))[0]
    for answer, names in (
        (lambda a, B, c: None, ["a", "B", "c"]),
        (lambda *rows: None, ["x", "W", "b"]),
        (lambda a, B: None, ["x", "W", "b"]),
        (lambda a, B, **more: None, ["x", "W", "b"]),
        (max, ["x", "W", "b"]),
    ):
        assert list(case_arguments(LAYER, case, answer)) == names
    module = MODULE.cases(np.random.default_rng(0))[0]

    class Net(torch.nn.Module):
        def __init__(self, inputs, outputs, spare):
            super().__init__()

    assert describe_case(MODULE, module, Net) == "x of shape (4, 3), d_in = 3, d_out = 2"
    odd = replace(LAYER, oracle=lambda *args: None)
    assert list(case_arguments(odd, case, max)) == ["argument 1", "argument 2", "argument 3"]


def test_boxes_are_described_by_what_they_are():
    for tell, words in (("what is f(0)?", "a layer with a bias, d = 3"), ("", "d = 3")):
        case = Case((Box(Recipe("a layer with a bias", None, len, tell)), 3))
        assert describe_case(COUNT, case, lambda f, d: None) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.25, "−0.25"),
        (1 / 3, "0.3333"),
        (2097152, "2,097,152"),
        (1366.25, "1,366.2"),
        (-12345.678, "−12,345.7"),
        (1e20, "1e+20"),
        (3e-9, "3e−09"),
        (True, "True"),
        (np.False_, "False"),
        ("a", "'a'"),
        (np.float64(2), "2"),
        (1j, "1j"),
    ],
)
def test_how_numbers_are_written(value, text):
    assert format_value(value) == text

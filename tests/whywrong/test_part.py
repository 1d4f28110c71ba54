"""Part marks: how much of a wrong answer is right."""

import linecache
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


def code(source: str, name: str = "rowwise", *, readable=True, **more):
    """Return the function that a learner's code makes, with NumPy; slips are found where its source can be read."""
    space, file = {"np": np, **more}, f"<{source}>"
    if readable:
        linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    exec(compile(source, file, "exec"), space)
    return space[name]


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
        ("bonus_swiglu.width", "round", Fraction(8, 9)),  # of cases
        ("build_the_ffn.which_bug", "residual-as-correct", None),
        ("position_independence.influence", "exact", HALF),
        ("relu_vs_gelu.relu", "absolute", HALF),
    ],
)
def test_named_mistake_gets_half_and_more_right_values_more(id, name, expected):
    names = [mistake.name for mistake in catalogue.item(id).mistakes]
    name = name if name in names else next(one for one in names if not one.startswith("all"))
    assert share(id, mistaken(id, name)) == (expected or HALF)


@pytest.mark.parametrize(
    ("id", "name"),
    [
        ("relu_vs_gelu.relu", "unchanged"),
        ("inside_the_block.pre_norm", "unchanged"),
        ("relu_vs_gelu.relu", "zero"),
        (AFFINE, "always-true"),
        ("position_independence.which_layers", "none"),
        ("position_independence.influence", "none"),
        ("build_the_ffn.which_bug", "all-correct"),
    ],
)
def test_answer_that_says_nothing_gets_nothing_though_the_mistake_has_a_name(id, name):
    verdict = judge.grade(catalogue.item(id), mistaken(id, name), SEED)
    assert verdict.key == f"mistake:{name}" and share(id, mistaken(id, name)) == NONE


def test_slip_gets_half_in_any_form_but_not_the_work_of_another():
    verdict = judge.grade(
        catalogue.item(ROWWISE), code("def rowwise(f, X):\n    return np.stack([f(x) for x in X], 1)"), SEED
    )
    assert verdict.key.startswith("slip:")
    assert share(ROWWISE, code("def rowwise(f, X):\n    return np.stack([f(x) for x in X], 1)")) == HALF
    borrowed = code("from course_lib.model import numpy_ffn\ndef relu(x):\n    return numpy_ffn.relu(x)", "relu")
    assert judge.grade(catalogue.item("relu_vs_gelu.relu"), borrowed, SEED).key == "slip:borrowed"
    assert share("relu_vs_gelu.relu", borrowed) == NONE


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("W.T", HALF),
        ("W.T[None]", HALF),
        ("W.T[:, :, None].tolist()", HALF),
        ("W.T[:, :, None].flip(1)", HALF),
        ("W.T.reshape(-1)", HALF),
        ("W[:, :, None]", NONE),
        ("W.reshape(-1)", NONE),
        ("W.reshape(W.shape[1], W.shape[0], 1)", NONE),
        ("W.T.reshape(W.shape).T[:, :, None]", NONE),
    ],
)
def test_right_values_in_another_shape_get_half_and_scrambled_ones_nothing(source, expected):
    answer = code(f"def conv_weight(W):\n    return {source}", "conv_weight")
    assert share("position_independence.conv_weight", answer) == expected


def test_answer_without_arguments_is_not_taken_for_one_that_says_nothing():
    assert share("linear_limits.xor_weights", mistaken("linear_limits.xor_weights", "or")) == HALF


def test_rows_are_counted_and_unnamed_faults_get_their_share():
    broken = code(
        "def rowwise(f, X):\n    Y = np.stack([f(row) for row in X])\n    Y[:2] = 7.25\n    return Y", readable=False
    )
    verdict = judge.grade(catalogue.item(ROWWISE), broken, SEED)
    assert not verdict.key.startswith(("mistake:", "slip:")) and NONE < share(ROWWISE, broken) < 1
    worse = code(
        "def rowwise(f, X):\n    Y = np.stack([f(row) for row in X])\n    Y[:4] = 7.25\n    return Y", readable=False
    )
    assert share(ROWWISE, worse) < share(ROWWISE, broken)


# A function, a class, and an answer that is looked at: of one, two and three stars.
@pytest.mark.parametrize("id", ["relu_vs_gelu.relu", "build_the_ffn.module", "position_independence.influence"])
def test_no_wrong_answer_gets_all_and_each_the_same_again(id):
    worth = 2 * catalogue.lesson(id.partition(".")[0]).exercises[id.partition(".")[2]].stars
    for mistake in catalogue.item(id).mistakes[:2]:
        first = marked(id, mistake.answer, worth, (SEED,))
        assert 0 <= first.points < worth and (2 * first.points).is_integer()
        np.random.seed(0)
        assert marked(id, mistake.answer, worth, (SEED,)) == first


def test_points_are_rounded_down_to_half_points():
    assert share(ROWWISE, mistaken(ROWWISE, "first-missing")) == Fraction(8, 11)
    assert [marked(ROWWISE, mistaken(ROWWISE, "first-missing"), worth, (SEED,)).points for worth in (2, 4, 6)] == [
        1.0,
        2.5,
        4.0,
    ]


def test_answer_with_arrays_is_marked_as_one_with_tensors_is():
    half = code("def gelu(x):\n    return x * (1 + erf(x))\n", "gelu", erf=np.vectorize(math.erf))
    right = code("def gelu(x):\n    return x * (1 + erf(x / 2**0.5)) / 2\n", "gelu", erf=np.vectorize(math.erf))
    gelu = "relu_vs_gelu.gelu"
    assert marked(gelu, right, 4, (SEED,), arrays=True) == (
        4.0,
        catalogue.item(gelu).right,
        "correct",
        "correct",
        "right",
    )
    assert marked(gelu, half, 4, (SEED,), arrays=True) == marked(gelu, mistaken(gelu, "no-half-no-root"), 4, (SEED,))
    assert marked(gelu, half, 4, (SEED,), arrays=True).points == 2.0

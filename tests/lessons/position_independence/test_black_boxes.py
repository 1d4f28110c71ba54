"""The black boxes of the exercises do what is said of them, and answers of another form are put into words."""

import numpy as np
import pytest

from course_lib.desk import TODO, grade
from course_lib.lessons.position_independence.influence import EXERCISE as INFLUENCE
from course_lib.lessons.position_independence.which_layers import EXERCISE as WHICH
from course_lib.model import probes


@pytest.mark.parametrize("seed", range(5))
def test_the_boxes_of_influence_do_what_is_said_of_them(seed):
    rng = np.random.default_rng(99)
    for case in INFLUENCE.cases(np.random.default_rng(seed)):
        f, X = case.args
        found = np.zeros((len(X), len(X)), dtype=bool)
        for j in range(len(X)):
            for _ in range(5):
                Z = X.copy()
                Z[j] = 2 * rng.normal(size=X.shape[1])
                found[:, j] |= np.abs(f(Z) - f(X)).max(axis=1) > 1e-6
        assert np.array_equal(found, INFLUENCE.oracle(f, X))


@pytest.mark.parametrize("seed", range(5))
def test_the_boxes_of_which_layers_do_what_is_said_of_them(seed):
    cases = WHICH.cases(np.random.default_rng(seed))
    layers, X = [layer for case in cases for layer in case.args[0]], cases[0].args[1]
    truth = np.concatenate([WHICH.oracle(*case.args) for case in cases])
    parts = [X[:1], X[3:], X[[4, 1, 1]], np.vstack([X, 3 * X[::-1]])]
    for f, right in zip(layers, truth, strict=True):
        alone = [np.concatenate([f(row[None]) for row in part]) for part in parts]
        same = all(np.allclose(f(part), rows, atol=1e-9) for part, rows in zip(parts, alone, strict=True))
        assert same == bool(right)
    assert (len(layers), truth.sum()) == (20, 8)


def test_constant_guesses_never_pass():
    for guess in ([True] * 5, [False] * 5, [True, False, True, False, True]):
        for seed in range(30):
            assert grade("position_independence.which_layers", lambda layers, X, g=guess: g, seed).key != "correct"


def test_answers_of_another_form_are_put_into_words():
    verdict = grade("position_independence.which_layers", lambda layers, X: [True] * 4, 0)
    assert verdict.key == "shape" and "(4,)" in verdict.message
    for answer in ("yes", ["yes"] * 5, {0, 1}, [None] * 5, 3):
        verdict = grade("position_independence.which_layers", lambda layers, X, a=answer: a, 0)
        assert verdict.key == "type" and "True or False for each layer" in verdict.message
    assert grade("position_independence.which_layers", lambda layers, X: [*[True] * 4, TODO], 0).key == "todo"
    verdict = grade("position_independence.influence", probes.influence, 0)
    assert verdict.key == "value" and "other numbers than 0 and 1" in verdict.message
    verdict = grade("position_independence.rowwise", lambda f, X: f(X), 0)
    assert verdict.key == "raises" and "f takes one row of shape (3,)" in verdict.message

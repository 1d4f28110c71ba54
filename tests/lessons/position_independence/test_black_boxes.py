"""The black boxes of the exercises do what is said of them, and answers that probe them badly do not pass."""

import numpy as np
import pytest

from course_lib.desk import grade
from lessons.position_independence.influence import EXERCISE as INFLUENCE
from lessons.position_independence.which_layers import EXERCISE as WHICH
from whywrong.boxes import recipe_of


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
        assert np.array_equal(found, recipe_of(f).right)


@pytest.mark.parametrize("seed", range(5))
def test_the_boxes_of_which_layers_do_what_is_said_of_them(seed):
    cases = WHICH.cases(np.random.default_rng(seed))
    X = cases[0].args[1]
    parts = [X[:1], X[3:], X[[4, 1, 1]], np.vstack([X, 3 * X[::-1]])]
    for case in cases:
        f = case.args[0]
        alone = [np.concatenate([f(row[None]) for row in part]) for part in parts]
        same = all(np.allclose(f(part), rows, atol=1e-9) for part, rows in zip(parts, alone, strict=True))
        assert same == WHICH.oracle(*case.args), recipe_of(f).words
        assert recipe_of(f).words and recipe_of(f).tell.endswith("?")
    assert (len(cases), sum(WHICH.oracle(*case.args) for case in cases)) == (25, 8)
    assert len({recipe_of(case.args[0]).words for case in cases}) == len(cases)


def test_constant_guesses_never_pass():
    for guess in (True, False):
        for seed in range(30):
            assert grade("position_independence.which_layers", lambda f, X, g=guess: g, seed).key != "correct"


def learner(change, compare):
    """Make an influence function of the usual form from its two decisions."""

    def influence(f, X):
        M, before, rng = np.zeros((len(X), len(X)), dtype=bool), f(X), np.random.default_rng(0)
        for j in range(len(X)):
            Z = X.copy()
            Z[j] = change(Z[j], rng)
            M[:, j] = compare(f(Z), before)
        return M

    return influence


CHANGES = {
    "added": lambda row, rng: row + rng.normal(size=row.shape),
    "new": lambda row, rng: rng.normal(size=row.shape),
    "blanked": lambda row, rng: 0 * row,
    "doubled": lambda row, rng: 2 * row,
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(
    ("compare", "key"),
    [
        (lambda after, before: (np.abs(after - before) > 0.01).any(axis=1), "mistake:coarse"),
        (lambda after, before: (np.abs(after - before) > 1e-3).any(axis=1), "mistake:coarse"),
        (lambda after, before: ((after - before) ** 2).sum(axis=1) > 1e-8, "mistake:coarse"),
        (lambda after, before: ((after - before) ** 2).mean(axis=1) > 1e-8, "mistake:coarse"),
        (lambda after, before: np.abs((after - before).sum(axis=1)) > 1e-8, "mistake:row-sums"),
        (lambda after, before: np.abs((after - before).mean(axis=1)) > 1e-8, "mistake:row-sums"),
    ],
)
def test_answers_that_were_accepted_are_refused(compare, key, seed):
    assert grade("position_independence.influence", learner(CHANGES["added"], compare), seed).key == key


@pytest.mark.parametrize("seed", range(6))
def test_the_usual_tolerances_are_accepted(seed):
    for compare in (
        lambda after, before: ~np.isclose(after, before, rtol=0).all(axis=1),
        lambda after, before: (np.abs(after - before) > 1e-8).any(axis=1),
        lambda after, before: np.linalg.norm(after - before, axis=1) > 1e-6,
    ):
        for name in ("added", "new"):
            verdict = grade("position_independence.influence", learner(CHANGES[name], compare), seed)
            assert verdict.key == "correct", verdict

"""The black boxes of the exercises do what is said of them, and answers that probe them badly are told how."""

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
    assert (len(cases), sum(WHICH.oracle(*case.args) for case in cases)) == (21, 8)
    assert len({recipe_of(case.args[0]).words for case in cases}) == 21


def test_constant_guesses_never_pass():
    for guess in (True, False):
        for seed in range(30):
            assert grade("position_independence.which_layers", lambda f, X, g=guess: g, seed).key != "correct"


def test_the_first_misjudged_box_is_named():
    def no_middle(f, X):
        Z = X.copy()
        Z[2] += np.arange(X.shape[1])
        return np.allclose(np.delete(f(Z), 2, axis=0), np.delete(f(X), 2, axis=0))

    verdict = grade("position_independence.which_layers", no_middle, 0)
    assert verdict.key == "seen:box" and verdict.message.startswith("You said True for ")


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


def changed_at(place, by):
    """Make a change of one feature alone."""
    return lambda row, rng: row + by * (np.arange(len(row)) == place % len(row))


NARROW = {
    "first nudged": (changed_at(0, 0.1), "some-features"),
    "last changed by much": (changed_at(-1, 50), "some-features"),
    "first three drawn anew": (lambda row, rng: np.append(rng.normal(size=3), row[3:]), "some-features"),
    "negated": (lambda row, rng: -row, "signs-or-order"),
    "absolute values": (lambda row, rng: np.where(row.min() < 0, np.abs(row), -row), "signs-or-order"),
    "turned by one place": (lambda row, rng: np.roll(row, 1), "signs-or-order"),
    "shuffled": (lambda row, rng: np.append(row[[1, 0, 3, 4, 2]], row[5:]), "signs-or-order"),
}


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("name", NARROW)
def test_narrow_changes_are_unmasked(name, seed):
    """Some layer does not notice a change of one feature, or of signs and order alone."""
    change, key = NARROW[name]
    verdict = grade("position_independence.influence", learner(change, reacts), seed)
    assert verdict.key in {f"mistake:{key}", "mistake:some-features"}, verdict


@pytest.mark.parametrize("seed", range(6))
def test_changes_of_a_whole_row_are_accepted(seed):
    for change in (
        CHANGES["blanked"],
        lambda row, rng: row + 0.1 * rng.normal(size=row.shape),
        lambda row, rng: 5 * rng.random(row.shape),
        lambda row, rng: rng.integers(-9, 9, size=row.shape) + 0.5,
        lambda row, rng: row + np.arange(1.0, 1 + len(row)),
    ):
        verdict = grade("position_independence.influence", learner(change, reacts), seed)
        assert verdict.key == "correct", verdict


def reacts(after, before):
    return (np.abs(after - before) > 1e-8).any(axis=1)


CHANGES = {
    "added": lambda row, rng: row + rng.normal(size=row.shape),
    "new": lambda row, rng: rng.normal(size=row.shape),
    "blanked": lambda row, rng: 0 * row,
    "doubled": lambda row, rng: 2 * row,
}


@pytest.mark.parametrize("name", CHANGES)
@pytest.mark.parametrize("seed", range(6))
def test_exact_comparison_is_recognised_by_its_effect(name, seed):
    """Whatever the change, also where that has a fault of its own."""
    answer = learner(CHANGES[name], lambda after, before: (after != before).any(axis=1))
    verdict = grade("position_independence.influence", answer, seed)
    assert verdict.key in {"mistake:exact", "mistake:stretched"}, verdict
    assert verdict.key == "mistake:exact" or name == "doubled"


@pytest.mark.parametrize("seed", range(6))
def test_exact_comparison_after_several_changes_of_a_row_is_recognised(seed):
    """All rows move by a rounding error in some layer, which is no sign that rows were not compared one by one."""

    def answer(f, X):
        rng, M = np.random.default_rng(1), np.zeros((len(X), len(X)), dtype=bool)
        for j in range(len(X)):
            for _ in range(5):
                Z = X.copy()
                Z[j] = 3 * rng.normal(size=X.shape[1])
                M[:, j] |= (f(Z) != f(X)).any(axis=1)
        return M

    assert grade("position_independence.influence", answer, seed).key == "mistake:exact"


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


@pytest.mark.parametrize("seed", range(6))
def test_a_tolerance_that_grows_with_the_outputs_is_told(seed):
    for compare in (
        lambda after, before: ~np.isclose(after, before).all(axis=1),
        lambda after, before: ~np.isclose(before, after, atol=0).all(axis=1),
        lambda after, before: (np.abs(after - before) > 1e-5 * np.abs(before)).any(axis=1),
    ):
        for name in ("added", "new"):
            verdict = grade("position_independence.influence", learner(CHANGES[name], compare), seed)
            assert verdict.key == "mistake:relative", verdict

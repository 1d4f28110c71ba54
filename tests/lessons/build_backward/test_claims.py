"""What the lesson says in its text, held against what is computed, and a loop that changes what it is given."""

import numpy as np
import pytest

from course_lib.desk import grade
from course_lib.model import descent
from lessons.build_backward import autograd, shared, solutions, train


@pytest.fixture(scope="module")
def arrivals():
    """Return (rate, momentum) -> for each start the first step with a loss below the goal, or None."""
    runs = ((0.02, 0, 4600), (0.05, 0, 1500), (0.02, 0.9, 500))
    found = {}
    for rate, momentum, count in runs:
        below = descent.descents(rate, momentum, count) < descent.GOAL
        found[rate, momentum] = [int(one.argmax()) if one.any() else None for one in below.T]
    return found


def test_three_ways_to_a_gradient_agree():
    kept = shared.stored()
    given = [kept[name] for name in autograd.NAMES]
    for name, found in zip(shared.GRADIENTS, shared.complex_step(*given), strict=True):
        np.testing.assert_allclose(found, kept[name], rtol=0, atol=1e-13)
    x, target, *parameters = given
    for k, (name, found) in enumerate(zip(shared.PARAMETERS, train._by_hand(x, target, *parameters), strict=True)):
        np.testing.assert_allclose(found, kept[f"d{name}"], rtol=0, atol=1e-13)

        def loss(moved, k=k):
            return shared.steps(x, target, *parameters[:k], moved, *parameters[k + 1 :])[0]

        slow = solutions.numerical_gradient(loss, parameters[k], 1e-5)
        np.testing.assert_allclose(slow, kept[f"d{name}"], rtol=0, atol=1e-7)


def test_the_descents_are_those_of_the_worked_loop(arrivals):
    x, target = descent.wave()
    for seed in (0, 3):
        path = []

        def gradients(here, path=path):
            loss, z, h, y = shared.steps(x, target, *here)
            path.append(loss)
            return solutions.backward(x, target, here[0], here[2], z, h, y)[:4]

        solutions.train(gradients, descent.start(seed), 0.02, 0.9, 100)
        np.testing.assert_allclose(descent.descents(0.02, 0.9, 100)[:, seed], path, rtol=1e-9)


def _moving(change):
    """Make a training loop of change(list, place, step), which moves a parameter of the list that was handed in."""

    def train(gradients, parameters, rate, momentum, steps):
        for _ in range(steps):
            for k, gradient in enumerate(gradients(parameters)):
                change(parameters, k, rate * gradient)
        return parameters

    return train


def _in_place(parameters, k, step):
    parameters[k] -= step


def _in_the_list(parameters, k, step):
    parameters[k] = parameters[k] - step


@pytest.mark.parametrize(
    ("change", "says"), [(_in_place, "changes the arrays"), (_in_the_list, "puts new arrays into")]
)
def test_a_loop_that_changes_what_it_is_given_is_told_what_it_changes(change, says):
    verdict = grade("build_backward.train", _moving(change), 0)
    assert verdict.key == "mutates" and says in verdict.message

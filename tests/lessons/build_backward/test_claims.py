"""What the lesson says in its text and asks as a guess, held against what is computed, and its stored gradients."""

import numpy as np
import pytest

from course_lib.desk import grade
from course_lib.model import descent
from lessons.build_backward import autograd, shared, solutions, train
from lessons.catalogue import item
from tests.lessons.stored import plain_outputs

OUTPUTS = plain_outputs("12_build_backward")


@pytest.fixture(scope="module")
def arrivals():
    """Return (rate, momentum) -> for each start the first step with a loss below the goal, or None."""
    runs = ((0.02, 0, 4600), (0.05, 0, 1500), (0.02, 0.9, 500))
    found = {}
    for rate, momentum, count in runs:
        below = descent.descents(rate, momentum, count) < descent.GOAL
        found[rate, momentum] = [int(one.argmax()) if one.any() else None for one in below.T]
    return found


def test_stored_gradients_are_those_of_autograd():
    path = autograd.Path(autograd.__file__).with_suffix(".toml")
    assert path.read_text("utf-8") == autograd.text(), "python -m lessons.build_backward.autograd writes it"


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
            loss, z, h, y = solutions.forward(x, target, *here)
            path.append(loss)
            return solutions.backward(x, target, here[0], here[2], z, h, y)[:4]

        solutions.train(gradients, descent.start(seed), 0.02, 0.9, 100)
        np.testing.assert_allclose(descent.descents(0.02, 0.9, 100)[:, seed], path, rtol=1e-9)


def test_how_many_starts_arrive(arrivals):
    slow, fast, with_momentum = (arrivals[one] for one in ((0.02, 0), (0.05, 0), (0.02, 0.9)))
    assert None not in slow and 4550 < max(slow) < 4600  # "the slowest after about 4,600 steps"
    there = [start for start, step in enumerate(fast) if step is not None]
    assert len(there) == item("build_backward.predict_arrive").answer
    assert all(fast[start] < slow[start] for start in there)  # "they arrive sooner"
    lost = np.isnan(descent.descents(0.05, 0, 10))
    assert lost[-1].sum() == 4 and not lost[0].any()  # "gone within ten steps"
    assert all(step < train.LONGEST for step in with_momentum)
    assert "at 0.05, 6 of 6 starts go uphill at first, 2 get below 0.001, and 4 run away" in OUTPUTS["run-4"]


def test_a_loop_that_stops_early_is_found_on_the_wave():
    def few(*args):  # handed over without its code, so that nothing can be found there
        return solutions.train(*args[:4], min(args[4], 10))

    verdict = grade("build_backward.train", lambda *args: few(*args), 0)
    assert verdict.status == "not yet" and "after 500 steps on the wave the loss is" in verdict.message


@pytest.mark.parametrize(
    ("place", "change", "says"),
    [
        (0, lambda one: one.T, "Your dW1 has shape (9, 3), the transpose of W1"),
        (2, lambda one: one.T, "Your dW2 has shape (7, 9), the transpose of W2"),
        (1, lambda one: np.ones((5, 9)), "Your db1 has shape (5, 9), one row for each example"),
        (3, lambda one: one[None], "Your db2 has shape (1, 7), a single row"),
        (4, lambda one: np.ones((5, 9)), "Your dx has shape (5, 9), that of dz"),
    ],
)
def test_shapes_that_come_from_a_mistake_have_a_sentence(place, change, says):
    def wrong(*args):
        five = list(solutions.backward(*args))
        five[place] = change(five[place])
        return five

    verdict = grade("build_backward.backward", wrong, 0)
    assert verdict.key == "shape" and verdict.message.startswith(says)


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


def test_who_masks_with_h_is_not_told_to_use_z():
    def backward(x, target, W1, W2, z, h, y):
        dy = np.tanh(np.sin(y) - target * 0.3)
        dz = dy @ W2.T * (h > 0)
        return x.T @ dz, dz.sum(axis=0), h.T @ dy, dy.sum(axis=0), dz @ W1.T

    assert "never uses `z`" not in grade("build_backward.backward", backward, 0).message


def test_all_numbers_moved_together_are_told():
    message = grade("build_backward.numerical_gradient", lambda f, a, step: (f(a + step) - f(a - step)) / (2 * step), 0)
    assert "you move all numbers of `a` together" in message.message

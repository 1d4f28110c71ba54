"""Wrong answers are told why: shapes that do not fit, black boxes, and weights for XOR."""

import numpy as np
import pytest

from course_lib.desk import grade


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda W1, b1, W2, b2: (W2 @ W1, W2 @ b1 + b2), "column vectors"),
        (lambda W1, b1, W2, b2: (W1 @ W2, W2 @ b1 + b2), "as a row, b1 stands before W2"),
        (lambda W1, b1, W2, b2: (W1 @ W2, b1 + b2), "b1 must pass through W2"),
        (lambda W1, b1, W2, b2: (W1 * W2, b1 @ W2 + b2), "the matrix product is `@`"),
        (lambda W1, b1, W2, b2: (W1 @ W2, b2 @ W1 + b1), "have changed places"),
        (lambda W1, b1, W2, b2: (W1 @ W2, W1 @ b2 + b1), "as rows they stand before a matrix"),
        (lambda W1, b1, W2, b2: (b1 @ W2 + b2, W1 @ W2), "are swapped"),
    ],
)
def test_forms_of_collapse(answer, words):
    for seed in range(3):
        verdict = grade("linear_limits.collapse", answer, seed)
        assert verdict.key == "shape" and words in verdict.message


def test_another_fault_of_shape_stays_what_it_is():
    verdict = grade("linear_limits.collapse", lambda W1, b1, W2, b2: (W1 @ W2, b1 @ np.ones((9, 9))), 0)
    assert verdict.key == "raises"


def sum_rule(scale, count, sign=0, output=slice(None), positive=False):
    def is_affine(f, d_in):
        a, b = scale * np.random.default_rng(count).normal(size=(2, count, d_in))
        if positive:
            a, b = abs(a), abs(b)
        gap = (f(a + b) + f(np.zeros((1, d_in))) - f(a) - f(b))[:, output]
        return bool((abs(gap) if sign == 0 else sign * gap).max() < 1e-6)

    return is_affine


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (sum_rule(30, 400, sign=1), "use its absolute value"),
        (sum_rule(30, 400, sign=-1), "use its absolute value"),
        (sum_rule(30, 400, output=slice(0, 1)), "last output only"),
        (sum_rule(30, 400, output=slice(1, 2)), "first output only"),
        (sum_rule(0.5, 400), "how large are your inputs"),
        (sum_rule(30, 400, positive=True), "where a and b differ in sign"),
        (sum_rule(30, 1), "You said True of"),
        (lambda f, d_in: f(np.zeros(d_in)).sum() == 0, "One input is one row"),
        (lambda f, d_in: f(np.zeros((4, d_in))) == 0, "one True or False for each pair"),
    ],
)
def test_testers_of_black_boxes(answer, words):
    for seed in range(10):
        verdict = grade("linear_limits.is_affine", answer, seed)
        assert verdict.status != "correct" and words in verdict.message, (seed, verdict)


def test_a_good_tester_is_accepted_with_every_seed():
    for seed in range(20):
        assert grade("linear_limits.is_affine", sum_rule(30, 400), seed).key == "correct"


@pytest.mark.parametrize(
    ("weights", "words"),
    [
        (([[1, 1], [1, 1]], [0, -1], [[1], [-3]], [0]), "Your hidden layer is fine"),
        (([[1, 1], [1, 1]], [0, 0], [[1], [-2]], [0]), "Your two units say the same"),
        (([[-1, -1], [-1, -1]], [0, 0], [[1], [1]], [3]), "Both units are 0 on all four points"),
        (([[1, 0], [0, 1]], [0, 0], [[3], [1]], [0]), "No W2 and b2 can make XOR"),
        (([[1, 1], [1, 1]], [0, -1], [1, -2], [0]), "one row for each unit"),
        (([[1, 1], [1, 1]], [0, -1], [[-1], [2]], [0]), "sign turned"),
    ],
)
def test_weights_for_xor(weights, words):
    assert words in grade("linear_limits.xor_weights", lambda: weights, 0).message


def test_a_loop_that_ends_with_its_first_pair_is_told_so():
    def is_affine(f, d_in):
        rng = np.random.default_rng(0)
        for _ in range(1000):
            a, b = 50 * rng.normal(size=(2, 1, d_in))
            if np.allclose(f(a + b) + f(0 * a), f(a) + f(b)):  # noqa: SIM103
                return True
            else:
                return False

    for seed in range(3):
        verdict = grade("linear_limits.is_affine", is_affine, seed)
        assert verdict.key == "slip:return-in-loop", verdict


def test_weights_that_want_the_points_are_told_that_none_come():
    def xor_weights(x):
        return np.maximum(x @ np.ones((2, 2)) + [0, -1], 0) @ [[1], [-2]]

    verdict = grade("linear_limits.xor_weights", xor_weights, 0)
    assert verdict.key == "raises" and "takes no arguments" in verdict.message

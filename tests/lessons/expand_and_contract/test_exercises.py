"""What the checks say to answers that are wrong in form only."""

import numpy as np
import pytest
import torch

from course_lib.desk import grade


def test_a_whole_float_is_no_width():
    verdict = grade("expand_and_contract.width", lambda d_model, factor: d_model * float(factor))
    assert verdict.key == "type" and "int" in verdict.message


@pytest.mark.parametrize(
    "made",
    [lambda n: torch.tensor(float(n)), lambda n: np.array(n, dtype=float), lambda n: np.float32(n)],
)
def test_what_pytorch_does_not_take_as_a_size_is_no_width(made):
    verdict = grade("expand_and_contract.width", lambda d_model, factor: made(d_model * factor), 0)
    assert verdict.key == "type" and "only as an int" in verdict.message


def test_a_whole_tensor_is_a_width():
    assert grade("expand_and_contract.width", lambda d, f: torch.tensor(int(d * f)), 0).key == "correct"


def test_a_share_for_each_unit_is_told_its_shape():
    verdict = grade("expand_and_contract.zero_fraction", lambda h: (h == 0).mean(axis=0), 0)
    assert verdict.key == "type" and "yours has shape (7,)" in verdict.message and "(5, 7)" in verdict.message


@pytest.mark.parametrize("threshold", [0.7, 1.8])
def test_what_a_threshold_leaves_is_said(threshold):
    def answer(d_model, a, b, value):
        W1 = np.zeros((d_model, 1))
        W1[[a, b]] = 1.0
        return W1, [-threshold], value[None], 0 * value

    verdict = grade("expand_and_contract.hand_wired_and", answer, 0)
    assert verdict.key == f"mistake:threshold-{threshold:g}" and f"{2 - threshold:.2g}" in verdict.message


def test_weights_of_a_wrong_shape_are_named():
    verdict = grade(
        "expand_and_contract.hand_wired_and", lambda d, a, b, value: (np.zeros((1, d)), [-1], value[None], 0 * value), 0
    )
    assert verdict.key == "shape" and "W1 has shape (1, 3)" in verdict.message
    verdict = grade(
        "expand_and_contract.hand_wired_and", lambda d, a, b, value: (np.zeros((d, 1)), [-1], None, 0 * value), 0
    )
    assert verdict.key == "none" and "W2" in verdict.message
    assert grade("expand_and_contract.hand_wired_and", lambda d, a, b, value: np.zeros(3), 0).key == "type"

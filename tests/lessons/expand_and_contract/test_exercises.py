"""What the checks say to answers that are wrong in form only."""

import numpy as np

from course_lib.desk import grade


def test_a_whole_float_is_no_width():
    verdict = grade("expand_and_contract.width", lambda d_model, factor: d_model * float(factor))
    assert verdict.key == "type" and "int" in verdict.message


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

"""How numbers are written, one way each."""

import numpy as np
import pytest
import torch

from course_lib import formats


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "0"),
        (0.25, "0.25"),
        (0.123456, "0.123"),
        (1234.5, "1.23e+03"),
        (np.float32(2.0), "2"),
        (torch.tensor(96.54), "96.5"),
        (-1e-5, "-1e-05"),
    ],
)
def test_three_digits(value, words):
    assert formats.three_digits(value) == words


def test_minus():
    assert formats.minus("-0.8") == "−0.8" and formats.minus("1e-05") == "1e−05" and formats.minus("3") == "3"


def test_spread():
    assert formats.spread([0.24, 0.26]) == "0.25 [0.24, 0.26]"
    assert formats.spread(np.array([[0.004, 0.006]]), 1) == "0.005 [0.004, 0.006]"
    assert formats.spread([0.1234, 0.1289]) == "0.13 [0.12, 0.13]"
    assert formats.spread((1, 2, 6)) == "3 [1, 6]"
    assert formats.spread([0.123, 0.129], 3) == "0.126 [0.123, 0.129]"
    assert formats.spread([0.5, 1.0], 1, "f") == "0.8 [0.5, 1.0]"
    assert formats.spread(torch.tensor([0.5, 1.5]), 1, "f") == "1.0 [0.5, 1.5]"

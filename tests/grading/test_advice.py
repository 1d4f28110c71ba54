"""What an error is put into words for, and what keeps its own words; each sentence is kept in tests/golden."""

import inspect
from pathlib import Path

import numpy as np
import pytest

from course_lib.content import Returns
from tests.grading.answers import CURVE, LAYER, RELU, exercise, in_file, told


@pytest.mark.parametrize(
    "body",
    [
        "x + object()",
        "x + unknown_name",
        "x.nothing",
        "np.nothing_at_all",
        "int('word')",
        "x[0].nothing",
        "x @ x.tolist().nothing",
    ],
)
def test_other_errors_keep_their_own_words(body, tmp_path):
    key, message = told(CURVE, in_file(f"def f(x):\n    return {body}", tmp_path))
    assert key in ("raises", "slip:no-function"), (key, message)
    assert key == "raises" or "nothing_at_all" in message


# ---- shapes ----------------------------------------------------------------------------------------------------------


def test_what_is_not_plain_arithmetic_is_not_computed_again(tmp_path):
    """The shapes are taken again from arrays and numbers alone: a call could print, or count."""
    callers = set()

    def note(x):
        callers.update(Path(frame.filename).name for frame in inspect.stack(context=0))
        return x

    answer = in_file("def f(x, W, b):\n    return note(x)[1:] @ note(x)", tmp_path, note=note)
    assert told(LAYER, answer)[0] == "raises"
    assert "answer.py" in callers and "shapes.py" not in callers


def test_an_error_of_another_kind_says_nothing_of_shapes(tmp_path):
    """`if x == y:` raises a ValueError at a comparison whose shapes fit."""
    key, message = told(RELU, in_file("def f(x):\n    if x == x:\n        return x\n    return 0 * x", tmp_path))
    assert key == "slip:truth-of-array" and "shapes" not in message


def test_what_has_no_name_is_not_looked_up(tmp_path):
    """Nothing of the learner's runs again, so the shape of what a call gave stays unknown."""
    key, message = told(LAYER, in_file("def f(x, W, b):\n    return np.exp(x) @ np.exp(x) + 7", tmp_path))
    assert key == "raises" and "do not fit together" in message


# ---- NaN -------------------------------------------------------------------------------------------------------------


def test_rows_of_nan_are_named():
    rows = np.array([[1.0, 2], [np.nan, np.nan], [3, 4]])
    item = exercise(lambda x: x, [((np.arange(6.0).reshape(3, 2),),)], returns=(Returns("y", ("n", "d")),))
    assert ", in the whole of row 1, and nowhere else: look" in told(item, lambda x: rows)[1]
    assert "row" not in told(item, lambda x: rows * [1, 0] + [np.nan, 0])[1]
    one = np.where(np.arange(6).reshape(3, 2) == 3, np.nan, 1)
    assert "y holds NaN or infinity: look" in told(item, lambda x: one)[1]

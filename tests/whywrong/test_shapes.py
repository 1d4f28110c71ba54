"""Shapes that do not fit are told from plain values alone; each sentence is kept in tests/golden."""

import inspect
from pathlib import Path

from tests.whywrong.answers import LAYER, RELU, in_file, told


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

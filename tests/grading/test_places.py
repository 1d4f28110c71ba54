"""Slips about places are found by mending, and a right answer holds none."""

import numpy as np
import pytest

from course_lib.content import Case, Returns
from course_lib.grading.judge import grade
from tests.grading.answers import RELU, exercise, in_file, told


def _rows(rng):
    return [Case((rng.normal(size=(n, 4)), k)) for n, k in ((5, 2), (3, 3), (6, 1))]


def _kept(x, k):
    found = np.zeros(x.shape)
    for row, given in zip(found, x.tolist(), strict=True):
        for place in sorted(range(4), key=given.__getitem__)[-k:]:
            row[place] = given[place]
    return found


TOP = exercise(_kept, _rows, returns=(Returns("the result", ("row", "column")),))
LOOP = "    for i in range(len(x)):\n        best = np.argsort(x[i])[{}]\n        out[i, best] = x[i, best]"
RIGHT = (
    "    rows, best = np.arange(len(x))[:, None], np.argsort(x, axis=1)[:, -k:]\n    out[rows, best] = x[rows, best]",
    "    best = np.argsort(-x)[:, :k]\n    np.put_along_axis(out, best, np.take_along_axis(x, best, 1), 1)",
)
END = "\n    return out"
BEGIN = "def f(x, k):\n    out = np.zeros_like(x)\n"


@pytest.mark.parametrize(
    ("name", "item", "source", "words"),
    [
        (
            "whole-rows",
            TOP,
            BEGIN + "    best = np.argsort(x, axis=1)[:, -k:]\n    out[best] = x[best]\n    return out",
            "`out[best]`",
        ),
        (
            "end",
            TOP,
            BEGIN + LOOP.format(":k") + END,
            "`best = np.argsort(x[i])[:k]`",
        ),
        (
            "end",
            TOP,
            BEGIN + LOOP.format("k:") + END,
            "`best = np.argsort(x[i])[k:]`",
        ),
        (
            "column",
            TOP,
            "def f(x, k):\n    least = np.sort(x, axis=1)[-k]\n    return np.where(x >= least, x, 0.0)",
            "`np.sort(x, axis=1)[-k]`",
        ),
        ("out", RELU, "def f(x):\n    return np.maximum(x, 0, x)", "`np.maximum(x, 0, x)`"),
        ("out", RELU, "def f(x):\n    return np.maximum(x, 0.0, out=x)", "`np.maximum(x, 0.0, out=x)`"),
    ],
)
def test_slip(name, item, source, words, tmp_path):
    key, message = told(item, in_file(source, tmp_path))
    assert key == f"slip:{name}" and words in message, (key, message)


def test_changed_inputs_are_no_wrong_word(tmp_path):
    """What changes its input is not told that a square is missing, because then a new array is made."""
    verdict = grade(RELU, in_file("def f(x):\n    np.maximum(0, x, x)\n    return x", tmp_path), 0)
    assert verdict.key == "mutates"


def test_right_answers_hold_no_slip(tmp_path):
    for source in RIGHT:
        assert told(TOP, in_file(f"{BEGIN}{source}\n    return out", tmp_path))[0] == "correct"

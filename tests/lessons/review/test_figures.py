"""What the figures of the review draw and say."""

import numpy as np
import pytest

from lessons.review import figures


def test_turns_figure_says_the_angles():
    angle = np.radians([10, 50, 20])
    x = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    turn = angle - np.roll(angle, 1)
    figure, caption = figures.turns(x, np.stack([np.cos(turn), np.sin(turn)], axis=1))
    assert "−10°, +40°, −30°" in caption
    assert len(figure.axes) == 6


def test_errors_figure_counts_what_lies_below():
    _, caption = figures.errors_by_kind(["a", "b"], [188, 200], [[0.1, 0.3], [0.01, 0.03]], 0.02)
    assert "a 0.2 [0.1, 0.3], 0 of 2 below" in caption and "b 0.02 [0.01, 0.03], 1 of 2 below" in caption


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: figures.errors_by_kind(["a"], [1], [[0.0, 1.0]], 0.02), "errors must be above 0"),
        (lambda: figures.errors_by_kind(["a"], [1, 2], [[1.0]], 0.02), "sizes must hold one number"),
        (lambda: figures.errors_by_kind(["a", "b"], [1], [[1.0]], 0.02), "names must hold one name"),
        (lambda: figures.errors_by_kind(["a"], [1], [[1.0]], 0), "threshold must be"),
        (lambda: figures.turns(np.ones((3, 1)), np.ones((3, 2))), "x must have at least 2 features"),
        (lambda: figures.turns(np.ones((3, 2)), np.ones((4, 2))), "seq_len = 3, but its shape is \\(4, 2\\)"),
        (lambda: figures.turns(np.ones((3, 2)), np.ones((3, 3))), "turn = 2, but its shape is \\(3, 3\\)"),
    ],
)
def test_figures_refuse_what_does_not_fit(call, words):
    with pytest.raises(ValueError, match=words):
        call()

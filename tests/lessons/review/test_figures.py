"""What the figures of the review draw and say."""

import numpy as np
import pytest

from course_lib.model import tasks
from course_lib.model.one_thread import torch
from lessons.review import figures


def test_turns_figure_says_the_angles():
    angle = np.radians([10, 50, 20])
    x = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
    turn = angle - np.roll(angle, 1)
    figure, caption = figures.turns(x, np.stack([np.cos(turn), np.sin(turn)], axis=1))
    assert "−10°, +40°, −30°" in caption
    assert len(figure.axes) == 6


@pytest.fixture
def shown():
    x, y = tasks.turns(3, 4)
    turned = torch.stack([-y[..., 1], y[..., 0]], dim=-1)  # a right angle off
    return figures.answers(x, y, torch.stack([y, turned, 0.5 * y]), ["right", "off", "short"])


def test_no_hand_sticks_out_of_its_dial(shown):
    shown.move(sequence=1, network="right")
    shown.figure.draw_without_rendering()
    for hand, axes in zip(shown.moving["right"], shown.figure.axes[4:], strict=True):
        middle, rim = axes.transData.transform([(0, 0), (1, 0)])
        box = hand.get_window_extent()
        assert hand.get_solid_capstyle() == "butt" and hand.get_marker() == ""
        assert max(abs(box.extents - [*middle, *middle])) <= (rim - middle)[0] + hand.get_linewidth()


def test_answers_figure_says_what_it_shows(shown):
    first = shown.move(sequence=1, network="right")
    assert "error 0;" in first or "e-" in first
    assert "by up to 90°" in shown.move(sequence=2, network="off")
    assert "0.50 to 0.50 long" in shown.move(sequence=3, network="short")


def test_answers_figure_turns_its_hands(shown):
    shown.move(sequence=2, network="short")
    x, y = (value[1].numpy() for value in tasks.turns(3, 4))
    for token in range(4):
        ends = {name: hands[token].get_xydata()[1] for name, hands in shown.moving.items()}
        wanted = {"own": x[token, :2], "before": x[token - 1, :2], "right": y[token], "given": 0.5 * y[token]}
        for name, end in wanted.items():
            np.testing.assert_allclose(ends[name], end, atol=1e-4)


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"sequence": 0, "network": "off"}, "sequence must be an integer from 1 to 3"),
        ({"sequence": 1, "network": "best"}, "unknown network 'best': known are 'right', 'off', 'short'"),
    ],
)
def test_answers_figure_refuses(shown, values, words):
    with pytest.raises(ValueError, match=words):
        shown.update(**values)


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
        (lambda: figures.answers(*map(np.ones, ((2, 3, 6), (2, 3, 2), (1, 2, 4, 2))), ["a"]), "outputs must .*seq_len"),
        (lambda: figures.answers(*map(np.ones, ((2, 3, 6), (2, 3, 3), (1, 2, 3, 3))), ["a"]), "y must .* turn = 2"),
        (lambda: figures.answers(*map(np.ones, ((2, 3, 6), (2, 3, 2), (1, 2, 3, 2))), ["a", "b"]), "names must hold"),
    ],
)
def test_figures_refuse_what_does_not_fit(call, words):
    with pytest.raises(ValueError, match=words):
        call()

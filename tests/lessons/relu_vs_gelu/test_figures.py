"""Captions follow the data, tangents touch their curves, and bad data is named."""

import numpy as np
import pytest
import torch

from course_lib.model import activations
from lessons.relu_vs_gelu import figures

X = np.linspace(-4, 4, 81)
NAMES = ["relu", "gelu", "silu"]


def test_captions_follow_the_data():
    assert "one curve;" in figures.from_afar(10 * X, ["relu", "gelu"])[1]
    assert "From −40 to 40 they differ by 0.16 at most" in figures.from_afar(10 * X, ["relu", "gelu"])[1]
    means = np.stack([np.maximum(X, 0)] * 2)
    caption = figures.gates(X, means, ["relu", "gelu"])[1]
    assert "ReLU 0, GELU 0.17" in caption and "lowest" not in caption
    means[1, 30] = -0.2
    assert "The lowest markers: GELU's at x = −1." in figures.gates(X, means, ["relu", "gelu"])[1]
    assert "−0.1 (" not in figures.curves_and_slopes(X, ["relu"])[1]
    assert "lowest at x = −0.8 (" in figures.curves_and_slopes(X, ["relu", "gelu"])[1]
    caption = figures.approximation_errors(X, [np.cos(X) / 100, X / 1000], ["first", "second"])[1]
    assert "first is off by at most 0.01, at |x| = 0" in caption and "second is off by at most 0.004" in caption
    caption = figures.first_gradients([[0, 0, 0.5], [0.01, 0.02, 0.03]], ["relu", "gelu"])[1]
    assert "ReLU: 2 of 3 units get exactly 0" in caption and "GELU: 0 of 3 units" in caption
    assert "ReLU: 2 of 2 units" in figures.first_gradients([[0, 0]], ["relu"])[1]
    shares = np.zeros((2, 3, 4))
    shares[0, 2] = 1
    caption = figures.death_by_shift([0, -1, -2], shares, shares + 0.5, ["relu", "gelu"])[1]
    assert "shifts 0, −1, −2: ReLU 0, 0, 100 %; GELU 0, 0, 0 %" in caption and "ReLU 1.5, GELU 0.5" in caption
    errors = np.array([[[1.0, 2], [3, 4]], [[1, 2], [2, 3]]])
    caption = figures.task_errors(errors, ["a", "b"], ["relu", "gelu"])[1]
    assert "(ReLU lower in every seed)" in caption and "(the ranges overlap)" in caption


def test_the_words_of_the_tangents_stay_in_their_panels():
    interactive = figures.tangents(NAMES)
    moving = interactive.moving["words"], interactive.moving["tangents"]
    for x in np.linspace(-4, 4, 17):
        interactive.move(x=x)
        interactive.figure.draw_without_rendering()
        for axes, words, tangent in zip(interactive.figure.axes, *moving, strict=True):
            panel, box = axes.get_window_extent(), words.get_window_extent()
            assert panel.x0 < box.x0 - 5 and box.x1 < panel.x1 and panel.y0 < box.y0 and box.y1 < panel.y1
            for line in (axes.lines[0], tangent):
                points = line.get_transform().transform(line.get_xydata())
                assert not any(box.contains(*point) for point in points)


def test_tangents_touch_the_curves():
    interactive = figures.tangents(NAMES)
    assert "value −0.159 and slope −0.0833" in interactive.move(x=-1.0)
    assert "ReLU has no slope at its kink" in interactive.move(x=0) and "kink" not in interactive.move(x=0.1)
    interactive.move(x=1.5)
    for name, tangent, point in zip(NAMES, interactive.moving["tangents"], interactive.moving["points"], strict=True):
        row = activations.ACTIVATIONS[name]
        at = torch.tensor([1.5], dtype=torch.float64)
        (x0, x1), (y0, y1) = tangent.get_data()
        assert (y1 - y0) / (x1 - x0) == pytest.approx(row.derivative(at).item())
        assert (y0 + y1) / 2 == pytest.approx(row.function(at).item())
        assert point.get_data() == ([1.5], [row.function(at).item()])


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: figures.gates(X, [X], ["tanh"]), r"unknown names\[0\] 'tanh': known are 'relu', 'gelu', 'silu'"),
        (lambda: figures.gates(X, [X, X], ["relu"]), r"means must have shape \(gates, n\) with gates = 1"),
        (lambda: figures.gates(X, [X[1:]], ["relu"]), r"means must have shape \(gates, n\) with n = 81"),
        (lambda: figures.tangents([]), "names must hold at least one"),
        (lambda: figures.tangents("relu"), "names must be a list of activations"),
        (lambda: figures.tangents([0]), r"names\[0\] must be one of 'relu'"),
        (lambda: figures.first_gradients([[0.1]], NAMES), "gradients must have shape .* with activations = 3"),
        (lambda: figures.tangents(NAMES).update(x=5), "x must be"),
        (lambda: figures.first_gradients([[-1.0, 1]], ["relu"]), "gradients must not be negative"),
        (lambda: figures.death_by_shift([0], [[[0.5]]], [[[0.0]]], ["relu"]), "losses must be positive"),
        (
            lambda: figures.death_by_shift([0, 1], [[[0.5]]], [[[1.0]]], ["relu"]),
            "shares must have shape .* with n = 2",
        ),
        (lambda: figures.task_errors([[[0.0]]], ["a"], ["relu"]), "errors must be positive"),
        (lambda: figures.task_errors([[[1.0]]], ["a", "b"], ["relu"]), "errors must have shape .* with tasks = 2"),
        (lambda: figures.approximation_errors(X, [X] * 4, list("abcd")), "names must hold one to three"),
        (lambda: figures.approximation_errors(X, [X], ["a", "b"]), "errors must have shape .* with forms = 2"),
        (lambda: figures.curves_and_slopes([np.nan, 1], NAMES), "x must be finite"),
    ],
)
def test_wrong_data_is_refused(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()

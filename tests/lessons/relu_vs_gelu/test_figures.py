"""What the captions say follows the data, also data that no notebook stores."""

import numpy as np

from lessons.relu_vs_gelu import figures

X = np.linspace(-4, 4, 81)


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
    errors = np.array([[[1.0, 2], [3, 4], [3, 5]], [[1, 2], [2, 3], [4, 5]], [[1, 2], [2, 3], [3, 4]]])
    caption = figures.task_errors(errors, ["a", "b", "c"], ["relu", "gelu", "silu"])[1]
    assert caption.startswith("A: ReLU lowest in every seed; b: SiLU highest in every seed; c: the ranges overlap.")

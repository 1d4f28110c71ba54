"""The figures of the lesson draw the data they are given, and their captions follow it."""

import itertools

import numpy as np
import pytest

from lessons.build_the_ffn import figures


def arrays(seed=3, tokens=4):
    rng = np.random.default_rng(seed)
    shapes = (tokens, 3), (3, 6), (6,), (6, 3), (3,)
    return [rng.normal(size=shape) for shape in shapes]


def test_shapes_are_drawn_square_by_square():
    figure, caption = figures.shapes(tokens=4, d_model=3, d_ff=7)
    texts = [text.get_text() for text in figure.axes[0].texts]
    for shape in ("(4, 3)", "(3, 7)", "(4, 7)", "(7, 3)"):
        assert any(shape in text for text in texts), shape
    squares = 2 * (12 + 21 + 28 + 21 + 12) + 5  # a square and its frame for each number, and a frame for each array
    assert len(figure.axes[0].patches) == squares
    assert "4 tokens of 3 features become 4 × 7 hidden values" in caption


def test_one_token_marks_its_zeros_and_does_not_count_them():
    """The share of zeros is what a later lesson asks for."""
    x, W1, b1, W2, b2 = arrays()
    figure, caption = figures.one_token(x[0], W1, b1, W2, b2)
    zeros = int((x[0] @ W1 + b1 <= 0).sum())
    assert zeros and [text.get_text() for text in figure.axes[0].texts].count("0") == zeros
    assert "what ReLU set to 0 (dashed boxes) passes nothing on" in caption
    assert "ReLU set none to 0" in figures.one_token(x[0], W1, b1 + 100, W2, b2)[1]


def test_features_are_named_at_both_ends_and_no_box_covers_another():
    x, W1, b1, W2, b2 = np.ones(5), np.ones((5, 2)), np.ones(2), np.ones((2, 5)), np.ones(5)
    (axes,) = figures.one_token(x, W1, b1, W2, b2, list("abcde"))[0].axes
    assert [text.get_text() for text in axes.texts if text.get_text() in "abcde"] == list("aabbccddee")
    boxes = [patch.get_path().get_extents() for patch in axes.patches]
    assert len(boxes) == 12 and not any(
        one.x0 < other.x1 - 1e-9 and other.x0 < one.x1 - 1e-9 and one.y0 < other.y1 and other.y0 < one.y1
        for one, other in itertools.combinations(boxes, 2)
    )


def test_signal_sizes_tell_the_first_step():
    sizes = np.geomspace(1, 10, 30).reshape(2, 5, 3)
    _, caption = figures.signal_sizes(sizes, ("A", "B"))
    assert f"A: from {sizes[0, :, 1].min():.3g} to {sizes[0, :, 1].max():.3g}" in caption
    assert "5 seeds" in caption


@pytest.mark.parametrize("depth", [1, 2, 6])
def test_names_of_signals_never_overlap(depth):
    shrinking, growing = 0.3 * 0.57 ** np.arange(depth + 1), 0.3 * 85.0 ** np.arange(depth + 1)
    sizes = np.stack([[growing] * 2, [shrinking] * 2, [0.3 * np.ones(depth + 1)] * 2])
    figure, _ = figures.signal_sizes(sizes, ("A", "B", "C"))
    figure.canvas.draw()
    boxes = [text.get_window_extent() for text in figure.axes[0].texts]
    assert len(boxes) == 4
    assert not any(one.overlaps(other) for one, other in itertools.combinations(boxes, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.shapes(0, 3, 12), "tokens must be an integer from 1 to 12, but int 0"),
        (lambda: figures.shapes(4, 3, 100), "d_ff must be an integer from 1 to 24, but int 100"),
        (lambda: figures.one_token(*arrays()), "x must have shape"),
        (
            lambda: figures.one_token(arrays()[0][0], *arrays()[1:4], np.ones(4)),
            r"b2 must have shape \(d_model,\) with d_model = 3",
        ),
        (lambda: figures.one_token(arrays()[0][0], *arrays()[1:], ["a"]), "features must hold 3 names or none"),
        (lambda: figures.signal_sizes(np.ones((2, 5, 3)), ("A",)), "names must hold one name for each rule"),
        (lambda: figures.signal_sizes(np.zeros((1, 5, 3)), ("A",)), "sizes must be positive"),
    ],
)
def test_wrong_data_for_figures(call, message):
    with pytest.raises(ValueError, match=message):
        call()

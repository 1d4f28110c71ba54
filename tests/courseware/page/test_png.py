"""Pictures as files: no loss shows, and quick ones hold the same pixels."""

import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from courseware.page import png
from courseware.page.style import DIVERGING
from tests.courseware.page.samples import pixels, wave


def full(figure):
    """Return the pixels of a figure with all their colours."""
    drawn = io.BytesIO()
    figure.savefig(drawn, format="png", dpi=png.PIXELS_PER_INCH * png.SHARP, facecolor="white")
    return pixels(drawn.getvalue())


def curves():
    moving = wave()
    moving.move(speed=3)
    return moving.figure


def heatmap():
    figure = Figure(figsize=(6.4, 3.6))
    figure.subplots().imshow(np.random.default_rng(0).normal(size=(8, 32)), cmap=DIVERGING)
    return figure


def rainbow():
    figure = Figure(figsize=(6.4, 3.6))
    figure.subplots().imshow(np.random.default_rng(0).random((200, 200, 3)))
    return figure


@pytest.mark.parametrize(("make", "mode"), [(curves, "P"), (heatmap, "P"), (rainbow, "RGB")])
def test_a_palette_only_where_no_loss_shows(make, mode):
    made = png.stored(make())
    assert Image.open(io.BytesIO(made)).mode == mode
    assert np.abs(pixels(made) - full(make())).max() <= (png.NO_LOSS if mode == "P" else 0)


def test_a_quick_picture_holds_the_same_pixels():
    drawn = np.random.default_rng(0).integers(0, 256, (7, 5, 4), dtype=np.uint8)
    drawn[..., 3] = 255
    made = png.quick(drawn)
    assert Image.open(io.BytesIO(made)).size == (5, 7)
    assert np.array_equal(pixels(made), drawn[..., :3])

"""An explorer keeps the state of its controls, and draws a moved figure as a full redraw would."""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

from courseware.page import png
from courseware.page.interactive import Explorer
from courseware.page.style import LOW
from tests.courseware.page.samples import SPEED, pixels, wave


def full_redraw(**values):
    """Draw everything of a new figure at once."""
    interactive = wave()
    interactive.move(**values)
    interactive.figure.set_size_inches(LOW)
    interactive.figure.set_dpi(png.PIXELS_PER_INCH * png.SHARP)
    canvas = FigureCanvasAgg(interactive.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(int)


def test_blitted_picture_equals_a_full_redraw():
    explorer = Explorer(wave(), speed=SPEED)
    for speed in (2, 5, 1, 3):
        explorer.set(speed=speed)
        blitted, drawn = pixels(explorer.png()), full_redraw(speed=speed)
        assert blitted.shape == drawn.shape
        differs = np.abs(blitted - drawn).max(axis=-1) > 8
        # moving artists come last: a frame or a grid line beneath them may differ, and nothing else
        assert differs.mean() < 0.005, f"speed {speed}: {differs.mean():.2%} of the pixels"


def test_old_state_leaves_no_trace():
    def png_at(*speeds):
        explorer = Explorer(wave(), speed=SPEED)
        for speed in speeds:
            explorer.set(speed=speed)
            drawn = explorer.png()
        return drawn

    assert png_at(5, 1, 4) == png_at(4)

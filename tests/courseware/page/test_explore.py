"""An explorer keeps the state of its controls, and draws a moved figure as a full redraw would."""

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from course_lib.desk import explore
from courseware.page import png
from courseware.page.interactive import Choice, Explorer
from courseware.page.medium import shown_on
from courseware.page.style import LOW
from tests.courseware.page.samples import SPEED, pixels, wave


def test_an_explorer_starts_where_its_controls_do():
    explorer = Explorer(wave(), speed=SPEED, kind=Choice("kind", ("sine", "cosine"), start=1))
    assert explorer.values == {"speed": 2, "kind": "cosine"}
    assert explorer.caption == "A cosine with speed 2 & <more>."
    assert explorer.interactive.moving["words"].get_text() == "speed 2"


def test_set_keeps_the_other_controls():
    explorer = Explorer(wave(), speed=SPEED, kind=Choice("kind", ("sine", "cosine"), start=1))
    explorer.set(speed=4)
    assert explorer.values == {"speed": 4, "kind": "cosine"} and "cosine with speed 4" in explorer.caption
    explorer.set(kind="sine", speed=1)
    assert explorer.values == {"speed": 1, "kind": "sine"} and "sine with speed 1" in explorer.caption


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


def test_explore_hands_an_explorer_to_the_current_medium():
    class Recorder:
        given = None

        def explorer(self, explorer):
            self.given = explorer

    figure = wave()
    with shown_on(Recorder()) as medium:
        explore(figure, speed=SPEED)
    assert type(medium.given) is Explorer
    assert medium.given.interactive is figure and medium.given.controls == {"speed": SPEED}


def test_update_error_reaches_the_caller():
    explorer = Explorer(wave(), speed=SPEED)
    with pytest.raises(TypeError):
        explorer.set(velocity=3)

"""An explorer keeps the state of its controls, and draws a moved figure as a full redraw would."""

import struct
import zlib

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from course_lib.desk import explore
from course_lib.page import png
from course_lib.page.interactive import Choice, Explorer, Interactive, Range
from course_lib.page.medium import shown_on
from course_lib.page.style import LOW
from tests.page.samples import SPEED, pixels, wave


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


def test_what_lies_above_is_drawn_over_that_which_moves():
    def board():
        figure = Figure()
        axes = figure.add_axes((0, 0, 1, 1), frameon=False, xticks=[], yticks=[])
        paint = axes.imshow([[0.0, 0.0]], cmap="gray", vmin=0, vmax=1, aspect="auto")
        words = axes.text(0.5, 0, "over it", fontsize=40, color="red", ha="center", va="center")
        return Interactive(figure, lambda n: ({"paint": {"data": [[n / 5, 0.0]]}}, ""), {"paint": paint}, [words])

    explorer = Explorer(board(), n=SPEED)
    for n in (2, 5, 1):
        explorer.set(n=n)
        blitted, again = pixels(explorer.png()), board()
        again.move(n=n)
        again.figure.set_size_inches(LOW)
        again.figure.set_dpi(png.PIXELS_PER_INCH * png.SHARP)
        canvas = FigureCanvasAgg(again.figure)
        canvas.draw()
        assert np.abs(blitted - np.asarray(canvas.buffer_rgba())[..., :3].astype(int)).max() <= 2
        assert (blitted[..., 0] - blitted[..., 1] == 255).sum() > 1000  # red letters, on black


def test_old_state_leaves_no_trace():
    def png_at(*speeds):
        explorer = Explorer(wave(), speed=SPEED)
        for speed in speeds:
            explorer.set(speed=speed)
            drawn = explorer.png()
        return drawn

    assert png_at(5, 1, 4) == png_at(4)


def test_picture_size_and_white_corners():
    shown = pixels(Explorer(wave(), speed=SPEED).png())
    assert shown.shape == (594, 1760, 3)  # twice what it takes on the page: at most 300 pixels high
    assert {tuple(shown[y, x]) for x in (0, -1) for y in (0, -1)} == {(255, 255, 255)}


def test_the_png_says_what_it_is():
    """Eight bits, four channels, no interlacing (ISO 15948, chapter 11.2.2), and every chunk with its sum."""
    data = Explorer(wave(), speed=SPEED).png()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    found, place = {}, 8
    while place < len(data):
        (size,) = struct.unpack(">I", data[place : place + 4])
        kind, body = data[place + 4 : place + 8], data[place + 8 : place + 8 + size]
        (total,) = struct.unpack(">I", data[place + 8 + size : place + 12 + size])
        assert total == zlib.crc32(kind + body)
        found[kind], place = body, place + 12 + size
    assert list(found) == [b"IHDR", b"IDAT", b"IEND"] and found[b"IEND"] == b""
    assert struct.unpack(">IIBBBBB", found[b"IHDR"]) == (1760, 594, 8, 6, 0, 0, 0)


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


@pytest.mark.parametrize("make", [Explorer, explore])
@pytest.mark.parametrize(
    ("figure", "controls", "error", "words"),
    [
        (wave, {}, ValueError, "controls must name at least one Range or Choice"),
        (wave, {"speed": 3}, TypeError, "speed must be a Range or a Choice, but int 3 was given"),
        (lambda: "figure", {"speed": SPEED}, TypeError, "figure must be an Interactive from figures, but str 'figure'"),
        (lambda: None, {"speed": Range("n", 1, 5, step=1, start=2)}, TypeError, "figure must be an Interactive"),
    ],
)
def test_errors(make, figure, controls, error, words, shown):
    with pytest.raises(error, match=words):
        make(figure(), **controls)
    assert shown.outputs == []

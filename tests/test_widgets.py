"""Sliders without a browser: what a moved control changes, and what stands there without a kernel."""

import base64
import io
import re

import ipywidgets
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from PIL import Image

from course_lib import widgets
from course_lib.figures.style import OUTPUT, Interactive, blank, styled
from course_lib.widgets import Choice, Explorer, Range


@styled
def wave():
    """Make a figure with a curve, an image and a text that move."""
    figure, (left, right) = blank(columns=2)
    x = np.linspace(0, 6, 50)
    curve = left.plot(x, x * 0, color=OUTPUT)[0]
    words = left.text(0.1, 0.9, "", transform=left.transAxes)
    image = right.imshow(np.zeros((4, 4)), vmin=0, vmax=9)
    left.set(ylim=(-1.2, 1.2), xlabel="x", title="a wave")

    def update(speed, kind="sine"):
        curve.set_ydata(np.sin(speed * x) if kind == "sine" else np.cos(speed * x))
        image.set_data(np.full((4, 4), float(speed)))
        words.set_text(f"speed {speed}")
        return f"A {kind} with speed {speed} & <more>."

    return Interactive(figure, update, [curve, image, words])


@pytest.fixture
def live(monkeypatch):
    monkeypatch.delenv("COURSE_STATIC", raising=False)


def pixels(png):
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)


def parts(box):
    """Return the rows of controls, the picture and the caption."""
    *rows, picture, caption = box.children
    return rows, picture, caption


def test_moving_the_slider_changes_picture_and_caption():
    rows, picture, caption = parts(Explorer(wave(), speed=Range("speed", 1, 5, 1, 2)).widget())
    box, slider = rows[0].children
    before = picture.value
    assert bytes(before).startswith(b"\x89PNG") and "A sine with speed 2" in caption.value
    slider.value = 3
    assert picture.value != before and "A sine with speed 3" in caption.value
    slider.value = 2
    assert picture.value == before and "A sine with speed 2" in caption.value
    assert box.description == "speed" and not slider.readout


def test_slider_and_box_are_linked_both_ways():
    rows, picture, caption = parts(Explorer(wave(), speed=Range("speed", 1, 5, 1, 2)).widget())
    box, slider = rows[0].children
    slider.value = 4
    assert box.value == 4
    box.value = 5
    assert slider.value == 5 and "speed 5" in caption.value
    shown = picture.value
    box.value = 99  # out of range: taken as the largest
    assert box.value == slider.value == 5 and picture.value == shown


@pytest.mark.parametrize(
    ("control", "kinds", "start"),
    [
        (Range("n", 1, 5, 1, 2), (ipywidgets.BoundedIntText, ipywidgets.IntSlider), 2),
        (Range("n", 1.0, 5.0, 1.0, 2.0), (ipywidgets.BoundedIntText, ipywidgets.IntSlider), 2),
        (Range("n", 0, 1, 0.1, 0.5), (ipywidgets.BoundedFloatText, ipywidgets.FloatSlider), 0.5),
    ],
)
def test_kind_of_numbers(control, kinds, start):
    rows, _, _ = parts(Explorer(wave(), speed=control).widget())
    assert tuple(type(child) for child in rows[0].children) == kinds
    for child in rows[0].children:
        assert (child.value, child.min, child.max, child.step) == (start, control.low, control.high, control.step)
        assert type(child.value) is type(start)


def test_choice():
    speed, kind = Range("speed", 1, 5, 1, 2), Choice("kind", ("sine", "cosine"), 1)
    explorer = Explorer(wave(), speed=speed, kind=kind)
    rows, picture, caption = parts(explorer.widget())
    assert rows[1].options == ("sine", "cosine") and rows[1].value == "cosine" and rows[1].description == "kind"
    before = picture.value
    rows[1].value = "sine"
    assert picture.value != before and "A sine with speed 2" in caption.value
    rows[0].children[1].value = 3
    assert explorer.values == {"speed": 3, "kind": "sine"} and "A sine with speed 3" in caption.value


def full_redraw(**values):
    """Draw everything of a new figure at once."""
    interactive = wave()
    interactive.update(**values)
    interactive.figure.set_dpi(widgets.PIXELS_PER_INCH)
    canvas = FigureCanvasAgg(interactive.figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[..., :3].astype(int)


def test_blitted_picture_equals_a_full_redraw():
    explorer = Explorer(wave(), speed=Range("speed", 1, 5, 1, 2))
    for speed in (2, 5, 1, 3):
        explorer.set(speed=speed)
        blitted, drawn = pixels(explorer.png()), full_redraw(speed=speed)
        assert blitted.shape == drawn.shape
        differs = np.abs(blitted - drawn).max(axis=-1) > 8
        # moving artists come last: a frame or a grid line beneath them may differ, and nothing else
        assert differs.mean() < 0.005, f"speed {speed}: {differs.mean():.2%} of the pixels"


def test_old_state_leaves_no_trace():
    def png_at(*speeds):
        explorer = Explorer(wave(), speed=Range("speed", 1, 5, 1, 2))
        for speed in speeds:
            explorer.set(speed=speed)
            png = explorer.png()
        return png

    assert png_at(5, 1, 4) == png_at(4)


def test_picture_size_and_white_corners():
    explorer = Explorer(wave(), speed=Range("speed", 1, 5, 1, 2))
    shown = pixels(explorer.png())
    assert shown.shape == (360, 640, 3)
    assert {tuple(shown[y, x]) for x in (0, -1) for y in (0, -1)} == {(255, 255, 255)}


def test_caption_is_announced_and_escaped():
    _, picture, caption = parts(Explorer(wave(), speed=Range("speed", 1, 5, 1, 2)).widget())
    assert 'role="status"' in caption.value and 'aria-live="polite"' in caption.value
    assert "speed 2 &amp; &lt;more&gt;." in caption.value and "<more>" not in caption.value
    assert picture.format == "png" and re.search(r"\w", picture.tooltip)


def test_explore_live(shown, live):
    widgets.explore(wave(), speed=Range("speed", 1, 5, 1, 2))
    assert len(shown.outputs) == 1
    model = shown.outputs[0]["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    assert isinstance(ipywidgets.widgets.widget._instances[model], ipywidgets.VBox)


def test_explore_static_makes_no_widget(shown, monkeypatch):
    monkeypatch.setenv("COURSE_STATIC", "1")
    before = set(ipywidgets.widgets.widget._instances)
    widgets.explore(wave(), speed=Range("speed", 1, 5, 1, 4))
    assert set(ipywidgets.widgets.widget._instances) == before
    picture, caption = shown.outputs
    words = "A sine with speed 4 & <more>."
    assert picture["data"]["text/plain"] == f"Figure: {words}" and caption["data"]["text/plain"] == words
    drawn = Image.open(io.BytesIO(base64.b64decode(picture["data"]["image/png"]))).convert("RGB")
    vermilion = np.abs(np.asarray(drawn, dtype=int) - (0xD5, 0x5E, 0x00)).max(axis=-1) < 30
    assert vermilion.sum() > 50  # the moving curve is part of the static picture


def test_update_error_reaches_the_caller():
    explorer = Explorer(wave(), speed=Range("speed", 1, 5, 1, 2))
    with pytest.raises(TypeError):
        explorer.set(velocity=3)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: Range("n", 3, 3, 1, 3), ValueError, "high must be above low = 3, but 3 was given"),
        (lambda: Range("n", 1, 5, 0, 1), ValueError, r"step must be a number in \(0, 4\], but int 0"),
        (lambda: Range("n", 1, 5, 9, 1), ValueError, "step must be"),
        (lambda: Range("n", 1, 5, 1, 7), ValueError, r"start must be a number in \[1, 5\], but int 7"),
        (lambda: Range("n", "1", 5, 1, 2), TypeError, "low must be a finite number, but str '1'"),
        (lambda: Range("n", 1, float("inf"), 1, 2), ValueError, "high must be a finite number"),
        (lambda: Choice("n", ()), TypeError, "options must be a non-empty tuple of words"),
        (lambda: Choice("n", (1, 2)), TypeError, "options must be a non-empty tuple of words"),
        (lambda: Choice("n", ("a", "b"), 2), ValueError, "start must be an integer from 0 to 1, but int 2"),
        (lambda: Explorer(wave()), ValueError, "controls must name at least one"),
        (lambda: Explorer(wave(), speed=3), TypeError, "speed must be a Range or a Choice, but int 3"),
        (lambda: Explorer("figure", n=Range("n", 1, 5, 1, 2)), TypeError, "figure must be an Interactive from figures"),
        (lambda: widgets.explore(None, n=Range("n", 1, 5, 1, 2)), TypeError, "figure must be an Interactive"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()

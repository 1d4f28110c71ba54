"""What display sends to the page: pictures with alt text and caption, tables, source, and clear errors."""

import base64
import io

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from course_lib import display


def drawn(size=(6.4, 3.6)):
    figure = Figure(figsize=size)
    figure.subplots().plot([0, 1], [0, 1])
    return figure


def picture(output):
    return Image.open(io.BytesIO(base64.b64decode(output["data"]["image/png"])))


def test_show(shown):
    display.show(drawn(), "A line from 0 to 1.")
    figure, caption = shown.outputs
    assert set(figure["data"]) == {"image/png", "text/plain"}
    assert figure["data"]["text/plain"] == "Figure: A line from 0 to 1."
    assert figure["metadata"] == {"image/png": {"alt": "A line from 0 to 1."}}
    assert caption["data"] == {"text/markdown": "*A line from 0 to 1.*", "text/plain": "A line from 0 to 1."}


@pytest.mark.parametrize("size", [(6.4, 3.6), (8.0, 3.2)])
def test_png_has_its_size_and_a_white_ground(shown, size):
    figure = drawn(size)
    figure.set_facecolor("black")
    display.show(figure, "A line.")
    image = picture(shown.outputs[0])
    assert image.format == "PNG" and image.size == tuple(round(inches * display.DPI) for inches in size)
    colors = image.convert("RGB")
    width, height = image.size
    corners = {colors.getpixel((x, y)) for x in (0, width - 1) for y in (0, height - 1)}
    assert corners == {(255, 255, 255)}
    assert len(np.unique(np.asarray(colors))) > 1
    assert "Software" not in image.info


def test_same_figure_gives_the_same_bytes(shown):
    for _ in range(2):
        display.show(drawn(), "A line.")
    assert shown.outputs[0]["data"]["image/png"] == shown.outputs[2]["data"]["image/png"]


def test_palette_keeps_the_colours(shown):
    figure = drawn()
    display.show(figure, "A line.")
    small = np.asarray(picture(shown.outputs[0]).convert("RGB"), dtype=float)
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=display.DPI, facecolor="white")
    full = np.asarray(Image.open(buffer).convert("RGB"), dtype=float)
    assert np.abs(small - full).max() <= 16


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: display.show(drawn(), ""), ValueError, "caption must say"),
        (lambda: display.show(drawn(), "  \n"), ValueError, "caption must say"),
        (lambda: display.show(drawn(), None), TypeError, "caption must be a string, but NoneType None was given"),
        (lambda: display.show("line", "A line."), TypeError, "figure must be a Matplotlib Figure, but str 'line'"),
        (lambda: display.show(None, "A line."), TypeError, "figure must be a Matplotlib Figure"),
        (lambda: display.table([], ["a"], "T."), ValueError, "rows must not be empty"),
        (lambda: display.table([[1, 2]], ["a"], "T."), ValueError, r"rows\[0\] must have 1 values.* but it has 2"),
        (lambda: display.table([[1]], [], "T."), TypeError, "columns must be a non-empty list of strings"),
        (lambda: display.table([[1]], [1], "T."), TypeError, "columns must be a non-empty list of strings"),
        (lambda: display.table([[1]], ["a"], ""), ValueError, "caption must say"),
        (lambda: display.show_source(len), TypeError, "thing must be a function or class written in Python"),
        (lambda: display.show_source(3), TypeError, "thing must be .* but int 3 was given"),
        (lambda: display.text(3), TypeError, "markdown must be a string, but int 3 was given"),
    ],
)
def test_errors(call, error, words, shown):
    with pytest.raises(error, match=words):
        call()
    assert shown.outputs == []


def test_table(shown):
    display.table([[1, "a|b"], [22, None]], ["number", "word"], "Two rows.")
    assert shown.plain == ["Two rows.\nnumber  word\n1       a|b\n22      None"]
    lines = shown.markdown[0].splitlines()
    assert lines[0] == "**Two rows.**" and lines[2:5] == ["| number | word |", "| --- | --- |", r"| 1 | a\|b |"]
    assert lines[5] == "| 22 | None |"


def test_source_and_code(shown):
    display.show_source(display.is_static)
    assert shown.plain[0].startswith("def is_static() -> bool:") and shown.markdown[0].startswith("```python\ndef is_")
    display.code("x = 1")
    assert shown.plain[1] == "x = 1" and shown.markdown[1] == "```python\nx = 1\n```"


def test_text_and_its_update(shown):
    display.text("**a**", "a", display_id="here")
    display.text("**b**", display_id="here", update=True)
    assert shown.plain == ["a", "**b**"]
    assert [output["transient"] for output in shown.outputs] == [{"display_id": "here"}] * 2
    assert [output["update"] for output in shown.outputs] == [False, True]


def test_is_static(monkeypatch):
    for value, static in (("1", True), ("", False), ("0", False)):
        monkeypatch.setenv("COURSE_STATIC", value)
        assert display.is_static() is static
    monkeypatch.delenv("COURSE_STATIC")
    assert not display.is_static()

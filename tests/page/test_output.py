"""What goes out to the page: pictures with alt text and caption, and Markdown with its plain form."""

import io

import ipywidgets
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.figure import Figure
from PIL import Image

from course_lib.page import output
from tests.page.samples import pixels, png


def drawn(size=(6.4, 3.6)):
    figure = Figure(figsize=size)
    figure.subplots().plot([0, 1], [0, 1])
    return figure


def test_picture(shown):
    output.picture(drawn(), "A line from 0 to 1.", as_html=False)
    figure, caption = shown.outputs
    assert set(figure["data"]) == {"image/png", "text/plain"}
    assert figure["data"]["text/plain"] == "Figure: A line from 0 to 1."
    assert figure["metadata"] == {"image/png": {"alt": "A line from 0 to 1."}}
    assert caption["data"] == {"text/markdown": "*A line from 0 to 1.*", "text/plain": "A line from 0 to 1."}


def test_picture_as_html_has_its_alt_text(shown):
    words = 'A "line" from 0 < 1.'
    output.picture(drawn(), words, as_html=True)
    data = shown.outputs[0]["data"]
    (picture,) = BeautifulSoup(data["text/html"], "html.parser").find_all("img")
    assert picture["alt"] == words
    assert picture["src"] == f"data:image/png;base64,{data['image/png']}"


@pytest.mark.parametrize("size", [(6.4, 3.6), (8.0, 3.2)])
def test_png_has_its_size_and_a_white_ground(shown, size):
    figure = drawn(size)
    figure.set_facecolor("black")
    output.picture(figure, "A line.", as_html=False)
    image = Image.open(io.BytesIO(png(shown.outputs[0])))
    assert image.format == "PNG" and image.size == tuple(round(inches * output.DPI) for inches in size)
    assert "Software" not in image.info
    colors = pixels(png(shown.outputs[0]))
    assert {tuple(colors[y, x]) for x in (0, -1) for y in (0, -1)} == {(255, 255, 255)}
    assert len(np.unique(colors)) > 1


def test_same_figure_gives_the_same_bytes(shown):
    for _ in range(2):
        output.picture(drawn(), "A line.", as_html=False)
    assert png(shown.outputs[0]) == png(shown.outputs[2])


def test_palette_keeps_the_colours(shown):
    figure, full = drawn(), io.BytesIO()
    output.picture(figure, "A line.", as_html=False)
    figure.savefig(full, format="png", dpi=output.DPI, facecolor="white")
    assert np.abs(pixels(png(shown.outputs[0])) - pixels(full.getvalue())).max() <= 16


def test_text(shown):
    output.text("**a**")
    output.text("**b**", "b")
    output.text("**c**", "")
    assert shown.markdown == ["**a**", "**b**", "**c**"] and shown.plain == ["**a**", "b", ""]
    assert [one["transient"] for one in shown.outputs] == [{}] * 3
    assert [one["update"] for one in shown.outputs] == [False] * 3


def test_text_is_replaced_only_when_asked(shown):
    output.text("**a**", "a", display_id="here")
    output.text("**b**", display_id="here", update=True)
    output.text("**c**", display_id="here")
    assert shown.plain == ["a", "**b**", "**c**"]
    assert [one["transient"] for one in shown.outputs] == [{"display_id": "here"}] * 3
    assert [one["update"] for one in shown.outputs] == [False, True, False]


def test_text_must_be_a_string(shown):
    with pytest.raises(TypeError, match="markdown must be a string, but int 3 was given"):
        output.text(3)
    assert shown.outputs == []


def test_widget(shown):
    button = ipywidgets.Button()
    output.widget(button)
    assert shown.outputs[0]["data"]["application/vnd.jupyter.widget-view+json"]["model_id"] == button.model_id

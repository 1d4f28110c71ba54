"""What goes out to the page: pictures with alt text and caption, and Markdown with its plain form."""

import base64
import io

import ipywidgets
import numpy as np
import pytest
from bs4 import BeautifulSoup
from matplotlib.figure import Figure
from PIL import Image

from courseware.page import output
from tests.courseware.page.samples import pixels, png


def drawn(size=(6.4, 3.6)):
    figure = Figure(figsize=size)
    figure.subplots().plot([0, 1], [0, 1])
    return figure


def test_picture(shown):
    output.picture(drawn(), "A line from 0 to 1.", as_html=False)
    figure, caption = shown.outputs
    assert set(figure["data"]) == {"image/png", "text/plain"}
    assert figure["data"]["text/plain"] == "Figure: A line from 0 to 1."
    assert figure["metadata"] == {"image/png": {"alt": "A line from 0 to 1.", "width": 704}}
    assert caption["data"]["text/plain"] == "A line from 0 to 1."
    assert shown_words(caption) == (["A line from 0 to 1."], [])


def shown_words(caption):
    """Return the visible sentences of a caption, and what is folded."""
    page = BeautifulSoup(caption["data"]["text/markdown"], "html.parser")
    folds = [fold.extract() for fold in page.find_all("details")]
    return [one.get_text() for one in page.find_all("p")], [fold.find("summary").next_sibling for fold in folds]


@pytest.mark.parametrize(("size", "width"), [((6.4, 3.6), 704), ((8.0, 3.2), 880)])
def test_picture_as_html_has_its_alt_text(shown, size, width):
    words = 'A "line" from 0 < 1.'
    output.picture(drawn(size), words, as_html=True)
    figure = shown.outputs[0]
    assert set(figure["data"]) == {"text/html", "text/plain"} and figure["metadata"] == {}
    (picture,) = BeautifulSoup(figure["data"]["text/html"], "html.parser").find_all("img")
    assert picture["alt"] == words and picture["width"] == str(width)
    assert f"width: {width}px; max-width: 100%; min-width: {round(0.5 * width)}px" in picture["style"]
    drawn_png = base64.b64decode(picture["src"].removeprefix("data:image/png;base64,"))
    assert Image.open(io.BytesIO(drawn_png)).width == 2 * width


@pytest.mark.parametrize("size", [(6.4, 3.6), (8.0, 3.2)])
def test_png_has_its_size_and_a_white_ground(shown, size):
    figure = drawn(size)
    figure.set_facecolor("black")
    output.picture(figure, "A line.", as_html=False)
    image = Image.open(io.BytesIO(png(shown.outputs[0])))
    assert image.format == "PNG" and image.size == tuple(round(inches * 220) for inches in size)
    assert "Software" not in image.info
    colors = pixels(png(shown.outputs[0]))
    assert {tuple(colors[y, x]) for x in (0, -1) for y in (0, -1)} == {(255, 255, 255)}
    assert len(np.unique(colors)) > 1


def test_same_figure_gives_the_same_bytes(shown):
    for _ in range(2):
        output.picture(drawn(), "A line.", as_html=False)
    assert png(shown.outputs[0]) == png(shown.outputs[2])


def test_text(shown):
    output.text("**a**")
    output.text("**b**", "b")
    output.text("**c**", "")
    assert shown.markdown == ["**a**", "**b**", "**c**"] and shown.plain == ["**a**", "b", ""]
    assert [one["transient"] for one in shown.outputs] == [{}] * 3
    assert [one["update"] for one in shown.outputs] == [False] * 3


def test_a_control_and_what_stands_in_for_it(shown):
    button = ipywidgets.Button()
    replace = output.live(button, "**Here** was a button.", "Here was a button.")
    stands_in, view = shown.outputs
    assert view["data"]["application/vnd.jupyter.widget-view+json"]["model_id"] == button.model_id
    assert view["data"]["text/plain"] == ""  # not `Button(style=...)`: it would be the output where no view is made
    assert stands_in["data"]["text/plain"] == "Here was a button."
    markdown = stands_in["data"]["text/markdown"]
    assert markdown.startswith('<div class="course-fallback">\n\n<style')
    assert markdown.endswith("</style>\n\n**Here** was a button.\n\n</div>")
    assert button._dom_classes == ("course-live",)

    replace("It was **pressed**.", "It was pressed.")
    assert shown.outputs[-1]["update"] and shown.outputs[-1]["transient"] == stands_in["transient"]
    assert shown.markdown[-1] == markdown.replace("**Here** was a button.", "It was **pressed**.")
    assert shown.plain[-1] == "It was pressed."


def test_the_rules_are_well_formed():
    """One style element, without a blank line that would end it in Markdown."""
    (style,) = BeautifulSoup(output.RULES, "html.parser").find_all(True)
    assert style.name == "style" and set(style.attrs) == {"onload"} and "\n\n" not in output.RULES
    assert style["onload"].startswith("if (!window.courseKeys) {") and style["onload"].endswith("}, true); }")
    for name in ("course-live", "course-fallback", "jupyter-widgets-disconnected", "jp-OutputArea-child"):
        assert f".{name}" in style.get_text()

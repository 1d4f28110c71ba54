"""How a verdict looks is decided in one place: a sign, a word and an edge for each status, and a box around them."""

import mistune
import pytest
from bs4 import BeautifulSoup
from matplotlib.colors import to_rgb

from courseware.page.verdict import EDGES, SIGNS, WORDS, boxed
from tests.courseware.page.figure_rules import luminance
from whywrong.task import Status

LIGHT, DARK = "#ffffff", "#111111"  # --jp-layout-color0 of JupyterLab's themes
GROUND = (0.5, 0.08)  # the grey of the box and how much of it covers the page


def test_every_status_has_a_sign_a_word_and_an_edge_of_its_own():
    for known in (SIGNS, WORDS, EDGES):
        assert set(known) == {*Status, "guessed"} and len(set(known.values())) == len(known)


@pytest.mark.parametrize("page", [LIGHT, DARK])
@pytest.mark.parametrize("status", list(EDGES))
def test_the_edge_can_be_seen(status, page):
    """The edge has a contrast of 3:1 to the page on its left, and to the ground of the box on its right."""
    grey, share = GROUND
    box = [(1 - share) * channel + share * grey for channel in to_rgb(page)]
    for ground in (page, box):
        light, dark = sorted((luminance(EDGES[status]), luminance(ground)), reverse=True)
        assert (light + 0.05) / (dark + 0.05) >= 3


def as_html(markdown):
    """Return Markdown as a page has it."""
    return BeautifulSoup(mistune.create_markdown(escape=False, plugins=["table"])(markdown), "html.parser")


def test_evidence_stands_in_the_box_as_it_is():
    evidence, printed = "case 1: x of shape (2, 3)\n  yours  *1*\n  right  2", "shape <b>\n```\n\nnone"
    markdown, plain = boxed(Status.NOT_YET, "Look at `x`.", evidence=evidence, printed=printed)
    words = "On the first case your code printed:"
    assert plain == f"✗ Not yet. Look at `x`.\n{evidence}\n{words}\n{printed}"
    (box,) = as_html(markdown).find_all("div", class_="course-verdict")
    assert [block.get_text().strip("\n") for block in box.find_all("pre")] == [evidence, printed]
    assert box.find("strong").get_text() == "✗ Not yet." and box.find("p").find("code").get_text() == "x"
    assert words in box.get_text() and box.find("b") is None
    markdown, same = boxed(Status.NOT_YET, "Look at `x`.", evidence=evidence, printed=printed, for_help="Twice\n\n*x*")
    fold = as_html(markdown).find("details")
    assert same == plain and fold.pre.get_text().strip("\n") == f"Twice\n\n*x*\n\n{plain}"

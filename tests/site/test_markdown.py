"""No page speaks of cells, of running them, or of TODO: what stands there fits a page, or the cell says what does."""

import html
import re

import nbformat
import pytest
from nbformat.v4 import new_markdown_cell

from publish.site import pages
from tests.conftest import NOTEBOOKS
from tests.site.conftest import LESSONS

# A cell of a picture or of a table may stay; what is meant here is one that is run.
LEFT = re.compile(
    r"\b(?:(?:this|the|next|first|three|folded|each|a) cells?\b(?! turns)|cells? (?:above|below)|cells? with|TODO"
    r"|Shift\+Enter|Ctrl\+Enter|[Rr]un (?:the|this|all|it again)\b|[Rr]estart|the box or the slider)"
)


KEYS = "Ctrl+Enter or Shift+Enter checks."  # of the editor on the page


def spoken(page: str) -> str:
    """Return the words of a page that speak to its reader: no code, no outputs, no description of a picture."""
    page = page.partition("<main")[2].partition("</main>")[0].replace(KEYS, "")
    for tag in ("pre", "code", "svg", "figure"):
        page = re.sub(rf"<{tag}\b.*?</{tag}>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("name", LESSONS)
def test_a_page_does_not_speak_of_cells(site, name):
    words = spoken((site / name).read_text("utf-8"))
    assert [words[max(0, one.start() - 60) : one.end() + 30] for one in LEFT.finditer(words)] == []


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.glob("*.ipynb")), ids=lambda path: path.stem)
def test_the_words_for_a_page_replace_something(path):
    """Words for the page stand with a cell that has others for the notebook, and leave out no guess, check or quiz.

    Any line that could be one counts, whatever the course takes its cell for.
    """
    for cell in nbformat.read(path, as_version=4).cells:
        own = cell.metadata.get("course", {}).get("page")
        if own is not None:
            assert pages.source(cell) != cell.source, cell.id
            assert not re.search(r"^(my_guess|check\(|quiz\()|explore\(|show\(", cell.source, re.MULTILINE), cell.id


def test_words_that_a_cell_no_longer_says_are_named():
    cell = new_markdown_cell("Look again.", id="ask", metadata={"course": {"page": {"Run it": "Look"}}})
    with pytest.raises(pages.PageError, match="Cell 'ask' does not say 'Run it'"):
        pages.source(cell)


def test_such_words_are_found():
    for words in ("Now run the cell.", "Replace TODO by it.", "The next cell does both", "Press Shift+Enter"):
        assert LEFT.search(spoken(f"<main><p>{words}</p></main>")), words

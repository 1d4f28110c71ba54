"""No page speaks of cells, of running them, or of TODO: what stands there fits a page, or the cell says what does."""

import html
import re

import pytest

from tests.site.conftest import LESSONS

# A cell of a picture or of a table may stay; what is meant here is one that is run.
LEFT = re.compile(
    r"\b(?:(?:this|the|next|first|three|folded|each|a) cells?\b(?! turns)|cells? (?:above|below)|cells? with|TODO"
    r"|Shift\+Enter|Ctrl\+Enter|[Rr]un (?:the|this|all|it again)\b|[Rr]estart|the box or the slider)"
)


def spoken(page: str) -> str:
    """Return the words of a page that speak to its reader: no code, no outputs, no description of a picture."""
    page = page.partition("<main")[2].partition("</main>")[0]
    page = re.sub(r'<div class="quiz">.*?<p class="score"', " ", page, flags=re.DOTALL)  # asked alike everywhere
    for tag in ("pre", "code", "svg", "figure"):
        page = re.sub(rf"<{tag}\b.*?</{tag}>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


@pytest.mark.parametrize("name", LESSONS)
def test_a_page_does_not_speak_of_cells(site, name):
    words = spoken((site / name).read_text("utf-8"))
    assert [words[max(0, one.start() - 60) : one.end() + 30] for one in LEFT.finditer(words)] == []


def test_such_words_are_found():
    for words in ("Now run the cell.", "Replace TODO by it.", "The next cell does both", "Press Shift+Enter"):
        assert LEFT.search(spoken(f"<main><p>{words}</p></main>")), words

"""The words by which others call what a lesson teaches stand in its core."""

import re

import pytest

from lessons import catalogue
from publish.site.other_names import WORDS
from tests.lessons import cells


def core(name) -> str:
    """Return what the cells of a lesson say that are not optional."""
    notebook = cells.read(catalogue.lesson(name))
    return "\n".join(cell.source for cell in notebook.cells if "optional" not in cell.metadata.get("tags", []))


@pytest.mark.parametrize("name", WORDS)
def test_the_core_of_a_lesson_has_its_words(name):
    text = core(name)
    assert [word for word in WORDS[name] if not re.search(rf"(?<!\w){re.escape(word)}s?(?!\w)", text, re.I)] == []

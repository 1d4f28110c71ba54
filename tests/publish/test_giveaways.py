"""No picture, caption, alt text or sentence says what a later prediction asks for."""

import nbformat
import pytest

from courseware.content import Prediction
from lessons import catalogue
from publish.author.refresh import NOTEBOOKS, ROOT
from tests.publish.giveaways import FORBIDDEN, READ_BY_EYE, given_away, told_between

README = (ROOT / "README.md").read_text(encoding="utf-8")
CELLS = {lesson.name: nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells for lesson in catalogue.lessons()}


def test_nothing_is_given_away():
    assert given_away(CELLS, README) == []


@pytest.mark.parametrize("lesson", CELLS)
def test_no_answer_stands_between_a_guess_and_its_check(lesson):
    assert told_between(lesson, CELLS[lesson]) == []


def test_every_prediction_has_a_pattern_or_is_read_by_eye():
    asked = {id for id, item in catalogue.catalogue().items() if isinstance(item, Prediction)}
    patterns = {id for id, _, _ in FORBIDDEN}
    assert patterns | READ_BY_EYE == asked and not patterns & READ_BY_EYE

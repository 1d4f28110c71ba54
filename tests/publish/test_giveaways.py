"""No picture, caption, alt text or sentence says what a later prediction asks for."""

import copy
import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell

from course_lib.content import Prediction
from lessons import catalogue
from publish.refresh import NOTEBOOKS, ROOT
from tests.publish.giveaways import FORBIDDEN, READ_BY_EYE, given_away, read_before, told_between

README = (ROOT / "README.md").read_text(encoding="utf-8")
CELLS = {lesson.name: nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells for lesson in catalogue.lessons()}


def test_nothing_is_given_away():
    assert given_away(CELLS, README) == []


@pytest.mark.parametrize("lesson", CELLS)
def test_no_answer_stands_between_a_guess_and_its_check(lesson):
    assert told_between(lesson, CELLS[lesson]) == []


@pytest.mark.parametrize(
    ("lesson", "id", "cell", "planted"),
    [
        ("linear_limits", "predict_width", "title", "Two units learn it in 14 % of the starts."),
        ("build_the_ffn", "predict_batch", None, "h has the shape (2, 10, 2048)."),
        ("build_the_ffn", "predict_batch", None, 'print("shape", (2, 10, 2048))'),
        ("inside_a_language_model", "predict_somewhere", None, "print('it is nearly all:', True)"),
        ("inside_a_language_model", "predict_somewhere", "learn", "- see that nearly all units work somewhere"),
    ],
)
def test_an_answer_is_seen_where_it_is_planted(lesson, id, cell, planted):
    spoiled = copy.deepcopy(CELLS[lesson])
    variable = catalogue.item(f"{lesson}.{id}").name
    asks = next(n for n, one in enumerate(spoiled) if re.match(rf"{variable} = TODO", one["source"]))
    place = asks + 1 if cell is None else next(n for n, one in enumerate(spoiled) if one["id"] == cell)
    made = new_code_cell if planted.startswith("print") else new_markdown_cell
    spoiled.insert(place + (cell is not None), made(planted, id=cell or "run-x"))
    assert [words for words in told_between(lesson, spoiled) if f"{lesson}.{id}" in words]


def test_every_prediction_has_a_pattern_or_is_read_by_eye():
    asked = {id for id, item in catalogue.catalogue().items() if isinstance(item, Prediction)}
    patterns = {id for id, _, _ in FORBIDDEN}
    assert patterns | READ_BY_EYE == asked and not patterns & READ_BY_EYE


@pytest.mark.parametrize(("id", "pattern", "sentence"), FORBIDDEN)
def test_each_pattern_finds_its_sentence_wherever_it_stands(id, pattern, sentence):
    assert re.search(pattern, sentence, re.IGNORECASE)
    one = [(id, pattern, sentence)]
    assert given_away(CELLS, f"{README}\n![A picture of it: {sentence}](docs/picture.png)", one)
    spoiled = copy.deepcopy(CELLS["start_here"])
    spoiled[0]["outputs"] = [{"output_type": "display_data", "data": {}, "metadata": {"image/png": {"alt": sentence}}}]
    found = given_away({**CELLS, "start_here": spoiled}, README, one)
    assert len(found) == 1 and found[0].startswith("start_here, title gives")


def test_what_is_read_before_ends_at_the_question():
    places = [place for place, _ in read_before("expand_and_contract.predict_zeros", CELLS, README)]
    assert places[0] == "README.md" and places[-1] == "expand_and_contract, idea-1"
    assert "build_the_ffn, run-2" in places and "position_independence, title" not in places
    with pytest.raises(LookupError, match="No cell asks for 'predict_zeros'"):
        read_before("expand_and_contract.predict_zeros", {"start_here": CELLS["start_here"]}, README)

"""The thirty claims of the review: how they are judged, and what their judgements rest on."""

import re

import numpy as np
import pytest

from course_lib.desk import grade
from course_lib.model import bank
from courseware.content import JUDGEMENTS
from lessons import catalogue
from lessons.review import LESSON
from tests.lessons import cells

ROUNDS = {
    "review.predict_layer": list("ABCDEF"),
    "review.predict_counts": list("GHIJKL"),
    "review.predict_findings": list("MNOPQR"),
    "review.predict_experts": [*"STUVWXYZ", "AA", "AB", "AC", "AD"],
}
RIGHT = {letter: word for id in ROUNDS for letter, word in catalogue.item(id).answer.items()}
CELLS = cells.read(LESSON).cells


def right(letters):
    return {letter: RIGHT[letter] for letter in letters}


def source(pattern):
    """Return the sources of all cells whose ids match, one after the other."""
    return "\n".join(cell.source for cell in CELLS if re.fullmatch(pattern, cell.id))


@pytest.mark.parametrize(("id", "letters"), ROUNDS.items())
def test_every_wrong_judgement_has_a_reply(id, letters):
    assert list(catalogue.item(id).claims) == letters
    replies = set()
    for letter in letters:
        (wrong,) = set(JUDGEMENTS) - {RIGHT[letter]}
        verdict = grade(id, right(letters) | {letter: wrong})
        assert verdict.key == "guessed" and f" {letter} is {RIGHT[letter]}: " in verdict.message
        replies.add(verdict.message)
    assert len(replies) == len(letters)


def test_claims_are_those_of_the_notebook():
    asked = dict(re.findall(r'"([A-Z]+)": TODO,  # (.*)', source(r"claims-\d-judge")))
    assert asked == {letter: claim.text for id in ROUNDS for letter, claim in catalogue.item(id).claims.items()}
    settled = dict(re.findall(r"(?m)^\| ([A-Z]+) \| (\w+) \|", source(r"claims-\d-explain")))
    assert settled == RIGHT


def test_the_other_cue_shows_first_after_attention():
    """What enters in the row of "bank", and the weights in it, are the same for both sentences."""
    river, money = bank.way("river"), bank.way("money")
    names = ("x", "weights", "mixed", "asked", "hidden", "added", "stream")
    same = [np.array_equal(getattr(river, name)[-1], getattr(money, name)[-1]) for name in names]
    assert same == [True, True, False, False, False, False, False]

"""The thirty claims of the review are those of the notebook, and what one judgement rests on."""

import re

import numpy as np

from course_lib.model import bank
from lessons import catalogue
from lessons.review import LESSON
from tests.lessons import cells

ROUNDS = [f"review.predict_{name}" for name in ("layer", "counts", "findings", "experts")]
RIGHT = {letter: word for id in ROUNDS for letter, word in catalogue.item(id).answer.items()}
CELLS = cells.read(LESSON).cells


def source(pattern):
    """Return the sources of all cells whose ids match, one after the other."""
    return "\n".join(cell.source for cell in CELLS if re.fullmatch(pattern, cell.id))


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

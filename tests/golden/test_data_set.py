"""The data set of wrong answers holds what its datasheet says, and its code gives its diagnosis."""

from functools import cache, partial

import pytest

from tests.golden import data_set
from tests.golden.cells import answer, name_of, names_of, worked
from tests.lessons.answers import CATALOGUE
from whywrong.judge import grade
from whywrong.task import Status

TASK = "start_here.double"
entries = cache(partial(data_set.entries, TASK))


@pytest.mark.parametrize("kind", [data_set.WRITTEN, data_set.CHANGED])
def test_the_code_of_an_entry_gets_its_diagnosis(kind):
    found = [entry for entry in entries() if entry["arose"] == kind]
    assert len(found) > 5
    for entry in found:
        given = answer(entry["code"], names_of("start_here"), name_of(worked(TASK)))
        verdict = grade(CATALOGUE[TASK], given, data_set.SEED)
        assert (verdict.key, verdict.message) == (entry["key"], entry["says"]) and verdict.status != Status.CORRECT


def test_every_named_mistake_that_is_written_out_is_there_with_its_own_sentence():
    said = {entry["name"]: (entry["key"], entry["says"]) for entry in entries() if entry["arose"] == data_set.NAMED}
    wanted = {one.name: (f"mistake:{one.name}", one.message) for one in CATALOGUE[TASK].mistakes}
    assert said == wanted

"""The text set aside: complete, readable by the model, and labelled character by character."""

import hashlib

import pytest

from course_lib.model.excerpts import LABELS, excerpt
from course_lib.model.language_model import encoded

DIGITS = {"A": "b6b8cac143288e06", "B": "10ebe49c089455d6"}


@pytest.mark.parametrize("part", "AB")
def test_a_part_is_as_it_was_set_aside(part):
    found = excerpt(part)
    assert 35_000 < len(found.text) == len(found.labels) < 46_000
    assert len(encoded(found.text)) == len(found.text)
    assert found.text.count("self") > 150
    assert set(found.labels) == {*LABELS, ".", "\n"}
    assert [one == "\n" for one in found.text] == [one == "\n" for one in found.labels]
    assert hashlib.sha256((found.text + found.labels).encode()).hexdigest()[:16] == DIGITS[part]


def test_a_shorter_piece():
    assert excerpt("A", 100).text == excerpt("A").text[:100] and len(excerpt("A", 100).labels) == 100
    with pytest.raises(ValueError, match="unknown part 'C'"):
        excerpt("C")
    with pytest.raises(ValueError, match="length must be an integer of at least 1"):
        excerpt("A", 0)

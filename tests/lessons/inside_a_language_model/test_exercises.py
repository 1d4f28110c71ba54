"""The examples of a reply pass, and a reply speaks of what is there."""

import re

import pytest

from course_lib.desk import grade


@pytest.mark.parametrize(
    "given", [("of",), ("", "!", 40), ("of", "ab", 40)], ids=["one of three", "no context", "two characters"]
)
def test_example_in_a_reply_passes_when_it_is_pasted(given):
    said = grade("inside_a_language_model.my_edit", lambda: given, 0)
    (example,) = re.findall(r'return ("\w+", "\S", \d+)', said.message)
    assert grade("inside_a_language_model.my_edit", lambda: eval(example), 0).key == "correct"


def test_reply_on_false_alarms_speaks_of_a_space_only_where_there_is_one():
    for context, space in (("return", False), ("def ", True)):
        said = grade("inside_a_language_model.my_edit", lambda context=context: (context, "Q", 40), 0)
        assert "fires in other places" in said.message and ("space" in said.message) == space

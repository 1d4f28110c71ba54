"""What a notebook's cells call to show figures and tables."""

from courseware.page import display


def test_table(shown):
    display.table([[1, "a|b"], [22, None]], ["number", "word"], "Two rows.")
    assert shown.plain == ["Two rows.\nnumber  word\n1       a|b\n22      None"]
    lines = shown.markdown[0].splitlines()
    assert lines[0] == "**Two rows.**" and lines[2:5] == ["| number | word |", "| --- | --- |", r"| 1 | a\|b |"]
    assert lines[5] == "| 22 | None |"


def test_code():
    assert display.in_code("x = 1") == ("```python\nx = 1\n```", "x = 1")

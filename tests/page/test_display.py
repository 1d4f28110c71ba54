"""What a notebook's cells call to show figures and tables, and its clear errors."""

import pytest
from matplotlib.figure import Figure

from course_lib.page import display
from course_lib.page.medium import shown_on


class Recorder:
    """A medium that keeps what it is given."""

    def __init__(self):
        self.given = []

    def figure(self, figure, caption):
        self.given.append((figure, caption))


def test_show_hands_the_figure_to_the_current_medium(shown):
    figure = Figure()
    with shown_on(Recorder()) as medium:
        display.show(figure, "A line.")
    assert medium.given == [(figure, "A line.")] and shown.outputs == []


def test_errors_come_before_the_medium():
    with shown_on(Recorder()) as medium:
        for figure, caption in ((Figure(), ""), (None, "A line.")):
            with pytest.raises((TypeError, ValueError)):
                display.show(figure, caption)
    assert medium.given == []


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: display.show(Figure(), ""), ValueError, "caption must say"),
        (lambda: display.show(Figure(), "  \n"), ValueError, "caption must say"),
        (lambda: display.show(Figure(), None), TypeError, "caption must be a string, but NoneType None was given"),
        (lambda: display.show("line", "A line."), TypeError, "figure must be a Matplotlib Figure, but str 'line'"),
        (lambda: display.show(None, "A line."), TypeError, "figure must be a Matplotlib Figure"),
        (lambda: display.table([], ["a"], "T."), ValueError, "rows must not be empty"),
        (lambda: display.table(3, ["a"], "T."), TypeError, "rows must be a list of rows, but int 3 was given"),
        (lambda: display.table([3], ["a"], "T."), TypeError, r"rows\[0\] must be a list of values, but int 3"),
        (lambda: display.table([[1, 2]], ["a"], "T."), ValueError, r"rows\[0\] must have 1 values.* but it has 2"),
        (lambda: display.table([[1]], [], "T."), TypeError, "columns must be a non-empty list of strings"),
        (lambda: display.table([[1]], [1], "T."), TypeError, "columns must be a non-empty list of strings"),
        (lambda: display.table([[1]], ["a"], ""), ValueError, "caption must say"),
    ],
)
def test_errors(call, error, words, shown):
    with pytest.raises(error, match=words):
        call()
    assert shown.outputs == []


def test_table(shown):
    display.table([[1, "a|b"], [22, None]], ["number", "word"], "Two rows.")
    assert shown.plain == ["Two rows.\nnumber  word\n1       a|b\n22      None"]
    lines = shown.markdown[0].splitlines()
    assert lines[0] == "**Two rows.**" and lines[2:5] == ["| number | word |", "| --- | --- |", r"| 1 | a\|b |"]
    assert lines[5] == "| 22 | None |"


def test_code():
    assert display.in_code("x = 1") == ("```python\nx = 1\n```", "x = 1")

"""The one style of all figures stays inside them, and its colours can be seen on white."""

import matplotlib
import pytest
from matplotlib.colors import to_hex

from course_lib.page import style
from course_lib.page.style import HIDDEN, INPUT, OUTPUT, REFERENCE, TARGET
from tests.page.figure_rules import CONTRAST, SIZES, contrast


def test_colours():
    for color in (INPUT, OUTPUT, HIDDEN, REFERENCE, TARGET):
        assert contrast(color) >= CONTRAST
    assert len({INPUT, OUTPUT, HIDDEN, REFERENCE, TARGET}) == 5
    assert contrast("black") == pytest.approx(21) and contrast("white") == pytest.approx(1)
    assert contrast(HIDDEN, 0.3) < CONTRAST


def test_zero_is_white_and_the_ends_are_input_and_output():
    assert to_hex(style.DIVERGING(0.5)) == "#ffffff"
    assert (to_hex(style.DIVERGING(0.0)), to_hex(style.DIVERGING(1.0))) == (INPUT.lower(), OUTPUT.lower())


def test_lines_and_markers_differ():
    assert len(set(style.LINES)) == len(style.LINES) == len(set(style.MARKERS)) == len(style.MARKERS)


def test_style_stays_inside_the_function():
    before = dict(matplotlib.rcParams)

    @style.styled
    def draw(width, *, color):
        """Draw."""
        _, axes = style.blank()
        return matplotlib.rcParams["lines.linewidth"], axes.plot([0, width], color=color)[0]

    width, line = draw(3, color=HIDDEN)
    assert draw.__doc__ == "Draw." and width == line.get_linewidth() == style.STYLE["lines.linewidth"]
    assert dict(matplotlib.rcParams) == before


def test_blank_figures():
    assert (style.SINGLE, style.WIDE) == SIZES
    figure, axes = style.blank()
    assert tuple(figure.get_size_inches()) == style.SINGLE and figure.axes == [axes]
    figure, axes = style.blank(style.WIDE, 1, 2, sharey=True)
    assert tuple(figure.get_size_inches()) == style.WIDE and figure.axes == [*axes]
    assert axes[0].get_shared_y_axes().joined(*axes)


def test_words_stand_on_a_white_ground():
    _, axes = style.blank()
    words = style.write(axes, 0.5, 0.25, "here", HIDDEN, rotation=90)
    assert words.get_text() == "here" and words.get_position() == (0.5, 0.25) and words.get_rotation() == 90
    assert words.get_color() == HIDDEN and to_hex(words.get_bbox_patch().get_facecolor()) == "#ffffff"

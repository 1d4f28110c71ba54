"""A page of code is folded for narrow screens, and no line of it is lost."""

import re
from itertools import pairwise

import pytest
from matplotlib.figure import Figure

from publish.site import narrow_code, svg

WIDTH = 5.56  # of a character, in points
CODE = {"family": svg.MONOSPACED, "fontsize": WIDTH * 2048 / 1233, "va": "center"}


def page(lines, stretch=1.0):
    """Return a figure with lines of code, as those of the course: characters to the right, lines downwards."""
    figure = Figure(figsize=(8, 2), dpi=svg.UNITS)
    axes = figure.add_axes((0.03, 0.1, 96 * WIDTH * stretch / 576, 0.7))
    axes.set(xlim=(0, 96), ylim=(len(lines), 0), xticks=[], yticks=[])
    for row, line in enumerate(lines):
        axes.text(0, row + 0.5, line, **CODE)
    svg.settle(figure)
    return figure


def test_strips_cover_every_line_once():
    found = narrow_code.folded(page(["a" * 30, "b" * 96, "c" * narrow_code.COLUMNS]))
    lines = [one for one in found.strips if one.height == pytest.approx(0.7 * 144 / 3, abs=0.1)]
    assert [one.goes_on for one in lines] == [False, False, True, False]
    first, rest = lines[1:3]
    assert rest.y == first.y and rest.x == pytest.approx(first.x + first.width)
    assert first.width + rest.width >= 96 * WIDTH - 0.1
    assert rest.to_x + rest.width <= found.size[0]
    places = [(one.to_y, one.height) for one in found.strips]
    assert all(a + high == pytest.approx(b) for (a, high), (b, _) in pairwise(places))
    assert found.size[1] == pytest.approx(144 + rest.height, abs=0.1)
    drawn = narrow_code.drawn(found, ["a-still", "a-moving"])
    assert drawn.count('href="#a-still"/><use href="#a-moving"') == 3 < len(found.strips) and drawn.count("↳") == 1
    blocks = re.findall(r'y="([\d.]+)" width="[\d.]+" height="([\d.]+)" viewBox="[\d.]+ ([\d.]+)', drawn)
    above, rest, below = [tuple(map(float, one)) for one in blocks]
    assert above[0] + above[1] == pytest.approx(rest[0]) and rest[0] + rest[1] == pytest.approx(below[0])
    assert above[2] + above[1] == pytest.approx(rest[2] + rest[1]) == pytest.approx(below[2])


def test_a_usual_figure_is_not_folded_and_other_axes_are_refused():
    figure = Figure()
    figure.subplots().set_title("words")
    assert narrow_code.folded(figure) is None
    with pytest.raises(svg.DrawingError, match="count characters"):
        narrow_code.folded(page(["a" * 30], stretch=0.8))

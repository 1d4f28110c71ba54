"""A page of text, painted with the values of hidden units."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from courseware.arguments import array, items
from courseware.page.caption import Caption
from courseware.page.style import HIDDEN, SMALL, WIDE, styled

COLUMNS = 96  # characters of a painted line; a longer one goes on below
_CHARACTER = 17 / 220 * 72  # points; a character is 17 pixels wide at the course's 220 to the inch, so words keep step
_FONT = {"family": "DejaVu Sans Mono", "fontsize": _CHARACTER * 2048 / 1233, "va": "center", "color": "black"}
_STRENGTHS = ((0.05, 1 / 3, 1.0), (1 / 3, 2 / 3, 2.2), (2 / 3, 1.01, 3.6))  # from, to, width of the line below
_END = "↵"  # how the end of a line is shown


@styled
def painted(text: str, values, titles) -> tuple[Figure, str]:
    """Paint a text once for each unit: the more active the unit is at a character, the greener the character.

    A line below each character says the same without colour: none, thin, medium or thick.

    Args:
        text: up to three lines.
        values: shape (units, characters), from 0 to 1: shares of each unit's largest value.
        titles: a name for each unit, shape (units,).
    """
    titles = items("titles", titles, "strings")
    values = array("values", values, ("units", "characters"), {"units": len(titles), "characters": len(text)})
    lines, places = _laid_out(text)
    figure = Figure(figsize=WIDE)
    height = 1 / len(titles)
    for index, (row, title) in enumerate(zip(values, titles, strict=True)):
        axes = _page(figure, lines, (index + 1) * height, height - 0.075)
        axes.set_title(title, fontsize=SMALL, pad=2)
        _words(axes, lines)
        _image(axes, len(lines)).set_data(_colours(row, places, len(lines)))
        for line, (low, high, _) in zip(_marks(axes), _STRENGTHS, strict=True):
            line.set_data(*_marked(row, places, low, high))
    active = "; ".join(f"{title} {int((row >= 0.05).sum())}" for title, row in zip(titles, values, strict=True))
    return figure, Caption(
        f"{len(titles)} units on the same text: the more active, the greener, and the thicker the line below.",
        f"Painted characters, of {len(text)}: {active}.",
    )


# ---- a page of text


def _laid_out(text):
    """Return the lines as they are shown, and for each character of the text its (row, column)."""
    lines, places = [""], []
    for one in text:
        if len(lines[-1]) == COLUMNS or lines[-1].endswith(_END):
            lines.append("")
        places.append((len(lines) - 1, len(lines[-1])))
        lines[-1] += _END if one == "\n" else one
    return lines, places


def _page(figure, lines, top, height):
    """Make axes in which a character is one unit wide and a line one unit high; top is counted from above."""
    width = COLUMNS * _CHARACTER / 72 / WIDE[0]
    axes = figure.add_axes(((1 - width) / 2, 1 - top + 0.01, width, height))
    axes.set(xlim=(0, COLUMNS), ylim=(len(lines), 0), xticks=[], yticks=[])
    for side in axes.spines.values():
        side.set_visible(False)
    return axes


def _words(axes, lines):
    return [axes.text(0, row + 0.47, line, **_FONT) for row, line in enumerate(lines)]


def _image(axes, rows):
    return axes.imshow(np.ones((rows, COLUMNS, 3)), extent=(0, COLUMNS, rows, 0), aspect="auto", zorder=0)


def _marks(axes):
    """Make the lines below the characters, one for each strength; gaps are NaN."""
    return [axes.plot([], [], color="black", linewidth=width, solid_capstyle="butt")[0] for *_, width in _STRENGTHS]


def _colours(values, places, rows):
    """Return the colour of every place of the page, (rows, COLUMNS, 4), in 16 steps from white to green.

    As Matplotlib resamples them, so that it has nothing to convert: in single precision, with an opacity of 1.
    """
    page = np.ones((rows, COLUMNS, 4), dtype=np.float32)
    green = np.array(to_rgb(HIDDEN))
    for value, place in zip(values, places, strict=True):
        page[place][:3] = 1 - round(15 * float(value)) / 15 * 0.75 * (1 - green)
    return page


def _marked(values, places, low, high):
    """Return x and y of lines below the characters with values from low to high."""
    x, y = [], []
    for value, (row, column) in zip(values, places, strict=True):
        if low <= value < high:
            x += [column + 0.06, column + 0.94, np.nan]
            y += [row + 0.93] * 2 + [np.nan]
    return np.array(x), np.array(y)

"""Fold a page of code for a narrow screen: its lines are cut in two where they are too long, and one part goes below.

The drawing stays one: the folded page shows strips of it, so what moves in the one moves in the other.
"""

from dataclasses import dataclass, replace

from matplotlib.text import Text

from publish.site import svg

COLUMNS = 50  # characters in a strip: on a screen of 390 pixels they are 11 pixels high, on one of 320 they are 10
INDENT = 4  # columns before the rest of a line
EDGE = 2  # on either side
ADVANCE = 1233 / 2048  # of a character of the code's font, in its size
BELOW = 1.2  # marks below a line reach this far into the next one


@dataclass(frozen=True)
class Strip:
    """A part of a drawing, in its own units: where it is taken from, its size, and where it is put."""

    x: float
    y: float
    width: float
    height: float
    to_x: float
    to_y: float
    goes_on: bool = False  # the rest of a line


@dataclass(frozen=True)
class Folded:
    """A page of code in strips, from above; size is (width, height), character the width of one."""

    strips: tuple[Strip, ...]
    size: tuple[float, float]
    character: float


def folded(figure) -> Folded | None:
    """Return the strips of a figure that shows pages of code, whose layout is settled; None for any other figure.

    Raises:
        svg.DrawingError: its axes do not count characters to the right and lines downwards.
    """
    if not svg.of_code(figure):
        return None
    rows = sorted({_row(figure, words) for words in figure.findobj(Text) if _is_code(words)})
    longest, character = {}, rows[0][3]
    for top, bottom, left, _, count in rows:
        longest[top, bottom, left] = max(count, longest.get((top, bottom, left), 0))
    wide, strips, seen, put = COLUMNS * character, [], 0.0, 0.0

    def cut(x, top, bottom, across=wide, indent=0.0, goes_on=False):
        nonlocal put
        if bottom - top > 0.5:
            strips.append(Strip(x, top, across, bottom - top, EDGE + indent, put, goes_on))
            put += bottom - top

    for (top, bottom, left), count in longest.items():
        cut(left, seen, top)  # a title
        cut(left, top, bottom)
        if count > COLUMNS:
            rest, indent = (count - COLUMNS) * character, INDENT * character
            cut(left + wide, top, bottom, min(rest, wide - indent), indent, True)
        seen = bottom
    cut(left, seen, figure.get_size_inches()[1] * svg.UNITS)
    return Folded(tuple(strips), (wide + 2 * EDGE, put), character)


def _is_code(words):
    return svg.MONOSPACED in words.get_fontfamily() and words.get_text().strip()


def _row(figure, words):
    """Return (top, bottom, left, width of a character, number of characters) of a line of code, in SVG's units."""
    high = figure.get_size_inches()[1] * svg.UNITS
    line = int(words.get_position()[1])
    (left, top), (right, bottom) = words.axes.transData.transform([(0, line), (1, line + 1)])
    if bottom >= top or abs(words.get_fontsize() * ADVANCE / (right - left) - 1) > 0.02:
        raise svg.DrawingError("A page of code needs axes that count characters to the right and lines downwards.")
    return (
        *(round(value, 2) for value in (high - top + BELOW, high - bottom + BELOW, left, right - left)),
        len(words.get_text()),
    )


def _blocks(strips):
    """Join strips that lie below each other as they do in the drawing: each costs a copy of it."""
    blocks = []
    for one in strips:
        before = blocks[-1] if blocks else None
        if before and (before.x, before.width, before.to_x, before.goes_on) == (one.x, one.width, one.to_x, False):
            blocks[-1] = replace(before, height=one.y + one.height - before.y)
        else:
            blocks.append(one)
    return blocks


def drawn(page: Folded, ids) -> str:
    """Return the inside of an svg element that shows the strips of the elements with these ids, the lowest first.

    A browser makes the copies of an element again when it moves, so what stands still should not be part of it.
    """
    parts, shown = [], "".join(f'<use href="#{id}"/>' for id in ids)
    for one in _blocks(page.strips):
        if one.goes_on:
            y = one.to_y + 0.75 * one.height
            style = f"font-size:{page.character / ADVANCE:.2f}px;{svg.CODE_STYLE};fill:var(--reference)"
            parts.append(f'<text style="{style}" x="{EDGE + 2 * page.character:.1f}" y="{y:.1f}">↳</text>')
        parts.append(
            f'<svg x="{one.to_x:g}" y="{one.to_y:g}" width="{one.width:g}" height="{one.height:g}" '
            f'viewBox="{one.x:g} {one.y:g} {one.width:g} {one.height:g}">{shown}</svg>'
        )
    return "".join(parts)

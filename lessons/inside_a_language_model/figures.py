"""Figures of lesson 10: text painted with the values of hidden units, zeros, the threshold of a new unit, damage."""

import numpy as np
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from course_lib.arguments import array, integer, items, real, truths
from course_lib.formats import minus, spread
from course_lib.page.caption import Caption
from course_lib.page.interactive import Interactive
from course_lib.page.style import HIDDEN, INPUT, REFERENCE, SMALL, WIDE, blank, styled, write

COLUMNS = 96  # characters of a painted line; what is longer is cut
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
        f"{len(titles)} units on the same {len(lines)} lines of code: the more active, the greener, and the thicker the line below.",
        f"Painted characters, of {len(text)}: {active}.",
    )


@styled
def unit_painter(text: str, hidden, tops, promoted) -> Interactive:
    """Paint a text by one unit at a time; keywords ffn, counted from 1, and unit, counted from 0.

    Args:
        text: at most ten lines.
        hidden: hidden values of the FFNs at the characters of the text, shape (ffns, characters, units).
        tops: a large value of every unit, which is painted as 1, shape (ffns, units).
        promoted: for every unit the characters that its output weights promote most, words of shape (ffns, units).
    """
    sizes = {"characters": len(text)}
    hidden = array("hidden", hidden, ("ffns", "characters", "units"), sizes)
    tops = array("tops", tops, ("ffns", "units"), sizes)
    lines, places = _laid_out(text)
    figure = Figure(figsize=WIDE)
    axes = _page(figure, lines, 1.0, 0.9)
    title = axes.set_title(" ", fontsize=SMALL, pad=2)
    moving = {"paint": _image(axes, len(lines)), "marks": _marks(axes), "title": title}

    def update(ffn, unit):
        ffn, unit = integer("ffn", ffn, 1, sizes["ffns"]), integer("unit", unit, 0, sizes["units"] - 1)
        row = (hidden[ffn - 1, :, unit] / max(tops[ffn - 1, unit], 1e-9)).clip(0, 1)
        words = f"FFN {ffn}, unit {unit}: active at {int((row > 0).sum())} of {len(text)} characters"
        data = {
            "paint": {"data": _colours(row, places, len(lines))},
            "marks": [{"data": _marked(row, places, low, high)} for low, high, _ in _STRENGTHS],
            "title": {"text": words},
        }
        order = [place for place in np.argsort(-row, kind="stable")[:5] if row[place] > 0]
        strongest = ", ".join(f"“{_shown(text[max(0, place - 7) : place + 1])}”" for place in order) or "nothing here"
        most = promoted[ffn - 1][unit]
        return data, Caption(f"{words}.", f"It is strongest after {strongest}. It promotes most: {most}.")

    return Interactive(figure, update, moving, _words(axes, lines))


@styled
def active_units(before, after) -> tuple[Figure, str]:
    """Plot how many units work at a character, and at how many characters a unit works, before and after training.

    Args:
        before, after: hidden values of one FFN, shape (n, units) with any n.
    """
    before = array("before", before, ("n", "units"))
    after = array("after", after, ("n", "units"), sizes := {"units": before.shape[1]})
    figure, (left, right) = blank(WIDE, columns=2)
    bins = np.linspace(0, sizes["units"], 65)
    parts = []
    looks = ((before, "before training", REFERENCE, "--"), (after, "after training", HIDDEN, "-"))
    for h, name, color, line in looks:
        counts, rates = (h > 0).sum(axis=1), np.sort((h > 0).mean(axis=0))[::-1]
        heights, _ = np.histogram(counts, bins)
        left.stairs(100 * heights / len(counts), bins, color=color, linestyle=line, linewidth=2, label=name)
        right.plot(np.arange(1, len(rates) + 1), 100 * rates, color=color, linestyle=line, label=name)
        parts.append(
            f"{name}: at half of the characters at most {np.median(counts):.0f} units work, {(rates > 0).sum()} units work "
            f"at some character, and a unit works at {100 * np.median(rates):.1f} % of the characters (median)"
        )
    left.set(xlabel=f"active units at a character, of {sizes['units']}", ylabel="% of the characters")
    right.set(xlabel="units, the busiest first", ylabel="% of characters where it works", ylim=(0, 104))
    right.legend(loc="upper right")
    few = np.median((after > 0).sum(axis=1)) / sizes["units"]
    return figure, Caption(
        f"After training {100 * few:.0f} % of the units work at a character (median), and "
        f"{(after > 0).any(axis=0).sum()} of {sizes['units']} work somewhere.",
        f"{'; '.join(parts)}.".capitalize(),
    )


@styled
def threshold(s, here, limit, words) -> tuple[Figure, str]:
    """Plot where s lies in a context and elsewhere, the threshold between the two means, and the new unit's value.

    Args:
        s: how far each place lies along the unit's direction, shape (n,).
        here: whether the place is in the context, shape (n,).
        limit: the threshold; below the mean of s where `here` is true.
        words: the name of the context.
    """
    s = array("s", s, ("n",), sizes := {})
    here = truths("here", here, ("n",), sizes)
    limit = real("limit", limit)
    low, high = s[~here].mean(), s[here].mean()
    figure, (left, right) = blank(WIDE, columns=2)
    bins = np.linspace(s.min(), s.max(), 41)
    kinds = ((~here, "elsewhere", low, REFERENCE, "--"), (here, words, high, HIDDEN, "-"))
    for chosen, name, mean, color, line in kinds:
        counts, _ = np.histogram(s[chosen], bins)
        left.stairs(100 * counts / chosen.sum(), bins, color=color, linestyle=line, linewidth=1.6, label=name)
        for axes in (left, right):
            axes.axvline(mean, color=color, linestyle=":")
    top = 1.45 * left.get_ylim()[1]
    left.set(xlabel="s = x · k", ylabel="% of the places of each kind", ylim=(0, top))
    line = np.array([s.min(), limit, s.max()])
    right.plot(line, np.maximum(line - limit, 0) / (high - limit), color=HIDDEN)
    right.set(xlabel="s = x · k", ylabel="value of the new unit", ylim=(-0.08, 1.45))
    for axes in (left, right):
        axes.axvline(limit, color="black", linewidth=1.2)
        height = axes.get_ylim()[1]
        for place, name, color, share in (
            (low, "mean", REFERENCE, 0.9),
            (high, "mean", HIDDEN, 0.9),
            (limit, "threshold", "black", 0.78),
        ):
            write(axes, place, share * height, name, color, ha="center")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=2, frameon=False)
    part = (limit - low) / (high - low)
    return figure, Caption(
        f"The threshold lies {100 * part:.0f} % of the way from the mean elsewhere to the mean {words}.",
        f"Mean of s elsewhere {minus(f'{low:.0f}')}, threshold {limit:.0f}, mean {words} {high:.0f}. The new unit is 0 up to the threshold, and "
        f"1 at the mean {words}.",
    )


@styled
def damages(names, changes) -> tuple[Figure, str]:
    """Plot what removing each part costs, one mark for each part of the text and a bar at the mean.

    Args:
        names: of the parts removed.
        changes: bits per character more than the whole model, shape (parts, pieces of text).
    """
    names = items("names", names, "strings")
    changes = array("changes", changes, ("parts", "pieces"), {"parts": len(names)})
    figure, axes = blank(WIDE)
    for row, (name, values) in enumerate(zip(names, changes, strict=True)):
        color, marker = (HIDDEN, "o") if name.startswith("ffn") else (INPUT, "s")
        axes.plot(values, np.full(len(values), row), marker, color=color, alpha=0.8, markersize=6)
        axes.plot([values.mean()] * 2, [row - 0.3, row + 0.3], color=color)
        write(axes, values.max() + 0.12, row, f"+{values.mean():.2f}", color, va="center")
    axes.set(xlabel="bits per character more than the whole model", ylim=(len(names) - 0.5, -0.5))
    axes.set(xlim=(min(0, changes.min()) - 0.05, changes.max() * 1.15 + 0.3))
    axes.set_yticks(range(len(names)), names)
    most = names[int(changes.mean(axis=1).argmax())]
    parts = "; ".join(f"{name} {spread(row)}" for name, row in zip(names, changes, strict=True))
    return figure, Caption(
        f"Removing {most} costs most.",
        f"Bits per character more, mean [range] over {changes.shape[1]} pieces of the text: {parts}.",
    )


# ---- a page of text


def _laid_out(text):
    """Return the lines as they are shown, and for each character of the text its (row, column), or None if cut off."""
    lines, places, column = [""], [], 0
    for one in text:
        row = len(lines) - 1
        places.append((row, column) if column < COLUMNS else None)
        lines[row] += _END if one == "\n" else one
        column += 1
        if one == "\n":
            lines, column = [*lines, ""], 0
    lines = [line for line in lines if line]
    return [line if len(line) <= COLUMNS else line[: COLUMNS - 1] + "…" for line in lines], places


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

    As Matplotlib resamples them, so that it has nothing to convert: with their opacity, which is 1, in single precision.
    """
    page = np.ones((rows, COLUMNS, 4), dtype=np.float32)
    green = np.array(to_rgb(HIDDEN))
    for value, place in zip(values, places, strict=True):
        if place is not None:
            page[place][:3] = 1 - round(15 * float(value)) / 15 * 0.75 * (1 - green)
    return page


def _marked(values, places, low, high):
    """Return x and y of lines below the characters with values from low to high."""
    x, y = [], []
    for value, place in zip(values, places, strict=True):
        if place is not None and low <= value < high:
            row, column = place
            x += [column + 0.06, column + 0.94, np.nan]
            y += [row + 0.93] * 2 + [np.nan]
    return np.array(x), np.array(y)


def _shown(words):
    """Return characters with the end of a line and leading spaces made visible."""
    return words.replace("\n", _END).replace("\t", "⇥").replace(" ", "␣")

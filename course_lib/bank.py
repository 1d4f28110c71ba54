"""The still of the component bank: what stands in a preview and on paper in its place."""

import textwrap

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from matplotlib.path import Path

from courseware.formats import minus
from courseware.page.caption import Caption
from courseware.page.palette import LIGHT
from courseware.page.style import DIVERGING, HIDDEN, INPUT, OUTPUT, REFERENCE, SMALL, TALL, styled

NOTE = (
    "We wired this layer by hand: nothing in it is trained, every number has a name, and there are no norms. Three "
    "names say what kind of word it is: “topic” marks river and money, for which attention looks, “verb” the verb, and "
    "“small” a small word such as “the”. A curved line is a weight: the wider the line, the larger the weight. "
    "Vermilion is above zero, blue below. Each ⊕ adds to the stream."
)
PROMPT = "One sum is above zero, one below. What will the network write into the row of “bank”?"
OPTIONS = {"A": "“shore” alone", "B": "“shore”, and minus “vault”", "C": "“shore”, and a little “vault”"}
UNBENT = "Without the bend the second unit writes too: vault −1."
PAST = "You guessed about “bank” in the sentence with “river”, before anything was changed."
_SEEN = 0.005  # what is smaller is not written
# Of the still, in points: the columns of numbers, the two ⊕ and the units; the first lane, the lanes' distance, the
# bars' zero and the length of a bar for 1.
_COLUMNS, _PLUSES, _UNITS = (112, 240, 484), (176, 452), (304, 408)
_TOP, _LANE, _ZERO, _HIGH = 76, 15, 225, 34
_CARD, _BROAD = (444, 60, 128, 178), 21  # of what is asked: left, top, width and height, and the signs in a line


@styled
def still(data, way):
    """Draw the last word's way through the layer, with its caption; in place of what the bend does, what is asked.

    data: what the component is given. way: a `course_lib.model.bank.Way`.
    """
    whole = not data["question"]
    features, reads, writes = data["features"], np.array(data["W1"]), np.array(data["W2"])
    questions = [f"{' and '.join(np.array(features)[column != 0])}?" for column in reads.T]
    figure = Figure(figsize=TALL)
    axes = figure.add_axes((0, 0, 1, 1), xlim=(0, 72 * TALL[0]), ylim=(72 * TALL[1], 0))
    axes.axis("off")
    lanes = _TOP + _LANE * np.arange(len(features))
    axes.hlines(lanes, _COLUMNS[0], _COLUMNS[-1] if whole else _CARD[0], color="#DDDDDD", linewidth=1, zorder=0)
    for x, word, weight in zip(np.linspace(_COLUMNS[0] - 15, 400, 5), way.words, way.weights[-1], strict=True):
        last = x == 400
        axes.text(x, 18, word, ha="center", va="center", fontsize=14, fontweight="bold" if last else "normal")
        _curve(axes, (x, 27), (x, 45), (_PLUSES[0], 30), (_PLUSES[0], lanes[1] - 6), REFERENCE, max(7 * weight, 0.7))
    rows = [("what enters", way.x[-1]), ("after attention", way.mixed[-1]), ("after the layer", way.stream[-1])]
    for x, (title, row) in zip(_COLUMNS, rows if whole else rows[:2], strict=False):
        axes.text(x, _TOP - 16, title, ha="center", va="center", fontsize=SMALL)
        for y, value in zip(lanes, row, strict=True):
            color = DIVERGING(0.5 + 0.3 * np.clip(value, -1, 1))
            axes.add_patch(Rectangle((x - 18, y - 6), 36, 12, facecolor=color, edgecolor="#AAAAAA", linewidth=0.7))
            axes.text(x, y, _number(value), ha="center", va="center_baseline", fontsize=SMALL)
    for y, name in zip(lanes, features, strict=True):
        axes.text(_COLUMNS[0] - 24, y, name, ha="right", va="center_baseline", fontsize=SMALL)
        if whole:
            axes.text(_COLUMNS[-1] + 24, y, name, va="center_baseline", fontsize=SMALL)
    if not whole:
        left, top, width, height = _CARD
        axes.add_patch(Rectangle((left, top), width, height, facecolor=LIGHT["asks"]))
        lines = [PROMPT, *(f"{letter}  {text}" for letter, text in OPTIONS.items())]
        text = "\n\n".join(
            textwrap.fill(line, _BROAD, subsequent_indent="" if line == PROMPT else "    ") for line in lines
        )
        axes.text(left + 8, top + 8, text, va="top", fontsize=SMALL)
    _plus(axes, _PLUSES[0], lanes[1])
    axes.hlines(_ZERO, _UNITS[0] - 28, _UNITS[1] + 28, color=REFERENCE, linewidth=1)
    axes.text(_UNITS[0] - 34, _ZERO - 7, "the FFN asks", ha="right", va="center_baseline", color=HIDDEN, fontsize=SMALL)
    for unit, x in enumerate(_UNITS):
        for y in lanes[reads[:, unit] != 0]:
            _curve(axes, (_COLUMNS[1] + 19, y), (x - 16, y), (x, y + 40), (x, _ZERO), OUTPUT, 1.7)
        before, value = way.asked[-1, unit], (way.hidden if whole else way.asked)[-1, unit]
        for height, ghost in ((before, True), (value, False)):
            look = {"fill": False, "linestyle": ":"} if ghost else {"facecolor": OUTPUT if height > 0 else INPUT}
            axes.add_patch(Rectangle((x - 14, _ZERO), 28, -_HIGH * height, edgecolor=REFERENCE, linewidth=0.7, **look))
        at = _ZERO - _HIGH * max(value, 0) - 8 if value >= 0 else _ZERO - _HIGH * value + 9
        ground = {"facecolor": "white", "edgecolor": "none", "pad": 1}
        axes.text(x, at, _number(value), ha="center", va="center", fontsize=SMALL, fontweight="bold", bbox=ground)
        axes.text(x, _ZERO + 38, questions[unit], ha="center", va="center", color=HIDDEN, fontsize=SMALL)
        for y in lanes[writes[unit] != 0] if whole and value else ():
            _curve(
                axes, (x + 16, _ZERO - 5), (x + 70, _ZERO - 40), (_PLUSES[1], y + 60), (_PLUSES[1], y + 6), OUTPUT, 2.8
            )
            _plus(axes, _PLUSES[1], y)
    return figure, _caption(way, features, questions, writes.max(), whole)


def _curve(axes, *points_color_width):
    *points, color, width = points_color_width
    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
    axes.add_patch(PathPatch(path, fill=False, edgecolor=color, linewidth=width, alpha=0.75, zorder=0.5))


def _plus(axes, x, y):
    axes.plot(x, y, "o", color=REFERENCE, markerfacecolor="white", markersize=9, markeredgewidth=1)
    axes.plot(x, y, "+", color=REFERENCE, markersize=6, markeredgewidth=1)


def _number(value):
    return minus(f"{value:.2f}".rstrip("0").rstrip("."))


def _caption(way, features, questions, weight, whole):
    at = int(np.argmax(way.weights[-1]))
    share = f"“{way.words[-1]}” gives {100 * way.weights[-1, at]:.0f} % of its attention to “{way.words[at]}”"
    sums = zip(questions, way.asked[-1], strict=True)
    answers = " and ".join(f"“{question}” comes to {_number(value)}" for question, value in sums)
    left = " and ".join(map(_number, way.hidden[-1]))
    written = zip(features, way.added[-1], strict=True)
    added = ", ".join(f"{name} {_number(value)}" for name, value in written if abs(value) >= _SEEN)
    bent = f"; ReLU leaves {left}, and with output weights of {weight:g} the FFN writes {added}" if whole else ""
    options = "; ".join(f"{letter}: {text}" for letter, text in OPTIONS.items())
    return Caption(f"{share}; {answers}{bent}.", NOTE if whole else f"{PROMPT} {options}. {NOTE}")

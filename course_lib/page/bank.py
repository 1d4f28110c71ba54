"""The picture of the whole course: "the river reached the bank" on its way through one layer, in two lines of panels.

Attention brings the cue into the row of "bank"; the FFN then asks each row two questions and writes its conclusion.
What a lesson asks for stays covered until that lesson's guess: COVERS names it.
"""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.arguments import integer
from course_lib.formats import minus
from course_lib.page import stages
from course_lib.page.caption import Caption
from course_lib.page.interactive import Interactive
from course_lib.page.style import HIDDEN, INPUT, LOW, OUTPUT, REFERENCE, SMALL, cover, styled

COVERS = ("bend", "rows")  # what can be covered, in the order in which lessons 04 and 05 lift it
STEPS = ("attention", "ask", "bend", "write", "add")  # each frames one panel
_EXACT = 1e-9  # a number that moves by less has not moved
_SEEN = 0.005  # what is smaller is left out in words
_COVERED = {"bend": ["hidden"], "rows": ["added", "stream"]}
_EDGE = "#AAAAAA"
_GRID = "#DDDDDD"
# Places in shares of the figure: two columns of wide panels, above and below the names of the features.
_LEFT, _RIGHT, _WIDE = 0.346, 0.666, 0.226
_ASKED, _BENT, _NARROW = 0.14, 0.242, 0.066
_ABOVE, _BELOW, _HIGH = 0.615, 0.1, 0.305
# Of each panel: the array it shows, its name, its colour, and where it stands.
_PANELS = {
    "x": ("1 what enters", INPUT, _LEFT, _ABOVE, _WIDE),
    "mixed": ("2 after attention", INPUT, _RIGHT, _ABOVE, _WIDE),
    "asked": ("3 FFN asks", HIDDEN, _ASKED, _BELOW, _NARROW),
    "hidden": ("4 bend", HIDDEN, _BENT, _BELOW, _NARROW),
    "added": ("5 FFN writes", OUTPUT, _LEFT, _BELOW, _WIDE),
    "stream": ("6 after the layer", OUTPUT, _RIGHT, _BELOW, _WIDE),
}
_FRAMED = dict(zip(STEPS, ("mixed", "asked", "hidden", "added", "stream"), strict=True))


@styled
def draw(way, features, cues, lifted: int = 0) -> Interactive:
    """Draw the sentence on its way through the layer; the keywords of its update are those of way, and step.

    Args:
        way: (cue, where, shift) -> a `course_lib.model.bank.Way`; where and shift may be left out.
        features: the names of the columns. cues: those of them that the second word can be.
        lifted: how many of COVERS are lifted, in their order.
    """
    covered = COVERS[integer("lifted", lifted, 0, len(COVERS)) :]
    unseen = [name for cover, names in _COVERED.items() if cover in covered for name in names]
    start = way(cues[0])
    last, second = len(start.words) - 1, start.words.index(cues[0])
    limit = max(np.abs(getattr(start, name)).max() for name in _PANELS)
    figure, images, over, frames, places = Figure(figsize=LOW), [], [], [], []
    for name in _PANELS:
        values = getattr(start, name)
        axes = _panel(figure, name, values.shape)
        if name in unseen:
            cover(axes, -0.5, -0.5, values.shape[1], len(values))
        else:
            images.append(stages.heatmap(axes, values, limit))
            over.append(_grid(axes, values.shape))
        frames.append(axes.add_patch(_frame(-0.5, -0.5, values.shape[1], len(values))))
        if name in ("x", "mixed") and not covered:
            places.append(axes.add_patch(_frame(-0.42, second - 0.4, 0.84, 0.8)))
    sheet = _sheet(figure)
    _name_columns(sheet, features, cues)
    words = [_name_rows(sheet, start.words, left, low) for left, low in ((_LEFT, _ABOVE), (_ASKED, _BELOW))]
    _connect(sheet, start.weights[last])
    marks = [] if covered else _marks(sheet, len(start.words))
    moving = {"images": images, "frames": frames, "places": places, "words": [one[second] for one in words]}

    def update(cue, step, where="", shift=0.0):
        now, before = way(cue, where, shift), way(cue)
        moved = np.abs(now.stream - before.stream).max(axis=1) > _EXACT
        at = None if not where else "x" if where.startswith("before") else "mixed"
        column = features.index(cue) - 0.42
        data = {
            "images": [{"data": getattr(now, name)} for name in _PANELS if name not in unseen],
            "frames": [{"linewidth": 2.5 if name == _FRAMED[step] else 0} for name in _PANELS],
            "places": [{"x": column, "linewidth": 1.5 if name == at else 0} for name in ("x", "mixed")[: len(places)]],
            "words": [{"text": cue}] * len(words),
            "marks": [_mark(one, shown=bool(shift)) for one in moved[: len(marks)]],
        }
        told = _told(step, now, last, features, cues, covered)
        still = f"; the framed “{cue}” can be moved {where}" if where else ""
        nudged = f"{_nudge(cue, where, shift, now.words, moved)}: {told}"
        whole = nudged if shift else told[0].upper() + told[1:] + still
        return data, Caption(f"{whole}.", _rest(now.words[last]))

    return Interactive(figure, update, moving | {"marks": marks}, over)


def _panel(figure, name, shape):
    """Add a panel with its name, which stands above it in the first line and below it in the second."""
    title, color, left, low, wide = _PANELS[name]
    axes = figure.add_axes((left, low, wide, _HIGH))
    axes.set(xticks=[], yticks=[], xlim=(-0.5, shape[1] - 0.5), ylim=(shape[0] - 0.5, -0.5))
    axes.spines[:].set(visible=True, color=_EDGE, linewidth=0.6)
    side = {"asked": "right", "hidden": "left"}.get(name, "center")
    x = left + wide * {"right": 1, "left": 0, "center": 0.5}[side]
    y, end = (low + _HIGH + 0.015, "bottom") if low == _ABOVE else (low - 0.015, "top")
    figure.text(x, y, title, color=color, ha=side, va=end)
    return axes


def _grid(axes, shape):
    """Draw thin lines between the cells, so that a blank one has its place too."""
    rows, width = shape
    ends = [((-0.42, row + 0.5), (width - 0.58, row + 0.5)) for row in range(rows - 1)]
    ends += [((column + 0.5, -0.42), (column + 0.5, rows - 0.58)) for column in range(width - 1)]
    return axes.add_collection(LineCollection(ends, colors=_GRID, linewidths=0.6))


def _frame(left, top, width, height):
    """Return a frame whose line has no width yet."""
    options = {"fill": False, "edgecolor": "black", "linewidth": 0, "clip_on": False, "zorder": 5}
    return Rectangle((left, top), width, height, **options)


def _sheet(figure):
    """Add axes as large as the figure, for what stands between the panels."""
    sheet = figure.add_axes((0, 0, 1, 1), zorder=-1)
    sheet.set(xlim=(0, 1), ylim=(0, 1))
    sheet.axis("off")
    return sheet


def _name_columns(sheet, features, cues):
    """Write the features between the two lines of panels, and the questions above the panel of their sums."""
    upright = {"rotation": 90, "ha": "center", "fontsize": SMALL}
    for left in (_LEFT, _RIGHT):
        for place, feature in enumerate(features):
            x = left + (place + 0.5) * _WIDE / len(features)
            sheet.text(x, (_ABOVE + _BELOW + _HIGH) / 2, feature, va="center", **upright)
    for place, cue in enumerate(cues):
        x = _ASKED + (place + 0.5) * _NARROW / len(cues)
        sheet.text(x, _BELOW + _HIGH + 0.02, f"bank and {cue}?", va="bottom", color=HIDDEN, **upright)


def _heights(low, rows):
    """Return the middle of each row of a panel."""
    return low + _HIGH * (1 - (np.arange(rows) + 0.5) / rows)


def _name_rows(sheet, words, left, low):
    """Write the words to the left of a panel, and the last one, which the picture follows, in bold."""
    options = {"ha": "right", "va": "center_baseline", "fontsize": SMALL}
    made = [
        sheet.text(left - 0.01, y, word, **options) for word, y in zip(words, _heights(low, len(words)), strict=True)
    ]
    made[-1].set_fontweight("bold")
    return made


def _connect(sheet, weights):
    """Draw what comes into the row of the last word, how it is added, and the way of that row to the end."""
    above, below = _heights(_ABOVE, len(weights)), _heights(_BELOW, len(weights))[-1]
    left, plus = _LEFT + _WIDE + 0.006, _RIGHT - 0.034
    for y, weight in zip(above, weights, strict=True):
        line = {"color": REFERENCE, "linewidth": max(4 * weight, 0.5), "solid_capstyle": "butt"}
        sheet.plot([left, plus], [y, above[-1]], **line)
    arrow = {"arrowstyle": "->", "color": REFERENCE, "linewidth": 1, "shrinkA": 0, "shrinkB": 0}
    ways = [
        ((plus, above[-1]), (_RIGHT - 0.004, above[-1])),
        ((plus, above[-1]), (plus, below + 0.03)),
        ((_ASKED + _NARROW + 0.006, below), (_BENT - 0.004, below)),
        ((_BENT + _NARROW + 0.006, below), (_LEFT - 0.004, below)),
        ((left, below), (plus - 0.014, below)),
        ((plus, below), (_RIGHT - 0.004, below)),
    ]
    for start, end in ways:
        sheet.annotate("", end, start, arrowprops=arrow)
    for y in (above[-1], below):
        sheet.plot(plus, y, "o", color=REFERENCE, markerfacecolor="white", markersize=9, markeredgewidth=1, zorder=4)
        sheet.plot(plus, y, "+", color=REFERENCE, markersize=6, markeredgewidth=1, zorder=5)


def _marks(sheet, rows):
    """Add a word beside each row of the last panel, that says whether it moves with what is moved."""
    options = {"va": "center_baseline", "fontsize": SMALL}
    return [sheet.text(_RIGHT + _WIDE + 0.004, y, "stays", **options) for y in _heights(_BELOW, rows)]


def _mark(moves, shown):
    words, color = ("moves", OUTPUT) if moves else ("stays", REFERENCE)
    return {"text": words if shown else "", "color": color}


def _number(value):
    return minus(f"{value:.2f}".rstrip("0").rstrip("."))


def _holds(row, features):
    """Return the features that a row has, each with its number."""
    found = [f"{name} {_number(value)}" for name, value in zip(features, row, strict=True) if abs(value) >= _SEEN]
    return ", ".join(found) or "nothing"


def _nudge(cue, where, shift, words, moved):
    """Return what is moved, and which rows of the last panel move with it."""
    rows = "every row" if moved.all() else f"{moved.sum()} of {len(moved)} rows"
    alone = f", that of “{words[np.flatnonzero(moved)[0]]}”," if moved.sum() == 1 else ""
    verb = "move" if moved.sum() > 1 and not moved.all() else "moves"
    return f"“{cue}” is moved by {_number(shift)} {where}, and {rows} of panel 6{alone} {verb}"


def _told(step, now, last, features, cues, covered):
    """Return what is said of a step; it begins with a small letter."""
    row = f"the row of “{now.words[last]}”"
    if step == "attention":
        source = int(np.argmax(now.weights[last]))
        share = f"{100 * now.weights[last, source]:.0f} % of its attention to “{now.words[source]}”"
        return f"“{now.words[last]}” gives {share}, and its row now holds {_holds(now.mixed[last], features)}"
    questions = [f"“{now.words[last]} and {cue}?”" for cue in cues]
    if step == "ask":
        sums = [f"{question} gets {_number(value)}" for question, value in zip(questions, now.asked[last], strict=True)]
        above = int((now.asked > 0).sum())
        count = f"{above} of {now.asked.size} sums {'is' if above == 1 else 'are'} above 0"
        return f"in {row}, {' and '.join(sums)}; {count}"
    if step == "bend":
        if "bend" in covered:
            return "an activation, ReLU, bends the sums; the result is covered until lesson 04"
        left = int(np.count_nonzero(now.hidden))
        return f"ReLU sets every sum below 0 to 0, so {left} of {now.hidden.size} {'is' if left == 1 else 'are'} left"
    if "rows" in covered:
        return "what the FFN writes, and what it makes of the row, is covered until lesson 05"
    if step == "write":
        return f"into {row} the FFN writes {_holds(now.added[last], features)}"
    return f"the FFN's conclusion is added, and {row} leaves the layer with {_holds(now.stream[last], features)}"


def _rest(word):
    """Return what the picture rests on."""
    return (
        "This layer is wired by hand: nothing in it is trained, each column has a name, and there are no norms "
        "(lesson 07). Rows are words; a cell is blue below zero, blank at zero and vermilion above, on one scale in "
        f"all panels. Lines show what attention brings into the row of “{word}”: the wider, the more. Each ⊕ is an "
        "addition."
    )

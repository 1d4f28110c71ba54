"""The emblem of the course: a sentence on its way through one transformer layer, of which the reader moves one row.

Attention draws lines from every row to every row; after it each row goes alone, wide and back. What a lesson asks for
stays covered until that lesson's guess: COVERS names it.
"""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib.arguments import integer
from course_lib.formats import minus
from course_lib.page import stages
from course_lib.page.caption import Caption
from course_lib.page.interactive import Interactive
from course_lib.page.style import HIDDEN, INPUT, LOW, OUTPUT, REFERENCE, SMALL, cover, styled

# What can be covered, in the order in which lessons 04, 05 and 06 lift it.
COVERS = ("bend", "rows", "share")
STEPS = ("attention", "expand", "bend", "contract")
FARTHEST = 2.0  # a row is moved
_PANELS = ("tokens", "mixed", "expand", "bend", "contract")
_COLORS = (INPUT, INPUT, HIDDEN, HIDDEN, OUTPUT)
_LEFT = (0.09, 0.272, 0.408, 0.604, 0.8)  # of each panel, in shares of the figure's width
_WIDTH = (0.095, 0.095, 0.155, 0.155, 0.095)
_BOTTOM, _HEIGHT = 0.285, 0.505
_BAR = (0.235, 0.06, 0.7, 0.1)
_EDGE = "#AAAAAA"
_SHADES = {"attention": "#BBD7EA", "FFN": "#B3E0D4", "norms": "#DDDDDD"}


@styled
def draw(words, passage, parameters, row: int, lifted: int = 0) -> Interactive:
    """Draw the sentence on its way through a layer; the keywords of its update are shift and step.

    Args:
        words: of the sentence.
        passage: (row, shift) -> the arrays of `course_lib.model.emblem.Passage`.
        parameters: each part of the layer -> its number of parameters.
        row: the token that is moved, counted from 1.
        lifted: how many of COVERS are lifted, in their order.
    """
    covered = COVERS[integer("lifted", lifted, 0, len(COVERS)) :]
    start, seen = passage(row, 0.0), _seen(covered)
    limit = max(np.abs(one).max() for shift in (-FARTHEST, FARTHEST) for one in _arrays(passage(row, shift)))
    figure, images, over, frames = Figure(figsize=LOW), [], [], []
    for place, values in enumerate(_arrays(start)):
        axes = _panel(figure, place, values.shape, words)
        if seen[place]:
            images.append(stages.heatmap(axes, values, limit))
            over += [stages.gaps(axes, values.shape)]
        else:
            cover(axes, -0.5, -0.5, values.shape[1], len(words))
        frames.append(_around(axes, values.shape))
        over += [_row(axes, values.shape[1], row)] if place and seen[place] else []
    _ways(figure, start.weights, row, alone="rows" not in covered)
    _shares(figure, parameters, covered="share" in covered)
    marks = [] if "rows" in covered else _marks(figure.axes[len(_PANELS) - 1], len(words))

    def update(shift, step):
        now = passage(row, shift)
        moved = (now.output != start.output).any(axis=1)
        data = {
            "images": [{"data": values} for values, shown in zip(_arrays(now), seen, strict=True) if shown],
            "frames": [{"linewidth": 2.5 if name == _panel_of(step) else 0} for name in _PANELS],
            "marks": [{"text": "changes" if one else "same"} for one in moved[: len(marks)]],
        }
        where = f"“{words[row - 1]}” is moved by {minus(f'{shift:g}')}" if shift else "Nothing is moved yet"
        changed = f"; {moved.sum()} of {len(words)} output rows change" if marks and shift else ""
        message = f"{where}{changed}: {_told(step, now, words, row, covered)}."
        return data, Caption(message, _rest(parameters, covered))

    return Interactive(figure, update, {"images": images, "frames": frames, "marks": marks}, over)


def _arrays(passage):
    return passage.tokens, passage.mixed, passage.up, passage.bent, passage.output


def _seen(covered):
    """Tell for each panel whether it is shown."""
    hidden = {"bend": "bend" in covered, "contract": "rows" in covered}
    return [not hidden.get(name, False) for name in _PANELS]


def _panel_of(step):
    return "mixed" if step == "attention" else step


def _panel(figure, place, shape, words):
    """Add a panel with its name and its shape."""
    axes = figure.add_axes((_LEFT[place], _BOTTOM, _WIDTH[place], _HEIGHT))
    axes.set_title(f"{_PANELS[place]}\n{shape[0]} × {shape[1]}", color=_COLORS[place], loc="center")
    axes.set(xticks=[], yticks=range(len(words)), xlim=(-0.5, shape[1] - 0.5), ylim=(shape[0] - 0.5, -0.5))
    axes.set_yticklabels(words if not place else [])
    axes.tick_params(length=0)
    axes.spines[:].set(visible=True, color=_EDGE, linewidth=0.6)
    return axes


def _around(axes, shape):
    """Add the frame of the panel whose step is told; its line has no width for the others."""
    options = {"fill": False, "edgecolor": "black", "linewidth": 0, "clip_on": False}
    return axes.add_patch(Rectangle((-0.5, -0.5), shape[1], shape[0], **options))


def _row(axes, width, row):
    """Frame the row that is moved."""
    options = {"fill": False, "edgecolor": "black", "linewidth": 1, "linestyle": "--", "clip_on": False}
    return axes.add_patch(Rectangle((-0.5, row - 1.5), width, 1, **options))


def _ways(figure, weights, row, alone):
    """Draw the ways between the panels: of attention from every row to every row, of the FFN from each to itself."""
    rows = len(weights)
    for place in range(len(_PANELS) - 1):
        left = _LEFT[place] + _WIDTH[place]
        axes = figure.add_axes((left, _BOTTOM, _LEFT[place + 1] - left, _HEIGHT))
        axes.set(xlim=(0, 1), ylim=(rows - 0.5, -0.5))
        axes.axis("off")
        if not place:
            for (to, source), weight in np.ndenumerate(weights):
                axes.plot([0.06, 0.94], [source, to], color=REFERENCE, linewidth=4 * weight, solid_capstyle="butt")
            figure.text(left + 0.041, _BOTTOM - 0.02, "attention", ha="center", va="top", fontsize=SMALL)
        elif alone:
            axes.hlines(range(rows), 0.15, 0.85, color=REFERENCE, linewidth=1)
        else:
            axes.annotate("", (0.95, rows / 2 - 0.5), (0.05, rows / 2 - 0.5), arrowprops={"arrowstyle": "->"})
    center = (_LEFT[2] + _LEFT[-1] + _WIDTH[-1]) / 2
    figure.text(center, _BOTTOM - 0.02, "the FFN", ha="center", va="top", fontsize=SMALL)


def _marks(axes, rows):
    """Add a word beside each output row, that says whether it is another than before the move."""
    width = axes.get_xlim()[1]
    return [axes.text(width + 0.6, row, "same", va="center", fontsize=SMALL, clip_on=False) for row in range(rows)]


def _shares(figure, parameters, covered):
    """Draw how the parameters of the layer are shared out."""
    axes, total, left = figure.add_axes(_BAR), sum(parameters.values()), 0
    axes.set(xlim=(0, total), ylim=(0, 1), xticks=[], yticks=[])
    axes.spines[:].set(visible=True, color=_EDGE, linewidth=0.6)
    figure.text(_BAR[0] - 0.012, _BAR[1] + _BAR[3] / 2, "parameters", ha="right", va="center", fontsize=SMALL)
    if covered:
        return cover(axes, 0, 0, total, 1)
    for name, number in parameters.items():
        axes.barh(0.5, number, left=left, height=1, color=_SHADES[name])
        if number > total / 10:
            axes.text(
                left + number / 2, 0.5, f"{name} {100 * number / total:.0f} %", ha="center", va="center", fontsize=SMALL
            )
        left += number


def _told(step, now, words, row, covered):
    """Return what is said of a step."""
    if step == "attention":
        others = 100 - 100 * now.weights[row - 1, row - 1]
        brought = f"{others:.0f} % of what it brings to “{words[row - 1]}” comes from other words"
        return f"attention mixes the rows, and {brought}"
    if step == "expand":
        return f"the first layer makes {now.up.shape[1]} numbers of each row of {now.mixed.shape[1]}"
    if step == "bend":
        zeros = f"sets {np.count_nonzero(now.bent == 0)} of {now.bent.size} numbers to 0"
        return f"the activation, ReLU, {'is covered until lesson 04' if 'bend' in covered else zeros}"
    hidden = ", covered until lesson 05" if "rows" in covered else ""
    return f"the second layer brings each row back to {now.output.shape[1]} numbers{hidden}"


def _rest(parameters, covered):
    """Return what the picture rests on."""
    counted = ", ".join(f"{name} {number}" for name, number in parameters.items())
    share = "The share of each part is covered until lesson 06." if "share" in covered else f"Parameters: {counted}."
    return (
        "Rows are tokens, columns numbers: blue below zero, blank for zero, vermilion above, in one scale. "
        "All of it is computed, with random weights: nothing is trained. The wider a line, the more attention "
        f"brings along it; norms, and the addition around the FFN, are left out (lesson 07). {share}"
    )

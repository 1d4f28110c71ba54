"""The emblem of the course: tokens on their way through an FFN, one heatmap for each stage, on one scale.

Rows are tokens and stand at the same height in every panel; columns are features or hidden units, numbered below.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch, Rectangle

from course_lib.page.style import DIVERGING, HIDDEN, REFERENCE, SMALL, WIDE, blank

COVER, EDGE = "#EEEEEE", "#AAAAAA"
NARROWEST = 6  # columns: a panel of fewer is as wide as this, so that its name has room


@dataclass(frozen=True)
class Stage:
    """One panel: its name, its colour, its values, (tokens, width), and whether they are covered."""

    name: str
    values: np.ndarray
    color: str = HIDDEN
    covered: bool = False

    @property
    def title(self) -> str:
        """Its name, and how many numbers it holds."""
        rows, width = self.values.shape
        return f"{self.name}\n{rows} × {width}"


def stages(names, arrays, colors) -> list[Stage]:
    """Return one Stage for each name, with its array and its colour."""
    return [Stage(name, values, color) for name, values, color in zip(names, arrays, colors, strict=True)]


@dataclass(frozen=True)
class Drawn:
    """A drawn emblem: the figure, its panels, and for each stage the image, or None where it is covered.

    over: what lies on top of the images and must be drawn after them.
    """

    figure: Figure
    panels: tuple
    images: tuple
    over: list


def draw(stages, *, limit=None, follow=None, size=WIDE, rows=None, label="value (blank: zero)") -> Drawn:
    """Draw the stages side by side, with colours from −limit to limit.

    Args:
        stages: Stages whose values have the same number of rows.
        limit: of the scale; by default the largest absolute value that is shown.
        follow: the number of a token, counted from 1, that a frame follows through all panels; None for no frame.
        size: of the figure, in inches; rows: what the rows are called; label: of the colour bar.
    """
    shown = [stage.values for stage in stages if not stage.covered]
    limit = limit or max(np.abs(values).max() for values in shown) or 1.0
    n = len(stages[0].values)
    widths = [max(stage.values.shape[1], NARROWEST) for stage in stages]
    figure, panels = blank(size, columns=len(stages), sharey=True, width_ratios=widths)
    panels, images, over = np.atleast_1d(panels), [], []
    for axes, stage in zip(panels, stages, strict=True):
        images.append(None if stage.covered else heatmap(axes, stage.values, limit))
        over += [_cover(axes, stage)] if stage.covered else []
        over.append(axes.hlines(np.arange(n - 1) + 0.5, -0.5, stage.values.shape[1] - 0.5, color="white", linewidth=3))
        over += [_ask(axes, stage)] if stage.covered else []
        axes.set_title(stage.title, color=stage.color, loc="center")
        _number_columns(axes, stage.values.shape[1])
        axes.set_ylim(n - 0.5, -0.5)
    panels[0].set_yticks(range(n), rows or [f"token {number}" for number in range(1, n + 1)])
    if follow is not None:
        over += _frame(figure, panels, stages, follow)
    image = next(image for image in images if image is not None)
    low = size[1] < WIDE[1]  # no room below the panels
    where = {"fraction": 0.03, "pad": 0.02} if low else {"orientation": "horizontal", "fraction": 0.06, "aspect": 60}
    figure.colorbar(image, ax=panels, **where).set_label(label)
    return Drawn(figure, tuple(panels), tuple(images), over)


def heatmap(axes, values, limit):
    """Draw values with colours from −limit to limit, white for zero."""
    return axes.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest")


def mark_zeros(axes, values) -> None:
    """Put a dot on each value that is exactly zero."""
    rows, columns = np.nonzero(np.asarray(values) == 0)
    axes.plot(columns, rows, ".", color=REFERENCE, markersize=2)


def _number_columns(axes, width):
    """Number the first and the last column, and every eighth between them."""
    places = [0, *range(7, width - 1, 8), width - 1] if width > 1 else [0]
    axes.set_xticks(places, [f"{place + 1}" for place in places], fontsize=SMALL)
    axes.tick_params(length=0)
    axes.spines[:].set(visible=True, color=EDGE, linewidth=0.6)


def _cover(axes, stage):
    """Cover a panel."""
    rows, width = stage.values.shape
    axes.set_xlim(-0.5, width - 0.5)
    cover = Rectangle((-0.5, -0.5), width, rows, facecolor=COVER, edgecolor=EDGE, hatch="///", linewidth=0)
    return axes.add_patch(cover)


def _ask(axes, stage):
    """Put a question mark on a covered panel."""
    rows, width = stage.values.shape
    ground = {"facecolor": "white", "edgecolor": REFERENCE, "boxstyle": "round,pad=0.4"}
    return axes.text(width / 2 - 0.5, rows / 2 - 0.5, "?", fontsize=16, ha="center", va="center", bbox=ground)


def _frame(figure, panels, stages, follow):
    """Draw a frame around one token in every panel, and lines from panel to panel."""
    frames = []
    for axes, stage in zip(panels, stages, strict=True):
        box = Rectangle(
            (-0.5, follow - 1.5), stage.values.shape[1], 1, fill=False, linewidth=1.5, zorder=3, clip_on=False
        )
        frames.append(axes.add_patch(box))
    for (left, right), stage in zip(itertools.pairwise(panels), stages, strict=False):
        for height in (follow - 1.5, follow - 0.5):
            start, end = (stage.values.shape[1] - 0.5, height), (-0.5, height)
            figure.add_artist(ConnectionPatch(start, end, "data", "data", axesA=left, axesB=right, linewidth=0.8))
    return frames

"""Draw tokens on their way through an FFN, one heatmap for each stage, on one scale.

Rows are tokens, at the same height in every panel; columns are features or hidden units, numbered below.
"""

import itertools
from dataclasses import dataclass

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import ConnectionPatch, Rectangle

from courseware.page.style import DIVERGING, HIDDEN, REFERENCE, SMALL, WIDE, blank

EDGE = "#AAAAAA"
FEWEST, NARROWEST = 6, 10  # columns: a panel of fewer than the first is as wide as the second, and its name has room


@dataclass(frozen=True)
class Stage:
    """One panel: its name, its colour and its values, (tokens, width)."""

    name: str
    values: np.ndarray
    color: str = HIDDEN

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
    """The drawn stages: the figure, and a panel for each."""

    figure: Figure
    panels: tuple


def draw(stages, *, follow=None, rows=None, label="value (blank: zero)") -> Drawn:
    """Draw the stages side by side, with colours that are as strong below zero as above.

    Args:
        stages: Stages whose values have the same number of rows.
        follow: the number of a token, counted from 1, that a frame follows through all panels; None for no frame.
        rows: what the rows are called; label: of the colour bar.
    """
    limit = max(np.abs(stage.values).max() for stage in stages) or 1.0
    n = len(stages[0].values)
    wide = [stage.values.shape[1] for stage in stages]
    widths = [width if width >= FEWEST else NARROWEST for width in wide]
    figure, panels = blank(WIDE, columns=len(stages), sharey=True, width_ratios=widths)
    panels = np.atleast_1d(panels)
    for axes, stage in zip(panels, stages, strict=True):
        image = heatmap(axes, stage.values, limit)
        gaps(axes, stage.values.shape)
        axes.set_title(stage.title, color=stage.color, loc="center")
        _number_columns(axes, stage.values.shape[1])
        axes.set_ylim(n - 0.5, -0.5)
    panels[0].set_yticks(range(n), rows or [f"token {number}" for number in range(1, n + 1)])
    if follow is not None:
        _frame(figure, panels, stages, follow)
    figure.colorbar(image, ax=panels, orientation="horizontal", fraction=0.06, aspect=60).set_label(label)
    return Drawn(figure, tuple(panels))


def heatmap(axes, values, limit):
    """Draw values with colours from −limit to limit, white for zero."""
    return axes.imshow(values, cmap=DIVERGING, vmin=-limit, vmax=limit, aspect="auto", interpolation="nearest")


def gaps(axes, shape):
    """Draw white lines between the rows of a heatmap."""
    rows, width = shape
    return axes.hlines(np.arange(rows - 1) + 0.5, -0.5, width - 0.5, color="white", linewidth=3)


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


def _frame(figure, panels, stages, follow):
    """Draw a frame around one token in every panel, and lines from panel to panel."""
    for axes, stage in zip(panels, stages, strict=True):
        box = Rectangle(
            (-0.5, follow - 1.5), stage.values.shape[1], 1, fill=False, linewidth=1.5, zorder=3, clip_on=False
        )
        axes.add_patch(box)
    for (left, right), stage in zip(itertools.pairwise(panels), stages, strict=False):
        for height in (follow - 1.5, follow - 0.5):
            start, end = (stage.values.shape[1] - 0.5, height), (-0.5, height)
            figure.add_artist(ConnectionPatch(start, end, "data", "data", axesA=left, axesB=right, linewidth=0.8))

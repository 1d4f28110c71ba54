"""The one style of all figures, and the parts that the figure modules share.

Blue for inputs, vermilion for outputs, green for what lies between, grey for references, and a different line style for
each, so that no colour is needed to tell them apart. Lines are labelled where they are.
"""

import functools

import matplotlib
import numpy as np
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import LogLocator, NullFormatter

from courseware.page.palette import LIGHT

INPUT, OUTPUT, HIDDEN, REFERENCE = map(LIGHT.get, ("input", "output", "hidden", "reference"))
FIFTH, SIXTH = LIGHT["fifth"], LIGHT["sixth"]  # where a figure tells more things apart
TARGET = LIGHT["target"]  # the wide line of a target curve, behind what tries to follow it
# Blue for negative, white for zero, vermilion for positive values. An odd number of steps keeps zero white, and few of
# them leave room for the other colours in a PNG palette of 256.
DIVERGING = LinearSegmentedColormap.from_list("course", [INPUT, "white", OUTPUT], N=65)
# White for zero, and the darker the larger: for what is never negative, such as shares and distances. It goes
# through the vermilion of DIVERGING, and each step is darker than the one before it, so it can be read in grey.
ONE_SIDED = LinearSegmentedColormap.from_list("course one-sided", [(0, "white"), (0.62, OUTPUT), (1, "#5C2400")], N=64)
LINES, MARKERS = ("-", "--", ":", "-."), ("o", "s", "^", "D")  # told apart without colour, in this order
SINGLE, WIDE = (6.4, 3.6), (8.0, 3.2)  # inches
SMALL = 9.1  # points, the smallest words: 11 pixels high in a picture of 8 inches that is shown 700 pixels wide
NAMED = 13.0  # points for words with a subscript, which has 0.7 of their size
TALL = (8.0, 3.8)  # for a picture of two lines, or of many rows
LOW = (8.0, 2.7)  # for a figure with sliders: 297 pixels high on the page, so that all of it stays in view

STYLE = {
    "figure.facecolor": "white",
    "axes.facecolor": "white",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": REFERENCE,
    "axes.labelcolor": "black",
    "axes.titlesize": 10,
    "axes.labelsize": 10,
    "axes.titlelocation": "left",
    "font.size": 10,
    "font.family": "DejaVu Sans",
    "xtick.color": "black",
    "ytick.color": "black",
    "lines.linewidth": 2,
    "legend.frameon": False,
}


def styled(function):
    """Let a figure function work in the course's style."""

    @functools.wraps(function)
    def styled(*args, **options):
        with matplotlib.rc_context(STYLE):
            return function(*args, **options)

    return styled


def blank(size=SINGLE, rows=1, columns=1, **options):
    """Make a figure of the course's style with its axes."""
    figure = Figure(figsize=size, layout="constrained")
    return figure, figure.subplots(rows, columns, **options)


def write(axes, x, y, words, color, **options):
    """Write words beside a line, on a white ground so that they can be read on top of other lines."""
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 1.5}
    return axes.text(x, y, words, color=color, bbox=ground, fontsize=SMALL, **options)


def cover(axes, left: float, low: float, width: float, height: float) -> None:
    """Cover a part of a panel, in the units of its data, with a question mark: a lesson asks what is there."""
    hatched = {"facecolor": "#EEEEEE", "edgecolor": "#AAAAAA", "hatch": "///", "linewidth": 0, "zorder": 3}
    axes.add_patch(Rectangle((left, low), width, height, **hatched))
    ground = {"facecolor": "white", "edgecolor": REFERENCE, "boxstyle": "round,pad=0.3"}
    axes.text(left + width / 2, low + height / 2, "?", fontsize=13, ha="center", va="center", bbox=ground, zorder=4)


def ink(ground) -> str:
    """Return "black" or "white", whichever can be read better on a ground of this colour."""
    rgb = np.array(to_rgb(ground))
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    light = float(linear @ (0.2126, 0.7152, 0.0722))  # relative luminance, WCAG 2
    return "black" if (light + 0.05) / 0.05 >= 1.05 / (light + 0.05) else "white"


def power(value) -> str:
    """Write a power of ten in full size, where an exponent would be too small to read: "100", "0.001", "1e-6"."""
    return f"{value:g}".replace("e-0", "e-").replace("e+0", "e").replace("e+", "e")


def plain_powers(axis) -> None:
    """Write the ticks of a logarithmic axis with `power`, at most seven of them, and none between the powers."""
    axis.set_major_locator(LogLocator(numticks=8))
    axis.set_minor_formatter(NullFormatter())
    axis.set_major_formatter(lambda value, position: power(value))

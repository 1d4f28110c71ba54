"""The one style of all figures, and the parts that the figure modules share.

Blue for inputs, vermilion for outputs, green for hidden values, grey for references, and a different line style for
each, so that no colour is needed to tell them apart. Lines are labelled where they are.
"""

import functools

import matplotlib
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure

INPUT, OUTPUT, HIDDEN, REFERENCE = "#0072B2", "#D55E00", "#009E73", "#555555"
TARGET = "#8C8C8C"  # the wide line of a target curve, behind what tries to follow it
# Blue for negative, white for zero, vermilion for positive values. An odd number of steps keeps zero white, and few of
# them leave room for the other colours in a PNG palette of 256.
DIVERGING = LinearSegmentedColormap.from_list("course", [INPUT, "white", OUTPUT], N=65)
LINES, MARKERS = ("-", "--", ":", "-."), ("o", "s", "^", "D")  # told apart without colour, in this order
SINGLE, WIDE = (6.4, 3.6), (8.0, 3.2)  # inches

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
    return axes.text(x, y, words, color=color, bbox=ground, fontsize=9, **options)

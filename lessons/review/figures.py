"""Figures of the review: pointers that turn, and the errors of blocks that say by how much."""

import numpy as np
from matplotlib.figure import Figure

from courseware.arguments import array, integer, items, real
from courseware.formats import minus, spread
from courseware.page.caption import Caption
from courseware.page.style import (
    HIDDEN,
    INPUT,
    OUTPUT,
    REFERENCE,
    SMALL,
    WIDE,
    blank,
    plain_powers,
    styled,
    write,
)

_MARKERS = "osD^vX"


@styled
def turns(x, y) -> tuple[Figure, str]:
    """Draw each token's pointer with that of the token before it, and write by how many degrees it has turned.

    Args:
        x: one sequence, shape (seq_len, d_model); features 0 and 1 are cosine and sine of the pointer's angle.
        y: cosine and sine of each turn, shape (seq_len, 2).
    """
    sizes = {"turn": 2}
    x, y = _with_pointers(array("x", x, ("seq_len", "d_model"), sizes)), array("y", y, ("seq_len", "turn"), sizes)
    figure, dials = _dials(len(x))
    degrees = np.degrees(np.angle(_complex(y)))
    words = [minus(f"{turn:+.0f}°") for turn in degrees]
    for token, (above, below) in enumerate(dials.T):
        _hand(above, x[token - 1], REFERENCE, "--")
        _hand(above, x[token], INPUT, "-")
        _hand(below, (1, 0), REFERENCE, "--")
        _hand(below, y[token], OUTPUT, "-")
        above.set_title(f"token {token}", loc="center")
        below.set_title(words[token], loc="center")
    message = (
        f"{len(x)} pointers (blue), each beside that of the token before it (grey, dashed), and below, from dashed to "
        "vermilion, by how much they have turned."
    )
    rest = f"The turns: {', '.join(words)}; counter-clockwise is positive. Before token 0 comes the last one."
    return figure, Caption(message, rest)


@styled
def errors_by_kind(kinds, sizes, errors, threshold: float) -> tuple[Figure, str]:
    """Plot the errors of several kinds of networks, one mark for each start, with a threshold.

    Args:
        kinds: names, shape (kinds,); sizes: their numbers of parameters, shape (kinds,).
        errors: mean squared errors above 0, shape (kinds, seeds).
        threshold: a line at this error.
    """
    errors = array("errors", errors, ("kinds", "seeds"))
    kinds, threshold = _names(kinds, len(errors)), real("threshold", threshold, 0, open_low=True)
    sizes = [integer("each of sizes", size) for size in items("sizes", sizes, "integers")]
    if len(sizes) != len(errors):
        raise ValueError(f"sizes must hold one number for each of the {len(errors)} kinds, but it holds {len(sizes)}.")
    if errors.min() <= 0:
        raise ValueError("errors must be above 0: they are drawn on a logarithmic axis.")
    figure, axes = blank(WIDE)
    axes.axvline(threshold, color=REFERENCE, linestyle="--")
    write(axes, threshold, -0.75, f"threshold {threshold:g}", REFERENCE, ha="center")
    for row, found in enumerate(errors):
        color = HIDDEN if found.max() < threshold else OUTPUT
        shown = 10 ** np.round(np.log10(found), 3)  # further digits may differ between processors
        axes.plot(shown, [row] * len(found), _MARKERS[row % 6], color=color, alpha=0.6, markersize=6)
    axes.set(xscale="log", xlabel="error on pointers never seen in training", ylim=(len(errors) - 0.4, -1.1))
    parts, ticks = [], [f"{kind}\n{size:,} parameters" for kind, size in zip(kinds, sizes, strict=True)]
    axes.set_yticks(range(len(errors)), ticks)
    plain_powers(axes.xaxis)
    for kind, found in zip(kinds, errors, strict=True):
        parts.append(f"{kind} {spread(found)}, {(found < threshold).sum()} of {len(found)} below")
    below = ", ".join(f"{kind} {(found < threshold).sum()}" for kind, found in zip(kinds, errors, strict=True))
    rest = f"Errors from {errors.shape[1]} starts each, mean [range], and how many lie below {threshold:g}: "
    message = f"How many of {errors.shape[1]} starts end below the threshold {threshold:g}: {below}."
    return figure, Caption(message, rest + "; ".join(parts) + ".")


def _dials(tokens):
    """Make two rows of dials, one for each token: pointers above, turns below."""
    figure, dials = blank(WIDE, 2, tokens, squeeze=False)
    around = np.linspace(0, 2 * np.pi, 73)
    for axes in dials.flat:
        axes.plot(np.cos(around), np.sin(around), color=REFERENCE, linewidth=0.8)
        axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
        axes.axis("off")
    for row, words in zip(dials, ("pointer, and\nthe one before", "its turn"), strict=True):
        row[0].text(-1.5, 0, words, ha="right", va="center", fontsize=SMALL)
    return figure, dials


def _hand(axes, to, color, line):
    """Draw a hand that points from the middle of its dial to a place."""
    axes.plot([0, to[0]], [0, to[1]], color=color, linestyle=line, marker="o", markevery=[1], markersize=4)


def _complex(pairs):
    return pairs[..., 0] + 1j * pairs[..., 1]


def _with_pointers(x):
    if x.shape[-1] < 2:
        raise ValueError(f"x must have at least 2 features, cosine and sine, but its shape is {x.shape}.")
    return x


def _names(names, count):
    names = items("names", names, "words")
    if len(names) != count:
        raise ValueError(f"names must hold one name for each of the {count} networks, but it holds {len(names)}.")
    return names

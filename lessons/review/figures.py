"""Figures of the review: pointers that turn, and the errors of blocks that say by how much."""

import numpy as np
from matplotlib.figure import Figure

from course_lib.arguments import array, choice, integer, items, real
from course_lib.formats import minus, spread
from course_lib.page.caption import Caption
from course_lib.page.interactive import Interactive
from course_lib.page.style import (
    HIDDEN,
    INPUT,
    OUTPUT,
    REFERENCE,
    SMALL,
    TARGET,
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
    figure, dials = _dials(len(x), "its turn")
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
def answers(x, y, outputs, names) -> Interactive:
    """Show the pointers of a sequence, by how much they turned, and what a network answers.

    Args:
        x: sequences, shape (n, seq_len, d_model); features 0 and 1 are cosine and sine of the pointer's angle.
        y: cosine and sine of each turn, shape (n, seq_len, 2).
        outputs: what each network answers, shape (networks, n, seq_len, 2).
        names: of the networks, shape (networks,).
    """
    sizes = {"turn": 2}
    x = _with_pointers(array("x", x, ("n", "seq_len", "d_model"), sizes))
    y = array("y", y, ("n", "seq_len", "turn"), sizes)
    outputs = array("outputs", outputs, ("networks", "n", "seq_len", "turn"), sizes)
    names, outputs = _names(names, len(outputs)), np.round(outputs, 4)  # further digits may differ between processors
    figure, (above, below) = _dials(x.shape[1], "its turn, and\nthe answer")
    moving = {
        "own": [_hand(axes, (1, 0), INPUT, "-") for axes in above],
        "before": [_hand(axes, (1, 0), REFERENCE, "--") for axes in above],
        "right": [_hand(axes, (1, 0), TARGET, "-", linewidth=6, marker="", solid_capstyle="butt") for axes in below],
        "given": [_hand(axes, (1, 0), OUTPUT, "-") for axes in below],
    }
    for token, axes in enumerate(above):
        axes.set_title(f"token {token}", loc="center")

    def update(sequence, network):
        chosen = integer("sequence", sequence, 1, len(x)) - 1
        answer = outputs[names.index(choice("network", network, names)), chosen]
        shown = {"own": x[chosen], "before": np.roll(x[chosen], 1, axis=0), "right": y[chosen], "given": answer}
        data = {name: [_pointing(to) for to in rows] for name, rows in shown.items()}
        error, rest = _missed(answer, y[chosen])
        return data, Caption(f"Sequence {sequence}, {network}: {error}", rest)

    return Interactive(figure, update, moving)


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


def _dials(tokens, below):
    """Make two rows of dials, one for each token: pointers above, turns below."""
    figure, dials = blank(WIDE, 2, tokens, squeeze=False)
    around = np.linspace(0, 2 * np.pi, 73)
    for axes in dials.flat:
        axes.plot(np.cos(around), np.sin(around), color=REFERENCE, linewidth=0.8)
        axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
        axes.axis("off")
    for row, words in zip(dials, ("pointer, and\nthe one before", below), strict=True):
        row[0].text(-1.5, 0, words, ha="right", va="center", fontsize=SMALL)
    return figure, dials


def _hand(axes, to, color, line, **options):
    options = {"color": color, "linestyle": line, "marker": "o", "markevery": [1], "markersize": 4} | options
    return axes.plot(*_pointing(to)["data"], **options)[0]


def _pointing(to):
    """Return the data of a hand that points from the middle of its dial to a place."""
    return {"data": ([0, to[0]], [0, to[1]])}


def _missed(answer, wanted):
    """Say by how much the answers of a sequence, shape (seq_len, 2), miss the turns."""
    angles = np.degrees(np.abs(np.angle(_complex(answer) / _complex(wanted))))
    lengths = np.abs(_complex(answer))
    return (
        f"the answer (vermilion) misses the turn (wide grey) by up to {angles.max():.0f}°.",
        f"The mean squared error is {np.mean((answer - wanted) ** 2):.2g}; the hands of the answer are "
        f"{lengths.min():.2f} to {lengths.max():.2f} long.",
    )


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

"""Figures of lesson 09: pointers that turn, and the errors of blocks that say by how much."""

import numpy as np
from matplotlib.figure import Figure

from course_lib.arguments import array, described, items, real
from course_lib.figures.style import (
    HIDDEN,
    INPUT,
    OUTPUT,
    REFERENCE,
    WIDE,
    Interactive,
    blank,
    checked,
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
    x, y = _sequence("x", x), _sequence("y", y)
    if len(y) != len(x):
        raise ValueError(f"y must hold one turn for each of the {len(x)} tokens, but it holds {len(y)}.")
    figure, dials = _dials(len(x), "its turn")
    degrees = np.degrees(np.angle(_complex(y)))
    words = [f"{turn:+.0f}°".replace("-", "−") for turn in degrees]
    for token, (above, below) in enumerate(dials.T):
        _hand(above, x[token - 1], REFERENCE, "--")
        _hand(above, x[token], INPUT, "-")
        _hand(below, y[token], REFERENCE, "-", linewidth=6, alpha=0.4)
        above.set_title(f"token {token}", loc="center")
        below.set_title(words[token], loc="center")
    caption = (
        f"{len(x)} pointers (blue), each beside that of the token before it (grey, dashed; before token 0 comes the "
        f"last one). Below: by how much they have turned, {', '.join(words)}; counter-clockwise is positive."
    )
    return figure, caption


@styled
def answers(x, y, outputs, names) -> Interactive:
    """Show the pointers of a sequence, by how much they turned, and what a network answers.

    Args:
        x: sequences, shape (n, seq_len, d_model); features 0 and 1 are cosine and sine of the pointer's angle.
        y: cosine and sine of each turn, shape (n, seq_len, 2).
        outputs: what each network answers, shape (networks, n, seq_len, 2).
        names: of the networks, shape (networks,).
    """
    sizes = {}
    x, y = _fitting(sizes, "x", x, ("n", "seq_len", "d_model")), _fitting(sizes, "y", y, ("n", "seq_len", "two"))
    outputs = _fitting(sizes, "outputs", outputs, ("networks", "n", "seq_len", "two"))
    if y.shape[2] != 2 or x.shape[2] < 2:
        raise ValueError(f"y must have 2 features and x at least 2, but their shapes are {y.shape} and {x.shape}.")
    names, outputs = _names(names, len(outputs)), np.round(outputs, 4)  # further digits may differ between processors
    figure, dials = _dials(x.shape[1], "its turn, and\nthe answer")
    own = [_hand(axes, (1, 0), INPUT, "-") for axes in dials[0]]
    before = [_hand(axes, (1, 0), REFERENCE, "--") for axes in dials[0]]
    right = [_hand(axes, (1, 0), REFERENCE, "-", linewidth=6, alpha=0.4) for axes in dials[1]]
    given = [_hand(axes, (1, 0), OUTPUT, "-") for axes in dials[1]]
    for token, axes in enumerate(dials[0]):
        axes.set_title(f"token {token}", loc="center")

    def update(sequence, network):
        if sequence not in range(1, len(x) + 1):
            raise ValueError(f"sequence must be from 1 to {len(x)}, but {sequence!r} was given.")
        if network not in names:
            raise ValueError(f"network must be one of {names}, but {network!r} was given.")
        chosen, answer, wanted = x[sequence - 1], outputs[names.index(network), sequence - 1], y[sequence - 1]
        for token in range(x.shape[1]):
            for hand, to in ((own, chosen[token]), (before, chosen[token - 1]), (right, wanted[token])):
                _turn(hand[token], to)
            _turn(given[token], answer[token])
        missed = np.degrees(np.abs(np.angle(_complex(answer) / _complex(wanted))))
        return (
            f"Sequence {sequence}, {network}: mean squared error {np.mean((answer - wanted) ** 2):.2g}; the answer "
            f"(vermilion) misses the turn (wide grey) by up to {missed.max():.0f}°, and its hands are "
            f"{np.abs(_complex(answer)).min():.2f} to {np.abs(_complex(answer)).max():.2f} long."
        )

    return Interactive(figure, update, [*own, *before, *right, *given])


@styled
def errors_by_kind(kinds, sizes, errors, threshold: float) -> tuple[Figure, str]:
    """Plot the errors of several kinds of networks, one mark for each start, with a threshold.

    Args:
        kinds: names, shape (kinds,); sizes: their numbers of parameters, shape (kinds,).
        errors: mean squared errors above 0, shape (kinds, seeds).
        threshold: a line at this error.
    """
    errors = checked("errors", errors, ("kinds", "seeds"))
    kinds, threshold = _names(kinds, len(errors)), real("threshold", threshold, 0, open_low=True)
    sizes = [int(size) for size in items("sizes", sizes, "integers")]
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
    for kind, found in zip(kinds, errors, strict=True):
        mean, low, high = (f"{value:.2g}" for value in (found.mean(), found.min(), found.max()))
        parts.append(f"{kind} {mean} [{low}, {high}], {(found < threshold).sum()} of {len(found)} below")
    caption = f"Errors from {errors.shape[1]} starts each, mean [range], and how many lie below {threshold:g}: "
    return figure, caption + "; ".join(parts) + "."


def _dials(tokens, below):
    """Make two rows of dials, one for each token: pointers above, turns below."""
    figure, dials = blank(WIDE, 2, tokens, squeeze=False)
    around = np.linspace(0, 2 * np.pi, 73)
    for axes in dials.flat:
        axes.plot(np.cos(around), np.sin(around), color=REFERENCE, linewidth=0.8)
        axes.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
        axes.axis("off")
    for row, words in zip(dials, ("pointer, and\nthe one before", below), strict=True):
        row[0].text(-1.5, 0, words, ha="right", va="center", fontsize=9)
    return figure, dials


def _hand(axes, to, color, line, **options):
    options |= {"color": color, "linestyle": line, "marker": "o", "markevery": [1], "markersize": 4}
    return axes.plot([0, to[0]], [0, to[1]], **options)[0]


def _turn(hand, to):
    hand.set_data([0, to[0]], [0, to[1]])


def _complex(pairs):
    return pairs[..., 0] + 1j * pairs[..., 1]


def _sequence(name, value):
    value = checked(name, value, ("seq_len", "features"))
    if value.shape[1] < 2:
        raise ValueError(f"{name} must have at least 2 features, but {described(value)} was given.")
    return value


def _fitting(sizes, name, value, axes):
    """Return an array whose axes have the sizes that the arrays before it had."""
    if hasattr(value, "detach"):
        value = value.detach().numpy()
    return array(name, value, axes, sizes)


def _names(names, count):
    names = items("names", names, "words")
    if len(names) != count:
        raise ValueError(f"names must hold one name for each of the {count} networks, but it holds {len(names)}.")
    return names

"""Figures of "Build the FFN": the arrays to scale, one token on its way, and the sizes of a signal."""

import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch, Rectangle

from courseware.arguments import array, integer, items
from courseware.formats import minus, three_digits
from courseware.page.caption import Caption
from courseware.page.style import FIFTH, HIDDEN, INPUT, NAMED, OUTPUT, REFERENCE, SMALL, TALL, WIDE, blank, styled

COLORS = (OUTPUT, HIDDEN, INPUT, FIFTH)


@styled
def shapes(tokens: int, d_model: int, d_ff: int) -> tuple[Figure, str]:
    """Draw the arrays of an FFN to scale, one square for each number, in the order in which they are used.

    Args:
        tokens: rows of x, at most 12.
        d_model, d_ff: features and hidden features of a token, at most 12 and 24, so that the squares can be seen.
    """
    tokens, d_model = integer("tokens", tokens, 1, 12), integer("d_model", d_model, 1, 12)
    d_ff = integer("d_ff", d_ff, 1, 24)
    figure, axes = blank(TALL)
    parts = (
        ("x", tokens, d_model, INPUT, "tokens", "d_model"),
        ("$W_1$", d_model, d_ff, REFERENCE, "d_model", "d_ff"),
        ("h", tokens, d_ff, HIDDEN, "tokens", "d_ff"),
        ("$W_2$", d_ff, d_model, REFERENCE, "d_ff", "d_model"),
        ("y", tokens, d_model, OUTPUT, "tokens", "d_model"),
    )
    between = ("@", "$+\\,b_1$\nReLU\n→", "@", "$+\\,b_2$\n→", "")
    high, low = max(tokens, d_model) / 2, max(tokens, d_ff) / 2
    middle, left, widest = high + low + 4.2, 0.0, 0.0  # of the first line; the second one is at height 0
    for part, words in zip(parts, between, strict=True):
        left = _named_grid(axes, left, middle, *part)
        if words:
            gap = 4.6 if words == "@" else 5.6
            _between(axes, left + gap * 0.38, middle, words)
            left += gap
        widest = max(widest, left)
        if "ReLU" in words:  # h begins the second line
            left, middle = 0.0, 0.0
    axes.set(xlim=(-2.6, widest + 1.6), ylim=(-low - 2.2, 2 * high + low + 4.2 + 1.8), aspect="equal")
    axes.set_axis_off()
    message = (
        f"The arrays of an FFN, one square for each number: {tokens} tokens of {d_model} features become {tokens} × "
        f"{d_ff} hidden values and {tokens} × {d_model} outputs again."
    )
    return figure, Caption(message, "The strong row is one token on its way.")


def _between(axes, middle, height, words):
    """Write what happens between two arrays: a name with its index above, in a size in which the index can be read."""
    name, _, rest = words.partition("\n") if "\n" in words else ("", "", words)
    if name:
        axes.text(middle, height + 0.2, name, ha="center", va="bottom", fontsize=NAMED)
    axes.text(middle, height - 0.2 if name else height, rest, ha="center", va="top" if name else "center")


def _named_grid(axes, left, height, name, rows, columns, color, row_name, column_name):
    """Draw an array with its names from `left` on, and return where it ends."""
    _grid(axes, left, height, rows, columns, color, one_token=color != REFERENCE)
    middle = left + columns / 2
    axes.text(left - 0.25, height, row_name, color=color, ha="right", va="center", rotation=90, fontsize=SMALL)
    axes.text(middle, height + rows / 2 + 0.3, column_name, color=color, ha="center", va="bottom", fontsize=SMALL)
    size = NAMED if "$" in name else 10
    axes.text(middle, height - rows / 2 - 0.5, f"{name}: ({rows}, {columns})", ha="center", va="top", fontsize=size)
    return left + columns


def _grid(axes, left, height, rows, columns, color, one_token):
    """Draw rows × columns squares with their middle at a height; the first row of tokens in full colour."""
    for row in range(rows):
        strong = one_token and row == 0
        for column in range(columns):
            corner = (left + column, height + rows / 2 - row - 1)
            alpha = 0.75 if strong else 0.22
            axes.add_patch(Rectangle(corner, 1, 1, facecolor=color, alpha=alpha, edgecolor="none"))
            axes.add_patch(Rectangle(corner, 1, 1, facecolor="none", edgecolor="white", linewidth=0.8))
    axes.add_patch(Rectangle((left, height - rows / 2), columns, rows, facecolor="none", edgecolor=color, linewidth=1))


@styled
def one_token(x, W1, b1, W2, b2, features=()) -> tuple[Figure, str]:
    """Draw the network that one token passes through, from the bottom to the top, with the values it takes.

    Args:
        x: one token, shape (d_model,).
        W1, b1, W2, b2: shapes (d_model, d_ff), (d_ff,), (d_ff, d_model) and (d_model,); ReLU is between the layers.
        features: a name for each feature, or none.
    """
    sizes = {}
    x, W1 = array("x", x, ("d_model",), sizes), array("W1", W1, ("d_model", "d_ff"), sizes)
    b1, W2 = array("b1", b1, ("d_ff",), sizes), array("W2", W2, ("d_ff", "d_model"), sizes)
    b2 = array("b2", b2, ("d_model",), sizes)
    d_model, d_ff = W1.shape
    h = np.maximum(x @ W1 + b1, 0)
    on = h > 0
    off = int((~on).sum())
    figure, axes = blank(WIDE)
    features = items("features", features, "names")
    if len(features) not in (0, d_model):
        raise ValueError(f"features must hold {d_model} names or none, but it holds {len(features)}.")
    many = d_ff > d_model  # then hidden values stand side by side, and are written upwards
    places = (np.arange(d_ff) - (d_ff - 1) / 2) * (1 if many else 2.4)
    reach = max(0.3 * d_ff, 1.15 * (d_model - 1))
    ends = np.linspace(-1, 1, d_model) * reach if d_model > 1 else np.zeros(1)
    _edges(axes, ends, 0.22, places, 0.83, W1, np.ones_like(W1, dtype=bool))
    _edges(axes, places, 1.17, ends, 1.78, W2, np.repeat(on[:, None], d_model, axis=1))
    rows = (("x", x, ends, INPUT), ("h", h, places, HIDDEN), ("y", h @ W2 + b2, ends, OUTPUT))
    edge = -max(d_ff / 2 if many else 0, reach + 0.95) - 0.6
    for row, (name, values, spots, color) in enumerate(rows):
        for value, spot in zip(values, spots, strict=True):
            _node(axes, spot, row, value, color, off=name == "h" and value == 0, upright=many and name == "h")
        axes.text(edge, row, f"{name}\n({len(values)},)", color=color, ha="right", va="center", fontsize=10)
    for words, spot in zip(features, ends, strict=False):
        for height, where in ((-0.24, "top"), (2.24, "bottom")):
            axes.text(spot, height, words, ha="center", va=where, fontsize=SMALL, color=REFERENCE)
    axes.text(-edge, 0.5, "up:\n$W_1$, $b_1$, ReLU", color="black", va="center", fontsize=NAMED)
    axes.text(-edge, 1.5, "down:\n$W_2$, $b_2$", color="black", va="center", fontsize=NAMED)
    axes.set(xlim=(edge - 1.0, -edge + 2.2), ylim=(-0.3 - 0.2 * bool(features), 2.3 + 0.2 * bool(features)))
    axes.set_axis_off()
    message = f"One token, from the bottom up: {d_model} inputs, {d_ff} hidden values, {d_model} outputs" + (
        "; what ReLU set to 0 (dashed boxes) passes nothing on." if off else ", and ReLU set none to 0."
    )
    lines = "Solid lines are positive weights, dotted ones negative, and thick lines are large ones."
    return figure, Caption(message, lines)


def _edges(axes, starts, low, ends, high, weights, drawn):
    """Draw a line for each weight but zeros: solid when positive, dotted when negative, the thicker the larger."""
    largest = np.abs(weights).max() or 1.0
    for style, chosen in (("-", weights > 0), (":", weights < 0)):
        where = np.argwhere(chosen & drawn)
        lines = [[(starts[i], low), (ends[j], high)] for i, j in where]
        widths = [0.3 + 1.7 * abs(weights[i, j]) / largest for i, j in where]
        axes.add_collection(LineCollection(lines, linewidths=widths, linestyles=style, colors=REFERENCE, alpha=0.7))


def _node(axes, across, up, value, color, off, upright):
    """Draw a value in its box: a narrow box with upright digits, or a wide one."""
    half = 0.43 if upright else 0.95
    box = FancyBboxPatch(
        (across - half, up - 0.16),
        2 * half,
        0.32,
        boxstyle="round,pad=0.02,rounding_size=0.08",
        mutation_aspect=0.5,
        facecolor="white",
        edgecolor=REFERENCE if off else color,
        linestyle="--" if off else "-",
        linewidth=1 if off else 2,
        zorder=2,
    )
    axes.add_patch(box)
    words = "0" if off else minus(f"{value:.2f}")
    look = {"color": REFERENCE if off else "black", "rotation": 90 if upright and not off else 0}
    axes.text(across, up, words, ha="center", va="center", fontsize=SMALL, zorder=3, **look)


@styled
def signal_sizes(sizes, names) -> tuple[Figure, str]:
    """Plot the size of a signal that passes through several FFNs, for several ways to draw the weights.

    Args:
        sizes: standard deviations, shape (rules, seeds, n); the first of the n belongs to the input.
        names: one name for each rule, at most four.
    """
    sizes = array("sizes", sizes, ("rules", "seeds", "n"))
    if len(names) != len(sizes) or len(sizes) > len(COLORS):
        raise ValueError(f"names must hold one name for each rule, at most {len(COLORS)}, but {len(names)} were given.")
    if sizes.min() <= 0:
        raise ValueError("sizes must be positive: they are shown on a logarithmic axis.")
    figure, axes = blank()
    depths = np.arange(sizes.shape[2])
    start = sizes[:, :, 0].mean()
    axes.plot(depths[[0, -1]], [start, start], color=REFERENCE, linestyle="--", linewidth=1)
    for each, color, line in zip(sizes, COLORS, ("-", "--", "-.", ":"), strict=False):
        for seed in each:
            axes.plot(depths, seed, marker="o", markersize=3.5, linewidth=1.2, linestyle=line, color=color)
    ends = [
        (float(np.median(each[:, -1])), name, color) for each, name, color in zip(sizes, names, COLORS, strict=False)
    ]
    low, high = np.log10(sizes.min()), np.log10(sizes.max())
    for height, (_, name, color) in _apart([*ends, (start, "size of the input", REFERENCE)], 0.07 * (high - low)):
        axes.text(depths[-1] + 0.12, 10**height, name, color=color, va="center", fontsize=SMALL)
    axes.set(yscale="log", xlabel="FFNs in a row", ylabel="standard deviation", xticks=depths)
    step = max(1, round((high - low) / 4))
    powers = np.arange(step * np.ceil(low / step), high + 0.1, step)
    axes.set_yticks(10.0**powers, [minus(f"1e{power:.0f}") if power else "1" for power in powers])
    axes.set_xlim(-0.2, depths[-1] * 1.35)
    parts = "; ".join(
        f"{name}: from {three_digits(each[:, 1].min())} to {three_digits(each[:, 1].max())}"
        for name, each in zip(names, sizes, strict=True)
    )
    last = "; ".join(f"{name} {float(np.median(each[:, -1])):.0e}" for name, each in zip(names, sizes, strict=True))
    message = f"After {depths[-1]} FFNs in a row, a signal of standard deviation {start:.1g} has one of about: {last}."
    rest = f"Medians of {sizes.shape[1]} seeds each, on a logarithmic axis. After the first FFN, {parts}."
    return figure, Caption(message, rest)


def _apart(labels, gap):
    """Return labels with the powers of ten at which they stand, from the lowest up, none nearer than `gap` to the next."""
    placed = []
    for value, *rest in sorted(labels):
        height = np.log10(value)
        placed.append((max(height, placed[-1][0] + gap) if placed else height, (value, *rest)))
    return placed

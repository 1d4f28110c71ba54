"""Figures of the build of a transformer layer."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from courseware.arguments import array, integer, items
from courseware.formats import three_digits
from courseware.page.caption import Caption
from courseware.page.style import (
    HIDDEN,
    INPUT,
    ONE_SIDED,
    OUTPUT,
    REFERENCE,
    SINGLE,
    SMALL,
    TALL,
    blank,
    ink,
    styled,
    write,
)


@styled
def parts(d_model: int, n_heads: int, d_ff: int) -> tuple[Figure, str]:
    """Draw the parts of a pre-norm layer: a stream in two lines, and below each a branch that reads from it and adds.

    Args:
        d_model: features of a token; n_heads: heads; d_ff: hidden units.
    """
    d_model, n_heads, d_ff = integer("d_model", d_model), integer("n_heads", n_heads), integer("d_ff", d_ff)
    figure, axes = blank(TALL)
    branches = (
        (
            ("norm1", d_model, REFERENCE),
            ("qkv", 3 * d_model, HIDDEN),
            (f"{n_heads} heads", d_model, HIDDEN),
            ("out", d_model, HIDDEN),
        ),
        (("norm2", d_model, REFERENCE), ("up", d_ff, OUTPUT), ("GELU", d_ff, OUTPUT), ("down", d_model, OUTPUT)),
    )
    arrow = {"arrowstyle": "-|>", "color": "black", "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0}
    axes.text(-0.35, 1.3, "x", color=INPUT, fontsize=13, va="center", ha="center")
    end = 0.5 + 1.6 * 3 + 1.35
    for line, branch in enumerate(branches):
        stream, low = 1.3 - 2.9 * line, -2.9 * line
        axes.annotate("", (end + 0.75, stream), (-0.1, stream), arrowprops=arrow | {"linewidth": 2})
        axes.plot(0.2, stream, "o", color="black", markersize=5)
        axes.plot([0.2, 0.2], [stream, low], color="black", linewidth=1.3)
        for step, (name, width, color) in enumerate(branch):
            start = 0.5 + 1.6 * step
            axes.annotate("", (start, low), (start - (0.3 if step == 0 else 0.25), low), arrowprops=arrow)
            axes.add_patch(Rectangle((start, low - 0.36), 1.35, 0.72, facecolor="white", edgecolor=color, linewidth=2))
            axes.text(start + 0.675, low, name, ha="center", va="center", color=color)
            axes.text(start + 0.675, low - 0.62, f"{width}", ha="center", va="center", fontsize=SMALL)
        axes.plot([end, end + 0.2], [low, low], color="black", linewidth=1.3)
        axes.annotate("", (end + 0.2, stream - 0.2), (end + 0.2, low), arrowprops=arrow)
        axes.add_patch(Ellipse((end + 0.2, stream), 0.36, 0.42, facecolor="white", edgecolor="black", zorder=3))
        axes.text(end + 0.2, stream - 0.01, "+", ha="center", va="center", fontsize=13, zorder=4)
    axes.text(-0.35, 1.3 - 2.9, "…", va="center", ha="center")
    axes.set(xlim=(-0.7, end + 0.95), ylim=(-3.8, 1.7))
    axes.axis("off")
    message = "A pre-norm layer: its stream, and two branches that read it and add to it."
    names = "; ".join(", ".join(f"{name} {width}" for name, width, _ in branch) for branch in branches)
    return figure, Caption(message, f"Numbers for each token behind the steps of the two branches: {names}.")


@styled
def attention_weights(weights, words) -> tuple[Figure, str]:
    """Show attention weights as a table of numbers: a row asks, a column answers.

    Args:
        weights: shape (seq_len, seq_len), no number below 0.
        words: one for each token.
    """
    words = [str(word) for word in items("words", words, "strings")]
    weights = array("weights", weights, ("queries", "keys"), {"queries": len(words), "keys": len(words)})
    figure, axes = blank(SINGLE)
    axes.imshow(weights, cmap=ONE_SIDED, vmin=0, vmax=1, aspect="auto")
    for (row, column), value in np.ndenumerate(weights):
        axes.text(column, row, f"{value:.2f}", ha="center", va="center", color=ink(ONE_SIDED(value)), fontsize=SMALL)
    axes.set_xticks(range(len(words)), words)
    axes.set_yticks(range(len(words)), words)
    axes.set(xlabel="key: the word that answers", ylabel="query: the word that asks")
    sums, later = weights.sum(axis=1), np.triu(weights, 1).max() == 0
    rows = "; ".join(f"{word} {weights[row, row]:.2f}" for row, word in enumerate(words))
    message = f"Every row adds up to 1 and gives exactly 0 to each later word: {bool(np.allclose(sums, 1) and later)}."
    return figure, Caption(message, f"The weight of each word on itself, row by row: {rows}.")


@styled
def largest_weights(head_dims, plain, scaled) -> tuple[Figure, str]:
    """Plot the largest of a row's attention weights against the size of a head, without and with the division.

    Args:
        head_dims: sizes of a head, shape (n,).
        plain, scaled: the largest weight of each row, without and with the division, shape (n, rows).
    """
    sizes = {}
    head_dims = array("head_dims", head_dims, ("n",), sizes)
    plain, scaled = array("plain", plain, ("n", "rows"), sizes), array("scaled", scaled, ("n", "rows"), sizes)
    figure, axes = blank(SINGLE)
    ends, medians = [], []
    for name, found, color, line, marker in (
        ("scores as they are", plain, OUTPUT, "-", "o"),
        ("divided by √head_dim", scaled, INPUT, "--", "s"),
    ):
        low, middle, high = np.quantile(found, (0.1, 0.5, 0.9), axis=1)
        axes.plot(head_dims, middle, line, color=color, marker=marker, markersize=5)
        axes.fill_between(head_dims, low, high, color=color, alpha=0.15, linewidth=0)
        write(axes, head_dims[-1], middle[-1] - 0.04, name, color, ha="right", va="top")
        ends.append(f"{name} {', '.join(three_digits(value) for value in middle)}")
        medians.append(middle)
    axes.set_xscale("log", base=4)
    axes.set_xticks(head_dims, [f"{value:g}" for value in head_dims])
    axes.minorticks_off()
    axes.set(xlabel="features of a head", ylabel="largest weight of a row", ylim=(0, 1.05))
    message = (
        f"Without the division, the median of a row's largest weight grows from {three_digits(medians[0][0])} to "
        f"{three_digits(medians[0][-1])} as a head grows from {head_dims[0]:g} to {head_dims[-1]:g} features; "
        f"with it, the median stays between {three_digits(medians[1].min())} and {three_digits(medians[1].max())}."
    )
    rest = f"Medians of {plain.shape[1]} rows, from left to right: {'; '.join(ends)}. Bands hold the middle 80 %."
    return figure, Caption(message, rest)

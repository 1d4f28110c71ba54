"""The figures of the lesson on linear limits."""

import numpy as np
from matplotlib.figure import Figure

from course_lib.components import FOLDER
from course_lib.model import tasks
from courseware.arguments import array
from courseware.formats import minus
from courseware.page.caption import Caption
from courseware.page.components import Component
from courseware.page.interactive import Interactive
from courseware.page.style import (
    FIFTH,
    HIDDEN,
    INPUT,
    LINES,
    OUTPUT,
    REFERENCE,
    SIXTH,
    TARGET,
    WIDE,
    blank,
    styled,
    write,
)

DONE = "Linear layers alone draw straight lines. This lesson shows why, and how a network gets its bends."
UNIT_COLORS = (HIDDEN, INPUT, FIFTH, SIXTH)


@styled
def curve_toy(x, y) -> Component:
    """Let a reader follow a curve with a line; still, the one with the least squared error; x, y: shape (n, 1)."""
    sizes = {"d_in": 1, "d_out": 1}
    x, y = array("x", x, ("n", "d_in"), sizes)[:, 0], array("y", y, ("n", "d_out"), sizes)[:, 0]
    line = np.polyval(np.polyfit(x, y, 1), x)
    figure, axes = blank(WIDE)
    axes.plot(x, y, color=TARGET, linewidth=5)
    axes.plot(x, line, color=INPUT)
    axes.set(xlabel="x", ylabel="y", ylim=(-1.5, 1.5))
    top = int(y.argmax())
    write(axes, x[top], y[top] + 0.12, "the target", REFERENCE, ha="center", va="bottom")
    write(axes, x[0], line[0] - 0.12, "the best straight line", INPUT, ha="left", va="top")
    error = float(np.mean((line - y) ** 2))
    message = "A linear layer from one number to one draws a straight line, here the best one for the grey curve."
    still = figure, Caption(message, f"Its mean squared error is {error:.2f}.")
    given = {"x": x.round(6).tolist(), "y": y.round(6).tolist(), "best": round(error, 6), "most": 4, "done": DONE}
    return Component("curve", given, still=still)


@styled
def xor_toy(ends=((-0.3, 0.5), (1.3, 0.5)), diagonals=False) -> Component:
    """Let a reader lay a line between the points of XOR.

    Args:
        ends: two points of the line, from left to right; it says 1 above.
        diagonals: whether the points of each kind are joined.
    """
    x, y = (one.numpy() for one in tasks.xor())
    y = y[:, 0]
    figure, axes = blank()
    (left, low), (right, high) = ends
    slope, grid = (high - low) / (right - left), np.array([-0.5, 1.5])
    axes.plot(grid, low + slope * (grid - left), color=INPUT)
    axes.fill_between(grid, low + slope * (grid - left), 1.5, color=INPUT, alpha=0.2, linewidth=0)
    for kind, color, style in ((0, REFERENCE, "--"), (1, OUTPUT, "-")):
        if diagonals:
            axes.plot(*x[y == kind].T, color=color, linestyle=style)
        axes.plot(*x[y == kind].T, "os"[kind], color=color, markersize=15)
        for point in x[y == kind]:
            axes.text(*point, kind, color="white", ha="center", va="center")
    axes.set(xlabel="first input", ylabel="second input", xlim=grid, ylim=grid, xticks=[0, 1], yticks=[0, 1])
    fits = ((x[:, 1] > low + slope * (x[:, 0] - left)) == (y > 0.5)).sum()
    caption = (
        f"The four points of XOR and a straight line, shaded where it says 1: it has {fits} of {len(y)} points right."
    )
    given = {"x": x.tolist(), "y": y.tolist(), "ends": ends, "diagonals": diagonals}
    return Component("xor", given, still=(figure, caption), folder=FOLDER)


@styled
def loss_curves(losses) -> tuple[Figure, str]:
    """Plot the loss of some networks after each step of their training.

    Args:
        losses: name of a network -> its losses, one a step.
    """
    figure, axes = blank()
    for (name, values), color, style in zip(losses.items(), (INPUT, OUTPUT), LINES, strict=False):
        axes.plot(values, color=color, linestyle=style)
        write(axes, len(values) - 1, values[-1] + 0.02, f"{name}: {values[-1]:.3f}", color, ha="right", va="bottom")
    axes.set(xlabel="steps", ylabel="loss", ylim=(-0.02, 0.6))
    ends = "; ".join(f"{name} {values[-1]:.3f}" for name, values in losses.items())
    return figure, f"The loss after {len(values) - 1} steps: {ends}."


@styled
def success_by_width(widths, shares, seeds: int) -> tuple[Figure, str]:
    """Plot the share of random starts that solve a task against the number of hidden units.

    Args:
        widths: numbers of hidden units, shape (n,); shares: between 0 and 1, shape (n,).
        seeds: how many starts each share is counted over.
    """
    sizes = {}
    widths, shares = array("widths", widths, ("n",), sizes), array("shares", shares, ("n",), sizes)
    figure, axes = blank()
    axes.plot(widths, 100 * shares, "o-", color=HIDDEN)
    for width, share in zip(widths, shares, strict=True):
        write(axes, width, 100 * share - 3, f"{100 * share:.3g} %", "black", va="top")
    axes.set(xlabel="hidden units", ylabel="starts that succeed (%)", ylim=(-4, 108), xticks=widths)
    axes.margins(x=0.1)
    parts = ", ".join(f"{width:g} units {100 * share:.3g} %" for width, share in zip(widths, shares, strict=True))
    ends = [f"{100 * shares[i]:.3g} % of the starts with {widths[i]:g} hidden units" for i in (0, -1)]
    message = f"Training solves XOR from {' and from '.join(ends)}."
    return figure, Caption(message, f"Shares of {seeds} random starts: {parts}.")


@styled
def unit_contributions(x, contributions, bias: float, target) -> tuple[Figure, str]:
    """Plot what every hidden unit adds to the output of a 1-feature network, and the sum beside the target.

    Args:
        x: inputs, shape (n, 1).
        contributions: hidden value times output weight, shape (n, d_ff), of at most four units.
        bias: the output bias, which belongs to the sum.
        target: shape (n, 1).
    """
    sizes = {"d_in": 1, "d_out": 1}
    x, target = array("x", x, ("n", "d_in"), sizes)[:, 0], array("target", target, ("n", "d_out"), sizes)[:, 0]
    contributions = array("contributions", contributions, ("n", "d_ff"), sizes)
    figure, axes = blank(WIDE)
    total, kinks = contributions.sum(axis=1) + bias, []
    axes.plot(x, target, color=TARGET, linewidth=5, label="the target")
    axes.plot(x, total, color=OUTPUT, linewidth=3, label="the sum of all units and the bias")
    for number, (line, color, style) in enumerate(zip(contributions.T, UNIT_COLORS, LINES, strict=False), 1):
        end = 0 if abs(line[0]) > abs(line[-1]) else -1
        axes.plot(x, line, color=color, linestyle=style)
        write(axes, x[end], line[end], f" unit {number} ", color, ha="left" if end else "right", va="center")
        for kink in x[1:][np.diff(line != 0)]:
            kinks.append(minus(f"unit {number} at x = {kink:.1f}"))
            axes.axvline(kink, color=color, linewidth=1, linestyle=":", zorder=0)
    axes.set(xlabel="x", ylabel="y")
    axes.margins(x=0.12, y=0.15)
    axes.legend(loc="upper center")
    error = np.mean((total - target) ** 2)
    message = f"The sum of {contributions.shape[1]} ReLU units and the bias has a mean squared error of {error:.1g}."
    return figure, Caption(message, f"Dotted lines mark the kinks: {', '.join(kinks) or 'none'}.")


@styled
def fits_by_width(x, y, fits, widths) -> Interactive:
    """Show the fitted curve for a number of hidden units that the reader chooses.

    Args:
        x, y: the target, shape (n, 1).
        fits: outputs, shape (widths, seeds, n); all seeds are drawn, the best one in full colour.
        widths: the numbers of hidden units, shape (widths,).
    """
    sizes = {"d_in": 1, "d_out": 1}
    x, y = array("x", x, ("n", "d_in"), sizes)[:, 0], array("y", y, ("n", "d_out"), sizes)[:, 0]
    fits = array("fits", fits, ("widths", "seeds", "n"), sizes)
    known = [int(width) for width in array("widths", widths, ("widths",), sizes)]
    figure, axes = blank()
    axes.plot(x, y, color=TARGET, linewidth=5, label="the target")
    lines = [axes.plot(x, x * 0, color=HIDDEN, linewidth=1, linestyle=":")[0] for _ in range(fits.shape[1])]
    lines[0].set_label("every start")
    best = axes.plot(x, x * 0, color=OUTPUT, label="the best start")[0]
    axes.set(xlabel="x", ylabel="y", ylim=(-1.5, 1.5))
    axes.legend(loc="upper left")

    def update(units):
        if units not in known:
            raise ValueError(f"units must be one of {known}, but {units!r} was given.")
        curves = fits[known.index(units)]
        errors = np.mean((curves - y) ** 2, axis=1)
        data = {"all": [{"data": (x, curve)} for curve in curves], "best": {"data": (x, curves[errors.argmin()])}}
        message = (
            f"{units} hidden {'unit' if units == 1 else 'units'}: the best of {len(curves)} starts (solid) reaches a "
            f"mean squared error of {errors.min():.1g}."
        )
        return data, Caption(message, f"The worst reaches {errors.max():.1g}. Dotted: all starts; grey: the target.")

    return Interactive(figure, update, {"all": lines, "best": best})

"""The figures of the lesson on linear limits."""

import numpy as np
from matplotlib.figure import Figure

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
    SMALL,
    TARGET,
    WIDE,
    blank,
    styled,
    write,
)

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
    given = {"x": x.round(6).tolist(), "y": y.round(6).tolist(), "best": round(error, 6), "most": 4}
    return Component("curve", given, still=still)


@styled
def depth_losses(depths, losses, least_squares: float, relu_loss: float) -> tuple[Figure, str]:
    """Plot the final loss of linear networks against their depth, with the least-squares loss as a line.

    Args:
        depths: numbers of layers, shape (n,).
        losses: final losses, shape (n, seeds).
        least_squares: the loss of the best straight line.
        relu_loss: the mean final loss of a network with ReLU, for comparison.
    """
    sizes = {}
    depths, losses = array("depths", depths, ("n",), sizes), array("losses", losses, ("n", "seeds"), sizes)
    figure, axes = blank()
    axes.axhline(least_squares, color=REFERENCE, linestyle="--", zorder=1, label="best straight line")
    every = np.repeat(depths, losses.shape[1])
    axes.plot(every, losses.ravel(), "o", color=OUTPUT, markersize=6, label="linear networks")
    axes.axhline(relu_loss, color=HIDDEN, linestyle="-.", label="two layers with a ReLU between them")
    lowest, highest = min(losses.min(), relu_loss, least_squares), max(losses.max(), relu_loss, least_squares)
    axes.set(xlabel="linear layers", ylabel="mean squared error", xticks=depths)
    axes.set_ylim(lowest - 0.1 * (highest - lowest), highest + 0.1 * (highest - lowest))
    axes.legend(loc="best")
    gap = np.abs(losses - least_squares).max()
    which, more = f"Linear networks of {depths.min():g} to {depths.max():g} layers", ""
    if gap < 1e-3 * least_squares:
        ends = f"all end at the loss of the best straight line, {least_squares:.3f}"
        more = f" Largest gap: {'below 1e-6' if gap < 1e-6 else f'{gap:.1g}'}."
    else:
        ends = f"end at losses from {losses.min():.3g} to {losses.max():.3g}; that of the best straight line is "
        ends += f"{least_squares:.3f}"
    rest = f"{losses.shape[1]} seeds each.{more} Two layers with a ReLU between them reach {relu_loss:.2g}."
    return figure, Caption(f"{which} {ends}.", rest)


@styled
def xor_toy(x, y, ends=((-0.3, 0.5), (1.3, 0.5)), diagonals=False) -> Component:
    """Let a reader lay a line between points of two kinds.

    Args:
        x: points, shape (4, 2); y: targets, 0 or 1, shape (4, 1).
        ends: two points of the line; it says 1 on the left of the way from the first to the second.
        diagonals: whether the points of each kind are joined.
    """
    sizes = {"d_in": 2, "d_out": 1}
    x, y = array("x", x, ("n", "d_in"), sizes), array("y", y, ("n", "d_out"), sizes)[:, 0]
    ends = array("ends", ends, ("ends", "d_in"), sizes | {"ends": 2})
    away, grid = ends[1] - ends[0], np.linspace(-0.45, 1.45, 201)

    def says(first, second):
        return away[0] * (second - ends[0, 1]) - away[1] * (first - ends[0, 0])

    figure, axes = blank()
    axes.contourf(grid, grid, says(grid[None], grid[:, None]) > 0, levels=[0.5, 1.5], colors=[INPUT], alpha=0.2)
    axes.axline(*ends, color=INPUT)
    for kind, color, style in ((0, REFERENCE, "--"), (1, OUTPUT, "-")):
        if diagonals:
            axes.plot(*x[y == kind].T, color=color, linestyle=style)
        axes.plot(*x[y == kind].T, "os"[kind], color=color, markersize=15)
        for point in x[y == kind]:
            axes.text(*point, kind, color="white", ha="center", va="center")
    axes.set(xlabel="first input", ylabel="second input", xlim=grid[[0, -1]], ylim=grid[[0, -1]], xticks=[0, 1])
    axes.set_yticks([0, 1])
    right = int(((says(*x.T) > 0) == (y > 0.5)).sum())
    caption = f"The four points of XOR and a straight line, shaded where it says 1: it has {right} of {len(y)} points right."
    given = {"x": x.tolist(), "y": y.astype(int).tolist(), "ends": ends.tolist(), "diagonals": bool(diagonals)}
    return Component("xor", given, still=(figure, caption))


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
    span, last = max(np.ptp(widths), 1), -np.inf
    for width, share in zip(widths, shares, strict=True):
        if width - last < 0.12 * span:  # no room for one more label
            continue
        last, up = width, share < 0.1
        place = 100 * share + (4 if up else -7)
        write(axes, width, place, f"{100 * share:.3g} %", "black", ha="left", va="bottom" if up else "top")
    axes.set(xlabel="hidden units", ylabel="starts that succeed (%)", ylim=(-4, 108))
    if len(widths) <= 16:
        axes.set_xticks(widths)
    axes.set_xlim(widths.min() - 0.05 * span, widths.max() + 0.12 * span)
    parts = ", ".join(
        f"{width:g} {'unit' if width == 1 else 'units'} {100 * share:.3g} %"
        for width, share in zip(widths, shares, strict=True)
    )
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
    figure, (left, right) = blank(WIDE, columns=2, sharex=True)
    total, kinks = contributions.sum(axis=1) + bias, {}
    right.plot(x, target, color=TARGET, linewidth=5, label="target")
    right.plot(x, total, color=OUTPUT, label="sum of all units + bias")
    for number, (line, color, style) in enumerate(zip(contributions.T, UNIT_COLORS, LINES, strict=False), 1):
        left.plot(x, line, color=color, linestyle=style)
        end = np.abs(line).argmax()
        write(left, x[end], line[end], f"unit {number}", color, ha="left" if end == 0 else "right", va="bottom")
        if (line == 0).any() and (line != 0).any():
            at = int(np.flatnonzero((line != 0)[1:] != (line != 0)[:-1])[0])
            kinks[number] = x[at]
            for axes in (left, right):
                axes.axvline(x[at], color=color, linewidth=1, linestyle=":", zorder=0)
    left.set(title="hidden value × output weight, by unit", xlabel="x")
    right.set(title="their sum, with the kinks marked", xlabel="x")
    right.legend(fontsize=SMALL, loc="upper left", frameon=True, facecolor="white", edgecolor="none", framealpha=0.9)
    message = (
        f"{len(kinks)} of the {contributions.shape[1]} ReLU units have their kink in view, and the sum of all "
        f"{contributions.shape[1]} has a mean squared error of {np.mean((total - target) ** 2):.1g}."
    )
    places = ", ".join(f"unit {number} at x = {minus(f'{kink:.1f}')}" for number, kink in kinks.items())
    return figure, Caption(message, f"Dotted lines mark the kinks: {places or 'none'}.")


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

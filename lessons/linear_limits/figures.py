"""The figures of the lesson on linear limits."""

import itertools

import numpy as np
from matplotlib.figure import Figure

from courseware.arguments import array
from courseware.formats import minus
from courseware.page.caption import Caption
from courseware.page.components import Component
from courseware.page.interactive import Interactive
from courseware.page.style import HIDDEN, INPUT, OUTPUT, REFERENCE, SMALL, TARGET, WIDE, blank, styled, write

#: Line styles and colours of the hidden units, in turn: no two of twelve units share both.
UNIT_LINES = ("-", "--", "-.", ":")
UNIT_COLORS = (HIDDEN, INPUT, REFERENCE)


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
def best_line_xor(x, y, weights, bias: float) -> tuple[Figure, str]:
    """Draw the four points of XOR and one line, with the side on which the line says 1.

    Args:
        x: points, shape (4, 2); y: targets, shape (4, 1).
        weights: shape (2,); the line is x · weights + bias = 0 and says 1 on its positive side.
    """
    sizes = {"d_in": 2, "d_out": 1}
    x, y = array("x", x, ("n", "d_in"), sizes), array("y", y, ("n", "d_out"), sizes)
    weights = array("weights", weights, ("d_in",), sizes)
    figure, axes = blank()
    grid = np.linspace(-0.5, 1.5, 201)
    side = grid[None, :] * weights[0] + grid[:, None] * weights[1] + bias
    axes.contourf(grid, grid, side > 0, levels=[0.5, 1.5], colors=[INPUT], alpha=0.15)
    axes.contour(grid, grid, side, levels=[0], colors=[REFERENCE], linestyles="--")
    right = (x @ weights + bias > 0) == (y[:, 0] > 0.5)
    for point, target, fits in zip(x, y[:, 0], right, strict=True):
        color, marker = (OUTPUT, "o") if target > 0.5 else (INPUT, "s")
        axes.plot(*point, marker, color=color, markersize=11)
        words = f"y = {target:g}, {'right' if fits else 'wrong'}"
        write(axes, point[0] + 0.07, point[1] - 0.06, words, "black", va="top")
    axes.set(
        xlabel="first input", ylabel="second input", xlim=(-0.5, 1.5), ylim=(-0.5, 1.5), xticks=[0, 1], yticks=[0, 1]
    )
    caption = (
        f"The four points of XOR and one straight line, shaded where the line says 1: it has {int(right.sum())} of "
        f"{len(right)} points right."
    )
    return figure, caption


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
        contributions: hidden value times output weight, shape (n, d_ff).
        bias: the output bias, which belongs to the sum.
        target: shape (n, 1).
    """
    sizes = {"d_in": 1, "d_out": 1}
    x, target = array("x", x, ("n", "d_in"), sizes)[:, 0], array("target", target, ("n", "d_out"), sizes)[:, 0]
    contributions = array("contributions", contributions, ("n", "d_ff"), sizes)
    figure, (left, right) = blank(WIDE, columns=2, sharex=True)
    ends = [_far_end(line) for line in contributions.T]
    kinks = [_kink(x, line) for line in contributions.T]
    for number, line in enumerate(contributions.T, 1):
        color, style = UNIT_COLORS[number % 3], UNIT_LINES[number % 4]
        left.plot(x, np.where(_beside(line != 0), line, np.nan), color=color, linestyle=style, linewidth=1.5)
    room = 0.03 * np.ptp(x)
    for side, place, align in ((0, x[0] - room, "right"), (-1, x[-1] + room, "left")):
        numbers = [index for index, end in enumerate(ends) if end == side]
        heights = _spread([contributions[side, index] for index in numbers], 0.085 * np.ptp(contributions))
        for index, height in zip(numbers, heights, strict=True):
            color = UNIT_COLORS[(index + 1) % 3]
            left.text(place, height, f"{index + 1}", color=color, fontsize=SMALL, ha=align, va="center")
    total = contributions.sum(axis=1) + bias
    right.plot(x, target, color=TARGET, linewidth=5, label="target")
    right.plot(x, total, color=OUTPUT, label="sum of all units + bias")
    for number, kink in enumerate(kinks, 1):
        if kink is not None:
            for axes in (left, right):
                axes.axvline(kink, color=UNIT_COLORS[number % 3], linewidth=0.8, linestyle=":", zorder=0)
    left.set(title="hidden value × output weight, by unit", xlabel="x")
    left.set_xlim(x[0] - 0.12 * np.ptp(x), x[-1] + 0.12 * np.ptp(x))
    right.set(title="their sum, with the kinks marked", xlabel="x")
    low, high = min(target.min(), total.min()), max(target.max(), total.max())
    right.set_ylim(low - 0.08 * (high - low), high + 0.4 * (high - low))
    right.legend(fontsize=SMALL, loc="upper left", frameon=True, facecolor="white", edgecolor="none", framealpha=0.9)
    seen = [number for number, kink in enumerate(kinks, 1) if kink is not None]
    message = (
        f"{len(seen)} of the {contributions.shape[1]} ReLU units have their kink in view, and the sum of all "
        f"{contributions.shape[1]} has a mean squared error of {np.mean((total - target) ** 2):.1g}."
    )
    places = ", ".join(f"unit {number} at x = {minus(f'{kinks[number - 1]:.1f}')}" for number in seen)
    return figure, Caption(
        message, f"On the left, each unit where it is not 0; dotted lines mark the kinks: {places or 'none'}."
    )


def _beside(on):
    """Return True where `on` is, and at the places next to it."""
    return on | np.append(on[1:], False) | np.insert(on[:-1], 0, False)


def _far_end(line):
    """Return the end, 0 or -1, at which a unit's contribution is larger and where its number is written."""
    return 0 if abs(line[0]) > abs(line[-1]) else -1


def _kink(x, line):
    """Return the x at which a contribution leaves zero, to within the spacing of the inputs; None if it is not in view."""
    on = line != 0
    if on.all() or not on.any():
        return None
    return float(x[np.flatnonzero(on[1:] != on[:-1])[0]])


def _spread(heights, gap):
    """Move heights apart, about their mean, until none is nearer than a gap to the next."""
    order, moved = np.argsort(heights, kind="stable"), np.array(heights, dtype=float)
    for below, above in itertools.pairwise(order):
        moved[above] = max(moved[above], moved[below] + gap)
    return moved - (moved - heights).mean() if len(moved) else moved


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

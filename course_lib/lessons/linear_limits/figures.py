"""The figures of the lesson on linear limits."""

import numpy as np
from matplotlib.figure import Figure

from course_lib.arguments import array
from course_lib.page.interactive import Interactive
from course_lib.page.style import HIDDEN, INPUT, OUTPUT, REFERENCE, TARGET, WIDE, blank, styled, write

#: Line styles of the hidden units, in turn.
UNIT_LINES = ("-", "--", "-.", ":")


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
    axes.axhline(least_squares, color=REFERENCE, linestyle="--", zorder=1)
    axes.plot(np.repeat(depths, losses.shape[1]), losses.ravel(), "o", color=OUTPUT, markersize=6)
    axes.axhline(relu_loss, color=HIDDEN, linestyle="-.")
    write(axes, depths[0], least_squares * 0.93, "linear networks, on the least-squares line", OUTPUT, va="top")
    write(axes, depths[0], relu_loss + least_squares * 0.05, "two layers with a ReLU between them", HIDDEN, va="bottom")
    axes.set(xlabel="linear layers", ylabel="mean squared error", xticks=depths, ylim=(-0.1 * least_squares, None))
    gap = np.abs(losses - least_squares).max()
    caption = (
        f"Linear networks of {depths.min():g} to {depths.max():g} layers, {losses.shape[1]} seeds each: every one ends "
        f"at the loss of the best straight line, {least_squares:.3f} (largest gap below 1e-6: {bool(gap < 1e-6)}). "
        f"Two layers with a ReLU between them reach {relu_loss:.2f}."
    )
    return figure, caption


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
def regions(x, y, decide, names) -> tuple[Figure, str]:
    """Draw where each classifier says 1, side by side, with the points of a two-class task on top.

    Args:
        x: points, shape (n, 2); y: classes 0 or 1, shape (n, 1).
        decide: functions from points, shape (m, 2), to scores, shape (m,); above 0 means class 1.
        names: one name for each.
    """
    sizes = {"d_in": 2, "d_out": 1}
    x, y = array("x", x, ("n", "d_in"), sizes), array("y", y, ("n", "d_out"), sizes)[:, 0]
    figure, many = blank(WIDE, columns=len(names), sharey=True)
    edge = np.abs(x).max() * 1.05
    grid = np.linspace(-edge, edge, 161)
    points = np.stack(np.meshgrid(grid, grid), axis=-1).reshape(-1, 2)
    shares = []
    for axes, function, name in zip(np.atleast_1d(many), decide, names, strict=True):
        area = np.asarray(function(points)).reshape(len(grid), len(grid)) > 0
        axes.contourf(grid, grid, area, levels=[0.5, 1.5], colors=[OUTPUT], alpha=0.18)
        axes.plot(*x[y < 0.5].T, "s", color=INPUT, markersize=2.5)
        axes.plot(*x[y > 0.5].T, "o", color=OUTPUT, markersize=2.5)
        shares.append(np.mean((np.asarray(function(x)) > 0) == (y > 0.5)))
        axes.set(title=f"{name}: {100 * shares[-1]:.0f} % right", xlabel="first input", aspect="equal")
    np.atleast_1d(many)[0].set_ylabel("second input")
    parts = " and ".join(f"{name} has {100 * share:.3g} % right" for name, share in zip(names, shares, strict=True))
    caption = (
        "Two rings of points, blue squares inside and vermilion dots outside, shaded where a network says “outside”: "
        f"{parts}."
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
    for width, share in zip(widths, shares, strict=True):
        write(axes, width, 100 * share - 7, f"{100 * share:.3g} %", "black", ha="left", va="top")
    axes.set(xlabel="hidden units", ylabel="starts that succeed (%)", xticks=widths, ylim=(0, 108))
    axes.set_xlim(widths.min() - 0.7, widths.max() + 1.6)
    parts = ", ".join(f"{width:g} units {100 * share:.3g} %" for width, share in zip(widths, shares, strict=True))
    return figure, f"Share of {seeds} random starts in which training solves XOR: {parts}."


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
    for index, line in enumerate(contributions.T):
        left.plot(x, line, color=HIDDEN, linestyle=UNIT_LINES[index % 4], linewidth=1.5)
    total = contributions.sum(axis=1) + bias
    right.plot(x, target, color=TARGET, linewidth=5, label="target")
    right.plot(x, total, color=OUTPUT, label="sum of all units + bias")
    left.set(title="each unit: hidden value × output weight", xlabel="x")
    right.set(title="their sum", xlabel="x")
    right.legend(fontsize=8, loc="upper left")
    kinks = int(((contributions == 0).any(axis=0) & (contributions != 0).any(axis=0)).sum())
    caption = (
        f"Left: the weighted contribution of each of {contributions.shape[1]} ReLU units, {kinks} of them with their "
        "kink in view. Right: their sum follows the target with a mean squared error of "
        f"{np.mean((total - target) ** 2):.1g}."
    )
    return figure, caption


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
    axes.plot(x, y, color=TARGET, linewidth=5)
    lines = [axes.plot(x, x * 0, color=HIDDEN, linewidth=1, linestyle=":")[0] for _ in range(fits.shape[1])]
    best = axes.plot(x, x * 0, color=OUTPUT)[0]
    axes.set(xlabel="x", ylabel="y", ylim=(-1.5, 1.5))

    def update(units):
        if units not in known:
            raise ValueError(f"units must be one of {known}, but {units!r} was given.")
        curves = fits[known.index(units)]
        errors = np.mean((curves - y) ** 2, axis=1)
        data = {"all": [{"data": (x, curve)} for curve in curves], "best": {"data": (x, curves[errors.argmin()])}}
        caption = (
            f"{units} hidden {'unit' if units == 1 else 'units'}: the best of {len(curves)} starts (solid) reaches a "
            f"mean squared error of {errors.min():.1g}, the worst {errors.max():.1g} (dotted: all; grey: the target)."
        )
        return data, caption

    return Interactive(figure, update, {"all": lines, "best": best})

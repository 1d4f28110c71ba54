"""Figures of "Build: the backward pass": the way there and back, valleys, descents, and what was learned."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from courseware.arguments import array, real
from courseware.page.caption import Caption
from courseware.page.style import (
    HIDDEN,
    INPUT,
    LINES,
    NAMED,
    OUTPUT,
    REFERENCE,
    SINGLE,
    SMALL,
    TALL,
    TARGET,
    WIDE,
    blank,
    plain_powers,
    styled,
    write,
)


@styled
def there_and_back(n: int, d_in: int, d_ff: int, d_out: int) -> tuple[Figure, str]:
    """Draw the arrays of the forward pass with their shapes, and below each its gradient."""
    figure, axes = blank(TALL)
    above = (
        ("x", f"({n}, {d_in})", INPUT, "@ $W_1$ + $b_1$"),
        ("z", f"({n}, {d_ff})", HIDDEN, "ReLU"),
        ("h", f"({n}, {d_ff})", HIDDEN, "@ $W_2$ + $b_2$"),
        ("y", f"({n}, {d_out})", OUTPUT, "mean square of y − target"),
        ("loss", "a number", REFERENCE, ""),
    )
    for place, (name, shape, color, then) in enumerate(above):
        middle = 3.4 * place
        _box(axes, middle, 2.6, f"{name}\n{shape}", color)
        if then:
            _arrow(axes, middle + 1.25, middle + 2.15, 2.6)
            where = {"ha": "center", "va": "bottom", "fontsize": NAMED if "$" in then else SMALL}
            axes.text(middle + 1.7, 3.35, then.replace("of y", "\nof y"), **where)
            _box(axes, middle, 0.6, f"d{name}\n{shape}", color)
            _arrow(axes, middle + 2.15, middle + 1.25, 0.6)
    axes.text(13.6, 0.6, "from here\nback", color=REFERENCE, ha="center", va="center")
    axes.set(xlim=(-1.3, 14.9), ylim=(-0.2, 4.1))
    axes.set_axis_off()
    message = (
        f"The way there: x of shape ({n}, {d_in}) becomes z and h of shape ({n}, {d_ff}), then y of shape ({n}, {d_out}), "
        "and finally one number, the loss."
    )
    return figure, Caption(message, "The way back has one gradient for each array, of the same shape.")


def _box(axes, across, up, words, color):
    look = {"boxstyle": "round,pad=0.05", "facecolor": "white", "edgecolor": color, "linewidth": 1.8}
    axes.add_patch(FancyBboxPatch((across - 1.15, up - 0.5), 2.3, 1.0, **look))
    axes.text(across, up, words, ha="center", va="center", fontsize=SMALL)


def _arrow(axes, start, end, height):
    axes.annotate("", (end, height), (start, height), arrowprops={"arrowstyle": "->", "color": REFERENCE})


@styled
def valleys(sizes, losses, marked) -> tuple[Figure, str]:
    """Plot the loss after one step against its size, as a share of the loss at the start.

    Args:
        sizes: step sizes, the first of them 0.
        losses: (sizes, starts), after one step.
        marked: step sizes to point out.
    """
    known = {}
    sizes = array("sizes", sizes, ("sizes",), known)
    losses, marked = array("losses", losses, ("sizes", "starts"), known), array("marked", marked, ("marks",))
    figure, axes = blank(SINGLE)
    axes.plot(sizes, losses / losses[0], color=INPUT, linewidth=1.4)
    axes.axhline(1, color=REFERENCE, linestyle=":", linewidth=1.2)
    for one in marked:
        axes.axvline(one, color=OUTPUT, linestyle="--", linewidth=1.2)
        write(axes, one, 2.9, f"{one:g}", OUTPUT, ha="right", va="top")
    axes.set(xlabel="size of the first step", ylabel="loss after it / loss before", ylim=(0, 3))
    lowest = losses.argmin(axis=0)
    back = [int(np.flatnonzero(line[1:] > line[0])[0]) + 1 for line in losses.T]
    message = (
        f"For {losses.shape[1]} starts: the step size from which the first step goes uphill is "
        f"{np.median(sizes[back] / sizes[lowest]):.1f} times the one that lowers the loss most."
    )
    where = ", ".join(f"{one:.3f}" for one in sizes[back])
    return figure, Caption(
        message, f"Each line is one start. Uphill begins at {where}. Dashed: {' and '.join(map(str, marked))}."
    )


@styled
def descents(rates, losses, goal: float) -> tuple[Figure, str]:
    """Plot the losses of several starts, one panel for each step size; NaN is where a loss has run away.

    Args:
        rates: two step sizes.
        losses: one array (steps, starts) for each of them.
        goal: the loss to get below.
    """
    rates, goal = array("rates", rates, ("panels",)), real("goal", goal, 1e-12)
    if len(rates) != 2 or len(losses) != 2:
        raise ValueError(f"rates and losses must be two each, but {len(rates)} and {len(losses)} were given.")
    figure, panels = blank(WIDE, columns=2, sharex=True, sharey=True)
    told = []
    for axes, rate, each in zip(panels, rates, losses, strict=True):
        each = array("losses", each, ("steps", "starts"), finite=False)
        count = np.arange(1, len(each) + 1)
        there = int((np.nanmin(each, axis=0) < goal).sum())
        up, lost = int((each[1] > each[0]).sum()), int(np.isnan(each[-1]).sum())
        for line in each.T:
            ran_away = bool(np.isnan(line[-1]))
            color, style = (OUTPUT, "--") if ran_away else (INPUT, "-")
            axes.plot(count, line, color=color, linestyle=style, linewidth=1.4)
            if ran_away:
                last = int(np.flatnonzero(~np.isnan(line))[-1])
                axes.plot(count[last], line[last], marker="x", color=OUTPUT, markersize=7)
        axes.axhline(goal, color=REFERENCE, linestyle=":", linewidth=1.2)
        axes.set(xscale="log", yscale="log", xlabel="steps", ylim=(goal / 8, 3e6))
        axes.set_title(f"step size {rate:g}")
        plain_powers(axes.xaxis)
        told.append(
            f"at {rate:g}, {up} of {each.shape[1]} starts go uphill at first, {there} get below {goal:g}, and {lost} run away"
        )
    panels[0].set_ylabel("loss")
    write(panels[0], 1, goal * 0.7, f"{goal:g}", REFERENCE, va="top")
    plain_powers(panels[0].yaxis)
    message = f"Plain descent on the wave: {'; '.join(told)}."
    return figure, Caption(
        message, "Each line is one start, dashed where it ends at a cross: there the loss runs away."
    )


@styled
def learned(x, target, y, losses) -> tuple[Figure, str]:
    """Plot what a network has learned of the wave, and its loss on the way.

    Args:
        x, target, y: shape (n, 1).
        losses: one for each step.
    """
    sizes = {}
    x, target = array("x", x, ("n", "one"), sizes), array("target", target, ("n", "one"), sizes)
    y, losses = array("y", y, ("n", "one"), sizes), array("losses", losses, ("steps",))
    figure, (left, right) = blank(WIDE, columns=2)
    left.plot(x[:, 0], target[:, 0], color=TARGET, linewidth=6)
    left.plot(x[:, 0], y[:, 0], color=OUTPUT, linestyle=LINES[1])
    left.set(xlabel="x", ylabel="y")
    write(left, x.min(), target.max(), "wide: the wave\ndashed: your network", "black", va="top")
    right.plot(np.arange(1, len(losses) + 1), losses, color=OUTPUT)
    right.set(yscale="log", xlabel="steps", ylabel="loss")
    plain_powers(right.yaxis)
    return figure, Caption(
        f"Your own network after {len(losses)} steps: the loss falls from {losses[0]:.1g} to {losses[-1]:.1g}."
    )

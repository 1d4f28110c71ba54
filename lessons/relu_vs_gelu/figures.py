"""The figures of the lesson on ReLU, GELU and SiLU."""

import numpy as np
from matplotlib.figure import Figure

from courseware.arguments import array, items, real
from courseware.page.caption import Caption
from courseware.page.interactive import Interactive
from courseware.page.style import (
    HIDDEN,
    INPUT,
    OUTPUT,
    REFERENCE,
    SMALL,
    WIDE,
    blank,
    cover,
    plain_powers,
    power,
    styled,
    write,
)
from lessons.relu_vs_gelu.looks import LOOKS, evaluate, known, label, rows, signed


@styled
def from_afar(x, names) -> tuple[Figure, str]:
    """Draw activations over a wide range, and cover what is near 0.

    Args:
        x: numbers on both sides of 0, rising, shape (n,).
        names: of the activations, each a key of ACTIVATIONS.
    """
    x, names = array("x", x, ("n",)), known(names)
    figure, axes = blank(WIDE)
    curves = [evaluate(name, x) for name in names]
    for name, curve in zip(names, curves, strict=True):
        color, line, _ = LOOKS[name]
        axes.plot(x, curve, color=color, linestyle=line, label=label(name))
    near = (x[-1] - x[0]) / 20
    cover(axes, -near, -near, 2 * near, 2 * near)
    axes.set(xlabel="x", ylabel="activation")
    axes.legend(loc="upper left")
    apart = np.ptp(curves, axis=0).max()
    message = f"From a distance, {' and '.join(map(label, names))} look like one curve; what happens near 0 is covered."
    return figure, Caption(message, f"From {signed(x[0])} to {signed(x[-1])} they differ by {apart:.2f} at most.")


@styled
def gates(x, means, names) -> tuple[Figure, str]:
    """Plot the simulated average of a random gate as dots on the curve of its activation, one panel for each.

    Args:
        x: inputs, shape (n,).
        means: average of the kept values at each input, shape (gates, n).
        names: the activation that belongs to each gate: "relu", "gelu" or "silu".
    """
    names = known(names)
    sizes = {"gates": len(names)}
    x, means = array("x", x, ("n",), sizes), rows("means", means, ("gates", "n"), sizes)
    figure, many = blank(WIDE, columns=len(names), sharey=True)
    fine, gaps = np.linspace(x.min(), x.max(), 401), []
    for axes, name, mean in zip(np.atleast_1d(many), names, means, strict=True):
        color, line, marker = LOOKS[name]
        axes.axhline(0, color=REFERENCE, linewidth=0.8)
        axes.plot(fine, evaluate(name, fine), color=color, linestyle=line, zorder=2)
        axes.plot(x, mean, marker, color=color, markersize=5, markerfacecolor="white", zorder=3)
        axes.set(title=f"{label(name)}: curve and averages", xlabel="x")
        gaps.append(np.abs(mean - evaluate(name, x)).max())
    np.atleast_1d(many)[0].set_ylabel("average output")
    own = ", ".join(f"{label(name)} {gap:.2g}" for name, gap in zip(names, gaps, strict=True))
    message = f"The averages over the random thresholds (markers) lie within {max(gaps):.2g} of their curves."
    rest = f"Largest gap between averages and curve: {own}."
    dips = [
        f"{label(name)}'s at x = {signed(x[mean.argmin()])}"
        for name, mean in zip(names, means, strict=True)
        if mean.min() < 0
    ]
    if dips:
        rest += f" The lowest markers: {', '.join(dips)}."
    if {"gelu", "silu"} <= set(names):
        crossed = np.abs(means[names.index("gelu")] - evaluate("silu", x)).max()
        rest += f" To the curve of SiLU, GELU's averages have a gap of {crossed:.2g}."
    return figure, Caption(message, rest)


@styled
def curves_and_slopes(x, names) -> tuple[Figure, str]:
    """Plot activations on top of each other, and their slopes beside them.

    Args:
        x: inputs in rising order, shape (n,); values on both sides of zero.
        names: activations among "relu", "gelu" and "silu".
    """
    x, names = array("x", x, ("n",)), known(names)
    figure, (left, right) = blank(WIDE, columns=2)
    parts, dips, steep_ones = [], [], []
    for name in names:
        color, line, _ = LOOKS[name]
        values, slopes = evaluate(name, x), evaluate(name, x, slope=True)
        jump = np.flatnonzero(np.abs(np.diff(slopes)) > 0.5) + 1  # ReLU's slope jumps, so its line has a gap there
        left.plot(x, values, color=color, linestyle=line, label=label(name))
        right.plot(np.insert(x, jump, np.nan), np.insert(slopes, jump, np.nan), color=color, linestyle=line)
        if name != "relu":
            low, steep = values.argmin(), slopes.argmax()
            left.plot(x[low], values[low], "o", color=color, markersize=6)
            right.plot(x[steep], slopes[steep], "o", color=color, markersize=6)
            dips += [label(name)] * bool(values[low] < 0)
            steep_ones += [label(name)] * bool(slopes[steep] > 1)
            parts.append(
                f"{label(name)} is lowest at x = {signed(x[low])} ({signed(values[low])}) and steepest at "
                f"{signed(x[steep])} (slope {signed(slopes[steep])})"
            )
    for axes, title in ((left, "value"), (right, "slope")):
        axes.axhline(0, color=REFERENCE, linewidth=0.8, zorder=0)
        axes.axvline(0, color=REFERENCE, linewidth=0.8, zorder=0)
        axes.set(title=title, xlabel="x")
    left.legend(loc="upper left")
    right.axhline(1, color=REFERENCE, linewidth=0.8, linestyle=":", zorder=0)
    right.set_yticks([0, 0.5, 1])
    low, steep = (" and ".join(found) or "no curve" for found in (dips, steep_ones))
    message = f"Values below 0: {low}; slopes above 1: {steep}."
    return figure, Caption(message, "Dots: " + "; ".join(parts) + "." if parts else "ReLU has no dot.")


@styled
def tangents(names) -> Interactive:
    """Show the tangent at a movable x on each curve, with the value and the slope of the curve there.

    Args:
        names: activations among "relu", "gelu" and "silu", one panel each.
    """
    names = known(names)
    figure, many = blank(WIDE, columns=len(names), sharey=True)
    moving = {"tangents": [], "points": [], "words": []}
    for axes, name in zip(np.atleast_1d(many), names, strict=True):
        for kind, artist in zip(moving, _tangent_panel(axes, name), strict=True):
            moving[kind].append(artist)
    np.atleast_1d(many)[0].set_ylabel("value")

    def update(x):
        x = round(real("x", x, -4, 4), 6)
        data, said = {"tangents": [], "points": [], "words": []}, []
        for name in names:
            value, slope = (evaluate(name, np.array([x]), kind)[0] for kind in (False, True))
            reach = 1.6 / np.hypot(1, slope)
            ends = [x - reach, x + reach], [value - reach * slope, value + reach * slope]
            data["tangents"].append({"data": ends})
            data["points"].append({"data": ([x], [value])})
            kink = " (a kink)" if name == "relu" and x == 0 else ""
            data["words"].append({"text": f"value {signed(value)}\nslope {signed(slope)}{kink}"})
            said.append(f"{label(name)} has value {signed(value)} and slope {signed(slope)}")
        extra = "ReLU has no slope at its kink; 0 is what torch takes." if x == 0 and "relu" in names else ""
        return data, Caption(f"At x = {signed(x)}: {'; '.join(said)}.", extra)

    return Interactive(figure, update, moving)


def _tangent_panel(axes, name):
    """Draw the curve of an activation, and return what moves there: the tangent, the point and the words above them."""
    color, line, marker = LOOKS[name]
    grid = np.linspace(-4, 4, 401)
    axes.plot(grid, evaluate(name, grid), color=color, linestyle=line)
    axes.axhline(0, color=REFERENCE, linewidth=0.8, zorder=0)
    axes.set(title=label(name), xlabel="x", xlim=(-4.3, 4.3), ylim=(-1.2, 4.2), xticks=range(-4, 5, 2))
    tangent = axes.plot([0, 0], [0, 0], color="black", linewidth=1.5)[0]
    point = axes.plot([0], [0], marker, color=color, markersize=9, markeredgecolor="black")[0]
    words = write(axes, -3.9, 3.9, "", "black", va="top")  # every curve is low on the left
    words.set_in_layout(False)
    return tangent, point, words


@styled
def approximation_errors(x, errors, names) -> tuple[Figure, str]:
    """Plot how far approximations lie from the exact curve: all on one scale, and the closest one enlarged.

    Args:
        x: inputs, shape (n,).
        errors: approximation minus exact value, shape (forms, n), at most three forms.
        names: one name for each form.
    """
    names = [str(name) for name in items("names", names, "names")]
    if not 1 <= len(names) <= 3:
        raise ValueError(f"names must hold one to three names, but it holds {len(names)}.")
    sizes = {"forms": len(names)}
    x, errors = array("x", x, ("n",), sizes), rows("errors", errors, ("forms", "n"), sizes)
    figure, (left, right) = blank(WIDE, columns=2)
    largest = np.abs(errors).max(axis=1)
    best = int(largest.argmin())
    looks = ((OUTPUT, "-"), (INPUT, "--"), (HIDDEN, "-."))
    parts, bounds = [], []
    for index, (name, error, (color, line)) in enumerate(zip(names, errors, looks[: len(names)], strict=True)):
        left.plot(x, error, color=color, linestyle=line, label=name)
        at = np.abs(error).argmax()
        bounds.append(f"{name} {largest[index]:.3g}")
        parts.append(f"The {name} is off by at most {largest[index]:.3g}, at |x| = {abs(x[at]):.3g}")
        if index == best:
            right.plot(x, 1e4 * error, color=color, linestyle=line)
            right.plot([x[at], -x[at]], 2 * [1e4 * error[at]], "o", color=color, markersize=6)
    for axes in (left, right):
        axes.axhline(0, color=REFERENCE, linewidth=0.8, zorder=0)
        axes.set_xlabel("x")
    left.legend(fontsize=SMALL, loc="upper left")
    left.set(title="form − exact GELU, on one scale", ylim=(-1.15 * largest.max(), 1.6 * largest.max()))
    right.set(title=f"{names[best]} alone, enlarged", ylabel="difference × 10 000")
    return figure, Caption(
        f"The largest differences from the exact curve: {', '.join(bounds)}.", f"{'. '.join(parts)}."
    )


@styled
def first_gradients(gradients, names) -> tuple[Figure, str]:
    """Plot the gradient that reaches each hidden unit before the first step, sorted, on a logarithmic axis.

    Args:
        gradients: largest absolute gradient of each unit, shape (activations, units); 0 where none arrives.
        names: activations among "relu", "gelu" and "silu".
    """
    names = known(names)
    sizes = {"activations": len(names)}
    gradients = np.sort(rows("gradients", gradients, ("activations", "units"), sizes), axis=1)
    if (gradients < 0).any():
        raise ValueError("gradients must not be negative: give their absolute values.")
    alive = gradients[gradients > 0]
    # a row of its own for zeros, one decade below the smallest gradient
    lowest = np.floor(np.log10(alive.min())) if alive.size else -1.0
    highest = np.ceil(np.log10(alive.max())) if alive.size else 0.0
    figure, axes = _decades(lowest, highest)
    units, parts = np.arange(1, gradients.shape[1] + 1), []
    for place, (name, row) in enumerate(zip(names, gradients, strict=True), 1):
        color, _, marker = LOOKS[name]
        heights = np.where(row > 0, np.log10(np.where(row > 0, row, 1)), lowest - 1)
        axes.plot(units, heights, marker, color=color, markersize=4)
        middle = len(units) * place // (len(names) + 1)  # side by side, so that labels do not clash
        write(axes, units[middle], heights[middle] + 0.12, label(name), color, ha="center", va="bottom")
        zeros = int((row == 0).sum())
        usual = f", median gradient {np.median(row):.1e}" if zeros < len(row) else ""
        parts.append(f"{label(name)}: {zeros} of {len(row)} units get exactly 0{usual}")
    none = [f"{int((row == 0).sum())} {label(name)} units" for name, row in zip(names, gradients, strict=True)]
    message = f"Before the first step, {' and '.join(none)} of {gradients.shape[1]} get a gradient of exactly 0."
    return figure, Caption(message, "; ".join(parts) + ".")


def _decades(lowest, highest):
    """Make a figure whose height counts powers of ten, from lowest to highest, with a row for zeros below them."""
    figure, axes = blank()
    floor, decades = lowest - 1, np.arange(lowest, highest + 1)
    axes.axhline(lowest - 0.5, color=REFERENCE, linewidth=0.8, linestyle=":")
    axes.set_yticks([floor, *decades], ["exactly 0", *(power(10.0**decade) for decade in decades)])
    axes.set(xlabel="hidden units, sorted", ylabel="gradient at the start", ylim=(floor - 0.5, highest + 0.5))
    return figure, axes


@styled
def death_by_shift(shifts, shares, losses, names) -> tuple[Figure, str]:
    """Plot what pushing the hidden biases does: the share of units without gradient, and the loss, after training.

    Args:
        shifts: what was added to the hidden biases, shape (n,).
        shares: share of units without gradient from 0 to 1, shape (activations, n, seeds).
        losses: final losses, shape (activations, n, seeds).
        names: activations among "relu", "gelu" and "silu".
    """
    names = known(names)
    sizes, named = {"activations": len(names)}, ("activations", "n", "seeds")
    shifts = array("shifts", shifts, ("n",), sizes)
    shares, losses = array("shares", shares, named, sizes), array("losses", losses, named, sizes)
    if (losses <= 0).any():
        raise ValueError("losses must be positive, for the logarithmic axis.")
    figure, (left, right) = blank(WIDE, columns=2)
    at = np.arange(len(shifts))
    for index, name in enumerate(names):
        color, line, marker = LOOKS[name]
        place = at + 0.14 * (index - (len(names) - 1) / 2)
        for axes, values in ((left, 100 * shares[index]), (right, losses[index])):
            middle = values.mean(axis=1) if axes is left else np.exp(np.log(values).mean(axis=1))
            axes.plot(place, middle, color=color, linestyle=line, linewidth=1.5, label=label(name))
            axes.plot(np.repeat(place, values.shape[1]), values.ravel(), marker, color=color, markersize=3.5)
    for axes in (left, right):
        axes.set(xlabel="added to the hidden biases", xticks=at, xticklabels=[signed(shift) for shift in shifts])
    left.set(title="units without gradient (%)", ylim=(-6, 106))
    right.set(title="loss", yscale="log")
    plain_powers(right.yaxis)
    left.legend(loc="center", fontsize=SMALL)
    return figure, _said_of_shifts(shifts, shares, losses, names)


def _said_of_shifts(shifts, shares, losses, names):
    means = 100 * shares.mean(axis=2)
    parts = [
        f"{label(name)} {', '.join(f'{mean:.0f}' for mean in row)} %" for name, row in zip(names, means, strict=True)
    ]
    lost = ", ".join(f"{label(name)} {losses[index, -1].mean():.2g}" for index, name in enumerate(names))
    middle = len(shifts) // 2
    dead = ", ".join(f"{label(name)} {means[index, middle]:.0f} %" for index, name in enumerate(names))
    message = (
        f"With {signed(shifts[middle])} added to the hidden biases, units without gradient after training: {dead}."
    )
    return Caption(
        message,
        f"{shares.shape[2]} seeds a point. Units without gradient at shifts "
        f"{', '.join(signed(shift) for shift in shifts)}: {'; '.join(parts)}. "
        f"Mean loss at {signed(shifts[-1])}: {lost}.",
    )


@styled
def task_errors(errors, tasks, names) -> tuple[Figure, str]:
    """Plot the errors of every seed, task by task and activation by activation, on a logarithmic axis.

    Args:
        errors: shape (tasks, activations, seeds), positive.
        tasks: one name for each task.
        names: keys of LOOKS.
    """
    names, tasks = known(names), [str(task) for task in items("tasks", tasks, "names")]
    sizes = {"tasks": len(tasks), "activations": len(names)}
    errors = array("errors", errors, ("tasks", "activations", "seeds"), sizes)
    if (errors <= 0).any():
        raise ValueError("errors must be positive, for the logarithmic axis.")
    figure, axes = blank()
    rng = np.random.default_rng(0)
    for row in range(len(tasks)):
        for column, name in enumerate(names):
            color, _, marker = LOOKS[name]
            place = row + 0.8 / max(len(names), 2.5) * (column - (len(names) - 1) / 2)
            beside = place + rng.uniform(-0.05, 0.05, size=errors.shape[2])
            axes.plot(beside, errors[row, column], marker, color=color, markersize=5, alpha=0.75)
            write(axes, place, errors[row, column].max() * 1.6, label(name), color, ha="center", va="bottom")
    axes.set(yscale="log", ylabel="mean squared error", xticks=range(len(tasks)), xticklabels=tasks)
    axes.set(xlim=(-0.6, len(tasks) - 0.4), ylim=(errors.min() / 2, errors.max() * 6))
    plain_powers(axes.yaxis)
    said = "; ".join(f"{task}: {_ranges(row, names)}" for task, row in zip(tasks, errors, strict=True))
    verdicts = "; ".join(f"{task}: {_verdict(row, names)}" for task, row in zip(tasks, errors, strict=True))
    return figure, Caption(f"{verdicts[0].upper()}{verdicts[1:]}.", f"{errors.shape[2]} seeds each. {said}.")


def _verdict(errors, names):
    """Say whether one activation has the lowest errors, or the highest, in every seed, (activations, seeds)."""
    order = errors.min(axis=1).argsort(kind="stable")
    for one, others, word in ((order[0], order[1:], "lowest"), (order[-1], order[:-1], "highest")):
        low, high = (others, one) if word == "highest" else (one, others)
        if errors[low].max() < errors[high].min():
            return f"{label(names[one])} {word} in every seed"
    return "the ranges overlap"


def _ranges(errors, names):
    """Say from where to where the errors of each activation go, (activations, seeds), and whether one stands apart."""
    low, high = errors.min(axis=1), errors.max(axis=1)
    ranges = ", ".join(f"{label(name)} {low[i]:.3g} to {high[i]:.3g}" for i, name in enumerate(names))
    return f"{ranges} ({_verdict(errors, names)})"

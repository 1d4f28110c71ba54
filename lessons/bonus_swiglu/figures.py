"""Figures of lesson 08: gates."""

import numpy as np
from matplotlib.figure import Figure

from courseware.arguments import array
from courseware.formats import minus, spread
from courseware.page.caption import Caption
from courseware.page.style import (
    DIVERGING,
    HIDDEN,
    INPUT,
    OUTPUT,
    REFERENCE,
    SMALL,
    TARGET,
    WIDE,
    blank,
    cover,
    plain_powers,
    styled,
    write,
)

# Each network has a colour, a marker and a line style of its own, so that no colour is needed to tell them apart.
_LOOKS = (
    {"color": INPUT, "marker": "s", "linestyle": "--"},
    {"color": HIDDEN, "marker": "^", "linestyle": ":"},
    {"color": OUTPUT, "marker": "o", "linestyle": "-"},
    {"color": REFERENCE, "marker": "D", "linestyle": "-."},
)


@styled
def gate_heatmaps(positions, gate, up, name: str, covered: bool = False) -> tuple[Figure, str]:
    """Draw gates, up values and their products as three heatmaps with one scale.

    Args:
        positions: what distinguishes the tokens, rising, shape (tokens,); it becomes the horizontal axis.
        gate, up: shape (tokens, d_ff).
        name: what the gate is, such as "sigmoid". covered: whether the products are.
    """
    sizes = {}
    positions = array("positions", positions, ("tokens",), sizes)
    gate = array("gate", gate, ("tokens", "d_ff"), sizes)
    up = array("up", up, ("tokens", "d_ff"), sizes)
    figure, many = blank(WIDE, columns=3, sharey=True)
    maps = (f"gate: {name}", gate), ("up value", up), ("unit = gate × up value", gate * up)
    limit = max(np.abs(values).max() for _, values in maps)
    half = (positions[1] - positions[0]) / 2
    box = (positions[0] - half, positions[-1] + half, gate.shape[1] + 0.5, 0.5)
    for axes, (title, values) in zip(many, maps, strict=True):
        picture = axes.imshow(
            values.T, cmap=DIVERGING, vmin=-limit, vmax=limit, extent=box, aspect="auto", interpolation="nearest"
        )
        axes.set(title=title, xlabel="first feature of the token")
    if covered:
        picture.remove()
        cover(axes, box[0], box[2], box[1] - box[0], box[3] - box[2])
    many[0].set(ylabel="hidden unit", yticks=range(1, gate.shape[1] + 1))
    figure.colorbar(picture, ax=many, label="value")
    ranges = [f"{_number(values.min())} and {_number(values.max())}" for _, values in maps]
    if covered:
        message = "One half of the network computes gates (left), the other half up values (middle): what do you get when you multiply the two?"
        rest = f"The {name} gates lie between {ranges[0]}, the up values between {ranges[1]}."
        return figure, Caption(
            message, f"{len(positions)} tokens (columns), {gate.shape[1]} hidden units (rows). {rest}"
        )
    message = (
        f"{len(positions)} tokens (columns) and {gate.shape[1]} hidden units (rows): each {name} gate decides how much "
        "of its up value is left in the product."
    )
    rest = (
        f"The {name} gates lie between {ranges[0]}, the up values between {ranges[1]}, and their products between "
        f"{ranges[2]}. One scale for all three."
    )
    return figure, Caption(message, rest)


def _number(value) -> str:
    return minus(f"{value:.2f}")


@styled
def product_fits(names, errors, along, outputs, edge: float) -> tuple[Figure, str]:
    """Plot errors on x · y over the seeds, and the learned functions along the diagonal x = y.

    Args:
        names: the networks, at most three.
        errors: mean squared errors within the training range, shape (networks, seeds).
        along: x = y, shape (points,).
        outputs: shape (networks, seeds, points).
        edge: the training range is [−edge, edge] in both inputs.
    """
    found = {"networks": len(names)}
    errors = _portable(array("errors", errors, ("networks", "seeds"), found))
    along = array("along", along, ("points",), found)
    outputs = _portable(array("outputs", outputs, ("networks", "seeds", "points"), found))
    figure, (left, right) = blank(WIDE, columns=2, width_ratios=(2, 3))
    _strips(left, names, errors)
    left.set(xlabel="mean squared error in the training range")
    right.axvspan(-edge, edge, color=REFERENCE, alpha=0.12, linewidth=0)
    write(right, 0, (along**2).max() * 0.97, "training range", REFERENCE, ha="center", va="top")
    right.plot(along, along**2, color=TARGET, linewidth=5, label="target x · x")
    for name, curves, look in zip(names, outputs, _LOOKS, strict=False):
        right.plot(along, np.median(curves, axis=0), color=look["color"], linestyle=look["linestyle"], label=name)
    right.set(xlabel="x = y", ylabel="output")
    right.legend(fontsize=SMALL, loc="lower left", bbox_to_anchor=(0.27, 0.3))
    inside = "; ".join(f"{name} {spread(row, 1)}" for name, row in zip(names, errors, strict=True))
    corner = ", ".join(f"{name} {np.median(curves[:, -1]):.2f}" for name, curves in zip(names, outputs, strict=True))
    message = (
        f"Outside the training range (grey band), at x = y = {along[-1]:.3g}, the target is {along[-1] ** 2:.3g}, and "
        f"the medians are {corner}."
    )
    rest = (
        f"Left: errors on x · y in the training range, one mark for each of {errors.shape[1]} seeds, mean [range]: "
        f"{inside}. Right: the median output along x = y."
    )
    return figure, Caption(message, rest)


@styled
def error_by_size(sizes, names, errors) -> tuple[Figure, str]:
    """Plot the error on x · y against the number of parameters, with every seed as a mark.

    Args:
        sizes: parameters of one network, shape (sizes,).
        names: the networks, at most three.
        errors: shape (networks, sizes, seeds).
    """
    found = {"networks": len(names)}
    sizes = array("sizes", sizes, ("sizes",), found)
    errors = _portable(array("errors", errors, ("networks", "sizes", "seeds"), found))
    figure, axes = blank()
    for name, rows, look in zip(names, errors, _LOOKS, strict=False):
        middle = np.median(rows, axis=1)
        axes.plot(np.repeat(sizes, rows.shape[1]), rows.ravel(), look["marker"], color=look["color"], markersize=3)
        axes.plot(sizes, middle, color=look["color"], linestyle=look["linestyle"])
        write(axes, sizes[0] * 0.9, middle[0], name, look["color"], ha="right", va="center")
    axes.set(xscale="log", yscale="log", xlabel="parameters", ylabel="mean squared error")
    axes.set_xticks(sizes, [f"{size:g}" for size in sizes])
    axes.minorticks_off()
    axes.set_xlim(sizes[0] * 0.52, sizes[-1] * 1.1)
    plain_powers(axes.yaxis)
    parts = "; ".join(
        f"{name} " + ", ".join(f"{value:.1g}" for value in np.median(rows, axis=1))
        for name, rows in zip(names, errors, strict=True)
    )
    last = ", ".join(f"{name} {np.median(rows[-1]):.1g}" for name, rows in zip(names, errors, strict=True))
    rest = (
        f"Error on x · y with {', '.join(f'{size:g}' for size in sizes)} parameters, {errors.shape[2]} seeds each "
        f"(lines: median): {parts}."
    )
    return figure, Caption(f"With {sizes[-1]:g} parameters, the median error on x · y is: {last}.", rest)


@styled
def errors_by_task(tasks, names, errors) -> tuple[Figure, str]:
    """Plot the errors of networks on several tasks, with every seed as a mark, and count who is best how often.

    Args:
        tasks: names of the tasks, from top to bottom.
        names: the networks, at most four.
        errors: shape (tasks, networks, seeds); within one seed all networks have the same data.
    """
    found = {"tasks": len(tasks), "networks": len(names)}
    errors = _portable(array("errors", errors, ("tasks", "networks", "seeds"), found))
    figure, axes = blank(WIDE)
    wins = np.array([np.bincount(rows.argmin(axis=0), minlength=len(names)) for rows in errors])
    for index, (name, look) in enumerate(zip(names, _LOOKS, strict=False)):
        for row, values in enumerate(errors[:, index]):
            height = row + 0.24 * (index - (len(names) - 1) / 2)
            label = name if row == 0 else None
            axes.plot(values, np.full(len(values), height), look["marker"], color=look["color"], alpha=0.8, label=label)
    for row in range(1, len(tasks)):
        axes.axhline(row - 0.5, color=REFERENCE, linewidth=0.5)
    axes.set(xscale="log", xlabel="error (1 = always answering the mean)", ylim=(len(tasks) - 0.5, -0.5))
    axes.set_yticks(range(len(tasks)), tasks)
    plain_powers(axes.xaxis)
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    seeds = errors.shape[2]
    parts = "; ".join(
        f"{task}: " + ", ".join(f"{name} {count}" for name, count in zip(names, row, strict=True))
        for task, row in zip(tasks, wins, strict=True)
    )
    often = [[name for name, count in zip(names, row, strict=True) if count >= 0.3 * seeds] for row in wins]
    best = ", ".join(f"{task} {' or '.join(found)}" for task, found in zip(tasks, often, strict=True))
    rest = f"Errors of {seeds} seeds on each task. In how many seeds each network is best: {parts}."
    return figure, Caption(f"Who wins, at equal parameters, in at least 3 of 10 seeds: {best}.", rest)


def _portable(values):
    """Keep six significant digits: further ones differ between processors, and may move a pixel at its edge."""
    scale = 10.0 ** (5 - np.floor(np.log10(np.maximum(np.abs(values), 1e-300))))
    return np.round(values * scale) / scale


def _strips(axes, names, errors):
    """Draw one row of marks for each network, on a logarithmic axis."""
    for row, (values, look) in enumerate(zip(errors, _LOOKS, strict=False)):
        axes.plot(values, np.full(len(values), row), look["marker"], color=look["color"], markersize=5, alpha=0.8)
    axes.set(xscale="log", ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), names)
    plain_powers(axes.xaxis)

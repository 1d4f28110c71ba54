"""Figures of lesson 07: inside the block."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from courseware.arguments import array, choice, described, integer, items
from courseware.page.caption import Caption
from courseware.page.style import (
    HIDDEN,
    INPUT,
    OUTPUT,
    REFERENCE,
    SMALL,
    TALL,
    WIDE,
    blank,
    plain_powers,
    styled,
    write,
)

STEPS = {"branch": 0.45, "add": 0.5, "attention": 1.65, "ffn": 1.0, "norm1": 1.2, "norm2": 1.2}  # and their widths
_SHOWN = {"ffn": "FFN"}
_FLOOR = 1e-10  # below it stands the rounding of one processor


@styled
def questions(sentence, needed) -> tuple[Figure, str]:
    """Draw the words that each question about the last word needs, and what is asked of the reader beside them.

    Args:
        sentence: the words, each of them once or more; the last one is asked about.
        needed: question -> the places of the words that it needs, counted from 0.
    """
    sentence = _names("sentence", sentence)
    figure, axes = blank(TALL)
    lefts = np.cumsum([0] + [0.55 + 0.17 * len(word) for word in sentence])
    columns = {"attention?": lefts[-1] + 0.75, "FFN?": lefts[-1] + 2.1}
    for line, (question, places) in enumerate(needed.items()):
        row = 1.4 * line
        axes.text(0, 0.62 - row, question, va="center_baseline")
        for place, word in enumerate(sentence):
            used = integer("place", place, 0) in places
            left, width = lefts[place], lefts[place + 1] - lefts[place] - 0.12
            looks = {"facecolor": INPUT if used else "white", "edgecolor": REFERENCE}
            axes.add_patch(Rectangle((left, -row - 0.27), width, 0.54, **looks))
            color = "white" if used else REFERENCE
            axes.text(left + width / 2, -row, word, ha="center", va="center_baseline", color=color)
        for middle in columns.values():
            axes.text(middle, -row, "?", ha="center", va="center_baseline", color=OUTPUT)
    for name, middle in columns.items():
        axes.text(middle, 0.62, name, ha="center", va="center_baseline")
    axes.set(xlim=(-0.2, lefts[-1] + 2.75), ylim=(1 - 1.4 * len(needed), 1))
    axes.axis("off")
    message = (
        f"Each question is asked at “{sentence[-1]}”: which needs attention, which needs the FFN, and which needs both?"
    )
    return figure, Caption(message, f"Blue: the words that each of these {len(needed)} questions is about.")


@styled
def wiring(orders) -> tuple[Figure, str]:
    """Draw blocks from their lists of steps, one row each: boxes in a line, and a residual arc from branch to add.

    Args:
        orders: for every name a list of steps, each a key of STEPS; "branch" keeps the tokens, "add" adds them back.

    Raises:
        TypeError: a step is not a string.
        ValueError: there is no order, a step is unknown, or branches and adds do not pair up.
    """
    if not orders:
        raise ValueError("orders must hold at least one list of steps, but it is empty.")
    for name, steps in orders.items():
        _check_steps(name, steps)
    figure, axes = blank(WIDE)
    widest = 0
    for row, (name, steps) in enumerate(orders.items()):
        widest = max(widest, _draw_row(axes, -2.2 * row, name, steps))
    axes.set(xlim=(-0.9, widest + 0.2), ylim=(-2.2 * (len(orders) - 1) - 0.6, 1.75))
    axes.axis("off")
    parts = []
    for name, steps in orders.items():
        shown = " → ".join(_SHOWN.get(step, step) for step in steps if step != "branch")
        parts.append(f"{name}: {shown}")
    counts = ", ".join(f"{name} {_norms_outside(steps)}" for name, steps in orders.items())
    rest = f"The steps in order: {'; '.join(parts)}. Arcs are the residual connections."
    return figure, Caption(f"Norms on the stream itself: {counts}.", rest)


def _check_steps(name, steps):
    open_branch = False
    for step in steps:
        choice(f"step in orders[{name!r}]", step, STEPS)
        if step == ("branch" if open_branch else "add"):
            raise ValueError(f"orders[{name!r}] must close each branch with one add before the next branch.")
        open_branch = (open_branch or step == "branch") and step != "add"
    if open_branch or not steps:
        raise ValueError(f"orders[{name!r}] must not be empty nor end inside a branch, but it is {list(steps)}.")


def _norms_outside(steps):
    outside, count = True, 0
    for step in steps:
        outside = step == "add" or (outside and step != "branch")
        count += outside and step.startswith("norm")
    return count


def _draw_row(axes, height, name, steps):
    """Draw one block and return where it ends."""
    arrow = {"arrowstyle": "-|>", "color": "black", "linewidth": 1.3, "shrinkA": 0, "shrinkB": 0}
    axes.text(-0.8, height + 1.3, name, fontweight="bold", va="center")
    axes.text(-0.7, height, "x", va="center", ha="center", color=INPUT, fontsize=12)
    end, start = -0.5, None
    for step in steps:
        left, right = end + 0.4, end + 0.4 + STEPS[step]
        middle = (left + right) / 2
        if step == "branch":
            start = middle
            axes.plot([end, right], [height, height], color="black", linewidth=1.3)
            axes.plot(middle, height, "o", color="black", markersize=5)
            end = right
            continue
        axes.annotate("", (left, height), (end, height), arrowprops=arrow)
        if step == "add":
            axes.add_patch(Ellipse((middle, height), STEPS["add"], 0.62, facecolor="white", edgecolor="black"))
            axes.text(middle, height - 0.02, "+", ha="center", va="center", fontsize=13)
            axes.plot([start, start, middle], [height, height + 0.85, height + 0.85], color=REFERENCE, linestyle="--")
            axes.annotate("", (middle, height + 0.31), (middle, height + 0.87), arrowprops=arrow | {"color": REFERENCE})
        else:
            color = {"attention": HIDDEN, "ffn": OUTPUT}.get(step, REFERENCE)
            axes.add_patch(
                Rectangle((left, height - 0.36), right - left, 0.72, facecolor="white", edgecolor=color, lw=2)
            )
            axes.text(middle, height, _SHOWN.get(step, step), ha="center", va="center", color=color)
        end = right
    axes.annotate("", (end + 0.4, height), (end, height), arrowprops=arrow)
    axes.text(end + 0.55, height, "y", va="center", ha="center", color=OUTPUT, fontsize=12)
    return end + 0.6


@styled
def ablation(models, tasks, losses) -> tuple[Figure, str]:
    """Plot the final losses of several models on several tasks, one panel for each task, one dot for each start.

    Args:
        models: their names; tasks: their names.
        losses: mean squared errors, shape (models, tasks, seeds).
    """
    models, tasks = _names("models", models), _names("tasks", tasks)
    losses = array("losses", losses, ("models", "tasks", "seeds"), {"models": len(models), "tasks": len(tasks)})
    figure, panels = blank(WIDE, columns=len(tasks), sharey=True, sharex=True)
    for column, (axes, task) in enumerate(zip(np.atleast_1d(panels), tasks, strict=True)):
        axes.axvline(0.25, color=REFERENCE, linestyle="--", linewidth=1.5)
        axes.text(0.238, -0.3, "always ½", ha="right", va="center", color=REFERENCE, fontsize=SMALL)
        for row in range(len(models)):
            found = losses[row, column]
            solved = found.max() < 0.05
            style = ("o", HIDDEN) if solved else ("s", OUTPUT)
            axes.plot(found, np.full(len(found), row), style[0], color=style[1], markersize=7)
            axes.text(0.125, row, "solved" if solved else "", va="center", ha="center", color=HIDDEN, fontsize=SMALL)
        axes.set(title=task, xlabel="mean squared error", xlim=(-0.03, 0.3), ylim=(len(models) - 0.5, -0.5))
        axes.set_xticks([0, 0.125, 0.25], ["0", "1/8", "1/4"])
    np.atleast_1d(panels)[0].set_yticks(range(len(models)), models)
    solved = (losses.max(axis=2) < 0.05).T
    parts = [
        f"{task}: {', '.join(name for name, good in zip(models, row, strict=True) if good) or 'none'}"
        for task, row in zip(tasks, solved, strict=True)
    ]
    failed = losses[losses.max(axis=2) >= 0.05]
    bound = f" All other runs end at 1/4, to 1e-3: {bool(np.abs(failed - 0.25).max() < 1e-3)}." if failed.size else ""
    message = f"Solved from all {losses.shape[2]} starts (green dots): {'; '.join(parts)}."
    return figure, Caption(message, f"Solved means an error below 0.05.{bound}")


@styled
def head_losses(names, losses) -> tuple[Figure, str]:
    """Plot the final losses of attention without an FFN, one column for each kind and one dot for each start.

    Args:
        names: of the kinds; "1 head" has the proved bound of 1/8.
        losses: mean squared errors, shape (kinds, seeds).
    """
    names = _names("names", names)
    losses = array("losses", losses, ("kinds", "seeds"), {"kinds": len(names)})
    figure, axes = blank()
    for value, words in ((0.25, "1/4: always answer ½"), (0.125, "1/8: the bound for one head in one layer")):
        axes.axhline(value, color=REFERENCE, linestyle="--", linewidth=1.5)
        write(axes, len(names) - 0.55, value + 0.006, words, REFERENCE, ha="right", va="bottom")
    for place, found in enumerate(losses):
        spread = np.linspace(-0.22, 0.22, len(found)) if len(found) > 1 else np.zeros(1)
        axes.plot(place + spread, np.sort(found), "o", color=HIDDEN, markersize=6)
    axes.set_xticks(range(len(names)), names)
    axes.set(ylabel="mean squared error", xlim=(-0.6, len(names) - 0.4), ylim=(-0.01, 0.29))
    parts = [f"{name}: {int((found < 0.05).sum())} of {len(found)}" for name, found in zip(names, losses, strict=True)]
    low = losses[[name == "1 head" for name in names]]
    bound = f"No run with 1 head is below 1/8: {bool(low.min() > 0.125 - 1e-9)}." if low.size else ""
    message = f"Starts from which attention without an FFN solves the XOR of two tokens: {'; '.join(parts)}."
    return figure, Caption(message, f"Solved means an error below 0.05. {bound}".strip())


@styled
def token_differences(names, differences) -> tuple[Figure, str]:
    """Plot against depth how much tokens differ from each other, on a logarithmic scale that ends at 1e-10.

    Args:
        names: one for each kind of stack, at most four.
        differences: the tokens' distance from their average, as a fraction of their overall size, shape
            (stacks, seeds, depths).
    """
    names = _names("names", names)
    differences = array("differences", differences, ("stacks", "seeds", "depths"), {"stacks": len(names)})
    figure, axes = blank(WIDE)
    depths = np.arange(differences.shape[2])
    styles = ((OUTPUT, "-", "o"), (REFERENCE, ":", "s"), (INPUT, "--", "^"), (HIDDEN, "-.", "v"))
    alive, gone = [], []
    for name, found, (color, line, marker) in zip(names, differences, styles, strict=False):
        looks = {"color": color, "linestyle": line, "linewidth": 1.2, "marker": marker, "markersize": 5}
        drawn = 10 ** np.log10(np.maximum(found, _FLOOR)).round(3)  # no pixel hangs on a processor's last digits
        lines = axes.semilogy(depths, drawn.T, **looks)
        lines[0].set_label(name)
        low, high = found.min(axis=0), found.max(axis=0)
        if high[-1] < 1e-10:
            gone.append(f"from layer {_first_below(high, 1e-10)} on {name}")
        else:
            alive.append(f"{name} {low[-1]:.2f} to {high[-1]:.2f}")
    axes.legend(loc="center left", fontsize=SMALL, bbox_to_anchor=(1.0, 0.5))
    axes.set(
        xlabel="layers",
        ylabel="difference between tokens",
        xticks=depths[:: max(1, len(depths) // 8)],
        ylim=(_FLOOR / 4, 5),
    )
    plain_powers(axes.yaxis)
    axes.yaxis.set_major_formatter(lambda value, position: "1" if value == 1 else f"{value:.0e}".replace("e-0", "e-"))
    ends = alive + (["the others below 1e-10" if alive else "all below 1e-10"] if gone else [])
    message = f"How much tokens differ after {depths[-1]} layers with random weights: {'; '.join(ends)}."
    rest = f"One line for each of {differences.shape[1]} stacks. Values below 1e-10 are drawn at 1e-10."
    if gone:
        rest = f"Below 1e-10: {'; '.join(gone)}. {rest}"
    return figure, Caption(message, rest)


def _first_below(values, bound) -> int:
    """Return the first index from which on all values lie below the bound; the last one does."""
    return len(values) - int(np.argmax(values[::-1] >= bound)) if (values >= bound).any() else 0


def _names(argument, names) -> list[str]:
    names = items(argument, names, "names")
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{argument} must be a non-empty list of names, but {described(names)} was given.")
    return names

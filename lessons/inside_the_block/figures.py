"""Figures of lesson 07: inside the block."""

import itertools

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from course_lib.arguments import array, choice, described, integer, items
from course_lib.formats import three_digits
from course_lib.page import stages
from course_lib.page.caption import Caption
from course_lib.page.interactive import Interactive
from course_lib.page.style import (
    HIDDEN,
    INPUT,
    OUTPUT,
    REFERENCE,
    SINGLE,
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
_FLOOR = 1e-12


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
            axes.add_patch(Rectangle((middle - 0.2, -row - 0.27), 0.4, 0.54, facecolor="white", edgecolor=OUTPUT))
            axes.text(middle, -row, "?", ha="center", va="center_baseline", color=OUTPUT)
    for name, middle in columns.items():
        axes.text(middle, 0.62, name, ha="center", va="center_baseline")
    axes.set(xlim=(-0.2, lefts[-1] + 2.75), ylim=(1 - 1.4 * len(needed), 1))
    axes.axis("off")
    message = f"Which question about “{sentence[-1]}” needs attention, which needs the FFN, and which needs both?"
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
    """Plot against depth how much tokens differ from each other, on a logarithmic scale that ends at 1e-12.

    Args:
        names: one for each kind of stack, at most four.
        differences: the tokens' distance from their average, as a fraction of their overall size, shape
            (stacks, seeds, depths).
    """
    names = _names("names", names)
    differences = array("differences", differences, ("stacks", "seeds", "depths"), {"stacks": len(names)})
    figure, axes = blank(SINGLE)
    depths = np.arange(differences.shape[2])
    styles = ((OUTPUT, "-", "o"), (REFERENCE, ":", "s"), (INPUT, "--", "^"), (HIDDEN, "-.", "v"))
    alive, gone = [], []
    for name, found, (color, line, marker) in zip(names, differences, styles, strict=False):
        kept = np.maximum(found, _FLOOR)
        mean = np.exp(np.log(kept).mean(axis=0))
        looks = {"marker": marker, "markersize": 9, "fillstyle": "none"} if marker == "^" else {"marker": marker}
        axes.semilogy(depths, mean, line, color=color, **({"markersize": 5} | looks), label=name)
        axes.fill_between(depths, kept.min(axis=0), kept.max(axis=0), color=color, alpha=0.15, linewidth=0)
        low, high = found.min(axis=0), found.max(axis=0)
        if high[-1] < 1e-10:
            gone.append(f"from layer {_first_below(high, 1e-10)} on {name}")
        else:
            alive.append(f"{name} {low[-1]:.2f} to {high[-1]:.2f}")
    axes.legend(loc="center right", fontsize=SMALL, bbox_to_anchor=(1.0, 0.55))
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
    rest = f"{differences.shape[1]} seeds; lines are means, bands the range. Values below 1e-12 are drawn at 1e-12."
    if gone:
        rest = f"Below 1e-10: {'; '.join(gone)}. {rest}"
    return figure, Caption(message, rest)


@styled
def around_the_ffn(x, h, y) -> tuple[Figure, str]:
    """Show tokens on their way through an FFN, and the sum that the residual connection makes of input and output.

    Args:
        x: input, shape (tokens, d_model).
        h: hidden values after the activation, shape (tokens, d_ff).
        y: what the FFN writes, shape (tokens, d_model).
    """
    sizes = {}
    x, h = array("x", x, ("tokens", "d_model"), sizes), array("h", h, ("tokens", "d_ff"), sizes)
    y = array("y", y, ("tokens", "d_model"), sizes)
    names = ("input x", "after the activation", "FFN's output", "their sum")
    drawn = stages.draw(stages.stages(names, (x, h, y, x + y), (INPUT, HIDDEN, OUTPUT, "black")))
    alone, kept = (_directions(x, other) for other in (y, x + y))
    message = (
        "With the residual connection, a token keeps its direction: the cosine to its input is at least "
        f"{kept.min():.2f} for the sum, and at most {alone.max():.2f} for the FFN's output alone."
    )
    if kept.min() <= max(0.7, alone.max()):
        message = (
            f"The cosine to a token's input is {kept.min():.2f} to {kept.max():.2f} for the sum, and {alone.min():.2f} "
            f"to {alone.max():.2f} for the FFN's output alone."
        )
    rest = "Rows are tokens. A cosine of 1 means the same direction, and 0 a right angle."
    return drawn.figure, Caption(message, rest)


def _directions(x, y):
    """Return the cosine between each row of x and that of y."""
    return (x * y).sum(axis=1) / (np.linalg.norm(x, axis=1) * np.linalg.norm(y, axis=1))


def _first_below(values, bound) -> int:
    """Return the first index from which on all values lie below the bound; the last one does."""
    return len(values) - int(np.argmax(values[::-1] >= bound)) if (values >= bound).any() else 0


@styled
def stream_shares(histories) -> Interactive:
    """Show one token's vector at a chosen depth, and the shares of it that input, attention and FFN have written.

    The share of a part p in a vector v is p · v / v · v: the three shares of a token sum to 1.

    Args:
        histories: for every order of norms an array of shape (seeds, depths, 3, seq_len, d_model), as
            `probes.stream_parts` returns it for one stack; the vector shown is that of token 0 and seed 0.

    Raises:
        ValueError: there is no history, or they have not all the same shape.
    """
    vectors, shares = _vectors_and_shares(histories)
    first = next(iter(vectors.values()))
    figure, (left, right) = blank(WIDE, columns=2)
    depths = np.arange(len(first))
    top = 1.1 * max(np.abs(found).max() for found in vectors.values())
    bars = _draw_token(left, first[0], top)
    lines, labels = _draw_shares(right, depths)
    marker = right.axvline(0, color="black", linewidth=1)

    def update(depth, order):
        depth, order = integer("depth", depth, 0, int(depths[-1])), choice("order", order, histories)
        mean = 100 * shares[order].mean(axis=0)
        data = {
            "bars": [{"height": value} for value in vectors[order][depth]],
            "lines": [{"data": (depths, heights)} for heights in mean.T],
            "labels": [{"position": (depths[-1] + 0.3, height)} for height in _apart(mean[-1])],
            "marker": {"data": ([depth, depth], [0, 1])},
        }
        return data, _about_shares(depth, order, vectors[order], shares[order])

    return Interactive(figure, update, {"bars": bars, "lines": lines, "labels": labels, "marker": marker})


def _vectors_and_shares(histories):
    """Return for every order the vectors of token 0, (depths, d_model), and the mean shares, (seeds, depths, 3)."""
    if not histories:
        raise ValueError("histories must hold at least one array, but it is empty.")
    vectors, shares, sizes = {}, {}, {"parts": 3}
    for name, found in histories.items():
        parts = array(f"histories[{name!r}]", found, ("seeds", "depths", "parts", "seq_len", "d_model"), sizes)
        whole = parts.sum(axis=2, keepdims=True)
        vectors[name] = parts[0, :, :, 0].sum(axis=1)
        shares[name] = ((parts * whole).sum(axis=-1) / (whole**2).sum(axis=-1)).mean(axis=-1)
    return vectors, shares


def _draw_token(axes, vector, top):
    """Draw a token's features as bars, which move, in front of dashes, which stay; return the bars."""
    features = np.arange(len(vector))
    bars = axes.bar(features, vector, color=OUTPUT, width=0.6)
    axes.step(features, vector, where="mid", color=INPUT, linewidth=1.5, linestyle="--")
    axes.axhline(0, color=REFERENCE, linewidth=0.8)
    axes.set(title="one token: now (bars), as input (dashes)", xlabel="feature", ylabel="value", ylim=(-top, top))
    axes.set_xticks(features[:: max(1, len(features) // 5)])
    return list(bars)


def _draw_shares(axes, depths):
    """Draw a line and its label for each of the three parts, all at zero; return both."""
    styles = (("input", INPUT, "-"), ("attention", HIDDEN, "-."), ("FFN", OUTPUT, "--"))
    lines = [axes.plot(depths, 0 * depths, color=color, linestyle=line)[0] for _, color, line in styles]
    labels = [write(axes, depths[-1] + 0.3, 0, name, color, va="center") for name, color, _ in styles]
    axes.set(title="who wrote it (shares in %)", xlabel="blocks", xlim=(-0.4, depths[-1] * 1.32), ylim=(-6, 106))
    axes.set_xticks(depths[:: max(1, len(depths) // 6)])
    return lines, labels


def _about_shares(depth, order, vectors, shares) -> str:
    """Describe a depth: vectors of shape (depths, d_model), shares of shape (seeds, depths, 3)."""
    now, ffn = 100 * shares.mean(axis=0)[depth], 100 * shares[:, depth, 2]
    length = np.linalg.norm(vectors[depth]) / np.linalg.norm(vectors[0])
    return Caption(
        f"After {depth} {order} {'block' if depth == 1 else 'blocks'} with random weights, {now[0]:.0f} % of a "
        f"token is its input, {now[1]:.0f} % written by attention, {now[2]:.0f} % by the FFN.",
        f"Means over tokens and {len(shares)} stacks; the FFN's part is {ffn.min():.0f} to {ffn.max():.0f} %. The "
        f"token on the left is {three_digits(length)} times as long as its input.",
    )


def _apart(heights, gap=9.0):
    """Move labels apart so that none is nearer than gap to the next one."""
    order = np.argsort(heights, kind="stable")
    moved = np.array(heights, dtype=float)
    for low, high in itertools.pairwise(order):
        moved[high] = max(moved[high], moved[low] + gap)
    return moved - (moved - heights).mean()


def _names(argument, names) -> list[str]:
    names = items(argument, names, "names")
    if not names or not all(isinstance(name, str) for name in names):
        raise ValueError(f"{argument} must be a non-empty list of names, but {described(names)} was given.")
    return names

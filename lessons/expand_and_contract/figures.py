"""Figures of "Expand and contract": the four stages of an FFN, its zeros, and what it stores."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from course_lib import stages as drawing
from courseware.arguments import array, choice, integer, items
from courseware.formats import three_digits
from courseware.page.caption import Caption
from courseware.page.interactive import Interactive
from courseware.page.style import (
    HIDDEN,
    INPUT,
    LINES,
    MARKERS,
    ONE_SIDED,
    OUTPUT,
    REFERENCE,
    SMALL,
    WIDE,
    blank,
    styled,
    write,
)
from lessons.expand_and_contract.factors import recall_axes, times


@styled
def four_heatmaps(x, z, h, y, follow: int = 2) -> tuple[Figure, str]:
    """Show the values of a few tokens on their way through an FFN, with one scale for all four stages.

    Rows are tokens, and stand at the same height in every panel; a frame follows one of them. Dots mark exact zeros.

    Args:
        x: input, shape (tokens, d_model).
        z: after the first layer, shape (tokens, d_ff).
        h: after the activation, shape (tokens, d_ff).
        y: output, shape (tokens, d_model).
        follow: the number of the framed token, counted from 1.
    """
    sizes = {}
    x, z = array("x", x, ("tokens", "d_model"), sizes), array("z", z, ("tokens", "d_ff"), sizes)
    h, y = array("h", h, ("tokens", "d_ff"), sizes), array("y", y, ("tokens", "d_model"), sizes)
    stages, n = (x, z, h, y), len(x)
    follow = integer("follow", follow, 1, n)
    limit = max(np.abs(stage).max() for stage in stages)
    names = ("input", "after the first layer", "after the activation", "output")
    colors = (INPUT, HIDDEN, HIDDEN, OUTPUT)
    label = "value (blank: near zero; dots: exactly zero)"
    drawn = drawing.draw(drawing.stages(names, stages, colors), follow=follow, label=label)
    for axes, stage in zip(drawn.panels, stages, strict=True):
        drawing.mark_zeros(axes, stage)
    message = (
        f"{n} tokens on their way through an FFN, one row each: {x.shape[1]} numbers become {z.shape[1]}, and "
        f"{y.shape[1]} again."
    )
    rest = (
        f"The frame follows token {follow}. Exactly zero after the activation: {100 * np.mean(h == 0):.0f} % of the "
        f"values, before it {100 * np.mean(z == 0):.0f} %. One scale for all four, from −{limit:.1f} to {limit:.1f}."
    )
    return drawn.figure, Caption(message, rest)


@styled
def bends_beside(z, bent) -> tuple[Figure, str]:
    """Show the same values before the activation and after several, with one scale; dots mark exact zeros.

    Args:
        z: after the first layer, shape (tokens, d_ff).
        bent: name of an activation -> its values, of the shape of z.
    """
    z = array("z", z, ("tokens", "d_ff"), sizes := {})
    bent = {name: array(name, values, ("tokens", "d_ff"), sizes) for name, values in bent.items()}
    names = ("before the activation", *(f"after {name}" for name in bent))
    shown = (z, *bent.values())
    label = "value (blank: near zero; dots: exactly zero)"
    drawn = drawing.draw(drawing.stages(names, shown, (HIDDEN,) * len(shown)), label=label)
    for axes, values in zip(drawn.panels, shown, strict=True):
        drawing.mark_zeros(axes, values)
    parts = [
        f"{name} makes {(values == 0).sum()} exactly zero and leaves {(values < 0).sum()} negative"
        for name, values in bent.items()
    ]
    least = min(values.min() for values in bent.values())
    message = f"Of the {z.size} values of {len(z)} tokens {(z < 0).sum()} are negative; {'; '.join(parts)}."
    return drawn.figure, Caption(
        message, f"The least value after an activation is −{abs(least):.2f}. One scale for all."
    )


def _one_sided(axes, values, top):
    """Draw values of 0 and above with colours from white to dark."""
    return axes.imshow(values, cmap=ONE_SIDED, vmin=0, vmax=top, aspect="auto", interpolation="nearest")


@styled
def recall_and_hidden(factors, recalls, hidden, recalled) -> Interactive:
    """Show the recall of an expansion factor that the reader chooses, beside the hidden values of a few keys.

    The keyword is `factor`, one of `factor_words(factors)`. Every panel keeps the width of the widest layer, so that
    the hidden layer is seen to grow.

    Args:
        factors: d_ff / d_model, shape (n,).
        recalls: shares between 0 and 1, shape (n, seeds).
        hidden: for each factor the hidden values of a few keys, shape (keys, d_ff) with its own d_ff.
        recalled: for each factor 1 for every one of these keys that was recalled and else 0, shape (keys,).
    """
    sizes = {}
    factors = array("factors", factors, ("n",), sizes)
    recalls = array("recalls", recalls, ("n", "seeds"), sizes)
    _same_length(factors=factors, hidden=hidden, recalled=recalled)
    hidden = [array("hidden", values, ("keys", "d_ff")) for values in hidden]
    recalled = [array("recalled", marks, ("keys",), {"keys": len(hidden[0])}) > 0.5 for marks in recalled]
    words, keys, widest = factor_words(factors), len(hidden[0]), max(values.shape[1] for values in hidden)
    if min(values.min() for values in hidden) < 0:
        raise ValueError("hidden must not be negative: give the values after ReLU.")
    limit = np.quantile(np.concatenate([values.ravel() for values in hidden]), 0.995)
    figure, (left, right) = blank(WIDE, columns=2, width_ratios=(2, 3))
    recall_axes(left, factors, recalls)
    ring = left.plot([factors[0]], [0], "o", color=OUTPUT, markersize=13, fillstyle="none", markeredgewidth=2)[0]
    moving = {"ring": ring} | _hidden_axes(right, keys, widest, limit)
    figure.colorbar(moving["hidden"], ax=right, fraction=0.05, pad=0.02, extend="max")

    def update(factor):
        index = words.index(choice("factor", factor, words))
        values, marks, recall = hidden[index], recalled[index], 100 * recalls[index].mean()
        width = values.shape[1]
        shown = np.full((keys, widest), np.nan)
        shown[:, :width] = values
        known, lost = np.flatnonzero(marks), np.flatnonzero(~marks)
        data = {
            "ring": {"data": ([factors[index]], [recall])},
            "hidden": {"data": shown},
            "known": {"data": (np.full(len(known), -0.025 * widest), known)},
            "lost": {"data": (np.full(len(lost), -0.025 * widest), lost)},
            "count": {"text": f"{width} units"},
        }
        message = f"Expansion {factor}, {width} hidden units: {recall:.0f} % of the pairs are recalled."
        rest = (
            f"Of the {keys} keys on the right, {len(known)} are (dots; crosses are not); "
            f"{100 * np.mean(values == 0):.0f} % of their hidden values are exactly zero."
        )
        return data, Caption(message, rest)

    return Interactive(figure, update, moving)


def _hidden_axes(axes, keys, widest, limit):
    """Draw the panel of the hidden values of a few keys, and return what moves in it."""
    image = _one_sided(axes, np.full((keys, widest), np.nan), limit)
    axes.add_patch(Rectangle((-0.5, -0.5), widest, keys, color="#eeeeee", zorder=-1))
    known = axes.plot([], [], "o", color=HIDDEN, markersize=5)[0]
    lost = axes.plot([], [], "x", color=REFERENCE, markersize=5)[0]
    count = axes.text(0.99, 1.02, "", transform=axes.transAxes, ha="right")
    axes.set(xlabel="hidden units (grey: there are none)", xlim=(-0.05 * widest, widest), yticks=[])
    axes.set_ylabel(f"{keys} keys (dot: recalled)")
    axes.set_title("hidden values")
    return {"hidden": image, "known": known, "lost": lost, "count": count}


def factor_words(factors) -> tuple[str, ...]:
    """Write expansion factors as words, such as "½×" and "4×"."""
    return tuple(times(factor) for factor in array("factors", items("factors", factors, "numbers"), ("n",)))


@styled
def singular_values(stages, names) -> tuple[Figure, str]:
    """Plot how far tokens spread along each of their directions, at several stages.

    Args:
        stages: values at each stage, shape (tokens, features); the features may differ.
        names: one name for each.
    """
    stages = [array("stages", stage, ("tokens", "features")) for stage in stages]
    _same_length(names=names, stages=stages)
    figure, axes = blank()
    parts = []
    colors = (INPUT, HIDDEN, OUTPUT)
    for index, (stage, name) in enumerate(zip(stages, names, strict=True)):
        spread = np.linalg.svd(stage - stage.mean(axis=0), compute_uv=False)
        spread = np.where(spread > 1e-9 * spread[0], spread / spread[0], 0)
        parts.append(f"{name} {int((spread > 0).sum())} of {stage.shape[1]}")
        style = {"color": colors[index % 3], "linestyle": LINES[index % 4], "marker": MARKERS[index % 4]}
        axes.plot(np.arange(1, len(spread) + 1), spread, markersize=4, **style)
        place = len(spread) // 2
        write(axes, place, spread[place - 1] + 0.04, name, style["color"], va="bottom")
    axes.set(
        xlabel="direction, from the widest to the narrowest",
        ylabel="spread, relative to the widest",
        ylim=(-0.03, 1.05),
    )
    return figure, f"Directions with a spread above zero ({len(stages[0])} tokens): {'; '.join(parts)}."


@styled
def facts_stored(counts, recalls, names) -> tuple[Figure, str]:
    """Plot the share of facts read back right against the number of facts stored, for several kinds of memory.

    Args:
        counts: numbers of facts, shape (n,).
        recalls: shares between 0 and 1, shape (kinds, n).
        names: one name for each kind.
    """
    sizes = {}
    counts, recalls = array("counts", counts, ("n",), sizes), array("recalls", recalls, ("kinds", "n"), sizes)
    _same_length(names=names, recalls=recalls)
    figure, axes = blank()
    parts = []
    for index, (row, name) in enumerate(zip(recalls, names, strict=True)):
        color = (REFERENCE, INPUT, HIDDEN)[index % 3]
        axes.semilogx(counts, 100 * row, LINES[index % 4], marker=MARKERS[index % 4], color=color, markersize=5)
        place = int(np.abs(row - (0.6, 0.5)[index % 2]).argmin())
        side = ("right", "left")[index % 2]
        write(axes, counts[place] * (0.88, 1.14)[index % 2], 100 * row[place], name, color, ha=side, va="center")
        most = counts[row >= 0.99].max(initial=0)
        parts.append(f"{name} up to {most:.0f} facts" if most else f"{name} never")
    axes.set_xticks(counts, [f"{count:.0f}" for count in counts])
    axes.minorticks_off()
    axes.set(xlabel="facts stored, one hidden unit each", ylabel="facts read back (%)", ylim=(-4, 115))
    return figure, Caption(f"Hand-wired memories read back at least 99 % of their facts: {'; '.join(parts)}.")


@styled
def units_and_facts(hidden, names, facts) -> tuple[Figure, str]:
    """Show which hidden units fire for which fact, side by side for several networks, each with a scale of its own.

    Units are sorted by the fact that excites them most; units that never fire are left out.

    Args:
        hidden: for each network the hidden values, shape (facts, d_ff).
        names: one name for each network.
        facts: one word for each fact.
    """
    hidden = [array("hidden", values, ("facts", "d_ff"), {"facts": len(facts)}) for values in hidden]
    _same_length(names=names, hidden=hidden)
    figure, panels = blank(WIDE, columns=len(hidden), sharey=True)
    if min(values.min() for values in hidden) < 0:
        raise ValueError("hidden must not be negative: give the values after ReLU.")
    parts, counts = [], []
    for axes, values, name in zip(np.atleast_1d(panels), hidden, names, strict=True):
        live = values[:, (values > 0.01).any(axis=0)]
        live = live[:, np.argsort(live.argmax(axis=0), kind="stable")]
        image = _one_sided(axes, live, live.max())
        figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02).set_label("hidden value")
        per_fact = (live > 0.01).sum(axis=1).mean()
        axes.set(title=f"{name}: {live.shape[1]} units fire", xlabel="hidden unit", xticks=[])
        axes.tick_params(axis="y", length=0)
        counts.append(f"{name} {live.shape[1]} of {values.shape[1]}")
        parts.append(
            f"{name}: {live.shape[1]} of {values.shape[1]} units fire, {three_digits(per_fact)} for a fact on average"
        )
    _name_rows(np.atleast_1d(panels)[0], facts)
    message = f"Units that fire for any of {len(facts)} facts: {'; '.join(counts)}."
    return figure, Caption(message, f"Hidden values, one row for each fact. {'; '.join(parts)}.")


def _name_rows(axes, names):
    """Write names beside the rows of a heatmap; of many, every second one farther out, with a line to its row."""
    axes.set_yticks(range(len(names)), [""] * len(names))
    out = -6 - 6.2 * (max(map(len, names[::2])) + 1) if len(names) > 14 else -6
    line = {"arrowstyle": "-", "color": REFERENCE, "linewidth": 0.4}
    for row, name in enumerate(names):
        place = (out if row % 2 else -6, 0)
        look = {"ha": "right", "va": "center", "fontsize": SMALL, "arrowprops": line if place[0] < -6 else None}
        axes.annotate(name, (0, row), place, ("axes fraction", "data"), "offset points", **look)


def _same_length(**lists):
    lengths = {name: len(values) for name, values in lists.items()}
    if len(set(lengths.values())) > 1:
        given = ", ".join(f"{name} has {length}" for name, length in lengths.items())
        raise ValueError(f"{' and '.join(lengths)} must have the same length, but {given}.")

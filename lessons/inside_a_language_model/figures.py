"""Figures of lesson 10: text painted with the values of hidden units, zeros, the threshold of a new unit, damage."""

import numpy as np
from matplotlib.figure import Figure

from course_lib.painted import painted
from courseware.arguments import array, items, real, truths
from courseware.formats import minus, spread
from courseware.page.caption import Caption
from courseware.page.style import HIDDEN, INPUT, REFERENCE, WIDE, blank, styled, write

__all__ = ["active_units", "damages", "painted", "threshold"]


@styled
def active_units(before, after) -> tuple[Figure, str]:
    """Plot how many units work at a character, and at how many characters a unit works, before and after training.

    Args:
        before, after: hidden values of one FFN, shape (n, units) with any n.
    """
    before = array("before", before, ("n", "units"))
    after = array("after", after, ("n", "units"), sizes := {"units": before.shape[1]})
    figure, (left, right) = blank(WIDE, columns=2)
    bins = np.linspace(0, sizes["units"], 65)
    parts = []
    looks = ((before, "before training", REFERENCE, "--"), (after, "after training", HIDDEN, "-"))
    for h, name, color, line in looks:
        counts, rates = (h > 0).sum(axis=1), np.sort((h > 0).mean(axis=0))[::-1]
        heights, _ = np.histogram(counts, bins)
        left.stairs(100 * heights / len(counts), bins, color=color, linestyle=line, linewidth=2, label=name)
        right.plot(np.arange(1, len(rates) + 1), 100 * rates, color=color, linestyle=line, label=name)
        parts.append(
            f"{name}: at half of the characters at most {np.median(counts):.0f} units work, {(rates > 0).sum()} units work "
            f"at some character, and a unit works at {100 * np.median(rates):.1f} % of the characters (median)"
        )
    left.set(xlabel=f"active units at a character, of {sizes['units']}", ylabel="% of the characters")
    right.set(xlabel="units, the busiest first", ylabel="% of characters where it works", ylim=(0, 104))
    right.legend(loc="upper right")
    few = np.median((after > 0).sum(axis=1)) / sizes["units"]
    return figure, Caption(
        f"After training {100 * few:.0f} % of the units work at a character (median), and "
        f"{(after > 0).any(axis=0).sum()} of {sizes['units']} work somewhere.",
        f"{'; '.join(parts)}.".capitalize(),
    )


@styled
def threshold(s, here, limit, words) -> tuple[Figure, str]:
    """Plot where s lies in a context and elsewhere, the threshold between the two means, and the new unit's value.

    Args:
        s: how far each place lies along the unit's direction, shape (n,).
        here: whether the place is in the context, shape (n,).
        limit: the threshold; below the mean of s where `here` is true.
        words: the name of the context.
    """
    s = array("s", s, ("n",), sizes := {})
    here = truths("here", here, ("n",), sizes)
    limit = real("limit", limit)
    low, high = s[~here].mean(), s[here].mean()
    figure, (left, right) = blank(WIDE, columns=2)
    bins = np.linspace(s.min(), s.max(), 41)
    kinds = ((~here, "elsewhere", low, REFERENCE, "--"), (here, words, high, HIDDEN, "-"))
    for chosen, name, mean, color, line in kinds:
        counts, _ = np.histogram(s[chosen], bins)
        left.stairs(100 * counts / chosen.sum(), bins, color=color, linestyle=line, linewidth=1.6, label=name)
        for axes in (left, right):
            axes.axvline(mean, color=color, linestyle=":")
    top = 1.45 * left.get_ylim()[1]
    left.set(xlabel="s = x · k", ylabel="% of the places of each kind", ylim=(0, top))
    line = np.array([s.min(), limit, s.max()])
    right.plot(line, np.maximum(line - limit, 0) / (high - limit), color=HIDDEN)
    right.set(xlabel="s = x · k", ylabel="value of the new unit", ylim=(-0.08, 1.45))
    for axes in (left, right):
        axes.axvline(limit, color="black", linewidth=1.2)
        height = axes.get_ylim()[1]
        for place, name, color, share in (
            (low, "mean", REFERENCE, 0.9),
            (high, "mean", HIDDEN, 0.9),
            (limit, "threshold", "black", 0.78),
        ):
            write(axes, place, share * height, name, color, ha="center")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, 1.16), ncols=2, frameon=False)
    part = (limit - low) / (high - low)
    return figure, Caption(
        f"The threshold lies {100 * part:.0f} % of the way from the mean elsewhere to the mean {words}.",
        f"Mean of s elsewhere {minus(f'{low:.0f}')}, threshold {limit:.0f}, mean {words} {high:.0f}. The new unit is 0 up to the threshold, and "
        f"1 at the mean {words}.",
    )


@styled
def damages(names, changes) -> tuple[Figure, str]:
    """Plot what removing each part costs, one mark for each part of the text and a bar at the mean.

    Args:
        names: of the parts removed.
        changes: bits per character more than the whole model, shape (parts, pieces of text).
    """
    names = items("names", names, "strings")
    changes = array("changes", changes, ("parts", "pieces"), {"parts": len(names)})
    figure, axes = blank(WIDE)
    for row, (name, values) in enumerate(zip(names, changes, strict=True)):
        color, marker = (HIDDEN, "o") if name.startswith("ffn") else (INPUT, "s")
        axes.plot(values, np.full(len(values), row), marker, color=color, alpha=0.8, markersize=6)
        axes.plot([values.mean()] * 2, [row - 0.3, row + 0.3], color=color)
        write(axes, values.max() + 0.12, row, f"+{values.mean():.2f}", color, va="center")
    axes.set(xlabel="bits per character more than the whole model", ylim=(len(names) - 0.5, -0.5))
    axes.set(xlim=(min(0, changes.min()) - 0.05, changes.max() * 1.15 + 0.3))
    axes.set_yticks(range(len(names)), names)
    most = names[int(changes.mean(axis=1).argmax())]
    parts = "; ".join(f"{name} {spread(row)}" for name, row in zip(names, changes, strict=True))
    return figure, Caption(
        f"Removing {most} costs most.",
        f"Bits per character more, mean [range] over {changes.shape[1]} pieces of the text: {parts}.",
    )

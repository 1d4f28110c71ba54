"""Figures of build 14: windows that end where a unit is strongest, all of its firings, and what chance reaches."""

import numpy as np
from matplotlib.figure import Figure

from courseware.arguments import array, items, truths
from courseware.page.caption import Caption
from courseware.page.style import HIDDEN, REFERENCE, SMALL, WIDE, blank, styled, write

_SHOWN = str.maketrans({"\n": "↵", "\t": "⇥", " ": "␣"})


@styled
def strongest(windows, values, unit) -> tuple[Figure, str]:
    """Write windows of text below each other, their last character marked, with the unit's value there as a bar.

    Args:
        windows: strings of one length, the strongest first.
        values: of the unit at the last character of each, shape (windows,).
        unit: its name, for the caption.
    """
    windows = items("windows", windows, "strings")
    values = array("values", values, ("windows",), {"windows": len(windows)})
    figure, axes = blank(WIDE)
    rows = np.arange(len(windows))
    axes.barh(rows, values, height=0.55, color=HIDDEN)
    for row, (words, value) in enumerate(zip(windows, values, strict=True)):
        shown = words.translate(_SHOWN)
        font = {"family": "monospace", "fontsize": SMALL, "va": "center", "color": "black"}
        axes.text(-0.045 * values.max(), row, shown[:-1], ha="right", **font)
        mark = {"facecolor": "white", "edgecolor": HIDDEN, "boxstyle": "square,pad=0.1", "linewidth": 2}
        axes.text(-0.025 * values.max(), row, shown[-1], ha="center", bbox=mark, **font)
        write(axes, value * 1.02, row, f"{value:.1f}", HIDDEN, va="center")
    axes.set(yticks=[], ylim=(len(windows) - 0.5, -0.5), xlim=(-1.1 * values.max(), 1.15 * values.max()))
    axes.set_xticks([])
    axes.spines[["left", "bottom"]].set_visible(False)
    return figure, Caption(
        f"The {len(windows)} windows that end where {unit} is strongest, each with the value there.",
        f"Strongest first: {'; '.join(words.translate(_SHOWN) for words in windows)}. "
        f"The values fall from {values[0]:.1f} to {values[-1]:.1f}.",
    )


@styled
def firings(values, named, name) -> tuple[Figure, str]:
    """Plot all firings of a unit, the strongest first, and mark those in a context.

    Args:
        values: all values of the unit above 0, shape (firings,).
        named: truths of the same shape, whether the context is there.
        name: of the context.
    """
    values = array("values", values, ("firings",), sizes := {})
    named = truths("named", named, ("firings",), sizes)
    order = np.argsort(-values, kind="stable")
    values, named = values[order], named[order]
    places = np.arange(1, len(values) + 1)
    figure, axes = blank(WIDE)
    axes.vlines(places[~named], 0, values[~named], color=REFERENCE, linewidth=0.6)
    axes.vlines(places[named], 0, values[named], color=HIDDEN, linewidth=0.6)
    axes.plot(places[named], values[named], "o", color=HIDDEN, markersize=3)
    last = int(places[named].max())
    write(axes, last + 0.02 * len(values), values[0] * 0.75, f"dots: {name}", HIDDEN)
    write(axes, 0.55 * len(values), values[0] * 0.25, "grey: anything else", REFERENCE)
    axes.set(
        xlabel="firings, the strongest first", ylabel="value of the unit", xlim=(0, len(values) + 1), ylim=(0, None)
    )
    share = named.mean()
    return figure, Caption(
        f"Of {len(values):,} firings, {int(named.sum())} are {name}: {100 * share:.0f} %.",
        f"All {named.sum()} are among the {last} strongest.",
    )


@styled
def by_chance(random, units, names) -> tuple[Figure, str]:
    """Plot the F1 of random directions as a histogram, and that of a unit as a line, for each of some names.

    Args:
        random: F1 of the directions, shape (names, directions).
        units: F1 of the unit, shape (names,).
        names: a title for each.
    """
    names = items("names", names, "strings")
    random = array("random", random, ("names", "directions"), {"names": len(names)})
    units = array("units", units, ("names",), {"names": len(names)})
    figure, axes = blank(WIDE, columns=len(names))
    parts = []
    for place, (values, unit, name) in enumerate(zip(random, units, names, strict=True)):
        one = axes[place]
        one.hist(values, np.linspace(0, 0.8, 41), color=REFERENCE)
        one.axvline(unit, color=HIDDEN, linewidth=2.5)
        top = one.get_ylim()[1]
        write(one, unit + 0.02, 0.93 * top, "the unit", HIDDEN)
        one.set_title(name, fontsize=SMALL)
        one.set(xlabel="F1", xlim=(0, 0.8), ylabel="random directions" if place == 0 else "")
        share = (values >= unit - 1e-9).mean()
        parts.append(f"{name}: F1 {unit:.2f}, and {100 * share:.0f} % of {len(values):,} random directions do as well")
    return figure, Caption("What random directions reach, beside two units.", f"{'; '.join(parts)}.")

"""Figures of lesson 15, on a real model. Where the model is missing they are drawn from the record of its results."""

import numpy as np
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from courseware.arguments import array
from courseware.formats import minus
from courseware.page.caption import Caption
from courseware.page.style import (
    DIVERGING,
    HIDDEN,
    INPUT,
    LOW,
    OUTPUT,
    REFERENCE,
    SMALL,
    TALL,
    blank,
    ink,
    styled,
    write,
)
from lessons.real_model.record import recorded

PARAMETERS, EMBEDDING, LAYERS = 134_515_008, 28_311_552, 30
EVEN = np.log(49_152)  # the loss of guessing evenly among all tokens


@styled
def opening() -> tuple[Figure, str]:
    """Draw all numbers of the model as one area, and in it the place of one of them."""
    figure, axes = blank(LOW)
    share = EMBEDDING / PARAMETERS
    axes.add_patch(Rectangle((0, 0), share, 1, facecolor=INPUT, alpha=0.25))
    width = (1 - share) / LAYERS
    for layer in range(LAYERS):
        left = share + layer * width
        look = {"facecolor": HIDDEN, "alpha": 0.55 if layer == 11 else 0.2, "edgecolor": "white", "linewidth": 1}
        axes.add_patch(Rectangle((left, 0), width, 1, **look))
    place = share + 11.8 * width
    axes.plot([place], [0.12], "o", color=OUTPUT, markersize=7, markeredgecolor="white")
    axes.annotate(
        "this one",
        (place, 0.1),
        (place, -0.16),
        color=OUTPUT,
        ha="center",
        va="top",
        fontsize=10,
        arrowprops={"arrowstyle": "-", "color": OUTPUT},
        annotation_clip=False,
    )
    axes.text(0, 1.04, f"embedding: {EMBEDDING:,}", color=INPUT, va="bottom")
    axes.text(1, 1.04, f"30 layers: {PARAMETERS - EMBEDDING:,}", color=HIDDEN, va="bottom", ha="right")
    axes.set(xlim=(0, 1), ylim=(-0.3, 1.2))
    axes.axis("off")
    message = f"The {PARAMETERS:,} numbers of a language model as an area, and the place of one of them, in layer 12."
    return figure, Caption(message, "The dot is drawn far too large.")


@recorded
@styled
def left_out(ffns, attentions) -> tuple[Figure, str]:
    """Show how much loss each FFN and each attention adds when it alone is left out.

    Args:
        ffns, attentions: added loss in nats a token, by layer: (30,) each.
    """
    ffns, attentions = (
        array("ffns", ffns, ("layers",), sizes := {}),
        array("attentions", attentions, ("layers",), sizes),
    )
    figure, panels = blank(TALL, rows=2, sharex=True, sharey=True)
    numbers = np.arange(1, len(ffns) + 1)
    top = max(ffns.max(), attentions.max())
    for axes, values, name, color in zip(
        panels, (ffns, attentions), ("FFN", "attention"), (HIDDEN, REFERENCE), strict=True
    ):
        axes.bar(numbers, values, color=color, width=0.8)
        for number in np.flatnonzero(values > 0.9):
            axes.text(number + 1, values[number] + 0.2, f"{values[number]:.1f}", ha="center", fontsize=SMALL)
        axes.set(
            ylim=(min(0, ffns.min(), attentions.min()), top + 1.6), ylabel="added loss", title=f"without one {name}"
        )
    panels[1].set(xlabel="layer (ours, from 1)", xticks=[1, 5, 10, 15, 20, 25, 30], xlim=(0.2, 30.8))
    order = np.argsort(-ffns, kind="stable")
    message = (
        f"Leaving out FFN {order[0] + 1} adds {ffns[order[0]]:.1f} to the loss, FFN {order[1] + 1} {ffns[order[1]]:.1f}; "
        f"of the 30 FFNs {(ffns > 0.5).sum()} add more than 0.5."
    )
    most = np.flatnonzero(attentions > 1) + 1
    data = f"Attentions that add more than 1: those of layers {' and '.join(map(str, most))}. Mean of three texts, in nats a token."
    return figure, Caption(message, data)


@recorded
@styled
def one_number(losses, rows) -> tuple[Figure, str]:
    """Show what changes of one column cost, and what they make of the first token's row.

    Args:
        losses: change -> loss in nats a token; the first is the intact model.
        rows: change -> (what the row has in feature 507, the length of all its other features).
    """
    figure, (top, low) = blank(TALL, rows=2, height_ratios=(1.5, 1))
    names, values = list(losses), np.array(list(losses.values()))
    base = values[0]
    for number, value in enumerate(values):
        y = len(names) - number
        harmed = value - base > 0.5
        top.barh(y, base, color=REFERENCE, alpha=0.45, height=0.6)
        top.barh(y, max(value - base, 0), left=base, color=OUTPUT if harmed else REFERENCE, height=0.6)
        label = f"{base:.1f}" if not number else f"+{max(value - base, 0):.1f}"
        top.text(max(value, base) + 0.15, y, label, va="center", fontsize=SMALL, weight="bold" if harmed else "normal")
    top.axvline(EVEN, color=REFERENCE, linestyle="--", linewidth=1)
    top.text(EVEN, len(names), "guessing evenly ", ha="right", va="center", fontsize=SMALL, color=REFERENCE)
    top.set_yticks(range(len(names), 0, -1), names, fontsize=SMALL)
    top.tick_params(axis="y", length=0)
    top.set_xticks([0, 5, 10, 15])
    top.set(xlim=(0, max(values.max() + 3, EVEN + 2)), ylim=(0.4, len(names) + 0.6), xlabel="loss, nats a token")
    looks = {
        "as it is": (REFERENCE, ":"),
        "the entry at 0": (OUTPUT, "-"),
        "its whole unit at 0": (HIDDEN, "--"),
        "the rest × 4": (INPUT, "-."),
        "both entries at 0": (OUTPUT, (0, (1, 1))),
    }
    turned = np.linspace(0, np.pi / 2, 60)
    low.plot(np.cos(turned), np.sin(turned), color=REFERENCE, linewidth=0.6)
    shares, heights = {}, []
    for name, (along, others) in rows.items():
        length = np.hypot(along, others)
        shares[name] = others / length
        color, line = looks[name]
        low.plot([0, along / length], [0, others / length], color=color, linestyle=line)
    for name, share in sorted(shares.items(), key=lambda item: item[1]):
        y = max([share, *(height + 0.16 for height in heights[-1:])])
        heights.append(y)
        angle = np.arcsin(min(share, 1))
        low.text(
            np.cos(angle) + 0.05, y, f"{100 * share:.0f} %, {name}", color=looks[name][0], va="center", fontsize=SMALL
        )
    low.set(
        xlim=(0, 2.8),
        ylim=(0, 1.12),
        aspect="equal",
        xticks=[],
        yticks=[],
        xlabel="feature 507",
        ylabel="the 575 others",
    )
    low.xaxis.set_label_coords(0.18, -0.03)
    low.set_title("the first token's row, after the norm")
    added = {name: value - base for name, value in losses.items()}
    message = (
        f"With the entry at 0 everything but feature 507 grows from {100 * shares['as it is']:.0f} to {100 * shares['the entry at 0']:.0f} % "
        f"of the first token's row, and the loss by {added['the entry at 0']:.1f}; with the whole unit at 0 it is {100 * shares['its whole unit at 0']:.0f} %, and the loss grows by "
        f"{added['its whole unit at 0']:.1f}."
    )
    return figure, Caption(
        message,
        "Losses: mean of three texts. Rows: mean of their first tokens after FFN 12; all arrows have one length, as after RMSNorm.",
    )


@recorded
@styled
def parting(pairs, apart, units) -> tuple[Figure, str]:
    """Show how the rows of two equal words move apart over the layers, and how many hidden units can tell them apart.

    Args:
        pairs: difference of the two rows of "bank", divided by their mean length, (pairs, 31), before each layer.
        apart: the same with all attentions left out.
        units: by layer, how many units separate six sentences from six, (30,).
    """
    pairs = array("pairs", pairs, ("pairs", "places"), sizes := {})
    apart, units = array("apart", apart, ("pairs", "places"), sizes), array("units", units, ("layers",)).astype(int)
    figure, (top, low) = blank(TALL, rows=2, sharex=True, height_ratios=(1.3, 1))
    places = np.arange(pairs.shape[1])
    top.plot(places, pairs.T, color=OUTPUT, linewidth=0.6)
    top.plot(places, pairs.mean(axis=0), color=OUTPUT, linewidth=2.5)
    top.plot(places, apart.max(axis=0), color=INPUT, linewidth=2.5, linestyle="--")
    write(top, 7, 0.62 * pairs.mean(axis=0)[12], "“bank” of a river and “bank” of money", OUTPUT)
    write(top, 12, 0.05, "the same, without any attention", INPUT, va="bottom")
    top.set(ylim=(-0.03, None), ylabel="difference of the two\nrows ÷ their length")
    low.bar(places[1:] - 0.5, 100 * units / 1536, color=HIDDEN, width=0.8)
    low.axhline(100 / 462, color=REFERENCE, linestyle="--", linewidth=1)
    write(low, 13, 13, "dashed: by chance, 0.2 %", REFERENCE)
    low.set(xlabel="layers passed", ylabel="% of the 1,536\nunits that can tell", xlim=(-0.3, 30.4))
    message = (
        f"Without attention the two rows stay equal, up to rounding; with it they part within ten layers, and then "
        f"about {round(int(units.sum()), -3):,} of {1536 * len(units):,} hidden units tell the two banks apart, one in {1536 * len(units) / units.sum():.0f}."
    )
    return figure, Caption(
        message,
        f"Above: {len(pairs)} pairs of sentences (thin) and their mean. Below: units whose values at six river sentences all lie "
        f"above, or all below, those at six money sentences; most are in layer {int(units.argmax()) + 1} (about {round(int(units.max()), -1)} units).",
    )


@recorded
@styled
def crossing(layers, country, last, unseen, right) -> tuple[Figure, str]:
    """Show in which layers the row of a country, or that of the last word, decides which capital is named.

    Args:
        layers: before which layers one row is exchanged, in the code's numbers.
        country, last: how many of 24 then name the other country's capital.
        unseen: layers in which the last word may not look at the country; right: how many of 24 are right then.
    """
    layers, unseen = array("layers", layers, ("n",), sizes := {}), array("unseen", unseen, ("m",), sizes)
    country, last = array("country", country, ("n",), sizes), array("last", last, ("n",), sizes)
    right = array("right", right, ("m",), sizes)
    figure, (top, low) = blank(TALL, rows=2, sharex=True, height_ratios=(1.6, 1))
    for values, name, color, line in (
        (country, "row of the country", INPUT, "-"),
        (last, "row of the last word, “is”", OUTPUT, "--"),
    ):
        top.plot(layers, values, color=color, linestyle=line, marker="o", markersize=3)
        place = 1 if values[0] > 12 else len(layers) - 7
        write(top, layers[place], 18, name, color)
    top.set(ylim=(-1, 26), yticks=[0, 12, 24], ylabel="of 24 that name the\nother's capital")
    low.bar(unseen, right, color=REFERENCE, width=0.8)
    for layer, count in zip(unseen, right, strict=True):
        if count < 12:  # the others have no room for their numbers
            low.text(layer, count + 0.8, f"{count:.0f}", ha="center", fontsize=SMALL)
    low.set(ylim=(0, 31), yticks=[0, 12, 24], ylabel="right answers", xlabel="layer (code's numbers, from 0)")
    write(low, 0, 10, "“is” may not look at the\ncountry in this one layer:", REFERENCE)
    gone = min(zip(right, unseen, strict=True))
    message = (
        f"Exchanged before layer {layers[0]:.0f}, the row of the country decides in {country[0]:.0f} of 24 cases; before layer 24 the row of "
        f"the last word does, in {last[layers.tolist().index(24)]:.0f}."
    )
    return figure, Caption(
        message,
        f"Where “is” may not look at the country in layer {gone[1]:.0f} alone, {gone[0]:.0f} of 24 answers are right.",
    )


@recorded
@styled
def microscope(tokens, ffn, unit, values, field, full, written, expected) -> tuple[Figure, str]:
    """Draw what the microscope shows of a text at its last token.

    Args:
        tokens: of the text. ffn: counts from 1. unit: whose `values` at the tokens are painted.
        field: the values of all units at the last token, (d_ff,). full: the value of the full colour.
        written: the length of what each FFN writes there, divided by that of the row it is added to.
        expected: token -> its probability to come next.
    """
    values, field = array("values", values, ("tokens",)), array("field", field, ("units",))
    written = array("written", written, ("ffns",))
    figure = Figure(figsize=TALL)
    shades = DIVERGING(0.5 + 0.5 * _strength(np.array(field), full)).reshape(32, 48, 4)
    wide = [2 + 1.6 * len(token.strip()) for token in tokens]
    most = max(sum(wide) + len(wide), 96)
    text = figure.add_axes((0.02, 0.76, 0.96, 0.23), xlim=(0, most), ylim=(0, 22))
    for index, (token, value) in enumerate(zip(tokens, values, strict=True)):
        color, x = DIVERGING(0.5 + 0.5 * _strength(value, full)), sum(wide[:index]) + index
        text.add_patch(Rectangle((x, 9), wide[index], 9, facecolor=color, edgecolor="#CCCCCC", linewidth=0.7))
        look = {"ha": "center", "va": "center_baseline"}
        text.text(x + wide[index] / 2, 13.2, token.strip(), color=ink(color), fontsize=960 / most, **look)
        text.text(x + wide[index] / 2, 4, _signed(value), fontsize=960 / most, **look)
    bars = figure.add_axes((0.83, 0.2, 0.08, 0.42))
    top = max(expected.values())
    for index, (token, p) in enumerate(expected.items()):
        bars.barh(-index, p, color=INPUT, alpha=0.45, height=0.7)
        bars.text(
            -0.05,
            -index,
            token.replace(" ", "␣"),
            ha="right",
            va="center_baseline",
            transform=bars.get_yaxis_transform(),
        )
        bars.text(p + 0.05 * top, -index, f"{100 * p:.0f} %", va="center_baseline")
    bars.set_title("it expects", loc="center")
    ffns = figure.add_axes((0.07, 0.05, 0.14, 0.6), ylim=(len(written) + 0.5, 0.5))
    colors = [HIDDEN if number == ffn else "#8FD1BC" for number in range(1, len(written) + 1)]
    ffns.barh(range(1, len(written) + 1), np.minimum(written, 1), color=colors, height=0.75)
    for number in np.flatnonzero(np.array(written) > 1):
        ffns.text(1.03, number + 1, f"× {written[number]:.0f}", va="center_baseline")
    ffns.set_yticks([1, 5, 10, 15, 20, 25, 30], [1, 5, 10, 15, 20, 25, 30])
    ffns.set_title(f"{len(written)} FFNs", loc="left")
    cells = figure.add_axes((0.29, 0.05, 0.46, 0.6))
    cells.pcolormesh(shades, edgecolors="white", linewidth=0.4)
    cells.invert_yaxis()
    cells.tick_params(which="both", length=0)
    cells.add_patch(Rectangle((unit % 48, unit // 48), 1, 1, fill=False, linewidth=1.6))
    cells.set_title(f"FFN {ffn}: {len(field):,} units at “{tokens[-1].strip()}”", loc="left")
    for axes in (text, bars, ffns, cells):
        axes.set(xticks=[], **({} if axes is ffns else {"yticks": []}))
        axes.spines[:].set_visible(False)
    order = sorted(range(len(values)), key=lambda index: -abs(values[index]))[:2]
    strongest = " and ".join(f"{_signed(values[index])} at “{tokens[index].strip()}”" for index in order)
    message = (
        f"Unit {unit} of FFN {ffn} in the real model: {strongest}; in the running notebook you can type, point at "
        "other units, and switch parts off."
    )
    near = round(sum(abs(value) < 0.05 for value in field), -1)
    data = (
        f"Vermilion is above 0, blue below; full colour is {full:.1f}, the largest value of FFN {ffn} but for the first token. "
        f"About {near} of the {len(field):,} values lie within ±0.05. What an FFN writes is divided by the row it is added to."
    )
    return figure, Caption(message, data)


def _strength(values, full):
    """Return how strongly values are painted, from -1 to 1."""
    return np.sign(values) * np.minimum(np.abs(values) / full, 1) ** 0.6


def _signed(value):
    return "0" if abs(value) < 0.05 else minus(f"{value:,.{0 if abs(value) >= 10 else 1}f}")

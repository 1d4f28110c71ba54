"""Figures of lesson 06: parameters and operations."""

from itertools import pairwise

import numpy as np
from matplotlib.figure import Figure

from course_lib.model import accounting
from courseware.arguments import array, integer
from courseware.formats import three_digits
from courseware.page.caption import Caption
from courseware.page.interactive import Interactive
from courseware.page.style import (
    HIDDEN,
    INPUT,
    LINES,
    MARKERS,
    OUTPUT,
    REFERENCE,
    SINGLE,
    SMALL,
    TALL,
    WIDE,
    blank,
    styled,
    write,
)

# Each part has a colour and a pattern of its own, so that no colour is needed to tell the parts apart.
_LOOKS = (
    {"facecolor": HIDDEN},
    {"facecolor": INPUT, "hatch": "///"},
    {"facecolor": "#BBBBBB", "hatch": "..."},
    {"facecolor": OUTPUT, "hatch": "xxx"},
)
_MILLION = 1e6


@styled
def layer_bars(layers, parts, shares) -> tuple[Figure, str]:
    """Draw one bar for each kind of layer, divided into its parts.

    Args:
        layers: the names of the layers, from top to bottom.
        parts: the names of the parts, at most four.
        shares: between 0 and 1, shape (layers, parts); every row has the sum 1.
    """
    shares = _shares(shares, layers=layers, parts=parts)
    figure, axes = blank(WIDE)
    lefts = np.cumsum(shares, axis=1) - shares
    for index, (part, look) in enumerate(zip(parts, _LOOKS, strict=False)):
        axes.barh(range(len(layers)), 100 * shares[:, index], 0.5, 100 * lefts[:, index], edgecolor="white", **look)
        for row, share in enumerate(shares[:, index]):
            _name_part(axes, 100 * (lefts[row, index] + share / 2), row, f"{part} {_percent(share)}", share > 0.15)
    axes.set(xlabel="share of the layer's parameters (%)", xlim=(0, 100), yticks=range(len(layers)))
    axes.set_yticklabels(layers)
    axes.set_ylim(len(layers) - 0.4, -0.4)
    sentences = (
        f"{layer} " + ", ".join(f"{part} {_percent(share)}" for part, share in zip(parts, row, strict=True))
        for layer, row in zip(layers, shares, strict=True)
    )
    first = ", ".join(f"{_percent(share)} of the {layer}" for layer, share in zip(layers, shares[:, 0], strict=True))
    message = f"Share of the parameters that sit in the {parts[0]}: {first}."
    return figure, Caption(message, f"Where the parameters of one layer sit: {'; '.join(sentences)}.")


def _name_part(axes, middle, row, words, inside):
    """Write the name of a part inside its bar, or below it with a line to it."""
    if inside:
        write(axes, middle, row, words, "black", ha="center", va="center")
        return
    tip, place = (middle, row + 0.25), (middle - 1, row + 0.44)
    arrow = {"arrowstyle": "-", "color": REFERENCE}
    axes.annotate(words, tip, place, arrowprops=arrow, fontsize=SMALL, ha="right", va="center")


@styled
def model_bars(names, parts, shares) -> tuple[Figure, str]:
    """Draw one bar for each model, divided into its parts, in two columns.

    Args:
        names: the names of the models, in the order of the bars.
        parts: the names of the parts, at most four; the first one is written out in per cent.
        shares: between 0 and 1, shape (models, parts); every row has the sum 1.
    """
    shares = _shares(shares, models=names, parts=parts)
    half = (len(names) + 1) // 2
    figure, many = blank(TALL, columns=2, sharex=True)
    for axes, rows in zip(many, (slice(0, half), slice(half, None)), strict=True):
        _draw_models(axes, names[rows], parts, shares[rows])
        axes.set_ylim(half - 0.5, -0.5)
    figure.supxlabel("share of the model's parameters (%)", fontsize=SMALL)
    handles, labels = many[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=len(parts), fontsize=SMALL)
    low, high = shares[:, 0].argmin(), shares[:, 0].argmax()
    message = (
        f"In {len(names)} models, the share of the {parts[0]} ranges from {_percent(shares[low, 0])} ({names[low]}) "
        f"to {_percent(shares[high, 0])} ({names[high]})."
    )
    rest = (
        f"Each bar is divided into {', '.join(parts[:-1])} and {parts[-1]}; the number is the share of the {parts[0]}."
    )
    return figure, Caption(message, rest)


def _draw_models(axes, names, parts, shares):
    """Draw the bars of one column."""
    lefts = np.cumsum(shares, axis=1) - shares
    for index, (part, look) in enumerate(zip(parts, _LOOKS, strict=False)):
        widths, starts = 100 * shares[:, index], 100 * lefts[:, index]
        axes.barh(range(len(widths)), widths, 0.78, starts, edgecolor="white", linewidth=0.5, label=part, **look)
    ground = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "pad": 0.4}
    for row, share in enumerate(shares[:, 0]):
        axes.text(2, row, f"{100 * share:.0f} %", fontsize=SMALL, color="black", va="center", bbox=ground)
    axes.set(xlim=(0, 100), yticks=range(len(names)))
    axes.set_yticklabels(names, fontsize=SMALL)
    axes.tick_params(axis="y", length=0)


@styled
def cost_by_length(lengths, ffn: float, projections: float, mixing) -> tuple[Figure, str]:
    """Plot the multiply–adds per token of the FFN and of attention against the sequence length.

    Args:
        lengths: rising sequence lengths in tokens, shape (n,).
        ffn, projections: multiply–adds per token, the same at every length.
        mixing: multiply–adds per token of scores and weighted sums, shape (n,).
    """
    sizes = {}
    lengths, mixing = array("lengths", lengths, ("n",), sizes), array("mixing", mixing, ("n",), sizes)
    figure, axes = blank(WIDE)
    attention, end = projections + mixing, lengths[-1]
    lines = (
        (mixing * 0 + ffn, HIDDEN, "FFN"),
        (attention, INPUT, "all of attention"),
        (mixing, INPUT, "scores and mixing alone"),
        (mixing * 0 + projections, REFERENCE, "projections alone"),
    )
    places = _spread([values[-1] / _MILLION for values, _, _ in lines], max(attention.max(), ffn) / _MILLION / 14)
    for (values, color, name), line, place in zip(lines, LINES, places, strict=True):
        axes.plot(lengths, values / _MILLION, color=color, linestyle=line)
        axes.text(end * 1.015, place, name, color=color, fontsize=SMALL, va="center")
    found = (_crossing(lengths, attention - ffn), _crossing(lengths, mixing - ffn))
    for length in (one for one in found if one is not None):
        axes.plot(length, ffn / _MILLION, "o", color="black", zorder=5)
        write(axes, length, ffn / _MILLION * 1.12, f"{length:,.0f} tokens", "black", ha="right", va="bottom")
    axes.set(xlabel="sequence length (tokens)", ylabel="million multiply–adds per token")
    axes.set(xlim=(0, end * 1.32), ylim=(0, None))
    axes.set_xticks([tick for tick in axes.get_xticks() if tick <= end])
    return figure, _cost_in_words(end, ffn, attention, found)


def _spread(heights, gap):
    """Move heights apart, upwards, until each is at least a gap above the one below it."""
    order, moved = np.argsort(heights, kind="stable"), np.array(heights, dtype=float)
    for below, above in pairwise(order):
        moved[above] = max(moved[above], moved[below] + gap)
    return moved


def _cost_in_words(end, ffn, attention, found):
    cost = three_digits(ffn / _MILLION)
    start = f"Up to {end:,.0f} tokens, the FFN costs {cost} million multiply–adds per token at any length."
    all_of_it, alone = found
    if all_of_it is None:
        way = "more than the FFN at every length" if attention[0] > ffn else "less than the FFN at every length shown"
        at_the_end = three_digits(attention[-1] / _MILLION)
        return Caption(f"All of attention costs {way}: {at_the_end} million multiply–adds per token at the end.", start)
    shorter = f"All of attention costs as much as the FFN at {all_of_it:,.0f} tokens, its scores and mixing alone "
    return Caption(shorter + ("at no length shown." if alone is None else f"at {alone:,.0f}."), start)


@styled
def time_ratio(lengths, measured, counted) -> tuple[Figure, str]:
    """Plot attention's cost divided by the FFN's against the sequence length: as measured, and as counted.

    Args:
        lengths: rising sequence lengths in tokens, shape (n,).
        measured: time of attention / time of the FFN, shape (n,).
        counted: multiply–adds of attention / multiply–adds of the FFN, shape (n,).
    """
    sizes = {}
    lengths = array("lengths", lengths, ("n",), sizes)
    measured, counted = array("measured", measured, ("n",), sizes), array("counted", counted, ("n",), sizes)
    figure, axes = blank(SINGLE)
    axes.axhline(1, color=REFERENCE, linewidth=1)
    sentences, end = [], lengths[-1] * 1.1
    curves = (
        (measured, counted, OUTPUT, "measured time"),
        (counted, measured, INPUT, "counted\noperations"),
    )
    for (values, others, color, name), marker, line in zip(curves, MARKERS, LINES, strict=False):
        axes.plot(lengths, values, color=color, marker=marker, linestyle=line)
        side = "bottom" if values[-1] > others[-1] else "top"  # so that the two names never overlap
        axes.text(end, values[-1], name, color=color, fontsize=SMALL, va=side)
        sentences.append(f"{name.split()[0]}, at {_equal_cost(lengths, values)}")
    _double_logarithmic(axes, lengths, np.concatenate([measured, counted]))
    write(axes, lengths[0], 1.06, "equal cost", REFERENCE, va="bottom")
    message = f"Attention costs as much as the FFN: as {'; as '.join(sentences)}."
    return figure, Caption(message, "The vertical axis is attention's cost divided by the FFN's.")


def _equal_cost(lengths, ratios):
    """Say at which length the ratio passes 1."""
    crossing = _crossing(np.log(lengths), np.log(ratios))
    return "no length shown here" if crossing is None else f"about {float(f'{np.exp(crossing):.2g}'):,.0f} tokens"


def _double_logarithmic(axes, lengths, ratios):
    """Scale both axes by powers of 2, with a tick for every length and for every power that the ratios reach."""
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    axes.set(xlabel="sequence length (tokens)", ylabel="attention / FFN", xlim=(lengths[0] / 1.2, lengths[-1] * 3))
    axes.set_xticks(lengths, [f"{length:g}" for length in lengths])
    low, high = np.log2([ratios.min(), ratios.max()])
    axes.set_yticks(2.0 ** np.arange(np.floor(low), np.ceil(high) + 1))
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, position: f"{value:g}")


_NAMED = ((0, 0), (0, 1), (1, 0), (1, 1), (1, 2))  # row and part of what is written out in per cent


@styled
def share_explorer(d_model: int) -> Interactive:
    """Show the shares of an encoder layer's parameters and operations for a width and a sequence length.

    The update function takes `ratio`, d_ff / d_model, and `seq_len` in tokens. Biases and norms are counted among the
    parameters; the operations are the multiply–adds per token of the matrix products.

    Args:
        d_model: features of a token.
    """
    d_model = integer("d_model", d_model)
    figure, moving = _two_bars()

    def update(ratio, seq_len):
        d_ff = max(1, round(float(ratio) * d_model))
        rows = _two_rows_of_shares(d_model, d_ff, integer("seq_len", seq_len))
        lefts = np.cumsum(rows, axis=1) - rows
        data = {
            "bars": [
                {"x": 100 * left, "width": 100 * value}
                for left, value in zip(lefts.T.ravel(), rows.T.ravel(), strict=True)
            ],
            "words": [_in_the_middle(lefts[place], rows[place]) for place in _NAMED],
        }
        message = (
            f"d_model = {d_model}, d_ff = {d_ff:,}, {seq_len:,} tokens: the FFN has {_percent(rows[0, 0])} of the "
            f"layer's parameters and {_percent(rows[1, 0])} of its multiply–adds."
        )
        equal = _where(accounting.crossover_length(d_model, d_ff))
        return data, Caption(message, f"Attention costs as much as the FFN {equal}.")

    return Interactive(figure, update, moving)


def _two_bars():
    """Draw the bars of parameters and of operations, each of four parts without width, and the line at one half."""
    figure, axes = blank(WIDE)
    parts = ("FFN", "attention: projections", "attention: scores and mixing", "layer norm")
    looks = (_LOOKS[0], _LOOKS[1], {"facecolor": "white", "hatch": "\\\\\\", "edgecolor": INPUT}, _LOOKS[3])
    bars = []
    for part, look in zip(parts, looks, strict=True):
        bars += axes.barh([0, 1], [0, 0], 0.55, label=part, **({"edgecolor": "white"} | look))
    half = axes.axvline(50, color="black", linestyle="--", linewidth=1, zorder=4)
    words = [write(axes, 0, row, "", "black", ha="center", va="center", zorder=5) for row, _ in _NAMED]
    axes.set(xlim=(0, 100), xlabel="share (%)", yticks=[0, 1])
    axes.set_ylim(1.5, -0.5)
    axes.set_yticklabels(["parameters", "multiply–adds\nper token"])
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, fontsize=SMALL, columnspacing=1.2)
    return figure, {"bars": bars, "half": half, "words": words}  # the line stands still, but in front of the bars


def _two_rows_of_shares(d_model, d_ff, seq_len):
    """Return the shares of the four parts in the parameters and in the operations, shape (2, 4)."""
    share = accounting.layer_share(d_model, d_ff)
    costs = np.array(
        [
            accounting.ffn_multiply_adds(d_model, d_ff),
            accounting.projection_multiply_adds(d_model),
            accounting.mixing_multiply_adds(d_model, seq_len),
            0,  # norms have no matrix product
        ]
    )
    return np.array([[share["ffn"], share["attention"], 0, share["norm"]], costs / costs.sum()])


def _in_the_middle(left, value):
    """Return the properties of the words in a part of a bar; a small part has none."""
    shown = bool(value > 0.05)
    return {"x": 100 * (left + value / 2), "text": _percent(value) if shown else "", "visible": shown}


def _where(length):
    return f"at {length:,} tokens" if length else "or more at every length"


def _percent(share):
    return f"{100 * share:#.3g}".rstrip(".") + " %"


def _shares(shares, **names):
    """Check shares that have a row for each of the first names and a column for each of the second."""
    shares = array("shares", shares, tuple(names), {axis: len(each) for axis, each in names.items()})
    if shares.shape[1] > len(_LOOKS):
        raise ValueError(f"parts must be at most {len(_LOOKS)} names, but {shares.shape[1]} were given.")
    if not np.allclose(shares.sum(axis=1), 1) or shares.min() < 0:
        raise ValueError("every row of shares must hold fractions from 0 to 1 whose sum is 1.")
    return shares


def _crossing(x, y):
    """Return the x at which y first rises through 0, by interpolation, or None."""
    rises = np.flatnonzero((y[:-1] <= 0) & (y[1:] > 0))
    if not len(rises):
        return x[-1] if y[-1] == 0 else None
    i = rises[0]
    return float(x[i] + (x[i + 1] - x[i]) * -y[i] / (y[i + 1] - y[i]))

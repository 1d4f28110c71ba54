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
    LOW,
    OUTPUT,
    REFERENCE,
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
def border_explorer() -> Interactive:
    """Draw the matrices of one layer as twelve squares of d_model × d_model, with a border that the reader moves.

    The update function takes `squares`, how many of them the reader gives to the FFN.
    """
    figure, axes = blank(LOW)
    sides = [_draw_squares(axes, 12, look) for look in _LOOKS[:2]]
    words = [write(axes, 0, 2.15, "", color, ha="center") for color in (HIDDEN, INPUT)]
    _only_squares(axes, 12)

    def update(squares):
        ffn = integer("squares", squares, 0, 12)
        shown = {"bars": [{"visible": (i < ffn) == first} for first in (True, False) for i in range(12)]}
        places = ("FFN", ffn / 4, ffn), ("attention", (12 + ffn) / 4, 12 - ffn)
        shown["words"] = [{"x": x, "text": name, "visible": bool(held)} for name, x, held in places]
        caption = f"With this border, the FFN has {ffn} of the 12 squares, and attention has {12 - ffn}."
        return shown, Caption(caption, "Each square is d_model · d_model weights; biases and norms are left out.")

    return Interactive(figure, update, {"bars": sides[0] + sides[1], "words": words})


@styled
def layer_areas(d_model: int, d_ff: int) -> tuple[Figure, str]:
    """Draw the matrices of an encoder layer and of a decoder layer as areas, in squares of d_model × d_model."""
    figure, many = blank(LOW, columns=2, width_ratios=(3, 4))
    held = 2 * d_ff / d_model
    shares = []
    for axes, name, attentions in zip(many, ("encoder layer", "decoder layer"), (1, 2), strict=True):
        ffn, squares = round(held), round(held) + 4 * attentions
        for bar in _draw_squares(axes, squares, _LOOKS[1])[:ffn]:
            bar.set(hatch="", **_LOOKS[0])
        share = accounting.layer_share(d_model, d_ff, decoder=attentions == 2)
        shares.append(f"{_percent(share['ffn'])} of the {name}")
        write(axes, ffn / 4, 2.15, f"FFN {_percent(share['ffn'])}", HIDDEN, ha="center")
        write(axes, (ffn + squares) / 4, 2.15, f"attention {_percent(share['attention'])}", INPUT, ha="center")
        axes.set_title(name, y=-0.15, loc="center")
        _only_squares(axes, squares)
    message = f"Share of the parameters that sit in the FFN: {' and '.join(shares)}."
    rest = f"Each square is {d_model} · {d_model} weights. The shares count biases and norms too, which are too small to draw."
    return figure, Caption(message, rest)


def _draw_squares(axes, count, look):
    """Draw squares column by column, two in each."""
    return [axes.bar(i // 2 + 0.5, 1, 0.96, i % 2, edgecolor="white", **look)[0] for i in range(count)]


def _only_squares(axes, count):
    axes.set(xlim=(-0.1, count / 2 + 0.1), ylim=(-0.05, 2.5), aspect="equal")
    axes.set_axis_off()


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
def time_per_token(record) -> tuple[Figure, str]:
    """Draw the recorded time of a token that passes the FFN alone, and of one among many.

    Args:
        record: what `measured.toml` holds.
    """
    figure, axes = blank(WIDE)
    times = {int(tokens): time for tokens, time in record["tokens"].items()}
    names = ["1 token alone", *(f"one of {tokens}" for tokens in list(times)[1:]), "adding up all weights"]
    values = [*times.values(), record["adding"]]
    bars = axes.barh(names, values, 0.65, color=[HIDDEN] * len(times) + [REFERENCE])
    axes.bar_label(bars, [f"{value:,} µs" for value in values], padding=3, fontsize=SMALL)
    axes.set(xlabel="CPU time per token (microseconds)", xlim=(0, max(values) * 1.12))
    axes.invert_yaxis()
    most = max(times)
    message = f"A token alone took {three_digits(times[1] / times[most])} times as long as one of {most}."
    added = round(100 * record["adding"] / times[1])
    rest = f"Adding up all weights, which multiplies nothing, took {added} % of one token's time. {_conditions(record)}"
    return figure, Caption(message, rest)


@styled
def activation_time(record) -> tuple[Figure, str]:
    """Draw the recorded share of an FFN's time that its activation takes, at two widths.

    Args:
        record: what `measured.toml` holds.
    """
    figure, axes = blank(WIDE)
    for place, (d_model, shares) in enumerate(record["activations"].items()):
        rows = np.arange(len(shares)) + 0.36 * place - 0.18
        bars = axes.barh(rows, shares.values(), 0.34, label=f"d_model = {d_model}", edgecolor="white", **_LOOKS[place])
        axes.bar_label(bars, [f"{share} %" for share in shares.values()], padding=3, fontsize=SMALL)
    axes.set(xlabel="time of the activation (% of the whole FFN's time)", yticks=range(len(shares)))
    axes.set_yticklabels(shares)
    axes.set_xlim(0, 1.12 * max(max(each.values()) for each in record["activations"].values()))
    axes.invert_yaxis()
    axes.legend(loc="center right", fontsize=SMALL)
    low, high = (
        f"at d_model {d_model}: " + ", ".join(f"{name} {share} %" for name, share in shares.items())
        for d_model, shares in record["activations"].items()
    )
    return figure, Caption(f"Share of the FFN's time {low}.", f"The same {high}. {_conditions(record)}")


def _conditions(record):
    return f"Recorded on {record['machine']}, torch {record['torch']}, float32."


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

"""Figures of lesson 05: position independence."""

import numpy as np
from matplotlib.figure import Figure

from courseware.arguments import array, choice, items
from courseware.formats import three_digits
from courseware.page import stages
from courseware.page.caption import Caption
from courseware.page.interactive import Interactive
from courseware.page.style import (
    HIDDEN,
    INPUT,
    ONE_SIDED,
    OUTPUT,
    SMALL,
    WIDE,
    blank,
    ink,
    styled,
)

_PATTERNS = {
    "only the diagonal": np.eye,
    "every entry": lambda n: np.ones((n, n)),
    "the diagonal and everything below it": lambda n: np.tri(n),
}
_BETWEEN = [0.1, 0.9]  # heights of the two ends of a link, between the words below and those above


_SEEN = 0.18  # share of the largest change, as which a smaller one is drawn, so that blank means none


@styled
def influence_maps(words, matrices, names) -> tuple[Figure, str]:
    """Draw influence matrices side by side on one scale: how far output row i moves when input row j changes.

    Args:
        words: the words of the sequence, n of them.
        matrices: one matrix for each layer, shape (n, n), not negative; row i is the output, column j the input.
        names: one name for each layer.
    """
    words = _checked_words(words)
    matrices = [_matrix(matrix, words) for matrix in _one_for_each("matrices", matrices, names)]
    top = max(matrix.max() for matrix in matrices)
    figure, many = blank(WIDE, columns=len(matrices), sharey=True)
    parts = []
    for axes, matrix, name in zip(np.atleast_1d(many), matrices, names, strict=True):
        picture = axes.imshow(matrix, cmap=ONE_SIDED, vmin=0, vmax=top, aspect="auto")
        for (i, j), value in np.ndenumerate(matrix):
            color = ink(picture.to_rgba(value)[:3])
            axes.text(j, i, _short(value), ha="center", va="center", fontsize=SMALL, color=color)
        _word_ticks(axes, words)
        axes.set(title=name, xlabel="input row changed")
        parts.append(f"{name}, {_pattern(matrix)} ({np.count_nonzero(matrix)} of {matrix.size})")
    np.atleast_1d(many)[0].set_ylabel("output row")
    rest = "How far each output row (down) moves when one input row (across) changes by a vector of length 1."
    return figure, Caption(f"Entries other than zero: {'; '.join(parts)}.", rest)


@styled
def changes_on_the_way(words, before, after) -> tuple[Figure, str]:
    """Show by how much each number changes at the four stages of an FFN when words of the sequence are replaced.

    Args:
        words: the words of the sequence, n of them.
        before, after: input, hidden values before and after the activation, and output, each of shape (n, features).
    """
    words = _checked_words(words)
    before, after = (_four(name, each, words) for name, each in (("before", before), ("after", after)))
    changes = [new - old for old, new in zip(before, after, strict=True)]
    least = _SEEN * max(np.abs(change).max() for change in changes)
    drawn_as = [np.where(change == 0, 0, np.sign(change) * np.maximum(np.abs(change), least)) for change in changes]
    names = ("input", "after the first layer", "after the activation", "output")
    drawn = stages.draw(
        stages.stages(names, drawn_as, (INPUT, HIDDEN, HIDDEN, OUTPUT)),
        rows=[f"{position} {word}" for position, word in enumerate(words, start=1)],
        label="change (blank: none; small ones are drawn larger)",
    )
    changed = [np.flatnonzero((change != 0).any(axis=1)) for change in changes]
    rows = sorted({int(row) + 1 for each in changed for row in each})
    where = f"in row {rows[0]} only" if len(rows) == 1 else f"in the rows {', '.join(map(str, rows))}"
    counts = ", ".join(
        f"{name} {np.count_nonzero(change)} of {change.size}" for name, change in zip(names, changes, strict=True)
    )
    return drawn.figure, Caption(f"At all four stages, numbers change {where}.", f"Numbers that change: {counts}.")


def _four(name, arrays, words):
    arrays = items(name, arrays, "arrays")
    if len(arrays) != 4:
        raise ValueError(f"{name} must hold the arrays of four stages, but it holds {len(arrays)}.")
    return [array(name, each, ("words", "features"), {"words": len(words)}) for each in arrays]


@styled
def who_moves(words, matrices) -> Interactive:
    """Show which output rows move when the reader changes one word; keywords: word ("2 bank") and layer (a name).

    Args:
        words: the words of the sequence, n of them.
        matrices: layer name -> influence matrix of shape (n, n); row i is the output, column j the input.
    """
    words = _checked_words(words)
    matrices = {name: _matrix(matrix, words) for name, matrix in matrices.items()}
    labels = numbered(words)
    top = max(matrix.max() for matrix in matrices.values())
    figure, moving = _two_rows_of_words(words)

    def update(word, layer):
        changed = labels.index(choice("word", word, labels))
        column = matrices[choice("layer", layer, tuple(matrices))][:, changed]
        data = {
            "links": [_link(changed, j, distance, top) for j, distance in enumerate(column)],
            "below": [_marked(INPUT, j == changed) for j in range(len(words))],
            "above": [_marked(OUTPUT, distance != 0) for distance in column],
            "distances": [{"text": three_digits(distance)} for distance in column],
        }
        moved = [labels[j] for j in np.flatnonzero(column)]
        rows = "1 output row moves" if len(moved) == 1 else f"{len(moved)} output rows move"
        rest = len(words) - len(moved)
        stay = "1 stays" if rest == 1 else f"{rest} stay"
        caption = f"{layer[0].upper()}{layer[1:]}, input row “{word}” changed: {rows} ({', '.join(moved)}), {stay}."
        return data, caption

    return Interactive(figure, update, moving)


def _two_rows_of_words(words):
    """Draw the inputs below, the outputs above, and a line from the changed input to every output."""
    figure, axes = blank(WIDE)
    axes.set(xlim=(-1.1, len(words) - 0.4), ylim=(-0.25, 1.35))
    axes.set_axis_off()
    axes.text(-1.05, 0, "input", color=INPUT, va="center")
    axes.text(-1.05, 1, "output", color=OUTPUT, va="center")
    axes.text(-1.05, 1.25, "moves by", color="black", va="center")
    moving = {
        "links": [axes.plot([0, j], _BETWEEN, color=OUTPUT)[0] for j in range(len(words))],
        "below": [_word_box(axes, j, 0, word, INPUT) for j, word in enumerate(words)],
        "above": [_word_box(axes, j, 1, word, OUTPUT) for j, word in enumerate(words)],
        "distances": [axes.text(j, 1.25, "", ha="center", va="center", fontsize=SMALL) for j in range(len(words))],
    }
    return figure, moving


def _word_box(axes, x, y, word, color):
    return axes.text(x, y, word, ha="center", va="center", bbox=_box(color, "white"))


def _box(edge, face):
    return {"boxstyle": "round,pad=0.35", "facecolor": face, "edgecolor": edge}


def _link(changed, j, distance, top):
    """Return the properties of the line to output row j: the farther it moves, the thicker."""
    width = float(0.8 + 7 * distance / top)
    return {"visible": bool(distance != 0), "data": ([changed, j], _BETWEEN), "linewidth": width}


def _marked(color, on):
    """Return the properties of a word in its box: filled and bold, or empty."""
    if on:
        return {"color": "white", "fontweight": "bold", "bbox": _box(color, color)}
    return {"color": "black", "fontweight": "normal", "bbox": _box(color, "white")}


def numbered(words) -> tuple[str, ...]:
    """Return the words with their positions, counted from 1, so that equal words can be told apart: ("1 the", …)."""
    return tuple(f"{position} {word}" for position, word in enumerate(_checked_words(words), start=1))


def _one_for_each(argument, values, names):
    values = items(argument, values, "arrays")
    if not values or len(values) != len(names):
        raise ValueError(
            f"{argument} must hold one array for each of the {len(names)} names, but it holds {len(values)}."
        )
    return values


def _checked_words(words):
    words = tuple(items("words", words, "strings"))
    if not words or not all(isinstance(word, str) for word in words):
        raise TypeError(f"words must be a non-empty list of strings, but {words!r} was given.")
    return words


def _matrix(matrix, words):
    return array("matrices", matrix, ("words", "words"), {"words": len(words)})


def _pattern(matrix):
    """Name the pattern of the entries that are not zero."""
    for words, pattern in _PATTERNS.items():
        if np.array_equal(matrix != 0, pattern(len(matrix)) != 0):
            return words
    return "some entries"


def _short(value):
    """Write a distance so that it fits into a cell of a heatmap; a plain 0 is exactly zero."""
    return "0" if value == 0 else f"{value:.2f}".removeprefix("0")


def _word_ticks(axes, words):
    axes.set_xticks(range(len(words)), words, rotation=90, fontsize=SMALL)
    axes.set_yticks(range(len(words)), words)
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(True)

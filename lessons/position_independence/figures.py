"""Figures of lesson 05: position independence."""

import numpy as np
from matplotlib.figure import Figure

from course_lib import stages
from courseware.arguments import array, choice, items
from courseware.formats import three_digits
from courseware.page.caption import Caption
from courseware.page.interactive import Interactive
from courseware.page.style import (
    HIDDEN,
    INPUT,
    OUTPUT,
    SMALL,
    WIDE,
    blank,
    styled,
)

_BETWEEN = [0.1, 0.9]  # heights of the two ends of a link, between the words below and those above


_SEEN = 0.18  # share of the largest change, as which a smaller one is drawn, so that blank means none


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


def _checked_words(words):
    words = tuple(items("words", words, "strings"))
    if not words or not all(isinstance(word, str) for word in words):
        raise TypeError(f"words must be a non-empty list of strings, but {words!r} was given.")
    return words


def _matrix(matrix, words):
    return array("matrices", matrix, ("words", "words"), {"words": len(words)})

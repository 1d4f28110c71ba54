"""What the lesson's exercises and its measured numbers share: the recipe of an edit, and its effect."""

from typing import NamedTuple

import numpy as np

from course_lib.model import contexts, excerpts, language_model, reading


class Effect(NamedTuple):
    """The effect of one more hidden unit on text that was not used to make it.

    on_a, on_b: how often the context occurs in each part.
    precision, recall: of the unit for the context in part B.
    before, after: mean probability of the character in the context.
    elsewhere: bits per character more, at all other places.
    """

    on_a: int
    on_b: int
    precision: float
    recall: float
    before: float
    after: float
    elsewhere: float


def where(part: str, seen: reading.Reading, words: str) -> np.ndarray:
    """Return for each place of a reading whether the text ends with some words there."""
    text = excerpts.excerpt(part, reading.LENGTH).text
    return contexts.ends_with(text, words)[seen.places]


def push(model, character: str) -> np.ndarray:
    """Return the direction of length 1 that lifts the logit of a character most above the mean logit, past the last norm."""
    read_out, gain = model.read_out.weight.numpy(), model.norm.weight.numpy()
    direction = (read_out[language_model.CODES[character]] - read_out.mean(axis=0)) * gain
    return direction / np.linalg.norm(direction)


def effect(model, seen_a, seen_b, words: str, character: str, size: float) -> Effect:
    """Make the unit on part A, and measure on part B what it does."""
    here_a, here_b = where("A", seen_a, words), where("B", seen_b, words)
    w, bias = reading.unit_for(seen_a.inputs[-1], here_a)
    fires = seen_b.inputs[-1] @ w + bias > 0
    after = reading.with_unit(model, seen_b, w, bias, size * push(model, character))
    code, hits = language_model.CODES[character], int((fires & here_b).sum())
    return Effect(
        int(here_a.sum()),
        int(here_b.sum()),
        hits / max(int(fires.sum()), 1),
        hits / max(int(here_b.sum()), 1),
        float(seen_b.probabilities[here_b, code].mean()),
        float(after.probabilities[here_b, code].mean()),
        float(after.bits[~here_b].mean() - seen_b.bits[~here_b].mean()),
    )

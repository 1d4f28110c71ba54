"""The course's story in numbers: one layer, wired by hand, in which "bank" finds out which bank it is.

Attention brings the cue ("river" or "money") into the row of "bank"; then each hidden unit of the FFN asks one
question, "bank and river?" or "bank and money?", and writes its conclusion, *shore* or *vault*, into that row. Three
features say what kind of word it is: *topic* (for which attention looks), *verb*, and *small*, as "the" is. Nothing is
trained, each feature has a name, and there are no norms. A trained model has many more features than units, and
seldom one unit for one question.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_lib.model.numpy_ffn import relu
from courseware.arguments import choice, integer, real

FEATURES = ("bank", "river", "money", "shore", "vault", "topic", "small", "verb")
CUES = ("river", "money")
ATTENTION, FFN = "attention", "FFN"  # before which of the two a number is moved
_MEANINGS = {
    "the": ("small",),
    "reached": ("verb",),
    "bank": ("bank",),
    "river": ("river", "topic"),
    "money": ("money", "topic"),
}


@dataclass(frozen=True)
class Way:
    """What the layer makes of the five words of a sentence; d_model is 8 and d_ff is 2.

    x: (5, d_model), what enters. weights: (5, 5), how much of each word (column) attention brings into each row.
    mixed: (5, d_model), the stream after attention, which the FFN reads. asked: (5, d_ff), its hidden values before
    the activation. hidden: (5, d_ff), after it. added: (5, d_model), what the FFN adds. stream: (5, d_model), the sum
    mixed + added.
    """

    words: tuple[str, ...]
    x: np.ndarray
    weights: np.ndarray
    mixed: np.ndarray
    asked: np.ndarray
    hidden: np.ndarray
    added: np.ndarray
    stream: np.ndarray

    def written(self, feature: str) -> np.ndarray:
        """Return what the FFN adds to one feature in each of the five rows."""
        return self.added[:, FEATURES.index(feature)]


def row(*names: str) -> np.ndarray:
    """Return a row (d_model,) with 1 in each named feature and 0 elsewhere."""
    return np.isin(FEATURES, names).astype(float)


def sentence(cue: str = "river") -> tuple[str, ...]:
    """Return the five words of "the … reached the bank"."""
    return ("the", choice("cue", cue, CUES), "reached", "the", "bank")


# Attention: only "bank" asks, the topic words answer, and what is brought is their river and their money.
ASKS, ANSWERS, BROUGHT, SHARPNESS = row("bank"), row("topic"), row(*CUES), 6.0
# W1: (d_model, d_ff), one column for each question; with this threshold, both features are needed.
W1 = np.stack([row("bank", "river"), row("bank", "money")], axis=1)
B1 = np.full(2, -1.5)
# W2: (d_ff, d_model), one row for each conclusion; a unit that has both features is at ½, so 2 makes it 1.
W2 = 2 * np.stack([row("shore"), row("vault")])


def way(
    cue: str = "river",
    activation: Callable[[np.ndarray], np.ndarray] = relu,
    scale: float = 1.0,
    attends: bool = True,
    causal: bool = False,
    sharpness: float = SHARPNESS,
    moved: tuple[str, int, int, float] | None = None,
) -> Way:
    """Send "the <cue> reached the bank" through the layer.

    Args:
        cue: "river" or "money". activation: what the FFN applies to its hidden values; the identity leaves it linear.
        scale: multiplies what each unit asks, and divides what it writes. attends: False leaves attention out.
        causal: whether a word sees only itself and those before it. sharpness: how strongly "bank" looks for a topic.
        moved: (before, word, feature, shift): adds shift to one number, before "attention" or before the "FFN"; word
            and feature count from 1.

    Raises:
        TypeError, ValueError: an argument is none of these.
    """
    words, scale, sharpness = sentence(cue), real("scale", scale), real("sharpness", sharpness)
    x = np.stack([row(*_MEANINGS[word]) for word in words])
    nudges = {ATTENTION: np.zeros_like(x), FFN: np.zeros_like(x)}
    if moved is not None:
        before, word, feature, shift = moved
        place = integer("word", word, 1, len(words)) - 1, integer("feature", feature, 1, len(FEATURES)) - 1
        nudges[choice("before", before, nudges)][place] = real("shift", shift)
    x = x + nudges[ATTENTION]
    scores = np.outer(x @ (sharpness * ASKS), x @ ANSWERS)
    if causal:
        scores[np.triu_indices(len(words), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    weights /= weights.sum(axis=1, keepdims=True)
    brought = weights @ (x * BROUGHT) if attends else np.zeros_like(x)
    mixed = x + brought + nudges[FFN]
    asked = scale * (mixed @ W1 + B1)
    hidden = activation(asked)
    added = hidden @ W2 / scale
    return Way(words, x, weights, mixed, asked, hidden, added, mixed + added)

"""Yardsticks for the language model: what counting alone makes of the same characters.

An n-gram model counts which character followed each n − 1 characters in the training text; those with a context never
seen ask the next shorter one (Witten and Bell 1991: a context with t different followers among its c gives the shorter
one the weight t / (t + c)).
"""

import numpy as np

from course_lib.model.language_model import CHARACTERS

SIZE = len(CHARACTERS)


def bits_of(text: np.ndarray, scored: np.ndarray, places: np.ndarray, most: int = 6) -> dict[int, float]:
    """Return n -> bits per character of the n-gram model, for n from 0 (uniform) to `most`.

    Args:
        text: the codes of the training text.
        scored: the codes of the text that is judged.
        places: where in it the character stands before the one that is predicted; at least most − 1.
    """
    p = np.full(len(places), 1 / SIZE)
    found = {0: float(-np.log2(p).mean())}
    for n in range(1, most + 1):
        grams, contexts = _numbers(text, n), _numbers(text[:-1], n - 1)
        asked = _numbers(scored, n)[places - n + 2]
        before = asked // SIZE
        together, count = np.unique(grams, return_counts=True)
        followed, kinds = np.unique(together // SIZE, return_counts=True)
        seen, times = np.unique(contexts[: len(grams)], return_counts=True)
        hits, t, c = (
            _looked_up(together, count, asked),
            _looked_up(followed, kinds, before),
            _looked_up(seen, times, before),
        )
        known = c > 0
        p[known] = (hits + t * p)[known] / (t + c)[known]
        found[n] = float(-np.log2(p).mean())
    return found


def _numbers(codes, n):
    """Return each n characters of a text as one number; for n = 0 a zero at every place."""
    codes = codes.astype(np.int64)
    if n == 0:
        return np.zeros(len(codes) + 1, dtype=np.int64)
    found = np.zeros(len(codes) - n + 1, dtype=np.int64)
    for place in range(n):
        found = found * SIZE + codes[place : len(codes) - n + 1 + place]
    return found


def _looked_up(keys, values, asked):
    """Return the values of what is asked for, 0 where it is not among the keys."""
    place = np.searchsorted(keys, asked).clip(0, len(keys) - 1)
    return np.where(keys[place] == asked, values[place], 0)

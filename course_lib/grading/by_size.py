"""What is off by numbers that are made of the sizes of a case: counts of parameters, widths, lengths."""

import itertools

import numpy as np

from course_lib.grading.compare import near
from course_lib.grading.evidence import written
from course_lib.grading.pairs import Pair, Seen, explains

MOST_TIMES = 8  # a term is counted wrongly so many times at most


def by_two_terms(pairs: list[Pair]) -> Seen | None:
    """Every number is off by a sum or a difference of two terms that are made of the sizes of the case.

    Whole numbers of times are looked for, with fewer unknowns than cases: so the sentence says what was seen.
    """
    if len(pairs) < 4 or any(pair.wanted.ndim for pair in pairs):
        return None
    off = np.array([float(pair.given) - float(pair.wanted) for pair in pairs])
    if not np.isfinite(off).all() or not (off == np.round(off)).all():
        return None
    for terms in itertools.combinations(_terms(pairs), 2):
        words, matrix = [word for word, _ in terms], np.stack([values for _, values in terms], axis=1)
        times, _, rank, _ = np.linalg.lstsq(matrix, off, rcond=None)
        whole = np.round(times)
        if rank < 2 or not (np.abs(whole) <= MOST_TIMES).all() or not whole.all() or not near(times, whole, 1e-6).all():
            continue
        fitted = matrix @ whole
        place = {id(pair): number for number, pair in enumerate(pairs)}
        if explains(pairs, lambda pair, fitted=fitted, place=place: pair.wanted + fitted[place[id(pair)]]):
            return Seen("size-off", f"is {_in_words(words, whole)}")
    return None


def is_a_size(pairs: list[Pair]) -> Seen | None:
    """What comes back is one of the sizes, or 1, whatever the values are."""
    if any(pair.wanted.ndim for pair in pairs):
        return None
    for name in pairs[0].sizes:
        values = {float(pair.sizes.get(name, -1)) for pair in pairs}
        if len(values) > 1 and explains(pairs, lambda pair, name=name: float(pair.sizes.get(name, -1))):
            return Seen("equals", f"equals the size {name} in every case, whatever else goes in")
    return None


def _terms(pairs):
    """Return words and values of 1, the sizes, and their products and squares; each set of values once."""
    known, named = set(), []
    for name in pairs[0].sizes:
        values = np.array([float(pair.sizes.get(name, 0)) for pair in pairs])
        if values.min() > 0 and np.ptp(values) > 0 and tuple(values) not in known:
            known.add(tuple(values))
            named.append((name, values))
    products = [
        (f"{one}²" if one == other else f"{one} · {other}", a * b)
        for (one, a), (other, b) in itertools.combinations_with_replacement(named, 2)
    ]
    return [*named, *products, ("1", np.ones(len(pairs)))]


def _in_words(words, whole):
    parts = {True: [], False: []}
    for word, times in zip(words, whole, strict=True):
        count = written(abs(times))
        parts[times > 0].append(count if word == "1" else word if abs(times) == 1 else f"{count} · {word}")
    sides = [(way, parts[large]) for large, way in ((True, "large"), (False, "small")) if parts[large]]
    if len(sides) == 1:
        way, both = sides[0]
        return f"too {way} by {' + '.join(both)}"
    return f"off by {parts[True][0]} − {parts[False][0]}"

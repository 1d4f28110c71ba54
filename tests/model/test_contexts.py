"""Contexts counted by hand, and the measures against other computations."""

import numpy as np
import pytest

from course_lib.model.contexts import best_limit, best_names, contexts, ends_with, f1
from course_lib.model.excerpts import Excerpt, excerpt

RNG = np.random.default_rng(0)


def marked(truths):
    return "".join("x" if one else "." for one in truths)


def test_ends_with_overlaps_and_stops_at_the_last_character():
    assert marked(ends_with("aaxaaa", "aa")) == ".x..xx"
    assert marked(ends_with("self.self", "self")) == "...x....x"
    assert marked(ends_with("a.b", ".")) == ".x."  # a full stop means itself


def test_contexts_by_hand():
    text = "  if (a):\n\n\treturn B\n"
    labels = "..kk.ono o"[:9].replace(" ", "o") + "\n\n.kkkkkk.n\n"
    found = contexts(Excerpt(text, labels))
    rows = text.replace("\n", "/").replace("\t", ">")
    assert len(rows) == len(labels)
    assert marked(found["after only spaces in its line"]) == "xx..................."
    assert marked(found["in brackets"]) == ".....xx.............."
    assert marked(found["at a capital letter"]) == "...................x."
    assert marked(found["at a space or the end of a line"]) == "xx..x....xx.......x.x"
    assert marked(found["before '\\n'"]) == "........xx.........x."
    assert marked(found["in a line that begins with if, for or while"]) == "x" * 10 + "." * 11
    assert marked(found["in a keyword"]) == "..xx........xxxxxx..."


def test_contexts_of_the_lesson():
    part = excerpt("A", 3000)
    found = contexts(part)
    assert len(found) == 245 and all(one.shape == (3000,) and one.dtype == bool for one in found.values())
    assert found["after 'self'"].sum() == part.text.count("self")
    assert found["in a docstring"].sum() == part.labels.count("d")
    with pytest.raises(TypeError, match="excerpt must be an Excerpt, but str"):
        contexts(part.text)


def test_f1():
    assert f1([1, 1, 0, 0, 1], [1, 0, 1, 0, 1]) == pytest.approx(2 / 3)  # precision and recall 2/3
    assert f1([1, 1, 1, 1], [1, 0, 0, 0]) == pytest.approx(0.4)
    assert f1([0, 0], [0, 0]) == f1([1, 0], [0, 1]) == 0
    with pytest.raises(ValueError, match="found and wanted must have one length, but they have 1 and 2"):
        f1([1], [1, 0])


def test_best_limit_tries_every_threshold():
    rng = np.random.default_rng(0)
    values, wanted = rng.integers(0, 9, size=60), rng.random(60) < 0.3
    tried = {limit: f1(values > limit, wanted) for limit in np.arange(0.5, 8)}
    assert f1(values > best_limit(values, wanted), wanted) == max(tried.values())
    with pytest.raises(ValueError, match="not all be the same"):
        best_limit(np.ones(4), [True, False, True, False])


def test_best_names_tries_every_context_and_threshold():
    h = np.maximum(RNG.normal(size=(300, 9)), 0)
    truths = RNG.random((300, 6)) < 0.3
    truths[:, 2] = h[:, 4] > 0.25 * np.quantile(h[:, 4], 0.998)
    truths[10:, 5] = False  # too few places
    best, names, limits = best_names(h, truths)
    assert (names[4], best[4]) == (2, pytest.approx(1)) and 5 not in names
    for unit in range(9):
        top = np.quantile(h[:, unit], 0.998)
        every = [f1(h[:, unit] > share * top, truths[:, c]) for share in (0, 0.1, 0.25, 0.5) for c in range(5)]
        assert best[unit] == pytest.approx(max(every), abs=1e-5)
        assert best[unit] == pytest.approx(f1(h[:, unit] > limits[unit], truths[:, names[unit]]), abs=1e-5)


def test_what_a_measure_cannot_take():
    h, truths = np.ones((30, 2)), np.ones((30, 3), dtype=bool)
    with pytest.raises(ValueError, match="h must not be negative"):
        best_names(-h, truths)
    with pytest.raises(ValueError, match="words must hold at least one character"):
        ends_with("a text", "")

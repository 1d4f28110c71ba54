"""Contexts counted by hand, and the measures against other computations."""

import numpy as np
import pytest

from course_lib.model.contexts import best_names, contexts, f1
from course_lib.model.excerpts import Excerpt

RNG = np.random.default_rng(0)


def marked(truths):
    return "".join("x" if one else "." for one in truths)


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


def test_f1():
    assert f1([1, 1, 0, 0, 1], [1, 0, 1, 0, 1]) == pytest.approx(2 / 3)  # precision and recall 2/3
    assert f1([1, 1, 1, 1], [1, 0, 0, 0]) == pytest.approx(0.4)
    assert f1([0, 0], [0, 0]) == f1([1, 0], [0, 1]) == 0
    with pytest.raises(ValueError, match="found and wanted must have one length, but they have 1 and 2"):
        f1([1], [1, 0])


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

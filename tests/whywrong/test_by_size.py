"""Counts that are off by two terms."""

import numpy as np
import pytest

from tests.whywrong.answers import exercise, in_file, told
from whywrong.traits import Pair, find_trait

SIZES = [(3, 5), (7, 2), (4, 9), (6, 11), (10, 3)]


def pairs_of(off, wanted=lambda d, f: 2 * d * f):
    return [
        Pair(np.asarray(float(wanted(d, f) + off(d, f))), np.asarray(float(wanted(d, f))), sizes={"d": d, "f": f})
        for d, f in SIZES
    ]


@pytest.mark.parametrize(
    ("off", "words"),
    [
        (lambda d, f: 2 * d + 3 * f, "is too large by 2 · d + 3 · f"),
        (lambda d, f: -d - 4 * f, "is too small by d + 4 · f"),
        (lambda d, f: d * d - f, "is off by d² − f"),
        (lambda d, f: 5 - d * f, "is off by 5 − d · f"),
        (lambda d, f: d * f + 1, "is too large by d · f + 1"),
    ],
)
def test_two_terms(off, words):
    found = find_trait(pairs_of(off), "the count")
    assert (found.name, found.says) == ("size-off", f"The count {words}.")


def test_two_terms_only_where_they_are_whole_and_enough_cases_show_it():
    for off in (lambda d, f: 0.3 * d + f, lambda d, f: 20 * d + 31 * f, lambda d, f: d * f**2 % 7 + 1):
        assert find_trait(pairs_of(off), "the count").name != "size-off"
    few = pairs_of(lambda d, f: 2 * d + 3 * f)[:3]
    assert find_trait(few, "the count").name != "size-off"
    rows = [
        Pair(np.tile(one.given, 3), np.tile(one.wanted, 3), sizes=one.sizes) for one in pairs_of(lambda d, f: 2 * d)
    ]
    assert find_trait(rows, "the row").says == "The row is too large by 2 · d."


def test_a_ratio_of_two_sizes():
    found = find_trait(pairs_of(lambda d, f: 0, lambda d, f: 10 * f), "the count")
    assert found is None
    pairs = [
        Pair(np.asarray(one.wanted * one.sizes["d"] / one.sizes["f"]), one.wanted, sizes=one.sizes)
        for one in pairs_of(lambda d, f: 0, lambda d, f: d + 1)
    ]
    assert find_trait(pairs, "the count").says == "The count is d / f times what it should be."


# ---- what is never used ----------------------------------------------------------------------------------------------


def test_an_argument_that_is_never_used(tmp_path):
    cases = [((d, f, k),) for (d, f), k in zip(SIZES, (2, 5, 3, 4, 7), strict=True)]
    item = exercise(lambda d, f, k: 0.37 * d**1.5 + f * k**0.5, cases)
    key, message = told(item, in_file("def g(d, f, k):\n    return 0.37 * d**1.6 + f / 9", tmp_path))
    assert key == "seen:unused" and message == "Your code never uses `k`, but the result depends on it."
    assert told(item, in_file("def g(d, f, k):\n    return k * 0 + d**1.6 + f / 9", tmp_path))[0] != "seen:unused"
    without = exercise(lambda d, f, k: 0.37 * d**1.5 + f, cases)  # here k is handed in, and not needed
    assert told(without, in_file("def g(d, f, k):\n    return 0.37 * d**1.6 + f / 9", tmp_path))[0] != "seen:unused"


def test_a_size_in_place_of_the_result():
    pairs = [Pair(np.asarray(float(d)), np.asarray(d / 3 + f), sizes={"d": d, "f": f}) for d, f in SIZES]
    assert (
        find_trait(pairs, "the loss").says == "The loss equals the size d in every case, whatever the other inputs are."
    )
    pairs[0] = Pair(np.asarray(1.0), pairs[0].wanted, sizes=pairs[0].sizes)
    same = [Pair(np.asarray(4.0), np.asarray(5.0), sizes={"d": 4})] * 4
    for others in (pairs, same):
        found = find_trait(others, "the loss")
        assert found is None or found.name != "equals"

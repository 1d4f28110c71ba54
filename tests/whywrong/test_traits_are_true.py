"""Whatever is said of any wrong answer is true: its words are taken at their meaning, apart from the code."""

import re

import numpy as np
import pytest

from whywrong.traits import Pair, find_trait

SHAPES = [[(7,), (5,)], [(3, 4), (5, 4)], [(4, 4)], [(2, 3, 5), (6, 5)], [(), (), (), ()]]


def rows(wanted):
    """Number the places of an array."""
    return np.arange(wanted.size).reshape(wanted.shape)


def random_pairs(rng):
    """Draw a wrong answer of any kind: any numbers, small whole ones, truths, and right ones spoiled in part."""
    shapes = SHAPES[rng.integers(len(SHAPES))]
    if rng.random() < 0.3:
        shapes = [()] * int(rng.integers(1, 7))
    kind, whole = rng.choice(["any", "whole", "truths", "part", "spoiled"]), rng.random() < 0.5
    names = rng.choice(["x", "y", "d", "n"], size=2, replace=False)
    functions = [
        np.abs,
        np.negative,
        np.sqrt,
        np.round,
        lambda w: w + 1,
        lambda w: w * 2,
        lambda w: w.T.reshape(w.shape),
    ]
    functions += [
        lambda w: w + rows(w)[..., :1],
        lambda w: w * (1 + rows(w)[..., :1]),
        lambda w: w + rows(w)[..., :1, :],
    ]
    functions = functions if shapes[0] and len(shapes[0]) > 1 else functions[:7]
    function = functions[rng.integers(len(functions))]
    pairs = []
    for shape in shapes:
        draw = (
            (lambda s=shape: rng.integers(-2, 4, size=s).astype(float))
            if whole
            else (lambda s=shape: rng.normal(size=s))
        )
        wanted, given = np.asarray(draw()), np.asarray(draw())
        if kind == "truths":
            wanted, given = np.asarray(wanted > 0, dtype=float), np.asarray(given > 0, dtype=float)
        elif kind == "part":
            given = np.where(rng.random(shape) < 0.5, wanted, given)
        elif kind == "spoiled":
            with np.errstate(all="ignore"):
                given = np.nan_to_num(function(wanted)) * (1 if rng.random() < 0.9 else draw())
        pairs.append(
            Pair(
                np.asarray(given, dtype=float),
                wanted,
                is_boolean=kind == "truths",
                inputs={names[0]: np.asarray(draw()), "b": np.asarray(rng.normal(size=shape[-1:]))},
                sizes={names[1]: int(rng.integers(1, 6)), "f": int(rng.integers(1, 6))},
                flags={"flag": f"is {rng.random() < 0.5}"},
            )
        )
    return pairs


def close(one, other):
    return np.shape(one) == np.shape(other) and np.allclose(one, other, rtol=1e-6, atol=1e-6)


def number(words):
    return float(words.replace("−", "-").replace(",", ""))


def size_of(words, pair):
    """Evaluate what was said of sizes: "3 · d²", "(d + f)", "half of d · f"."""
    words = words.replace("half of", "0.5 *").replace("·", "*").replace("²", "**2")
    return eval(words, {}, dict(pair.sizes))


FACTORS = {"twice": 2, "half of": 0.5, "a third of": 1 / 3, "a quarter of": 0.25, "three times": 3, "four times": 4}


def end_wrong(p, right, place):
    return [
        axis
        for axis in range(p.wanted.ndim)
        for bad in [np.moveaxis(p.wrong, axis, 0).reshape(p.wanted.shape[axis], -1).any(1)]
        if (not bad[place] and np.delete(bad, place).all() if right else not np.delete(bad, place).any())
    ]


def side(p, key, of, border, below):
    x = of(p.inputs[key])
    return (p.wrong == ((x < border) == below))[x != border].all()


# What each sentence means, worked out from the sentence alone: pattern -> (pair, *groups) -> is it so?
MEANINGS = {
    r"equals the input (\w+), unchanged": lambda p, key: close(p.given, p.inputs[key]),
    r"equals the size (\w+) in every case, .*": lambda p, name: close(p.given, np.asarray(float(p.sizes[name]))),
    r"is the opposite of what it should be.*swapped": lambda p: close(p.given, 1 - p.wanted),
    r"is (True|False)( everywhere)?, whatever .*": lambda p, word, _: close(p.given, 0 * p.given + (word == "True")),
    r"is (\S+?)( everywhere)?, whatever .*": lambda p, value, _: np.allclose(p.given, number(value), rtol=1e-3),
    r"has the opposite sign( everywhere)?": lambda p, _: close(p.given, -p.wanted),
    r"is right except for the sign: negative.*": lambda p: close(p.given, np.abs(p.wanted)),
    r"is right where it is positive, and 0.*": lambda p: close(p.given, np.where(p.wanted > 0, p.wanted, 0)),
    r"is right where it is negative, and 0.*": lambda p: close(p.given, np.where(p.wanted < 0, p.wanted, 0)),
    r"is the square of .*": lambda p: close(p.given, p.wanted**2),
    r"is the square root of what .*": lambda p: close(p.given**2, p.wanted) and (p.given >= 0).all(),
    r"is 1 divided by what .*": lambda p: close(p.given * p.wanted, np.ones_like(p.given)),
    r"is 1 minus what .*": lambda p: close(p.given + p.wanted, np.ones_like(p.given)),
    r"is the exponential .*": lambda p: close(np.log(p.given), p.wanted),
    r"is the logarithm .*": lambda p: close(np.exp(p.given), p.wanted),
    r"is right, but rounded to whole numbers": lambda p: close(p.given, p.wanted.round()),
    r"is right, but rounded to (\d) decimals": lambda p, digits: close(p.given, p.wanted.round(int(digits))),
    r"has lost everything after .*": lambda p: close(p.given, p.wanted.astype(int)),
    r"is rounded down .*": lambda p: close(p.given, np.floor(p.wanted)),
    r"is rounded up .*": lambda p: close(p.given, np.ceil(p.wanted)),
    r"is (\D+) what it should be( everywhere)?": lambda p, words, _: close(p.given, FACTORS[words] * p.wanted),
    r"is ([−\d.,]+) times what it should be( everywhere)?": lambda p, factor, _: np.allclose(
        p.given, number(factor) * p.wanted, rtol=1e-3
    ),
    r"is too (large|small) by ([\d.,]+)( everywhere)?": lambda p, way, shift, _: np.allclose(
        p.given, p.wanted + number(shift) * (1 if way == "large" else -1), rtol=1e-3, atol=1e-3
    ),
    r"is the square root of (.*) times what it should be": lambda p, words: close(
        p.given, size_of(words, p) ** 0.5 * p.wanted
    ),
    r"is what it should be, divided by the square root of (.*)": lambda p, words: close(
        p.given * size_of(words, p) ** 0.5, p.wanted
    ),
    r"is (.*) times what it should be": lambda p, words: close(p.given, size_of(words, p) * p.wanted),
    r"is what it should be, divided by (.*)": lambda p, words: close(p.given * size_of(words, p), p.wanted),
    r"is too (large|small) by (.*)": lambda p, way, words: close(
        p.given, p.wanted + size_of(words, p) * (1 if way == "large" else -1)
    ),
    r"is off by (.* − .*)": lambda p, words: close(p.given, p.wanted + size_of(words.replace("−", "-"), p)),
    r"is the transpose .*": lambda p: close(p.given, np.swapaxes(p.wanted, -1, -2)),
    r"holds the right values in reverse order along axis (-\d)": lambda p, axis: close(
        p.given, np.flip(p.wanted, int(axis))
    ),
    r"holds the right values one position too late along axis (-\d)": lambda p, axis: close(
        np.delete(p.given, 0, int(axis)), np.delete(p.wanted, -1, int(axis))
    ),
    r"holds the right values one position too early along axis (-\d)": lambda p, axis: close(
        np.delete(p.given, -1, int(axis)), np.delete(p.wanted, 0, int(axis))
    ),
    r"holds the (mean|sum) of the right values along axis (-\d), .*": lambda p, word, axis: close(
        p.given, getattr(p.wanted, word)(int(axis), keepdims=True) + 0 * p.wanted
    ),
    r"holds all the right values, but in a different order": lambda p: close(
        sorted(p.given.ravel()), sorted(p.wanted.ravel())
    ),
    r"is (right|wrong) only at the (first|last) position along axis (-\d)": lambda p, word, end, axis: (
        p.wanted.ndim + int(axis) in end_wrong(p, word == "right", 0 if end == "first" else -1)
    ),
    r"is (right|wrong) where (\w+) is below ([−\d.,]+), and (?:right|wrong) above that": lambda p, word, key, border: (
        side(p, key, np.asarray, number(border), word == "wrong")
    ),
    r"is (right|wrong) where (\w+) lies between −([\d.,]+) .* outside that range": lambda p, word, key, border: side(
        p, key, np.abs, number(border), word == "wrong"
    ),
    r"is nearly right: it is off by less than ([\d.]+) % of its largest value": lambda p, percent: (
        np.abs(p.given - p.wanted).max() < float(percent) / 100 * np.abs(p.wanted).max()
    ),
    r"falls below 0, but no .*": lambda p: (p.wanted >= 0).all(),
    r"reaches ([\d.,]+), but every .*": lambda p, _: ((p.wanted >= 0) & (p.wanted <= 1)).all(),
    r"has a fraction, but only .*": lambda p: (np.abs(p.given - p.wanted) < 1).all(),
    r"is too (large|small)( wherever it is wrong)?": lambda p, way, _: (
        ((p.given - p.wanted)[p.wrong] > 0) == (way == "large")
    ).all(),
    r"is (True|False)(?: wherever it is wrong, so it is (True|False) too often)?": lambda p, word, again: (
        again in (None, word) and (p.given[p.wrong] == (word == "True")).all()
    ),
}
SOMEWHERE = {  # what need not be so in every case
    "falls below 0": lambda pairs: min(p.given.min() for p in pairs) < 0,
    "reaches": lambda pairs: max(p.given.max() for p in pairs) > 1,
    "has a fraction": lambda pairs: any((p.given % 1).any() for p in pairs),
}


def is_true(sentence, pairs):
    """Tell whether a sentence about the output is true, by what its words mean."""
    words = re.fullmatch(r"The output (.*?)\.( Is a .*\?)?", sentence)[1]
    wrong = [pair for pair in pairs if pair.wrong.any()]
    lead = re.match(r"is right when flag is (\w+)(?:; when flag is (\w+) it|, and wrong when flag is (\w+)) ?", words)
    some = re.match(r"is right in (\d) of (\d) cases; in the others it ", words)
    if lead:
        right = [pair for pair in pairs if not pair.wrong.any()]
        if {pair.flags["flag"] for pair in right} != {f"is {lead[1]}"}:
            return False
        if {pair.flags["flag"] for pair in wrong} != {f"is {lead[2] or lead[3]}"}:
            return False
        words = words[lead.end() :]
    elif some:
        if (int(some[1]), int(some[2])) != (len(pairs) - len(wrong), len(pairs)):
            return False
        words = words[some.end() :]
    elif words.endswith("whatever the inputs are"):
        wrong = pairs  # it speaks of the cases that are right as well
    elif len(wrong) < len(pairs):
        return False
    if not words:
        return True
    if any(words.startswith(start) and not check(wrong) for start, check in SOMEWHERE.items()):
        return False
    for pattern, means in MEANINGS.items():
        found = re.fullmatch(pattern, words)
        if found is not None:
            with np.errstate(all="ignore"):
                return all(means(pair, *found.groups()) for pair in wrong)
    raise AssertionError(f"no meaning is known for: {sentence}")


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_said_of_any_wrong_answer_is_true(seed):
    rng, spoken = np.random.default_rng(seed), 0
    for _ in range(500):
        pairs = random_pairs(rng)
        found = find_trait(pairs, "the output")
        if found is not None:
            spoken += 1
            assert is_true(found.says, pairs), (found.says, pairs)
            assert len(found.says) < 200 and found.says[-1] in ".?"
    assert spoken > 50


def test_numbers_drawn_at_random_are_explained_by_no_rule():
    for seed in range(300):
        rng = np.random.default_rng(seed)
        shapes = SHAPES[seed % len(SHAPES)]
        pairs = [
            Pair(
                np.asarray(rng.normal(size=shape)),
                np.asarray(rng.normal(size=shape)),
                inputs={"x": np.asarray(rng.normal(size=shape))},
                sizes={"d": int(rng.integers(1, 9)), "f": int(rng.integers(1, 9))},
            )
            for shape in shapes
        ]
        found = find_trait(pairs, "the output")
        assert found is None or found.vague, found

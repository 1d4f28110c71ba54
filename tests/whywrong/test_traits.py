"""What happened to every value, and counts that are off by a size, are seen when they should be."""

import numpy as np
import pytest

from whywrong.traits import Pair, find_trait

RNG = np.random.default_rng(7)
SHAPES = [[(7,), (5,)], [(3, 4), (5, 4)], [(4, 4)], [(2, 3, 5), (6, 5)], [()] * 6]


def pairs_of(shapes, spoil, **more):
    """Make a pair for each shape: wanted is drawn, and spoil makes of it what was given."""
    made = []
    for shape in shapes:
        wanted = np.asarray(RNG.normal(size=shape) * 3)
        wanted.flat[0] = (2.6, -1.7)[len(made) % 2]  # some of either sign
        if wanted.size > 1:
            wanted.flat[1:3] = -wanted.flat[0], 0.7 * wanted.flat[0]
        made.append(Pair(np.asarray(spoil(wanted), dtype=float), wanted, **more))
    return made


def said(pairs, name="the output"):
    found = find_trait(pairs, name)
    return (None, None) if found is None else (found.name, found.says)


def ending(shapes):
    return " everywhere" if any(shapes) else ""


OF_THE_VALUES = {
    "sign": (lambda w: -w, "The output has the opposite sign{}."),
    "square": (np.square, "The output is the square of what it should be."),
    "reciprocal": (lambda w: 1 / w, "The output is 1 divided by what it should be."),
    "complement": (lambda w: 1 - w, "The output is 1 minus what it should be."),
    "exponential": (np.exp, "The output is the exponential of what it should be."),
    "times": (lambda w: 2 * w, "The output is twice what it should be{}."),
    "constant": (lambda w: w - 0.25, "The output is too small by 0.25{}."),
    "nearly": (lambda w: w * 1.003, "The output is 1.003 times what it should be{}. Is a constant rounded?"),
    "same": (lambda w: 0 * w + 0.5, "The output is 0.5{}, whatever the inputs are."),
}


@pytest.mark.parametrize("shapes", SHAPES, ids=str)
@pytest.mark.parametrize("name", OF_THE_VALUES)
def test_what_happened_to_every_value(name, shapes):
    spoil, says = OF_THE_VALUES[name]
    found = find_trait(pairs_of(shapes, spoil), "the output")
    assert (found.name, found.says, found.vague) == (name, says.format(ending(shapes)), name == "nearly")


SIZES = [{"d_model": 4, "d_ff": 7}, {"d_model": 9, "d_ff": 5}, {"d_model": 6, "d_ff": 11}]


@pytest.mark.parametrize("shape", [(), (3,), (2, 3)])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda w, d, f: w * d, "d_model times what it should be"),
        (lambda w, d, f: w / f, "what it should be, divided by d_ff"),
        (lambda w, d, f: w * f**0.5, "the square root of d_ff times what it should be"),
        (lambda w, d, f: w / d**0.5, "what it should be, divided by the square root of d_model"),
        (lambda w, d, f: w * d * f, "d_model · d_ff times what it should be"),
        (lambda w, d, f: w / d**2, "what it should be, divided by d_model²"),
        (lambda w, d, f: w * (d + f), "(d_model + d_ff) times what it should be"),
        (lambda w, d, f: w + d, "too large by d_model"),
        (lambda w, d, f: w - 3 * f, "too small by 3 · d_ff"),
        (lambda w, d, f: w + d * f / 2, "too large by half of d_model · d_ff"),
        (lambda w, d, f: w - d - f, "too small by (d_model + d_ff)"),
        (lambda w, d, f: w + 4 * d * d, "too large by 4 · d_model²"),
    ],
)
def test_off_by_sizes(shape, change, words):
    pairs = []
    for sizes in SIZES:
        wanted = np.asarray(RNG.integers(100, 200, size=shape), dtype=float)
        pairs.append(Pair(change(wanted, *sizes.values()), wanted, sizes=sizes))
    key = "size-factor" if "should be" in words else "size-off"
    assert said(pairs, "the count") == (key, f"The count is {words}.")

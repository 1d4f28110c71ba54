"""Every trait is seen when it should, and what it says is true, whatever the wrong answer was."""

import re

import numpy as np
import pytest

from whywrong.traits import TRAITS, Pair, find_trait

RNG = np.random.default_rng(7)
SHAPES = [[(7,), (5,)], [(3, 4), (5, 4)], [(4, 4)], [(2, 3, 5), (6, 5)], [()] * 6]
MATRICES = [shapes for shapes in SHAPES if min(map(len, shapes)) >= 2]


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


# ---- each fires when it should ---------------------------------------------------------------------------------------

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


@pytest.mark.parametrize("shapes", SHAPES[:4], ids=str)
@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (lambda w: np.maximum(w, 0), "The output is right where it is positive, and 0 where it should be negative."),
        (lambda w: np.minimum(w, 0), "The output is right where it is negative, and 0 where it should be positive."),
        (np.abs, "The output is right except for the sign: negative values have become positive."),
        (np.round, "The output is right, but rounded to whole numbers."),
        (lambda w: np.round(w, 2), "The output is right, but rounded to 2 decimals."),
        (np.trunc, "The output has lost everything after the decimal point."),
        (np.floor, "The output is rounded down to whole numbers."),
        (lambda w: -2.5 * w, "The output is −2.5 times what it should be everywhere."),
        (lambda w: w / 3, "The output is a third of what it should be everywhere."),
        (lambda w: w + 1e-4 * np.cos(w), r"The output is nearly right: it is off by less than 0\.\d+ % of its .* Is a"),
    ],
)
def test_what_happened_to_the_values_of_arrays(shapes, spoil, says):
    assert re.match(re.escape(says) if "\\" not in says else says, said(pairs_of(shapes, spoil))[1])


@pytest.mark.parametrize("shapes", SHAPES[:4], ids=str)
def test_order_of_values(shapes):
    axes = {"axes": ("tokens", "d_model") if min(map(len, shapes)) > 1 else ("n",)}
    name = "d_model" if len(axes["axes"]) == 2 else "n"
    for spoil, says in (
        (lambda w: w[..., ::-1], f"The output holds the right values in reverse order along the axis {name}."),
        (
            lambda w: np.roll(w, 1, -1),
            f"The output holds the right values one position too late along the axis {name}.",
        ),
        (
            lambda w: np.roll(w, -1, -1),
            f"The output holds the right values one position too early along the axis {name}.",
        ),
        (lambda w: np.roll(w, 2, -1), "The output holds all the right values, but in a different order."),
        (
            lambda w: np.broadcast_to(w.mean(-1, keepdims=True), w.shape),
            f"The output holds the mean of the right values along the axis {name}, instead of the values themselves.",
        ),
    ):
        assert said(pairs_of(shapes, spoil, **axes))[1] == says


def test_unnamed_axes_are_counted_from_the_end():
    says = said(pairs_of([(4, 3, 2)], lambda w: w[:, ::-1], axes=("...", "d")))[1]
    assert says == "The output holds the right values in reverse order along axis -2."


def test_transposed():
    says = "M is the transpose of what it should be: rows and columns are swapped."
    for shapes in ([(4, 4)], [(3, 3), (5, 5)], [(2, 4, 4)]):
        assert said(pairs_of(shapes, lambda w: np.swapaxes(w, -1, -2)), "M") == ("transposed", says)


def test_an_input_or_another_value_came_back():
    for shapes in SHAPES[:4]:
        others = [Pair(RNG.normal(size=shape), RNG.normal(size=shape)) for shape in shapes]
        pairs = [Pair(one.given, one.wanted, inputs={"W": np.ones(9), "x": one.given}) for one in others]
        assert said(pairs)[1] == "The output equals the input x, unchanged."
        pairs = [Pair(one.given, one.wanted, others={"h": one.given}) for one in others]
        assert said(pairs, "y") == ("equals", "y equals what h should be.")


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


def test_a_size_is_named_only_if_it_differs_between_cases():
    pairs = pairs_of([(3,), (5,)], lambda w: 4 * w, sizes={"d_model": 4})
    assert said(pairs)[1] == "The output is four times what it should be everywhere."
    both = [Pair(np.array(size * 10.0), np.array(10.0), sizes={"n": size}) for size in (4, 5)]
    assert find_trait(both, "the count") is None  # two numbers are too few


def truths(given, wanted, **more):
    return Pair(np.asarray(given, dtype=float), np.asarray(wanted, dtype=float), is_boolean=True, **more)


def test_truths():
    wanted = np.random.default_rng(1).random((5, 5)) < 0.5
    wanted[np.eye(5, dtype=bool)] = False
    wanted[0, 1], wanted[1, 0] = True, False
    for given, says in (
        (~wanted, "M is the opposite of what it should be everywhere: True and False are swapped."),
        (wanted.T, "M is the transpose of what it should be: rows and columns are swapped."),
        (wanted | True, "M is True everywhere, whatever the inputs are."),
        (wanted & False, "M is False everywhere, whatever the inputs are."),
        (wanted | np.eye(5, dtype=bool), "M is True wherever it is wrong, so it is True too often."),
        (wanted | (np.arange(25).reshape(5, 5) % 3 == 0), "M is True wherever it is wrong, so it is True too often."),
    ):
        assert said([truths(given, wanted)], "M")[1] == says
    single = [truths(np.array(not right), np.array(right)) for right in (True, False, True)]
    says = "The answer is the opposite of what it should be: True and False are swapped."
    assert said(single, "the answer") == ("swapped", says)
    half = [truths(np.array(given), np.array(False)) for given in (False, True, False, True, True)]
    says = "The answer is right in 2 of 5 cases; in the others it is True."
    assert said(half, "the answer") == ("one-side", says)
    assert said(half[:3], "the answer") == (None, None)


# ---- right in part ---------------------------------------------------------------------------------------------------


def test_right_in_some_cases():
    pairs = [*pairs_of([(4,)], lambda w: w), *pairs_of([(4,), (3,)], lambda w: -w)]
    says = "The output is right in 1 of 3 cases; in the others it has the opposite sign everywhere."
    assert said(pairs) == ("sign", says)


def test_right_when_a_flag_says_so():
    numbers = [(10.0, 10.0, True), (13.0, 10.0, False), (20.0, 20.0, True), (26.0, 21.0, False)]
    pairs = [Pair(np.array(a), np.array(b), flags={"bias": f"is {flag}"}) for a, b, flag in numbers]
    says = "The count is right when bias is True, and wrong when bias is False."
    assert said(pairs, "the count") == ("condition", says)
    assert find_trait(pairs[:3], "the count") is None  # one case of a kind shows nothing
    numbers.append((36.0, 30.0, False))
    sizes = [{"d": 1 + number} for number in range(5)]
    pairs = [
        Pair(np.array(a), np.array(b), flags={"bias": f"is {flag}"}, sizes=size)
        for (a, b, flag), size in zip(numbers, sizes, strict=True)
    ]
    pairs[1], pairs[3], pairs[4] = (
        Pair(one.wanted + one.sizes["d"], one.wanted, sizes=one.sizes, flags=one.flags)
        for one in (pairs[1], pairs[3], pairs[4])
    )
    says = "The count is right when bias is True; when bias is False it is too large by d."
    assert said(pairs, "the count") == ("size-off", says)


@pytest.mark.parametrize("axis", [-1, -2])
def test_wrong_or_right_at_one_end(axis):
    for place, word in ((0, "first"), (-1, "last")):
        for right, lead in ((False, "wrong"), (True, "right")):

            def spoil(wanted, right=right, place=place):
                given = wanted + RNG.normal(size=wanted.shape) if right else wanted.copy()
                ends = np.moveaxis(given, axis, 0)
                ends[place] = np.moveaxis(wanted, axis, 0)[place] + (0 if right else RNG.normal(size=ends[0].shape))
                return given

            pairs = pairs_of([(4, 5), (6, 3)], spoil, axes=("tokens", "d_model"))
            name = {-1: "d_model", -2: "tokens"}[axis]
            says = f"The output is {lead} only at the {word} position along the axis {name}."
            assert said(pairs) == ("one-end", says)


@pytest.mark.parametrize(
    ("where", "words"),
    [
        (lambda x: x < 0, "wrong where x is below 0, and right above that"),
        (lambda x: x > 0, "right where x is below 0, and wrong above that"),
        (lambda x: x > 1.5, r"right where x is below 1\.\d+, and wrong above that"),
        (
            lambda x: np.abs(x) > 1,
            r"right where x lies between −(1|0\.9\d*) and (1|0\.9\d*), and wrong outside that range",
        ),
        (
            lambda x: np.abs(x) < 1,
            r"wrong where x lies between −(1|0\.9\d*) and (1|0\.9\d*), and right outside that range",
        ),
    ],
)
def test_where_an_input_is_large(where, words):
    pairs = []
    for size in (30, 40):
        x = RNG.normal(size=size) * 2
        x[:2] = 0.98, 1.01
        wanted = RNG.normal(size=size)
        pairs.append(Pair(np.where(where(x), wanted + RNG.normal(size=size), wanted), wanted, inputs={"x": x}))
    key, says = said(pairs)
    assert key == "where" and re.fullmatch(f"The output is {words}.", says), says


def test_what_can_be_said_of_any_numbers():
    rng = np.random.default_rng(2)
    wanted = rng.random(9)
    given = wanted + rng.permutation(np.linspace(0.03, 0.2, 9)) ** 2
    assert said([Pair(wanted - given, wanted)], "the share")[1] == "The share falls below 0, but no value here should."
    says = r"The share reaches [23]\.\d+, but every value here should lie between 0 and 1\."
    assert re.fullmatch(says, said([Pair(given**2 + 2.3, wanted)], "the share")[1])
    assert said([Pair(given, wanted + 1)], "the share")[1] == "The share is too small wherever it is wrong."
    whole = np.array([3.0, 8, 12, 40])
    says = "The count has a fraction, but only whole numbers are expected here."
    for cut in (0.45, -0.45, 0.9):
        assert said([Pair(whole + cut * np.array([1, 0.7, 0.2, 0.9]), whole)], "the count") == ("fraction", says)
    not_by_rounding = said([Pair(np.sqrt(whole) * 2, whole)], "the count")
    assert not_by_rounding is None or not_by_rounding[0] != "fraction"


# ---- and never otherwise ---------------------------------------------------------------------------------------------


def test_a_right_answer_is_never_explained():
    for shapes in SHAPES:
        assert find_trait(pairs_of(shapes, lambda w: w), "the output") is None
        assert find_trait(pairs_of(shapes, lambda w: w + 1e-12), "the output") is None
        assert find_trait(pairs_of(shapes, lambda w: w + 1e-3, tolerance=0.01), "the output") is None


def test_two_numbers_are_too_few_for_a_rule():
    for spoil, _ in OF_THE_VALUES.values():
        found = find_trait(pairs_of([(), ()], spoil), "the number")
        assert found is None, found


def test_zeros_do_not_count_as_explained():
    wanted = np.zeros(8)
    wanted[:2] = 3, 4
    for given in (-wanted, 2 * wanted, wanted[::-1]):
        found = find_trait([Pair(given, wanted)], "the output")
        assert found is None or found.name not in ("sign", "times"), found
    constant = np.ones(6)
    late = constant.copy()
    late[0] = 7  # of equal values it cannot be said that they stand one position too late
    assert find_trait([Pair(late, constant)], "the output").name == "one-end"


def test_the_most_specific_comes_first():
    order = [test.__name__ for test in TRAITS]
    assert order.index("is_simple_function") < order.index("is_scaled_or_shifted") < order.index("differs_by_sizes")
    assert order.index("is_moved_along_an_axis") < order.index("is_reordered")
    assert order[-1] == "errs_to_one_side" and order.index("is_reordered") < order.index("is_near_or_out_of_range")


def test_the_same_number_in_every_case_is_seen_also_where_it_is_right_by_chance():
    pairs = [Pair(np.array(0.0), np.array(wanted)) for wanted in (0.0, 0.25, 0.5, 0.0)]
    assert find_trait(pairs, "the share").says == "The share is 0, whatever the inputs are."
    pairs = [Pair(np.array(given), np.array(wanted)) for given, wanted in ((0.0, 0.0), (0.0, 0.25), (0.1, 0.5))]
    assert find_trait(pairs, "the share") is None

"""What an answer returns is looked at in a fixed order, and one tolerance rule holds for numbers and arrays."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from whywrong import form as compare
from whywrong.task import Case, Exercise, Fault, Returns
from whywrong.todo import TODO

PRODUCT = Exercise(
    **{"id": "t.product", "kind": "function", "mistakes": (), "hints": ("", "", ""), "right": ""},
    cases=lambda rng: [],
    oracle=lambda: None,
    returns=(Returns("W", ("d_in", "d_out")), Returns("b", ("d_out",)), Returns("the error")),
)
ONE = replace(PRODUCT, returns=(Returns("y", ("tokens",)),))
WORD = replace(PRODUCT, returns=(Returns("the name"),))
NUMBER = replace(PRODUCT, returns=(Returns("your number"),))
W, B = np.arange(6.0).reshape(2, 3), np.array([1.0, -2.0, 3.0])
Y, T = np.array([1.0, 2.0]), torch.tensor([1.0, 2.0], dtype=torch.float64)


def checked(exercise, got, wanted, case=None, original=None):
    case = case or Case()
    return compare.check_form(exercise, got, wanted, case, original or case)


def fault(exercise, got, wanted, case=None, original=None):
    """Return key and message of the fault that is found."""
    with pytest.raises(Fault) as caught:
        checked(exercise, got, wanted, case, original)
    return str(caught.value.key), caught.value.message


# ---- the tolerance ---------------------------------------------------------------------------------------------------

KINDS = {
    "number": (None, float),
    "array": (("n",), lambda value: np.array([0.0, value])),
    "tensor": (("n",), lambda value: torch.tensor([0.0, value], dtype=torch.float64)),
    "no axes": ((), np.array),
}


@pytest.mark.parametrize("tolerance", [1e-7, 1e-3, 0.25])
@pytest.mark.parametrize("right", [0.0, 0.5, -1.0, 3.0, -200.0, 1e6])
@pytest.mark.parametrize("kind", KINDS)
def test_one_tolerance_for_numbers_and_arrays(kind, right, tolerance):
    """|value − right| may be tolerance · max(1, |right|), whatever holds the value."""
    axes, make = KINDS[kind]
    item = Returns("y", axes)
    for factor, expected in ((0.0, True), (0.99, True), (1.01, False), (3.0, False)):
        for sign in (-1, 1):
            value = right + sign * factor * tolerance * max(1, abs(right))
            assert compare.close_one(item, make(value), make(right), tolerance) is expected, (factor, sign)


def test_the_tolerance_itself_is_accepted():
    for axes, make in KINDS.values():
        assert compare.close_one(Returns("y", axes), make(2.5), make(2.0), 0.25)
        assert compare.close_one(Returns("y", axes), make(0.25), make(0.0), 0.25)


def test_every_value_must_agree():
    wanted = (W, B, 0.5)
    assert compare.close(PRODUCT, (W.copy(), B.copy(), 0.5), wanted)
    for position in range(3):
        got = [W, B, 0.5]
        got[position] = got[position] + 1e-3
        assert not compare.close(PRODUCT, tuple(got), wanted)
        assert compare.close(replace(PRODUCT, tolerance=0.01), tuple(got), wanted)
    last_one_off = W + np.array([[0, 0, 0], [0, 0, 1]])
    assert not compare.close(PRODUCT, (last_one_off, B, 0.5), wanted)


def test_shapes_are_compared_before_values():
    item = Returns("y", ("n",))
    assert not compare.close_one(item, np.ones(1), np.ones(3), 0.1)
    assert not compare.close_one(item, np.ones((3, 3)), np.ones(3), 0.1)


def test_words_and_truth_values():
    item = Returns("the name")
    assert compare.close_one(item, " GELU ", "gelu", 0) and not compare.close_one(item, "relu", "gelu", 0)
    assert not compare.close_one(item, 3.0, "gelu", 0) and not compare.close_one(item, "gelu", 3.0, 0)
    for right in (True, np.False_):
        assert compare.close_one(item, bool(right), right, 0) and not compare.close_one(item, not right, right, 0)


# ---- the form --------------------------------------------------------------------------------------------------------


def test_what_is_right_comes_back_as_plain_copies():
    class Odd(np.ndarray):
        pass

    given = W.view(Odd)
    plain = checked(PRODUCT, [given, B, np.float64(0.5)], (W, B, 0.5))
    assert type(plain) is tuple and [type(value) for value in plain] == [np.ndarray, np.ndarray, float]
    assert np.array_equal(plain[0], W) and not np.shares_memory(plain[0], W)
    assert type(checked(ONE, T, (T,))[0]) is np.ndarray
    assert type(checked(WORD, np.str_("gelu"), ("gelu",))[0]) is str
    assert checked(WORD, np.True_, (True,))[0] is True
    assert checked(NUMBER, torch.tensor(3), (3,)) == (3.0,)
    assert checked(replace(ONE, returns=(Returns("y", ()),)), 2.5, (np.array(2.5),))[0].shape == ()


@pytest.mark.parametrize(
    ("got", "words"),
    [
        ((W, B), "Return 3 values (W, b, the error): your function returned a tuple of 2."),
        ([W, B, 0.5, 1], "Return 3 values (W, b, the error): your function returned a list of 4."),
        ((), "Return 3 values (W, b, the error): your function returned a tuple of 0."),
        (W, "Return 3 values (W, b, the error): your function returned a ndarray."),
        ({1, 2, 3}, "Return 3 values (W, b, the error): your function returned a set."),
        ("abc", "Return 3 values (W, b, the error): your function returned a str."),
    ],
)
def test_wrong_number_of_values(got, words):
    assert fault(PRODUCT, got, (W, B, 0.5)) == ("type", words)


@pytest.mark.parametrize(
    ("exercise", "got", "wanted", "words"),
    [
        (
            PRODUCT,
            (W.tolist(), B, 0.5),
            (W, B, 0.5),
            "W must be a NumPy array (np.array(…) makes one), but it is a list.",
        ),
        (
            PRODUCT,
            (W, B.tolist(), 0.5),
            (W, T, 0.5),
            "b must be a torch tensor (torch.tensor(…) makes one), but it is a list.",
        ),
        (PRODUCT, (list(W), B, 0.5), (W, B, 0.5), "W must be a NumPy array (np.array(…) makes one), but it is a list."),
        (
            PRODUCT,
            ((W, W + 1), B, 0.5),
            (W, B, 0.5),
            "W must be a NumPy array, but it is a tuple of 2 values: return only the one that is asked for.",
        ),
        (
            PRODUCT,
            ((W,), B, 0.5),
            (W, B, 0.5),
            "W must be a NumPy array, but it is a tuple with one entry: take that entry with `[0]`, or leave out the "
            "comma after it.",
        ),
        (
            PRODUCT,
            ([W], B, 0.5),
            (W, B, 0.5),
            "W must be a NumPy array, but it is a list with one entry: leave out the square brackets around it.",
        ),
        (
            PRODUCT,
            (W, B, "0.5"),
            (W, B, 0.5),
            "The error must be a number, but it is a str: return the number itself, not text.",
        ),
        (PRODUCT, (W, B, True), (W, B, 0.5), "The error must be a number, but it is a bool."),
        (PRODUCT, (W, B, np.ones(1)), (W, B, 0.5), "The error must be one number, but it is a ndarray of shape (1,)."),
        (
            ONE,
            np.array(map(abs, Y)),
            (Y,),
            "y is an array around a map, which has not run yet: list(…) turns it into a list, and "
            "np.array(list(…)) into an array.",
        ),
        (ONE, 3.0, (Y,), "y must be a NumPy array, but it is a float."),
        (ONE, np.ndarray, (Y,), "y must be a NumPy array, but it is the class ndarray."),
        (WORD, 3, ("gelu",), "The name must be a word in quotes, but it is an int."),
        (WORD, 1, (True,), "The name must be True or False, but it is an int."),
    ],
)
def test_wrong_type(exercise, got, wanted, words):
    assert fault(exercise, got, wanted) == ("type", words)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ([1, "-2"], "y holds the string '-2': write numbers without quotes; float(…) converts a string."),
        ((1.0, ["0.5"]), "y holds the string '0.5': write numbers without quotes; float(…) converts a string."),
        (np.array(["3", "4"]), "y holds the string '3': write numbers without quotes; float(…) converts a string."),
        (np.array([3, "four"], object), "y holds the string 'four', which is not a number."),
        ([["True"]], "y holds the string 'True': write True, without quotes."),
        ("0", "y is the string '0': write numbers without quotes; float(…) converts a string."),
    ],
)
def test_strings_are_no_numbers(value, words):
    with pytest.raises(Fault) as caught:
        compare.refuse_strings("y", value)
    assert (caught.value.key, caught.value.message) == ("type", words)
    if not isinstance(value, str):
        assert fault(ONE, value, (Y,)) == ("type", words)


def test_what_holds_no_string_is_not_refused():
    for value in (3, [1, [2.5, None]], Y, T, np.array([1, None]), TODO, [TODO], (), len):
        compare.refuse_strings("y", value)


def test_arrays_and_tensors_stand_for_each_other():
    assert np.array_equal(checked(ONE, T, (Y,))[0], Y) and np.array_equal(checked(ONE, Y, (T,))[0], Y)


def test_other_package_is_described():
    assert compare.describe_other_package(ONE, T, (Y,)) == (
        "y is a torch tensor, though; NumPy functions expect an array: `.numpy()` makes one."
    )
    for wanted in ((W, T, 0.5), (W, T, T[0])):
        assert compare.describe_other_package(PRODUCT, (W, B, 0.5), wanted) == (
            "b is a NumPy array, though; torch functions expect a tensor: `torch.from_numpy(…)` makes one."
        )
    assert compare.describe_other_package(ONE, T, (T,)) == compare.describe_other_package(ONE, Y, (Y,)) == ""
    assert compare.describe_other_package(PRODUCT, (W, B, T[0]), (W, B, 0.5)) == ""


def test_truths_in_arrays_are_compared_as_numbers():
    truths = Y > 1
    assert compare.close(ONE, (truths,), (truths,)) and not compare.close(ONE, (~truths,), (truths,))


def test_nothing_came_back():
    assert fault(PRODUCT, None, (W, B, 0.5)) == (
        "none",
        "Your function returned None: is the return statement missing?",
    )
    assert fault(PRODUCT, (W, None, 0.5), (W, B, 0.5)) == ("none", "b is None: is an assignment missing?")
    value = replace(NUMBER, kind="value")
    assert fault(value, None, (3,)) == ("none", "Your answer is None: write it where TODO was.")


@pytest.mark.parametrize("got", [TODO, (W, TODO, 0.5), [TODO]])
def test_blanks_left(got):
    key, message = fault(PRODUCT, got, (W, B, 0.5))
    assert key == "todo" and "TODO in what your function returns" in message


@pytest.mark.parametrize(
    ("got", "sizes", "words"),
    [
        (W.T, {"d_in": 2, "d_out": 3}, "W has shape (3, 2) = (d_out, d_in), but (d_in, d_out) = (2, 3) is expected."),
        (W[0], {"d_in": 2, "d_out": 3}, "W has shape (3,) = (d_out,), but (d_in, d_out) = (2, 3) is expected."),
        (W[:1], {"d_in": 2, "d_out": 3}, "W has shape (1, 3), but (d_in, d_out) = (2, 3) is expected."),
        (W.T, {"d_in": 2, "tokens": 2, "d_out": 3}, "W has shape (3, 2), but (d_in, d_out) = (2, 3) is expected."),
        (W.T, {}, "W has shape (3, 2), but (d_in, d_out) = (2, 3) is expected."),
        (np.array(1.0), {"d_in": 2}, "W has shape (), but (d_in, d_out) = (2, 3) is expected."),
    ],
)
def test_wrong_shape(got, sizes, words):
    assert fault(PRODUCT, (got, B, 0.5), (W, B, 0.5), Case((), sizes)) == ("shape", words)


def test_one_axis_is_written_with_its_comma():
    assert fault(ONE, W, (Y,))[1] == "y has shape (2, 3), but (tokens,) = (2,) is expected."


def test_wrong_dtype():
    words = "b has dtype float32, but float64 is expected, as in the inputs: compute in float64 from the start."
    assert fault(PRODUCT, (W, B.astype(np.float32), 0.5), (W, B, 0.5)) == ("dtype", words)
    words = "y has dtype {}, but float64 is expected, as in the inputs: {}."
    fresh = "torch creates float32 tensors unless you pass dtype=x.dtype"
    assert fault(ONE, T.float(), (T,)) == ("dtype", words.format("float32", fresh))
    compared = "a comparison gives True and False, not numbers"
    assert fault(ONE, T > 0, (T,)) == ("dtype", words.format("bool", compared))
    assert fault(ONE, T.long(), (T,)) == ("dtype", words.format("int64", "whole numbers cannot hold fractions"))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_not_finite(bad):
    key, message = fault(PRODUCT, (W, B + np.array([0, 0, bad]), 0.5), (W, B, 0.5))
    assert key == "nan" and message.startswith("b contains NaN or infinity. Look for a division by zero")
    assert fault(PRODUCT, (W, B, bad), (W, B, 0.5)) == ("nan", "The error is not a finite number.")
    assert fault(NUMBER, 10**400, (3,)) == ("nan", "Your number is not a finite number.")


def test_rows_of_nan_are_named():
    item, right = replace(PRODUCT, returns=(Returns("y", ("n", "d")),)), (np.arange(6.0).reshape(3, 2),)
    rows = np.array([[1.0, 2], [np.nan, np.nan], [3, 4]])
    assert " in all of row 1, and nowhere else. Look" in fault(item, rows, right)[1]
    assert "row" not in fault(item, rows * [1, 0] + [np.nan, 0], right)[1]
    one = np.where(np.arange(6).reshape(3, 2) == 3, np.nan, 1)
    assert "y contains NaN or infinity. Look" in fault(item, one, right)[1]


CHANGED = {
    "array": (lambda: np.ones((2, 3)), lambda arg: arg.__setitem__((1, 2), 5)),
    "NaN": (lambda: np.array([np.nan, 1.0]), lambda arg: arg.__setitem__(0, 0)),
    "shape": (lambda: np.ones((2, 3)), lambda arg: setattr(arg, "shape", (3, 2))),
    "tensor": (lambda: torch.ones(3), lambda arg: arg.add_(1)),
    "list": (lambda: [1, 2], lambda arg: arg.append(3)),
    "array in a list": (lambda: [np.ones(2), "a"], lambda arg: arg[0].__setitem__(1, 0)),
    "emptied": (lambda: [1, 2], lambda arg: arg.clear()),
}


@pytest.mark.parametrize("name", CHANGED)
def test_changed_inputs(name):
    make, change = CHANGED[name]
    same = Case((len, make()), {}), Case((len, make()), {})
    assert checked(ONE, Y, (Y,), *same)
    change(same[0].args[1])
    key, message = fault(ONE, Y, (Y,), *same)
    assert key == "mutates" and message.startswith("Your code changed argument number 2.")


def test_order_of_the_checks():
    """The first thing that is wrong is told: type, then the inputs, then shape, dtype, NaN."""
    case, original = Case((np.zeros(2),)), Case((np.ones(2),))
    assert fault(ONE, [1.0, 2.0], (Y,), case, original)[0] == "type"
    assert fault(ONE, np.ones((3, 3), np.float32), (Y,), case, original)[0] == "mutates"
    assert fault(ONE, np.full((3, 3), np.nan, np.float32), (Y,))[0] == "shape"
    assert fault(ONE, np.full(2, np.nan, np.float32), (Y,))[0] == "dtype"
    assert fault(ONE, np.full(2, np.nan), (Y,))[0] == "nan"


def test_results_as_a_tuple():
    assert compare.as_values(PRODUCT, [1, 2, 3]) == (1, 2, 3)
    assert compare.as_values(NUMBER, 3) == (3,) and compare.as_values(NUMBER, (1, 2)) == ((1, 2),)


def test_names_of_kinds():
    kinds = [compare.kind_of(value) for value in ([], 3, Y, None, Exception(), int)]
    assert kinds == ["a list", "an int", "a ndarray", "None", "an Exception", "the class int"]


def test_what_counts_as_a_number():
    yes = (3, 0.5, np.float32(1), np.array(2), np.array(2.5), torch.tensor(3), torch.tensor(0.5))
    no = (True, np.True_, "3", 2j, None, np.ones(1), torch.ones(1), np.array("3"), np.array(True), [3])
    assert all(compare.is_number(value) for value in yes)
    assert not any(compare.is_number(value) for value in no)
    assert compare.is_finite(3) and not compare.is_finite(10**400) and not compare.is_finite(float("nan"))


def test_several_numbers_may_come_in_one_array():
    pair = replace(PRODUCT, returns=(Returns("one"), Returns("other")))
    for got in (np.array([3.0, 0.5]), torch.tensor([3.0, 0.5], dtype=torch.float64)):
        assert checked(pair, got, (3, 0.5)) == (3.0, 0.5)
    for got in (np.array([3.0, 0.5, 1.0]), np.array([[3.0, 0.5]]), np.array(3.0)):
        with pytest.raises(Fault, match="Return 2 values"):
            checked(pair, got, (3, 0.5))
    with pytest.raises(Fault, match="Return 3 values"):
        checked(PRODUCT, np.array([3.0, 0.5, 1.0]), (W, B, 0.5))

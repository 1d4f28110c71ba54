"""What an answer returns is looked at in a fixed order, and one tolerance rule holds for numbers and arrays."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from whywrong import form as compare
from whywrong.task import Case, Exercise, Fault, Returns

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
    for one in (np.True_, np.array(True), torch.tensor(True), 1, 1.0):
        assert checked(WORD, one, (True,))[0] is True
    assert checked(NUMBER, torch.tensor(3), (3,)) == (3.0,)
    assert checked(replace(ONE, returns=(Returns("y", ()),)), 2.5, (np.array(2.5),))[0].shape == ()


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
            "W must be a NumPy array, but it is a tuple with one entry: take it out with `[0]`, or leave out the comma "
            "after it.",
        ),
        (
            PRODUCT,
            ([W], B, 0.5),
            (W, B, 0.5),
            "W must be a NumPy array, but it is a list with one entry: take it out with `[0]`, or leave out the square "
            "brackets around it.",
        ),
        (
            PRODUCT,
            (W, B, "0.5"),
            (W, B, 0.5),
            "The error must be a number, but it is a str: return the number itself, not text.",
        ),
        (PRODUCT, (W, B, True), (W, B, 0.5), "The error must be a number, but it is a bool."),
        (
            PRODUCT,
            (W, B, np.ones(1)),
            (W, B, 0.5),
            "The error must be a number, but it is a ndarray of shape (1,): `.item()` takes the value out.",
        ),
        (PRODUCT, (W, B, np.ones(2)), (W, B, 0.5), "The error must be a number, but it is a ndarray of shape (2,)."),
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
        *(
            (
                WORD,
                got,
                (True,),
                f"The name must be True or False, but it is {kind}: a comparison gives one of them, and `.all()` or "
                "`all(…)` makes one of many.",
            )
            for got, kind in (
                (2, "an int"),
                ([True, True], "a list"),
                (torch.tensor([True, True]), "a Tensor of shape (2,)"),
            )
        ),
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


def test_what_counts_as_a_number():
    yes = (3, 0.5, np.float32(1), np.array(2), np.array(2.5), torch.tensor(3), torch.tensor(0.5))
    no = (True, np.True_, "3", 2j, None, np.ones(1), torch.ones(1), np.array("3"), np.array(True), [3])
    assert all(compare.is_number(value) for value in yes)
    assert not any(compare.is_number(value) for value in no)
    assert compare.is_finite(3) and not compare.is_finite(10**400) and not compare.is_finite(float("nan"))

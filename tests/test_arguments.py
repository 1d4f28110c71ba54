"""Arguments are checked once, and every message names the argument, what was given and what is accepted."""

import math

import numpy as np
import pytest
import torch

from course_lib import arguments


@pytest.mark.parametrize("value", [1, np.int64(1), np.uint8(1)])
def test_integer_accepts_whole_numbers(value):
    assert arguments.integer("k", value) == 1
    assert type(arguments.integer("k", value)) is int


@pytest.mark.parametrize("value", [True, np.True_, 1.0, "1", None, [1]])
def test_integer_refuses_other_types(value):
    with pytest.raises(TypeError, match="k must be an integer of at least 1, but"):
        arguments.integer("k", value)


@pytest.mark.parametrize(("value", "maximum"), [(0, None), (-3, None), (6, 5)])
def test_integer_refuses_values_outside_its_range(value, maximum):
    with pytest.raises(ValueError, match=rf"k must be an integer .*, but int {value} was given"):
        arguments.integer("k", value, maximum=maximum)


@pytest.mark.parametrize("value", [0, 0.5, np.float32(0.5), np.int64(1)])
def test_real_accepts_numbers_in_its_range(value):
    assert arguments.real("rate", value, 0, 1) == float(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -0.1, 1, 1.5])
def test_real_refuses_values_outside_its_range(value):
    with pytest.raises(ValueError, match=r"rate must be a number in \[0, 1\), but"):
        arguments.real("rate", value, 0, 1, open_high=True)


def test_the_ends_of_a_range_may_be_left_out():
    assert arguments.real("rate", 0, 0, 1) == 0 and arguments.real("rate", 1, 0, 1) == 1
    with pytest.raises(ValueError, match=r"rate must be a number in \(0, 1\], but int 0 was given"):
        arguments.real("rate", 0, 0, 1, open_low=True)
    with pytest.raises(ValueError, match=r"rate must be a number in \[0, 1\), but int 1 was given"):
        arguments.real("rate", 1, 0, 1, open_high=True)


@pytest.mark.parametrize("value", [True, "0.5", None, 1j, [0.5]])
def test_real_refuses_other_types(value):
    with pytest.raises(TypeError, match="rate must be a finite number, but"):
        arguments.real("rate", value)


def test_choice_lists_what_is_known():
    assert arguments.choice("mode", "a", ["a", "b"]) == "a"
    with pytest.raises(ValueError, match="unknown mode 'c': known are 'a', 'b'"):
        arguments.choice("mode", "c", ["a", "b"])
    with pytest.raises(TypeError, match="mode must be one of 'a', 'b', but int 3 was given"):
        arguments.choice("mode", 3, ["a", "b"])


def test_boolean():
    assert arguments.boolean("bias", np.False_) is False
    for value in (1, "yes", None):
        with pytest.raises(TypeError, match="bias must be True or False, but"):
            arguments.boolean("bias", value)


def test_function():
    known = {"sine": math.sin}
    assert arguments.function("wave", "sine", known) is math.sin
    assert arguments.function("wave", math.cos, known) is math.cos
    with pytest.raises(ValueError, match="unknown wave 'saw': known are 'sine'"):
        arguments.function("wave", "saw", known)
    with pytest.raises(TypeError, match="wave must be a function or one of 'sine', but int 3 was given"):
        arguments.function("wave", 3, known)
    with pytest.raises(TypeError, match=r"the class GELU was given; did you mean GELU\(\)"):
        arguments.function("wave", torch.nn.GELU, known)


def test_a_tensor_is_recognised_by_its_methods():
    assert arguments.is_tensor(torch.ones(2)) and arguments.is_tensor(torch.nn.Parameter(torch.ones(2)))
    for value in (np.ones(2), [1.0], 1.0, None, torch.Tensor, torch.nn.Identity(), "words"):
        assert not arguments.is_tensor(value)


def test_truths():
    for value in ([True, False], np.array([1, 0]), torch.tensor([1.0, 0.0]), (1, False)):
        found = arguments.truths("here", value, ("n",))
        assert found.dtype == bool and found.tolist() == [True, False]
    for value in ([0.5, 1], ["a", "b"], [None, True], "words", 2):
        with pytest.raises(TypeError, match="here must be an array of True and False, but"):
            arguments.truths("here", value, ("n",))
    with pytest.raises(ValueError, match="here must be an array of True and False, but list"):
        arguments.truths("here", [[True], [True, False]], ("n",))
    with pytest.raises(ValueError, match="here must not be empty"):
        arguments.truths("here", [], ("n",))
    with pytest.raises(ValueError, match=r"here must have shape \(n,\) with n = 3, but its shape is \(2,\)"):
        arguments.truths("here", [True, False], ("n",), {"n": 3})


def test_words():
    assert arguments.words("text", "a b") == "a b"
    with pytest.raises(TypeError, match="text must be a string, but bytes b'a' was given"):
        arguments.words("text", b"a")


def test_to_numpy():
    carrying = torch.tensor([1.0, 2.0], requires_grad=True)
    for value in (carrying, [1.0, 2.0], (1.0, 2.0), np.array([1.0, 2.0])):
        assert type(arguments.to_numpy(value)) is np.ndarray and arguments.to_numpy(value).tolist() == [1, 2]
    array = np.ones(2)
    assert arguments.to_numpy(array) is array


def test_array_takes_tensors():
    sizes = {}
    x = arguments.array("x", torch.ones(2, 3, requires_grad=True), ("n", "d"), sizes)
    assert type(x) is np.ndarray and x.dtype == np.float32 and sizes == {"n": 2, "d": 3}
    with pytest.raises(ValueError, match=r"y must have shape \(n,\) with n = 2, but its shape is \(3,\)"):
        arguments.array("y", torch.ones(3), ("n",), sizes)


def test_tensor():
    x = torch.zeros(2, 3)
    assert arguments.tensor("x", x) is x
    assert arguments.tensor("x", x, "d_model", 3, like=x) is x
    with pytest.raises(ValueError, match=r"last dimension of x must be d_model = 4, but the shape of x is \(2, 3\)"):
        arguments.tensor("x", x, "d_model", 4)
    with pytest.raises(ValueError, match=r"last dimension of x must be d_model = 4, but the shape of x is \(\)"):
        arguments.tensor("x", torch.tensor(1.0), "d_model", 4)
    with pytest.raises(TypeError, match=r"x must be a torch tensor, but ndarray of shape \(2, 3\) was given"):
        arguments.tensor("x", x.numpy())
    with pytest.raises(TypeError, match=r"x must hold floating-point numbers, but its dtype is torch.int64"):
        arguments.tensor("x", x.long())
    with pytest.raises(TypeError, match=r"dtype of the weights, torch.float64, but its dtype is torch.float32"):
        arguments.tensor("x", x, like=x.double())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_array_keeps_floating_point_arrays(dtype):
    x = np.ones((2, 3), dtype)
    assert arguments.array("x", x) is x


def test_array_converts_lists_whole_numbers_and_halves():
    for value in ([1, 2], np.array([1, 2], np.uint8), np.array([1, 2], np.float16)):
        assert arguments.array("x", value).dtype == np.float64


def test_array_checks_axes_and_collects_sizes():
    sizes = {}
    arguments.array("x", np.zeros((5, 4, 3)), ("...", "d_in"), sizes)
    arguments.array("W", np.zeros((3, 2)), ("d_in", "d_out"), sizes)
    assert sizes == {"d_in": 3, "d_out": 2}
    with pytest.raises(ValueError, match=r"b must have shape \(d_out,\) with d_out = 2, but its shape is \(3,\)"):
        arguments.array("b", np.zeros(3), ("d_out",), sizes)
    with pytest.raises(ValueError, match=r"W must have shape \(d_in, d_out\), but its shape is \(3,\)"):
        arguments.array("W", np.zeros(3), ("d_in", "d_out"))


def test_array_refuses_what_is_no_array_of_numbers():
    with pytest.raises(TypeError, match="x must be an array of real numbers"):
        arguments.array("x", ["a"])
    with pytest.raises(TypeError, match="x must be an array of real numbers"):
        arguments.array("x", np.array([True]))
    with pytest.raises(ValueError, match="x must be an array of numbers, but list"):
        arguments.array("x", [[1], [1, 2]])
    with pytest.raises(ValueError, match="x must not be empty"):
        arguments.array("x", [])


def test_array_refuses_nan_and_infinity_unless_asked():
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match="x must be finite"):
            arguments.array("x", [value])
        arguments.array("x", [value], finite=False)


def test_described_shortens_and_survives_a_broken_repr():
    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert arguments.described(Broken()) == "Broken"
    assert arguments.described("a" * 100).endswith("...")
    assert arguments.described(np.random.default_rng(0)) == "Generator Generator(PCG64)"  # without its address
    assert arguments.described(torch.zeros(2, 3)) == "Tensor of shape (2, 3)"

"""Arguments are checked once, and every message names the argument, what was given and what is accepted."""

import math

import numpy as np
import pytest
import torch

from courseware import arguments


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


def test_array_checks_axes_and_collects_sizes():
    sizes = {}
    arguments.array("x", np.zeros((5, 4, 3)), ("...", "d_in"), sizes)
    arguments.array("W", np.zeros((3, 2)), ("d_in", "d_out"), sizes)
    assert sizes == {"d_in": 3, "d_out": 2}
    with pytest.raises(ValueError, match=r"b must have shape \(d_out,\) with d_out = 2, but its shape is \(3,\)"):
        arguments.array("b", np.zeros(3), ("d_out",), sizes)
    with pytest.raises(ValueError, match=r"W must have shape \(d_in, d_out\), but its shape is \(3,\)"):
        arguments.array("W", np.zeros(3), ("d_in", "d_out"))


def test_described_shortens_and_survives_a_broken_repr():
    class Broken:
        def __repr__(self):
            raise RuntimeError

    assert arguments.described(Broken()) == "Broken"
    assert arguments.described("a" * 100).endswith("...")
    assert arguments.described(np.random.default_rng(0)) == "Generator Generator(PCG64)"  # without its address
    assert arguments.described(torch.zeros(2, 3)) == "Tensor of shape (2, 3)"

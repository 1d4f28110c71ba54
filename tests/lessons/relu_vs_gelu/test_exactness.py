"""Answers that are close and yet not exact are told from right ones."""

import pytest
import torch

from course_lib.desk import grade
from course_lib.model import activations


def central(x, step):
    return (activations.gelu(x + step) - activations.gelu(x - step)) / (2 * step)


def forward(x, step):
    return (activations.gelu(x + step) - activations.gelu(x)) / step


def fourth_order(x, step):
    return (8 * central(x, step) * step - 2 * central(x, 2 * step) * step) / (6 * step)


@pytest.mark.parametrize("step", [1e-3, 2**-10, 1e-4, 1e-5, 1e-6, 1e-7])
@pytest.mark.parametrize("difference", [central, forward, fourth_order])
def test_difference_quotients_are_told_from_the_slope(difference, step):
    for seed in range(5):
        verdict = grade("relu_vs_gelu.gelu_grad", lambda x: difference(x, step), seed)
        assert verdict.key == "mistake:difference" and verdict.message.startswith("Very close, but not exact")


def test_a_slope_that_is_right_near_zero_only_is_no_difference_quotient():
    def cut_off(x):
        return torch.where(x.abs() < 10, activations.gelu_derivative(x), 0.5)

    assert grade("relu_vs_gelu.gelu_grad", cut_off, 0).key != "mistake:difference"


def test_float32_is_told_from_float64_in_the_slope_only():
    wrong = grade("relu_vs_gelu.gelu_grad", lambda x: activations.gelu_derivative(x.float()).double(), 0)
    assert wrong.key == "mistake:difference" and "float32" in wrong.message


@pytest.mark.parametrize("coefficient", [0.04471, 0.0447, 0.045, 0.04])
def test_a_rounded_coefficient_is_refused(coefficient):
    def rounded(x):
        return x * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (x + coefficient * x**3))) / 2

    for seed in range(5):
        assert grade("relu_vs_gelu.gelu_tanh", rounded, seed).status == "not yet"


def test_a_tanh_that_overflows_is_told():
    def by_exp(x):
        u = (2 / torch.pi) ** 0.5 * (x + 0.044715 * x**3)
        return x * (1 + (u.exp() - (-u).exp()) / (u.exp() + (-u).exp())) / 2

    assert grade("relu_vs_gelu.gelu_tanh", by_exp, 0).key == "nan"

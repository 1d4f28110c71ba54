"""What the lesson claims in words, held against the functions and the experiments themselves."""

import math

import numpy as np
import pytest
import torch

from course_lib.model import activations, training
from course_lib.model.published import published_models
from lessons.catalogue import item
from tests.lessons.stored import run_cells

NOTEBOOK = "02_relu_vs_gelu"
GRID = torch.linspace(-8, 8, 16_001, dtype=torch.float64)


def prediction(name):
    return item(f"relu_vs_gelu.predict_{name}")


def below(x):
    """Return the share of a standard normal population below x."""
    return math.erfc(-x / math.sqrt(2)) / 2


def test_gelu_is_lowest_at_the_answer():
    asked = prediction("lowest")
    assert min(asked.choices, key=lambda x: x * below(x)) == asked.answer
    assert GRID[activations.gelu(GRID).argmin()].item() == pytest.approx(asked.answer, abs=0.002)
    shares = [round(100 * below(x), 1 if x == -3 else None) for x in asked.choices[:4]]
    assert shares == [0.1, 7, 23, 46]
    assert 1 / below(-3) == pytest.approx(700, rel=0.1) and -1.5 * below(-1.5) == pytest.approx(-0.10, abs=0.005)


def test_gelu_has_slopes_above_1_and_below_0():
    slopes = activations.gelu_derivative(GRID)
    assert prediction("slopes").answer == "both" and slopes.max() > 1 and slopes.min() < 0
    assert GRID[slopes.argmax()].item() == pytest.approx(1.41, abs=0.01) and round(slopes.max().item(), 2) == 1.13
    assert 1 - activations.gelu(torch.ones(1)).item() == pytest.approx(0.16, abs=0.005)  # the third hint
    assert (activations.gelu_tanh(GRID) - activations.gelu(GRID)).abs().max() < 0.0005
    assert [round(f(torch.tensor(x)).item(), 3) for f, x in ((activations.gelu, -3.0), (activations.silu, -6.0))] == [
        -0.004,
        -0.015,
    ]


def test_how_many_published_models_use_relu():
    models = published_models()
    years = [model.year for model in models if model.ffn_name == "ReLU"]
    assert (len(years), len(models), max(years)) == (4, 33, 2022)


def pushed(activation, shift):
    """Train the networks of section 3; return the silent units (%), the losses, that of a constant, and what moved."""
    cells = run_cells(NOTEBOOK, "setup", "run-3-setup")
    many = cells["pushed"](activation, shift)
    before = [parameter.clone() for parameter in many.parameters]
    losses = training.fit(many, cells["push_x"], cells["push_y"], steps=200, rate=0.01).final
    silent = 100 * (cells["gradients"](many) < 1e-12).double().mean(dim=1)
    moved = [not torch.equal(old, new) for old, new in zip(before, many.parameters, strict=True)]
    return silent.numpy(), losses, cells["push_y"].var(unbiased=False).item(), moved


def test_pushed_relu_units_die_and_gelu_units_do_not():
    silent, losses, constant, moved = pushed("relu", -3)
    assert (silent == prediction("dead").answer).all()
    assert losses == pytest.approx(constant, rel=1e-3)
    assert moved == [False, False, False, True]  # nothing but the last bias
    silent, losses, constant, _ = pushed("gelu", -3)
    assert (silent == 0).all() and (losses < constant / 100).all()


def test_the_sums_before_the_push():
    cells = run_cells(NOTEBOOK, "setup", "run-3-setup")
    many = cells["pushed"]("relu", 0)
    sums = cells["push_x"] @ many.parameters[0] + many.parameters[1]
    assert sums.abs().max() < 3 and (sums.abs() < 1).double().mean() > 0.8


def test_a_large_step_kills_units_without_a_push():
    cells = run_cells(NOTEBOOK, "setup", "run-3-setup")
    for rate, least, most in ((0.01, 0, 0), (0.3, 1, 10)):  # per cent
        many = cells["pushed"]("relu", 0)
        training.fit(many, cells["push_x"], cells["push_y"], steps=200, rate=rate)
        assert least <= 100 * (cells["gradients"](many) < 1e-12).double().mean() <= most

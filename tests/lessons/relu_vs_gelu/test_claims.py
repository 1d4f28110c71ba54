"""What the lesson claims in words, held against the functions and the experiments themselves."""

import math
import re

import nbformat
import numpy as np
import pytest
import torch

from course_lib.model import activations, training
from lessons.catalogue import item
from tests.conftest import NOTEBOOKS
from tests.lessons.stored import plain_outputs, run_cells

NOTEBOOK = "02_relu_vs_gelu"
SHOWN = plain_outputs(NOTEBOOK)
GRID = torch.linspace(-8, 8, 16_001, dtype=torch.float64)


def prediction(name):
    return item(f"relu_vs_gelu.predict_{name}")


def below(x):
    """Return the share of a standard normal population below x."""
    return math.erfc(-x / math.sqrt(2)) / 2


def test_the_average_after_relu():
    exact = 1 / math.sqrt(2 * math.pi)  # the mean of max(0, x) for a standard normal x
    assert prediction("relu").answer == pytest.approx(exact, abs=0.002)
    assert "average after ReLU: 0.399" in SHOWN["run-1"] and "positive half alone: 0.80" in SHOWN["run-1"]


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


def test_shore_from_weak_evidence():
    rows = [re.split("  +", line.strip()) for line in SHOWN["run-2-bank"].splitlines() if "×" in line]
    shore = {(name, scale): [float(value) for value in values] for name, scale, *values in rows}
    assert shore["relu", "× 1"] == shore["relu", "× 8"] == [0, 0, 0, 0, 0.98]
    for name in ("gelu", "silu"):
        *weak, bank = shore[name, "× 1"]
        assert max(weak) < -0.2 and bank < 0.7
        *weak, bank = shore[name, "× 8"]
        assert min(weak) >= -0.05 and bank >= 0.96


def test_a_printed_number_is_what_the_cell_prints():
    (number,) = prediction("relu").printed
    assert re.search(rf"(?<![\d.]){re.escape(f'{number:g}')}(?!\d)", SHOWN["run-1"])


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


def test_the_limits_of_the_demonstration():
    shares = {
        name: list(map(int, numbers.split(", ")))
        for name, numbers in re.findall(r"(\w+LU) ([\d, ]+) %", SHOWN["run-6"])
    }
    losses = {name: float(loss) for name, loss in re.findall(r"(\w+LU) (0\.\d+)", SHOWN["run-6"])}
    constant = float(re.search(r"a constant, the mean of y: loss (0\.\d+)", SHOWN["run-3"])[1])
    assert [shares[name][0] for name in ("ReLU", "GELU", "SiLU")] == [0, 0, 0]  # an ordinary start
    assert [shares[name][-1] for name in ("ReLU", "GELU", "SiLU")] == [100, 100, 0]
    assert losses["ReLU"] == losses["GELU"] == constant and losses["SiLU"] < constant / 5


def test_two_relus_make_the_kink():
    torch.testing.assert_close(activations.relu(GRID) + activations.relu(-GRID), GRID.abs())
    assert "kink |x|" in SHOWN["run-4"] and "(ReLU lower in every seed); noisy" in SHOWN["run-4"]
    assert prediction("kink").answer == "relu"


def test_a_narrow_bend_does_as_relu_does():
    errors = {
        task: [[float(end) for end in cell.split(" to ")] for cell in cells]
        for task, *cells in (re.split("  +", line) for line in SHOWN["run-4-narrow"].splitlines() if " to " in line)
    }
    for relu, gelu, narrow in (errors["kink |x|"], errors["sine wave"]):
        assert relu[0] < narrow[1] and narrow[0] < relu[1]  # level with ReLU
        assert narrow[1] < gelu[0] or gelu[1] < narrow[0]  # apart from GELU
    z = torch.linspace(-0.01, 0.01, 4001, dtype=torch.float64)
    slopes = torch.diff(activations.gelu(16 * z) / 16) / torch.diff(z)
    assert torch.diff(slopes).max() < 1e-3  # no corner


def test_the_sums_before_the_push():
    cells = run_cells(NOTEBOOK, "setup", "run-3-setup")
    many = cells["pushed"]("relu", 0)
    sums = cells["push_x"] @ many.parameters[0] + many.parameters[1]
    assert sums.abs().max() < 3 and (sums.abs() < 1).double().mean() > 0.8


def test_plain_descent_takes_small_steps():
    constant = float(re.search(r"a constant, the mean of y: loss (0\.\d+)", SHOWN["run-3"])[1])
    adam = float(re.search(r"gelu: 0 to 0 % .* loss .*, ([\d.]+)\]", SHOWN["run-3"])[1])
    same, larger = (
        [float(loss) for loss in pair]
        for pair in re.findall(r"plain descent at .*: loss (\S+) to (\S+)", SHOWN["run-3"])
    )
    assert same[0] > 0.9 * constant  # "hardly moves the GELU networks"
    assert larger[1] < constant / 10 and larger[0] > 2 * adam  # "they learn, but less far than with Adam"


def test_between_the_lowest_points_gelu_falls_and_silu_rises():
    x = torch.linspace(-1.27, -0.76, 50, dtype=torch.float64)
    slopes = {name: activations.ACTIVATIONS[name].derivative(x) for name in ("relu", "gelu", "silu")}
    assert (slopes["gelu"] < 0).all() and (slopes["silu"] > 0).all() and (slopes["relu"] == 0).all()


def test_a_large_step_kills_units_without_a_push():
    cells = run_cells(NOTEBOOK, "setup", "run-3-setup")
    for rate, least, most in ((0.01, 0, 0), (0.3, 1, 10)):  # per cent
        many = cells["pushed"]("relu", 0)
        training.fit(many, cells["push_x"], cells["push_y"], steps=200, rate=rate)
        assert least <= 100 * (cells["gradients"](many) < 1e-12).double().mean() <= most


def test_how_much_of_a_gradient_arrives():
    arrived = {
        name: [[float(number) for number in cell.split(" to ")] for cell in cells]
        for name, *cells in (re.split("  +", line.strip()) for line in SHOWN["run-8"].splitlines() if " to " in line)
    }
    assert arrived["sigmoid"][0][1] < 1e-6  # "ReLU does help … compared with the sigmoid"
    assert arrived["tanh"][0][0] >= 1 > arrived["ReLU"][0][0] > 0.1
    assert arrived["tanh"][1][0] > 10 * arrived["ReLU"][1][1]


def test_how_many_models_use_relu():
    used, models, last = re.search(r"ReLU: (\d+) of (\d+) models, none after (\d+)", SHOWN["run-7"]).groups()
    said = f"{used} of {models} use ReLU, and none of those is later than {last}"
    texts = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS / f"{NOTEBOOK}.ipynb", as_version=4).cells}
    assert said in texts["explain-7"]

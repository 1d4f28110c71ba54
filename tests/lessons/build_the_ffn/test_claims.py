"""What the lesson says, held against what its own cells and other computations give."""

import re

import numpy as np
import pytest
import torch

from course_lib.model import bank
from course_lib.model.ffn import PositionWiseFeedForward
from lessons.build_the_ffn import solutions
from tests.lessons.stored import plain_outputs, run_cells

NOTEBOOK = "03_build_the_ffn"
OUTPUTS = plain_outputs(NOTEBOOK)


def test_the_row_of_bank_can_be_computed_by_hand():
    rows = dict(re.findall(r"([zhy]) \[(.+?)\]", OUTPUTS["run-1-bank"]))
    z, h, y = ([float(value) for value in rows[name].split()] for name in "zhy")
    assert bank.way("river").mixed[-1, :5].round(2).tolist() == [1, 0.99, 0, 0, 0]  # as the question says
    assert (z, h) == ([0.49, -0.5], [0.49, 0])  # "0.99 − 0.5 = 0.49"
    assert y == [0, 0, 0, 0.98, 0]  # "0.98 of a shore and no vault"


def test_glorot_in_the_notebook_is_the_published_rule():
    draw = run_cells(NOTEBOOK, "run-2-rules")["draw"]
    drawn = draw("Glorot", np.random.default_rng(0), 64, 256)
    limit = np.sqrt(6 / (64 + 256))
    assert drawn.shape == (64, 256)
    assert 0.99 * limit < np.abs(drawn).max() <= limit
    assert abs(drawn.mean()) < 0.01 * limit
    assert drawn.var() == pytest.approx(2 / (64 + 256), rel=0.03)
    histogram, _ = np.histogram(drawn, bins=8, range=(-limit, limit))
    assert histogram == pytest.approx(drawn.size / 8, rel=0.1)  # uniform


def test_dropout_in_both_places():
    assert OUTPUTS["run-4-places"].count("within 10 % of eval mode: True") == 2
    zeros = [float(line.split(": ")[1].split()[0]) for line in OUTPUTS["run-4-places"].splitlines()[::2]]
    assert zeros == [pytest.approx(0.5, abs=0.02), 0]


def test_the_solution_is_the_network_of_the_course():
    torch.manual_seed(0)
    ours, theirs = PositionWiseFeedForward(5, 7, dropout=0.0), solutions.FFN(5, 7)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 3, 5)
    assert torch.equal(ours(x), theirs(x))

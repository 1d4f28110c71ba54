"""What the lesson claims in words, held against other computations."""

import itertools
import re

import nbformat
import numpy as np

from course_lib.model import tasks, training
from lessons.catalogue import item
from tests.conftest import NOTEBOOKS
from tests.lessons.stored import plain_outputs, run_cells

NOTEBOOK = "01_linear_limits"
SHOWN = plain_outputs(NOTEBOOK)


def prediction(name):
    return item(f"linear_limits.predict_{name}")


def test_no_line_gets_all_four_points():
    x, xor = np.array(list(itertools.product((0, 1), repeat=2))), np.array([0, 1, 1, 0])
    grid = np.linspace(-2, 2, 41) + 0.013
    hits = [((x @ (p, q) + b > 0) == xor).sum() for p, q, b in itertools.product(grid, grid, grid)]
    assert f"best one has {max(hits)} of 4 points right" in SHOWN["run-2"]


def test_two_units_rarely_suffice():
    assert f"2 units {prediction('width').answer} %, 4 units 60 %, 8 units 96 %" in SHOWN["run-3"]
    assert "16 units 100 %" in SHOWN["run-3"]
    shares = []
    for first in (200, 400):  # "the next two groups of 200 starts gave 21 and 16.5 %"
        many = training.networks((2, 2, 1), 200, first_seed=first)
        shares.append(100 * (training.fit(many, *tasks.xor(), steps=400, rate=0.05).final < 0.05).mean())
    cells = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS / f"{NOTEBOOK}.ipynb", 4).cells}
    assert "two groups of 200 starts gave {:g} and {:g} %".format(*shares) in cells["explain-3"]


def test_attention_breaks_the_sum_rule_and_not_by_little():
    assert "weights held fixed, attention obeys the rule to 1e-12: True" in SHOWN["run-4"]
    assert int(re.search(r"off by (\d+) %", SHOWN["run-4"])[1]) > 100  # "the gap is larger than the output itself"
    cells = run_cells(NOTEBOOK, "setup", "run-4")
    one = cells["a"][:1]
    assert np.allclose(cells["softmax_weights"](one), 1)  # a single row sees itself alone

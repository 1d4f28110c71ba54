"""What the lesson says in its predictions, held against what its own cells compute."""

import ast
import re

import numpy as np
import pytest
import torch

from course_lib.desk import grade
from course_lib.model.ffn import PositionWiseFeedForward
from lessons.build_the_ffn import solutions
from lessons.catalogue import item
from tests.lessons.stored import plain_outputs, run_cells

NOTEBOOK = "03_build_the_ffn"
OUTPUTS = plain_outputs(NOTEBOOK)


def is_exact(prediction, guess):
    return "and that is right" in grade(f"build_the_ffn.predict_{prediction}", guess).message


@pytest.mark.parametrize(
    ("prediction", "cell", "before", "after"),
    [
        ("batch", "run-1-batch", "→ ", " →"),
        ("weight", "run-3", "up.weight has shape ", "\n"),
    ],
)
def test_the_answer_is_what_the_cell_prints(prediction, cell, before, after):
    printed = OUTPUTS[cell].split(before)[1].split(after)[0]
    assert is_exact(prediction, ast.literal_eval(printed))


def test_the_row_of_bank_can_be_computed_by_hand():
    rows = dict(re.findall(r"^([xzhy]) \(\d,\) \[(.+)\]$", OUTPUTS["run-1-bank"], re.MULTILINE))
    x, z, h, y = ([float(value) for value in rows[name].split()] for name in "xzhy")
    assert (x, z, h) == ([1, 0.99, 0, 0, 0], [0.49, -0.5], [0.49, 0])  # "0.99 − 0.5 = 0.49"
    assert y == [0, 0, 0, 0.98, 0]  # "0.98 of a shore and no vault"


def test_unit_weights_make_the_output_almost_ninety_times_larger():
    asked = item("build_the_ffn.predict_scale")
    sizes = run_cells(NOTEBOOK, "setup", "run-2-rules", "run-2")["sizes"]
    after_one = sizes[0, :, 1]
    nearest = {min((0.3, 3, 30, 300), key=lambda offered: abs(np.log(offered / size))) for size in after_one}
    assert nearest == {30} and grade(asked.id, 30).near
    assert asked.answer == round(after_one.mean()) and 80 < after_one.mean() / 0.3 < 90
    low, high = after_one.min(), after_one.max()
    assert f"N(0, 1): from {low:.3g} to {high:.3g};" in OUTPUTS["run-2"]
    for shown in (f"{low:.3g}", f"{high:.3g}", f"{low:.2g}", f"{high:.2g}", f"{after_one.mean():.2g}"):
        assert is_exact("scale", float(shown))
    assert "with weights from N(0, 1): 27 (median" in OUTPUTS["run-2"] or "N(0, 1): 26 (median" in OUTPUTS["run-2"]
    kept, faded = (np.median(sizes[rule, :, 6]) / np.median(sizes[rule, :, 0]) for rule in (1, 2))
    assert 0.8 < kept < 1.25  # "keeps its size"
    assert 1 / 36 < faded < 1 / 25  # "to a thirtieth"


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


def test_biases_from_a_wide_distribution_drown_the_tokens():
    shares = {
        name: [[float(end) for end in re.findall(r"[\d.]+", cell)] for cell in cells]
        for name, *cells in (re.split("  +", line) for line in OUTPUTS["run-biases"].splitlines() if " to " in line)
    }
    assert shares["N(0, 1)"][1][1] < 1  # "nearly everything is the same for every token"
    assert min(shares["zero"][1][0], shares["nn.Linear"][1][0]) > 15 and shares["zero"][1][1] < 50


def test_a_square_matrix_hides_a_forgotten_transpose():
    wide, wide_T, square, square_T = OUTPUTS["run-3-trap"].splitlines()[:4]
    assert wide.endswith("refuses") and square.endswith("right: False")
    assert wide_T.endswith("right: True") and square_T.endswith("right: True")


def test_the_solution_is_the_network_of_the_course():
    torch.manual_seed(0)
    ours, theirs = PositionWiseFeedForward(5, 7, dropout=0.0), solutions.FFN(5, 7)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 3, 5)
    assert torch.equal(ours(x), theirs(x))

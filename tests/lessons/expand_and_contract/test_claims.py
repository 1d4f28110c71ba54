"""What the lesson says in its predictions, held against what its own cells show and compute."""

import re

import nbformat
import numpy as np
import pytest
import torch

from course_lib.desk import grade
from course_lib.model import accounting, bank
from lessons.catalogue import item
from tests.conftest import NOTEBOOKS
from tests.lessons.stored import plain_outputs, run_cells
from whywrong.task import Status

NOTEBOOK = "04_expand_and_contract"
OUTPUTS = plain_outputs(NOTEBOOK)


@pytest.fixture(scope="module")
def names():
    """What the lesson's cells leave up to the recall of the narrow layers."""
    return run_cells(NOTEBOOK, "setup", "run-1-count", "run-2-tools", "run-2")


def recall(names, factor, activation="relu"):
    keys, values = names["keys"], names["values"]
    return names["is_recalled"](names["memorise"](factor, activation)(keys), values).mean(dim=1)


def says_right(prediction, guess):
    return "and that is right" in grade(f"expand_and_contract.predict_{prediction}", guess).message


@pytest.mark.parametrize(
    ("prediction", "cell", "words"),
    [
        ("zeros", "run-1-count", r"ReLU, untrained: (\S+) of the values"),
        ("recall_2x", "run-2-double", r"expansion 2: (\d+) of 100"),
        ("recall_4x", "run-2-four", r"expansion 4: (\d+) of 100"),
        ("rank", "run-3", r"\n0 +8 +(\d+)"),
        ("widest", "run-5", r"to (\S+);"),
    ],
)
def test_what_the_cell_prints_is_right(prediction, cell, words):
    assert says_right(prediction, float(re.search(words, OUTPUTS[cell])[1]))


@pytest.mark.parametrize(("factor", "prediction"), [(2, "recall_2x"), (4, "recall_4x")])
def test_every_draw_is_near_the_answer(names, factor, prediction):
    asked, shares = item(f"expand_and_contract.predict_{prediction}"), 100 * recall(names, factor)
    assert f"{shares.mean():.0f}" == f"{asked.answer:.0f}"
    assert (shares - asked.answer).abs().max() < 0.25 * asked.answer


def test_half_of_the_pairs_had_their_value_among_the_five_nearest(names):
    output, values = names["memorise"](2)(names["keys"]), names["values"]
    nearest = torch.cdist(output, values).topk(5, dim=2, largest=False).indices
    found = (nearest == torch.arange(values.shape[1])[:, None]).any(dim=2).double().mean()
    assert found == pytest.approx(0.5, abs=0.05)


def test_recall_rises_and_a_linear_network_stays(names):
    narrow, same, double = (recall(names, factor) for factor in (0.5, 1, 2))
    assert narrow.max() < same.min() and same.max() < double.min()
    assert 2 < same.mean() / narrow.mean() < double.mean() / same.mean() < 5.5
    assert recall(names, 4, "identity").max() < 0.03


def test_without_an_activation_only_a_layer_narrower_than_its_ends_is_worse():
    one, four, narrow, same, wide, best = re.findall(r": (0\.\d+)", OUTPUTS["run-2-linear"])
    assert narrow > same == wide == best == "0.924"
    assert float(four) < 0.5 * float(one) and float(one) > 0.7  # "far from the values", "less than half of that"


def test_one_output_in_six_lies_closer_to_a_wrong_value_at_four_times_the_width(names):
    assert 1 - recall(names, 4).mean() == pytest.approx(1 / 6, abs=0.02)
    assert "one output in six" in grade("expand_and_contract.predict_recall_4x", 100).message


def test_half_of_the_values_are_zero_because_weights_are_random(names):
    assert names["zeros"](names["many"]).mean() == pytest.approx(0.5, abs=0.01)
    # the demonstration can fail: it does when the biases have a preferred sign
    assert names["zeros"](names["many"], lambda z: torch.relu(z - 0.5)).mean() > 0.7


def test_the_first_layer_adds_no_direction():
    rows = [line.split()[1:] for line in OUTPUTS["run-3"].splitlines() if line[:1].isdigit()]
    assert rows == [["8", "8", "32", "8"]] * 5


def test_a_deletion_typically_costs_one_fact():
    knows, *counts = re.search(r"with a price +(.+)", OUTPUTS["run-4-delete"])[1].split()
    deletions, none, one, more = map(int, counts)
    assert knows == "True" and one > 0.9 * deletions == 0.9 * (none + one + more)
    assert says_right("deleted", 1)
    assert re.search(r"as usual +True +(\d+) +\1 +0 +0", OUTPUTS["run-4-delete"])


def test_with_16_units_most_deletions_lose_a_fact():
    cells = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS / f"{NOTEBOOK}.ipynb", as_version=4).cells}
    assert cells["run-4-train"].count("(32, 64, 32)") == 1
    found = run_cells(NOTEBOOK, "setup")
    for id in ("run-4-train", "run-4-delete"):
        exec(cells[id].replace("(32, 64, 32)", "(32, 16, 32)"), found)
    for _, knows, deletions, none, _, _ in found["deletion_rows"]:
        assert knows and none < 0.5 * deletions


def test_widest_published_factor():
    models = {model.name: model for model in accounting.published_models() if not model.experts}
    assert len(models) == 28 and "of 28 published models" in OUTPUTS["run-5"]
    assert says_right("widest", max(model.expansion for model in models.values()))
    assert (models["Gemma-2B"].d_model, models["Gemma-2B"].d_ff) == (2048, 16384)
    gemma = {name: (model.year, model.expansion) for name, model in models.items() if name.startswith("Gemma")}
    assert {name for name, (_, factor) in gemma.items() if factor == 8} == {"Gemma-2B", "Gemma-7B"}
    assert {factor for year, factor in gemma.values() if year in (2025, 2026)} == {4}
    near = sorted(round(model.expansion, 2) for model in models.values() if 4 < model.expansion < 6)
    assert near == [5, 5.29, 5.4]  # "One of the models is at five, two are a little above it"
    assert sum(model.expansion > 6 for model in models.values()) == 2  # "two are wider still"


def test_the_first_unit_of_the_story_solves_exercise_2():
    def unit(d_model, a, b, value):
        W1 = np.zeros((d_model, 1))
        W1[[a, b]] = bank.W1[bank.FEATURES.index("bank"), 0]
        return W1, bank.B1[:1], bank.W2[0].max() * value[None], np.zeros(d_model)

    assert np.flatnonzero(bank.W1[:, 0]).tolist() == [bank.FEATURES.index(name) for name in ("bank", "river")]
    assert np.flatnonzero(bank.W2[0]).tolist() == [bank.FEATURES.index("shore")]
    assert grade("expand_and_contract.hand_wired_and", unit).status == Status.CORRECT


def test_the_story_writes_shore_in_one_row_alone():
    rows = re.findall(r"^(\w+) \((\w+)\) .* (0\.\d+)$", OUTPUTS["story"], re.MULTILINE)
    assert [row[2] for row in rows] == ["0.00"] * 4 + ["0.98", "0.00"]
    assert rows[-2][:2] == ("bank", "river") and rows[-1][:2] == ("bank", "money")


def test_twice_d_model_units_keep_everything_and_d_model_do_not():
    assert re.findall(r"(True|False)$", OUTPUTS["run-5-keep"], re.MULTILINE) == ["True", "False"]


def test_depth_multiplies_pieces():
    assert re.findall(r"(\d+) pieces", OUTPUTS["run-2-third"]) == ["16", "64"]


def test_the_error_of_wide_students_turns_at_the_usual_step_size_alone():
    rows = re.findall(r"^(\d)× +(0\.\d+) +(.+)$", OUTPUTS["run-2-teacher"], re.MULTILINE)
    errors = {(teacher, rate): [float(error) for error in row.split()] for teacher, rate, row in rows}
    assert list(errors) == [("1", "0.03"), ("4", "0.03"), ("4", "0.01")]
    for teacher in ("1", "4"):
        _, _, eight, widest = errors[teacher, "0.03"]
        assert widest > 1.3 * eight
    assert sorted(errors["4", "0.01"], reverse=True) == errors["4", "0.01"]

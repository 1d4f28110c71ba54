"""What the lesson says in its predictions, held against what its own cells show and compute."""

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


def test_half_of_the_values_are_zero_because_weights_are_random(names):
    assert names["zeros"](names["many"]).mean() == pytest.approx(0.5, abs=0.01)
    # the demonstration can fail: it does when the biases have a preferred sign
    assert names["zeros"](names["many"], lambda z: torch.relu(z - 0.5)).mean() > 0.7


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

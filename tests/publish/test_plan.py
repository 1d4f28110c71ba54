"""A plan names what exists and fits its minutes, and what is wrong with one is said."""

import dataclasses

import pytest

from lessons import catalogue
from publish.author import plan

ONE = catalogue.lesson("position_independence")


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_nothing_is_wrong_with_a_plan(lesson):
    assert plan.read(lesson).question.endswith("?")


@pytest.fixture(scope="module")
def good():
    """The plan of one lesson, with its notebook."""
    return plan.read(ONE), plan.notebook(ONE)


def changed(words, **fields):
    """Return what is wrong with a plan in which some fields are replaced."""
    return plan.problems(dataclasses.replace(words, **fields), ONE, plan.notebook(ONE))


def test_good_plan_has_no_problem(good):
    assert plan.problems(good[0], ONE, good[1]) == []
    lab = dataclasses.replace(good[0].lab, steps=good[0].lab.steps[1:])
    assert "in the lab hour run-5-length needs run-1" in plan.problems(
        dataclasses.replace(good[0], lab=lab), ONE, good[1]
    )


def test_unknown_cells_are_reported(good):
    words, _ = good
    wrong = dataclasses.replace(words.plan45[0], cells=(*words.plan45[0].cells, "idea-99"))
    assert changed(words, plan45=[wrong, *words.plan45[1:]]) == ["there is no cell idea-99"]
    assert changed(words, cut="Leave out `run-77`.") == ["there is no cell run-77"]
    assert changed(words, cut="Leave out `x @ W1` and `d_ff`.") == []


def test_cells_that_need_a_cell_which_the_plan_leaves_out_are_reported(good):
    words, _ = good
    without = [
        dataclasses.replace(step, cells=tuple(c for c in step.cells if c not in ("run-1", "idea-2")))
        for step in words.plan25
    ]
    assert changed(words, plan25=without) == [
        "in the plan for 25 minutes predict-2 lacks its question, idea-2",
        "in the plan for 25 minutes run-1-stages needs run-1",
        "in the plan for 25 minutes run-2 needs run-1",
        "in the plan for 25 minutes run-4 needs run-1",
    ]
    early = dataclasses.replace(words.plan25[0], cells=("idea-4", "run-4"))
    assert "in the plan for 25 minutes run-4 needs run-2" in changed(words, plan25=[early, *words.plan25[1:]])


def test_damaged_plan_is_reported_with_its_name(tmp_path, monkeypatch):
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    with pytest.raises(ValueError, match=r"position_independence, plan\.toml: there is no such plan"):
        plan.read(ONE)
    (tmp_path / ONE.name).mkdir()
    (tmp_path / ONE.name / "plan.toml").write_text('question = "?"\n')
    with pytest.raises(ValueError, match=r"position_independence, plan\.toml: its keys are .*'plan45'"):
        plan.read(ONE)

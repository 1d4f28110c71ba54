"""The teacher's pages are what the command makes of the plans and of the lessons' data, and plans name what exists."""

import functools
import re

import pytest

from classroom import measure, plans
from lessons import catalogue, cells
from publish.author import plan

LESSONS = catalogue.lessons()
ONE = catalogue.lesson("position_independence")


@functools.cache
def page(name) -> str:
    """Return the page of a lesson."""
    return plans.page(catalogue.lesson(name))


def test_the_command_writes_a_page_for_each_plan(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(plans, "PAGES", tmp_path / "plans")
    monkeypatch.setattr(plans, "measure_new", lambda: None)
    (tmp_path / "plans").mkdir()

    def refuse():
        raise plan.Faulty("no good plan")

    (tmp_path / "plans" / "former.md").touch()
    whole = {lesson.name: page(lesson.name) for lesson in LESSONS}
    monkeypatch.setattr(plans, "page", lambda lesson: whole[lesson.name] if lesson != ONE else refuse())
    assert plans.main() == 1 and f"{ONE.name}: no good plan" in capsys.readouterr().err
    written = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "plans").iterdir()}
    assert written | {ONE.name: whole[ONE.name]} == whole and ONE.name not in written
    assert {path.parent.name for path in catalogue.FOLDER.glob("*/plan.toml")} == set(whole)


def test_a_new_lesson_is_measured_and_no_other(monkeypatch):
    known, measured = measure.kept(), []
    monkeypatch.setattr(measure, "main", measured.append)
    plans.measure_new()
    monkeypatch.setattr(measure, "kept", lambda: {name: one for name, one in known.items() if name != ONE.name})
    plans.measure_new()
    assert measured == [[ONE.name]]


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_page_holds_every_reply_and_every_right_option(lesson):
    text = page(lesson.name).replace("\\|", "|")
    says = [reply.says for one in catalogue.predictions(lesson.name) for reply in one.replies]
    says += [
        reply for one in catalogue.predictions(lesson.name) for c in one.claims.values() for reply in c.replies.values()
    ]
    says += [f"✓ {option.text}" for one in catalogue.questions(lesson.name) for option in one.options if option.right]
    assert says
    assert [one for one in says if one not in text] == []
    assert "BEGIN SOLUTION" not in text


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_warm_up_is_told_with_its_answers(lesson):
    told = "**Warm-up.** It asks three questions of earlier lessons"
    assert page(lesson.name).count(told) == (lesson.number >= 2)
    if lesson.number == 2:
        assert "at home (C, A, A; whoever was wrong before may get others)." in page(lesson.name)


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_a_lab_hour_has_help_and_the_stated_minutes_for_its_exercises(lesson):
    sheet = page(lesson.name).partition("## Lab hour")[2].partition("\n## ")[0]
    tasks = plan.exercises(lesson, plan.notebook(lesson).cells)
    told = [
        one
        for one in tasks
        if f"{tasks[one].title} | {tasks[one].minutes} minutes | " in sheet.replace(" (optional)", "")
    ]
    assert told == list(plan.read(lesson).lab.stuck)
    for words in ("**The quick go on with:**", "**Exit question:**", "**At home:**", "| 0–"):
        assert sheet.count(words) == 1


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_no_name_of_a_cell_is_told_and_every_place_is_one(lesson):
    ids, text = {cell.id for cell in plan.notebook(lesson).cells}, page(lesson.name)
    assert not ids & set(re.findall(r"`([a-z][a-z0-9-]*)`", text))
    places = re.findall(r"#cell-([\w-]+)\)", text)
    words = plan.read(lesson)
    assert {step.cells[-1] for step in (*words.plan45, *words.plan25, *words.lab.steps)} <= {*places} <= ids


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_what_the_cells_of_a_plan_print_stands_on_the_page(lesson):
    words, text = plan.read(lesson), page(lesson.name)
    voted = {cell for step in (*words.plan45, *words.plan25) for cell in step.cells}
    for cell in plan.notebook(lesson).cells:
        if cell.id in voted - {"setup"} and cell.cell_type == "code" and cells.role(cell) == cells.Role.CODE:
            for output in cell.outputs:
                lines = output.get("text") or output["data"].get("text/plain", "")
                if "image/png" not in output.get("data", {}):
                    assert lines.strip("\n") in text, cell.id
    if lesson == ONE:
        assert "#cell-run-1)\n\n```text\nFFN: 8 of 40 output numbers move" in text and "Figure: " not in text


def test_measuring_one_lesson():
    cost = measure.measure(catalogue.lesson("start_here"))
    assert cost.lesson == "start_here" and 0.1 < cost.cpu_seconds < 30 and 30 < cost.megabytes < 500

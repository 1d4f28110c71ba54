"""One place decides what things are shown on, and every medium shows figures, sliders and questions."""

import ipywidgets
import pytest

from course_lib.page import quiz
from course_lib.page.explore import Explorer
from course_lib.page.medium import RunningNotebook, StoredOutput, current, shown_on
from tests.page.samples import QUESTION, SPEED, pixels, png, wave

WIDGET = "application/vnd.jupyter.widget-view+json"


def no_record(id, status):
    raise AssertionError("nobody answered")


@pytest.mark.parametrize(("value", "kind"), [("1", StoredOutput), ("", RunningNotebook), ("0", RunningNotebook)])
def test_the_environment_chooses(monkeypatch, value, kind):
    monkeypatch.setenv("COURSE_STATIC", value)
    assert type(current()) is kind


def test_a_running_notebook_is_the_default(live):
    assert type(current()) is RunningNotebook


def test_shown_on_holds_while_its_context_lasts():
    one, other, before = StoredOutput(), RunningNotebook(), type(current())
    with shown_on(one) as named:
        assert named is one and current() is one
        with shown_on(other):
            assert current() is other
        assert current() is one
        with pytest.raises(ZeroDivisionError), shown_on(other):
            _ = 1 / 0
        assert current() is one
    assert type(current()) is before and current() is not one


def test_figure(shown):
    figure = wave().figure
    StoredOutput().figure(figure, "A wave.")
    RunningNotebook().figure(figure, "A wave.")
    assert shown.plain == ["Figure: A wave.", "A wave."] * 2
    assert ["text/html" in output["data"] for output in shown.outputs] == [False, False, True, False]


def test_explorer_without_a_kernel_is_a_picture(shown):
    before = set(ipywidgets.widgets.widget._instances)
    StoredOutput().explorer(Explorer(wave(), speed=SPEED))
    assert set(ipywidgets.widgets.widget._instances) == before
    words = "A sine with speed 2 & <more>."
    assert shown.plain == [f"Figure: {words}", words]
    picture = pixels(png(shown.outputs[0]))
    vermilion = abs(picture - (0xD5, 0x5E, 0x00)).max(axis=-1) < 30
    assert vermilion.sum() > 50  # the moving curve is part of it


def test_explorer_in_a_running_notebook_has_controls(shown):
    RunningNotebook().explorer(Explorer(wave(), speed=SPEED))
    (output,) = shown.outputs
    assert isinstance(ipywidgets.widgets.widget._instances[output["data"][WIDGET]["model_id"]], ipywidgets.VBox)


def test_question_without_a_kernel(shown):
    StoredOutput().question(2, QUESTION, no_record)
    assert shown.markdown == [quiz.question_text(2, QUESTION), quiz.answers_folded(2, QUESTION)]
    assert shown.plain == [quiz.question_text(2, QUESTION), quiz.answers_plain(2, QUESTION)]


def test_question_in_a_running_notebook(shown):
    RunningNotebook().question(2, QUESTION, no_record)
    asked, buttons, reply = shown.outputs
    assert asked["data"]["text/markdown"] == quiz.question_text(2, QUESTION)
    row = ipywidgets.widgets.widget._instances[buttons["data"][WIDGET]["model_id"]]
    assert [button.description for button in row.children] == ["Answer A", "Answer B", "Answer C"]
    assert reply["data"]["text/plain"] == "Choose an answer with its button."

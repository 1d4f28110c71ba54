"""One place decides what things are shown on, and every medium shows figures, sliders and questions."""

from dataclasses import replace

import ipywidgets
import pytest
from bs4 import BeautifulSoup

from courseware.page import quiz
from courseware.page.interactive import Explorer
from courseware.page.medium import RunningNotebook, StoredOutput, current
from tests.courseware.page.samples import QUESTION, SPEED, pixels, png, wave

WIDGET = "application/vnd.jupyter.widget-view+json"


def no_record(id, status):
    raise AssertionError("nobody answered")


@pytest.mark.parametrize(("value", "kind"), [("1", StoredOutput), ("", RunningNotebook), ("0", RunningNotebook)])
def test_the_environment_chooses(monkeypatch, value, kind):
    monkeypatch.setenv("COURSE_STATIC", value)
    assert type(current()) is kind


def test_explorer_without_a_kernel_is_a_picture(shown):
    before = set(ipywidgets.widgets.widget._instances)
    StoredOutput().explorer(Explorer(wave(), speed=SPEED))
    assert set(ipywidgets.widgets.widget._instances) == before
    words = "A sine with speed 2 & <more>."
    assert shown.plain == [f"Figure: {words}", words]
    picture = pixels(png(shown.outputs[0]))
    vermilion = abs(picture - (0xD5, 0x5E, 0x00)).max(axis=-1) < 30
    assert vermilion.sum() > 50  # the moving curve is part of it


def test_explorer_in_a_running_notebook_has_controls_and_what_stands_in(shown):
    figure = wave()
    RunningNotebook().explorer(Explorer(figure, speed=SPEED))
    stands_in, view = shown.outputs
    assert isinstance(ipywidgets.widgets.widget._instances[view["data"][WIDGET]["model_id"]], ipywidgets.VBox)
    words = "A sine with speed 2 & <more>."
    assert stands_in["data"]["text/plain"] == f"Figure: {words} Run this cell again for the slider."
    markdown = stands_in["data"]["text/markdown"]
    assert markdown.endswith("\n\nRun this cell again for the slider.\n\n</div>")
    page = BeautifulSoup(markdown, "html.parser")
    assert page.find("img")["alt"] == words and words in page.find(class_="course-caption").get_text()


FIRST = replace(QUESTION, id="t.quiz-1")
BOTH = [(1, FIRST), (2, QUESTION)]


def test_quiz_without_a_kernel(shown):
    StoredOutput().quiz(BOTH, {"t.quiz-1"}, no_record)
    asked = [quiz.question_text(number, question) for number, question in BOTH]
    folded = [quiz.answers_folded(number, question) for number, question in BOTH]
    plain = [quiz.answers_plain(number, question) for number, question in BOTH]
    assert shown.markdown == [asked[0], folded[0], quiz.RULE + asked[1], folded[1]]
    assert shown.plain == [asked[0], plain[0], asked[1], plain[1]]


def test_quiz_in_a_running_notebook(shown):
    RunningNotebook().quiz(BOTH, set(), no_record)
    stands_in, view = shown.outputs
    assert quiz.stands_in(BOTH, {}, quiz.score(0, 2))[0] in stands_in["data"]["text/markdown"]
    box = ipywidgets.widgets.widget._instances[view["data"][WIDGET]["model_id"]]
    names = [part.description for part in box.children if isinstance(part, ipywidgets.Button)]
    assert names == ["A · one", "B · two", "C · three"] * 2

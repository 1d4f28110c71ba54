"""The controls of a running notebook without a browser: sliders and their boxes, and the buttons of a quiz."""

import re

import ipywidgets
import pytest

from course_lib.page import quiz
from course_lib.page.explore import Explorer
from course_lib.page.interactive import Choice, Range
from course_lib.page.widgets import explorer_box, show_buttons
from tests.page.samples import QUESTION, SPEED, wave


def parts(box):
    """Return the rows of controls, the picture and the caption."""
    *rows, picture, caption = box.children
    return rows, picture, caption


def test_moving_the_slider_changes_picture_and_caption():
    rows, picture, caption = parts(explorer_box(Explorer(wave(), speed=SPEED)))
    box, slider = rows[0].children
    before = picture.value
    assert bytes(before).startswith(b"\x89PNG") and "A sine with speed 2" in caption.value
    slider.value = 3
    assert picture.value != before and "A sine with speed 3" in caption.value
    slider.value = 2
    assert picture.value == before and "A sine with speed 2" in caption.value
    assert box.description == "speed" and not slider.readout


def test_slider_and_box_are_linked_both_ways():
    rows, picture, caption = parts(explorer_box(Explorer(wave(), speed=SPEED)))
    box, slider = rows[0].children
    slider.value = 4
    assert box.value == 4
    box.value = 5
    assert slider.value == 5 and "speed 5" in caption.value
    shown = picture.value
    box.value = 99  # out of range: taken as the largest
    assert box.value == slider.value == 5 and picture.value == shown


@pytest.mark.parametrize(
    ("control", "kinds", "start"),
    [
        (SPEED, (ipywidgets.BoundedIntText, ipywidgets.IntSlider), 2),
        (Range("n", 1.0, 5.0, step=1.0, start=2.0), (ipywidgets.BoundedIntText, ipywidgets.IntSlider), 2),
        (Range("n", 0, 1, step=0.1, start=0.5), (ipywidgets.BoundedFloatText, ipywidgets.FloatSlider), 0.5),
    ],
)
def test_kind_of_numbers(control, kinds, start):
    rows, _, _ = parts(explorer_box(Explorer(wave(), speed=control)))
    assert tuple(type(child) for child in rows[0].children) == kinds
    for child in rows[0].children:
        assert (child.value, child.min, child.max, child.step) == (start, control.low, control.high, control.step)
        assert type(child.value) is type(start)


def test_choice():
    explorer = Explorer(wave(), speed=SPEED, kind=Choice("kind", ("sine", "cosine"), start=1))
    rows, picture, caption = parts(explorer_box(explorer))
    assert rows[1].options == ("sine", "cosine") and rows[1].value == "cosine" and rows[1].description == "kind"
    before = picture.value
    rows[1].value = "sine"
    assert picture.value != before and "A sine with speed 2" in caption.value
    rows[0].children[1].value = 3
    assert explorer.values == {"speed": 3, "kind": "sine"} and "A sine with speed 3" in caption.value


def test_caption_is_announced_and_escaped():
    _, picture, caption = parts(explorer_box(Explorer(wave(), speed=SPEED)))
    assert 'role="status"' in caption.value and 'aria-live="polite"' in caption.value
    assert "speed 2 &amp; &lt;more&gt;." in caption.value and "<more>" not in caption.value
    assert picture.format == "png" and re.search(r"\w", picture.tooltip)


class Quiz:
    """The buttons of a question, what they show, and what they remember."""

    def __init__(self, shown, question=QUESTION, problem=""):
        self.shown, self.recorded, self.problem = shown, [], problem
        show_buttons(2, question, self.record)
        widget, self.first = shown.outputs[-2:]
        model = widget["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
        self.buttons = ipywidgets.widgets.widget._instances[model].children

    def record(self, id, status):
        self.recorded.append((id, status))
        return self.problem

    @property
    def names(self):
        return [button.description for button in self.buttons]


def test_buttons_say_what_they_are(shown):
    asked = Quiz(shown)
    assert asked.names == ["Answer A", "Answer B", "Answer C"]
    assert [button.tooltip for button in asked.buttons] == [f"Question 2: {word}" for word in ("one", "two", "three")]
    assert asked.first["data"]["text/plain"] == "Choose an answer with its button." and not asked.first["update"]
    assert asked.recorded == []


def test_a_chosen_answer_is_shown_and_remembered(shown):
    asked = Quiz(shown)
    place = asked.first["transient"]["display_id"]
    for chosen, sign, status in ((0, "✗", "not yet"), (1, "✓", "correct"), (2, "✗", "not yet")):
        asked.buttons[chosen].click()
        reply = shown.outputs[-1]
        assert reply["update"] and reply["transient"] == {"display_id": place}
        assert (shown.markdown[-1], shown.plain[-1]) == quiz.reply(QUESTION, chosen)
        expected = ["Answer A", "Answer B", "Answer C"]
        expected[chosen] = f"{sign} {expected[chosen]}"
        assert asked.names == expected
        assert asked.recorded[-1] == ("t.quiz-2", status)
    assert len(asked.recorded) == 3


def test_a_failed_save_is_said_behind_the_reply(shown):
    asked = Quiz(shown, problem="It could not be saved.")
    asked.buttons[1].click()
    markdown, plain = quiz.reply(QUESTION, 1)
    assert shown.markdown[-1] == f"{markdown} It could not be saved."
    assert shown.plain[-1] == f"{plain} It could not be saved."


def test_a_question_shown_twice_has_replies_of_its_own(shown):
    one, other = Quiz(shown), Quiz(shown)
    places = [asked.first["transient"]["display_id"] for asked in (one, other)]
    assert places[0] != places[1]
    one.buttons[0].click()
    assert shown.outputs[-1]["transient"]["display_id"] == places[0]

"""The controls of a running notebook without a browser: sliders and their boxes, and the buttons of a quiz."""

from dataclasses import replace

import ipywidgets

from courseware.page import quiz
from courseware.page.caption import Caption
from courseware.page.interactive import Choice, Explorer
from courseware.page.widgets import explorer_box, show_quiz
from tests.courseware.page.samples import CORRECT, NOT_YET, QUESTION, SPEED, wave


def parts(box):
    """Return the rows of controls, the picture and the sentence of the caption."""
    *rows, picture, caption, _, _ = box.children
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


def test_choice():
    explorer = Explorer(wave(), speed=SPEED, kind=Choice("kind", ("sine", "cosine"), start=1))
    rows, picture, caption = parts(explorer_box(explorer))
    assert rows[1].options == ("sine", "cosine") and rows[1].value == "cosine" and rows[1].description == "kind"
    before = picture.value
    rows[1].value = "sine"
    assert picture.value != before and "A sine with speed 2" in caption.value
    rows[0].children[1].value = 3
    assert explorer.values == {"speed": 3, "kind": "sine"} and "A sine with speed 3" in caption.value


def test_data_stay_open_while_they_change():
    figure = wave()
    said = figure.update
    figure.update = lambda speed: (
        said(speed)[0],
        Caption(f"Speed {speed}.", f"{speed} < 9.") if speed < 5 else "Fast.",
    )
    *_, message, fold, data = (box := explorer_box(Explorer(figure, speed=SPEED))).children
    slider = box.children[0].children[1]
    assert "Speed 2." in message.value and "9" not in message.value
    assert fold.description == "The numbers: show" and data.layout.display == "none"
    fold.click()
    slider.value = 3
    assert fold.description == "The numbers: hide" and data.layout.display is None and data.value == "3 &lt; 9."
    slider.value = 5  # no data: nothing to unfold
    assert fold.layout.display == "none" and data.value == ""
    slider.value = 2
    assert fold.layout.display is None
    fold.click()
    assert data.layout.display == "none"


class Quiz:
    """A quiz of two questions, and what its parts show."""

    def __init__(self, shown, answered=(), problem=""):
        self.shown, self.recorded, self.problem = shown, [], problem
        self.questions = [(2, QUESTION), (3, replace(QUESTION, id="t.ask-three"))]
        show_quiz(self.questions, set(answered), self.record)
        self.stands_in, view = shown.outputs[-2:]
        model = view["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
        *parts, self.score = ipywidgets.widgets.widget._instances[model].children
        self.asked = [parts[:6], parts[6:]]

    def record(self, id, status):
        self.recorded.append((id, status))
        return self.problem

    def names(self, place):
        return [button.description for button in self.asked[place][1:4]]

    def press(self, place, option):
        self.asked[place][1 + option].click()

    def reply(self, place):
        return said(self.asked[place][4])


def said(place):
    """Return the (Markdown, plain text) of a place for Markdown, or None while it is empty."""
    return tuple(place.outputs[0]["data"].values()) if place.outputs else None


def test_every_option_is_a_button(shown):
    made = Quiz(shown)
    assert made.names(0) == made.names(1) == ["A · one", "B · two", "C · three"]
    for place, rule in ((0, ""), (1, quiz.RULE)):
        prompt = f"**Question {place + 2}.** Why **this**?"
        assert said(made.asked[place][0]) == (rule + prompt, prompt)
        assert made.reply(place) is None
    assert all(button.layout.width == "100%" for button in made.asked[0][1:4])
    assert said(made.score) == ("**Your score:** 0 of 2.",) * 2 and made.recorded == []


def test_a_chosen_answer_is_marked_told_and_remembered(shown):
    made = Quiz(shown)
    for option, status, score in ((0, "not yet", 0), (1, "correct", 1), (2, "not yet", 1), (1, "correct", 1)):
        made.press(0, option)
        assert made.reply(0) == quiz.reply(QUESTION, option) and made.reply(1) is None
        assert made.recorded[-1] == ("t.ask-two", status)
        assert said(made.score)[0] == f"**Your score:** {score} of 2."
        assert status_word(status) in made.asked[0][5].value and 'role="status"' in made.asked[0][5].value
    assert made.names(0) == ["✗ A · one", "✓ B · two", "✗ C · three"] and made.names(1)[0] == "A · one"
    classes = [button._dom_classes for button in made.asked[0][1:4]]
    assert [names[-1] for names in classes] == ["course-wrong", "course-right", "course-wrong"]
    assert [len(names) for names in classes] == [2, 2, 2]


def status_word(status):
    return {"not yet": NOT_YET, "correct": CORRECT}[status]


def test_a_quiz_run_again_remembers(shown):
    made = Quiz(shown, answered=["t.ask-three", "t.ask-gone"])
    assert made.names(1) == ["A · one", "✓ B · two", "C · three"] and made.names(0)[1] == "B · two"
    assert made.reply(1) == quiz.reply(QUESTION, 1) and made.reply(0) is None
    assert said(made.score)[0] == "**Your score:** 1 of 2." and made.recorded == []
    markdown, _ = quiz.stands_in(made.questions, {"t.ask-three": 1}, quiz.score(1, 2))
    assert markdown in made.stands_in["data"]["text/markdown"]


def test_a_failed_save_is_said_behind_the_reply(shown):
    made = Quiz(shown, problem="It could not be saved.")
    made.press(0, 1)
    markdown, plain = quiz.reply(QUESTION, 1)
    assert made.reply(0) == (f"{markdown}\n\nIt could not be saved.", f"{plain} It could not be saved.")

"""The controls of a running notebook without a browser: sliders and their boxes, and the buttons of a quiz."""

import re
from dataclasses import replace

import ipywidgets
import pytest

from course_lib.page import quiz
from course_lib.page.caption import Caption
from course_lib.page.interactive import Choice, Explorer, Range
from course_lib.page.widgets import explorer_box, show_quiz
from tests.page.samples import CORRECT, NOT_YET, QUESTION, SPEED, pixels, wave


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


def test_picture_is_as_wide_as_one_that_stands_still():
    _, picture, caption = parts(explorer_box(Explorer(wave(), speed=SPEED)))
    assert picture.layout.width == caption.layout.max_width == "880px" and picture.layout.max_width == "100%"
    assert pixels(bytes(picture.value)).shape[1] == 2 * 880


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


def test_without_data_there_is_no_fold():
    *_, fold, data = explorer_box(Explorer(wave(), speed=SPEED)).children
    assert fold.layout.display == data.layout.display == "none"


def test_controls_stand_below_one_another():
    """Their labels have one width, and a choice takes no more room than its words."""
    box = explorer_box(Explorer(wave(), speed=SPEED, kind=Choice("kind of wave", ("sine", "cosine"))))
    (number, _), words = box.children[0].children, box.children[1]
    assert number.style.description_width == words.style.description_width == "14ch"
    assert words.style.button_width == "auto"


class Quiz:
    """A quiz of two questions, and what its parts show."""

    def __init__(self, shown, answered=(), problem=""):
        self.shown, self.recorded, self.problem = shown, [], problem
        self.questions = [(2, QUESTION), (3, replace(QUESTION, id="t.quiz-3"))]
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
        assert made.recorded[-1] == ("t.quiz-2", status)
        assert said(made.score)[0] == f"**Your score:** {score} of 2."
        assert status_word(status) in made.asked[0][5].value and 'role="status"' in made.asked[0][5].value
    assert made.names(0) == ["✗ A · one", "✓ B · two", "✗ C · three"] and made.names(1)[0] == "A · one"
    classes = [button._dom_classes for button in made.asked[0][1:4]]
    assert [names[-1] for names in classes] == ["course-wrong", "course-right", "course-wrong"]
    assert [len(names) for names in classes] == [2, 2, 2]


def status_word(status):
    return {"not yet": NOT_YET, "correct": CORRECT}[status]


def test_what_stands_in_follows_the_answers(shown):
    made = Quiz(shown)
    assert quiz.stands_in(made.questions, {}, quiz.score(0, 2))[0] in made.stands_in["data"]["text/markdown"]
    made.press(1, 1)
    made.press(1, 0)
    replaced = shown.outputs[-1]
    assert replaced["update"] and replaced["transient"] == made.stands_in["transient"]
    markdown, plain = quiz.stands_in(made.questions, {"t.quiz-3": 0}, quiz.score(1, 2))
    assert markdown in replaced["data"]["text/markdown"] and replaced["data"]["text/plain"] == plain


def test_a_quiz_run_again_remembers(shown):
    made = Quiz(shown, answered=["t.quiz-3", "t.quiz-9"])
    assert made.names(1) == ["A · one", "✓ B · two", "C · three"] and made.names(0)[1] == "B · two"
    assert made.reply(1) == quiz.reply(QUESTION, 1) and made.reply(0) is None
    assert said(made.score)[0] == "**Your score:** 1 of 2." and made.recorded == []
    markdown, _ = quiz.stands_in(made.questions, {"t.quiz-3": 1}, quiz.score(1, 2))
    assert markdown in made.stands_in["data"]["text/markdown"]


def test_a_failed_save_is_said_behind_the_reply(shown):
    made = Quiz(shown, problem="It could not be saved.")
    made.press(0, 1)
    markdown, plain = quiz.reply(QUESTION, 1)
    assert made.reply(0) == (f"{markdown}\n\nIt could not be saved.", f"{plain} It could not be saved.")


def test_a_quiz_may_have_no_score(shown):
    show_quiz([(1, QUESTION)], set(), lambda id, status: "", scored=False)
    model = shown.outputs[-1]["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    parts = ipywidgets.widgets.widget._instances[model].children
    parts[2].click()
    assert len(parts) == 6 and said(parts[4]) == quiz.reply(QUESTION, 1)
    assert "Your score" not in "".join(shown.markdown)


def test_code_is_shown_as_code(shown):
    options = (replace(QUESTION.options[0], text="`a @ b`"), *QUESTION.options[1:])
    show_quiz([(1, replace(QUESTION, options=options))], set(), None)
    model = shown.outputs[-1]["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
    code, words = ipywidgets.widgets.widget._instances[model].children[1:3]
    assert code.description == "A · a @ b"
    assert "code-font" in code.style.font_family and words.style.font_family is None

"""A question in words: what is asked, and the reply to each option, as Markdown and in plain characters."""

from dataclasses import replace

import pytest

from courseware.page import quiz
from courseware.page.verdict import boxed
from lessons import catalogue
from tests.courseware.page.samples import QUESTION
from whywrong.task import Status


def test_replies():
    assert quiz.reply(QUESTION, 0) == boxed(Status.NOT_YET, "No: *one*.", "A")
    assert quiz.reply(QUESTION, 1) == boxed(Status.CORRECT, "Yes: two.", "B")
    assert quiz.right_option(QUESTION) == 1
    assert [quiz.status_of(QUESTION, chosen) for chosen in range(3)] == ["not yet", "correct", "not yet"]


@pytest.mark.parametrize(
    ("text", "shown", "code"),
    [
        ("`relu(x @ W1)`", "relu(x @ W1)", True),
        ("About `4 * d` and `a * b`.", "About 4 * d and a * b.", False),
        ("The **wide** and *narrow* one", "The wide and narrow one", False),
        ("4 * d_model, 2 * d_ff", "4 * d_model, 2 * d_ff", False),
        ("`a` and `b`", "a and b", False),
    ],
)
def test_an_option_on_a_button(text, shown, code):
    assert quiz.on_a_button(text) == shown and quiz.is_code(text) is code


def test_every_option_of_the_course_fits_on_a_button():
    """No mathematics, no links, no marks left over."""
    for lesson in catalogue.lessons():
        for question in catalogue.questions(lesson.name):
            for option in question.options:
                shown = quiz.on_a_button(option.text)
                assert not set("$`[]<") & set(shown) or quiz.is_code(option.text), (question.id, shown)
                assert "**" not in shown


def test_what_stands_in_for_a_quiz():
    first = replace(QUESTION, id="t.ask-one")
    markdown, plain = quiz.stands_in([(1, first), (2, QUESTION)], {"t.ask-two": 0}, quiz.score(1, 2))
    assert markdown.endswith("**Your score:** 1 of 2.\n\nRun this cell again for the buttons.")
    for number, question in ((1, first), (2, QUESTION)):
        assert quiz.question_text(number, question) in markdown and quiz.question_text(number, question) in plain
        assert quiz.answers_folded(number, question) in markdown and quiz.answers_plain(number, question) in plain
    before, _, after = markdown.partition("**Question 2.**")
    assert quiz.reply(QUESTION, 0)[0] in after and "course-verdict" not in before
    assert quiz.reply(QUESTION, 0)[1] in plain and plain.endswith(quiz.AGAIN)
    assert quiz.stands_in([(1, first)], {})[0].endswith(f"{quiz.RULE.strip()}\n\n{quiz.AGAIN}")

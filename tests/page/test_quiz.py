"""A question in words: what is asked, and the reply to each option, as Markdown and in plain characters."""

from dataclasses import replace

import pytest

from course_lib.content import Option
from course_lib.page import quiz
from course_lib.page.verdict import boxed
from lessons import catalogue
from tests.page.samples import CORRECT, NOT_YET, QUESTION
from whywrong.task import Status


def test_question_text():
    assert quiz.question_text(2, QUESTION) == (
        "**Question 2.** Why **this**?\n\n- **A.** one\n- **B.** two\n- **C.** three"
    )


def test_a_question_that_stands_alone_has_no_number():
    assert quiz.question_text(0, QUESTION).startswith("Why **this**?\n\n- **A.** one")
    assert quiz.answers_plain(0, QUESTION).startswith("Answers to this question: ")
    assert "<summary>Answers to this question</summary>" in quiz.answers_folded(0, QUESTION)


def test_letters_follow_the_alphabet():
    assert quiz.LETTERS == "ABCDEF"
    many = replace(QUESTION, options=tuple(Option(f"text {n}", f"reason {n}.", n == 5) for n in range(6)))
    asked = quiz.question_text(1, many)
    for number, letter in enumerate("ABCDEF"):
        assert f"- **{letter}.** text {number}" in asked
        assert quiz.reply(many, number)[1].endswith(f", {letter}: reason {number}.")


def test_replies():
    assert quiz.reply(QUESTION, 0) == boxed(Status.NOT_YET, "No: *one*.", "A")
    assert quiz.reply(QUESTION, 1) == boxed(Status.CORRECT, "Yes: two.", "B")
    assert quiz.right_option(QUESTION) == 1
    assert [quiz.status_of(QUESTION, chosen) for chosen in range(3)] == ["not yet", "correct", "not yet"]


def test_answers_folded():
    assert quiz.answers_folded(2, QUESTION) == (
        "<details><summary>Answers to question 2</summary>\n\n"
        f"**{NOT_YET}, A:** No: *one*.\n\n**{CORRECT}, B:** Yes: two.\n\n**{NOT_YET}, C:** No: three."
        "\n\n</details>"
    )


def test_answers_in_plain_characters():
    assert quiz.answers_plain(2, QUESTION) == (
        f"Answers to question 2: {NOT_YET}, A: No: *one*. {CORRECT}, B: Yes: two. {NOT_YET}, C: No: three."
    )


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
    first = replace(QUESTION, id="t.quiz-1")
    markdown, plain = quiz.stands_in([(1, first), (2, QUESTION)], {"t.quiz-2": 0}, quiz.score(1, 2))
    assert markdown.endswith("**Your score:** 1 of 2.\n\nRun this cell again for the buttons.")
    for number, question in ((1, first), (2, QUESTION)):
        assert quiz.question_text(number, question) in markdown and quiz.question_text(number, question) in plain
        assert quiz.answers_folded(number, question) in markdown and quiz.answers_plain(number, question) in plain
    before, _, after = markdown.partition("**Question 2.**")
    assert quiz.reply(QUESTION, 0)[0] in after and "course-verdict" not in before
    assert quiz.reply(QUESTION, 0)[1] in plain and plain.endswith(quiz.AGAIN)
    assert quiz.stands_in([(1, first)], {})[0].endswith(f"{quiz.RULE.strip()}\n\n{quiz.AGAIN}")

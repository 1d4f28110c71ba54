"""A question in words: what is asked, and the reply to each option, as Markdown and in plain characters."""

from dataclasses import replace

from course_lib.content import Option
from course_lib.page import quiz
from tests.page.samples import QUESTION


def test_question_text():
    assert quiz.question_text(2, QUESTION) == (
        "**Question 2.** Why **this**?\n\n- **A.** one\n- **B.** two\n- **C.** three"
    )


def test_letters_follow_the_alphabet():
    assert quiz.LETTERS == "ABCDEF"
    many = replace(QUESTION, options=tuple(Option(f"text {n}", f"reason {n}.", n == 5) for n in range(6)))
    asked = quiz.question_text(1, many)
    for number, letter in enumerate("ABCDEF"):
        assert f"- **{letter}.** text {number}" in asked
        assert quiz.reply(many, number)[1].endswith(f", {letter}: reason {number}.")


def test_replies():
    assert quiz.reply(QUESTION, 0) == ("**✗ Not yet, A:** No: *one*.", "✗ Not yet, A: No: *one*.")
    assert quiz.reply(QUESTION, 1) == ("**✓ Correct, B:** Yes: two.", "✓ Correct, B: Yes: two.")
    assert [quiz.status_of(QUESTION, chosen) for chosen in range(3)] == ["not yet", "correct", "not yet"]


def test_answers_folded():
    assert quiz.answers_folded(2, QUESTION) == (
        "<details><summary>Answers to question 2</summary>\n\n"
        "**✗ Not yet, A:** No: *one*.\n\n**✓ Correct, B:** Yes: two.\n\n**✗ Not yet, C:** No: three."
        "\n\n</details>"
    )


def test_answers_in_plain_characters():
    assert quiz.answers_plain(2, QUESTION) == (
        "Answers to question 2: ✗ Not yet, A: No: *one*. ✓ Correct, B: Yes: two. ✗ Not yet, C: No: three."
    )

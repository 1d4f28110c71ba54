"""What progress and quiz show in a notebook, and what they remember."""

import json

import ipywidgets
import pytest

from course_lib import desk
from course_lib.desk import check, progress, quiz
from courseware.page.quiz import RULE, reply
from lessons import catalogue as lessons
from tests.conftest import statuses_of
from tests.course_lib.test_desk import LIMITS, shown_box, twice
from whywrong.task import Status

OF_1_0 = {  # what version 1.0.0 stored -> where it is today, if anywhere
    "linear_limits.quiz-1": "linear_limits.hundred-layers",
    "review.quiz-27": "review.name-capital-letters",
    "review.quiz-2b": "review.common-to-three",  # in the second's place, before questions had names
    "build_the_ffn.quiz-5": "",  # the fifth question asks something else now
    "review.quiz-26": "",
    "again.review.quiz-1b": "",
    "linear_limits.collapse": "linear_limits.collapse",
    "linear_limits.of-a-later-version": "linear_limits.of-a-later-version",
}
TODAY = set(OF_1_0.values()) - {""}


def row_of(lesson, shown):
    """Return the row of a lesson in the table of progress that was shown last."""
    return next(line for line in shown.markdown[-1].splitlines() if lesson.title in line)


def test_progress_counts_and_leads_on(shown, kept):
    progress()
    for one in lessons.lessons():
        assert f"[{one.heading}]({one.notebook})" in shown.markdown[0] and one.heading in shown.plain[0]
    titles, questions = lessons.ids(LIMITS), lessons.questions(LIMITS.name)
    first, second = list(titles)[:2]
    assert f"0 of {len(titles)}" in row_of(LIMITS, shown) and titles[first] in row_of(LIMITS, shown)
    kept.record(first, "correct")
    progress()
    assert f"1 of {len(titles)}" in row_of(LIMITS, shown) and titles[second] in row_of(LIMITS, shown)
    assert f"Continue here: {LIMITS.heading}, {titles[second]}." in shown.plain[-1]
    for id in titles:
        kept.record(id, "correct")
    progress()
    assert "the quiz" in row_of(LIMITS, shown) and "done" not in row_of(LIMITS, shown)
    for question in questions:
        kept.record(question.id, "correct")
    progress()
    assert "✓ done" in row_of(LIMITS, shown) and f"Continue here: {lessons.lessons()[2].heading}, " in shown.plain[-1]


def test_progress_says_that_its_file_is_damaged(kept, shown):
    kept.path.write_text("{", encoding="utf-8")
    for asked in ((), ("start_here",)):
        progress(*asked)
        assert shown.plain[-1].endswith("cannot be read, because progress.json is damaged.")
    check("start_here.double", twice)
    assert "The damaged file is now called progress.json.damaged." in shown.plain[-1]
    check("start_here.double", twice)
    progress()
    assert "damaged" not in shown.plain[-1]
    kept.path.write_text('{"version": 2, "entries": {"a": 3}}', encoding="utf-8")
    progress()
    assert shown.plain[-1].endswith("Part of your saved progress cannot be read.")


def parts(shown, kind=ipywidgets.Button):
    """Return the parts of one kind in the box that was shown last."""
    return [part for part in shown_box(shown).children if isinstance(part, kind)]


def test_quiz_static_shows_all_answers_folded(shown, kept):
    questions = [one for one in lessons.questions(LIMITS.name) if one.cell == "quiz"]
    quiz(LIMITS.name)
    assert len(shown.outputs) == 2 * len(questions)
    for number, question in enumerate(questions, start=1):
        asked, answers = shown.markdown[2 * number - 2 : 2 * number]
        assert asked.removeprefix(RULE).startswith(f"**Question {number}.** {question.prompt}")
        assert answers.startswith(f"<details><summary>Answers to question {number}</summary>")
        for letter, option in zip("ABCDEF", question.options, strict=False):
            assert f"- **{letter}.** {option.text}" in asked and option.reason in answers
            assert option.reason in shown.plain[2 * number - 1]
    assert not any("widget" in kind for output in shown.outputs for kind in output["data"])
    assert statuses_of(kept) == {}


def test_quiz_live(shown, kept, live):
    question = lessons.questions(LIMITS.name)[-1]
    right = next(index for index, option in enumerate(question.options) if option.right)
    wrong = next(index for index, option in enumerate(question.options) if not option.right)
    quiz(LIMITS.name, question.cell)
    row = parts(shown)
    row[wrong].click()
    assert reply(question, wrong)[1] in shown.plain[-1] and statuses_of(kept) == {question.id: "not yet"}
    row[right].click()
    assert reply(question, right)[1] in shown.plain[-1] and statuses_of(kept) == {question.id: "correct"}
    row[wrong].click()  # trying the others out afterwards loses nothing
    assert statuses_of(kept) == {question.id: "correct"}
    quiz(LIMITS.name, question.cell)
    assert [button.description.startswith("✓") for button in parts(shown)] == [n == right for n in range(len(row))]


def test_reading_the_other_replies_is_no_wrong_answer(kept):
    right, wrong = Status.CORRECT, Status.NOT_YET
    for id, options in (("a.ask-one", (right, wrong, right)), ("a.ask-two", (wrong, right, wrong))):
        for status in options:
            assert desk._record_answer(id, status) == ""
    assert [kept.entries()[id].attempts for id in ("a.ask-one", "a.ask-two")] == [1, 2]


def test_part_of_a_quiz_goes_on_counting_one_alone_has_no_number_and_a_cell_must_ask(shown, kept):
    quiz("review", "quiz-cost")
    before = sum(one.cell == "quiz" for one in lessons.questions("review"))
    assert f"**Question {before + 1}.** " in shown.plain[0]
    shown.outputs.clear()
    quiz(LIMITS.name, "why-1")
    assert shown.plain[0].startswith(lessons.questions(LIMITS.name)[-1].prompt)
    with pytest.raises(ValueError, match="unknown cell 'why-2': known are 'quiz', 'why-1'"):
        quiz(LIMITS.name, "why-2")


def test_what_1_0_stored_is_found_under_its_name(kept):
    stored = {"version": 2, "entries": {key: {"status": "correct"} for key in OF_1_0}}
    stored["entries"]["linear_limits.hundred-layers"] = {"status": "not yet", "attempts": 3}
    kept.path.write_text(json.dumps(stored), encoding="utf-8")
    assert statuses_of(kept) == dict.fromkeys(TODAY, "correct") and kept.problem == ""
    assert kept.entries()["linear_limits.hundred-layers"].attempts == 3
    assert set(lessons.numbered().values()) <= {
        one.id for of in lessons.lessons() for one in lessons.questions(of.name)
    }

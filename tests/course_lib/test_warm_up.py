"""The questions that a lesson begins with: of which lessons, in which order, and what their answers change."""

from dataclasses import replace

import ipywidgets
import pytest

from course_lib import desk, warm_up
from courseware.page.quiz import right_option
from lessons import catalogue
from tests.course_lib.test_desk import shown_box
from whywrong.task import Status

LESSONS = catalogue.lessons()
LATER = [lesson for lesson in LESSONS if lesson.number >= 2]


def ids(lesson, missed=()):
    return [question.id.removeprefix("again.") for _, question in warm_up.asked(lesson, set(missed))]


def nth(lesson, number):
    return catalogue.questions(lesson)[number - 1].id


@pytest.mark.parametrize("lesson", LATER, ids=lambda lesson: lesson.name)
def test_only_what_can_be_asked_anywhere_comes(lesson):
    """Whatever was missed: nothing of this lesson or of a later one, and no question as the quiz asks it."""
    every = {question.id: question for one in LESSONS for question in catalogue.questions(one.name)}
    numbers = {one.name: one.number for one in LESSONS}
    for missed in (set(), set(every), {id for id in every if not every[id].again}):
        asked = warm_up.asked(lesson.name, missed)
        assert [number for number, _ in asked] == [1, 2, 3]
        for _, question in asked:
            of_quiz = every[question.id.removeprefix("again.")]
            number = numbers[of_quiz.id.partition(".")[0]]
            assert number < (lesson.after + 1 if lesson.build else lesson.number)
            assert question == replace(of_quiz.again, prompt=f"{of_quiz.again.prompt} (lesson {number:02d})")


def test_a_build_asks_about_what_it_builds_on(monkeypatch):
    """Its questions are those of the lesson that it follows and those before, and not those of the next lesson."""
    build = replace(LESSONS[5], name="build_it", number=len(LESSONS), after=3)
    monkeypatch.setattr(catalogue, "lessons", lambda: (*LESSONS, build))
    found = ids("build_it")
    assert [id.partition(".")[0] for id in found] == ["build_the_ffn", "relu_vs_gelu", "build_the_ffn"]
    assert not set(found[:2]) & set(ids("expand_and_contract")[:2])


def test_what_was_missed_comes_first():
    missed = [nth("linear_limits", 5), nth("build_the_ffn", 4)]
    again = [nth("position_independence", 1)]  # its turn has come: the next is of two lessons before
    assert ids("parameter_share", missed) == missed + again
    found = ids("parameter_share", again)
    assert found[:1] == again
    assert [id.partition(".")[0] for id in found[1:]] == ["expand_and_contract", "relu_vs_gelu"]
    found = ids("relu_vs_gelu", [nth("linear_limits", 2)])
    assert found[0] == nth("linear_limits", 2) and len(set(found)) == 3


def test_what_was_missed_takes_turns():
    """Of seven questions that were missed each comes in one of three lessons."""
    missed = [nth("linear_limits", n) for n in range(1, 6)] + [nth("relu_vs_gelu", n) for n in (1, 2)]
    four, five, six = (ids(LESSONS[number].name, missed) for number in (4, 5, 6))
    assert four == missed[5:] + missed[:1] and five == missed[1:4] and six == missed[4:]


def test_an_answer_is_remembered_and_changes_nothing_in_the_quiz(shown, kept, live):
    """What was found before is asked anew and stays found; a first answer counts; nothing is scored."""
    (_, found), (_, new), _ = warm_up.asked("relu_vs_gelu")
    assert {found.id, new.id}.isdisjoint(question.id for question in catalogue.questions("linear_limits"))
    kept.record(found.id, Status.CORRECT)
    desk.warm_up("relu_vs_gelu")
    buttons = [part for part in shown_box(shown).children if isinstance(part, ipywidgets.Button)]
    assert len(buttons) == 9 and not any(button.description.startswith("✓") for button in buttons)
    for place, question in ((0, found), (3, new)):
        wrong = next(number for number in range(3) if number != right_option(question))
        buttons[place + wrong].click()
        buttons[place + right_option(question)].click()
    entries = kept.entries()
    assert (entries[found.id].attempts, entries[found.id].wrong_at_first) == (1, False)
    assert (entries[new.id].attempts, entries[new.id].wrong_at_first, entries[new.id].done) == (2, True, True)
    assert "Your score" not in "".join([*shown.markdown, *shown.plain])
    desk.warm_up("build_the_ffn")  # the one that was wrong at first comes again
    assert f"**Question 1.** {new.prompt}" in "".join(shown.markdown)

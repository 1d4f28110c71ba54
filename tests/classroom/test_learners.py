"""The rows of the class report, one for each learner: who needs the teacher, and whose notebooks are alike."""

import re

import pytest

from classroom import core, learners, report, report_page
from classroom.marking import results
from classroom.marking.handed_in import Submission
from classroom.marking.results import Results
from classroom.marking.runner import Around
from courseware.progress import Entry
from lessons import catalogue
from whywrong.task import Status

LESSON = catalogue.lesson("position_independence")
ROWWISE, WHICH, INFLUENCE = (f"{LESSON.name}.{name}" for name in ("rowwise", "which_layers", "influence"))
AROUND = Around(network=False, hidden=True, library=True)


def learner(name, verdicts=None, entries=None, cells=None, problems=()):
    """Make what was found of one learner: id -> (status, key), and id -> (status, attempts, hints)."""
    entries = {id: Entry(status, attempts=a, hints=h) for id, (status, a, h) in (entries or {}).items()}
    found = {id: (Status(status), key, "") for id, (status, key) in (verdicts or {}).items()}
    return Results(Submission(name, {LESSON.name: cells} if cells else {}, entries, list(problems)), found)


def rows(*found):
    return {row.name: row for row in learners.rows(list(found), [LESSON.name])}


def test_core_exercises_are_those_in_no_optional_part():
    assert core.core(LESSON.name) == [ROWWISE, WHICH]
    for lesson in catalogue.lessons():
        every = {f"{lesson.name}.{module}" for module in lesson.exercises}
        assert core.optional(lesson.name) < every and {*core.core(lesson.name)} == every - core.optional(lesson.name)


def test_row_counts_core_exercises_and_tells_a_word_from_what_was_judged():
    found = rows(
        learner(
            "anna",
            {ROWWISE: ("correct", "correct"), INFLUENCE: ("correct", "correct")},
            {WHICH: (Status.CORRECT, 1, 0)},
        )
    )["anna"]
    assert (found.right, found.by_word, found.of, found.stuck, found.needs) == (1, 1, 2, [], False)


NOT_YET = ("not yet", "shape")
NEEDS = {
    "many attempts": ({ROWWISE: NOT_YET}, {ROWWISE: (Status.NOT_YET, 5, 0)}, True),
    "some attempts": ({ROWWISE: NOT_YET}, {ROWWISE: (Status.NOT_YET, 4, 2)}, False),
    "all hints": ({}, {ROWWISE: (Status.NOT_YET, 1, 3)}, True),
    "many attempts, and right": ({ROWWISE: ("correct", "correct")}, {ROWWISE: (Status.CORRECT, 50, 4)}, False),
    "a loop": ({ROWWISE: ("stopped", "timeout")}, {}, True),
    "an error": ({ROWWISE: ("stopped", "raises")}, {}, False),
    "an optional exercise": ({}, {INFLUENCE: (Status.STOPPED, 9, 0)}, True),
    "nothing done": ({}, {}, False),
}


@pytest.mark.parametrize("name", NEEDS)
def test_rule_by_which_a_learner_needs_the_teacher(name):
    verdicts, entries, needs = NEEDS[name]
    assert rows(learner(name, verdicts, entries))[name].needs == needs


def test_whose_work_cannot_be_read_needs_the_teacher():
    found = rows(learner("anna", problems=["damaged"]), learner("ben", {ROWWISE: NOT_YET}, None, ["x"], ["damaged"]))
    assert found["anna"].needs and not found["ben"].needs


def a_class():
    return [
        learner("right", {ROWWISE: ("correct", "correct"), WHICH: ("correct", "correct")}),
        learner("a <b>", {ROWWISE: ("correct", "correct"), WHICH: ("stopped", "timeout")}),
        learner("one", {ROWWISE: ("correct", "correct")}, {WHICH: (Status.NOT_YET, 2, 1), INFLUENCE: NEVER}),
        learner("none", {}, {ROWWISE: NEVER}),
    ]


NEVER = (Status.NOT_ATTEMPTED, 0, 0)


def test_page_begins_with_who_needs_the_teacher():
    page = report_page.page(report.made(a_class(), AROUND))
    table = re.search(r"<h2>Who needs you</h2>.*?</table>", page, re.DOTALL)[0]
    assert page.index("<h2>") == page.index("<h2>Who needs you")
    names = re.findall(r"<tr><td><bdi>(.*?)</bdi>( <b>needs you</b>)?</td><td class=\"n\">(.*?)</td>", table)
    assert names == [
        ("a &lt;b&gt;", " <b>needs you</b>", "1 of 2"),
        ("none", "", "0 of 2"),
        ("one", "", "1 of 2"),
        ("right", "", "2 of 2"),
    ]
    title = LESSON.exercises["which_layers"].title
    assert f"{title} (its code does not end)" in table and f"{title} (2 attempts, 1 hint)" in table
    rule = f"{learners.MANY_ATTEMPTS} attempts or {learners.MANY_HINTS} hints, that its code does not end,"
    assert rule in page and "begun: 05" in table


# ---- small classes ---------------------------------------------------------------------------------------------------

QUESTION, GUESSED = catalogue.questions(LESSON.name)[0], catalogue.predictions(LESSON.name)[0]
MISTAKE = next(mistake for mistake in catalogue.item(ROWWISE).mistakes)


def of_size(size):
    """Return a page on so many learners; each has made a guess, and one of them a mistake and a wrong answer."""
    found = []
    for n in range(size):
        one = learner(f"learner {n}", {}, {QUESTION.id: (Status.CORRECT, 2 if n == 0 else 1, 0)})
        one.submission.entries[GUESSED.id] = Entry(Status.GUESSED, guess=7, attempts=1)
        met = [f"mistake:{MISTAKE.name}"] if n == 0 else []
        one.submission.entries[ROWWISE] = Entry(Status.NOT_YET, attempts=1, met=met)
        found.append(one)
    return report_page.page(report.made(found, AROUND))


def test_small_class_gets_plain_counts_and_no_ranking():
    page = of_size(results.LARGE - 1)
    assert " %" not in page and "frequent" not in page and "<img" not in page and "third" not in page
    assert f"1 of {results.LARGE - 1}" in page and "7: 9" in page and "Mistakes that were met" in page


def test_large_class_gets_shares_and_what_is_most_frequent():
    page = of_size(results.LARGE)
    assert f"1 of {results.LARGE} (10 %)" in page and "most frequent" in page and "<img" in page and "third" in page

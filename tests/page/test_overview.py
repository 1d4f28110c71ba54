"""Where a learner stands: the rows of all lessons, the line for one, and the way on."""

from dataclasses import replace

import mistune
import pytest
from bs4 import BeautifulSoup

from course_lib.page import overview
from course_lib.page.overview import Stage


def stage(number, done=0, answered=0, parts=4, questions=2, minutes=40):
    """Make a lesson of which the first parts and questions are done."""
    titles = tuple((f"Part {place + 1} | x", place < done) for place in range(parts))
    quiz = tuple(place < answered for place in range(questions))
    return Stage(f"{number:02d} Lesson", f"{number:02d}_lesson.ipynb", minutes, titles, quiz)


DONE, BEGUN, NEW = stage(0, 4, 2), stage(1, 3, 1), stage(2)


@pytest.mark.parametrize(
    ("one", "done", "following", "left"),
    [
        (DONE, True, "", 0),
        (BEGUN, False, "Part 4 | x", 15),  # 2 of 6 are open, of 40 minutes
        (NEW, False, "Part 1 | x", 40),
        (stage(3, 4, 1), False, "the quiz", 10),
        (stage(3, 4, 0, questions=0), True, "", 0),
        (stage(3, 0, 0, parts=1, questions=0, minutes=12), False, "Part 1 | x", 15),
        (stage(3, 0, 0, parts=0, questions=0), True, "", 0),
    ],
)
def test_stage(one, done, following, left):
    assert (one.done, one.next, one.left) == (done, following, left)


@pytest.mark.parametrize(
    ("stages", "place"),
    [
        ([NEW, stage(1), stage(2)], 0),
        ([BEGUN, NEW], 0),
        ([DONE, NEW, stage(3)], 1),
        ([BEGUN, DONE, NEW], 2),  # what was left out comes later
        ([BEGUN, stage(1, 1), NEW], 1),
        ([BEGUN, DONE], 0),
        ([DONE, DONE], None),
    ],
)
def test_the_lesson_to_go_on_with(stages, place):
    assert overview.ahead(stages) is (None if place is None else stages[place])


BUILD = replace(stage(3, 1), build=True)  # begun


@pytest.mark.parametrize("stages", [[DONE, NEW], [BEGUN, NEW], [DONE, DONE]])
def test_nothing_leads_on_to_a_build(stages):
    found = overview.ahead(stages)
    assert overview.ahead([*stages, BUILD]) is found
    if found is not None:
        assert (
            overview.whole_course(stages)[1].splitlines()[-1]
            == overview.whole_course([*stages, BUILD])[1].splitlines()[-1]
        )
    assert "The lesson after" not in overview.one_lesson(stages[-1], [*stages, BUILD])[1]
    assert overview.one_lesson(BUILD, [*stages, BUILD])[1].startswith("03 Lesson: 1 of 4 parts")


def as_html(markdown):
    return BeautifulSoup(mistune.create_markdown(plugins=["table"])(markdown), "html.parser")


def test_table_with_links():
    markdown, plain = overview.whole_course([DONE, BEGUN, NEW])
    page = as_html(markdown)
    rows = [[cell.get_text() for cell in row.find_all(["th", "td"])] for row in page.find_all("tr")]
    assert rows == [
        ["lesson", "parts done", "quiz", "next", "minutes left (core path)"],
        ["00 Lesson", "4 of 4", "2 of 2", "✓ done", "0"],
        ["01 Lesson", "3 of 4", "1 of 2", "Part 4 | x", "15"],
        ["02 Lesson", "0 of 4", "0 of 2", "Part 1 | x", "40"],
    ]
    names = ["00_lesson.ipynb", "01_lesson.ipynb", "02_lesson.ipynb"]
    assert [link["href"] for link in page.find_all("a")] == [*names, "01_lesson.ipynb"]
    way = "Continue here: 01 Lesson, Part 4 | x. About 15 min left of its core path, 55 min of all core paths."
    assert page.find_all("p")[-1].get_text() == way and plain.splitlines()[-1] == way
    assert plain.splitlines()[3] == "01 Lesson  3 of 4      1 of 2  Part 4 | x  15"


def test_all_done():
    markdown, plain = overview.whole_course([DONE])
    assert markdown.endswith("**Every lesson is done.**") and plain.endswith("\nEvery lesson is done.")


def test_done_only_with_the_quiz():
    assert "✓" not in overview.whole_course([stage(0, 4, 1)])[0]
    assert "| ✓ done |" in overview.whole_course([stage(0, 4, 2)])[0]


def test_line_for_one_lesson():
    markdown, plain = overview.one_lesson(BEGUN, [DONE, BEGUN, NEW])
    assert markdown == (
        "**01 Lesson:** 3 of 4 parts and 1 of 2 questions of the quiz done. Next: *Part 4 | x*. "
        "About 15 min of its core path left. "
        "The lesson after this one: [02 Lesson](02_lesson.ipynb)."
    )
    assert plain == (
        "01 Lesson: 3 of 4 parts and 1 of 2 questions of the quiz done. Next: Part 4 | x. "
        "About 15 min of its core path left. "
        "The lesson after this one: 02 Lesson."
    )
    assert "after this one" not in overview.one_lesson(NEW, [DONE, NEW])[0]
    assert "quiz" not in overview.one_lesson(stage(0, 1, questions=0), [stage(0, 1, questions=0)])[0]


def test_line_for_a_lesson_that_is_done():
    markdown, plain = overview.one_lesson(DONE, [DONE, NEW])
    assert markdown.startswith(
        "✓ **00 Lesson** is done, quiz included. **Continue here:** [02 Lesson](02_lesson.ipynb)"
    )
    assert plain.startswith("✓ 00 Lesson is done, quiz included. Continue here: 02 Lesson, Part 1")
    assert overview.one_lesson(DONE, [DONE])[1].endswith("Every lesson is done.")


@pytest.mark.parametrize(("minutes", "words"), [(0, "0 min"), (45, "45 min"), (60, "1 h"), (375, "6 h 15 min")])
def test_time(minutes, words):
    late = stage(1, parts=1, questions=0, minutes=minutes)
    assert f"About {words} of its core path left" in overview.one_lesson(late, [late])[1]

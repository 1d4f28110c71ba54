"""Where a learner stands: the rows of all lessons, the line for one, and the way on."""

from dataclasses import replace

import mistune
import pytest
from bs4 import BeautifulSoup

from courseware.page import overview
from courseware.page.overview import Stage


def stage(number, done=0, answered=0, parts=4, questions=2, minutes=40):
    """Make a lesson of which the first parts and questions are done."""
    titles = tuple((f"Part {place + 1} | x", place < done) for place in range(parts))
    quiz = tuple(place < answered for place in range(questions))
    return Stage(f"{number:02d} Lesson", f"{number:02d}_lesson.ipynb", minutes, titles, quiz)


DONE, BEGUN, NEW = stage(0, 4, 2), stage(1, 3, 1), stage(2)


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


def test_line_for_one_lesson():
    markdown, plain = overview.one_lesson(BEGUN, [DONE, BEGUN, NEW])
    assert markdown == (
        "**01 Lesson:** 3 of 4 parts and 1 of 2 questions done. Next: *Part 4 | x*. "
        "About 15 min of its core path left. "
        "The lesson after this one: [02 Lesson](02_lesson.ipynb)."
    )
    assert plain == (
        "01 Lesson: 3 of 4 parts and 1 of 2 questions done. Next: Part 4 | x. "
        "About 15 min of its core path left. "
        "The lesson after this one: 02 Lesson."
    )
    assert "after this one" not in overview.one_lesson(NEW, [DONE, NEW])[0]
    assert "quiz" not in overview.one_lesson(stage(0, 1, questions=0), [stage(0, 1, questions=0)])[0]

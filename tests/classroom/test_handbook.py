"""The handbook names what there is: files and modules."""

import importlib.util
import re

import pytest

from lessons import catalogue
from tests.conftest import ROOT

TEXT, SERVER, BRIDGES = (
    (ROOT / "classroom" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("README", "running_a_server", "bridges")
)
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", TEXT + SERVER + BRIDGES) if ":" not in link]
    assert links and [link for link in links if not (ROOT / "classroom" / link).exists()] == []


def test_modules_exist():
    named = set(re.findall(r"-m (classroom[\w.]*)", TEXT + SERVER + MAKEFILE))
    assert len(named) >= 6 and [name for name in named if importlib.util.find_spec(name) is None] == []


def needed(lesson):
    """Return the numbers of the lessons that a lesson needs, not those for its optional parts."""
    text = re.sub(r"\]\([^)]*\)", "]", lesson.needs.partition(", and for")[0])
    text = re.sub(r"(\d\d) to (\d\d)", lambda m: " ".join(f"{n:02}" for n in range(int(m[1]), int(m[2]) + 1)), text)
    return set(re.findall(r"\b\d\d\b", text))


def test_short_sequences_are_lessons_that_exist_and_bridge_what_they_need():
    by_heading = {lesson.heading: lesson for lesson in catalogue.lessons()}
    part = TEXT.partition("## If you have few lessons")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (\d)[^|]* \| ([^|]+) \| ([^|]+) \|$", part, re.MULTILINE)
    assert {count for count, *_ in rows} == set("1248")
    used = set()
    for count, take, bridges in rows:
        lessons = [by_heading[heading] for heading in take.split(", ")]
        assert len(lessons) == int(count)
        assert [one.number for one in lessons] == sorted({one.number for one in lessons})
        lacking = set().union(*map(needed, lessons)) - {f"{one.number:02}" for one in lessons}
        assert lacking == set(bridges.split(", "))
        used |= lacking
    told = dict(re.findall(r"\*\*Bridge (\d\d)\.\*\* (.+?)\n\n", part + BRIDGES + "\n\n", re.DOTALL))
    assert set(told) == used
    for text in told.values():
        assert 3 <= len(re.findall(r"[.](?:\s|$)", text)) <= 5


@pytest.mark.parametrize("name", ["for_it", "for_data_protection", "for_accessibility"])
def test_a_page_for_schools_names_the_test_of_whatever_it_calls_tried(name):
    text = (ROOT / "classroom" / f"{name}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| (.+) \|$", text.partition("\n## ")[0], re.MULTILINE)[2:]
    assert f"({name}.md)" in TEXT and len(rows) > 10
    for statement, tried in rows:
        files = re.findall(r"`(tests/[\w/]+\.py)`", tried)
        named = re.findall(r"`(test_\w+)`", tried)
        assert tried.startswith(("tried", "not tried", "not there")), statement
        assert bool(files) == bool(named) and (files or not tried.startswith("tried")), statement
        code = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files)
        assert [one for one in named if not re.search(rf"def {one}\(", code)] == [], statement

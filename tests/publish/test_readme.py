"""The README and the notebooks against the lessons' data, and the README against the files and commands it names."""

import copy
import re

import nbformat
import pytest

from lessons import catalogue, in_numpy
from publish.author import derived, refresh
from tests.conftest import NOTEBOOKS, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
LESSONS = catalogue.lessons()


def test_refreshing_would_not_change_the_readme():
    assert derived.rewrite_markdown(README, folder="notebooks/") == README
    assert derived.lesson_map("notebooks/") in README


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_refreshing_would_not_change_a_source(lesson):
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    before = copy.deepcopy(notebook)
    derived.rewrite_notebook(notebook, lesson)
    assert [cell.source for cell in notebook.cells] == [cell.source for cell in before.cells]


@pytest.mark.parametrize("name", refresh.README_PICTURES)
def test_pictures_are_those_stored_in_the_lessons(name):
    assert (ROOT / "docs" / name).read_bytes() == refresh.stored_picture(*refresh.README_PICTURES[name])


def test_it_counts_the_exercises_that_a_page_checks():
    coded = [f"{lesson.name}.{name}" for lesson in catalogue.lessons() for name in lesson.exercises]
    there = [id for id in coded if id not in in_numpy.NEEDS_TORCH]
    assert f"{len(there)} of the {len(coded)} coded exercises" in " ".join(README.split())
    assert "over a thousand typical mistakes" in README and sum(len(catalogue.item(id).mistakes) for id in coded) > 1000


def test_it_is_short_and_counts_the_builds():
    assert sum(bool(re.search(r"\w", word)) for word in README.split()) <= 900
    assert sum(lesson.build for lesson in LESSONS) == 3 and "lessons and three builds on" in README

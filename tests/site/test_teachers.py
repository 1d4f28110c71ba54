"""The teachers' pages: every plan with its votes, replies and folded key, and links that lead to pages."""

import html
import re

import pytest

from classroom import plan
from course_lib.lessons import catalogue
from publish.site import pages, teachers, words
from tests.site.conftest import PLANS

NAMES = [lesson.name for lesson in catalogue.lessons()]


def read(site, name):
    return (site / teachers.address(catalogue.lesson(name))).read_text("utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_a_plan_has_the_lesson_s_votes_and_its_key_folded(site, name):
    page = read(site, name)
    lesson, before = catalogue.lesson(name), page.partition("<details>")[0]
    title = html.unescape(re.search(r"<h1\b[^>]*>(.*?)</h1>", before)[1])
    assert title == f"{lesson.heading}: the teacher's page"
    assert f'href="{pages.address(lesson)}"' in before
    for prediction in catalogue.predictions(name):
        said = [claim.text for claim in prediction.claims.values()] or [prediction.right]
        assert all(words.inline(one) in before for one in said), prediction.id
    folds = re.findall(r"<details>\s*<summary>(.*?)</summary>(.*?)</details>", page, re.DOTALL)
    solved = [inside for _, inside in folds if '<pre class="code">' in inside]
    assert len(solved) == len(lesson.exercises)
    assert '<pre class="code">' not in before
    questions = catalogue.questions(name)
    assert sum(words.inline(question.options[0].text) in page for question in questions) == len(questions)


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_of_a_plan_is_a_link_to_its_place(site, name):
    written, page = plan.read(catalogue.lesson(name)), read(site, name)
    shown = {cell for step in (*written.plan45, *written.plan25) for cell in step.cells}
    linked = re.findall(r'<a href="([^"#]+)#cell-([\w-]+)"><code>([^<]*)</code></a>', page)
    assert shown <= {cell for _, cell, _ in linked}
    assert all(there == pages.address(catalogue.lesson(name)) and cell == said for there, cell, said in linked)


def test_a_cell_that_is_folded_away_is_opened_by_its_link(opened):
    page = opened("teach-position-independence.html")
    page.locator("a:has(code)", has_text="run-1").first.click()
    page.wait_for_url("**/position-independence.html#cell-run-1")
    assert page.locator("#cell-run-1").evaluate("one => one.closest('details').open")
    assert page.locator("#cell-run-1 + *").is_visible()


def test_the_handbook_leads_to_every_plan_and_to_no_file(site):
    page = (site / teachers.HANDBOOK).read_text("utf-8")
    assert set(PLANS) <= set(re.findall(r'href="([^"#]+)', page))
    assert not re.search(r'href="[^"]*\.(md|py|yaml|ipynb|toml)"', page)
    assert 'id="plans"' in page
    for name in NAMES:
        assert f'href="{teachers.HANDBOOK}#plans"' in read(site, name)


def test_the_key_is_not_found_by_the_search(site):
    assert "teach-" not in (site / "static" / "index.js").read_text("utf-8")

"""The way back: the links of `progress()` open lessons, in JupyterLab 4 and in Notebook 7."""

import pytest

from lessons import catalogue
from tests.browser.page import APPS, errors

CELLS = {"setup": "from course_lib.desk import progress", "all": "progress()", "one": 'progress("linear_limits")'}


@pytest.mark.parametrize("app", APPS)
def test_links_lead_to_the_lessons(open_cells, server, app):
    lesson = catalogue.lesson("relu_vs_gelu")
    course = open_cells(app, CELLS)
    (server["folder"] / "notebooks" / lesson.notebook).write_text(course.path.read_text())
    assert errors(course.run_all()) == []
    assert course.locate("all").get_by_role("link").count() == len(catalogue.lessons()) + 1
    link = course.locate("one").get_by_role("link", name=lesson.heading)
    if app == "lab":
        link.click()
        where = "() => jupyterapp.shell.currentWidget.context?.path"
        course.page.wait_for_function(f"({where})() === 'notebooks/{lesson.notebook}'")
    else:
        with course.page.context.expect_page() as opened:
            link.click()
        assert opened.value.url.endswith(f"/notebooks/notebooks/{lesson.notebook}")
        opened.value.locator(".jp-Notebook .jp-Cell").first.wait_for()

"""Every lesson against axe-core, in a running notebook: what we put on the page, not the application around it."""

import pytest
from axe_playwright_python.sync_playwright import Axe

from tests.browser.page import errors
from tests.conftest import NOTEBOOKS

OURS = {"include": [[".jp-OutputArea-output"], [".jp-RenderedMarkdown"]]}

# ipywidgets gives its sliders no accessible name and offers no way to set one; the number box beside each slider, which
# has a label and does the same, is the way in (checked below).
KNOWN = {("aria-input-field-name", "noUi-handle")}


def violations(page):
    """Return every serious or critical violation in our own content, as readable lines."""
    found = Axe().run(page, context=OURS).response["violations"]
    return [
        f"{item['id']} ({item['impact']}): {node['html'][:200]}"
        for item in found
        if item["impact"] in ("serious", "critical")
        for node in item["nodes"]
        if not any(item["id"] == rule and mark in node["html"] for rule, mark in KNOWN)
    ]


@pytest.mark.parametrize("name", sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")))
def test_a_lesson_has_no_barrier(open_lesson, name):
    course = open_lesson("lab", name)
    state = course.run_all()
    assert errors(state) == []
    assert violations(course.page) == []
    page = course.page

    for picture in page.locator(".jp-OutputArea-output img").all():
        assert picture.get_attribute("alt") or picture.get_attribute("title"), "a picture has no name"
    for slider in page.locator(".widget-slider").all():
        box = slider.locator("xpath=..").locator("input[type=number]")
        assert box.count() == 1, "a slider has no number box beside it"
        label = page.locator(f"label[for='{box.get_attribute('id')}']")
        assert label.inner_text().strip(), "the number box has no label"
    for button in page.locator(".jp-OutputArea-output button").all():
        assert button.inner_text().strip(), "a button has no text"


def test_the_check_sees_a_barrier(open_lesson):
    """A button, a link and a box without a name are reported."""
    course = open_lesson("lab", "00_start_here.ipynb")
    bad = """from IPython.display import HTML\nHTML('<button></button> <a href="#"></a> <input type="text">')"""
    course.type_into("setup", bad)
    found = " ".join(violations(course.page))
    assert all(rule in found for rule in ("button-name", "link-name", "label")), found

"""Lesson 00 as a notebook in the browser: JupyterLite runs it whole, and the pages' own worker leaves it alone."""

import nbformat
import pytest

from course_lib.environment import NOTEBOOKS
from lessons import catalogue
from publish.site import notebook_in_browser
from tests.browser.page import Course, errors
from tests.browser.test_lessons import answer_the_quiz, checking, guess_wrong, move_a_control, solve_an_exercise
from tests.conftest import ROOT
from tests.site.conftest import built_once
from tests.site.served import Served

LESSON = catalogue.lesson(notebook_in_browser.LESSON)
EXERCISE = f"{LESSON.name}.double"
HANGS = "while True:\n    pass"
KEPT = "async () => (await (await caches.open('ffn-course')).keys()).map((request) => request.url)"


class InBrowser(Course):
    """The notebook in JupyterLite, whose kernel runs in the page."""

    def __init__(self, page, address):
        super().__init__(page, None, "lab", LESSON.notebook)
        self.address = address

    def open(self):
        """Follow the address, and wait for the kernel."""
        self.page.goto(self.address)
        self.wait_for_kernel()


@pytest.fixture(scope="module")
def with_notebook(testrun_uid):
    """Return the folder of a site with the notebook, built once now."""
    folder = built_once(ROOT / "build" / "site-test-notebook", testrun_uid, with_notebook=True)
    if not (folder / notebook_in_browser.FOLDER).is_dir():
        pytest.skip("JupyterLite, Pyodide or a wheel could not be had: what the build printed says why")
    return folder


@pytest.fixture
def visitor(browser, with_notebook):
    """Return a window of a new profile and the server; requests elsewhere and errors fail the test at its end."""
    with Served(with_notebook) as server:
        context, problems = browser.new_context(), []
        page = context.new_page()
        here = (server.at(""), "data:", "blob:")
        page.on("request", lambda one: None if one.url.startswith(here) else problems.append(one.url))
        page.on("pageerror", lambda error: problems.append(str(error)))
        yield page, server
        context.close()
        assert problems == []


def test_what_is_true_on_a_computer_only_is_left_out():
    stored = nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4)
    sources = {cell.id: cell.source for cell in stored.cells}
    assert all(words in sources[id] for id, words in notebook_in_browser.UNTRUE.items())
    assert {*notebook_in_browser.LEFT_OUT, *notebook_in_browser.SAYS} <= set(sources)
    text = "\n".join(cell.source for cell in notebook_in_browser.copy(stored).cells)
    assert ".ipynb" not in text and "pip install" not in text and "environment" not in text
    assert not any(words in text for words in notebook_in_browser.UNTRUE.values())


def test_a_site_without_the_notebook_does_not_speak_of_it(site):
    assert notebook_in_browser.ENTRY not in (site / "index.html").read_text(encoding="utf-8")
    assert not (site / notebook_in_browser.FOLDER).exists()


def test_without_its_parts_a_sentence_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    assert notebook_in_browser.build(tmp_path / "site", {}, tmp_path) == ()
    said = capsys.readouterr().out.splitlines()[-1]
    assert said.startswith("The site is built without the notebook in the browser: pip could not install JupyterLite")
    assert not (tmp_path / "site").exists()


@pytest.mark.thorough
def test_the_first_page_leads_to_a_notebook_that_runs_whole(visitor):
    page, server = visitor
    page.goto(server.at("index.html"))
    page.wait_for_function("navigator.serviceWorker.controller")  # the pages' own worker is there first
    page.get_by_role("link", name="Try lesson 00 as a notebook").click()
    course = InBrowser(page, server.at(notebook_in_browser.ENTRY))
    course.wait_for_kernel()
    state = course.run_all()
    outputs = [output for cell in state["cells"] for output in cell["outputs"]]
    assert errors(state) == [] and outputs and not any(output.get("name") == "stderr" for output in outputs)
    move_a_control(course, lambda source: "which_bank(" in source)
    guess_wrong(course, LESSON)
    wrong = f'def double(x):\n    return x + 2\n\n\ncheck("{EXERCISE}", double)'
    said = course.type_into(checking(course, EXERCISE)["id"], wrong)
    assert "✗ Not yet" in said and "`x + 2`" in said and "could not be saved" not in said
    solve_an_exercise(course, LESSON)
    answer_the_quiz(course, LESSON)
    kept = page.evaluate(KEPT)
    assert kept and not any(url.startswith(server.at(f"{notebook_in_browser.FOLDER}/")) for url in kept)


@pytest.mark.thorough
def test_a_restart_ends_what_hangs_and_what_is_typed_outlives_a_reload(visitor):
    page, server = visitor
    course = InBrowser(page, server.at(notebook_in_browser.ENTRY))
    course.open()
    course.locate("predict-1").locator(".cm-content").click()
    page.keyboard.press("Control+a")
    page.keyboard.insert_text(HANGS)
    page.keyboard.press("Control+Enter")
    course.until(lambda state: state["kernel"] == "busy", "the cell runs")
    course.select("predict-1")
    page.keyboard.type("00")
    page.locator(".jp-Dialog button.jp-mod-accept").click()
    course.until(lambda state: state["kernel"] == "idle", "the kernel is back")
    assert "6" in course.type_into("run-1", "print(2 * 3)")
    course.select("run-1")
    page.keyboard.press("Control+s")
    page.wait_for_function("!jupyterapp.shell.currentWidget.context.model.dirty")
    page.reload()
    course.wait_for_kernel()
    assert course.cell("predict-1")["source"] == HANGS

"""A component is one source for the page and the notebook, and its still is what is stored."""

import re

import ipywidgets
import pytest

from course_lib.components import FOLDER
from courseware.page import components
from courseware.page.components import Component
from courseware.page.medium import RunningNotebook, StoredOutput
from tests.courseware.page.samples import wave

MODULES = sorted(path for folder in (components.FOLDER, FOLDER) for path in folder.glob("*.js"))
VIEW = "application/vnd.jupyter.widget-view+json"


def sample(state=None):
    return Component("curve", {"x": [0, 1]}, state, still=(wave().figure, "A wave."))


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.stem)
def test_it_is_one_script_that_asks_for_nothing(path):
    source = components.source(path.stem, path.parent)
    assert source.endswith("return { style, render };\n})()") == ("const render" in path.read_text("utf-8"))
    assert not re.search(r"^\s*(import|export)\b", source, re.MULTILINE)
    assert not re.search(r"\b(https?:|fetch\(|import\()", source.replace("http://www.w3.org/2000/svg", ""))
    script = f'(course.components = course.components || {{}})["{path.stem}"] = {source};\n'
    assert components.classic(path.stem, FOLDER) == script  # pages look into both folders, where no name stands twice


def test_without_a_kernel_it_is_its_still(shown):
    before = set(ipywidgets.widgets.widget._instances)
    StoredOutput().component(sample())
    assert shown.plain == ["Figure: A wave.", "A wave."] and "image/png" in shown.outputs[0]["data"]
    assert set(ipywidgets.widgets.widget._instances) == before


@pytest.mark.parametrize("state", [None, {"points": []}])
def test_in_a_running_notebook_it_lives_beside_its_still(shown, state):
    RunningNotebook().component(sample(state))
    stands_in, view = shown.outputs
    assert "<img" in stands_in["data"]["text/markdown"] and "A wave." in stands_in["data"]["text/plain"]
    widget = ipywidgets.widgets.widget._instances[view["data"][VIEW]["model_id"]]
    assert (widget.name, widget.data, widget.state) == ("curve", {"x": [0, 1]}, state)
    assert components.source("curve") in widget._esm


def test_python_answers_a_component(shown, monkeypatch):
    asked = Component(
        "curve", {}, still=(wave().figure, "A wave."), answer=lambda question: {"half": 1 / question["n"]}
    )
    RunningNotebook().component(asked)
    widget, sent = ipywidgets.widgets.widget._instances[shown.outputs[1]["data"][VIEW]["model_id"]], []
    monkeypatch.setattr(type(widget), "send", lambda self, content, buffers=None: sent.append(content))
    for id, n in (("a", 2), ("b", 0)):
        widget._handle_custom_msg({"id": id, "question": {"n": n}}, [])
    assert sent == [{"id": "a", "answer": {"half": 0.5}}, {"id": "b", "problem": "division by zero"}]

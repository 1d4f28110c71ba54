"""Every figure of every lesson is shown in its own notebook, where tests.lessons.solved holds it against the rules."""

import ast
import importlib
import importlib.util
import inspect

import nbformat
import pytest

from lessons import catalogue, cells
from tests.conftest import NOTEBOOKS

LESSONS = [
    lesson for lesson in catalogue.lessons() if importlib.util.find_spec(f"lessons.{lesson.name}.figures") is not None
]


def public_functions(module) -> list[str]:
    """Return the names of all functions that a module defines for others."""
    found = inspect.getmembers(module, inspect.isfunction)
    return [name for name, one in found if one.__module__ == module.__name__ and not name.startswith("_")]


def called(source: str) -> set[str]:
    """Return each name that is called as `figures.<name>(…)`."""
    functions = [node.func for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    return {
        function.attr
        for function in functions
        if isinstance(function, ast.Attribute) and getattr(function.value, "id", "") == "figures"
    }


def module_of(lesson):
    return importlib.import_module(f"lessons.{lesson.name}.figures")


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_figure_is_shown_in_its_own_notebook(lesson):
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    sources = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    shown = set().union(*map(called, sources))
    module = module_of(lesson)
    functions = public_functions(module)
    # what a component of the lesson shows on paper is a figure by the component's name
    shown |= {name for source in sources for name in cells.drawn(source) if name in functions}
    assert functions, "no figure was found"
    assert [name for name in functions if name not in shown] == [], "show these in the lesson, or remove them"
    assert shown - {*functions, *getattr(module, "__all__", ())} == set(), "the lesson calls these, which are not there"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_figures_are_made_without_pyplot(lesson):
    """pyplot keeps every figure and draws with settings that the learner may have changed."""
    assert "pyplot" not in inspect.getsource(module_of(lesson))

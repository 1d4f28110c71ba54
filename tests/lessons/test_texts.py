"""What the TOML of a lesson names as a control is there; what else it holds, its readers and their tests refuse."""

import tomllib

import pytest

from lessons import catalogue
from tests.lessons import cells


def controls(value) -> list[str]:
    """Return every cell that is named as a control, anywhere in what TOML holds."""
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    own = [value["control"]] if isinstance(value, dict) and "control" in value else []
    return own + [one for each in inside for one in controls(each)]


def lost(name: str, text: str) -> list[str]:
    """Return the controls in the TOML of a lesson that are no code cell of the notebook they point to."""
    found = []
    for control in controls(tomllib.loads(text)):
        lesson, _, cell = control.rpartition("/")
        notebook = cells.read(catalogue.lesson(lesson or name))
        found += [control] * (cell not in {one.id for one in cells.code_cells(notebook)})
    return found


@pytest.mark.parametrize("name", [lesson.name for lesson in catalogue.lessons()])
def test_controls_of_a_lesson(name):
    for file in ("predictions.toml", "quiz.toml"):
        assert lost(name, (catalogue.FOLDER / name / file).read_text("utf-8")) == []

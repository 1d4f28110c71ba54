"""Every section, exercise, question and cell that a text of the lessons names is there."""

import re
import tomllib

import pytest

from lessons import catalogue
from tests.lessons import cells

NOTEBOOKS = {lesson.number: cells.read(lesson) for lesson in catalogue.lessons()}
PLACES = re.compile(r"(?i)\b(section|exercise|question|quiz)s? (\d+(?:(?:, | and | to | or )\d+)*)(?!\.?\d|[:/])")
BEFORE = re.compile(r"(?:lesson |\[)(\d\d)\W+(?:\S+\.ipynb\), )?$", re.IGNORECASE)
AFTER = re.compile(r" (?:of|in) \[?lesson (\d\d)")
CELL = re.compile(r"`((?:idea|predict|run|check|explain|ex|why)-[a-z0-9-]+)`")


def titles(number) -> list[str]:
    """Return the titles of the sections of a lesson."""
    return [title for cell in NOTEBOOKS[number].cells for title in re.findall(r"^## (.+)", cell.source, re.MULTILINE)]


def there(number) -> dict[str, set[int]]:
    """Return the numbers by which a text may name parts of a lesson."""
    lesson = next(one for one in catalogue.lessons() if one.number == number)
    numbered = (re.match(r"(?:Optional: )?(\d+)[.,]", title) for title in titles(number))
    return {
        "section": {int(found[1]) for found in numbered if found},
        "exercise": set(range(1, len(lesson.exercises) + 1)),
        "question": set(),  # it has a name, which keeps while others are added
        "quiz": set(),
    }


def texts(lesson):
    """Return what a lesson says: the Markdown of its cells, and its TOML."""
    yield from (cell.source for cell in NOTEBOOKS[lesson.number].cells if cell.cell_type == "markdown")
    for path in (catalogue.FOLDER / lesson.name).glob("*.toml"):
        yield from strings(tomllib.loads(path.read_text(encoding="utf-8")))


def strings(value):
    """Return every string in what TOML holds."""
    if isinstance(value, str):
        yield value
    for one in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(one)


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_what_a_text_names_is_there(lesson):
    ids, lost = {cell.id for notebook in NOTEBOOKS.values() for cell in notebook.cells}, []
    for text in texts(lesson):
        lost += [cell for cell in CELL.findall(text) if cell not in ids]
        for found in PLACES.finditer(text):
            other = AFTER.match(text, found.end()) or BEFORE.search(text[: found.start()])
            known = there(int(other[1]) if other else lesson.number)[found[1].lower()]
            lost += [found[0]] * (not known.issuperset(map(int, re.findall(r"\d+", found[2]))))
    assert lost == []

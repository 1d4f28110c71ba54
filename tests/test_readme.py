"""The README against what it describes: lessons, pictures, links and commands."""

import importlib.util
import re
from pathlib import Path

import nbformat
import pytest

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

_SPEC = importlib.util.spec_from_file_location("refresh", ROOT / "scripts" / "refresh.py")
refresh = importlib.util.module_from_spec(_SPEC)
_SPEC.loader.exec_module(refresh)


def rows(markdown, prefix=""):
    """Return the rows of a lesson map: file name -> (title, question, minutes)."""
    pattern = rf"\| \[([^\]]+)\]\({prefix}([^)]+)\) \| ([^|]+) \| (\d+) \|"
    return {name: (title, question, int(minutes)) for title, name, question, minutes in re.findall(pattern, markdown)}


def test_the_map_lists_every_lesson_with_its_minutes():
    listed = rows(README, "notebooks/")
    assert list(listed) == [path.name for path in NOTEBOOKS]
    for path in NOTEBOOKS:
        opening = nbformat.read(path, as_version=4).cells[0].source
        assert f"{listed[path.name][2]} minutes" in opening, path.name


def test_the_map_of_the_first_lesson_agrees():
    cells = nbformat.read(NOTEBOOKS[0], as_version=4).cells
    shown = rows(next(cell.source for cell in cells if cell.id == "map"))
    listed = rows(README, "notebooks/")
    assert shown == {name: row for name, row in listed.items() if name != NOTEBOOKS[0].name}


@pytest.mark.parametrize("name", refresh.README_PICTURES)
def test_pictures_are_those_stored_in_the_lessons(name):
    notebook, cell = refresh.README_PICTURES[name]
    assert (ROOT / "docs" / name).read_bytes() == refresh.stored_picture(ROOT / "notebooks" / notebook, cell)
    alt = re.search(rf"!\[([^\]]+)\]\(docs/{name}\)", README)
    assert alt and len(alt[1]) > 60, "a picture needs a description"


def test_links_and_commands_exist():
    for target in re.findall(r"\]\(([^)#\s]+)\)", README):
        assert target.startswith("https://") or (ROOT / target).exists(), target
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"^make ([a-z-]+)", README, re.MULTILINE)) | set(
        re.findall(r"`make ([a-z-]+)", README)
    ):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
    for anchor in re.findall(r"\]\(#([^)]+)\)", README):
        titles = re.findall(r"^#+ (.+)$", README, re.MULTILINE)
        slugs = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}
        assert anchor in slugs, anchor

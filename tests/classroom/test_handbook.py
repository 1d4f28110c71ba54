"""The handbook names what there is: files, tests and targets."""

import re

import pytest

from publish.author.refresh import README_PICTURES
from tests.conftest import ROOT

TEXT, SERVER, BRIDGES = (
    (ROOT / "classroom" / f"{name}.md").read_text(encoding="utf-8")
    for name in ("README", "running_a_server", "bridges")
)


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", TEXT + SERVER + BRIDGES) if ":" not in link]
    assert links and [link for link in links if not (ROOT / "classroom" / link).exists()] == []


@pytest.mark.parametrize("name", README_PICTURES)
def test_a_picture_of_the_student_edition_is_described(name):
    text = (ROOT / "classroom" / "student.md").read_text(encoding="utf-8")
    alt = re.search(rf"!\[([^\]]+)\]\(docs/{name}\)", text)
    assert alt and len(alt[1]) > 60


def test_a_command_prints_as_a_sentence_only_what_was_written_as_one():
    """Everything else that may be raised is a traceback, or is quoted in a sentence."""
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "classroom").rglob("*.py"))
    assert {types for types, _ in re.findall(r"except (.+) as (\w+):\n +print\(\2,", code)} == {"Refused"}


@pytest.mark.parametrize("name", ["for_it", "for_data_protection", "for_accessibility"])
def test_a_page_for_schools_names_the_test_of_whatever_it_calls_tried(name):
    text = (ROOT / "classroom" / f"{name}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (.+) \| (.+) \|$", text.partition("\n## ")[0], re.MULTILINE)[2:]
    assert f"({name}.md)" in TEXT and len(rows) > 10
    for statement, tried in rows:
        files = re.findall(r"`(tests/[\w/]+\.py)`", tried)
        named = re.findall(r"`(test_\w+)`", tried)
        assert tried.startswith(("tried", "not tried", "not there")), statement
        assert bool(files) == bool(named) and (files or not tried.startswith("tried")), statement
        code = "\n".join((ROOT / file).read_text(encoding="utf-8") for file in files)
        assert [one for one in named if not re.search(rf"def {one}\(", code)] == [], statement


def test_every_target_that_a_page_names_is_in_the_makefile():
    pages = (
        TEXT + SERVER + "".join((ROOT / name).read_text(encoding="utf-8") for name in ("README.md", "CONTRIBUTING.md"))
    )
    targets = re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"))
    named = set(re.findall(r"`make ([a-z-]+)", pages))
    assert len(named) > 8 and named <= {*targets}

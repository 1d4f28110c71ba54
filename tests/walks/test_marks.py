"""Marks as the handbook tells it: what learners hand in earns points, which reach a table for the platform."""

import csv
import zipfile

import nbformat
import pytest

from tests.walks.pages import HANDBOOK, Block, walked
from tests.walks.test_report import LESSON, answered

SECTION = "Marks"
UPLOAD = Block(SECTION, 0)
ROSTER = "Student,ID,SIS User ID,SIS Login ID,Section,Lesson 5 (1234)\n    Points Possible,,,,,6\n"
ROSTER += '"Li, Anna",101,u1,lianna,A,\n"Lo, Ben",102,u2,loben,A,\n'


@pytest.fixture(scope="module")
def handed_in(course):
    """The folder with the zip file of Canvas, in which two learners have handed in."""
    (course / "submitted").mkdir()
    with zipfile.ZipFile(course / "submitted" / "submissions.zip", "w") as packed:
        for name, file in (("anna", "lianna_101_7_work.ipynb"), ("ben", "loben_102_8_work.ipynb")):
            notebook = answered(nbformat.read(course / "notebooks" / LESSON, as_version=4), name)
            packed.writestr(file, nbformat.writes(notebook))
    (course / "roster.csv").write_text(ROSTER, encoding="utf-8")
    return course / "submitted"


def uploaded(path):
    with path.open(encoding="utf-8", newline="") as file:
        return [(row["ID"], [*row.values()][-1]) for row in csv.DictReader(file)]


@walked(HANDBOOK, "make report FOLDER=submitted/", 'ARGS="--roster roster.csv"', UPLOAD)
def test_points_are_brought_to_a_platform(terminal, course, handed_in):
    terminal.folder = course
    terminal.type("make report FOLDER=submitted/", 'ARGS="--roster roster.csv"')
    written = course / "dist" / "class-report"
    assert uploaded(written / f"upload_{LESSON.replace('.ipynb', '.csv')}") == [
        ("", "8.0"),
        ("101", "8.0"),
        ("102", "2.0"),
    ]
    assert sorted(path.name for path in (written / "feedback").iterdir()) == ["lianna.html", "loben.html"]
    changed = (
        (written / "points.csv")
        .read_text(encoding="utf-8-sig")
        .replace("loben,102,position_independence,2.0", "loben,102,position_independence,3.5")
    )
    (written / "points.csv").write_text(changed, encoding="utf-8")
    assert "2 of 2 learners" in terminal.type(UPLOAD)
    assert uploaded(course / "dist" / "upload.csv") == [("", "8.0"), ("101", "8.0"), ("102", "3.5")]

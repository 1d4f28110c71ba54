"""Try publish.author.refresh on small notebooks."""

import json
import subprocess
from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from courseware.content import Lesson
from lessons import catalogue
from publish.author import refresh

LESSON = Lesson("first", 0, "First", "Why?", (10, 10), "you need nothing", {})
TITLE = "# 00 · Why?\n\nA promise.\n\n10 minutes"


def write(path, *cells):
    nbformat.write(new_notebook(cells=list(cells)), path)
    return path


def test_normalise_keeps_only_what_is_the_same_on_every_run():
    picture = {"image/png": {"alt": "A line"}}
    outputs = [
        new_output("stream", name="stdout", text="a"),
        new_output("stream", name="stdout", text="b\n"),
        new_output("display_data", {"image/png": "AAAA", refresh.WIDGET_VIEW: {"model_id": "1f"}}, metadata=picture),
        new_output("stream", name="stdout", text="c\n"),
    ]
    cell = new_code_cell("1", id="run-1", outputs=outputs, metadata={"tags": ["slow"], "collapsed": True})
    page = new_markdown_cell("Run the next cell.", id="ask", metadata={"course": {"page": {"Run": "Read"}, "other": 1}})
    notebook = new_notebook(cells=[new_markdown_cell("# A", id="title", metadata={"tags": []}), cell, page])
    notebook.metadata = {"widgets": {}, "kernelspec": {"name": "mine"}, "language_info": {"version": "3"}}
    refresh.normalise(notebook)
    assert notebook.metadata == refresh.METADATA
    assert [one.metadata for one in notebook.cells] == [{}, {"tags": ["slow"]}, {"course": {"page": {"Run": "Read"}}}]
    assert [one.id for one in notebook.cells] == ["title", "run-1", "ask"]
    assert [one.get("text") for one in cell.outputs] == ["ab\n", None, "c\n"]
    assert cell.outputs[1].data == {"image/png": "AAAA"}
    assert cell.outputs[1].metadata == picture


def test_measured_outputs_are_kept_until_they_are_cleared(tmp_path):
    source, tags = "import time\nprint(time.perf_counter_ns())", {"tags": ["nbval-ignore-output"]}
    path = write(
        tmp_path / "a.ipynb", new_code_cell(source, id="run-1", metadata=tags), new_code_cell(source, id="run-2")
    )

    def outputs():
        refresh.refresh(path)
        return ["".join(cell["outputs"][0]["text"]) for cell in json.loads(path.read_bytes())["cells"]]

    first, second = outputs(), outputs()
    assert first[0] == second[0]
    assert first[1] != second[1]
    notebook = json.loads(path.read_bytes())
    notebook["cells"][0]["outputs"] = []
    path.write_text(json.dumps(notebook))
    assert outputs()[0] != first[0]


def test_second_refresh_changes_nothing(tmp_path, monkeypatch):
    monkeypatch.setenv("COURSE_PROGRESS", "the learner's")
    source = "import os\nfor i in range(3):\n    print(i, '×', flush=True)\nprint(os.environ['COURSE_STATIC'])"
    lookup = "os.path.exists(os.environ['COURSE_PROGRESS']), os.environ['COURSE_PROGRESS'] == \"the learner's\""
    path = write(tmp_path / "a.ipynb", new_code_cell(source, id="run-1"), new_code_cell(lookup, id="run-2"))
    well, report = refresh.refresh(path)
    assert well and "changed" in report and "slowest cell" in report
    first = path.read_bytes()
    assert first.endswith(b"}\n") and "×".encode() in first
    cells = json.loads(first)["cells"]
    assert "".join(cells[0]["outputs"][0]["text"]) == "0 ×\n1 ×\n2 ×\n1\n"
    assert "".join(cells[1]["outputs"][0]["data"]["text/plain"]) == "(False, False)"
    well, report = refresh.refresh(path)
    assert well and "unchanged" in report
    assert path.read_bytes() == first


@pytest.mark.parametrize("source", ["1 / 0", "import sys\nprint('careful', file=sys.stderr)", "import os\nos._exit(1)"])
def test_bad_cell_fails_and_writes_nothing(tmp_path, source):
    path = write(tmp_path / "bad.ipynb", new_code_cell(source, id="bad-cell"))
    before = path.read_bytes()
    well, report = refresh.refresh(path)
    assert not well and "bad.ipynb" in report
    assert path.read_bytes() == before


@pytest.fixture
def course(tmp_path, monkeypatch):
    """A course of one lesson, its notebook and its README."""
    monkeypatch.setattr(refresh, "ROOT", tmp_path)
    monkeypatch.setattr(refresh, "NOTEBOOKS", tmp_path / "notebooks")
    monkeypatch.setattr(refresh, "README_PICTURES", {"pixel.png": ("first", "run-1")})
    in_this_process = nullcontext(SimpleNamespace(map=map))  # another one would see the real course
    monkeypatch.setattr(refresh, "ProcessPoolExecutor", lambda max_workers: in_this_process)
    monkeypatch.setattr(catalogue, "lessons", lambda: (LESSON,))
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path / "lessons")
    (tmp_path / "lessons" / LESSON.name).mkdir(parents=True)
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "README.md").write_text("[00 Old title](notebooks/00_first.ipynb)\n", encoding="utf-8")
    source = "from IPython.display import Image\nimport base64\nImage(base64.b64decode('iVBORw0KGgo='))"
    title = new_markdown_cell(TITLE, id="title")
    write(tmp_path / "notebooks" / LESSON.notebook, title, new_code_cell(source, id="run-1"))
    return tmp_path


def test_whole_course(course):
    assert refresh.main([]) == 0
    title = nbformat.read(course / "notebooks" / LESSON.notebook, as_version=4).cells[0].source
    assert "10 minutes · you need nothing" in title
    assert (course / "README.md").read_text(encoding="utf-8") == "[00 First](notebooks/00_first.ipynb)\n"
    assert (course / "docs" / "pixel.png").read_bytes().startswith(b"\x89PNG")


def test_lessons_and_notebooks_belong_together(course, monkeypatch, capsys):
    assert refresh.unmatched() == []
    monkeypatch.setattr(catalogue, "lessons", lambda: (replace(LESSON, number=1),))
    files = {path: path.read_bytes() for path in course.rglob("*") if path.is_file()}
    assert refresh.main([]) == 2
    told = capsys.readouterr().err
    assert "01_first.ipynb: there is a lesson" in told and "00_first.ipynb: no lesson" in told
    assert {path: path.read_bytes() for path in course.rglob("*") if path.is_file()} == files


def test_where_only_words_have_changed_nothing_is_run(tmp_path, monkeypatch):
    monkeypatch.setattr(refresh, "ROOT", tmp_path)
    (tmp_path / "lessons").mkdir()
    (tmp_path / "lessons" / "it.py").write_text("A = 1\n")
    cells = new_markdown_cell("Words.", id="a"), new_code_cell("1 + 1", id="run-1")
    path = write(tmp_path / "a.ipynb", *cells)
    for words in ("init", "add .", "-c user.name=A -c user.email=a@b.org commit -m A"):
        subprocess.run(["git", "-C", str(tmp_path), *words.split()], check=True, capture_output=True)

    def only_words():
        return refresh.only_words(path, nbformat.read(path, as_version=4))

    assert not only_words()  # nothing has changed: who asks wants it run
    cells[0].source = "Other words."
    write(path, *cells)
    assert only_words()
    (tmp_path / "lessons" / "it.py").write_text("A = 2\n")
    assert not only_words()
    (tmp_path / "lessons" / "it.py").write_text("A = 1\n")
    cells[1].source = "1 + 2"
    write(path, *cells)
    assert not only_words()

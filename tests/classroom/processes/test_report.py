"""The class report: what it counts, and that a damaged or hostile submission costs itself only."""

import codecs
import csv
import html
import json
import os
import re
import sys
import time
import zipfile

import nbformat
import pytest

from classroom import figures, files, report, report_page, sentences
from classroom.marking import handed_in, limits, runner
from lessons import catalogue
from tests.lessons.worked import solved_cells

LESSON = catalogue.lesson("position_independence")
RELU = catalogue.lesson("relu_vs_gelu")
SCRIPT = "<script>alert(1)</script>"
HOSTILE = {
    "loops": "def rowwise(f, X):\n    while True:\n        try: pass\n        except BaseException: pass",
    "loops-outside": "while True: pass",
    "sleeps": "import time\nx = time.sleep(10_000)",
    "leaves": "import os\nx = os._exit(0)",
    "eats-memory": "hoard = []\nwhile True:\n    hoard.append(bytearray(50_000_000))",
    "kills-its-parent": "import os, signal\nx = os.kill(os.getppid(), signal.SIGKILL)",
    "writes": "import pathlib\nx = pathlib.Path({target!r}).write_text('gone')",
    "redefines-check": "check = lambda *any: print('Correct')\ndef rowwise(f, X): return None",
    "redefines-grade": "from course_lib import desk\ndesk.grade = lambda *any: 1/0\ndef rowwise(f, X): return None",
}


def solved(id: str) -> str:
    """Return the worked cell of an exercise, with its check."""
    return solved_cells(id.partition(".")[0])[id]


def hand_in(folder, lesson=LESSON, cells=(), entries=None):
    """Write a submission: the published notebook, with the given cells in place of its exercise cells."""
    folder.mkdir(parents=True, exist_ok=True)
    if cells:
        notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in cells])
        hostile = nbformat.v4.new_output("display_data", data={"text/html": SCRIPT, "text/plain": SCRIPT})
        notebook.cells[0].outputs = [hostile]
        nbformat.write(notebook, folder / lesson.notebook)
    if entries is not None:
        (folder / "progress.json").write_text(json.dumps({"version": 2, "entries": entries}))
    return folder


@pytest.fixture
def results(a_runner):
    """Return a function: folder -> name -> what was found."""
    return lambda folder: {one.name: report.results_of(one, a_runner) for one in handed_in.read(folder)[0]}


def test_every_worked_solution_is_judged_as_right(a_runner):
    ids = {f"{lesson.name}.{module}" for lesson in catalogue.lessons() for module in lesson.exercises}
    cells = {lesson.name: [*solved_cells(lesson.name).values()] for lesson in catalogue.lessons()}
    lines = a_runner.run(cells).lines
    assert {line["id"] for line in lines} == ids
    assert [line for line in lines if line["status"] != "correct"] == []


@pytest.fixture(scope="module")
def after_the_hostile(tmp_path_factory):
    """Judge all hostile submissions and an honest one; name -> what was found."""
    folder = tmp_path_factory.mktemp("hostile")
    target = folder / "teachers-file"
    target.write_text("kept")
    check = 'check("position_independence.rowwise", rowwise)'
    for name, cell in HOSTILE.items():
        cell = cell.replace("{target!r}", repr(str(target)))
        hand_in(folder / "in" / name, cells=[f"{cell}\n\n{check}", solved("position_independence.which_layers")])
    hand_in(folder / "in" / "neighbour", cells=[solved("position_independence.rowwise")])
    with runner.Runner(folder / "in", seconds=8) as a_runner:
        found = [report.results_of(one, a_runner) for one in handed_in.read(folder / "in")[0]]
    kept = {
        one.submission.name: (one.status("position_independence.rowwise"), one.submission.problems) for one in found
    }
    return kept | {"target": target.read_text()}


def test_neighbour_of_the_hostile_is_judged(after_the_hostile):
    assert after_the_hostile["neighbour"] == ("correct", [])


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_submission_costs_itself_only(after_the_hostile, name):
    assert after_the_hostile[name][0] != "correct"
    if name == "sleeps":
        (problem,) = after_the_hostile[name][1]
        assert problem.startswith("Judging its code again did not finish.")


def test_teachers_files_are_out_of_reach(after_the_hostile):
    if os.geteuid() == 0:
        assert after_the_hostile["target"] == "kept"


def test_damaged_and_oversized_files_are_said(tmp_path):
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / LESSON.notebook).write_text("{ not a notebook")
    (tmp_path / "broken" / "progress.json").write_bytes(b"\xff\x00")
    (tmp_path / "large").mkdir()
    (tmp_path / "large" / LESSON.notebook).write_bytes(b" " * (files.MOST_BYTES + 1))
    with zipfile.ZipFile(tmp_path / "bomb.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(f"notebooks/{LESSON.notebook}", b" " * 60_000_000)
    (tmp_path / "infinite").mkdir()
    entries = {"relu_vs_gelu.gelu_slope": {"status": "correct", "attempts": float("inf")}}
    (tmp_path / "infinite" / "progress.json").write_text(json.dumps({"version": 2, "entries": entries}))
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "progress.json").write_text("[" * 100_000)
    (tmp_path / "empty").mkdir()
    found = {one.name: one.problems for one in handed_in.read(tmp_path)[0]}
    assert found["broken"] == [
        f"{LESSON.notebook}: It is damaged, so it cannot be read as a notebook.",
        "progress.json: It is damaged, so it cannot be read as a progress file.",
    ]
    assert found["bomb"] == found["large"] == [f"{LESSON.notebook}: It is larger than 8 MB, so it was not read."]
    assert found["infinite"] == found["deep"] == found["broken"][1:]
    assert found["empty"] == ["empty/: The folder is empty."]


def test_links_lead_nowhere(tmp_path):
    secret = hand_in(tmp_path / "secret", entries={"relu_vs_gelu.gelu_slope": {"status": "correct"}})
    (tmp_path / "in" / "links").mkdir(parents=True)
    (tmp_path / "in" / "links" / "progress.json").symlink_to(secret / "progress.json")
    (tmp_path / "in" / "whole").symlink_to(secret)
    for one in handed_in.read(tmp_path / "in")[0]:
        assert not one.entries and len(one.problems) == 1 and "was not followed" in one.problems[0]


@pytest.fixture(scope="module")
def class_of_five(tmp_path_factory):
    """Five learners: Anna and Ben make a mistake, one cured; Cleo claims too much; Dora has not started."""
    folder = tmp_path_factory.mktemp("class")
    gelu_cell = (
        'def gelu_slope(x):\n    return torch.nn.functional.gelu(x)\n\ncheck("relu_vs_gelu.gelu_slope", gelu_slope)'
    )
    key = "mistake:value"
    assert sentences.sentence("relu_vs_gelu.gelu_slope", key)
    wrong = {"status": "not yet", "attempts": 2, "met": [key]}
    quiz = {"relu_vs_gelu.quiz-1": {"status": "not yet", "attempts": 1}}  # its first question, as 1.0.0 called it
    guess = {"relu_vs_gelu.predict_relu": {"status": "guessed", "guess": 0.5, "near": False, "attempts": 1}}
    hand_in(folder / "Anna", RELU, [gelu_cell], {"relu_vs_gelu.gelu_slope": wrong, **quiz, **guess})
    hand_in(
        folder / "Ben",
        RELU,
        [solved("relu_vs_gelu.gelu_slope")],
        {"relu_vs_gelu.gelu_slope": wrong | {"status": "correct"}, **guess},
    )
    claims = {"relu_vs_gelu.gelu_slope": {"status": "correct", "attempts": 1}}
    hand_in(
        folder / "Cleo", RELU, [gelu_cell], claims | {"relu_vs_gelu.predict_relu": {"status": "guessed", "guess": 0.4}}
    )
    hand_in(folder / "Dora", entries={})
    hostile = {"relu_vs_gelu.predict_relu": {"status": "guessed", "guess": SCRIPT, "met": [SCRIPT]}}
    hand_in(folder / f"=Eve {SCRIPT.replace('/', '')}", RELU, entries=hostile)
    return folder


@pytest.fixture(scope="module")
def found_of_five(class_of_five):
    return report.report(class_of_five)


def test_report_counts(found_of_five):
    found = found_of_five
    row = next(row for row in found.table if row[1] == "The slope of GELU")
    assert row[2:] == (1, 0, 2, 2)
    sentence = sentences.sentence("relu_vs_gelu.gelu_slope", "mistake:value")
    assert found.mistakes[0] == ("The slope of GELU", sentence, 3, 2)
    assert found.quiz == [(RELU.heading, f"1. {catalogue.questions('relu_vs_gelu')[0].prompt}", 1, 1)]
    assert found.differing == [("Cleo", "The slope of GELU", "correct", "not yet")]
    assert found.absent == ["Dora"]
    prediction, guesses = found.guesses[0]
    assert prediction.id == "relu_vs_gelu.predict_relu" and sorted(map(str, guesses)) == ["0.4", "0.5", "0.5", SCRIPT]


def test_what_nobody_looked_at_is_not_called_solved(tmp_path, a_runner):
    names = [f"{LESSON.name}.{module}" for module in LESSON.exercises]
    claimed = {id: {"status": "correct", "attempts": 1} for id in names}
    hand_in(tmp_path / "anna", cells=[solved(names[0])], entries=claimed)
    hand_in(tmp_path / "ben", entries=claimed)
    found = report.made([report.results_of(one, a_runner) for one in handed_in.read(tmp_path)[0]], a_runner.around)
    rows = {title: counts for lesson, title, *counts in found.table if lesson == LESSON.heading}
    first, *others = rows.values()
    assert first == [1, 1, 0, 0] and others == [[0, 2, 0, 0]] * (len(names) - 1)
    assert found.words == [("anna", len(names) - 1, len(names)), ("ben", len(names), len(names))]
    page = report_page.page(found)
    assert f'<bdi>ben</bdi></td><td class="n">{len(names)} of {len(names)}</td>' in page
    assert "Nowhere, among the exercises whose code was handed in." in page and "by their own word" in page


def test_page_says_what_the_code_that_is_judged_could_reach(tmp_path):
    for network, hidden, library in ((False, True, True), (True, False, False)):
        page = report_page.page(report.made([], runner.Around(network, hidden, library)))
        assert ("could reach no network" in page) != network
        assert ("could not hide your copy" in page) != hidden
        assert ("Only root can read this Python" in page) != library


def test_claims_that_many_judged_wrongly_are_told(tmp_path, one_runner):
    one = next(one for one in catalogue.predictions("review") if one.kind == "claims")
    right = {letter: claim.answer for letter, claim in one.claims.items()}
    wrong = right | {"A": {"true": "false", "false": "true"}[right["A"]], "B": right["B"] == "true"}
    for name, guess in (("anna", wrong), ("ben", right), ("eve", {"A": 3, "B": right["B"]}), ("dan", "true")):
        hand_in(tmp_path / name, entries={one.id: {"status": "guessed", "attempts": 1, "guess": guess}})
    found = report.report(tmp_path)
    told = f"A. {one.claims['A'].text} ({right['A']})"
    assert found.claims == [(catalogue.lesson("review").heading, told, 1, 2)]
    page = report_page.page(found)
    assert html.escape(told) in page and "1 of 2" in page and found.guesses == []


def test_the_page_says_how_old_what_it_read_is(tmp_path):
    for hour, name in enumerate(("anna", "ben", "eve"), 8):
        written = time.mktime((2026, 3, 4, hour, 5, 0, 0, 0, -1))
        os.utime(hand_in(tmp_path / name, entries={}) / "progress.json", (written, written))
    assert "from 2026-03-04, 10:05" in report_page.page(report.report(tmp_path))


def test_page_is_self_contained_and_escaped(found_of_five):
    text = report_page.page(found_of_five)
    assert SCRIPT not in text and "&lt;script&gt;" in text and "<script" not in text
    assert not re.search(r"(src|href)=\"(?!data:)", text) and " on" not in "".join(
        re.findall(r"<[a-z][^>]*?\son\w+=", text)
    )
    assert "default-src 'none'" in text
    assert "0.5: 2" in text and "0.4: 1 (right)" in text and "<img" not in text
    first = found_of_five.guesses[0]
    found_of_five.guesses[0] = (first[0], [*first[1], *[0.5] * 6])  # of ten learners, and so a picture
    pictures = re.findall(r"<img alt=\"([^\"]*)\"", report_page.page(found_of_five))
    found_of_five.guesses[0] = first
    assert len(pictures) == 1 and "0.5: 8" in pictures[0] and "&lt;script&gt;" in pictures[0]


def test_csv_holds_every_item_and_no_formula(found_of_five, tmp_path):
    report.write_csv(found_of_five, tmp_path / "class.csv")
    assert (tmp_path / "class.csv").read_bytes().startswith(codecs.BOM_UTF8)
    with (tmp_path / "class.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    cleo = next(row for row in rows if row["learner"] == "Cleo" and row["item"] == "relu_vs_gelu.gelu_slope")
    assert (cleo["claimed"], cleo["found"], cleo["key"]) == ("correct", "not yet", "mistake:value")
    assert not [value for row in rows for value in row.values() if value[:1] in ("=", "+", "-", "@")]


def test_anonymous_report_names_nobody(class_of_five, tmp_path, one_runner):
    page = tmp_path / "page.html"
    assert report.main([str(class_of_five), "--anonymous", "--output", str(page)]) == 0
    for text in (page.read_text(encoding="utf-8"), page.with_suffix(".csv").read_text(encoding="utf-8")):
        assert re.search(r"learner \d", text) and not re.search(r"\b(Anna|Ben|Cleo|Dora|Eve)\b", text)


def test_words_of_a_learner_are_not_in_an_anonymous_report(tmp_path, one_runner):
    told = "I am Zed Zimmermann"
    kinds = {one.kind: one for lesson in catalogue.lessons() for one in catalogue.predictions(lesson.name)}
    assert set(kinds) >= {"number", "shape", "choice", "claims"}
    for kind, one in kinds.items():
        guesses = {"zed": told, "dict": {"A": told, told: "true"}, "list": [told], "right": one.answer}
        for name, guess in guesses.items():
            entries = {one.id: {"status": "guessed", "attempts": 1, "guess": guess, "met": [told]}}
            hand_in(tmp_path / "in" / f"{kind}-{name}", entries=entries)
    assert report.main([str(tmp_path / "in"), "--anonymous", "--output", str(tmp_path / "page.html")]) == 0
    page, table = ((tmp_path / f"page.{end}").read_text(encoding="utf-8") for end in ("html", "csv"))
    assert "Zed" not in page + table
    assert "another" in page and "another" in table
    for kind, one in kinds.items():
        if kind != "claims":
            assert f"{figures.told(one.answer)}" in table
    assert report.main([str(tmp_path / "in"), "--output", str(tmp_path / "page.html")]) == 0
    assert "Zed" in (tmp_path / "page.csv").read_text(encoding="utf-8")


def test_wrong_folder_is_said(tmp_path, capsys):
    assert report.main([str(tmp_path / "nowhere")]) == 1
    assert "There is no folder" in capsys.readouterr().err
    assert report.main([str(tmp_path)]) == 1
    assert "no file that somebody handed in" in capsys.readouterr().err


def test_what_the_course_takes_for_the_same_guess_is_one_bar():
    found = {one.id: one for lesson in catalogue.lessons() for one in catalogue.predictions(lesson.name)}
    words = figures.counted(found["relu_vs_gelu.predict_kink"], ["relu", "ReLU", " relu", "GELU", "gelu", "none"])
    assert words == [("relu", 3, True), ("gelu", 2, False), ("none", 1, False)]
    shapes = figures.counted(found["build_the_ffn.predict_weight"], [[12, 3], "12 x 3", [3, 12], "(3, 12)", "3"])
    assert shapes == [("(12, 3)", 2, True), ("(3, 12)", 2, False), ("(3)", 1, False)]
    numbers = figures.counted(found["parameter_share.predict_count"], [2.1, 2099712, 2, 10**400, float("nan")])
    assert [row for row in numbers if row[2]] == [("2.1", 1, True), ("2099712", 1, True)] and len(numbers) == 5


def test_lies_of_a_process_cannot_stop_the_report(tmp_path, monkeypatch, one_runner):
    line = {"id": "relu_vs_gelu.gelu_slope", "status": "not yet", "key": "seen:\ud800", "message": f"\udfff{SCRIPT}"}
    line["rule"] = "wrong"
    monkeypatch.setattr(runner.Runner, "run", lambda self, cells: runner.Findings([line]))
    hand_in(tmp_path / "in" / "liar", RELU, ["x = 1"])
    assert report.main([str(tmp_path / "in"), "--output", str(tmp_path / "page.html")]) == 0
    assert SCRIPT not in (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "seen:?" in (tmp_path / "page.csv").read_text(encoding="utf-8")


def test_network_is_denied_where_the_system_can():
    if sys.platform == "linux" and os.geteuid() == 0:
        assert limits.separated() == "network"

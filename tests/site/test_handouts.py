"""Which browser prints and takes pictures, what is said where it cannot, and what stands on which paper."""

import itertools
import os
import re
import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup

from courseware.environment import NOTEBOOKS
from lessons import catalogue, cells, plans
from lessons.cells import Role
from publish.site import browser, handouts, markdown, pages, paper, pictures
from publish.site import worksheet as sheets
from tests.browser.conftest import find_browser
from tests.conftest import ROOT
from tests.publish.giveaways import FORBIDDEN
from tests.site.conftest import SOME


@pytest.fixture
def not_a_chromium(tmp_path, monkeypatch):
    """Return a function that names a program of a few lines as the browser."""

    def named(*lines):
        program = tmp_path / "program"
        program.write_text("\n".join(["#!/bin/sh", *lines]) + "\n")
        program.chmod(0o755)
        monkeypatch.setenv("COURSE_BROWSER", str(program))
        return program

    return named


@pytest.mark.parametrize("named", ["/no/such/browser", "no-such-browser", "{here}", "{here}/text"])
@pytest.mark.parametrize("command", [handouts.main, pictures.main])
def test_a_wrong_name_is_said_in_a_sentence(command, named, tmp_path, monkeypatch, capsys):
    (tmp_path / "text").write_text("no program")
    named = named.format(here=tmp_path)
    monkeypatch.setenv("COURSE_BROWSER", named)
    assert command() == 1
    said = capsys.readouterr().err
    assert said.startswith(f"COURSE_BROWSER is {named!r}, and there is no such program.") and said.count("\n") == 1
    with pytest.raises(pytest.fail.Exception, match="COURSE_BROWSER is .* no such program"):
        find_browser()


def test_a_browser_that_holds_its_folder_a_moment_longer_has_printed(not_a_chromium, tmp_path, monkeypatch):
    """As on Windows, where a file that is in use cannot be deleted."""
    use = 'for one; do case "$one" in --user-data-dir=*) touch "${one#*=}/used";; esac; done'
    program, unlink = not_a_chromium(f"touch {tmp_path}/page.pdf", use), os.unlink
    (tmp_path / "page.html").touch()

    def refuse(path, **options):
        if os.fspath(path).endswith("used"):
            raise PermissionError(32, "The process cannot access the file")
        unlink(path, **options)

    monkeypatch.setattr(os, "unlink", refuse)
    handouts.print_page(str(program), tmp_path / "page.html", tmp_path / "page.pdf")


def test_a_name_counts_before_what_is_found(not_a_chromium, monkeypatch):
    monkeypatch.delenv("COURSE_BROWSER", raising=False)
    found = browser.find()
    program = not_a_chromium()
    assert browser.find() == str(program) != found
    monkeypatch.setenv("COURSE_BROWSER", "")
    assert browser.find() == found
    monkeypatch.setenv("PATH", str(program.parent))
    with pytest.raises(browser.NoBrowser, match="No Chromium was found. Install one"):
        browser.find()


@pytest.mark.parametrize(
    ("lines", "said"),
    [(["exit 0"], "exit code 0, and no message"), (["echo first >&2", "echo last words >&2", "exit 3"], "last words")],
)
def test_another_program_prints_nothing_and_that_is_said(
    not_a_chromium, site, tmp_path, monkeypatch, capsys, lines, said
):
    program = not_a_chromium(*lines)
    monkeypatch.setattr(handouts, "TO", site)
    monkeypatch.setattr(handouts, "HANDOUTS", tmp_path / "printed")
    (tmp_path / "printed").mkdir()
    (tmp_path / "printed" / "00_start_here.pdf").write_bytes(b"of another day")
    assert handouts.main() == 1
    assert (
        capsys.readouterr().err == f"{program} did not print start-here_sheet.html. Is it a Chromium? It says: {said}\n"
    )
    assert list((tmp_path / "printed").iterdir()) == []
    assert handouts.main(["05"]) == 1
    assert "did not print position-independence_sheet.html" in capsys.readouterr().err


def test_another_program_takes_no_picture_and_that_is_said(not_a_chromium):
    program = not_a_chromium("exit 0")
    command = [sys.executable, "-m", "publish.site.pictures"]  # by itself: only one Playwright runs in a process
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and "Traceback" not in done.stderr
    assert done.stderr.startswith(f"{program} does not start. Is it a Chromium? ")


def test_a_page_is_printed_and_a_missing_one_is_named(site, tmp_path):
    to = tmp_path / "00.pdf"
    handouts.print_page(find_browser(), site / "404.html", to)
    assert to.read_bytes().startswith(b"%PDF")
    with pytest.raises(handouts.NotPrinted, match="no page .*make site"):
        handouts.print_page(find_browser(), site / "nothing.html", to)


@pytest.fixture(scope="module", params=SOME)
def printed(request, site):
    """Return a lesson, and its sheet and its results as they are printed."""
    text = (site / pages.address(request.param)).read_text("utf-8")
    return request.param, *(BeautifulSoup(one, "html.parser") for one in paper.papers(text).values())


def test_a_sheet_asks_and_tells_the_results_behind(printed):
    lesson, sheet, results = printed
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    core = [cell for cell in notebook.cells if cells.role(cell) == Role.REPLY and not cells.optional(cell)]
    asked = [box["data-prediction"] for box in sheet.select(".on-paper")]
    assert asked == [cells.checked(cell) for cell in core] != []
    assert all(box.select(".line") or "☐" in box.get_text() for box in sheet.select(".on-paper"))
    turns = sheet.select("p.turn")
    assert len(turns) == len(results.select(".result")) == len(results.select("h3:not([id])"))
    assert not sheet.select(".experiment")
    assert not sheet.select("form, script, .answers, .help, details.experiment, .reply:not(:empty)")
    told = sheet.main.get_text(" ")  # nothing on it answers a guess
    guessed = {form["data-prediction"] for form in sheet.select(".on-paper")}
    for id, pattern, _ in FORBIDDEN:
        assert id not in guessed or not re.search(pattern, told, re.IGNORECASE), id
    for turn in turns:  # and what an experiment shows, or what is said of it, follows none of them
        behind = list(itertools.takewhile(lambda one: one.name != "h2", turn.find_next_siblings()))
        assert not behind or any(one.get("class") == ["on-paper"] or one.select(".on-paper") for one in behind)
    assert not sheet.find_all("h2", string=re.compile("^(Optional|Recap)"))
    assert not results.find_all("h2", string=re.compile("^Optional")) and (
        results.find("h2", id="recap") or not lesson.number
    )


def test_paper_tells_nobody_to_click_and_holds_no_reply(printed):
    lesson, *papers = printed
    for one in papers:
        assert all(fold.summary for fold in one.main.select("details"))  # a browser would call it "Details"
        told = one.main.get_text(" ")
        assert not re.search(r"\b([Cc]lick|[Dd]rag|[Pp]ress|[Ss]croll|[Tt]ap|[Ss]liders?|[Bb]uttons?|Type)\b", told)
        for heading in one.main.select("h2, h3"):  # an empty line after it would let it end a page
            follows = heading.find_next_sibling()
            assert follows.get_text(strip=True) or follows.select("svg, img"), heading
        reasons = [option.reason for asked in catalogue.questions(lesson.name) for option in asked.options]
        assert not [reason for reason in reasons if letters(markdown.inline(reason)) in letters(told, html=False)]
        assert "Solution" not in told and "Hint 1" not in told


@pytest.fixture
def count_pages(site, tmp_path):
    """Return a function: HTML, kind of paper -> how many pages it prints on, of that size."""

    def count(text, size):
        page, to = site / f"printed-{tmp_path.name}.html", tmp_path / "one.pdf"
        page.write_text(handouts.sized(text, size), encoding="utf-8")
        try:
            handouts.print_page(find_browser(), page, to)
        finally:
            page.unlink()
        pdf = to.read_bytes()
        width = float(re.search(rb"/MediaBox\s*\[\s*0 0 ([\d.]+)", pdf)[1])
        assert round(width) in ({"A4": (595, 596), "letter": (612,)}[size])
        return len(re.findall(rb"/Type\s*/Page\b", pdf))

    return count


@pytest.mark.parametrize("size", handouts.PAPERS)
def test_a_sheet_has_ten_pages_at_most(printed, site, count_pages, size):
    assert count_pages(paper.papers((site / pages.address(printed[0])).read_text("utf-8"))[paper.SHEET], size) <= 10


@pytest.fixture(scope="module", params=SOME)
def worksheet(request, site):
    """Return a lesson, and its worksheet as HTML."""
    lesson = request.param
    return lesson, sheets.page((site / pages.address(lesson)).read_text("utf-8"), lesson)


@pytest.mark.parametrize("size", handouts.PAPERS)
def test_a_worksheet_is_a_page_and_its_back(worksheet, count_pages, size):
    assert count_pages(worksheet[1], size) == 2


def test_a_worksheet_asks_what_the_plan_asks_and_tells_no_answer(worksheet):
    lesson, text = worksheet
    asked, told = plans.paper(lesson.name), letters(text)
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    guesses = {cells.guess_of(one.id): cells.checked(one) for one in notebook.cells if cells.role(one) == Role.REPLY}
    steps = plans.of_votes(lesson.name)
    voted = [guesses[id].partition(".")[2] for step in steps for id in step.cells if id in guesses]
    assert [name for name in asked["votes"] if name.isidentifier()] == voted
    items = {name: catalogue.item(f"{lesson.name}.{name}") for name in voted}
    for item in items.values():
        rows = [markdown.inline(claim.text) for claim in item.claims.values()] or [markdown.inline(item.title)]
        assert all(letters(row) in told for row in rows), item.id
    soup = BeautifulSoup(text, "html.parser")
    front, back = soup.select(".worksheet")
    for name, options in asked["votes"].items():  # each is what the plan's words say
        assert letters(name, html=False) in told or name in items
        assert all(any(one in step.how for step in steps) for one in options) or name not in items, name
    for item in map(catalogue.item, guesses.values()):
        replies = [item.right, *(reply.says for reply in item.replies)]
        assert not [says for says in replies if says and letters(markdown.inline(says)) in told]
    for one in front.select(".vote"):  # all answers to vote for stand side by side, and tell nothing
        one.extract()
    for id, pattern, _ in FORBIDDEN:
        assert id.split(".")[0] != lesson.name or not re.search(pattern, front.get_text(" "))
    questions = catalogue.questions(lesson.name)
    exits = {f"{lesson.name}.{one}" for one in asked.get("exit", ())}
    due = [said for one in questions if one.id in exits for said in _of(one)] or [asked["ask"]]
    assert all(letters(markdown.inline(said)) in letters(str(back)) for said in due)
    assert not [one for asked in questions for one in asked.options if letters(markdown.inline(one.reason)) in told]
    assert bool(front.select(".squares")) == ("draw" in asked)


def _of(question):
    return [question.prompt, *(option.text for option in question.options)]


def letters(text, html=True):
    """Return the letters of a text, or of what a browser shows of HTML, without spaces."""
    return re.sub(r"\s", "", BeautifulSoup(text, "html.parser").get_text() if html else text)

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
    assert len(turns) == len(results.select(".result")) == len(results.select("h3")) and not sheet.select(".experiment")
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
    for paper in papers:
        told = paper.main.get_text(" ")
        assert not re.search(r"\b([Cc]lick|[Dd]rag|[Pp]ress|[Ss]croll|[Tt]ap|[Ss]liders?|[Bb]uttons?|Type)\b", told)
        for heading in paper.main.select("h2, h3"):  # an empty line after it would let it end a page
            follows = heading.find_next_sibling()
            assert follows.get_text(strip=True) or follows.select("svg, img"), heading
        reasons = [option.reason for one in catalogue.questions(lesson.name) for option in one.options]
        assert not [one for one in reasons if letters(markdown.inline(one)) in letters(told, html=False)]
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
    """Return a lesson, its notebook, and its worksheet as HTML."""
    lesson = request.param
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    return lesson, notebook, sheets.page((site / pages.address(lesson)).read_text("utf-8"), lesson, notebook)


@pytest.mark.parametrize("size", handouts.PAPERS)
def test_a_worksheet_is_one_page(worksheet, count_pages, size):
    assert count_pages(worksheet[2], size) == 1


def test_a_worksheet_asks_what_the_plan_asks_and_tells_no_answer(worksheet):
    lesson, notebook, text = worksheet
    told = letters(text)
    asked = {cells.checked(cell) for cell in notebook.cells if cells.role(cell) == Role.REPLY}
    voted = {id for step in plans.of_votes(lesson.name) for id in step.cells}
    for cell in notebook.cells:
        item = catalogue.item(cells.checked(cell)) if cells.role(cell) == Role.REPLY else None
        if item is not None and cell.id in voted:
            rows = [markdown.inline(claim.text) for claim in item.claims.values()] or [markdown.inline(item.title)]
            assert all(letters(row) in told for row in rows), item.id
    for item in map(catalogue.item, asked):
        assert not item.right or letters(markdown.inline(item.right)) not in told
        replies = [reply.says for reply in item.replies]
        assert not [says for says in replies if letters(markdown.inline(says)) in told]
    soup = BeautifulSoup(text, "html.parser")
    votes = [re.sub(r"^☐\s*", "", one.extract().get_text()) for one in soup.select(".vote")]
    named = [vote for step in plans.of_votes(lesson.name) for vote in plans.votes(step.how)]
    chosen = [str(choice) for item in catalogue.predictions(lesson.name) for choice in item.choices]
    assert votes and set(votes) <= {*named, *chosen} and set(named) <= {*votes, *chosen, "a tenth"}
    for id, pattern, _ in FORBIDDEN:  # all answers to vote for stand side by side, and tell nothing
        assert id.split(".")[0] != lesson.name or not re.search(pattern, soup.main.get_text(" "))
    for question in catalogue.questions(lesson.name):
        assert not [one for one in question.options if letters(markdown.inline(one.reason)) in told]
        assert letters(markdown.inline(question.prompt)) not in told
    assert "Because" in text and "squares" in text


def test_the_exit_question_of_a_lab_hour_goes_without_its_answer():
    for lesson in catalogue.lessons():
        whole = plans._data(lesson.name)["lab"]["exit"]
        question = plans.exit_question(lesson.name)
        assert whole.startswith(question) and question.endswith(("?", ".")) and len(question) < len(whole) - 3, (
            lesson.name
        )


def test_votes_are_read_from_what_a_plan_says():
    read = {
        "Vote 40, 8, 5 or 1 for the FFN. Then more": ["40", "8", "5", "1"],
        "Vote on (2, 10, 512) or (20, 2048)": ["(2, 10, 512)", "(20, 2048)"],
        "In the head. Vote on 0.3, 3, 30, 300. Then ask": ["0.3", "3", "30", "300"],
        "Vote on 100, 75, 25 % or less. This": ["100", "75", "25 % or less"],
        "Vote 1 to 4. Then": ["1", "2", "3", "4"],
        "Vote on the damage; then read the table": [],
        "Then vote on the count: few work at one character, but how many anywhere?": [],
        "Two votes, before 2 and before 4": [],
    }
    assert {how: plans.votes(how) for how in read} == read


def test_a_table_that_the_class_fills_keeps_its_first_column():
    head = "| which | passes |\n| --- | --- |\n"
    assert sheets._emptied(f"{head}| the FFN | yes |") == f"{head}| the FFN | |"


def letters(text, html=True):
    """Return the letters of a text, or of what a browser shows of HTML, without spaces."""
    return re.sub(r"\s", "", BeautifulSoup(text, "html.parser").get_text() if html else text)

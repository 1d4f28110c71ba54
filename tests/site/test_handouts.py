"""Which browser prints and takes pictures, what is said where it cannot, and what stands on which paper."""

import re
import subprocess
import sys

import pytest
from bs4 import BeautifulSoup

from lessons import catalogue
from publish.site import browser, handouts, pages, paper, pictures, words
from tests.browser.conftest import find_browser
from tests.conftest import ROOT
from tests.publish.giveaways import FORBIDDEN


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
    [(["exit 0"], "exit code 0, and no word"), (["echo first >&2", "echo last words >&2", "exit 3"], "last words")],
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


@pytest.fixture(scope="module", params=catalogue.lessons(), ids=lambda lesson: lesson.name)
def printed(request, site):
    """Return a lesson, and its sheet and its answers as they are printed."""
    text = (site / pages.address(request.param)).read_text("utf-8")
    sheet, answers = (BeautifulSoup(one, "html.parser") for one in paper.papers(text).values())
    return request.param, sheet, answers


def test_a_sheet_asks_and_tells_the_results_behind(printed):
    lesson, sheet, _ = printed
    asked = catalogue.predictions(lesson.name)
    assert len(sheet.select(".on-paper")) == len(asked) > 0
    assert all(box.select(".line") or "☐" in box.get_text() for box in sheet.select(".on-paper"))
    results = sheet.select_one("main > .results:last-child").extract()
    turns = sheet.select("p.turn")
    assert len(turns) == len(results.select(".result")) == len(results.select("h3")) and not sheet.select(".experiment")
    assert not sheet.select("form, script, .answers, .help, details.experiment, .reply:not(:empty)")
    for section in re.split("(?=<h2)", str(sheet.main)):
        told = BeautifulSoup(section, "html.parser").get_text(" ")
        for id, pattern, _ in FORBIDDEN:
            if f'data-prediction="{id}"' in section:
                assert not re.search(pattern, told, re.IGNORECASE), id


def test_the_answers_hold_every_reply_and_every_solution(printed):
    lesson, sheet, answers = printed
    told, asked = letters(str(answers.main)), letters(str(sheet.main))
    for item in catalogue.predictions(lesson.name):
        replies = [reply.says for reply in item.replies]
        replies += [says for claim in item.claims.values() for says in claim.replies.values()]
        assert all(letters(words.inline(says)) in told for says in [item.right, *replies] if says), item.id
    for question in catalogue.questions(lesson.name):
        for option in question.options:
            assert letters(words.inline(option.reason)) in told and letters(words.inline(option.reason)) not in asked
    assert len(lesson.exercises) > 0
    for name in lesson.exercises:
        lines = catalogue.solution(f"{lesson.name}.{name}").splitlines()
        last = [line for line in lines if not line.strip().startswith("#")][-1]
        assert letters(last, html=False) in told, name


def letters(text, html=True):
    """Return the letters of a text, or of what a browser shows of HTML, without spaces."""
    return re.sub(r"\s", "", BeautifulSoup(text, "html.parser").get_text() if html else text)

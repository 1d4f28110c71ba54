"""Every command that README, the pages beside it and the handbook tell is typed by a walk or listed with the reason."""

import re

import pytest

from classroom import edition
from tests.conftest import ROOT
from tests.walks import claims
from tests.walks.claims import LISTED, NOT_COMMANDS
from tests.walks.pages import HANDBOOK, PAGES, PLACEHOLDERS, README, STUDENTS, Page

CLAIMS = claims.claims()
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
CI = "\n".join((ROOT / name).read_text(encoding="utf-8") for name in (".ci/run", ".ci/long"))
MARKS = {"listed": {(one.page, one.piece) for one in LISTED}}


def left_out(page: Page) -> list[str]:
    """Return what stands on a page and is neither typed nor listed."""
    told = set(CLAIMS) | MARKS["listed"]
    return [
        f"{page.name}:{one.line} ({one.heading}): {one.text}"
        for one in page.commands
        if (page, page.piece(one)) not in told and one.text not in NOT_COMMANDS
    ]


@pytest.mark.parametrize("where", PAGES, ids=str)
def test_every_command_is_walked_or_listed(where):
    assert len(where.commands) > 5
    assert not left_out(where), "neither walked nor listed:\n" + "\n".join(left_out(where))


@pytest.mark.parametrize("text", ["Type `make nothing`.", "`frobnicate --all`", "| a | `X=1` |\n", "```\nrm -r x\n```"])
def test_a_new_command_is_noticed(text):
    assert len(left_out(Page("page", text if "|" not in text else f"| a | b |\n| - | - |\n{text}"))) == 1


@pytest.mark.parametrize("text", ["`progress()`", "`desk.py`", '`solution("a b")`', "make sure of it"])
def test_what_is_no_command_is_passed_over(text):
    assert Page("page", text).commands == []


def test_what_is_claimed_and_listed_stands_on_its_page():
    for page, piece in [*CLAIMS, *MARKS["listed"]]:
        assert page.find(piece)


def test_nothing_is_both_walked_and_listed():
    assert set(CLAIMS) & MARKS["listed"] == set() and len(LISTED) == len(MARKS["listed"])


def test_what_is_listed_has_a_reason_that_holds():
    for one in LISTED:
        assert len(one.why) > 10
        assert not one.ci or re.search(rf"^(?!\s*#).*{re.escape(one.ci)}", CI, re.MULTILINE), f"CI does not: {one}"
        assert " ".join(one.not_tried.split()) in " ".join(one.page.text.split()), f"the page does not say it: {one}"
        assert not one.by_hand or re.search(r"\b20\d\d-\d\d-\d\d\b", one.by_hand), f"when? {one}"


def test_exceptions_and_placeholders_are_still_there():
    codes = {one.text for page in PAGES for one in page.commands}
    assert set(NOT_COMMANDS) <= codes
    text = "\n".join(codes)
    assert [one for one in PLACEHOLDERS if one not in text] == []


@pytest.mark.parametrize("where", PAGES, ids=str)
def test_every_target_is_in_the_makefile(where):
    makefile = edition.makefile(MAKEFILE) if where is STUDENTS else MAKEFILE
    targets = set(re.findall(r"(?m)^([a-z-]+):", makefile))
    named = {target for one in where.commands for target in re.findall(r"(?m)(?:^|\s)make ([a-z-]+)", one.text)}
    assert named <= targets, f"no targets: {named - targets}"
    phony = " ".join(re.findall(r"(?m)^\.PHONY: (.*)", makefile)).split()
    assert targets == set(phony)


def test_both_pages_of_the_repository_are_read():
    assert README in PAGES and HANDBOOK in PAGES

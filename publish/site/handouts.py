"""Print each lesson of the built site to PDFs, sheet, results and worksheet: python -m publish.site.handouts

The paper is A4, or Letter with --paper letter. What fits on one sheet of either fits on one sheet of the other.
A Chromium does the printing: the one that COURSE_BROWSER names, or one found on the machine.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from courseware.content import Lesson
from courseware.environment import ROOT
from lessons import catalogue
from publish.site import browser, paper, worksheet
from publish.site.build import TO
from publish.site.pages import address

HANDOUTS = ROOT / "build" / "handouts"
WORKSHEET = "worksheet"
ENDS = {paper.SHEET: "", paper.RESULTS: "_results", WORKSHEET: "_worksheet"}  # of the names of files


PAPERS = ("A4", "letter")


class NotPrinted(Exception):
    """Say in a sentence which page was not printed, and by which program."""


def sized(page: str, size: str) -> str:
    """Return a page as HTML that prints on one of PAPERS."""
    return page.replace("</head>", f"<style>@page {{ size: {size}; margin: 12mm; }}</style></head>", 1)


def print_page(program: str, page: Path, to: Path) -> None:
    """Print one page.

    Raises:
        NotPrinted: there is no such page, or the browser could not.
    """
    if not page.is_file():
        raise NotPrinted(f"There is no page {page}: build the pages first, with make site.")
    to.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # on Windows, a moment longer in use
        command = [program, *browser.flags(profile), "--no-pdf-header-footer", f"--print-to-pdf={to}", page.as_uri()]
        try:
            done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", timeout=120)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise NotPrinted(f"{program} did not print {page.name}: {error}. Is it a Chromium?") from None
    if done.returncode or not to.is_file():
        said = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}, and no message"])[-1]
        raise NotPrinted(f"{program} did not print {page.name}. Is it a Chromium? It says: {said}")


def print_lesson(lesson: Lesson, site: Path, folder: Path, size: str, kinds=tuple(ENDS)) -> Iterator[Path]:
    """Print the papers of a lesson from a built site into a folder; yield each file.

    Raises:
        browser.NoBrowser: there is none. NotPrinted: it has printed nothing, or the site lacks the page.
    """
    program, page, name = browser.find(), site / address(lesson), lesson.notebook.removesuffix(".ipynb")
    if not page.is_file():
        raise NotPrinted(f"There is no page {page}: build the pages first, with make site.")
    folder.mkdir(parents=True, exist_ok=True)
    text = page.read_text(encoding="utf-8")
    papers = paper.papers(text) | {WORKSHEET: worksheet.page(text, lesson)}
    for kind in kinds:
        printed = page.with_name(f"{page.stem}_{kind}.html")  # beside the page, whose letters and pictures it uses
        to = folder / f"{name}{ENDS[kind]}.pdf"
        try:
            printed.write_text(sized(papers[kind], size), encoding="utf-8")
            print_page(program, printed, to)
        finally:
            printed.unlink()
        yield to


def main(arguments=()) -> int:
    """Print every lesson, or those whose numbers are given; return 0, or 1 when there is no browser or no site."""
    parser = argparse.ArgumentParser(description="Print every lesson to PDFs.")
    parser.add_argument("--paper", choices=PAPERS, default=PAPERS[0])
    numbers = {f"{lesson.number:02}": lesson for lesson in catalogue.lessons()}
    parser.add_argument("lessons", nargs="*", metavar="LESSON", help="such as 05; by default all")
    given = parser.parse_args(arguments)
    if unknown := set(given.lessons) - set(numbers):
        parser.error(f"there is no lesson {', '.join(sorted(unknown))}")
    try:
        for lesson in map(numbers.get, given.lessons or numbers):
            for to in print_lesson(lesson, TO, HANDOUTS, given.paper):
                print(f"{to}: {to.stat().st_size / 1000:.0f} KB")
    except (browser.NoBrowser, NotPrinted) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""The teachers' part of the site: the handbook, and for each lesson its page with votes, replies and the folded key."""

import re

import nbformat

from courseware.content import Lesson
from courseware.environment import ROOT
from lessons import catalogue
from publish.author.derived import span
from publish.site import markdown, pages

CLASSROOM = ROOT / "classroom"
PLANS = ROOT / "build" / "plans"  # where classroom.plans writes them
HANDBOOK = "teach.html"
_LAB = '<h2 id="lab-hour"'  # where the part ends that is printed on one page
_CELLS = '<h2 id="which-cell-is-which"'  # and where the next sheet ends
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def address(lesson: Lesson) -> str:
    """Return the address of a lesson's page for teachers."""
    return f"teach-{pages.address(lesson)}"


def plan(lesson: Lesson) -> tuple[str, str]:
    """Return (what the lesson's teacher page asks, its text as HTML)."""
    text = (PLANS / f"{lesson.name}.md").read_text(encoding="utf-8")
    asked = re.search(r"^\*\*Question of the day:\*\* (.+)$", text, re.MULTILINE)[1]
    title, _, rest = text.partition("\n\n")
    back = f"[All lessons]({HANDBOOK}#plans) · each cell's name is a link to its place in the lesson"
    rest = re.sub(r"^\| (\d+)–(\d+) \|", "| \\1\u2060–\u2060\\2 |", rest, flags=re.MULTILINE)  # minutes on one line
    page = _to_cells(markdown.blocks(_relinked(f"{title}\n\n{back}\n\n{rest}"), {"main"}), lesson)
    held, lab, rest = page.partition(_LAB)
    keyboard, names, replies = rest.partition(_CELLS)
    sheets = "\n".join(f'<div class="plan">\n{one}</div>' for one in (held, lab + keyboard))
    return asked, f"{sheets}\n{names}{replies}"  # what a teacher holds in the hand, each on one page


def _to_cells(page, lesson):
    """Turn the names of cells into links to their places on the page of the lesson."""
    notebook = nbformat.read(CLASSROOM.parent / "notebooks" / lesson.notebook, as_version=4)
    cells = {cell.id for cell in notebook.cells}

    def linked(match):
        here = f"{pages.address(lesson)}#{pages.mark(match[1])}"
        return f'<a href="{here}">{match[0]}</a>' if match[1] in cells else match[0]

    return re.sub(r"<code>([a-z][a-z0-9-]*)</code>", linked, page)


def handbook() -> str:
    """Return the handbook as HTML, with the pages of the lessons first."""
    text = (CLASSROOM / "README.md").read_text(encoding="utf-8")
    rows = [
        f"| [{lesson.heading}]({address(lesson)}) | {plan(lesson)[0]} | {span(lesson.minutes)} |"
        for lesson in catalogue.lessons()
    ]
    table = [
        "## A page for each lesson",
        "",
        "| lesson | question of the day | minutes for one learner |",
        "| --- | --- | --- |",
    ]
    first, _, rest = text.partition("\n## ")
    body = markdown.blocks(_relinked("\n".join([first, *table, *rows, "", f"## {rest}"])), {"main"})
    return body.replace('id="a-page-for-each-lesson"', 'id="plans"', 1)


def _relinked(text):
    """Turn links to files into links to pages; where there is no page, their words stay."""
    own = {address(lesson) for lesson in catalogue.lessons()} | {HANDBOOK}

    def relinked(match):
        shown, target = match.groups()
        target = pages.relinked(target)
        there = target.partition("#")[0] in own or target.startswith(("http://", "https://")) or target in _lessons()
        return f"[{shown}]({target})" if there else shown

    return _LINK.sub(relinked, text)


def _lessons():
    return {pages.address(lesson) for lesson in catalogue.lessons()}

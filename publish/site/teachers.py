"""The teachers' part of the site: the handbook, and for each lesson its page with votes, replies and the folded key."""

import re

from courseware.content import Lesson
from courseware.environment import ROOT
from lessons import catalogue
from publish.author.derived import span
from publish.site import markdown, pages

CLASSROOM = ROOT / "classroom"
PLANS = ROOT / "build" / "plans"  # where classroom.plans writes them
HANDBOOK = "teach.html"
_LAB = '<h2 id="lab-hour"'  # where the part ends that is printed on one page
_PRINTED = '<h2 id="what-the-cells-print"'  # and where the next sheet ends
_LINK = re.compile(r"\[([^\]]*)\]\(([^)\s]+)\)")


def address(lesson: Lesson) -> str:
    """Return the address of a lesson's page for teachers."""
    return f"teach-{pages.address(lesson)}"


def plan(lesson: Lesson) -> tuple[str, str]:
    """Return (what the lesson's teacher page asks, its text as HTML)."""
    text = (PLANS / f"{lesson.name}.md").read_text(encoding="utf-8")
    question = re.search(r"^\*\*Question of the day:\*\* (.+)$", text, re.MULTILINE)[1]
    title, _, rest = text.partition("\n\n")
    back = f"[All lessons]({HANDBOOK}#plans) · each place is a link into the lesson"
    rest = re.sub(r"^\| (\d+)–(\d+) \|", "| \\1\u2060–\u2060\\2 |", rest, flags=re.MULTILINE)  # minutes on one line
    page = markdown.blocks(_relinked(f"{title}\n\n{back}\n\n{rest}"), {"main"})
    held, lab, rest = page.partition(_LAB)
    keyboard, names, replies = rest.partition(_PRINTED)
    sheets = "\n".join(f'<div class="plan">\n{one}</div>' for one in (held, lab + keyboard))
    return question, f"{sheets}\n{names}{replies}"  # what a teacher holds in the hand, each on one page


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
    own = {HANDBOOK} | {of(lesson) for lesson in catalogue.lessons() for of in (address, pages.address)}

    def relinked(match):
        shown, target = match.groups()
        target = pages.relinked(target)
        there = target.partition("#")[0] in own or target.startswith(("http://", "https://"))
        return f"[{shown}]({target})" if there else shown

    return _LINK.sub(relinked, text)

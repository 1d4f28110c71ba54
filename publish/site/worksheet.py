"""A sheet of paper for each learner of a class: guesses before the runs, tables, squares to draw in, the exit ticket.

The lesson's plan says what is on it. No answer stands on it, and what is asked at the end stands on its back.
"""

import html

from bs4 import BeautifulSoup

from courseware.content import Lesson
from courseware.page.quiz import LETTERS
from lessons import catalogue, plans
from publish.site import markdown

LINE = '<span class="line"></span>'
BOX = "☐"
HEADS = ("", "my guess", "after talking", "what the run showed, and why")


def page(site_page: str, lesson: Lesson) -> str:
    """Return the worksheet of a lesson as HTML.

    Args:
        site_page: the lesson's page on the web, whose letters and addresses it uses.
    """
    soup = BeautifulSoup(site_page, "html.parser")
    for script in soup.select("script"):
        script.decompose()
    paper = plans.paper(lesson.name)
    rows = [row for name, options in paper["votes"].items() for row in _guesses(lesson, name, options)]
    parts = [
        f'<h1>{html.escape(lesson.heading)}</h1><p class="who">Name {LINE} Date {LINE}</p>',
        f"<p><strong>{html.escape(lesson.question)}</strong></p><h2>Before each run: what do you guess?</h2>",
        f'<table class="votes">{_row("th", HEADS)}{"".join(_row("td", row) for row in rows)}</table>',
    ]
    if "table" in paper:
        parts.append(f"<h2>For all to fill in</h2>{markdown.blocks(paper['table'])}")
    if "draw" in paper:
        parts.append(f'<h2>{markdown.inline(paper["draw"])}</h2><div class="squares"></div>')
    by_id = {one.id: one for one in catalogue.questions(lesson.name)}
    questions = [by_id[f"{lesson.name}.{name}"] for name in paper.get("exit", ())]
    ticket = "".join(map(_question, questions)) or f"<p>{markdown.inline(paper['ask'])}</p>{f'<p>{LINE}</p>' * 3}"
    soup.main.clear()
    front, back = f'<div class="worksheet">{"".join(parts)}</div>', f"<h2>Before you leave</h2>{ticket}"
    soup.main.append(BeautifulSoup(f'{front}<div class="worksheet">{back}</div>', "html.parser"))
    return str(soup)


def _guesses(lesson, name, options):
    """Return a row for what is guessed, with a box for each answer to choose from, or a row for each claim."""
    if not name.isidentifier():
        return [[markdown.inline(name), _boxes(options), "", ""]]
    item = catalogue.item(f"{lesson.name}.{name}")
    if item.kind == "claims":
        told = ((letter, markdown.inline(claim.text)) for letter, claim in item.claims.items())
        return [[f"{letter}. {text}", _boxes(["true", "false"]), "", ""] for letter, text in told]
    return [[markdown.inline(item.title), _boxes(options or map(str, item.choices)), "", ""]]


def _boxes(options):
    return " ".join(f'<span class="nowrap vote">{BOX}&nbsp;{markdown.inline(one)}</span>' for one in options)


def _question(question):
    lettered = zip(LETTERS, question.options, strict=False)
    options = (f"<li>{BOX} <b>{letter}</b> {markdown.inline(one.text)}</li>" for letter, one in lettered)
    return f"<p><strong>{markdown.inline(question.prompt)}</strong></p><ul>{''.join(options)}</ul><p>Because {LINE}</p>"


def _row(kind, texts):
    return f"<tr>{''.join(f'<{kind}>{text}</{kind}>' for text in texts)}</tr>"

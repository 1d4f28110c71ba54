"""A page on paper for each learner of a class: guesses before the runs, tables, squares to draw in, the exit ticket.

It follows the teacher's plan for 45 minutes, and no answer stands on it.
"""

import html
import re

from bs4 import BeautifulSoup

from courseware.content import Lesson
from courseware.page.quiz import LETTERS
from lessons import catalogue, cells, plans
from lessons.cells import Role
from publish.site import markdown, pages

LINE = '<span class="line"></span>'
BOX = "☐"
FILLED = re.compile(r"\bfills?\b")  # by the class: the table is empty on paper
NUMBERED = re.compile(r"\b[Qq]uestions? (\d(?:(?:, | and )\d)*)")  # of the quiz, where a plan chooses


def page(site_page: str, lesson: Lesson, notebook) -> str:
    """Return the worksheet of a lesson as HTML.

    Args:
        site_page: the lesson's page on the web, whose letters and addresses it uses.
        notebook: its stored notebook.
    """
    soup = BeautifulSoup(site_page, "html.parser")
    for script in soup.select("script"):
        script.decompose()
    by_id = {cell.id: cell for cell in notebook.cells}
    replies = [cell for cell in notebook.cells if cells.role(cell) == Role.REPLY]
    items = {cells.guess_of(cell.id): catalogue.item(cells.checked(cell)) for cell in replies}
    votes = {
        id: plans.options(step, id, items) for step in plans.of_votes(lesson.name) for id in step.cells if id in items
    }
    guesses, tables, ticket = [], [], []
    for step in plans.of_votes(lesson.name):
        for cell in (by_id[id] for id in step.cells):
            role = cells.role(cell)
            if role == Role.REPLY:
                guesses += _guesses(catalogue.item(cells.checked(cell)), votes.get(cells.guess_of(cell.id), []))
            elif role == Role.QUIZ:
                ticket = _questions(lesson, step)
            elif FILLED.search(step.how):
                tables += _tables(cell)
    parts = [
        f'<h1>{html.escape(lesson.heading)}</h1><p class="who">Name {LINE} Date {LINE}</p>',
        f"<p><strong>{html.escape(lesson.question)}</strong></p>",
        "<h2>Before each run: what do you guess?</h2>"
        + _grid(["", "my guess", "what the run showed, and why"], guesses),
        *tables,
        '<h2>For the drawing</h2><div class="squares"></div>',
        "<h2>Before you leave</h2>" + "".join(ticket or [_question(markdown.inline(plans.exit_question(lesson.name)))]),
    ]
    soup.main.clear()
    soup.main.append(BeautifulSoup(f'<div class="worksheet">{"".join(parts)}</div>', "html.parser"))
    return str(soup)


def _guesses(item, votes):
    """Return a row for a guess, with a box for each answer that the class votes on, or a row for each claim."""
    if item.kind == "claims":
        return [
            [f"{letter}. {markdown.inline(claim.text)}", f"{BOX} true {BOX} false", ""]
            for letter, claim in item.claims.items()
        ]
    choices = " ".join(f'<span class="nowrap vote">{BOX}&nbsp;{markdown.inline(one)}</span>' for one in votes)
    return [[markdown.inline(item.title), choices, ""]]


def _tables(cell):
    """Return the tables of a cell, or of what it shows, with the first column alone."""
    shown = [pages.source(cell)] if cell.cell_type == "markdown" else []
    shown += [output.get("data", {}).get("text/markdown", "") for output in cell.get("outputs", [])]
    return [
        markdown.blocks(pages.relinked(_emptied(found[0])))
        for text in shown
        for found in re.finditer(r"(?m)^\|.*(?:\n\|.*)+", text)
    ]


def _emptied(table):
    """Return a Markdown table whose rows keep only their first column."""
    head, line, rows = re.split(r"(?m)^(\|[ |:-]*---[ |:-]*\|)$", table, maxsplit=1)
    return head + line + re.sub(r"(?m)^(\|[^|\n]*\|)(.*)$", lambda row: row[1] + re.sub(r"[^|]+", " ", row[2]), rows)


def _questions(lesson, step):
    """Return boxes for the questions of the quiz that a step chooses by number.

    They stand on the board: beside the votes, "24 of 512 units are active" would answer one of them.
    """
    chosen, every = NUMBERED.search(step.how), catalogue.questions(lesson.name)
    found = []
    for number in re.findall(r"\d", chosen[1]) if chosen else ():
        letters = [letter for letter, _ in zip(LETTERS, every[int(number) - 1].options, strict=False)]
        found.append(_question(f"Question {number} of the quiz: {' '.join(f'{BOX} <b>{one}</b>' for one in letters)}"))
    return found


def _question(prompt):
    return f"<p>{prompt}</p><p>Because {LINE}</p>"


def _grid(heads, rows):
    lines = ["".join(f"<th>{head}</th>" for head in heads)]
    lines += ["".join(f"<td>{cell}</td>" for cell in row) for row in rows]
    return f"<table>{''.join(f'<tr>{line}</tr>' for line in lines)}</table>"

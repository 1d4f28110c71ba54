"""Write a lesson as slides for a projector, one self-contained page: python -m publish.site.slides 05

The slides follow the teacher's plan for 45 minutes: questions, what the runs show, figures, equations, the quiz; every
answer stands on a slide of its own, behind its question, and what to do and to say in the speaker's notes (key S). The
framework that turns them is reveal.js.
"""

import argparse
import html
import re
import sys
from dataclasses import replace
from pathlib import Path

import jinja2
import nbformat

from courseware.content import Lesson
from courseware.environment import NOTEBOOKS, ROOT
from courseware.guess import shown
from courseware.page import caption as captions
from courseware.page.quiz import LETTERS
from lessons import catalogue, cells, plans
from lessons.cells import Role
from publish.author import derived
from publish.site import cache, capture, fonts, markdown, pages, states
from publish.site.build import CACHE, HERE, SCRIPTS

TO = ROOT / "build" / "slides"
LINES, CHARACTERS = 11, 74  # that fit on a slide, of its text
PRINTED = (13, 76)  # lines and characters of what a run prints
SIDE = 0.7994  # of the width of painted code: a slide shows so much of it, cut between two characters
_APART = (Role.FRAME, Role.EXPLANATION, Role.TASK)  # no slide, unless it asks for a guess
FILLED = re.compile(r"\bfills?\b")  # by the class: the table is shown empty first
NUMBERED = re.compile(r"\b[Qq]uestions? (\d(?:(?:, | and )\d)*)")  # of the quiz, where a plan chooses
_LEAD = re.compile(r"(?:(?<=[.?!)] )|(?<=\n)|\A)([^.?!\n]+:)\s*\Z")  # the sentence that hands over to what follows
_CODE_ABOVE = re.compile(r"\bthe code above\b")
_BELOW = re.compile(r"\b(the \w+) below\b")
_ASKED = re.compile(r"\s*Type (?:a|one|the|your|an|how|it|`\")\b[^.]*\.", re.DOTALL)


def slides(lesson: Lesson, notebook, drawn: dict) -> tuple[list[str], dict]:
    """Return the slides of a lesson, each as HTML, and the recordings of its moving figures by name.

    Args:
        notebook: its stored notebook. drawn: cell id -> what the cell drew, from `capture.run`.
    """
    made = _Slides(lesson, notebook, drawn)
    return made.slides, made.recordings


class _Slides:
    def __init__(self, lesson, notebook, drawn):
        self.lesson, self.drawn, self.slides, self.recordings, self.title = lesson, drawn, [], {}, lesson.heading
        self.items, self.code = items(notebook), ""
        self._first()
        by_id = {cell.id: pair for cell, pair in zip(notebook.cells, _pairs(notebook.cells), strict=True)}
        begin = 0
        for step in plans.of_votes(lesson.name):
            self.step, self.told = step, [f"Minutes {begin} to {begin + step.minutes}: {step.what}.", step.how]
            for id in step.cells:
                self._cell(*by_id[id])
            begin += step.minutes

    def _add(self, *parts, kind="", title=None, told=()):
        """Add a slide. The first slide of a step gets the notes of the step, and this one gets `told`."""
        title = self.title if title is None else title
        head = f"<h2>{markdown.inline(title)}</h2>" if title else ""
        notes = "".join(f"<p>{markdown.inline(one)}</p>" for one in [*self.told, *told])
        aside = f'<aside class="notes">{notes}</aside>' if notes else ""
        self.slides.append(f'<section class="{kind}">{head}{"".join(parts)}{aside}</section>')
        self.told = []

    def _first(self):
        self.told = []
        kept = derived.span(self.lesson.minutes)
        self._add(
            f"<h1>{html.escape(self.lesson.heading)}</h1><p>{html.escape(self.lesson.question)}</p>"
            f'<p class="quiet">The feed-forward network, from the inside · {kept} minutes for one learner</p>',
            kind="first",
            title="",
        )

    def _cell(self, cell, after):
        role = cells.role(cell)
        if cell.cell_type == "markdown":
            if role not in _APART or (after is not None and cells.role(after) == Role.GUESS):
                self._text(cell, after)
            elif role == Role.EXPLANATION and after is not None and cells.role(after) == Role.CODE:
                self._asked(cell)
        elif role == Role.REPLY:
            self._answer(catalogue.item(cells.checked(cell)))
        elif role == Role.QUIZ:
            self._quiz(cell)
        elif role in (Role.CODE, Role.SLIDER):
            self.code = cell.source
            self._outputs(cell)

    def _text(self, cell, after):
        source = pages.source(cell)
        heading = re.match(r"##+ (.*)\n?", source)
        if heading:
            self.title, source = re.sub(r"^\d+\. ", "", heading[1]), source[heading.end() :]
        if cells.role(cell) == Role.EQUATION:
            source = "\n\n".join(re.findall(r"\$\$.*?\$\$", source, re.DOTALL))
        source, lead = _ASKED.sub("", source), None
        if after is not None and cells.role(after) == Role.CODE and not cells.hidden(after):
            lead = _LEAD.search(source)
        self._words(source[: lead.start()] if lead else source, self._votes(after))
        if lead:
            self._add(markdown.blocks(lead[1]), markdown.python(after.source), kind="text")

    def _votes(self, after):
        """Return the answers between which the class votes as HTML, or "" where the cell after takes no guess."""
        asked = after is not None and after.id in self.step.cells and after.id in self.items
        named = plans.options(self.step, after.id, self.items) if asked else []
        return f'<ul class="votes">{"".join(f"<li>{markdown.inline(one)}</li>" for one in named)}</ul>' if named else ""

    def _words(self, written, votes=""):
        """Add what stands in Markdown and the votes below it; a table that the class fills is empty first."""
        if _CODE_ABOVE.search(written):
            self._add(markdown.python(self.code), kind="text")
            written = _CODE_ABOVE.sub("the code on the previous slide", written)
        written = _BELOW.sub(r"\1 on the next slide", written)
        empty = [emptied(written)] if FILLED.search(self.step.how) and "| ---" in written else []
        for text in [*empty, written]:
            *parts, last = split(text, 2 if votes and text is written else 0) or [""]
            for part in parts:
                self._add(markdown.blocks(pages.relinked(part)), kind="text")
            if last or votes:
                self._add(markdown.blocks(pages.relinked(last)), votes if text is written else "", kind="text")

    def _asked(self, cell):
        """Show the question with which an explanation ends, before the run that answers it."""
        last = pages.source(cell).split("\n\n")[-1]
        if last.rstrip().endswith("?"):
            self._words(last)

    def _outputs(self, cell):
        for number, one in enumerate(self.drawn.get(cell.id, [])):
            self._figure(cell, one, number)
        for output in cell.outputs:
            data = output.get("data", {})
            printed = output.get("text", "" if "text/markdown" in data else data.get("text/plain", "")).rstrip()
            lines = printed.splitlines()
            if printed.startswith("trained: "):
                continue
            if lines and "image/png" not in data and len(lines) <= PRINTED[0] and max(map(len, lines)) <= PRINTED[1]:
                self._add(markdown.plain(printed), kind="text")
            if "| --- |" in data.get("text/markdown", ""):
                self._words(data["text/markdown"])

    def _figure(self, cell, one, number):
        id = f"{cell.id}-{number}" if number else cell.id
        one = replace(one, folded=None)  # a projector has room
        inside = one.drawing if isinstance(one, capture.Still) else one.start
        if fonts.CODE in inside:
            for side in ("left", "right"):
                told = f'<p class="side">The {side} part of each line</p>'
                self._add(
                    told, self._picture(f"{id}-{side}", of_side(one, side)), kind=f"pictured sided {side}", title=""
                )
        else:
            self._add(self._picture(id, one), kind="pictured", title="")

    def _picture(self, id, one):
        if isinstance(one, capture.Still):
            message, data = captions.parts(one.caption)
            picture = pages.drawing(id, one.drawing, one, f"{message} {data}".strip())
            return f"<figure>{picture}<figcaption><p>{markdown.inline(message)}</p></figcaption></figure>"
        name = f"{self.lesson.name}--{id}"
        self.recordings[name] = one.data
        return pages.player(id, name, one)

    def _answer(self, item):
        if item.kind == "claims":
            for letter, claim in item.claims.items():
                (reply,) = claim.replies.values()
                text = f"<p><b>{letter}.</b> {markdown.inline(claim.text)}</p>"
                self._add(text, kind="text question", title=item.title)
                said = f'<p class="answer">{claim.answer}</p><p>{markdown.inline(reply)}</p>'
                self._add(text, said, kind="text", title=item.title)
            return
        said = (
            f'<p class="answer">{html.escape(shown(item.answer).strip("“”"))}</p><p>{markdown.inline(item.right)}</p>'
        )
        others = {}
        for reply in item.replies:
            others.setdefault(reply.says, []).append(str(reply.guess))
        told = [f"If they say {' or '.join(guesses)}: {says}" for says, guesses in others.items()]
        self._add(said, kind="text", title=f"Answer: {item.title}", told=told)

    def _quiz(self, cell):
        questions = catalogue.questions(self.lesson.name)
        chosen = NUMBERED.search(self.step.how)
        for number in cells.asked(cell, len(questions)):
            if chosen and str(number) not in re.findall(r"\d", chosen[1]):
                continue
            question = questions[number - 1]
            options = [(letter, one) for letter, one in zip(LETTERS, question.options, strict=False)]
            (why,) = (markdown.inline(one.reason) for _, one in options if one.right)
            for told in (False, True):
                rows = [
                    f'<li class="{"right" if told and one.right else ""}"><b>{letter}</b> '
                    f"{markdown.inline(one.text)}</li>"
                    for letter, one in options
                ]
                reason = f'<p class="why">✓ {why}</p>'  # hidden while the question is asked
                text = f'{markdown.blocks(question.prompt)}<ul class="options">{"".join(rows)}</ul>{reason}'
                self._add(text, kind="text" if told else "text question", title=f"Question {number}")


def _pairs(cells):
    """Return each cell with the one after it, if any."""
    return zip(cells, [*cells[1:], None], strict=True)


def items(notebook) -> dict:
    """Return the predictions of a notebook by the id of the cell that takes the guess."""
    replies = [cell for cell in notebook.cells if cells.role(cell) == Role.REPLY]
    return {cells.guess_of(cell.id): catalogue.item(cells.checked(cell)) for cell in replies}


def emptied(table: str) -> str:
    """Return a Markdown table whose rows keep only their first column."""
    head, line, rows = re.split(r"(?m)^(\|[ |:-]*---[ |:-]*\|)$", table, maxsplit=1)
    return head + line + re.sub(r"(?m)^(\|[^|\n]*\|)(.*)$", lambda row: row[1] + re.sub(r"[^|]+", " ", row[2]), rows)


def of_side(one, side: str):
    """Return a drawing, moving or not, that shows only its left or its right part; its ids are its own."""
    x, y, width, height = map(float, one.view_box.split())
    start = x if side == "left" else x + (1 - SIDE) * width
    return renamed(replace(one, view_box=f"{start:g} {y:g} {SIDE * width:g} {height:g}"), side)


def renamed(one, side):
    """Return a drawing with other ids of its parts, which begin with "f" and a number: it can stand on a page twice."""

    def changed(part):
        if isinstance(part, str):
            return re.sub(r"\b(f\d+)-", rf"\1{side}-", part)
        if isinstance(part, (list, tuple)):
            return type(part)(map(changed, part))
        return {key: changed(value) for key, value in part.items()} if isinstance(part, dict) else part

    parts = ("drawing",) if isinstance(one, capture.Still) else ("ground", "layers", "data")
    return replace(one, **{name: changed(getattr(one, name)) for name in parts})


def split(written: str, spare: int = 0) -> list[str]:
    """Cut Markdown into parts that fit on a slide, between its paragraphs, items of lists and rows of tables.

    Args:
        spare: how many lines of each slide are kept for something else.
    """
    parts, used = [[]], 0
    for block in re.split(r"\n\n+", written.strip()):
        rows = block.splitlines()
        head = rows[:2] if rows and rows[0].startswith("|") else []
        pieces = rows[2:] if head else rows if rows and rows[0].startswith(("- ", "1. ")) else [block]
        widths = _widths([head[0], *pieces]) if head else []
        begun = False
        for piece in pieces:
            lines = _lines(piece, widths)
            if used and used + lines + (_lines(head[0], widths) if head and not begun else 0) > LINES - spare:
                parts.append([])
                used, begun = 0, False
            if not begun:
                parts[-1] += ["", *head] if parts[-1] else head
                used += _lines(head[0], widths) if head else 0.5
                begun = True
            parts[-1].append(piece)
            used += lines
    return ["\n".join(part) for part in parts if any(part)]


def _cells(row):
    """Return how many characters each cell of a table's row shows."""
    return [len(re.sub(r"[$`*\\]|\]\([^)]*\)", "", cell).strip()) for cell in re.split(r"(?<!\\)\|", row.strip("|"))]


def _widths(rows):
    """Return how many characters fit into a line of each column of a table; its letters are smaller than a text's."""
    longest = [max(column) for column in zip(*map(_cells, rows), strict=True)]
    room = 1.15 * CHARACTERS - 2 * len(longest)
    return [max(4, length * min(1, room / sum(longest))) for length in longest]


def _lines(text, widths=()):
    """Return about how many lines a piece of Markdown fills; of a row of a table with the widths of its columns."""
    if text.startswith("|"):
        return 0.35 + 0.85 * max(1, *(-(-cell // wide) for cell, wide in zip(_cells(text), widths, strict=True)))
    if text.startswith("$$"):
        return 2
    return sum(max(1, -(-len(line) // CHARACTERS)) for line in text.splitlines())


def deck(lesson: Lesson, made: list[str], recordings: dict) -> str:
    """Return the page of a lesson's slides, with everything that it needs inside."""
    letters = {kind: set() for kind in fonts.KINDS}
    scripts = [states.script(name, data) for name, data in recordings.items()]
    for part in made:
        fonts.collect(part, letters)
    for data in recordings.values():
        fonts.collect_recording(states.as_json(data), letters)
    own = [_reveal(f"dist/{name}") for name in ("reset.css", "reveal.css", "reveal.js")]
    own[2] += _reveal("dist/plugin/notes.js")
    templates = jinja2.Environment(loader=jinja2.FileSystemLoader(HERE / "templates"), undefined=jinja2.StrictUndefined)
    return templates.get_template("slides.html").render(
        title=f"{lesson.heading}: slides",
        styles=[*own[:2], _static("course.css"), fonts.rules(letters), _static("slides.css")],
        slides=made,
        scripts=[own[2], *map(_static, SCRIPTS), *scripts, _static("slides.js")],
        licence=_reveal("LICENSE"),
    )


def _static(name):
    return (HERE / "static" / name).read_text(encoding="utf-8")


def _reveal(name):
    """Return a file of reveal.js, which start.py has taken from npm."""
    return Path(sys.prefix, "npm", "node_modules", "reveal.js", name).read_text(encoding="utf-8")


def main(arguments=None) -> int:
    """Write the slides of the lessons named, or of all; return 0, or 2 for a lesson that does not exist."""
    parser = argparse.ArgumentParser(description="Write lessons as slides.")
    parser.add_argument("lessons", nargs="*", help="numbers or names, such as 05 or position_independence; none: all")
    wanted = parser.parse_args(arguments).lessons
    every = catalogue.lessons()
    known = {key: one for one in every for key in (one.name, one.notebook[:2], one.notebook[:2].removeprefix("0"))}
    for one in wanted:
        if one not in known:
            numbers = ", ".join(lesson.notebook[:2] for lesson in every)
            print(f"There is no lesson {one!r}. The lessons are {numbers}.", file=sys.stderr)
            return 2
    lessons = [known[one] for one in wanted] or list(every)
    paths = [NOTEBOOKS / lesson.notebook for lesson in lessons]
    TO.mkdir(parents=True, exist_ok=True)
    for lesson, path, drawn in zip(lessons, paths, cache.drawings(paths, CACHE), strict=True):
        made, recordings = slides(lesson, nbformat.read(path, as_version=4), drawn)
        to = TO / f"{path.stem}.html"
        to.write_text(deck(lesson, made, recordings), encoding="utf-8", newline="\n")
        size = to.stat().st_size / 1e6
        print(f"{to}: {len(made)} slides, {size:.1f} MB. Open it with a double click; ? shows the keys.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The route for those who have one hour: its stops, its minutes, and the way from each stop to the next."""

import html
import re
import tomllib
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import nbformat

from courseware.content import Lesson
from courseware.environment import NOTEBOOKS
from lessons import catalogue
from publish.author import derived, minutes
from publish.site import markdown, microscope, pages

PAGE, TITLE = "hour.html", "Say it yourself"  # the last stop
PROMISE = "Five sentences to complete, and one line of code: the end of the course in one hour."
# The exercise of lesson 03 with one line left to write.
_CODE = """def every_step(x, W1, b1, W2, b2):
    z = x @ W1 + b1
    h = TODO
    y = h @ W2 + b2
    return z, h, y


check("build_the_ffn.every_step", every_step)
"""
_GIVEN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class Stop(NamedTuple):
    """A stop: address: where it begins. title: of its first section. place: its lesson and sections."""

    address: str
    title: str
    place: str


def route() -> list[Stop]:
    """Return the stops in their order; the last two are the microscope and the page with which the route ends."""
    stops = []
    for given in _GIVEN["stop"]:
        first, *more = given["sections"]
        number, title = first.split(". ", 1)
        sections = f"sections {number} to {more[-1].partition('.')[0]}" if more else f"section {number}"
        lesson = catalogue.lesson(given["lesson"])
        address = f"{pages.address(lesson)}#{markdown.slug(first)}"
        stops.append(Stop(address, title, f"lesson {lesson.number:02d}, {sections}"))
    stops.append(Stop(microscope.PAGE, "What does a unit of a language model wait for?", "the microscope"))
    return [*stops, Stop(PAGE, TITLE, "five sentences of your own")]


def says() -> str:
    """Return the route as one line, with its minutes."""
    return f"{'; '.join(stop.place for stop in route())} ({derived.span(lasts())} minutes)"


def lasts() -> minutes.Span:
    """Return the minutes of the route, from and to, as they are stated for a lesson."""
    found = _GIVEN["microscope"] + _GIVEN["sentences"]
    for stop in _GIVEN["stop"]:
        lesson, section = catalogue.lesson(stop["lesson"]), ""
        for cell in nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells:
            heading = cell.cell_type == "markdown" and re.match("## (.+)", cell.source)
            section = heading[1] if heading else section
            found += minutes.count([cell], lesson) if section in stop["sections"] else 0
    return minutes.span(found)


def with_next_stop(lesson: Lesson, body: str) -> str:
    """Return a lesson's page; at the end of its stop, if it has one, a line leads to the next."""
    for given, (_, onward) in zip(_GIVEN["stop"], pairwise(route()), strict=False):
        if given["lesson"] == lesson.name:
            start = body.index(f'<h2 id="{markdown.slug(given["sections"][-1])}"')
            end = re.compile('(<span class="cell" id="[^"]+"></span>)?<h2').search(body, start + 1).start()
            return body[:end] + leading_to(onward) + body[end:]
    return body


def leading_to(stop: Stop) -> str:
    """Return the line at the end of a stop that leads to the next one."""
    return f'<p class="next-stop">The course in one hour: next stop → {linked(stop)}</p>\n'


def linked(stop: Stop) -> str:
    """Return a link to a stop, named by what is asked there."""
    return f'<a href="{stop.address}">{html.escape(stop.title)}</a>'


def sentences() -> list[tuple[str, str, str]]:
    """Return the sentences of the last stop: of which lesson, how each begins, and how ours goes on, as HTML."""
    return [(stop["lesson"], stop["begins"], markdown.inline(stop["ours"])) for stop in _GIVEN["stop"]]


def code() -> pages.Page:
    """Return the last stop's exercise, as the page of a notebook that has nothing else."""
    sources = {"ex-1-check": _CODE, "ex-1-help": 'help_with("build_the_ffn.every_step")'}
    code_cells = [nbformat.v4.new_code_cell(source, id=id) for id, source in sources.items()]
    return pages.lesson_page(catalogue.lesson("build_the_ffn"), nbformat.v4.new_notebook(cells=code_cells), {})

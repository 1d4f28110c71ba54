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

_GIVEN = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))


class Stop(NamedTuple):
    """A stop: address: where it begins. title: of its first section. place: its lesson and sections."""

    address: str
    title: str
    place: str


def route() -> list[Stop]:
    """Return the stops in their order; the last one is the microscope."""
    stops = []
    for given in _GIVEN["stop"]:
        first, *more = given["sections"]
        number, title = first.split(". ", 1)
        sections = f"sections {number} to {more[-1].partition('.')[0]}" if more else f"section {number}"
        lesson = catalogue.lesson(given["lesson"])
        address = f"{pages.address(lesson)}#{markdown.slug(first)}"
        stops.append(Stop(address, title, f"lesson {lesson.number:02d}, {sections}"))
    return [*stops, Stop(microscope.PAGE, "What does a unit of a language model wait for?", "the microscope")]


def says() -> str:
    """Return the route as one line, with its minutes."""
    return f"{'; '.join(stop.place for stop in route())} ({derived.span(lasts())} minutes)"


def lasts() -> minutes.Span:
    """Return the minutes of the route, from and to, as they are stated for a lesson."""
    found = _GIVEN["microscope"]
    for stop in _GIVEN["stop"]:
        lesson, section = catalogue.lesson(stop["lesson"]), ""
        for cell in nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells:
            heading = cell.cell_type == "markdown" and re.match("## (.+)", cell.source)
            section = heading[1] if heading else section
            found += minutes.count([cell], lesson) if section in stop["sections"] else 0
    return minutes.span(found)


def with_next_stop(lesson: Lesson, body: str) -> str:
    """Return a lesson's page; at the end of its stop, if it has one, a line leads to the next."""
    for given, (_, onward) in zip(_GIVEN["stop"], pairwise(route()), strict=True):
        if given["lesson"] == lesson.name:
            start = body.index(f'<h2 id="{markdown.slug(given["sections"][-1])}"')
            end = re.compile('(<span class="cell" id="[^"]+"></span>)?<h2').search(body, start + 1).start()
            line = f'<p class="next-stop">The course in one hour: next stop → {linked(onward)}</p>\n'
            return body[:end] + line + body[end:]
    return body


def linked(stop: Stop) -> str:
    """Return a link to a stop, named by what is asked there."""
    return f'<a href="{stop.address}">{html.escape(stop.title)}</a>'

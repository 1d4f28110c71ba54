"""Build the course as a static site: python -m publish.site [--to FOLDER] [--teachers] [--without-solutions]

It is for learners; --teachers adds the handbook and a page for each lesson, which hold every answer.
--without-solutions leaves out the worked solutions and their halves, for classes that give marks.

SITE_URL=https://… writes absolute addresses for previews and a sitemap; REPOSITORY_URL=https://… links the source.
"""

import argparse
import html
import io
import json
import os
import re
import shutil
import sys
import time
from pathlib import Path

import jinja2
import nbformat
from PIL import Image

from course_lib.components import FOLDER
from courseware import __version__
from courseware.environment import NOTEBOOKS, ROOT
from courseware.page import components
from lessons import catalogue, cells
from lessons.cells import Role
from publish.author.derived import span
from publish.author.refresh import stored_picture
from publish.site import (
    TO,
    cache,
    capture,
    colours,
    downloads,
    fonts,
    hosted_notebooks,
    hour,
    lesson_icons,
    markdown,
    microscope,
    other_names,
    page_data,
    pages,
    search_index,
    states,
    teachers,
)

HERE = Path(__file__).resolve().parent
CACHE = ROOT / "build" / "site-cache"
NAME = "The feed-forward network, from the inside"
# Of every page, in this order.
SCRIPTS = (
    "base.js",
    "memory.js",
    "guess.js",
    "progress.js",
    "forms.js",
    "drawn.js",
    "transfer.js",
    "motion.js",
    "player.js",
    "symbols.js",
    "page.js",
)
PYTHON_SCRIPTS = ("python.js", "exercise.js")  # of a lesson's page that can run code
COMPONENTS = "components.js"  # of a page with components, after theirs
HERO = ("start_here", "opening")  # it shows nothing that the bend does
SHARE_ALT = "“The river reached the bank” in a transformer layer: attention brings “river” to “bank”, then the FFN asks"
# The last line of every script: the page waits for all.
RAN = """
document.currentScript.dataset.ran = "";
document.documentElement.classList.toggle("ran", !document.querySelector("script[defer]:not([data-ran])"));
"""
# Of the first script: it names those that have not run, in the line that says so.
NAMES_SILENT = """
setTimeout(() => {
  const silent = document.querySelectorAll("script[defer]:not([data-ran])");
  const names = Array.from(silent, (one) => one.getAttribute("src"));
  document.querySelector(".silent").append(` Not started: ${names.join(", ")}.`);
}, 5000);
"""
OPTIONAL = "Optional: "  # how the title of such a section begins
MENU = (
    ("Lessons", "index.html#map"),
    ("Microscope", microscope.PAGE),
    ("Progress", "progress.html"),
    ("Formulas", "formulas.html"),
    ("Search", "search.html"),
)
TEACHERS = ("For teachers", teachers.HANDBOOK)  # in the menu, before the search
CLONE = "git clone {} ffn-course\ncd ffn-course\n"
START = "python3 start.py"


class _Site:
    """The pages of a site, written one after the other."""

    def __init__(self, folder: Path, for_teachers: bool, runs_code: bool, solutions: bool):
        self.folder, self.for_teachers, self.runs_code, self.solutions = folder, for_teachers, runs_code, solutions
        self.menu = [*MENU[:-1], TEACHERS, MENU[-1]] if for_teachers else MENU
        self.site_url = os.environ.get("SITE_URL", "").rstrip("/") + "/" if os.environ.get("SITE_URL") else ""
        self.repository_url = os.environ.get("REPOSITORY_URL", "").rstrip("/")
        loader = jinja2.FileSystemLoader(HERE / "templates")
        self.templates = jinja2.Environment(loader=loader, undefined=jinja2.StrictUndefined, autoescape=False)
        self.addresses, self.sections, self.letters = [], [], {kind: set() for kind in fonts.KINDS}

    def write(
        self, address, title, body, *, description, lesson="", place="", data=None, scripts=(), root="", long=False
    ):
        """Write a page, and remember its letters for the fonts; a long one gets a list of its sections beside it."""
        if not self.solutions:
            body = re.sub('<details class="(?:half|solution)">.*?</details>', "", body, flags=re.DOTALL)
            for exercise in (data or {}).get("exercises", {}).values():
                exercise.pop("half", None)
        found = markdown.headings(body) if long else ()
        named = [(id, html.escape(markdown.text(heading))) for level, id, heading in found if level == 2]
        optional = [(id, said.removeprefix(OPTIONAL)) for id, said in named if said.startswith(OPTIONAL)]
        page = self.templates.get_template("page.html").render(
            title=html.escape(title),
            description=html.escape(description),
            address=address,
            root=root,
            site_url=self.site_url,
            share_alt=SHARE_ALT,
            wide=address in ("index.html", "formulas.html", microscope.PAGE),
            offline=self.runs_code,
            climbs=(climbs := address == "404.html" and not self.site_url),
            scripts=() if climbs else ["lessons.js", *SCRIPTS, *scripts],
            lesson=html.escape(lesson),
            place=place,
            menu=self.menu,
            sections=[one for one in named if not one[1].startswith(OPTIONAL)],
            optional=[(id, said[0].upper() + said[1:]) for id, said in optional],
            body=body,
            version=__version__,
            data=json.dumps(data, ensure_ascii=False).replace("<", "\\u003c") if data else "",
        )
        # what a browser that translates must leave as it is, in the data of the page too
        page = re.sub(r"(<|\\u003c)(pre|code|math|input|textarea)(?=[ >])", r"\1\2 translate=no", page)
        (self.folder / address).write_text(page, encoding="utf-8", newline="\n")
        self.addresses.append(address)
        fonts.collect(page, self.letters)

    def component_scripts(self, body):
        """Write the scripts of the components of a page; return the names of all that it needs for them."""
        names = sorted(set(re.findall('data-component="([^"]+)"', body)))
        written = {f"component-{name}.js": components.classic(name, FOLDER) for name in names}
        for name, source in written.items():
            self.write_script(name, source)
            self.letters["text"].update(source)
        return [*written, COMPONENTS] if written else []

    def write_script(self, name, source):
        """Write a script of pages, which says at its end that it has run."""
        (self.folder / "static" / name).write_text(source + RAN, encoding="utf-8", newline="\n")

    def write_recording(self, name, data):
        """Write the script of a recording; its letters count too."""
        folder = self.folder / "recordings"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.js").write_text(states.script(name, data), encoding="utf-8", newline="\n")
        fonts.collect_recording(states.as_json(data), self.letters)


def build(folder: Path, for_teachers: bool = False, solutions: bool = True) -> None:
    """Build the whole site into an empty folder; teachers' pages and answer keys only if they are asked for.

    solutions: whether learners' pages have the worked solutions of exercises, and halves of them.

    Raises:
        capture.CellError, states.RecordingError, pages.PageError: something in a notebook must be fixed first.
    """
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "static").mkdir(parents=True)
    downloaded = downloads.fetch(CACHE)
    python = _python(folder, downloaded) if downloaded else None
    weights = _weights(folder)
    site = _Site(folder, for_teachers, runs_code=bool(downloaded), solutions=solutions)
    lessons = catalogue.lessons()
    paths = [NOTEBOOKS / lesson.notebook for lesson in lessons]
    pictures = cache.drawings(paths, CACHE)
    cards, hero, formulas = [], None, []
    for lesson, path, figures in zip(lessons, paths, pictures, strict=True):
        notebook = nbformat.read(path, as_version=4)
        page = pages.lesson_page(lesson, notebook, figures)
        promise = markdown.text(re.search(r"<p>(.*?)</p>", page.body, re.DOTALL)[1])
        title = f"{lesson.headline} · {NAME}"
        data = {"predictions": page.predictions, "questions": page.questions, "exercises": page.exercises}
        if page.components:
            data["components"] = microscope.light(page.components, weights)
        if python:
            data["python"] = python
        site.write(
            pages.address(lesson),
            title,
            _with_next(hour.with_next_stop(lesson, page.body))
            + (_hand_in(folder, lesson, notebook) if python and lesson.number else "")
            + hosted_notebooks.of_lesson(site.repository_url, lesson),
            description=promise,
            lesson=lesson.headline,
            place=_place(lesson),
            data=data,
            scripts=(
                *site.component_scripts(page.body),
                *(PYTHON_SCRIPTS if python else ()),
            ),
            long=True,
        )
        sections = search_index.sections(page.body)
        taught = other_names.taught(lesson.name, [id for id, *_ in sections])
        for (id, *entry), names in zip(sections, taught, strict=True):
            site.sections.append([f"{pages.address(lesson)}#{id}", lesson.headline, *entry, names])
        for name, recording in page.recordings.items():
            site.write_recording(name, recording)
        if lesson.name == HERO[0]:
            hero = figures[HERO[1]][0]
        cards.append(
            {
                "name": lesson.name,
                "address": pages.address(lesson),
                "headline": lesson.headline,
                "minutes": span(lesson.minutes),
                "sign": lesson_icons.sign(lesson.name),
                "build": lesson.build,
            }
        )
        formulas += _formulas(lesson, notebook)
    _other_pages(site, cards, hero, formulas, downloaded.credits if downloaded else (), weights, python)
    if for_teachers:
        _teachers_pages(site)
    _files(site, downloaded.faces if downloaded else None)


def _hand_in(folder, lesson, notebook):
    """Write the lesson's notebook without its outputs, and return the form that packs a reader's answers into it."""
    empty = {"outputs": [], "execution_count": None}
    cells_without = [cell | (empty if cell.cell_type == "code" else {}) for cell in notebook.cells]
    address = f"notebooks/{lesson.notebook}"
    (folder / "notebooks").mkdir(exist_ok=True)
    source = json.dumps({**notebook, "cells": cells_without}, ensure_ascii=False)
    (folder / address).write_text(source, encoding="utf-8", newline="\n")
    return (
        '<details class="hand-in" hidden><summary>Hand in this lesson</summary>'
        f'<form data-lesson="{lesson.name}" data-notebook="{address}">'
        "<p>For your teacher: this makes one file with your code and your progress in this lesson. Nothing is sent.</p>"
        '<label for="hand-in-name">Your name, as your teacher knows it</label> '
        '<input id="hand-in-name" type="text" autocomplete="name"> <button type="submit">Make the file</button>'
        '<p role="status"></p></form></details>'
    )


def _with_next(body):
    """Return the text of a lesson with a large card in place of the line that leads on to the next one."""
    known = {pages.address(lesson): lesson for lesson in catalogue.lessons()}

    def card(line):
        lesson = known[line["address"]]
        return (
            f'<a class="onward" href="{line["address"]}">{lesson_icons.sign(lesson.name)}<span>'
            f"<small>Next · {span(lesson.minutes)} minutes</small>"
            f"<b>{lesson.headline}</b>It{line['says']}</span></a>"
        )

    line = r'<p><strong>Next:</strong> <a href="(?P<address>[^"]+)">[^<]+</a>(?P<says>[^<]*)</p>'
    return re.sub(line, card, body)


def _place(lesson):
    """Return where a lesson stands in the series, or a build among the builds."""
    alike = [one.name for one in catalogue.lessons() if one.build == lesson.build]
    return f"{'Build ' * lesson.build}{alike.index(lesson.name) + 1} of {len(alike)}"


def _formulas(lesson, notebook):
    """Return the equation of a lesson with its table, under the lesson's name."""
    found = []
    for cell in notebook.cells:
        if cells.role(cell) == Role.EQUATION:
            source = re.sub(r"^## .*\n", "", cell.source, flags=re.MULTILINE)
            found.append(markdown.blocks(pages.relinked(source)))
    if not found:
        return []
    title = f'<h2 id="{lesson.name.replace("_", "-")}"><a href="{pages.address(lesson)}">{lesson.headline}</a></h2>'
    return [title, *found]


def _python(folder, found):
    """Write what runs Python, under names that change with what is inside; return what a page must know of it."""
    inside = python_folder(found.files)
    (folder / inside).mkdir(parents=True)
    for name, data in found.files.items():
        (folder / inside / name).write_bytes(data)
    zipped = downloads.course()
    course, editor = f"python/course-{_short(zipped)}.zip", f"static/editor-{_short(found.editor)}.js"
    (folder / course).write_bytes(zipped)
    (folder / editor).write_bytes(found.editor)
    sizes = {f"{inside}{name}": len(data) for name, data in found.files.items()} | {course: len(zipped)}
    return {"folder": inside, "wheels": [*found.wheels], "course": course, "editor": editor, "sizes": sizes}


def python_folder(files: dict[str, bytes]) -> str:
    """Return the address of the folder of files that run Python: another one when one of them changes."""
    return f"python/{_short(*(part for name, data in sorted(files.items()) for part in (name.encode(), data)))}/"


def _weights(folder):
    """Write the script of the trained model, under a name that changes with what is inside, and return its address."""
    written = microscope.script().encode()
    address = f"static/trained-weights.{_short(written)}.js"
    (folder / address).write_bytes(written)
    return address


def _short(*data):
    return downloads.digest(*data)[:12]


def _hours(minutes):
    """Return how long lessons take together, from and to.

    >>> _hours([(45, 60), (40, 70)])
    '1 to 2'
    """
    return " to ".join(f"{sum(ends) / 60:.0f}" for ends in zip(*minutes, strict=True))


def _other_pages(site, cards, hero, formulas, credits, weights, python):
    def page(name, title, description, **values):
        body = site.templates.get_template(name).render(root="", **values)
        data = {"predictions": {}, "questions": {}, "components": shown} if "hero" in values else None
        title = f"{title} · {NAME}" if title else NAME
        scripts = (*_scripts(name), *site.component_scripts(body))
        site.write(name, title, body, description=description, scripts=scripts, data=data)
        return body

    shown = {}
    promise = (
        "An interactive course on the transformer's feed-forward network: guess, look, explain, one page per lesson."
    )
    clone = CLONE.format(site.repository_url) if site.repository_url else ""
    values = {
        "hero": pages.still(HERO[1], hero, hero.caption, shown),
        "lens": microscope.card(),
        "for_teachers": site.for_teachers,
        "runs_code": site.runs_code,
        "first": cards[1],
        "cards": [card for card in cards if not card["build"]],
        "hours": _hours(lesson.minutes for lesson in catalogue.lessons() if not lesson.build),
        "stops": [(hour.linked(stop), stop.place) for stop in hour.route()],
        "hour": span(hour.lasts()),
        "builds": [card for card in cards if card["build"]],
        "elsewhere": hosted_notebooks.explained(site.repository_url),
        "install": markdown.plain(clone + START),
        "repository_url": site.repository_url,
    }
    page("index.html", "", promise, **values)
    page("progress.html", "Your progress", "What this browser remembers of your guesses and answers.", cards=cards)
    page("search.html", "Search", "Search all lessons, online or offline.")
    whose = "The work of others in these pages, and its licences."
    page("credits.html", "Credits", whose, credits=(*credits, *fonts.credits(), *downloads.SHOWN))
    root = site.site_url
    missing = site.templates.get_template("404.html").render(root=root)
    site.write("404.html", f"No page here · {NAME}", missing, description="This address leads nowhere.", root=root)
    body = microscope.page(*(pages.address(catalogue.lesson(name)) for name in microscope.LESSONS))
    body += hour.leading_to(hour.route()[-1])
    components = {microscope.ID: {"data": microscope.on_page(weights, eager=True), "state": None}}
    scripts = site.component_scripts(body)
    data = {"predictions": {}, "questions": {}, "exercises": {}, "components": components}
    site.write(
        microscope.PAGE,
        f"{microscope.TITLE} · {NAME}",
        body,
        description=microscope.PROMISE,
        scripts=scripts,
        data=data,
    )
    exercise_page = hour.code()
    values = {"title": hour.TITLE, "sentences": hour.sentences(), "exercise": exercise_page.body}
    body = _with_next(site.templates.get_template("hour.html").render(**values))
    data = {"predictions": {}, "questions": {}, "exercises": exercise_page.exercises}
    scripts = ("hour.js",)
    if python:
        data["python"], scripts = python, (*scripts, *PYTHON_SCRIPTS)
    title = f"{hour.TITLE} · {NAME}"
    site.write(hour.PAGE, title, body, description=hour.PROMISE, scripts=scripts, data=data)
    body = (
        "<h1>The formulas on a page</h1><p>The equations of every lesson, with the meaning of their symbols, and "
        '<a href="#what-others-call-it">what others call them</a>.</p>'
    )
    body += "\n".join([*formulas, other_names.table()])
    site.write("formulas.html", f"Formulas · {NAME}", body, description="The equations of every lesson on one page.")


def _teachers_pages(site):
    body = teachers.handbook()
    said = "How to teach with this course: a plan for every lesson, votes, replies and the key."
    site.write(teachers.HANDBOOK, f"For teachers · {NAME}", body, description=said, long=True)
    for lesson in catalogue.lessons():
        question, body = teachers.plan(lesson)
        title = f"Teaching {lesson.heading} · {NAME}"
        site.write(teachers.address(lesson), title, body, description=f"A plan for the class: {question}", long=True)


def _scripts(name):
    return ("index.js", "search.js") if name == "search.html" else ()


def _files(site, faces):
    static = site.folder / "static"
    site.letters["text"].update(*map(_script, SCRIPTS))
    for name in (*SCRIPTS, *(PYTHON_SCRIPTS if site.runs_code else ()), COMPONENTS, "hour.js", "search.js"):
        site.write_script(name, _script(name))
    for name in (*(("python-worker.js",) if site.runs_code else ()), "favicon.svg"):
        shutil.copy(HERE / "static" / name, static / name)
    data = json.dumps(page_data.lessons(pages.address), ensure_ascii=False, separators=(",", ":"))
    verdicts = json.dumps(page_data.verdicts(), ensure_ascii=False)
    numbered = json.dumps(catalogue.numbered(), separators=(",", ":"))
    source = f"window.course = {{lessons: {data}, verdicts: {verdicts}, numbered: {numbered}}};\n"
    site.write_script("lessons.js", source + NAMES_SILENT)
    names = json.dumps(other_names.SYNONYMS, ensure_ascii=False)
    sections = json.dumps(site.sections, ensure_ascii=False, separators=(",", ":"))
    site.write_script("index.js", f"course.sections = {sections};\ncourse.names = {names};\n")
    css = colours.stylesheet((HERE / "static" / "course.css").read_text(encoding="utf-8"))
    css = re.sub(r"\s*([{};,])\s*|(:) ", r"\1\2", re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL))
    css = re.sub(r"(?<=[ :(,-])0(?=\.\d)", "", css)
    (static / "course.css").write_text(css + fonts.rules(site.letters, faces), encoding="utf-8", newline="\n")
    (site.folder / ".nojekyll").write_text("")
    shutil.copy(HERE / "serve.py", site.folder)
    if site.runs_code:
        _offline(site.folder)
    if site.site_url:
        (static / "share.png").write_bytes(_share())
        addresses = [one for one in site.addresses if one != "404.html"]
        urls = "".join(f"<url><loc>{site.site_url}{one.removesuffix('index.html')}</loc></url>\n" for one in addresses)
        head = '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n'
        (site.folder / "sitemap.xml").write_text(f"{head}{urls}</urlset>\n", encoding="utf-8", newline="\n")


def _script(name):
    """Return a script as a page loads it: how guesses are drawn comes with what draws them, in one file."""
    names = ("drawing.js", name) if name == "drawn.js" else (name,)
    return "".join((HERE / "static" / one).read_text(encoding="utf-8") for one in names)


def _offline(folder):
    """Write the worker that keeps this build for visits without a network: it knows every file of it."""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    left_out = (".nojekyll", "serve.py")
    files = [(name, (folder / name).read_bytes()) for name in names if name not in left_out]
    known = [(name, (downloads.digest(data), len(data))) for name, data in files]
    source = (HERE / "static" / "offline.js").read_text(encoding="utf-8")
    source = source.replace("/*FILES*/ []", json.dumps(known))
    (folder / "offline.js").write_text(source, encoding="utf-8", newline="\n")


def _share() -> bytes:
    """Return the picture that stands beside a link to the site, 1200 × 630: the first page's figure as it is stored."""
    stored = Image.open(io.BytesIO(stored_picture(*HERO))).convert("RGB")
    stored.thumbnail((1120, 550))
    ground = Image.new("RGB", (1200, 630), "white")
    ground.paste(stored, ((1200 - stored.width) // 2, (630 - stored.height) // 2))
    written = io.BytesIO()
    ground.save(written, "png")
    return written.getvalue()


def _from_here(folder):
    """Return the shortest path to a folder; on another drive of Windows, the whole one."""
    try:
        return os.path.relpath(folder)
    except ValueError:
        return folder


def main(arguments=None) -> int:
    """Build the site; return 0, or 1 after printing what must be fixed."""
    parser = argparse.ArgumentParser(description="Build the course as a static site.")
    parser.add_argument("--to", type=Path, default=TO, help="the folder to write; what is in it is deleted first")
    parser.add_argument("--teachers", action="store_true", help="with the teacher's pages, which hold every answer")
    parser.add_argument("--without-solutions", action="store_true", help="leave out worked solutions and their halves")
    given = parser.parse_args(arguments)
    folder = given.to.resolve()
    if given.teachers and not teachers.PLANS.is_dir():
        print("The teacher's pages are not written yet. Run make plans.", file=sys.stderr)
        return 1
    started = time.perf_counter()
    try:
        build(folder, given.teachers, not given.without_solutions)
    except (capture.CellError, states.RecordingError, pages.PageError) as error:
        print(error, file=sys.stderr)
        return 1
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    seconds = time.perf_counter() - started
    print(f"{folder / 'index.html'}: {size / 1e6:.1f} MB in {seconds:.0f} s. Open it with a double click.")
    if (folder / "python").is_dir():
        print(f"To run code in its pages: python3 {_from_here(folder / 'serve.py')}")
    if given.teachers:
        print(
            "The site contains the teacher's pages, with every answer. For learners, build it without them: make site."
        )
    return 0

"""The files of the site: nothing comes from elsewhere, every link leads somewhere, every page says what it is."""

import base64
import functools
import io
import json
import re
import shutil
import tomllib
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote

import nbformat
import pytest
from fontTools.ttLib import TTFont
from nbformat.v4 import new_notebook

from course_lib.model import accounting
from courseware import __version__
from lessons import catalogue, cells, in_numpy
from publish.site import build, fonts, hosted_notebooks, hour, in_page, markdown, microscope, pages
from tests.conftest import NOTEBOOKS, ROOT
from tests.golden.rows import BOTH
from tests.lessons.stored import plain_outputs
from tests.lessons.test_references import titles
from tests.publish.giveaways import FORBIDDEN
from tests.site.conftest import ALL, LESSONS, SOME_PAGES, TEACHERS
from tests.site.test_markdown import KEYS
from tests.site.test_teachers import of_teachers

HEAVIEST = 1_060_000  # bytes of a lesson with its recording, not packed on its way; the heaviest is lesson 10
# Where a browser fetches by itself; links that a reader follows are not among them.
FETCHED = {("script", "src"), ("img", "src"), ("link", "href"), ("image", "href"), ("use", "href"), ("iframe", "src")}


class Read(HTMLParser):
    """Every address in a page that the browser fetches, every link, and every id."""

    def __init__(self, text):
        super().__init__()
        self.fetched, self.links, self.ids, self.open = [], [], [], []
        self.feed(text)

    def handle_starttag(self, tag, given):
        attributes = dict(given)
        if "id" in attributes:
            self.ids.append(attributes["id"])
        for name, value in given:
            if (tag, name) in FETCHED and attributes.get("rel") != "canonical":
                self.fetched.append(value)
            if "srcset" in name or name == "background" or "url(" in (value or "").replace("url(#", ""):
                self.fetched.append(value)
        if tag == "a" and "href" in attributes:
            self.links.append(attributes["href"])


def foreign(address: str) -> bool:
    return not address.startswith(("#", "data:")) and (":" in address or address.startswith("//"))


@functools.cache
def read(site, name) -> Read:
    return Read((site / name).read_text("utf-8"))


def test_the_pages_are_the_lessons_and_a_few_more(site):
    assert sorted(path.name for path in site.glob("*.html")) == sorted(ALL)
    assert len(LESSONS) == len(list(NOTEBOOKS.glob("*.ipynb")))


@pytest.mark.parametrize("name", [*ALL, *TEACHERS])
def test_nothing_is_fetched_from_elsewhere(folder_of, name):
    site = folder_of(name)
    found = read(site, name).fetched
    assert found and [address for address in found if foreign(address)] == []
    assert all((site / address.split("#")[0]).is_file() for address in found if not address.startswith(("#", "data:")))


@pytest.mark.parametrize("name", LESSONS)
def test_a_page_asks_for_nothing_that_only_a_notebook_can_do(site, name):
    text = re.sub(r"<pre\b.*?</pre>", " ", (site / name).read_text("utf-8"), flags=re.DOTALL).replace(KEYS, "")
    asked = r"(?-i:Now) change|rerun\b|run (?:it|them|the cells?\b[^.]*) again|cell again|Shift\+Enter|type [`“\d]"
    assert re.findall(rf"\b(?:{asked})", text, re.IGNORECASE) == []


@pytest.mark.parametrize("name", SOME_PAGES[1:])  # lesson 00 has no sections with numbers
def test_a_lesson_begins_within_two_screens(opened, name):
    section = opened(name).locator("main h2", has_text=re.compile(r"^1\. "))
    assert section.bounding_box()["y"] <= 1400


def test_the_hour_leads_from_stop_to_stop(site):
    stops, first = hour.route(), (site / "index.html").read_text("utf-8")
    listed = re.findall('<li><a href="([^"]+)">[^<]+</a> <span class="minutes">', first)
    assert listed == [stop.address for stop in stops]
    for stop, onward in pairwise(stops):
        page = (site / stop.address.partition("#")[0]).read_text("utf-8")
        before, after = page.split('<p class="next-stop">')
        assert re.match(f'[^<]+<a href="{onward.address}">[^<]+</a></p>\n\\s*(<span [^>]+></span>)?<(h2|/main)', after)
        if stop.address != microscope.PAGE:
            assert re.findall('<h2 id="([0-9]+)-', before)[-1] == re.findall("[0-9]+", stop.place)[-1]


def test_the_hour_stops_at_sections_that_are_there():
    for stop in tomllib.loads((ROOT / "publish/site/hour.toml").read_text(encoding="utf-8"))["stop"]:
        assert set(stop["sections"]) <= set(titles(catalogue.lesson(stop["lesson"]).number))


@pytest.mark.parametrize("name, begins, ours", hour.sentences())
def test_the_hour_ends_with_numbers_that_its_stops_have_shown(name, begins, ours):
    lesson = catalogue.lesson(name)
    shown = [*plain_outputs(lesson.notebook.removesuffix(".ipynb")).values()]
    shown += [reply.says for guess in catalogue.predictions(name) for reply in guess.replies]
    found = {one for text in shown for one in re.findall(r"[\d.]*\d", text)}
    assert set(re.findall(r"[\d.]*\d", ours)) <= found


def test_the_hour_ends_with_one_line_that_turns_green(site):
    asked = json.loads(re.search('id="course-data">(.+?)</script>', (site / hour.PAGE).read_text("utf-8"))[1])
    ((id, exercise),) = asked["exercises"].items()
    assert json.loads(in_page.check(id, exercise["starter"]))["status"] == "not attempted"
    assert json.loads(in_page.check(id, exercise["starter"].replace("TODO", "np.maximum(z, 0)")))["status"] == "correct"


def test_sentences_of_the_last_stop_are_kept_until_all_is_deleted(opened):
    page = opened(hour.PAGE)
    page.locator("textarea").nth(1).fill("asks a question")
    page.get_by_role("button", name="Compare with ours").click()
    assert page.locator(".ours:visible").count() == 1 and page.locator(".ours").nth(1).is_visible()
    page.reload()
    assert page.locator("textarea").nth(1).input_value() == "asks a question"
    page.evaluate("course.memory.forget(); course.refresh()")
    assert page.locator("textarea").nth(1).input_value() == ""


@pytest.mark.parametrize("name", ["README.md", "classroom/README.md", "notebooks/00_start_here.ipynb"])
def test_the_hour_of_a_handbook_is_that_of_the_pages(name):
    words = re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", (ROOT / name).read_text(encoding="utf-8"))
    assert f" {hour.says()}." in " ".join(words.split())
    assert 55 <= hour.lasts()[1] <= 60


def test_style_and_scripts_fetch_nothing_from_elsewhere(site):
    for path in [*site.glob("static/*.css"), *site.glob("static/*.js"), *site.glob("recordings/*.js")]:
        text = path.read_text("utf-8")
        text = re.sub(r"await fetch\((found\.)?name, \{", "", text)  # of python.js, for files of the site alone
        assert re.findall(r"@import|url\((?!['\"]?data:|#)|fetch\(|XMLHttpRequest|importScripts", text) == [], path.name
        if path.suffix == ".js" and path.name not in ("index.js", "lessons.js"):
            own = text.replace("http://www.w3.org/2000/svg", "")
            assert "://" not in own, path.name


@pytest.mark.parametrize("name", [*ALL, *TEACHERS])
def test_links_and_anchors_resolve(folder_of, name):
    site = folder_of(name)
    broken = []
    for link in read(site, name).links:
        if re.match(r"(https?|mailto):", link):
            continue
        target, _, anchor = link.partition("#")
        path = site / (target or name)
        if not path.is_file() or (anchor and unquote(anchor) not in read(site, path.name).ids):
            broken.append(link)
    assert broken == []
    assert ".ipynb)" not in (site / name).read_text("utf-8")


@pytest.mark.parametrize("name", [*ALL, *TEACHERS])
def test_a_page_says_what_it_is(folder_of, name):
    site = folder_of(name)
    text = (site / name).read_text("utf-8")
    assert '<html lang="en">' in text
    assert len(re.search(r"<title>(.+)</title>", text)[1]) > 8
    assert len(re.search(r'<meta name="description" content="([^"]+)"', text)[1]) > 20
    assert len(re.findall(r"<h1\b", text)) == 1
    assert f"Version {__version__}, licence" in text
    ids = read(site, name).ids
    assert len(ids) == len(set(ids)), [one for one in ids if ids.count(one) > 1][:5]


def test_the_first_page_promises_no_more_than_lesson_06_counts(site):
    assert "In most large language models, more than half of all numbers sit in" in (site / "index.html").read_text(
        "utf-8"
    )
    shares = [accounting.ffn_total(one) / accounting.total_parameters(one) for one in accounting.published_models()]
    assert sum(share > 0.5 for share in shares) > 0.75 * len(shares) > 10


def test_a_site_on_another_drive_of_windows_is_named_whole(monkeypatch):
    def no_way(path):
        raise ValueError("path is on mount 'D:', start on mount 'C:'")

    monkeypatch.setattr(build.os.path, "relpath", no_way)
    assert build._from_here(Path("D:/site")) == Path("D:/site")


def test_titles_differ(folder_of):
    pages = [(folder_of(name) / name).read_text("utf-8") for name in [*ALL, *TEACHERS]]
    titles = [re.search(r"<title>(.+)</title>", page)[1] for page in pages]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_light(site, name):
    text = (site / name).read_text("utf-8")
    fetched = [one for one in read(site, name).fetched if not one.startswith(("#", "data:"))]
    files = [site / name, *(site / one for one in fetched)]
    files += [site / "recordings" / f"{one}.js" for one in re.findall(r'data-recording="([^"]+)"', text)]
    assert len(files) <= 21
    assert sum(path.stat().st_size for path in files) <= HEAVIEST


@pytest.mark.parametrize("name", LESSONS)
def test_every_figure_has_its_caption_and_no_guess_is_given_away(site, name):
    text = (site / name).read_text("utf-8")
    for figure in re.findall(r"<figure\b.*?</figure>", text, re.DOTALL):
        said = re.search(r'aria-label="([^"]+)"|alt="([^"]+)"', figure)
        assert said and "figcaption" in figure and len(said[0]) > 20
    _, *forms = text.split('<form class="guess"')
    for form in forms:
        after = form.split("</form>", 1)[1]
        folded = after.find('<details class="experiment"')
        if form is forms[-1] or folded >= 0:  # two guesses may share an experiment
            assert folded >= 0
            assert 'class="printed"' not in after[:folded] and "<figure" not in after[:folded]


@pytest.mark.parametrize("name", LESSONS)
def test_formulas_are_mathml(site, name):
    text = re.sub(r"<(pre|code|script)\b.*?</\1>", "", (site / name).read_text("utf-8"), flags=re.DOTALL)
    assert "$" not in re.sub(r"<[^>]+>", "", text)
    formulas = re.findall(r"<math\b.*?</math>", text, re.DOTALL)
    assert all("\\" not in one for one in formulas)


def test_every_formula_has_its_letters_in_the_font(site):
    letters = {kind: set() for kind in fonts.KINDS}
    for name in ALL:
        fonts.collect((site / name).read_text("utf-8"), letters)
    css = (site / "static" / "course.css").read_text("utf-8")
    found = re.findall(r"font-family: '([^']+)'[^}]*base64,([^)]+)\)", css)
    assert css.count("@font-face") == len(found) and len(letters["math"]) > 40 and len(letters["figure"]) > 60
    known = {}
    for family, data in found:
        known.setdefault(family, []).append(set(TTFont(io.BytesIO(base64.b64decode(data))).getBestCmap()))
    assert len(known["Course Text"]) == 3 and known["Course Text"][0] >= {*map(ord, fonts.TYPEABLE)}
    (signs,) = known["Course Signs"]
    for kind, cut in {
        "code": known[fonts.CODE][0],
        "math": known["Course Math"][0],
        "figure": known["Course Text"][0] | signs,
        "bold": known["Course Text"][1] | signs,
    }.items():
        missing = {one for one in letters[kind] if ord(one) not in cut and one.strip()}
        assert not missing, (kind, missing)
    credits = (site / "credits.html").read_text("utf-8")
    assert "IBM Plex Sans" in credits and "STIX" in credits and "Bitstream" in credits


def test_a_caption_that_differs_stops_the_build():
    from publish.site.capture import Still

    lesson = catalogue.lesson("linear_limits")
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    drawn = {"opening": [Still("<g/>", "0 0 1 1", "another caption")]}
    with pytest.raises(pages.PageError, match="stored caption"):
        pages.lesson_page(lesson, notebook, drawn)
    with pytest.raises(pages.PageError, match="draws none"):
        pages.lesson_page(lesson, notebook, {})


@pytest.mark.parametrize("lesson", catalogue.lessons()[2:], ids=lambda lesson: lesson.name)
def test_a_warm_up_asks_on_the_page_what_the_notebook_stores(lesson):
    notebook = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4)
    (cell,) = [cell for cell in notebook.cells if cell.id == "warm-up"]
    made = pages.lesson_page(lesson, new_notebook(cells=[cell]), {})
    said, *stored = [output.data["text/plain"] for output in cell.outputs]
    assert len(made.questions) == 3 and made.body.count('class="question"') == 3 and 'class="score"' not in made.body
    seen = " ".join(markdown.text(made.body).split())
    for text in (said, *(line.removeprefix("**Question ").split("** ", 1)[-1] for line in stored[::2])):
        first = text.splitlines()[0]
        assert " ".join(markdown.text(markdown.inline(first)).split()) in seen, first


def test_addresses_are_written_when_the_site_has_one(teachers_site, tmp_path, monkeypatch):
    monkeypatch.setenv("SITE_URL", "https://course.example/ffn")
    monkeypatch.setenv("REPOSITORY_URL", "https://code.example/ffn")
    shutil.copytree(teachers_site, tmp_path / "site")  # what was built for a teacher before is gone
    build.build(tmp_path / "site")
    assert of_teachers(tmp_path / "site") == []
    first = (tmp_path / "site" / "index.html").read_text("utf-8")
    assert 'property="og:image" content="https://course.example/ffn/static/share.png"' in first
    assert (tmp_path / "site" / "static" / "share.png").read_bytes().startswith(b"\x89PNG")
    assert "git clone https://code.example/ffn ffn-course" in first and "course's repository" in first
    for words in ("git clone", "repository"):  # where no address is known, nothing needs it
        assert words not in (teachers_site / "index.html").read_text("utf-8")
    assert "colab" not in first.lower()  # such services know the repositories of one host
    sitemap = (tmp_path / "site" / "sitemap.xml").read_text("utf-8")
    assert sitemap.count("<loc>") == len(ALL) - 1 and "<loc>https://course.example/ffn/</loc>" in sitemap
    missing = (tmp_path / "site" / "404.html").read_text("utf-8")
    assert 'href="https://course.example/ffn/static/course.css"' in missing


def test_a_repository_on_github_can_be_opened_elsewhere():
    lesson = catalogue.lesson("linear_limits")
    for url in ("https://github.com/some-one/ffn.course", "https://github.com/some-one/ffn.course.git"):
        line = hosted_notebooks.of_lesson(url, lesson)
        found = re.findall(r'href="(https[^"]+)"', line)
        assert found == [
            "https://colab.research.google.com/github/some-one/ffn.course/blob/main/notebooks/01_linear_limits.ipynb",
        ]
        assert 'id="elsewhere"' in hosted_notebooks.explained(url) and "%pip install" in hosted_notebooks.explained(url)
    assert hosted_notebooks.of_lesson("https://code.example/ffn", lesson) == hosted_notebooks.explained("") == ""


def test_markdown_is_shown_as_in_a_notebook():
    seen = set()
    shown = markdown.blocks("## A title\n\n| a | b |\n| --- | --- |\n| $x_1$ | `c` |\n\n## A title", seen)
    assert '<h2 id="a-title">' in shown and '<h2 id="a-title-2">' in shown
    assert "<math" in shown and "<td><code>c</code></td>" in shown
    assert "<mi>FFN</mi>" in markdown.formula(r"\mathrm{FFN}(x)")
    assert '<div class="formula"><math' in markdown.blocks("$$y = x$$")


STRESSED = {
    *("how many", "not", "Writing", "exists", "finds", "given its weights", "which", "do", "gather", "compute"),
    *("values", "That", "falls", "better", "decides", "writes", "the", "and"),
    *("further", "other", "fresh", "hands on"),  # these and those above are words, no terms
    *("what enters", "after attention", "bank", "river", "shore"),  # words of the story
    *("cat", "cats", "happy", "happiness"),  # said to be no units here
    *("token", "L1 penalty"),  # told in an earlier lesson
    *("Adam", "dropless", "sparse", "muP", "causal tracing", "overfits"),  # told with the result that it explains
    *("Momentum", "velocity"),  # told with the loop that needs them
}


@pytest.mark.parametrize("name", LESSONS)
def test_a_term_is_told_outside_of_every_experiment(site, name):
    text = (site / name).read_text("utf-8")
    told = {words for words in re.findall(r"<em>([^<]+)</em>", text) if len(words.split()) <= 3}
    seen = set(re.findall(r"<em>([^<]+)</em>", without_experiments(text)))
    assert told - seen <= STRESSED


def without_experiments(text):
    """Return a page without what is folded away until a guess."""
    kept, place, depth = [], 0, 0
    for tag in re.finditer(r"<details\b[^>]*>|</details>", text):
        opens = tag[0] != "</details>"
        if depth or 'class="experiment"' in tag[0]:
            kept += [text[place : tag.start()]] if not depth else []
            depth += 1 if opens else -1
            place = tag.end()
    return "".join(kept) + text[place:]


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_an_experiment_holds_its_reasons_and_its_explanation(site, lesson):
    """What is said behind the result of a guess gives it away."""
    text = (site / pages.address(lesson)).read_text("utf-8")
    left = without_experiments(text)
    found = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells
    behind = [found[place + 1 : place + 3] for place, cell in enumerate(found) if cells.role(cell) == cells.Role.REPLY]
    for first, second in behind:
        folded = [first, second] if first.id.startswith("why-") else [first]
        assert len(folded) == 1 or f"</summary>{pages.anchor(second.id)}" in text, second.id  # a fold of its own
        for cell in folded:
            if cell.id.startswith("why-") or cells.role(cell) == cells.Role.EXPLANATION:
                assert f'id="{pages.mark(cell.id)}"' not in left, cell.id


@pytest.mark.parametrize("id", BOTH)
def test_what_notebooks_ask_with_tensors_is_asked_with_arrays(id):
    lesson = catalogue.lesson(id.partition(".")[0])
    stored = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells
    place = next(place for place, cell in enumerate(stored) if cells.checked(cell) == id)
    made = pages.lesson_page(lesson, new_notebook(cells=stored[place - 1 : place + 2]), {})
    asked = made.exercises[id]
    assert asked["arrays"] is True and asked["starter"].startswith(in_numpy.given(id)) and "TODO" in asked["starter"]
    assert "NumPy arrays take the place of tensors here" in made.body
    left = re.sub(r"Browsers have no torch, .*?</p>", "", made.body)
    assert re.findall(r"\btorch\b|\btensors?\b|\bdim=|\.double\(", left) == []


def test_what_notebooks_ask_with_arrays_is_not_said_in_other_words():
    lesson = catalogue.lesson("linear_limits")
    stored = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells
    made = pages.lesson_page(lesson, new_notebook(cells=[cell for cell in stored if cell.id.startswith("ex-1")]), {})
    assert (
        set(made.exercises["linear_limits.collapse"]) == {"starter", "title"} and "take the place of" not in made.body
    )


@pytest.mark.parametrize("solutions", [True, False])
def test_a_longer_exercise_has_its_half_between_hints_and_solution(monkeypatch, solutions):
    if not solutions:
        monkeypatch.setattr(catalogue, "solution", lambda id: None)
    last = ["Solution"] * solutions  # a half is computed from the solution
    hints = ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3"]
    for id, more in (("relu_vs_gelu.gelu_slope", ["Start from half"] * solutions), ("linear_limits.collapse", [])):
        folds = pages._Writer.help(None, id)
        assert re.findall("<summary>(.*?)</summary>", folds) == [*hints, *more, *last]


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_no_section_tells_the_answer_of_its_guess_in_the_open(site, lesson):
    text = without_experiments((site / pages.address(lesson)).read_text("utf-8"))
    text = re.sub(r"<(script|pre class=\"code\"|details).*?</(script|pre|details)>", "", text, flags=re.DOTALL)
    looked_at = 0
    for section in re.split(r"(?=<h2)", text):
        asked = set(re.findall(r'data-prediction="([^"]+)"', section))
        visible = re.sub(r"<[^>]+>", " ", re.sub(r'<[^>]*(?:aria-label|alt)="([^"]*)"[^>]*>', r" \1 ", section))
        for id, pattern, _ in FORBIDDEN:
            if id in asked:
                looked_at += 1
                assert not re.search(pattern, visible, re.IGNORECASE), (id, pattern)
    assert looked_at or not any(id.startswith(f"{lesson.name}.") for id, _, _ in FORBIDDEN)

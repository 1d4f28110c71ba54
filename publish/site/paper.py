"""A lesson's page for a class on paper: a sheet with lines for guesses, and another one with what the runs showed."""

import itertools
import re

from bs4 import BeautifulSoup

SHEET, RESULTS = "sheet", "results"  # kinds of paper
_AT_A_SCREEN = re.compile(r"\b(?:click|drag|press|type|scroll|buttons?|sliders?|keyboard)\b", re.IGNORECASE)


def papers(page: str) -> dict[str, str]:
    """Return a lesson's page as two pages to be printed: kind -> HTML; addresses in it stay as they are.

    Args:
        page: HTML, as the site has it.
    """
    soup = BeautifulSoup(page, "html.parser")
    for script in soup.select("script"):
        script.decompose()
    soup.main["class"] = "paper"
    results, title = _turn(soup), soup.h1
    sheet = str(soup)
    soup.main.clear()
    soup.main.extend([title, results])
    return {SHEET: sheet, RESULTS: str(soup)}


def _turn(soup):
    """Keep the core path, with lines for guesses, take out what answers them, and return that.

    Nothing that follows an experiment stays in front: a caption, a table or a sentence can tell a later guess.
    """
    _lines(soup)
    left_out = ".answers, .help, .hand-in, .next, .toc, .try, .component, .controls, .plumbing"
    for part in soup.select(left_out):
        part.decompose()
    for said in soup.main.select("p, li"):
        if _AT_A_SCREEN.search(said.get_text()):
            _without_screen(said)
    for fold in soup.select("details.numbers"):
        fold.name = "div"
        fold.summary.decompose()
    for fold in soup.select(".aside, .warm-up"):
        fold["open"] = ""
    for heading in soup.main.find_all("h2", id=re.compile("^optional-")):
        for one in [heading, *_until(heading, lambda one: one.name == "h2")]:
            one.extract()
    results = soup.new_tag("section", attrs={"class": "results"})
    results.append(_tag(soup, "h2", "Results: read them once your guess is on paper"))
    folds = soup.select("details.experiment")
    for number, fold in enumerate(folds, 1):
        title = fold.find_previous(["h1", "h2"]).get_text(" ", strip=True)
        behind = _until(fold, lambda one: one.name == "h2")
        guesses = [place for place, one in enumerate(behind) if "on-paper" in one.get("class", [])]
        if guesses:  # the next question stands in the last cell before the next guess
            marks = [place for place, one in enumerate(behind[: guesses[0]]) if "cell" in one.get("class", [])]
            behind = behind[: marks[-2]] if len(marks) > 1 else []
        fold.insert_before(_tag(soup, "p", f"→ Result {number}, on the sheet of results", "turn"))
        fold.summary.decompose()
        rest = [] if guesses or number < len(folds) else _until(behind[-1] if behind else fold, lambda one: False)
        results.append(_tag(soup, "h3", f"Result {number} · {title}"))
        fold.name, fold["class"] = "div", "result"
        results.append(fold.extract())
        for one in behind:
            fold.append(one.extract())
        for one in rest:
            results.append(one.extract())
    for mark in [*soup.select(".cell"), *results.select(".cell")]:
        mark.decompose()  # an empty line after a heading would let the heading end a page
    return results


def _without_screen(said):
    """Take the sentences out of a paragraph that tell what to do at a screen; an answer is written there, not typed."""
    written = re.sub(r'\bType (?=(?:an?|any|it|the)\b|["“])', "Write ", said.decode_contents())
    sentences = re.findall(r".+?[.?!](?:</\w+>)*(?:\s+|$)|.+", written, re.DOTALL)
    kept = "".join(one for one in sentences if not _AT_A_SCREEN.search(one))
    said.clear()
    said.append(BeautifulSoup(kept, "html.parser"))


def _until(first, ends):
    """Return the elements that follow one, beside it, up to one that ends them."""
    return list(itertools.takewhile(lambda one: not ends(one), first.find_next_siblings()))


def _lines(soup):
    for form in soup.select("form.guess"):
        for one in form.select("button, .reply"):
            one.decompose()
        for place in form.select("input[type=text]"):
            place.replace_with(_tag(soup, "span", "", "line"))
        for place in form.select("input[type=radio]"):
            place.replace_with("☐")
        form.name, form["class"] = "div", "on-paper"
        del form["hidden"]


def _tag(soup, name, text, css=""):
    tag = soup.new_tag(name, attrs={"class": css} if css else {})
    tag.string = text
    return tag

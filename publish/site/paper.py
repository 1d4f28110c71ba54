"""A lesson's page for a class on paper: a sheet with lines for guesses, its results behind it, the answers apart."""

import itertools
import json
import re

from bs4 import BeautifulSoup

from publish.site import markdown

SHEET, ANSWERS = "sheet", "answers"  # kinds of paper; the second is for whoever teaches, who may keep it


def papers(page: str) -> dict[str, str]:
    """Return a lesson's page as two pages to be printed: kind -> HTML; addresses in it stay as they are.

    Args:
        page: HTML, as the site has it.
    """
    sheet, answers = (BeautifulSoup(page, "html.parser") for _ in range(2))
    data = json.loads(sheet.select_one("#course-data").string)
    for one in (sheet, answers):
        for script in one.select("script"):
            script.decompose()
    _turn(sheet)
    _answer(answers, data)
    return {SHEET: str(sheet), ANSWERS: str(answers)}


def _turn(soup):
    """Keep the core path, with lines for guesses, and move what answers them to pages at the end.

    Nothing that follows an experiment stays in front: a caption, a table or a sentence can tell a later guess.
    """
    _lines(soup)
    for part in soup.select(".answers, .help, .hand-in, .next, .toc"):
        part.decompose()
    for fold in soup.select(".aside, .warm-up"):
        fold["open"] = ""
    for heading in soup.main.find_all("h2", id=re.compile("^optional-")):
        for one in [heading, *_until(heading, lambda one: one.name == "h2")]:
            one.extract()
    results = soup.new_tag("section", attrs={"class": "results"})
    results.append(_tag(soup, "h2", "Results: turn over once your guess is on paper"))
    folds = soup.select("details.experiment")
    for number, fold in enumerate(folds, 1):
        title = fold.find_previous("h2").get_text(" ", strip=True)
        behind = _until(fold, lambda one: one.name == "h2")
        asked = [place for place, one in enumerate(behind) if "on-paper" in one.get("class", [])]
        if asked:  # the next question stands in the last cell before the next guess
            marks = [place for place, one in enumerate(behind[: asked[0]]) if "cell" in one.get("class", [])]
            behind = behind[: marks[-2]] if len(marks) > 1 else []
        fold.insert_before(_tag(soup, "p", f"→ Result {number}, on the last pages", "turn"))
        fold.summary.decompose()
        rest = [] if asked or number < len(folds) else _until(behind[-1] if behind else fold, lambda one: False)
        results.append(_tag(soup, "h3", f"Result {number} · {title}"))
        fold.name, fold["class"] = "div", "result"
        results.append(fold.extract())
        for one in behind:
            fold.append(one.extract())
        for one in rest:
            results.append(one.extract())
    soup.main.append(results)


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


def _answer(soup, data):
    """Keep only the answers of a page: to each guess, question and exercise."""
    title, found = soup.h1.get_text(" ", strip=True), []
    for part in soup.select("form.guess, .question, .help"):
        first = part.find_parent(class_="warm-up") is not None
        heading = "Warm-up" if first else part.find_previous(["h1", "h2"]).get_text(" ", strip=True)
        if part.name == "form":
            name, kept = part["aria-label"], _replies(data["predictions"][part["data-prediction"]])
        elif "help" in part["class"]:
            name = part.find_previous("strong").get_text(" ", strip=True)
            kept = "".join(fold.decode_contents() for fold in part.select("details"))
            kept = kept.replace("<summary>", "<p><strong>").replace("</summary>", "</strong></p>")
        else:
            fold = part.select_one(".answers")
            name = fold.summary.extract().get_text()
            kept = fold.decode_contents()
        found.append(f"<h3>{heading} · {name}</h3>{kept}")
    page = f"<h1>{title}</h1><p>For the teacher: answers, replies, hints and solutions.</p>{''.join(found)}"
    soup.main.clear()
    soup.main.append(BeautifulSoup(f'<div class="keys">{page}</div>', "html.parser"))


def _replies(prediction):
    """Return the answer to a guess, and the replies to other guesses, as HTML."""
    if claims := prediction.get("claims"):
        return f"<p>{prediction['right']}</p>" + "".join(
            f"<p><strong>{letter}: {one['answer']}.</strong> {one['text']} {' '.join(one['replies'].values())}</p>"
            for letter, one in claims.items()
        )
    right = f"<p><strong>{markdown.inline(str(prediction['answer']))}.</strong> {prediction['right']}</p>"
    others = (f"<li>{one['guess']}: {one['says']}</li>" for one in prediction["replies"])
    return f"{right}<ul>{''.join(others)}</ul>"


def _tag(soup, name, text, css=""):
    tag = soup.new_tag(name, attrs={"class": css} if css else {})
    tag.string = text
    return tag

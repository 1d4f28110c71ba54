"""The microscope on the site: its page, the script with the model, and the card of the first page that leads there."""

import html
import json

from course_lib import microscope

PAGE, ID = "microscope.html", "microscope"
TITLE, PROMISE = "A microscope", "Look inside a running language model: type, and see what its hidden units wait for."
QUESTION = "What is this unit waiting for?"
LESSONS = ("inside_a_language_model", "real_model")  # to which it leads
CARD = ("class Bank:\n    def close(self):\n        self", 2, 473)  # with what the component begins: FFN and unit
LEVELS = (0.05, 1 / 3, 2 / 3)  # from these strengths on a character is painted, more, and most


def script() -> str:
    """Return the script that hands the model to the component that loads it."""
    given = json.dumps(microscope.data(), separators=(",", ":"))
    return f'document.currentScript.dispatchEvent(new CustomEvent("weights", {{ detail: {given} }}));\n'


def on_page(weights: str, **more) -> dict:
    """Return what stands in a page instead of the model's numbers, which are loaded when somebody wants them.

    weights: the address of the script.
    """
    return {"weights": weights, "link": f"{PAGE}#{ID}", **more}


def light(components: dict, weights: str) -> dict:
    """Return the components of a page, with the address of the model's numbers in place of the numbers."""
    changed = {id: one | {"data": on_page(weights)} for id, one in components.items() if "packed" in one["data"]}
    return components | changed


def page(lesson: str, real: str) -> str:
    """Return what stands on the page around the component; lesson, real: the pages of LESSONS."""
    return (
        f"<h1>{QUESTION}</h1><p>It is one of 1,536 hidden units of a small language model that has read only Python. "
        "The greener a character, the more strongly the unit fires there.</p>"
        f'<div class="component" data-component="microscope" id="{ID}"></div>'
        '<p class="without-scripts">The microscope runs in this page, so it needs scripts.</p>'
        "<p>The model runs in your browser, with the weights of "
        f'<a href="{lesson}">lesson 10</a>, which shows how a unit gets its name and how to write one yourself. '
        "Strengths are relative: 1 is the value that a unit exceeds at only two in a thousand characters of part B, "
        "which played no part in choosing names or thresholds.</p>"
        f'<p>In the notebook of <a href="{real}">lesson 15</a> there is a microscope on a model of English that people '
        "use, with 30 FFNs; your own computer runs that one.</p>"
    )


def card() -> str:
    """Return the card of the first page: a text that one unit has painted, and the way to the page."""
    text, ffn, unit = CARD
    letters = ""
    for letter, s in zip(text, microscope.strengths(text, ffn, unit), strict=True):
        level = sum(s >= one for one in LEVELS)
        letters += f'<span data-level="{level}" style="--s:{s:.2f}">{letter}</span>' if level else html.escape(letter)
    return (
        f'<section class="glimpse"><div><h2>{QUESTION}</h2><p>It is one of 1,536 hidden units '
        "of a small language model. The more strongly it fires at a character, the greener that character is.</p>"
        f'<p><a class="button" href="{PAGE}">Find out</a></p></div>'
        f'<pre translate="no">{letters}</pre></section>'
    )

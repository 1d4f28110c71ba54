"""The passage: the story of the bank as a stage that plays, in place of its recorded picture on a page.

The stage is drawn by static/passage.js and computed by static/passage-numbers.js, from the numbers that stand here.
What it may show grows with the lessons, since no picture tells what a later guess asks for.
"""

import html
import json
import re

from course_lib.model import bank

SCRIPTS = ("passage-numbers.js", "passage.js")
CALLED = re.compile(r"^which_bank\((?:lifted=)?(\d?)\)\Z", re.MULTILINE)
STEPS = ("enter", "attention", "ask", "bend", "write", "add")
LAST_BEFORE_ASKED = STEPS.index("ask")  # of the first page: its question is what comes then
_AFTER_GELU = 3  # the number of the first lesson whose reader has guessed where GELU is lowest
_WORDS = (
    "We wired this layer by hand: nothing in it is trained, every number has a name, and there are no norms. A curved "
    "line is a weight: the wider the line, the larger the weight. Vermilion is above zero, blue below. Each ⊕ adds to "
    "the stream."
)


def numbers() -> dict:
    """Return the whole layer of the story, as the page computes with it."""
    ways = {cue: bank.way(cue) for cue in bank.CUES}
    arrays = {"asks": bank.ASKS, "answers": bank.ANSWERS, "brought": bank.BROUGHT}
    arrays |= {"W1": bank.W1, "b1": bank.B1, "W2": bank.W2}
    return {
        "features": bank.FEATURES,
        "cues": bank.CUES,
        "sharpness": bank.SHARPNESS,
        "words": {cue: way.words for cue, way in ways.items()},
        "x": {cue: way.x.tolist() for cue, way in ways.items()},
        **{name: array.tolist() for name, array in arrays.items()},
    }


def shows(number: int, lifted: int) -> dict:
    """Return what the stage of a lesson may show.

    bends: what can stand in the place of ReLU. counter: how many sums the bend sets to zero, which lesson 04 asks
    about. sums: whether a unit shows its weights and its threshold, which an exercise of lesson 04 asks for. rows: all
    five rows, and where a number is moved, which lesson 05 asks about.
    """
    bends = ("ReLU", "GELU", "none") if number >= _AFTER_GELU else ("ReLU", "none")
    return {"bends": bends, "counter": lifted > 0, "sums": number > 4, "rows": lifted > 1}


def lifted(source: str) -> int | None:
    """Return how many covers a code cell lifts when it ends by showing the story; None for any other cell."""
    found = CALLED.search(source.strip())
    return int(found[1] or 0) if found else None


def figure(id: str, still: str, shown: dict, upto: int | None = None) -> str:
    """Return the stage as HTML.

    Args:
        still: the picture for a browser without scripts. shown: from `shows`. upto: the last of STEPS that is shown
            before the question of its page is answered.
    """
    given = {"layer": numbers(), "shows": shown, "upto": upto}
    data = html.escape(json.dumps(given, ensure_ascii=False, separators=(",", ":")))
    return (
        f'<figure class="passage" id="{id}" data-passage="{data}"><div class="stage"></div><noscript>{still}</noscript>'
        f"<figcaption><p>{_WORDS}</p></figcaption></figure>"
    )

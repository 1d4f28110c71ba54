"""The language model of lesson 10 for the pages: its weights in a script, and the text fields that feed it.

The weights are stored as float16, so their 16 bits go to the page unchanged, and nothing is rounded again. They
stand in a classic script, because a page opened as a file may not fetch what lies beside it.
"""

import base64
import html
import json
from dataclasses import dataclass
from functools import cache

import numpy as np

from course_lib.model import contexts, excerpts, language_model, reading
from course_lib.model.one_thread import torch

LENGTH = 8200  # characters of each part that the lesson reads
CONTEXT, WRITES = "self", "i"  # of the unit that lesson 10 writes by hand
BEST = (1, 74)  # the FFN and the unit that recognises it best
HELD = 0.8  # a name counts above this F1, on both parts
LESSON = "inside_a_language_model"
PLACES = {"explain-6": "lesson", "explain-8": "switches"}  # cells of it, and what follows them on the page
SWITCHES_AFTER = f"{LESSON}.predict_removed"  # they tell what this guess asks
FIRST_PAGE = ("The river reached the bank.", 1, 427)  # a text, and the FFN and the unit that paint it
IN_LESSON = ("    def close(self):\n        self", 2, 474)
STRONGEST, NEXT = 10, 5
FIRES = (0.05, 1 / 3, 2 / 3)  # shares of a unit's large value, at which a character is painted, more and most


@dataclass(frozen=True)
class Known:
    """What the course knows of the model's units.

    tops: (ffns, units), a large value of each, which is painted as 1, as lesson 10 paints. names: for some units of
    each FFN, by their numbers from 1, the context and its F1 on part B. own: w and bias of the unit of section 4.
    best: the FFN and the unit that section 4 holds beside its own, its name with its own threshold, and its F1.
    """

    tops: np.ndarray
    names: list[dict[int, tuple[str, float]]]
    own: tuple[np.ndarray, float]
    best: tuple[int, int, str, float]


def weights() -> tuple[dict, str]:
    """Return what a page must know of the weights, and their 16-bit floats, one after the other, in base64."""
    state = language_model.trained().state_dict()
    shapes = [(name, list(weight.shape)) for name, weight in state.items()]
    numbers = np.concatenate([weight.numpy().ravel() for weight in state.values()])
    halves = numbers.astype("<f2")
    if not np.array_equal(halves.astype(np.float32), numbers):
        raise ValueError("The weights are no longer those of 16 bits: the pages would round them.")
    sizes = language_model.trained().sizes
    about = {"sizes": sizes, "shapes": shapes, "characters": language_model.CHARACTERS}
    return about, base64.b64encode(halves.tobytes()).decode()


@cache
def known() -> Known:
    """Return what lesson 10 finds out about the units: on part A it chooses, on part B it judges."""
    parts = [excerpts.excerpt(part, LENGTH) for part in excerpts.PARTS]
    seen = [reading.of_part(part) for part in excerpts.PARTS]
    labels = [contexts.contexts(part) for part in parts]
    names = list(labels[0])
    truths = [np.stack(list(one.values()), axis=1)[read.places] for one, read in zip(labels, seen, strict=True)]
    found = []
    for on_a, on_b in zip(*(one.hidden for one in seen), strict=True):
        f1_a, which, limits = contexts.best_names(on_a, truths[0])
        f1_b = {u: contexts.f1(on_b[:, u] > limits[u], truths[1][:, which[u]]) for u in np.flatnonzero(f1_a > HELD)}
        found.append({int(u) + 1: (names[which[u]], score) for u, score in f1_b.items() if score > HELD})
    here = [contexts.ends_with(part.text, CONTEXT)[read.places] for part, read in zip(parts, seen, strict=True)]
    own = reading.unit_for(seen[0].inputs[-1], here[0])
    tops = np.stack([np.quantile(h[::4], 0.998, axis=0) for h in seen[1].hidden])
    on_a, on_b = (one.hidden[BEST[0] - 1][:, BEST[1] - 1] for one in seen)
    limit = contexts.best_limit(on_a, here[0])
    best = (*BEST, f"after {CONTEXT!r}, above {limit:.1f}", contexts.f1(on_b > limit, here[1]))
    return Known(tops, found, own, best)


def script() -> str:
    """Return the script that hands the weights, and what is known of the units, to the page."""
    about, packed = weights()
    units = known()
    w, bias = units.own
    names = [{unit: [name, round(score, 2)] for unit, (name, score) in row.items()} for row in units.names]
    ffn, unit, name, score = units.best
    names[ffn - 1][unit] = [name, round(score, 2)]
    about |= {
        "tops": [[float(f"{one:.4g}") for one in row] for row in units.tops],
        "names": names,
        "own": {"w": [float(f"{one:.8g}") for one in w], "bias": float(f"{bias:.8g}"), "writes": WRITES},
    }
    return f'course.weights({json.dumps(about, separators=(",", ":"))}, "{packed}");\n'


def strengths(text: str, ffn: int, unit: int) -> list[float]:
    """Return how strongly a unit fires at each character of a text, as it is painted: at most 1."""
    model, kept = language_model.trained(), []
    hook = model.blocks[ffn - 1].ffn.down.register_forward_pre_hook(lambda layer, given: kept.append(given[0]))
    model(torch.from_numpy(language_model.encoded(text))[None])
    hook.remove()
    return [min(1.0, float(one)) for one in kept[0][0, :, unit - 1] / known().tops[ffn - 1, unit - 1]]


def _field(id, label, text, ffn, unit, painted=False):
    """Return a field into which one types, and behind it the same letters, which are painted."""
    letters = ""
    if painted:
        for letter, s in zip(text, strengths(text, ffn, unit), strict=True):
            level = sum(s >= one for one in FIRES)
            letters += f'<span data-level="{level}" style="--s:{s if level else 0:.3f}">{html.escape(letter)}</span>'
    return (
        f'<label for="{id}-text">{label}</label><div class="sheet">'
        f'<div class="paint" aria-hidden="true">{letters}</div>'
        f'<textarea id="{id}-text" rows="1" spellcheck="false" autocapitalize="off" autocomplete="off" '
        f'autocorrect="off" aria-describedby="{id}-said">{html.escape(text)}</textarea></div>'
    )


def _begin(id, address, ffn, unit, more=""):
    return f'<div class="typing" id="{id}" data-weights="{address}" data-ffn="{ffn}" data-unit="{unit}"{more} hidden>'


def invitation(address: str, lesson: str) -> str:
    """Return the text field of the first page: one unit, and the question of what it fires at.

    Args:
        address: of the script of the weights. lesson: the page of lesson 10.
    """
    text, ffn, unit = FIRST_PAGE
    fires = sum(s >= FIRES[0] for s in strengths(text, ffn, unit))
    return (
        f"{_begin('type', address, ffn, unit)}<div><h2>What is this unit waiting for?</h2>"
        "<p>It is one hidden unit of a small trained language model. The more strongly it fires at a character, the "
        "greener that character is. Type, and find out.</p>"
        f'<p class="more"><a href="{lesson}">Lesson 10</a> opens the whole model.</p>'
        f"</div><div>{_field('type', 'Type anything', text, ffn, unit, painted=True)}"
        f'<p class="said" id="type-said" role="status">It fires at {fires} of {len(text)} characters.</p>'
        '<ul class="painted-list aloud" aria-label="The painted characters"></ul></div></div>'
    )


def after(lesson: str, id: str, address: str) -> str:
    """Return what follows a cell of a lesson on its page; most often nothing."""
    if lesson != LESSON or id not in PLACES:
        return ""
    return _microscope(address) if PLACES[id] == "lesson" else _to_switches()


def _to_switches():
    return (
        '<p class="to-typing scripted">The text field in section 4 now has a switch for each FFN. '
        '<button type="button" class="to-switches">Switch an FFN off</button></p>'
    )


def _microscope(address):
    text, ffn, unit = IN_LESSON
    numbers = range(1, len(known().names) + 1)
    fields = "".join(
        f'<div><span class="name">FFN {number}<small> · off</small></span><canvas role="img" '
        f'aria-label="The 512 units of FFN {number}; those that fire at the chosen character are green"></canvas></div>'
        for number in numbers
    )
    strongest = STRONGEST * '<li hidden><button type="button"><b></b><i></i><span></span></button></li>'
    following = NEXT * "<li hidden><b></b><span></span></li>"
    switches = "".join(f'<label><input type="checkbox"> <span>FFN {number}</span></label>' for number in numbers)
    begin = _begin("typing", address, ffn, unit, f' data-after="{SWITCHES_AFTER}"')
    return (
        f"{begin}"
        "<p><b>Type, and look inside.</b> This is the model itself, on this page. One unit paints the text. "
        "Click a character, or go to it with the arrow keys, to see all units there "
        "and what the model expects next.</p>"
        f"{_field('typing', 'Your text', text, ffn, unit)}"
        '<div class="chooser"><label>FFN <input type="number" name="ffn" min="1" max="3"></label>'
        '<label>unit <input type="number" name="unit" min="1" max="512"></label><span class="about-unit"></span>'
        '<span class="link"><span class="copied" role="status"></span>'
        '<button type="button" class="copy-link">Copy link</button></span></div>'
        '<p class="said" id="typing-said" role="status"></p>'
        '<p class="heading">All units at <span class="what-is-chosen"></span><span class="pointed"></span></p>'
        f'<div class="fields">{fields}</div>'
        '<div class="beside"><div><p class="heading">The ten strongest there</p>'
        f'<ol class="strongest">{strongest}</ol></div><div><p class="heading">What the model expects next</p>'
        f'<ol class="next">{following}</ol>'
        f'<div class="own"><label for="typing-own">Our unit, which writes <code>{WRITES}</code> after '
        f'<code>{CONTEXT}</code>: length of its column</label><span class="slider" style="--at:0">'
        '<input type="range" id="typing-own" min="0" max="40" value="0">'
        '<output for="typing-own">0</output></span><p class="own-value"></p></div>'
        '<fieldset class="off" hidden><legend>FFNs to switch off, so that they write nothing</legend>'
        f'<span class="segments">{switches}</span></fieldset></div></div>'
        '<details class="numbers"><summary>The painted characters as a list</summary>'
        '<ul class="painted-list"></ul></details>'
        '<p class="small">Strengths are relative: 1 is the value that a unit exceeds at only two in a thousand '
        "characters of part B. Framed cells have a name from section 3, with its F1 on part B (one has a threshold of "
        "its own). The weights are the same as in the lesson, where they are stored in 16 bits as well.</p></div>"
    )

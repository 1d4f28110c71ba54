"""The microscope: the language model of lesson 10 as a component, with what the course knows of its units.

The weights are stored as float16, so their 16 bits go to the browser unchanged, and nothing is rounded again.
"""

import base64
from functools import cache

import numpy as np

from course_lib.components import FOLDER
from course_lib.model import contexts, excerpts, language_model, reading
from course_lib.painted import painted
from courseware.arguments import integer, words
from courseware.page.components import Component

CONTEXT, WRITES = "self", "i"  # of the unit that lesson 10 writes by hand
HELD = 0.8  # a name counts above this F1, on both parts
# Answers to "What is this unit waiting for?": a pattern of the text up to its character, and the context that it names.
WAITS = {
    "any space": (" ", "at ' '"),
    "a space at the start of a line": ("(^|\n) +", "after only spaces in its line"),
    "eight spaces in a row": (" {8}", "after '        '"),
    "the end of a line": ("\n", "at '\\n'"),
    "a line that begins with def": ("(^|\n) *def .*", ""),
    "the word self": ("self", "after 'self'"),
    "a capital letter": ("[A-Z]", "at a capital letter"),
    "the letter a": ("a", "at 'a'"),
    "the letter i": ("i", "at 'i'"),
    "the letter m": ("m", "at 'm'"),
    "the letter w": ("w", "at 'w'"),
    "an opening bracket": (r"\(", "at '('"),
    "a closing bracket": (r"\)", "at ')'"),
    "a comma": (",", "at ','"),
    "a full stop": (r"\.", "at '.'"),
    "three quotation marks": ('"""', 'after \'"""\''),
}
TOP = 0.998  # what is painted as 1: the value that a unit exceeds at two in a thousand characters of part B


def microscope(text: str, ffn: int = 2, unit: int = 473, model=None) -> Component:
    """Return the component with a text that a unit paints.

    In its still each other FFN paints with its strongest unit at the last character, the first of equal ones.

    Args:
        ffn: 1 to 3, or 1 to 30 in the real model. unit: 0 to 511, or 0 to 1535.
        model: a `course_lib.model.real.RealModel`, in place of the language model of lesson 10.

    Raises:
        TypeError, ValueError: there is no such unit, or text is empty or holds characters that the model does not know.
    """
    if model is not None:
        from course_lib import real_microscope  # here, since it needs a lesson, and few have its model

        return real_microscope.microscope(text, ffn, unit, model)
    ffn, unit = integer("ffn", ffn, 1, 3), integer("unit", unit, 0, 511)
    seen = words("text", text)[: language_model.trained().seq_len]
    last = {number: int(strengths(seen, number)[-1].argmax()) for number in (1, 2, 3)} | {ffn: unit}
    values = [strengths(seen, *one) for one in last.items()]
    still = painted(seen, values, [f"FFN {number}, unit {one}" for number, one in last.items()])
    return Component("microscope", data(), {"text": text, "ffn": ffn, "unit": unit}, still=still, folder=FOLDER)


def weights() -> dict:
    """Return what a browser must know of the weights; packed: their 16-bit floats, one after the other, in base64."""
    model = language_model.trained()
    numbers = np.concatenate([weight.numpy().ravel() for weight in model.state_dict().values()])
    halves = numbers.astype("<f2")
    if not np.array_equal(halves.astype(np.float32), numbers):
        raise ValueError("The weights are no longer those of 16 bits: a browser would round them.")
    shapes = [(name, list(weight.shape)) for name, weight in model.state_dict().items()]
    known = {"sizes": model.sizes, "shapes": shapes, "characters": language_model.CHARACTERS}
    return known | {"packed": base64.b64encode(halves.tobytes()).decode()}


@cache
def tops() -> np.ndarray:
    """Return a large value of each unit, (ffns, units), which is painted as 1, as lesson 10 paints."""
    return np.stack([np.quantile(h[::4], TOP, axis=0) for h in reading.of_part("B").hidden])


@cache
def names() -> list[dict]:
    """Return for some units of each FFN the context that lesson 10's search finds on part A, and its F1 on part B.

    They are those with an F1 above 0.8 on both parts.
    """
    seen = [reading.of_part(part) for part in excerpts.PARTS]
    labels = [contexts.contexts(excerpts.excerpt(part, reading.LENGTH)) for part in excerpts.PARTS]
    words, found = list(labels[0]), []
    truths = [np.stack(list(one.values()), axis=1)[read.places] for one, read in zip(labels, seen, strict=True)]
    for on_a, on_b in zip(*(one.hidden for one in seen), strict=True):
        f1_a, which, limits = contexts.best_names(on_a, truths[0])
        f1_b = {u: contexts.f1(on_b[:, u] > limits[u], truths[1][:, which[u]]) for u in np.flatnonzero(f1_a > HELD)}
        found.append({int(u): (words[which[u]], score) for u, score in f1_b.items() if score > HELD})
    return found


def data() -> dict:
    """Return all that the component computes with, as JSON holds it."""
    a = reading.of_part("A")
    here = contexts.ends_with(excerpts.excerpt("A", reading.LENGTH).text, CONTEXT)[a.places]
    w, bias = reading.unit_for(a.inputs[-1], here)
    return weights() | {
        "tops": [[float(f"{one:.4g}") for one in row] for row in tops()],
        "names": [{unit: (name, round(f1, 2)) for unit, (name, f1) in row.items()} for row in names()],
        "waits": [(answer, *asked) for answer, asked in WAITS.items()],
        "own": {"w": [float(f"{one:.8g}") for one in w], "bias": float(f"{bias:.8g}"), "writes": WRITES},
    }


def strengths(text: str, ffn: int, unit: int | slice = slice(None)) -> np.ndarray:
    """Return how strongly a unit, or each unit, fires at each character of a text, as it is painted: from 0 to 1."""
    model, kept = language_model.trained(), []
    hook = model.blocks[ffn - 1].ffn.down.register_forward_pre_hook(lambda layer, given: kept.append(given[0]))
    model(language_model.torch.from_numpy(language_model.encoded(text))[None])
    hook.remove()
    return (kept[0][0, :, unit].numpy() / np.maximum(tops()[ffn - 1, unit], 1e-9)).clip(0, 1)

"""The language model of lesson 10 for the pages: its weights in a script, and the fields into which one types.

The weights are stored as float16, so their 16 bits go to the page as they are, and nothing is rounded once more. They
stand in a classic script, because a page opened as a file may not fetch what lies beside it.
"""

import base64
import html
import json
from dataclasses import dataclass
from functools import cache

import numpy as np

from course_lib.model import contexts, excerpts, language_model, reading

LENGTH = 8200  # characters of each part that the lesson reads
CONTEXT, WRITES = "self", "i"  # of the unit that lesson 10 writes by hand
HELD = 0.8  # a name counts above this F1, on both parts


@dataclass(frozen=True)
class Known:
    """What the course knows of the model's units.

    tops: (ffns, units), a large value of each, which is painted as 1, as lesson 10 paints. names: for some units of each
    FFN, by their numbers from 1, the context and its F1 on part B. own: what the unit of section 4 reads, w and bias.
    """

    tops: np.ndarray
    names: list[dict[int, tuple[str, float]]]
    own: tuple[np.ndarray, float]


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
    return Known(tops, found, own)


def script() -> str:
    """Return the script that hands the weights, and what is known of the units, to the page."""
    about, packed = weights()
    units = known()
    w, bias = units.own
    about |= {
        "tops": [[float(f"{one:.4g}") for one in row] for row in units.tops],
        "names": [{unit: [name, round(score, 2)] for unit, (name, score) in row.items()} for row in units.names],
        "own": {"w": [float(f"{one:.8g}") for one in w], "bias": float(f"{bias:.8g}"), "writes": WRITES},
    }
    return f'course.weights({json.dumps(about, separators=(",", ":"))}, "{packed}");\n'

"""Read a recording without the page's script, so that the two can be compared."""

import base64
import json
import re
import zlib

import numpy as np


def read(script: str) -> dict:
    """Return the data of a recording from its script."""
    found = json.loads(re.fullmatch(r'course\.recording\("[\w-]+", (.*)\);\n', script)[1])
    return json.loads(zlib.decompress(base64.b64decode(found))) if isinstance(found, str) else found


def state(data: dict, values: dict) -> tuple[list[str], str]:
    """Return (drawings of the layers, caption) for values of the controls."""
    controls = data["controls"]
    at = [control["values"].index(values[control["name"]]) for control in controls]

    def find(part):
        sizes = [len(controls[axis]["values"]) for axis in part["dims"]]
        places = np.reshape(part["table"], sizes)
        return filled(part, int(places[tuple(at[axis] for axis in part["dims"])]))

    return [find(layer) for layer in data["layers"]], find(data["captions"]).replace("\n", " ").strip()


def filled(part: dict, place: int) -> str:
    """Return one of the texts of a part: as it is, or a form with its numbers put in."""
    if "texts" in part:
        return part["texts"][place]
    form, *numbers = part["filled"][place].split(" ")
    first, *others = part["forms"][int(form)]
    return first + "".join(number + piece for number, piece in zip(numbers, others, strict=True))

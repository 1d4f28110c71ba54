"""The picture of the course's story: the layer of `course_lib.model.bank`, through which a word's numbers go.

What it shows grows with the lessons.
"""

import itertools

import numpy as np

from course_lib import bank as picture
from course_lib.components import FOLDER
from course_lib.model import bank as numbers
from courseware.arguments import integer
from courseware.content import Prediction
from courseware.page.components import Component

MOST = 1  # how far a number can be moved, up or down


def which_bank(lifted: int = 0, guess: Prediction | None = None) -> Component:
    """Return the layer as a component.

    Args:
        lifted: how much the picture lets in: 1, from lesson 04 on, GELU and a count of the units that are off; 2, from
            lesson 05 on, all five rows, where a number is moved, and a unit's weights as well.
        guess: what it asks before it shows what the bend does; by default it shows everything at once.

    Raises:
        TypeError, ValueError: lifted is no whole number from 0 to 2.
    """
    lifted = integer("lifted", lifted, 0, 2)
    arrays = {"asks": numbers.ASKS, "answers": numbers.ANSWERS, "brought": numbers.BROUGHT}
    arrays |= {"W1": numbers.W1, "b1": numbers.B1, "W2": numbers.W2}
    ways = {cue: numbers.way(cue) for cue in numbers.CUES}
    data = {
        "features": list(numbers.FEATURES),
        "cues": list(numbers.CUES),
        "sharpness": numbers.SHARPNESS,
        "words": {cue: list(way.words) for cue, way in ways.items()},
        "x": {cue: way.x.tolist() for cue, way in ways.items()},
        **{name: array.tolist() for name, array in arrays.items()},
        "bends": ["ReLU", "GELU", "none"] if lifted else ["ReLU", "none"],
        "counter": lifted > 0,
        "sums": lifted > 1,
        "rows": lifted > 1,
        "most": MOST,
        "reach": _reach(),
        "note": picture.NOTE,
        "question": guess and _question(guess),
    }
    return Component("bank", data, still=picture.still(data, ways[numbers.CUES[0]]), folder=FOLDER)


def _question(guess):
    says = {reply.guess: f"{reply.says} " for reply in guess.replies}
    options = {
        letter: {"text": text, "reply": says.get(letter, "") + guess.right} for letter, text in picture.OPTIONS.items()
    }
    return {
        "id": guess.id,
        "prompt": picture.PROMPT,
        "options": options,
        "answer": guess.answer,
        "past": picture.PAST,
        "unbent": picture.UNBENT,
    }


def _reach():
    """Return the lowest and the highest sum that any unit comes to, whichever number is moved."""
    moves = range(1, 6), range(1, 1 + len(numbers.FEATURES)), (-MOST, MOST)
    places = itertools.product((numbers.ATTENTION, numbers.FFN), *moves)
    sums = [numbers.way(cue, moved=place).asked for cue, place in itertools.product(numbers.CUES, places)]
    return [float(np.min(sums)), float(np.max(sums))]

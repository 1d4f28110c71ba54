"""Guesses that are drawn: what a page needs to draw a guess, and then the result over it.

predictions.toml says how a guess is drawn. The lesson's `drawn.py` computes the result, in a function with the short
name of the prediction, so that no number is written down twice.
"""

import dataclasses
import importlib
from functools import cache

from courseware.content import Prediction

DIGITS = 4  # significant ones, of what is only drawn


@cache
def truth(id: str) -> tuple[tuple, tuple]:
    """Return the result of the experiment behind a drawn prediction.

    Returns:
        line: points (x, y) of the curve; of a bar the one border, as its y. dots: a point for each seed.
    """
    lesson, _, short = id.partition(".")
    line, dots = getattr(importlib.import_module(f"lessons.{lesson}.drawn"), short)()
    return _plain(line), _plain(dots)


def asked(prediction: Prediction) -> float:
    """Return the result at the place of the reader's point: the number that is guessed."""
    line, _ = truth(prediction.id)
    if prediction.drawn.kind == "dip":
        return min(line, key=lambda point: point[1])[0]
    return dict(line)[prediction.drawn.at] if prediction.drawn.kind == "curve" else line[0][1]


def data(prediction: Prediction) -> dict:
    """Return how a prediction is drawn, and its result, as plain JSON values."""
    drawn, (line, dots) = prediction.drawn, truth(prediction.id)
    how = {
        key: value for key, value in dataclasses.asdict(drawn).items() if value is not None and value not in ("", ())
    }
    if drawn.given:
        how["given"] = [point for point in line if point[0] in drawn.given]
    if drawn.after:
        how["after"] = f"{prediction.id.partition('.')[0]}.{drawn.after}"
    return how | {"truth": {"line": line, "dots": dots}}


def _plain(points):
    return tuple((float(f"{x:.{DIGITS}g}"), float(f"{y:.{DIGITS}g}")) for x, y in points)

"""A figure that moves, a question, and pictures as arrays, for the tests in this folder."""

import base64
import io

import numpy as np
from PIL import Image

from courseware.content import Option, Question
from courseware.page.interactive import Interactive, Range
from courseware.page.style import OUTPUT, blank, styled
from courseware.page.verdict import SIGNS, WORDS
from whywrong.task import Status

CORRECT, NOT_YET = (f"{SIGNS[status]} {WORDS[status]}" for status in (Status.CORRECT, Status.NOT_YET))

SPEED = Range("speed", 1, 5, step=1, start=2)
QUESTION = Question(
    "t.ask-two",
    "Why **this**?",
    (Option("one", "No: *one*."), Option("two", "Yes: two.", right=True), Option("three", "No: three.")),
)


@styled
def wave() -> Interactive:
    """Make a figure with a curve, an image, dots and words that move."""
    figure, (left, right) = blank(columns=2)
    x = np.linspace(0, 6, 50)
    moving = {
        "curve": left.plot(x, x * 0, color=OUTPUT)[0],
        "image": right.imshow(np.zeros((4, 4)), vmin=0, vmax=9),
        "dots": [left.plot([], [], "o", color=OUTPUT)[0] for _ in range(2)],
        "words": left.text(0.1, 0.9, "", transform=left.transAxes),
    }
    left.set(ylim=(-1.2, 1.2), xlabel="x", title="a wave")

    def update(speed, kind="sine"):
        y = np.sin(speed * x) if kind == "sine" else np.cos(speed * x)
        data = {
            "curve": {"data": (x, y)},
            "image": {"data": np.full((4, 4), float(speed))},
            "dots": [{"data": ([x[at]], [y[at]]), "visible": speed > 1} for at in (10, 20)],
            "words": {"text": f"speed {speed}"},
        }
        return data, f"A {kind} with speed {speed} & <more>."

    return Interactive(figure, update, moving)


def pixels(png: bytes) -> np.ndarray:
    """Return the colours of a PNG, (height, width, 3)."""
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=int)


def png(output) -> bytes:
    """Return the picture in an output."""
    return base64.b64decode(output["data"]["image/png"])

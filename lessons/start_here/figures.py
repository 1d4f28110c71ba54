"""The emblem of the course: tokens on their way through an FFN, which the reader turns."""

import numpy as np

from course_lib.arguments import integer, real
from course_lib.formats import minus
from course_lib.model.numpy_ffn import relu
from course_lib.page import stages
from course_lib.page.caption import Caption
from course_lib.page.interactive import Interactive
from course_lib.page.stages import Stage
from course_lib.page.style import HIDDEN, INPUT, LOW, OUTPUT, styled

NAMES = ("input", "after the first layer", "after the activation", "output")
#: The stage that stays covered, since a lesson asks what it looks like.
COVERED = "after the activation"


@styled
def emblem(tokens: int = 4, d_model: int = 8, d_ff: int = 32) -> Interactive:
    """Show tokens on their way through an untrained FFN, while the reader turns all of them; keyword: degrees.

    A turned token is a cos t + b sin t, for two random rows a and b of its own. The third stage stays covered.

    Args:
        tokens: rows; d_model, d_ff: numbers of a token outside and in the middle.
    """
    tokens, d_model = integer("tokens", tokens, 1, 12), integer("d_model", d_model, 1, 64)
    d_ff = integer("d_ff", d_ff, 1, 256)
    rng = np.random.default_rng(0)
    a, b = rng.normal(size=(2, tokens, d_model))
    weights = rng.normal(size=(d_model, d_ff)) / np.sqrt(d_model), rng.normal(size=(d_ff, d_model)) / np.sqrt(d_ff)
    turned = [_through(a, b, weights, degrees) for degrees in range(0, 360, 15)]
    limit = max(np.abs(stage).max() for at_angle in turned for stage in at_angle)
    shown = zip(NAMES, turned[0], (INPUT, HIDDEN, HIDDEN, OUTPUT), strict=True)
    drawn = stages.draw(
        [Stage(name, values, color, covered=name == COVERED) for name, values, color in shown],
        limit=limit,
        size=LOW,
        label="value",
    )

    def update(degrees):
        values = _through(a, b, weights, real("degrees", degrees))
        data = {"images": [{"data": stage} for stage in _open(values)]}
        message = f"Turned by {degrees:g}°: {tokens} tokens of {d_model} numbers become {d_ff} numbers each, and {d_model} again."
        ends = " to ".join(minus(f"{end:.1f}") for end in (values[1].min(), values[1].max()))
        rest = (
            f"Rows are tokens, and every panel has the same colours: blue below zero, blank for zero, vermilion above. "
            f"After the first layer the numbers go from {ends}. The grey panel stays covered until you have made "
            "your guess in lesson 04."
        )
        return data, Caption(message, rest)

    return Interactive(drawn.figure, update, {"images": list(_open(drawn.images))}, drawn.over)


def _through(a, b, weights, degrees):
    """Return the four stages of the tokens, turned by some degrees."""
    x = np.cos(np.radians(degrees)) * a + np.sin(np.radians(degrees)) * b
    z = x @ weights[0]
    h = relu(z)
    return x, z, h, h @ weights[1]


def _open(values):
    """Return what belongs to the stages that are not covered."""
    return [one for name, one in zip(NAMES, values, strict=True) if name != COVERED]

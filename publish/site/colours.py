"""The colours of drawings as a page may choose them: a variable, or its mixture with the ground or with the ink."""

import functools

from matplotlib.colors import to_rgb

from courseware.page import palette

FIGURES = ("input", "output", "hidden", "reference", "target", "fifth", "sixth", "paper", "ink")
VARIABLES = {palette.LIGHT[name].lower(): f"--{name}" for name in FIGURES}
_PAPER, _INK = (1.0, 1.0, 1.0), (0.0, 0.0, 0.0)
_CLOSE = 0.02  # of 1: how far a mixture may be from the colour that was meant
_PURE = [one for one, name in VARIABLES.items() if name not in ("--paper", "--reference", "--target")]


def stylesheet(source: str) -> str:
    """Return the style of all pages, with the colours in the light and in the dark as its variables."""
    for place, theme in (("/*LIGHT*/", palette.LIGHT), ("/*DARK*/", palette.DARK)):
        source = source.replace(place, "".join(f"--{name}:{colour};" for name, colour in theme.items()))
    return source


@functools.cache
def chosen(colour: str) -> str:
    """Return a colour such as #9ccbe3 in variables of the page; what is no mixture of them, and no colour, as it is."""
    if colour in VARIABLES:
        return f"var({VARIABLES[colour]})"
    if len(colour) != 7 or not colour.startswith("#"):
        return colour
    wanted = to_rgb(colour)
    tries = [(_between(wanted, to_rgb(pure), end), pure, name) for pure in _PURE for end, name in _ENDS]
    (off, share), pure, name = min(tries)
    return f"color-mix(in srgb,var({VARIABLES[pure]}) {100 * share:.3g}%,var({name}))" if off <= _CLOSE else colour


_ENDS = ((_PAPER, "--paper"), (_INK, "--ink"))


def _between(wanted, pure, end):
    """Return how far a colour is from the line between two others, and which share of the first one is nearest."""
    along = [one - other for one, other in zip(pure, end, strict=True)]
    length = sum(one * one for one in along)
    if not length:
        return 1.0, 0.0
    share = sum((one - other) * step for one, other, step in zip(wanted, end, along, strict=True)) / length
    share = min(max(share, 0.0), 1.0)
    mixed = [other + share * step for other, step in zip(end, along, strict=True)]
    return max(abs(one - other) for one, other in zip(mixed, wanted, strict=True)), share

"""The one style of all figures stays inside them, and its colours can be seen on white."""

import re

import matplotlib
import numpy as np
from matplotlib.colors import to_hex

from courseware import packing
from courseware.page import palette, style
from courseware.page.style import HIDDEN
from tests.conftest import ROOT
from tests.courseware.page.figure_rules import LEAST, NARROW, SCRIPT, SIZES, contrast, luminance


def test_one_sided_colours_can_be_read_in_grey():
    """Each step is darker than the one before it, by about the same lightness, from white to nearly black."""
    light = np.array([luminance(style.ONE_SIDED(at)) for at in np.linspace(0, 1, style.ONE_SIDED.N)])
    assert to_hex(style.ONE_SIDED(0.0)) == "#ffffff" and contrast(style.ONE_SIDED(1.0)) > 10
    lightness = 116 * np.cbrt(np.maximum(light, 0.008856)) - 16  # CIE L*
    steps = -np.diff(lightness)
    assert steps.min() > 0 and steps.max() < 3 * steps.mean()


def test_ink_has_contrast_on_every_step():
    for at in np.linspace(0, 1, 64):
        ground = style.ONE_SIDED(at)[:3]
        light, own = luminance(ground), luminance(style.ink(ground))
        assert (max(light, own) + 0.05) / (min(light, own) + 0.05) >= 4.5


def test_the_smallest_words_are_high_enough_in_the_widest_picture():
    widest = max(width for width, _ in SIZES)
    assert style.SMALL / 72 / widest * NARROW >= LEAST
    assert SCRIPT * style.NAMED / 72 / widest * NARROW >= LEAST


def test_no_exponent_on_a_logarithmic_axis():
    figure, axes = style.blank()
    axes.semilogy([1, 2], [1e-11, 1e9])
    style.plain_powers(axes.yaxis)
    figure.canvas.draw()
    words = [tick.get_text() for tick in axes.get_yticklabels()]
    assert 3 <= len(words) <= 10 and not any("$" in word for word in words)


def test_style_stays_inside_the_function():
    before = dict(matplotlib.rcParams)

    @style.styled
    def draw(width, *, color):
        """Draw."""
        _, axes = style.blank()
        return matplotlib.rcParams["lines.linewidth"], axes.plot([0, width], color=color)[0]

    width, line = draw(3, color=HIDDEN)
    assert draw.__doc__ == "Draw." and width == line.get_linewidth() == style.STYLE["lines.linewidth"]
    assert dict(matplotlib.rcParams) == before


def test_each_colour_of_the_course_stands_in_one_place():
    known = {colour.lower() for colour in (*palette.LIGHT.values(), *palette.DARK.values())} - {"#ffffff", "#000000"}
    found = {}
    for name in packing.files(("classroom", "course_lib", "courseware", "lessons", "publish", "whywrong")):
        if name.endswith((".py", ".js", ".mjs", ".css", ".html", ".toml")):
            text = (ROOT / name).read_text(encoding="utf-8").lower()
            text = re.sub(r"#([0-9a-f])([0-9a-f])([0-9a-f])\b", r"#\1\1\2\2\3\3", text)
            found[name] = {colour for colour in known if colour in text}
    assert {name: colours for name, colours in found.items() if colours} == {"courseware/page/colours.toml": known}

"""The picture of the story: its scale holds what the controls reach, and its still shows the layer's own numbers."""

import itertools

import numpy as np
import pytest
from matplotlib.text import Text

from course_lib import story
from course_lib.model import bank
from tests.courseware.page.figure_rules import problems


def test_no_place_of_the_slider_reaches_a_sum_beyond_the_scale():
    low, high = story.which_bank().data["reach"]
    shifts = np.arange(-story.MOST, story.MOST + 0.01, 0.25)
    places = itertools.product((bank.ATTENTION, bank.FFN), range(1, 6), range(1, 9), shifts)
    sums = [bank.way(cue, moved=place).asked for cue, place in itertools.product(bank.CUES, places)]
    assert low == pytest.approx(np.min(sums)) and high == pytest.approx(np.max(sums))


@pytest.mark.parametrize("lifted", range(3))
def test_its_still_shows_the_layers_own_numbers(lifted):
    figure, caption = story.which_bank(lifted).still
    assert problems(figure, caption) == []
    said = [text.get_text() for text in figure.findobj(Text)]
    way = bank.way()
    rows = (way.x, way.mixed) if lifted == 0 else (way.x, way.mixed, way.stream)
    for value in {f"{value:.2f}".rstrip("0").rstrip(".") for row in rows for value in row[-1]}:
        assert value in said
    whole = said.count("?") == 0, "−0.5" not in said, "shore 0.98" in caption
    assert whole == (lifted > 0,) * 3 and said.count("?") in (0, 8)
    assert "0.49" in said and "nothing in it is trained" in caption.data and "no norms" in caption.data

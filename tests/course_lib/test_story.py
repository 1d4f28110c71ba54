"""The picture of the story: its scale holds what the controls reach, and its still shows the layer's own numbers."""

import itertools

import numpy as np
import pytest
from matplotlib.text import Text

from course_lib import story
from course_lib.model import bank
from lessons import catalogue
from tests.courseware.page.figure_rules import problems


def test_no_place_of_the_slider_reaches_a_sum_beyond_the_scale():
    low, high = story.which_bank().data["reach"]
    shifts = np.arange(-story.MOST, story.MOST + 0.01, 0.25)
    places = itertools.product((bank.ATTENTION, bank.FFN), range(1, 6), range(1, 9), shifts)
    sums = [bank.way(cue, moved=place).asked for cue, place in itertools.product(bank.CUES, places)]
    assert low == pytest.approx(np.min(sums)) and high == pytest.approx(np.max(sums))


@pytest.mark.parametrize("guess", [None, catalogue.item("start_here.predict_bank")], ids=["whole", "asks"])
def test_its_still_shows_the_layers_own_numbers_and_asks(guess):
    figure, caption = story.which_bank(0, guess).still
    assert problems(figure, caption) == []
    said = [text.get_text() for text in figure.findobj(Text)]
    way = bank.way()
    rows = (way.x, way.mixed) if guess else (way.x, way.mixed, way.stream)
    for value in {f"{value:.2f}".rstrip("0").rstrip(".") for row in rows for value in row[-1]}:
        assert value in said
    told = "\n".join(said)
    assert ("−0.5" in said, "after the layer" in said, "shore 0.98" in caption) == (bool(guess), not guess, not guess)
    assert [letter for letter in "ABC" if f"\n{letter}  “shore”" in told] == (list("ABC") if guess else [])
    assert "0.49" in said and "nothing in it is trained" in caption.data and "no norms" in caption.data

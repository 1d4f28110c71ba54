"""What the figures draw and say follows their data, and they keep the rules of the style in every state."""

import numpy as np
import pytest

from course_lib.page.painted import COLUMNS
from course_lib.page.style import HIDDEN
from lessons.inside_a_language_model import figures
from tests.page.figure_rules import contrast, problems

TEXT = "def f(self):\n    return 3\n"
RNG = np.random.default_rng(0)

SAMPLES = {
    "painted": lambda: figures.painted(TEXT, RNG.random((4, len(TEXT))), ["one", "two", "three", "four"]),
    "threshold": lambda: figures.threshold([0.0, 1, 2, 1, 8, 10], np.arange(6) > 3, 6.6, "after self"),
    "active units": lambda: figures.active_units(RNG.normal(size=(50, 16)), np.maximum(RNG.normal(size=(40, 16)), 0)),
    "damages": lambda: figures.damages(["attention 1", "ffn 1", "ffn 2"], [[3.0, 3.2], [4.1, 4.4], [0.1, -0.1]]),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_figures_keep_the_rules(name):
    assert problems(*SAMPLES[name]()) == []


def test_each_character_has_its_own_place():
    values = np.zeros((1, len(TEXT)))
    values[0, TEXT.index("self")] = 1.0  # line 1, column 6
    values[0, TEXT.index("3")] = 0.5  # line 2, column 11
    values[0, TEXT.index("\n")] = 0.1  # the end of line 1, column 12
    figure, caption = figures.painted(TEXT, values, ["a unit"])
    axes = figure.axes[0]
    page = axes.images[0].get_array()
    painted = np.argwhere((page < 1).any(axis=2))
    assert painted.tolist() == [[0, 6], [0, 12], [1, 11]]
    assert page[0, 6, 0] < page[1, 11, 0] < page[0, 12, 0] < 1  # the more active, the greener
    assert [text.get_text() for text in axes.texts] == ["def f(self):↵", "    return 3↵"]
    assert "a unit 3." in caption


def test_marks_say_the_same_without_colour():
    row = RNG.random(len(TEXT))
    figure, _ = figures.painted(TEXT, row[None], ["a unit"])
    lines = figure.axes[0].lines
    found = [int(np.isfinite(line.get_xdata()).sum()) // 2 for line in lines]
    assert found == [
        int(((row >= low) & (row < high)).sum()) for low, high in ((0.05, 1 / 3), (1 / 3, 2 / 3), (2 / 3, 2))
    ]
    widths = [line.get_linewidth() for line in lines]
    assert widths == sorted(widths) and len(set(widths)) == 3


def test_words_stay_readable_on_the_strongest_green():
    values = np.ones((1, len(TEXT)))
    figure, _ = figures.painted(TEXT, values, ["a unit"])
    green = figure.axes[0].images[0].get_array()[0, 0]
    assert contrast("black") / contrast(tuple(green)) > 4.5  # black on this green, as WCAG counts
    assert contrast(tuple(green)) < contrast(HIDDEN)


def test_a_long_line_goes_on_below():
    text = "x" * 150 + "\nshort\n"
    figure, caption = figures.painted(text, np.ones((1, len(text))), ["a unit"])
    shown = [one.get_text() for one in figure.axes[0].texts]
    assert shown == ["x" * COLUMNS, "x" * (150 - COLUMNS) + "↵", "short↵"]
    assert problems(figure, caption) == []


def test_active_units_counts_both_ways():
    before = np.ones((4, 6))
    after = np.array([[1.0, 0, 0, 0, 0, 0], [0, 2, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0], [3, 0, 1, 0, 0, 0]])
    _, caption = figures.active_units(before, after)
    assert caption.startswith(
        "After training 17 % of the units work at a character (median), and 3 of 6 work somewhere. "
    )
    assert "before training: at half of the characters at most 6 units work" in caption.lower()


def test_the_threshold_stands_between_the_means():
    figure, caption = SAMPLES["threshold"]()
    assert caption.startswith("The threshold lies 70 % of the way from the mean elsewhere to the mean after self. ")
    assert "Mean of s elsewhere 1, threshold 7, mean after self 9." in caption
    unit = figure.axes[1].lines[0] if len(figure.axes[1].lines[0].get_xdata()) == 3 else figure.axes[1].lines[2]
    np.testing.assert_allclose(np.interp([0, 6.6, 9], *unit.get_data()), [0, 0, 1])


def test_damages_names_the_most_costly():
    figure, caption = SAMPLES["damages"]()
    assert caption.startswith("Removing ffn 1 costs most. ")
    assert "attention 1 3.1 [3, 3.2]; ffn 1 4.2 [4.1, 4.4]; ffn 2 0 [-0.1, 0.1]" in caption
    assert len(figure.axes[0].get_yticklabels()) == 3


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: figures.painted(TEXT, np.ones((1, 3)), ["a"]), "values must have shape"),
        (lambda: figures.damages(["a"], np.ones((2, 3))), "changes must have shape"),
        (lambda: figures.active_units(np.ones((3, 2)), np.ones((3, 4))), "after must have shape"),
    ],
)
def test_wrong_data(make, words):
    with pytest.raises(ValueError, match=words):
        make()

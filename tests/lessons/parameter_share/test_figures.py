"""What the figures draw and say, held against the accounting."""

import numpy as np
import pytest

from course_lib.model import accounting
from lessons.parameter_share import figures


def test_captions_come_from_the_data():
    _, caption = figures.cost_by_length([1, 2, 3, 4, 5, 6], 6, 2, [1, 2, 3, 4, 5, 7])
    assert "at 4, its scores" not in caption and "as much as the FFN at 4 tokens" in caption


@pytest.mark.parametrize(
    ("d_ff", "words"),
    [
        (600, "costs more than the FFN at every length"),
        (1024, "costs more than the FFN at every length"),
        (1536, "at 512 tokens, its scores and mixing alone at 1,536"),
        (3072, "at 2,048 tokens, its scores and mixing alone at no length shown"),
        (4096, "costs less than the FFN at every length shown"),
    ],
)
def test_the_costs_at_other_widths(d_ff, words):
    """A learner changes the widths: the caption stays true, and the labels at the right stay apart."""
    lengths = range(64, 2561, 64)
    mixing = [accounting.mixing_multiply_adds(512, n) for n in lengths]
    costs = accounting.ffn_multiply_adds(512, d_ff), accounting.projection_multiply_adds(512)
    figure, caption = figures.cost_by_length(lengths, *costs, mixing)
    assert words in caption
    axes = figure.axes[0]
    heights = sorted(text.get_position()[1] for text in axes.texts if text.get_text()[0] in "Fasp")
    assert len(heights) == 4 and np.diff(heights).min() > 0.05 * axes.get_ylim()[1]

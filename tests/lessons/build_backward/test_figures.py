"""What the figures say follows their data, and data that do not fit are refused."""

import numpy as np
import pytest

from lessons.build_backward import figures


def test_the_caption_of_descents_counts():
    far = np.array([[1.0, 1.0], [50.0, 0.1], [np.nan, 1e-4]])
    _, caption = figures.descents((0.1, 0.5), (np.full((4, 3), 1e-4), far), 1e-3)
    assert "at 0.1, 0 of 3 starts go uphill at first, 3 get below 0.001, and 0 run away" in caption
    assert "at 0.5, 1 of 2 starts go uphill at first, 1 get below 0.001, and 1 run away" in caption
    with pytest.raises(ValueError, match="rates and losses must be two each, but 1 and 2"):
        figures.descents((0.1,), (far, far), 1e-3)


def test_the_caption_of_what_was_learned_tells_the_loss():
    x = np.linspace(-1, 1, 5)[:, None]
    _, caption = figures.learned(x, x, x, [0.5, 0.004])
    assert caption.startswith("Your own network after 2 steps: the loss falls from 0.5 to 0.004.")


def test_there_and_back_names_every_shape():
    _, caption = figures.there_and_back(7, 2, 5, 3)
    assert all(shape in caption for shape in ("(7, 2)", "(7, 5)", "(7, 3)"))

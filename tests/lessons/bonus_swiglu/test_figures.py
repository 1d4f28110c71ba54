"""What the captions say follows the data, also data that no notebook stores."""

import numpy as np

from lessons.bonus_swiglu import figures


def test_product_caption_takes_the_medians_at_the_end():
    along = np.array([-2.0, 0.0, 2.0])
    outputs = np.array([[along, 2 * along, 3 * along], [along**2] * 3])
    _, caption = figures.product_fits(["a", "b"], np.full((2, 3), 1e-3), along, outputs, edge=1.0)
    assert "the target is 4, and the medians are a 4.00, b 4.00" in caption
    assert "a 0.001 [0.001, 0.001]" in caption


def test_size_caption_gives_medians():
    errors = np.array([[[1e-2, 2e-2, 9e-2], [1e-4, 2e-4, 9e-4]]])
    _, caption = figures.error_by_size([29, 57], ["net"], errors)
    assert "29, 57 parameters, 3 seeds each" in caption and "net 0.02, 0.0002" in caption


def test_task_caption_counts_winners_within_a_seed():
    errors = np.array([[[1.0, 5.0, 3.0], [2.0, 4.0, 2.0]]])
    _, caption = figures.errors_by_task(["task"], ["plain", "gated"], errors)
    assert "3 seeds" in caption and caption.endswith("task: plain 1, gated 2.")

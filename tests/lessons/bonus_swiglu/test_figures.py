"""What the captions say follows the data, also data that no notebook stores."""

import numpy as np
import pytest

from course_lib.model import numpy_ffn
from lessons.bonus_swiglu import figures


def test_the_unit_figure_says_what_it_shows():
    unit = figures.gated_unit({"SiLU": numpy_ffn.silu, "identity": numpy_ffn.identity})
    data, caption = unit.update(z=-2.0, u=3.0, activation="identity")
    assert "leaves the unit as -6." in caption
    assert data["gate_dot"]["data"] == ([-2.0], [-2.0]) and data["unit_dot"]["data"] == ([3.0], [-6.0])
    np.testing.assert_array_equal(data["curve"]["data"][1], data["curve"]["data"][0])
    np.testing.assert_array_equal(data["line"]["data"], [[-4, 4], [8, -8]])
    assert "the gate is 0.731," in unit.move(z=1.0, u=0.0, activation="SiLU")
    with pytest.raises(ValueError, match="unknown activation 'tanh': known are 'SiLU', 'identity'"):
        unit.update(z=0.0, u=0.0, activation="tanh")


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

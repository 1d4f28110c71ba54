"""What the figures draw and say follows their data, and data that do not fit are refused."""

import numpy as np
import pytest

from course_lib.model import numpy_ffn
from lessons.bonus_swiglu import figures
from tests.page.figure_rules import problems


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


def test_heatmap_caption_follows_the_data():
    gate, up = np.array([[0.0, 0.5], [1.0, 0.25]]), np.array([[3.0, -2.0], [1.0, -4.0]])
    _, caption = figures.gate_heatmaps([0.0, 1.0], gate, up, "sigmoid")
    assert caption.startswith("2 tokens (columns) and 2 hidden units (rows)")
    assert "between −4.00 and 3.00" in caption and "products between −1.00 and 1.00" in caption


def test_covered_products_are_told_by_nothing():
    gate, up = np.array([[0.0, 0.5], [1.0, 0.25]]), np.array([[3.0, -2.0], [1.0, -4.0]])
    figure, caption = figures.gate_heatmaps([0.0, 1.0], gate, up, "sigmoid", covered=True)
    assert "between −4.00 and 3.00" in caption and "products" not in caption and problems(figure, caption) == []
    assert [len(axes.get_images()) for axes in figure.axes[:3]] == [1, 1, 0]


def test_a_hyphen_in_the_name_of_a_gate_stays_one():
    _, caption = figures.gate_heatmaps([0.0, 1.0], [[0.5], [1.0]], [[-1.0], [1.0]], "bell-shaped")
    assert "The bell-shaped gates" in caption and "between −1.00 and 1.00" in caption


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


def test_last_digits_do_not_reach_a_picture():
    errors = np.array([[[0.123456, 3.2e-7]]]).repeat(2, axis=1)
    pictures = []
    for factor in (1, 1 + 1e-11):
        figure, _ = figures.errors_by_task(["task"], ["plain", "gated"], errors * factor)
        figure.canvas.draw()
        pictures.append([line.get_xdata().tolist() for line in figure.axes[0].lines[:2]])
    assert pictures[0] == pictures[1]


@pytest.mark.parametrize(
    ("draw", "words"),
    [
        (lambda: figures.gate_heatmaps([0.0, 1.0], np.ones((3, 2)), np.ones((3, 2)), "sigmoid"), "tokens"),
        (lambda: figures.product_fits(["a"], np.ones((1, 3)), np.ones(4), np.ones((1, 4)), 1), "outputs"),
        (lambda: figures.error_by_size([1, 2], ["a"], np.ones((1, 2))), "errors"),
        (lambda: figures.errors_by_task(["t"], ["a"], np.full((1, 1, 2), np.nan)), "errors"),
    ],
)
def test_figures_refuse_data_that_do_not_fit(draw, words):
    with pytest.raises(ValueError, match=words):
        draw()

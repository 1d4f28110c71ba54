"""The figures of the lesson draw the data they are given, and their captions follow it."""

import numpy as np
import pytest

from course_lib.model import accounting
from lessons.expand_and_contract import figures
from tests.page.figure_rules import problems


def test_four_heatmaps_share_one_scale_centred_on_zero():
    rng = np.random.default_rng(0)
    x, z, y = rng.normal(size=(4, 3)), 5 * rng.normal(size=(4, 7)), rng.normal(size=(4, 3))
    figure, caption = figures.four_heatmaps(x, z, np.maximum(z, 0), y, follow=3)
    limits = {image.get_clim() for axes in figure.axes for image in axes.get_images()}
    assert limits == {(-np.abs(z).max(), np.abs(z).max())}
    assert "follows token 3" in caption and f"{100 * np.mean(z <= 0):.0f} % of the values, before it 0 %" in caption
    for wrong in (y[:2], y[:, :2]):
        with pytest.raises(ValueError, match="y must have shape .* with (tokens = 4|d_model = 3), but its shape is"):
            figures.four_heatmaps(x, z, z, wrong)
    with pytest.raises(ValueError, match="follow must be an integer from 1 to 4, but int 5 was given"):
        figures.four_heatmaps(x, z, z, y, follow=5)


def test_bends_beside_share_one_scale_and_are_counted():
    z = np.array([[-2.0, 1.0, -0.5], [3.0, -4.0, 0.25]])
    figure, caption = figures.bends_beside(z, {"ReLU": np.maximum(z, 0), "half": z / 2})
    assert {image.get_clim() for axes in figure.axes for image in axes.get_images()} == {(-4, 4)}
    assert "Of the 6 values of 2 tokens 3 are negative; " in caption
    assert "ReLU makes 3 exactly zero and leaves 0 negative; half makes 0 exactly zero and leaves 3 negative" in caption
    assert "least value after an activation is −2.00" in caption
    with pytest.raises(ValueError, match="ReLU must have shape"):
        figures.bends_beside(z, {"ReLU": z[:1]})


def test_the_hidden_layer_grows_with_the_factor():
    hidden, recalled = [np.ones((3, 2)), np.ones((3, 8))], [[0, 0, 1], [1, 1, 1]]
    interactive = figures.recall_and_hidden([0.5, 2], [[0.1, 0.3], [1, 1]], hidden, recalled)
    image = interactive.figure.axes[1].get_images()[0]
    for factor, width, share, known in (("½×", 2, 20, 1), ("2×", 8, 100, 3)):
        caption = interactive.move(factor=factor)
        assert f"{share} % of the pairs are recalled" in caption and f"3 keys on the right, {known} are" in caption
        assert (~np.ma.getmaskarray(np.ma.masked_invalid(image.get_array()))).any(axis=0).sum() == width
    with pytest.raises(ValueError, match="hidden must not be negative: give the values after ReLU"):
        figures.recall_and_hidden([0.5, 2], [[0.1, 0.3], [1, 1]], [hidden[0], -hidden[1]], recalled)
    with pytest.raises(ValueError, match="unknown factor '3×': known are '½×', '2×'"):
        interactive.move(factor="3×")
    assert figures.factor_words([0.25, 1, 2.5]) == ("¼×", "1×", "2.5×")


def test_facts_have_a_scale_of_their_own_and_names_that_can_be_read():
    hidden, names = [np.eye(24), np.eye(24) / 9], [f"Country {'x' * (i % 5)}" for i in range(24)]
    figure, caption = figures.units_and_facts(hidden, ["large", "small"], names)
    assert problems(figure, caption) == []
    scales = [image.get_clim() for axes in figure.axes for image in axes.get_images()]
    assert scales == [(0, 1), (0, pytest.approx(1 / 9))]
    assert [text.get_text() for text in figure.axes[0].texts] == names
    with pytest.raises(ValueError, match="hidden must not be negative"):
        figures.units_and_facts([-np.eye(3)], ["one"], names[:3])


def test_captions_follow_the_data():
    flat = np.random.default_rng(0).normal(size=(20, 2)) @ np.ones((2, 5))
    assert "flat 1 of 5" in figures.singular_values([flat], ["flat"])[1]
    assert "a up to 16 facts; b never" in figures.facts_stored([8, 16], [[1, 1], [0.9, 0.5]], ["a", "b"])[1]
    assert "one: 2 of 3 units fire, 1 for a fact" in figures.units_and_facts([np.eye(3)[:2]], ["one"], ["x", "y"])[1]
    assert "from 2.69 to 8" in figures.published_factors(accounting.published_models()[:21])[1]
    with pytest.raises(ValueError, match="names and stages must have the same length, but names has 2, stages has 1"):
        figures.singular_values([flat], ["a", "b"])
    with pytest.raises(ValueError, match="at least one model"):
        figures.published_factors([])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.recall_and_hidden([1], [[1]], [np.ones((3, 2))], [[1, 0]]), r"recalled must .* keys = 3"),
        (lambda: figures.recall_and_hidden([1], [[1]], [], [[1, 0]]), "must have the same length"),
        (lambda: figures.facts_stored([1, 2], [[1]], ["a"]), r"recalls must have .* with n = 2"),
        (lambda: figures.units_and_facts([np.ones((2, 3))], ["one"], ["x"]), r"hidden must have .* with facts = 1"),
    ],
)
def test_data_that_do_not_fit_together(call, message):
    with pytest.raises(ValueError, match=message):
        call()

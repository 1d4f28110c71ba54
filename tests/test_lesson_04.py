"""Numbers that lesson 04 claims in its predictions, hints and replies, computed again."""

import numpy as np
import pytest
import torch

from course_lib import accounting, probes, tasks, training
from course_lib.exercises import grade
from course_lib.figures import expand


def recall(factor, activation="relu"):
    keys, values = tasks.pairs(256, 16, seeds=5)
    many = training.networks((16, int(16 * factor), 16), seeds=5, activation=activation)
    output = training.fit(many, keys, values, steps=200, rate=0.03, schedule="cosine").trained(keys)
    return (torch.cdist(output, values).argmin(dim=2) == torch.arange(256)).double().mean(dim=1).numpy()


def nearest(value, choices):
    return min(choices, key=lambda choice: abs(choice - value))


@pytest.mark.parametrize(
    ("factor", "choices", "id"),
    [(2, (6, 12, 25, 50, 85), "expand.predict_recall_2x"), (4, (25, 35, 50, 85, 100), "expand.predict_recall_4x")],
)
def test_recall_is_what_the_prediction_says(factor, choices, id):
    shares = 100 * recall(factor)
    chosen = {nearest(share, choices) for share in (shares.mean(), shares.min(), shares.max())}
    assert len(chosen) == 1
    assert grade(id, chosen.pop()).key == "correct"


def test_recall_rises_and_a_linear_network_stays():
    narrow, same, double = (recall(factor) for factor in (0.5, 1, 2))
    assert narrow.max() < same.min() and same.max() < double.min()
    assert 2 < same.mean() / narrow.mean() < double.mean() / same.mean() < 5.5
    assert recall(4, "identity").max() < 0.03


def test_half_of_the_values_are_zero_because_weights_are_random():
    x = tasks.pairs(256, 8, first_seed=2)[0][0]
    W1, b1, _, _ = training.networks((8, 32, 8), seeds=200).parameters
    shares = (torch.relu(x @ W1 + b1) == 0).double().mean(dim=(1, 2))
    assert shares.mean() == pytest.approx(0.5, abs=0.01)
    # the demonstration can fail: it does when the biases have a preferred sign
    assert (torch.relu(x @ W1 + b1 - 0.5) == 0).double().mean() > 0.7


def test_rank():
    x = tasks.pairs(512, 8)[0][0]
    W1, b1, _, _ = (parameter[0] for parameter in training.networks((8, 32, 8), seeds=1).parameters)
    assert (probes.rank(x @ W1 + b1), probes.rank(torch.relu(x @ W1 + b1))) == (8, 32)


def test_widest_published_factor():
    models = {model.name: model for model in accounting.published_models() if not model.experts}
    assert len(models) == 20
    assert grade("expand.predict_widest", max(model.expansion for model in models.values())).key == "correct"
    assert (models["Gemma-2B"].d_model, models["Gemma-2B"].d_ff) == (2048, 16384)


def test_a_whole_float_is_no_width():
    verdict = grade("expand.width", lambda d_model, factor: d_model * float(factor))
    assert verdict.key == "type" and "int" in verdict.message


def test_weights_of_a_wrong_shape_are_named():
    verdict = grade("expand.hand_wired_and", lambda d, a, b, value: (np.zeros((1, d)), [-1], value[None], 0 * value), 0)
    assert verdict.key == "shape" and "W1 has shape (1, 3)" in verdict.message
    verdict = grade("expand.hand_wired_and", lambda d, a, b, value: (np.zeros((d, 1)), [-1], None, 0 * value), 0)
    assert verdict.key == "none" and "W2" in verdict.message
    assert grade("expand.hand_wired_and", lambda d, a, b, value: np.zeros(3), 0).key == "type"


# ---- figures ---------------------------------------------------------------------------------------------------------


def test_four_heatmaps_share_one_scale_centred_on_zero():
    rng = np.random.default_rng(0)
    x, z, y = rng.normal(size=(4, 3)), 5 * rng.normal(size=(4, 7)), rng.normal(size=(4, 3))
    figure, caption = expand.four_heatmaps(x, z, np.maximum(z, 0), y, follow=3)
    limits = {image.get_clim() for axes in figure.axes for image in axes.get_images()}
    assert limits == {(-np.abs(z).max(), np.abs(z).max())}
    assert "follows token 3" in caption and f"{100 * np.mean(z <= 0):.0f} % of the values, before it 0 %" in caption
    for wrong in (y[:2], y[:, :2]):
        with pytest.raises(ValueError, match="must fit together"):
            expand.four_heatmaps(x, z, z, wrong)
    with pytest.raises(ValueError, match="follow must be a token from 1 to 4, but 5 was given"):
        expand.four_heatmaps(x, z, z, y, follow=5)


def test_the_hidden_layer_grows_with_the_factor():
    hidden, recalled = [np.ones((3, 2)), np.ones((3, 8))], [[0, 0, 1], [1, 1, 1]]
    interactive = expand.recall_and_hidden([0.5, 2], [[0.1, 0.3], [1, 1]], hidden, recalled)
    image = interactive.figure.axes[1].get_images()[0]
    for factor, width, words in (("½×", 2, "20 % of the pairs are recalled, 1 of the 3"), ("2×", 8, "3 of the 3")):
        assert words in interactive.update(factor)
        assert (~np.ma.getmaskarray(np.ma.masked_invalid(image.get_array()))).any(axis=0).sum() == width
    with pytest.raises(ValueError, match="factor must be one of"):
        interactive.update("3×")
    assert expand.factor_words([0.25, 1, 2.5]) == ("¼×", "1×", "2.5×")


def test_captions_follow_the_data():
    assert "a 50 % [25, 75] (2 networks)" in expand.zero_shares(["a", "b"], [[0.25, 0.75], [0.0]])[1]
    assert "8× 100 %" in expand.recall_by_factor([1, 8], [[0.1, 0.2], [1, 1]], [1], [[0.02, 0.01]])[1]
    assert "teacher 4×: 1× 0.2" in expand.teacher_student([1, 2], [[[0.2], [0.1]]], [4])[1]
    flat = np.random.default_rng(0).normal(size=(20, 2)) @ np.ones((2, 5))
    assert "flat 1 of 5" in expand.singular_values([flat], ["flat"])[1]
    assert "a up to 16 facts; b at none" in expand.facts_stored([8, 16], [[1, 1], [0.9, 0.5]], ["a", "b"])[1]
    assert "one: 2 of 3 units fire, 1 for a fact" in expand.units_and_facts([np.eye(3)[:2]], ["one"], ["x", "y"])[1]
    assert "from 2.69 to 8" in expand.published_factors(accounting.published_models()[:18])[1]
    with pytest.raises(ValueError, match="names and shares must have the same length, but names has 1, shares has 2"):
        expand.zero_shares(["a"], [[0.5], [0.5]])
    with pytest.raises(ValueError, match="at least one model"):
        expand.published_factors([])


# ---- data ------------------------------------------------------------------------------------------------------------


def test_pairs():
    keys, values = tasks.pairs(5, 3, seeds=2, first_seed=7)
    assert keys.shape == values.shape == (2, 5, 3) and keys.dtype == torch.float64
    assert len({*keys.ravel().tolist(), *values.ravel().tolist()}) == 60
    again = tasks.pairs(5, 3, first_seed=8)
    assert torch.equal(again[0][0], keys[1]) and torch.equal(again[1][0], values[1])
    with pytest.raises(ValueError, match="n must be an integer of at least 1"):
        tasks.pairs(0, 3)
    with pytest.raises(TypeError, match="d_model must be"):
        tasks.pairs(2, 3.0)


def test_capitals():
    countries, cities = tasks.capitals()
    assert len(set(countries)) == len(set(cities)) == len(countries) == len(cities) == 24
    assert countries == sorted(countries)
    assert cities[countries.index("Argentina")] == "Buenos Aires" and cities[countries.index("Vietnam")] == "Hanoi"

"""What lesson 08 claims in words, and the batched gated networks it trains, held against other computations."""

import inspect

import numpy as np
import pytest

from course_lib import accounting, ffn, numpy_ffn, training
from course_lib._torch import torch
from course_lib.activations import ACTIVATIONS
from course_lib.figures import swiglu as figures
from course_lib.lessons import l08


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_gated_networks_equal_the_module_with_the_same_weights(activation):
    many = training.gated_networks((3, 7, 3), seeds=2, activation=activation)
    x = torch.randn(5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    for seed in range(2):
        module = ffn.GatedFeedForward(3, 7, activation, bias=True).double()
        layers = (module.gate, module.up, module.down)
        for layer, (weight, bias) in zip(
            layers, zip(many.parameters[::2], many.parameters[1::2], strict=True), strict=True
        ):
            layer.weight.data, layer.bias.data = weight[seed].T, bias[seed, 0]
        torch.testing.assert_close(many(x)[seed], module(x).detach(), rtol=1e-12, atol=1e-12)


def test_each_seed_has_its_own_gated_network():
    three, last = training.gated_networks((2, 4, 1), seeds=3), training.gated_networks((2, 4, 1), 1, first_seed=2)
    for many, one in zip(three.parameters, last.parameters, strict=True):
        assert torch.equal(many[2], one[0])
        assert not torch.equal(many[0], many[1])
    assert not torch.equal(three.parameters[0], three.parameters[2])  # gate and up start differently


def test_gated_networks_take_data_of_their_own_for_each_seed_and_learn():
    generator = torch.Generator().manual_seed(0)
    x = torch.rand(3, 50, 2, generator=generator, dtype=torch.float64)
    history = training.fit(training.gated_networks((2, 8, 1), 3), x, x.prod(dim=-1, keepdim=True), steps=100)
    assert history.losses.shape == (101, 3)
    assert (history.final < 0.1 * history.losses[0]).all()


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (((2, 3), 1), ValueError, "three widths"),
        (((2, 3, 4, 5), 1), ValueError, "three widths"),
        (((2, 0, 1), 1), ValueError, r"sizes\[1\]"),
        (((2, 1.5, 1), 1), TypeError, r"sizes\[1\]"),
        ((3, 1), TypeError, "sizes"),
        (((2, 3, 1), 0), ValueError, "seeds"),
        (((2, 3, 1), 1, "swish"), ValueError, "swish"),
    ],
)
def test_gated_networks_refuse(arguments, error, words):
    with pytest.raises(error, match=words):
        training.gated_networks(*arguments)


def test_size_counts_the_parameters_of_one_network():
    assert training.networks((2, 56, 1), seeds=3).size == accounting.ffn_parameters(2, 56) - 56 - 1 == 225
    assert training.gated_networks((2, 32, 1), seeds=5).size == 225


@pytest.mark.parametrize("k", [1, 2, 4, 8])
def test_both_sides_of_the_product_task_have_equal_parameters(k):
    plain, gated = training.networks((2, 7 * k, 1), 1), training.gated_networks((2, 4 * k, 1), 1)
    assert plain.size == gated.size == 28 * k + 1


@pytest.mark.parametrize(("d_out", "plain", "gated"), [(1, 38, 20), (8, 26, 17)])
def test_both_sides_of_the_four_tasks_have_equal_parameters(d_out, plain, gated):
    assert training.networks((8, plain, d_out), 1).size == training.gated_networks((8, gated, d_out), 1).size


def test_the_price_of_the_third_matrix():
    plain, gated = accounting.ffn_parameters(512, 2048), accounting.gated_parameters(512, 2048)
    assert (plain, gated) == (2_099_712, 3_145_728)
    assert round(100 * (gated / plain - 1), 1) == 49.8
    assert ffn.swiglu_width(512) == 1365
    assert ffn.swiglu_width(4096, 256) == 11008


def test_published_widths():
    models = {model.name: model for model in accounting.published_models() if model.gated}
    assert models["PaLM 540B"].expansion == 4
    for name in ("LLaMA-7B", "LLaMA-65B"):
        assert models[name].d_ff == ffn.swiglu_width(models[name].d_model, 256)
    others = [model for name, model in models.items() if not model.experts and not name.startswith("LLaMA-")]
    assert all(model.expansion > 3 for model in others)


@pytest.mark.parametrize("name", ["relu", "gelu", "gelu_tanh", "silu"])
def test_two_units_lose_nothing(name):
    act, z = numpy_ffn.ACTIVATIONS[name], np.linspace(-9, 9, 181)
    np.testing.assert_allclose(act(z) - act(-z), z, atol=1e-13)


def test_one_swiglu_unit_is_not_a_product():
    """SiLU(x) · y at x = 1 and x = −1 would have to be opposite."""
    assert numpy_ffn.silu(np.array(1.0)) + numpy_ffn.silu(np.array(-1.0)) > 0.4


def test_only_the_sigmoid_stays_between_0_and_1():
    z = np.linspace(-8, 8, 161)
    stay = [name for name, act in numpy_ffn.ACTIVATIONS.items() if act(z).min() >= 0 and act(z).max() <= 1]
    assert stay == ["sigmoid"]


def test_the_quiz_about_a_closed_gate():
    assert f"{float(numpy_ffn.silu(np.array(-20.0))):.0e}" == "-4e-08"
    assert "−4e-8" in inspect.getsource(l08)


def test_the_unit_figure_says_what_it_shows():
    unit = figures.gated_unit({"SiLU": numpy_ffn.silu, "identity": numpy_ffn.identity})
    assert "leaves the unit as -6 " in unit.update(z=-2.0, u=3.0, activation="identity")
    assert "the gate is 0.731," in unit.update(z=1.0, u=0.0, activation="SiLU")
    with pytest.raises(ValueError, match="activation"):
        unit.update(z=0.0, u=0.0, activation="tanh")


def test_heatmap_caption_follows_the_data():
    gate, up = np.array([[0.0, 0.5], [1.0, 0.25]]), np.array([[3.0, -2.0], [1.0, -4.0]])
    _, caption = figures.gate_heatmaps([0.0, 1.0], gate, up, "sigmoid")
    assert caption.startswith("2 tokens (columns) and 2 hidden units (rows)")
    assert "between −4.00 and 3.00" in caption and "products between −1.00 and 1.00" in caption


def test_width_caption_counts():
    _, caption = figures.width_ratios(["A", "B", "C"], [2.69, 4.0, 8.0])
    assert "from 2.69 to 8. 1 of them lie close to 8/3, and 2 are wider" in caption


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
        (lambda: figures.width_ratios(["A"], [[1.0]]), "ratios"),
        (lambda: figures.product_fits(["a"], np.ones((1, 3)), np.ones(4), np.ones((1, 4)), 1), "outputs"),
        (lambda: figures.error_by_size([1, 2], ["a"], np.ones((1, 2))), "errors"),
        (lambda: figures.errors_by_task(["t"], ["a"], np.full((1, 1, 2), np.nan)), "errors"),
    ],
)
def test_figures_refuse_data_that_do_not_fit(draw, words):
    with pytest.raises(ValueError, match=words):
        draw()

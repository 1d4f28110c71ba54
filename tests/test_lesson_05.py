"""What lesson 05 claims in words and pictures, held against the layers and the black boxes themselves."""

import numpy as np
import pytest
import torch

from course_lib import probes, widgets
from course_lib.block import EncoderBlock
from course_lib.exercises import TODO, grade
from course_lib.ffn import PositionWiseFeedForward
from course_lib.figures import position as figures
from course_lib.lessons import l05

WORDS = ["the", "bank", "of", "the", "river"]


def draw(*shape, seed=0, dtype=torch.float64):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def block(d_model=8, d_ff=32):
    torch.manual_seed(0)
    return EncoderBlock(d_model, 2, d_ff).double().eval()


def causal(layer, n):
    mask = torch.ones(n, n).triu(1).bool()
    return lambda x: layer.attention(x, x, x, attn_mask=mask)[0]


# ---- what is exact, and what is not ----------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [1000.0, np.nan, np.inf])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("n", "d"), [(2, 8), (5, 8), (64, 64), (128, 256), (64, 512)])
def test_at_equal_shape_the_other_rows_keep_every_bit(n, d, dtype, value):
    torch.manual_seed(0)
    ffn, x = PositionWiseFeedForward(d, 4 * d).to(dtype).eval(), draw(n, d, dtype=dtype)
    changed = x.clone()
    changed[0] = value
    with torch.no_grad():
        assert torch.equal(ffn(changed)[1:], ffn(x)[1:])
        assert not torch.equal(ffn(changed)[0], ffn(x)[0])


@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-5), (torch.float64, 1e-12)])
def test_one_token_at_a_time_is_equal_up_to_rounding(dtype, bound):
    torch.manual_seed(0)
    ffn, x = PositionWiseFeedForward(512, 2048).to(dtype).eval(), draw(64, 512, dtype=dtype)
    with torch.no_grad():
        one_by_one = torch.cat([ffn(row[None]) for row in x])
        assert (one_by_one - ffn(x)).abs().max() < bound
        assert (one_by_one.roll(1, 0) - ffn(x)).abs().max() > 0.1  # the demonstration can fail


def test_the_answers_to_the_predictions():
    layer, x = block(), draw(5, 8)
    three = (layer.ffn, layer.attend, causal(layer, 5))
    counts = [np.count_nonzero(probes.influence(f, x)) for f in three]
    orders = [torch.randperm(5, generator=torch.Generator().manual_seed(seed)) for seed in range(20)]
    passed = sum(all(torch.allclose(f(x[order]), f(x)[order], atol=1e-12) for order in orders) for f in three)
    town = torch.cat([x[:4], draw(1, 8, seed=1)])
    assert grade("position.predict_rows", int((layer.ffn(town) != layer.ffn(x)).any(dim=1).sum())).key == "correct"
    assert counts[0] == 5 and counts[1] == 25
    assert grade("position.predict_causal", counts[2]).key == "correct"
    assert grade("position.predict_shuffle", passed).key == "correct"


def test_two_convolutions_are_the_ffn_and_one_is_not():
    ffn, x = block().ffn, draw(2000, 8)
    up, down, conv1d = ffn.up, ffn.down, torch.nn.functional.conv1d
    h = conv1d(x.T, up.weight[:, :, None], up.bias).relu()
    assert torch.allclose(conv1d(h, down.weight[:, :, None], down.bias).T, ffn(x), atol=1e-12)
    with_one, y = torch.cat([x, torch.ones(2000, 1, dtype=x.dtype)], dim=1), ffn(x).detach()
    misses = y - with_one @ torch.linalg.lstsq(with_one, y).solution
    assert misses.var() > 0.1 * y.var()


# ---- the black boxes -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_the_boxes_of_influence_do_what_is_said_of_them(seed):
    rng = np.random.default_rng(99)
    for case in l05.INFLUENCE.cases(np.random.default_rng(seed)):
        f, X = case.args
        found = np.zeros((len(X), len(X)), dtype=bool)
        for j in range(len(X)):
            for _ in range(5):
                Z = X.copy()
                Z[j] = 2 * rng.normal(size=X.shape[1])
                found[:, j] |= np.abs(f(Z) - f(X)).max(axis=1) > 1e-6
        assert np.array_equal(found, l05.INFLUENCE.oracle(f, X))


@pytest.mark.parametrize("seed", range(5))
def test_the_boxes_of_which_layers_do_what_is_said_of_them(seed):
    cases = l05.WHICH.cases(np.random.default_rng(seed))
    layers, X = [layer for case in cases for layer in case.args[0]], cases[0].args[1]
    truth = np.concatenate([l05.WHICH.oracle(*case.args) for case in cases])
    parts = [X[:1], X[3:], X[[4, 1, 1]], np.vstack([X, 3 * X[::-1]])]
    for f, right in zip(layers, truth, strict=True):
        alone = [np.concatenate([f(row[None]) for row in part]) for part in parts]
        same = all(np.allclose(f(part), rows, atol=1e-9) for part, rows in zip(parts, alone, strict=True))
        assert same == bool(right)
    assert (len(layers), truth.sum()) == (20, 8)


def test_constant_guesses_never_pass():
    for guess in ([True] * 5, [False] * 5, [True, False, True, False, True]):
        for seed in range(30):
            assert grade("position.which_layers", lambda layers, X, g=guess: g, seed).key != "correct"


def test_answers_of_another_form_are_put_into_words():
    verdict = grade("position.which_layers", lambda layers, X: [True] * 4, 0)
    assert verdict.key == "shape" and "(4,)" in verdict.message
    for answer in ("yes", ["yes"] * 5, {0, 1}, [None] * 5, 3):
        verdict = grade("position.which_layers", lambda layers, X, a=answer: a, 0)
        assert verdict.key == "type" and "True or False for each layer" in verdict.message
    assert grade("position.which_layers", lambda layers, X: [*[True] * 4, TODO], 0).key == "todo"
    verdict = grade("position.influence", probes.influence, 0)
    assert verdict.key == "value" and "other numbers than 0 and 1" in verdict.message
    verdict = grade("position.rowwise", lambda f, X: f(X), 0)
    assert verdict.key == "raises" and "f takes one row of shape (3,)" in verdict.message


# ---- figures ---------------------------------------------------------------------------------------------------------


def matrices():
    layer, x = block(), draw(5, 8)
    return {"FFN": probes.influence(layer.ffn, x), "causal": probes.influence(causal(layer, 5), x)}


def test_influence_maps_share_one_scale_and_name_the_pattern():
    found = matrices()
    figure, caption = figures.influence_maps(WORDS, found.values(), list(found))
    limits = {image.get_clim() for axes in figure.axes for image in axes.get_images()}
    top = max(matrix.max() for matrix in found.values())
    assert limits == {(-top, top)}
    assert "FFN, only the diagonal (5 of 25)" in caption
    assert "causal, the diagonal and everything below it (15 of 25)" in caption
    assert "some entries (3 of 25)" in figures.influence_maps(WORDS, [np.eye(5, k=2)], ["shift"])[1]


def test_jacobian_maps_count_the_blocks():
    layer, x = block(), draw(5, 8)
    jacobians = [torch.autograd.functional.jacobian(f, x) for f in (layer.ffn, layer.attend)]
    figure, caption = figures.jacobian_maps(WORDS, jacobians, ["FFN", "attention"])
    assert "FFN: 20 of 25 blocks are zero" in caption and "attention: 0 of 25 blocks are zero" in caption
    assert len({image.get_clim() for axes in figure.axes for image in axes.get_images()}) == 1


def test_who_moves_follows_its_controls():
    interactive = figures.who_moves(WORDS, matrices())
    explorer = widgets.Explorer(
        interactive,
        word=widgets.Choice("change", figures.numbered(WORDS)),
        layer=widgets.Choice("layer", ("FFN", "causal")),
    )
    first = explorer.png()
    assert "1 output row moves (1 the), 4 stay" in explorer.caption
    explorer.set(word="2 bank", layer="causal")
    assert "4 output rows move (2 bank, 3 of, 4 the, 5 river), 1 stays" in explorer.caption
    assert explorer.png() != first
    explorer.set(word="1 the", layer="FFN")
    assert explorer.png() == first
    with pytest.raises(ValueError, match="unknown word 'the'"):
        interactive.update("the", "FFN")
    with pytest.raises(ValueError, match="unknown layer 'RNN'"):
        interactive.update("1 the", "RNN")


def test_wrong_arguments_of_the_figures():
    with pytest.raises(TypeError, match="words must be a non-empty list of strings"):
        figures.numbered([1, 2])
    with pytest.raises(ValueError, match=r"matrices must have shape \(5, 5\)"):
        figures.who_moves(WORDS, {"FFN": np.eye(4)})
    with pytest.raises(ValueError, match="one row for each of the 5 words"):
        figures.jacobian_maps(WORDS, [np.ones((4, 2, 4, 2))], ["FFN"])
    with pytest.raises(ValueError, match="finite"):
        figures.influence_maps(WORDS, [np.full((5, 5), np.nan)], ["FFN"])

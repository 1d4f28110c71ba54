"""Reading with the language model: windows, what is kept inside, changes while reading, and edits."""

import dataclasses

import numpy as np
import pytest
import torch

from course_lib.model import reading
from course_lib.model.language_model import CODES, LanguageModel, encoded, untrained
from course_lib.model.reading import Reading, fitted_unit, followers, promoted, read, unit_for, widened, with_unit

TEXT = "def f(self):\n    return self.x + 1\n\n\nclass A:\n    pass\n" * 3


@pytest.fixture(scope="module")
def model():
    torch.manual_seed(1)
    return LanguageModel(d_model=12, n_blocks=2, n_heads=3, d_ff=20, seq_len=16).eval().requires_grad_(False)


@pytest.fixture(scope="module")
def seen(model):
    return read(model, TEXT)


def test_every_character_that_counts_has_half_a_window_before_it(model, seen):
    windows = (len(TEXT) - 16 - 1) // 8 + 1
    assert seen.places.tolist() == list(range(8, 8 + 8 * windows))
    assert seen.following.tolist() == [CODES[TEXT[place + 1]] for place in seen.places]
    for place in (8, 15, 16, 40):
        start = (place // 8 - 1) * 8
        logits = model(torch.from_numpy(encoded(TEXT[start : start + 16]))[None])[0, place - start]
        p = torch.softmax(logits, dim=0)
        row = list(seen.places).index(place)
        np.testing.assert_allclose(seen.probabilities[row], p, atol=1e-6)
        assert seen.bits[row] == pytest.approx(-float(torch.log2(p[seen.following[row]])), abs=1e-4)


def test_what_is_kept_inside(model, seen):
    for block, x, h in zip(model.blocks, seen.inputs, seen.hidden, strict=True):
        np.testing.assert_allclose(block.ffn.hidden(torch.from_numpy(x)), h, atol=1e-6)
    logits = model.read_out(model.norm(torch.from_numpy(seen.stream)))
    np.testing.assert_allclose(torch.softmax(logits, dim=1), seen.probabilities, atol=1e-6)
    plain = read(model, TEXT, inside=False)
    assert plain.inputs == plain.hidden == () and plain.stream is None
    np.testing.assert_array_equal(plain.bits, seen.bits)


def test_a_part_taken_out_is_taken_out(model):
    without = LanguageModel(*model.sizes).eval().requires_grad_(False)
    without.load_state_dict(model.state_dict())
    without.blocks[1].ffn.down.weight.zero_()
    without.blocks[1].ffn.down.bias.zero_()
    found = read(model, TEXT, {"ffn 2": torch.zeros_like})
    np.testing.assert_allclose(found.bits, read(without, TEXT).bits, atol=1e-5)
    without.load_state_dict(model.state_dict())
    without.blocks[0].attention.out_proj.weight.zero_()
    without.blocks[0].attention.out_proj.bias.zero_()
    found = read(model, TEXT, {"attention 1": torch.zeros_like})
    np.testing.assert_allclose(found.bits, read(without, TEXT).bits, atol=1e-5)


def test_a_unit_of_the_last_ffn_changes_nothing_where_it_is_0(model, seen):
    unit = int(np.argmin(np.abs((seen.hidden[1] > 0).mean(axis=0) - 0.4)))
    off = torch.tensor([unit])
    changed = read(model, TEXT, {"hidden 2": lambda h: h.index_fill(-1, off, 0.0)})
    silent = seen.hidden[1][:, unit] == 0
    assert 0 < silent.sum() < len(silent)
    np.testing.assert_array_equal(changed.bits[silent], seen.bits[silent])
    assert (changed.bits[~silent] != seen.bits[~silent]).all()


def test_nothing_stays_changed(model, seen):
    read(model, TEXT, {"hidden 1": torch.zeros_like, "attention 2": torch.zeros_like})
    with pytest.raises(
        ValueError, match=r"change of 'ffn 1' must return a tensor of shape \(\d+, 16, 12\), but Tensor"
    ):
        read(model, TEXT, {"ffn 1": lambda y: y[:, :3]})
    np.testing.assert_array_equal(read(model, TEXT).bits, seen.bits)


def test_promoted_is_the_change_of_the_logits_past_the_norm(model):
    model.norm.weight.copy_(torch.linspace(0.5, 2, 12))
    try:
        column = model.blocks[0].ffn.down.weight[:, 7].double().numpy()
        gain, read_out = model.norm.weight.double().numpy(), model.read_out.weight.double().numpy()
        np.testing.assert_allclose(promoted(model, 1)[7], read_out @ ((column - column.mean()) * gain), atol=1e-5)
    finally:
        model.norm.weight.fill_(1.0)
    with pytest.raises(ValueError, match="block must be an integer from 1 to 2"):
        promoted(model, 3)


def test_an_edit_by_hand_and_the_short_way_to_it(model, seen):
    rng = np.random.default_rng(0)
    w, values = rng.normal(size=12), 5 * rng.normal(size=12)
    bias = -float(np.median(seen.inputs[1] @ w))
    new = widened(model, w, bias, values)
    assert new.blocks[-1].ffn.d_ff == 21 and model.blocks[-1].ffn.d_ff == 20
    slow, quick = read(new, TEXT), with_unit(model, seen, w, bias, values)
    np.testing.assert_allclose(slow.hidden[1][:, 20], np.maximum(seen.inputs[1] @ w + bias, 0), atol=1e-5)
    np.testing.assert_allclose(quick.bits, slow.bits, atol=1e-4)
    np.testing.assert_allclose(quick.probabilities, slow.probabilities, atol=1e-5)
    silent = slow.hidden[1][:, 20] == 0
    assert 0 < silent.sum() < len(silent)
    np.testing.assert_array_equal(quick.bits[silent], with_unit(model, seen, 0 * w, 0.0, values).bits[silent])
    assert np.abs(quick.bits - seen.bits)[slow.hidden[1][:, 20] > 0.01].min() > 0


def test_a_unit_from_a_difference_of_means():
    rng = np.random.default_rng(0)
    here = np.arange(200) % 5 == 0
    inputs = rng.normal(size=(200, 6)) + np.outer(here, [9, 0, 0, -9, 0, 0])
    w, bias = unit_for(inputs, here)
    value = np.maximum(inputs @ w + bias, 0)
    assert ((value > 0) == here).all() and value[here].mean() == pytest.approx(1, abs=0.15)
    # at 70 % of the way it is 0, at the mean of the context 1
    assert inputs[here].mean(axis=0) @ w + bias == pytest.approx(1)
    assert (0.7 * inputs[here].mean(axis=0) + 0.3 * inputs[~here].mean(axis=0)) @ w + bias == pytest.approx(0)
    for truths in (np.ones(200), np.zeros(200)):
        with pytest.raises(ValueError, match="here must be true at some places and false at others"):
            unit_for(inputs, truths)


def test_a_fitted_unit_tells_what_a_difference_of_means_does_not():
    rng = np.random.default_rng(0)
    here = np.arange(400) % 5 == 0
    inputs = rng.normal(size=(400, 6)) * [1, 9, 1, 1, 1, 1] + np.outer(here, [6, 9, 0, 0, 0, 0])
    right = [
        ((inputs @ w + bias > 0) == here).mean() for w, bias in (fitted_unit(inputs, here), unit_for(inputs, here))
    ]
    assert right[0] == 1 > right[1]
    w, bias = fitted_unit(inputs, here, ridge=0.01)
    assert (inputs @ w + bias)[here].mean() == pytest.approx(1)
    with pytest.raises(ValueError, match="here must be true at some places and false at others"):
        fitted_unit(inputs, np.ones(400))


def test_followers_by_hand():
    h = np.array([[3.0, 0], [2, 1], [1, 2], [0, 3]])
    assert followers(h, [7, 7, 5, 5], strongest=2).tolist() == [7, 5]
    assert followers(h, [4, 9, 9, 2], strongest=3).tolist() == [9, 9]


@pytest.mark.parametrize("wrong", [97, -1, 0.5])
def test_followers_are_codes(wrong):
    with pytest.raises(ValueError, match="following must hold codes, whole numbers from 0 to 96"):
        followers(np.ones((2, 3)), [5, wrong])


def test_a_unit_needs_a_difference_of_means():
    with pytest.raises(ValueError, match="inputs must differ in the mean"):
        unit_for(np.ones((4, 3)), [True, False, True, False])


def test_the_readings_of_the_lesson_are_made_once():
    assert reading.of_part("B") is reading.of_part("B")
    assert len(reading.of_part("B").bits) == 8128


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"model": torch.nn.Linear(2, 2)}, TypeError, "model must be a LanguageModel"),
        ({"text": "short"}, ValueError, "text must have more than 16 characters, but it has 5"),
        ({"text": 3}, TypeError, "text must be a string"),
        (
            {"change": {"ffn 3": torch.zeros_like}},
            ValueError,
            "unknown part in change 'ffn 3': known are 'attention 1', 'ffn 1'",
        ),
        ({"change": {"ffn 1": 0}}, TypeError, "change must hold functions of a tensor, but int 0 was given"),
    ],
)
def test_wrong_arguments(arguments, error, words, model):
    with pytest.raises(error, match=words):
        read(**{"model": model, "text": TEXT} | arguments)


def test_wrong_edits(model, seen):
    with pytest.raises(ValueError, match=r"w must have shape \(d_model,\) with d_model = 12"):
        widened(model, np.ones(11), 0.0, np.ones(12))
    with pytest.raises(TypeError, match="bias must be a finite number"):
        with_unit(model, seen, np.ones(12), "0", np.ones(12))
    with pytest.raises(TypeError, match="seen must be a Reading with what is inside"):
        with_unit(model, dataclasses.replace(seen, stream=None), np.ones(12), 0.0, np.ones(12))
    assert isinstance(seen, Reading) and untrained().seq_len == 128

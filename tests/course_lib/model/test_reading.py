"""Reading with the language model: windows, what is kept inside, changes while reading, and edits."""

import numpy as np
import pytest
import torch

from course_lib.model.language_model import CODES, LanguageModel, encoded
from course_lib.model.reading import promoted, read, widened, with_unit

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

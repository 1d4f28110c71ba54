"""The language model: its file, its loss on the text set aside, and what it writes."""

import shutil

import numpy as np
import pytest
import torch

from course_lib.model import excerpts, language_model, reading
from course_lib.model.language_model import LanguageModel, encoded, load, trained, untrained, write

SMALL = {"d_model": 8, "n_blocks": 2, "n_heads": 2, "d_ff": 12, "seq_len": 6}


@pytest.fixture
def small():
    torch.manual_seed(0)
    return LanguageModel(**SMALL).eval().requires_grad_(False)


def shipped():
    return language_model.record()["seeds"]["0"]


def test_the_shipped_weights_are_those_that_were_measured():
    with np.load(language_model.WEIGHTS, allow_pickle=False) as file:
        arrays = {name: file[name] for name in file.files}
    digits = str(arrays.pop("checksum"))
    assert digits == language_model.checksum(arrays) == shipped()["checksum"]
    assert all(array.dtype == np.float16 for name, array in arrays.items() if name != "sizes")
    assert language_model.WEIGHTS.stat().st_size <= 1_500_000


def test_its_loss_on_the_text_set_aside():
    for part in excerpts.PARTS:
        assert f"{reading.of_part(part).bits.mean():.3f}" == f"{shipped()['lesson']['bits'][part]:.3f}"
    assert shipped()["held_out"]["all"] <= 1.5


def cut_off(path):
    path.write_bytes(path.read_bytes()[:-200])


def one_byte_changed(path):
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def a_pickle(path):
    np.save(path.with_suffix(".npy"), np.array([{}], dtype=object), allow_pickle=True)
    path.with_suffix(".npy").replace(path)


def a_single_array(path):
    np.save(path.with_suffix(".npy"), np.ones(3))
    path.with_suffix(".npy").replace(path)


def another_kind(path):
    np.savez(path, weights=np.ones(3))


def objects_inside(path):
    np.savez(path, weights=np.array([{}], dtype=object))


def a_value_changed(path):
    with np.load(path) as file:
        arrays = {name: file[name] for name in file.files}
    arrays["embed.weight"][0, 0] += 1
    np.savez(path, **arrays)


@pytest.mark.parametrize(
    ("damage", "why"),
    [
        (cut_off, "it cannot be read"),
        (one_byte_changed, "it cannot be read"),
        (a_pickle, "it cannot be read"),
        (objects_inside, "it cannot be read"),
        (a_single_array, "it cannot be read"),
        (another_kind, "it is another kind of file"),
        (a_value_changed, "its checksum is wrong"),
    ],
)
def test_a_file_that_is_not_it_gets_one_sentence(damage, why, tmp_path):
    path = tmp_path / "copy.npz"
    shutil.copy(language_model.WEIGHTS, path)
    damage(path)
    with pytest.raises(ValueError) as raised:
        load(path)
    assert str(raised.value) == f"copy.npz does not hold the language model's weights ({why}). Get the file anew."


def test_loading_and_starting_leave_the_random_state_and_the_default_dtype():
    torch.manual_seed(3)
    wanted = torch.rand(1)
    torch.manual_seed(3)
    torch.set_default_dtype(torch.float64)
    try:
        found = [trained(), untrained()]
        assert torch.get_default_dtype() == torch.float64
    finally:
        torch.set_default_dtype(torch.float32)
    assert torch.equal(torch.rand(1), wanted)
    assert {weight.dtype for model in found for weight in model.parameters()} == {torch.float32}


def test_the_start_follows_from_its_seed():
    one, other, another = untrained(0), untrained(0), untrained(1)
    assert torch.equal(one.embed.weight, other.embed.weight)
    assert not torch.equal(one.embed.weight, another.embed.weight)
    matrix = one.blocks[0].ffn.up.weight
    assert float(matrix.std()) == pytest.approx(128**-0.5, rel=0.02)  # N(0, 1/fan_in)
    assert float(one.blocks[0].ffn.down.weight.std()) == pytest.approx((512 * 6) ** -0.5, rel=0.02)


def test_a_character_does_not_know_what_follows_it(small):
    codes = torch.tensor([[3, 7, 9, 11, 2, 5], [3, 7, 9, 50, 60, 70]])
    logits = small(codes)
    torch.testing.assert_close(logits[0, :3], logits[1, :3], rtol=0, atol=1e-6)
    assert not torch.allclose(logits[0, 3:], logits[1, 3:], atol=1e-3)


def test_writing_draws_by_the_probabilities(small):
    """Many first characters, drawn with many seeds, are as frequent as softmax says."""
    p = torch.softmax(small(torch.tensor([[*encoded("ab")]]))[0, -1].double() / 0.5, dim=0).numpy()
    drawn = [encoded(write(small, "ab", 1, temperature=0.5, seed=seed))[-1] for seed in range(600)]
    counts = np.bincount(drawn, minlength=97)
    assert np.abs(counts / 600 - p).max() < 0.06 and p.max() > 0.05


def test_writing_is_the_same_each_time_and_goes_beyond_the_window(small):
    one = write(small, "abc", 20, seed=4)
    assert one == write(small, "abc", 20, seed=4) != write(small, "abc", 20, seed=5)
    assert len(one) == 23 and one.startswith("abc")
    last = write(small, one, 1, seed=9)
    assert last[-1] == write(small, one[-6:], 1, seed=9)[-1]  # only the last seq_len characters count

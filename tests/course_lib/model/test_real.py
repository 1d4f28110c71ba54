"""The real model: what is read from its file, against the package gguf and against what the model is known for."""

import builtins
import shutil

import numpy as np
import pytest

from course_lib.model import real

pytestmark = pytest.mark.model

TEXT = "The river reached the bank in 1905."


@pytest.fixture(scope="module")
def smol():
    return real.open_model()


@pytest.mark.thorough
def test_every_tensor_is_what_the_package_gguf_reads():
    import gguf

    _, tensors = real.read_gguf(real.find())
    read = gguf.GGUFReader(real.find()).tensors
    assert {one.name for one in read} == set(tensors) and len(read) == 272
    for one in read:
        wanted = gguf.quants.dequantize(one.data, one.tensor_type).reshape(tensors[one.name].shape)
        np.testing.assert_array_equal(tensors[one.name], wanted)


def test_it_writes_english_and_knows_a_capital(smol):
    """Queries and keys in another order of rows, or an embedding that is not the read-out too, write nonsense."""
    assert smol.write("The capital of France is", 1) == " Paris"
    codes = smol.codes(TEXT)
    assert smol.loss(codes) < 5
    theirs = smol.model(codes, use_cache=False, output_hidden_states=True)
    rows = smol.rows(codes)
    for logits in (smol.logits(codes), smol.logits(codes, rows[20], first=20)):
        assert (logits - theirs.logits).abs().max() < 1e-4
    for ours, row in zip(rows[:-1], theirs.hidden_states[:-1], strict=True):  # their last one is normed
        assert (ours - row).abs().max() < 1e-3 * row.abs().max()
    assert sum(weight.numel() for weight in smol.model.parameters()) == 134_515_008


def test_a_text_is_cut_into_tokens_with_each_digit_alone_and_put_together_again(smol):
    assert smol.tokens(TEXT)[-6:] == [" ", "1", "9", "0", "5", "."]
    for text in (TEXT, "naïve 😀\n\tif x:", "<|im_start|>user"):
        assert smol.tokenizer.decode(smol.codes(text)[0].tolist(), skip_special_tokens=False) == text
    assert len(smol.codes("<|im_start|>")[0]) == 1


def llama(path, architecture="llama"):
    """Write a GGUF file that holds one tensor, by the package gguf."""
    import gguf

    writer = gguf.GGUFWriter(path, architecture)
    writer.add_tensor("output_norm.weight", np.ones(8, dtype=np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_a_file_that_is_no_such_model_is_refused_with_its_name(tmp_path):
    whole = real.find().read_bytes()[:4_000_000]  # the header and some tensors
    for name, content in (("empty", b""), ("text", b"GGML"), ("head", whole[:40]), ("cut", whole[:3_000_000])):
        path = tmp_path / f"{name}.gguf"
        path.write_bytes(content)
        with pytest.raises(ValueError, match=f"^path must be a .*GGUF file, but {name}.gguf "):
            real.open_model(path)
    with pytest.raises(ValueError, match=r"Q4_1, Q8_0 or float32, but output_norm.weight has the format 1"):
        real.open_model(llama(tmp_path / "half.gguf"))
    with pytest.raises(FileNotFoundError, match="there is none called"):
        real.open_model(tmp_path / "none.gguf")
    with pytest.raises(TypeError, match="path must be the path of a GGUF file, but int 3 was given"):
        real.open_model(3)


def test_without_the_part_the_sentence_says_how_to_get_it(monkeypatch, tmp_path):
    copied = shutil.copy(real.find(), tmp_path / "by_hand.gguf")
    found = real.find_spec
    monkeypatch.setattr(real, "find_spec", lambda name: None if name == real.WHEEL else found(name))
    assert real.find() is None
    with pytest.raises(FileNotFoundError, match="start.py install model"):
        real.open_model()
    assert real.open_model(copied).write("The capital of France is", 1) == " Paris"
    monkeypatch.setattr(real, "find_spec", lambda name: None)
    with pytest.raises(ModuleNotFoundError, match="start.py install model"):
        real.open_model(copied)


def test_the_wheel_is_never_imported(monkeypatch):
    """Its own code needs packages that would have to be compiled."""
    plain = builtins.__import__

    def guarded(name, *arguments, **keywords):
        assert not name.startswith(real.WHEEL)
        return plain(name, *arguments, **keywords)

    monkeypatch.setattr(builtins, "__import__", guarded)
    assert real.open_model().layers

"""What the microscope says of the real model is what transformers computes, with a change and without."""

import base64

import numpy as np
import pytest
import torch

from course_lib import real_microscope
from course_lib.microscope import microscope
from course_lib.model import real

pytestmark = pytest.mark.model

TEXT = "The river reached the bank"
ASKED = {"text": TEXT, "ffn": 9, "unit": 702, "entry": [12, 507, 1229], "caret": 26} | real_microscope.AS_IS
CHANGES = [{}, {"off": "ffn"}, {"off": "attention"}, {"off": "unit"}, {"value": 0.0}, {"value": 2.5, "off": "unit"}]


@pytest.fixture(scope="module")
def lens():
    return real_microscope.Lens(real.open_model())


def in_transformers(lens, asked):
    """Return the logits of transformers after each token, with weights that are changed as a question asks."""
    layer, (number, feature, unit) = lens.model.layers[asked["ffn"] - 1], asked["entry"]
    weights = [
        layer.mlp.down_proj.weight,
        layer.self_attn.o_proj.weight,
        lens.model.layers[number - 1].mlp.down_proj.weight,
    ]
    before = [weight.clone() for weight in weights]
    for part, weight in zip(("ffn", "attention"), weights, strict=False):
        if part in asked["off"]:
            weight.zero_()
    if "unit" in asked["off"]:
        weights[0][:, asked["unit"]] = 0
    if asked["value"] is not None:
        weights[2][feature, unit] = asked["value"]
    logits = lens.model.model(lens.model.codes(asked["text"]), use_cache=False).logits[0]
    for weight, values in zip(weights, before, strict=True):
        weight.copy_(values)
    return logits


@pytest.mark.parametrize("change", CHANGES, ids=str)
def test_the_logits_are_those_of_transformers(lens, change):
    as_it_is = lens.logits(ASKED, 4)
    for asked in (ASKED | change, ASKED | change | {"ffn": 20, "text": "Two and two make"}):
        wanted = in_transformers(lens, asked)
        for at in (1, len(wanted) - 1):
            assert (lens.logits(asked, at) - wanted[at]).abs().max() < 1e-4
    assert (lens.logits(ASKED | change, 4) - as_it_is).abs().max() > 0.1 or not change
    assert torch.equal(lens.logits(ASKED, 4), as_it_is)  # nothing has stayed changed


def test_an_answer_is_about_the_token_at_the_caret(lens):
    answer = lens.answer(ASKED | {"caret": 9, "off": "unit"})
    assert answer["tokens"][answer["at"]] == " river" and answer["ends"] == [3, 9, 17, 21, 26]
    p, without = (lens.logits(asked, 1).softmax(-1) for asked in (ASKED, ASKED | {"off": "unit"}))
    for word, *chances in answer["expected"]:
        code = lens.model.codes(word)[0, 0]
        assert chances == [p[code], without[code]]
    mlp = lens.model.layers[8].mlp
    with real.watching(mlp.down_proj) as kept:
        row = lens.model.rows(lens.model.codes(TEXT))[9][0, 1]
    y = mlp.down_proj(kept[0])[0, 1]
    assert answer["written"][8] == pytest.approx((y.norm() / (row - y).norm()).item(), rel=1e-4)
    river = np.frombuffer(base64.b64decode(answer["hidden"]), "<f2").reshape(5, 1536)
    np.testing.assert_allclose(river, kept[0][0], rtol=1e-3, atol=1e-4)
    assert river[4, 702] < -3


def test_long_texts_are_cut_and_a_split_character_counts_once(lens):
    long = lens.answer(ASKED | {"text": "one two " * 60, "caret": 480})
    assert (len(long["tokens"]), long["is_cut"], long["at"]) == (64, True, 63)
    odd = [lens.answer(ASKED | {"text": "a😀b", "caret": caret}) for caret in range(4)]
    assert [one["ends"][one["at"]] for one in odd] == [1, 1, 2, 3] and len(odd[0]["tokens"]) > 3


def test_there_are_30_ffns_of_1536_units(lens):
    with pytest.raises(ValueError, match="unit must be an integer from 0 to 1535"):
        microscope(TEXT, ffn=9, unit=1536, model=lens.model)
    with pytest.raises(ValueError, match="ffn must be an integer from 1 to 30"):
        microscope(TEXT, ffn=31, unit=0, model=lens.model)

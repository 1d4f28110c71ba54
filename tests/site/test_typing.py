"""The language model that runs in a page computes what torch computes, and what one types is painted by it."""

import functools
import json

import numpy as np
import pytest
import torch

from course_lib.model import contexts, excerpts, language_model, reading
from publish.site import trained
from tests.site import node

TEXTS = [
    "def read_",
    'class Bank:\n\tdef __init__(self, "river"):\n        self.reached = {~river}  # 100 %',
    excerpts.excerpt("B", 300).text,  # longer than a window
]
LOGITS = """([steps, off, strength]) => {
    const { model, own } = course.trained;
    const reader = new course.Reader(model);
    off.forEach((one, number) => one && reader.switch(number, true));
    let unit = null;
    for (const text of steps) {
        reader.set(model.encoded(text));
        if (reader.read() !== text.length) throw new Error("it stops before the end");
    }
    if (strength) {
        const v = model.toward(model.encoded(own.writes)[0]).map(one => strength * one);
        unit = { w: own.w, bias: own.bias, v };
    }
    const places = Array.from(steps[steps.length - 1], (_, place) => place);
    return [places.map(place => Array.from(model.logits(reader.row(place), unit, reader.off))),
            places.map(place => reader.row(place).hidden.map(one => Array.from(one)))];
}"""


@pytest.fixture(scope="module")
def in_page(tmp_path_factory):
    """Return a function that gives the logits (places, 97) and the hidden values (places, 3, 512) of a page."""
    path = tmp_path_factory.mktemp("site") / "weights.js"
    path.write_text(trained.script())

    @functools.cache
    def run(*steps, off=(False,) * 3, strength=0):
        found = node.run(LOGITS, [steps, off, strength], "base.js", "trained.js", path)
        return tuple(map(np.array, found))

    return run


def in_torch(text, model=None, off=(False,) * 3):
    """Return the logits of torch, in the windows of `reading.read`: the second half of each counts, of the first all."""
    model = model or language_model.trained()
    hooks = [
        block.ffn.register_forward_hook(lambda module, given, output: torch.zeros_like(output))
        for block, one in zip(model.blocks, off, strict=True)
        if one
    ]
    half, rows = model.seq_len // 2, []
    for place in range(len(text)):
        start = max(0, place // half - 1) * half
        rows.append((start, place - start))
    windows = {start: torch.from_numpy(language_model.encoded(text[start : start + 2 * half])) for start, _ in rows}
    with torch.no_grad():
        logits = {start: model(codes[None])[0].numpy() for start, codes in windows.items()}
    for hook in hooks:
        hook.remove()
    return np.array([logits[start][place] for start, place in rows])


@pytest.mark.parametrize("text", TEXTS)
def test_the_logits_are_those_of_torch(in_page, text):
    np.testing.assert_allclose(in_page(text)[0], in_torch(text), atol=1e-4, rtol=0)


def test_hidden_values_are_those_of_the_lesson(in_page):
    """Of the places of part B that count, and a text longer than a window."""
    seen, half = reading.of_part("B"), 64
    here = in_page(TEXTS[2])[1]
    for number, h in enumerate(seen.hidden):
        np.testing.assert_allclose(here[half:, number], h[: 300 - half], atol=1e-3, rtol=0)


@pytest.mark.parametrize("before", ["", TEXTS[2], TEXTS[2][:100] + "x" + TEXTS[2][100:], TEXTS[2][:129]])
def test_what_is_kept_while_one_types_changes_nothing(in_page, before):
    text = TEXTS[2][:200]
    for found, anew in zip(in_page(before, text), in_page(text), strict=True):
        assert np.array_equal(found, anew)


@pytest.mark.parametrize("number", [0, 1, 2])
def test_an_ffn_that_is_off_writes_nothing(in_page, number):
    off = tuple(one == number for one in range(3))
    there = in_torch(TEXTS[1], off=off)
    assert abs(there - in_torch(TEXTS[1])).max() > 1
    np.testing.assert_allclose(in_page(TEXTS[1], off=off)[0], there, atol=1e-4, rtol=0)


def test_the_unit_of_ones_own_is_that_of_section_4(in_page):
    seen = reading.of_part("A")
    here = contexts.ends_with(excerpts.excerpt("A", 8200).text, "self")[seen.places]
    model = language_model.trained()
    rows, gain = model.read_out.weight.numpy(), model.norm.weight.numpy()
    v = (rows[language_model.CODES["i"]] - rows.mean(axis=0)) * gain
    edited = reading.widened(model, *reading.unit_for(seen.inputs[2], here), 40 * v / np.linalg.norm(v))
    text = "def close(self):\n    self"
    there = in_torch(text, edited)
    np.testing.assert_allclose(in_page(text, strength=40)[0], there, atol=1e-4, rtol=0)
    assert (
        language_model.CHARACTERS[there[-1].argmax()] == "i" != language_model.CHARACTERS[in_torch(text)[-1].argmax()]
    )


def test_the_names_are_those_that_the_lesson_finds():
    record = language_model.record()["seeds"]["0"]["lesson"]
    assert [len(one) for one in trained.known().names] == record["named"]["units"]
    assert trained.known().names[0][357][0] == "at '.'"


def test_the_script_is_small_and_plain():
    script = trained.script()
    assert len(script) < 1.75e6 and script.isascii() and "</" not in script
    about = json.loads(script[len("course.weights(") : script.index(', "', script.index('"writes"'))])
    assert about["characters"] == language_model.CHARACTERS

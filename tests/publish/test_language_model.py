"""The language model: what its training does to the weights, its yardsticks, and the shipped weights on a library."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from course_lib.model import language_model, reading
from course_lib.model.excerpts import excerpt
from course_lib.model.language_model import CHARACTERS, LanguageModel
from publish.language_model import measure, text, train
from publish.language_model.ngrams import bits_of

CODES = language_model.encoded(excerpt("A").text).astype(np.uint8)


def steps(count, seed=0):
    torch.manual_seed(seed)
    model = LanguageModel(d_model=16, n_blocks=2, n_heads=2, d_ff=32, seq_len=32)
    optimiser = torch.optim.AdamW(train.groups(model), lr=train.RATE, betas=(0.9, 0.99))
    return [train.take_step(model, optimiser, CODES, seed, step, 100) for step in range(count)]


def test_rate():
    rates = [train.rate_at(step, 7000) for step in range(7000)]
    assert rates[0] == pytest.approx(train.RATE / 100, rel=1e-6) and max(rates) == pytest.approx(train.RATE, rel=0.01)
    assert rates.index(max(rates)) == 99 and rates[-1] < 1e-6 * train.RATE * 10
    assert rates[3500] == pytest.approx(train.RATE / 2, rel=1e-3)


def test_matrices_decay_and_nothing_else():
    model = LanguageModel(d_model=8, n_blocks=1, n_heads=1, d_ff=8, seq_len=8)
    matrices, others = train.groups(model)
    assert (matrices["weight_decay"], others["weight_decay"]) == (train.DECAY, 0.0)
    assert {one.ndim for one in matrices["params"]} == {2} and {one.ndim for one in others["params"]} == {1}
    assert len(matrices["params"]) + len(others["params"]) == len(list(model.parameters()))


# ---- the library that it is trained on


def test_whole_modules_are_held_out():
    training, held_out = text.split()
    assert len(training) > 5_000_000
    assert {name.partition("/")[0] for name in held_out} == set(text.HELD_OUT)
    words = "".join(CHARACTERS[code] for code in held_out["textwrap"][2000:2080])
    everything = bytes(CHARACTERS[code].encode()[0] for code in range(97))
    assert words.encode() not in np.frombuffer(everything, dtype=np.uint8)[training].tobytes()


def test_the_shipped_weights_on_this_interpreters_own_library():
    _, held_out = text.split()
    measured = language_model.record()["seeds"]["0"]["held_out"]
    model = language_model.trained()
    for name in ("textwrap", "csv"):
        found = measure.held_out(model, {name: held_out[name]})[name]
        assert found == pytest.approx(measured[name], abs=0.05), name


# ---- yardsticks


def counted(training, n, context, following):
    """Return the probability of an n-gram model with Witten and Bell's weights, counted one by one."""
    if n == 0:
        return 1 / 97
    before = tuple(context[len(context) - n + 1 :])
    after = Counter(
        training[i + n - 1] for i in range(len(training) - n + 1) if tuple(training[i : i + n - 1]) == before
    )
    shorter, total = counted(training, n - 1, context, following), sum(after.values())
    return shorter if total == 0 else (after[following] + len(after) * shorter) / (len(after) + total)


def test_ngrams_against_counting_one_by_one():
    training, scored, places = CODES[:1500], CODES[20_000:20_100], np.arange(10, 30)
    found = bits_of(training, scored, places, most=4)
    training, scored = training.tolist(), scored.tolist()
    for n in range(5):
        p = [counted(training, n, scored[: place + 1], scored[place + 1]) for place in places]
        assert found[n] == pytest.approx(-np.log2(p).mean(), abs=1e-9), n
    assert found[0] == pytest.approx(math.log2(97))


# ---- what the lesson's record holds


def test_names_are_counted_as_the_lesson_counts_them():
    part = {name: excerpt(name, reading.LENGTH) for name in "AB"}
    seen = {name: reading.of_part(name) for name in "AB"}
    truths = {name: measure.truths_of(part[name], seen[name].places) for name in "AB"}
    h = {name: seen[name].hidden[2] for name in "AB"}
    recorded = language_model.record()["seeds"]["0"]["lesson"]["named"]["units"][2]
    assert measure.count_named(h, truths) == recorded
    assert measure.count_named(h, truths, least=0.6) > recorded
    like = measure.like(h["A"], {name: seen[name].inputs[2] for name in "AB"}, np.eye(128)[:20].repeat(26, 0)[:512])
    rates = [(one > 0).mean(axis=0) for one in (like["A"], h["A"])]
    np.testing.assert_allclose(*rates, atol=2e-3)

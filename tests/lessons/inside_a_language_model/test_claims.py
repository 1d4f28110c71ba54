"""What the lesson claims in words, held against other computations and the second training."""

import re

import numpy as np
import torch

from course_lib.model import contexts, language_model, reading
from course_lib.model.excerpts import excerpt
from lessons import catalogue
from lessons.inside_a_language_model import LESSON, shared
from tests.conftest import NOTEBOOKS
from tests.lessons.stored import plain_outputs

SHOWN = plain_outputs(LESSON.notebook.removesuffix(".ipynb"))
WORDS = " ".join(NOTEBOOKS.joinpath(LESSON.notebook).read_text(encoding="utf-8").split())
SEEDS = {seed: one["lesson"] for seed, one in language_model.record()["seeds"].items()}


def prediction(name):
    return catalogue.item(f"inside_a_language_model.predict_{name}")


def test_few_at_a_character_and_nearly_all_somewhere():
    found = re.search(r"After training (\d+) % of the units work .* and (\d+) of 512 work somewhere", SHOWN["run-3"])
    assert int(found[1]) < 6 and int(found[2]) > 480 and prediction("somewhere").answer == "nearly all"
    assert f"Of 512 units, {found[2]} work" in prediction("somewhere").right
    assert min(min(one["used"]) for one in SEEDS.values()) > 0.95 * 512  # whichever FFN and training run
    mean = (reading.of_part("B").hidden[1] > 0).sum(axis=1).mean()
    assert 23 < mean < 25  # "about 24 units of FFN 2 work" in its hints and in the quiz


def test_nobody_reads_comments_or_docstrings():
    seen, found = reading.of_part("A"), contexts.contexts(excerpt("A", reading.LENGTH))
    truths = np.stack([found[f"in a {name}"] for name in ("comment", "docstring")], axis=1)[seen.places]
    assert max(contexts.best_names(h, truths)[0].max() for h in seen.hidden) < 0.7


def test_the_direction_of_self_makes_no_error():
    assert "part B: fires 72 times; after self 72 times" in SHOWN["run-6-read"]
    assert "precision 1.00, recall 1.00" in SHOWN["run-6-read"]


def test_why_the_threshold_and_the_length_are_what_they_are():
    seen = {part: reading.of_part(part) for part in "AB"}
    x, here = seen["A"].inputs[2], shared.where("A", seen["A"], "self")
    s = x @ (x[here].mean(axis=0) - x[~here].mean(axis=0))
    half_way = s > (s[here].mean() + s[~here].mean()) / 2
    wrong = f"{(half_way & ~here).sum()} of the unit's {half_way.sum()} firings on part A would be false alarms"
    assert wrong in WORDS and f"{(~here).sum() / here.sum():.0f} times as many places" in WORDS
    assert "The threshold lies 70 % of the way" in SHOWN["run-6-direction"]
    lengths = np.linalg.norm(seen["B"].stream[shared.where("B", seen["B"], "self")], axis=1)
    assert f"the stream has a length of {lengths.mean():.0f}" in WORDS and lengths.max() < 40
    obeys = [
        shared.effect(language_model.trained(), seen["A"], seen["B"], "self", "i", size).after for size in (10, 20, 40)
    ]
    assert obeys[0] < 0.1 < 0.5 < obeys[1] < 0.9 < obeys[2]  # "stop obeying"


def test_what_a_second_training_shows():
    one, two = SEEDS["0"], SEEDS["1"]
    assert all(zeros > 0.85 for found in (one, two) for zeros in found["zeros"])  # "as sparse"
    named = [sum(found["named"]["units"]) for found in (one, two)]
    assert max(named) < 1.5 * min(named) and not np.any([found["named"]["random"] for found in (one, two)])
    for found in (one, two):
        means = {part: np.mean(costs) for part, costs in found["removed"].items()}
        assert sorted(means, key=means.get)[-2:] == ["attention 1", "ffn 1"]
        assert found["edit"]["self"][2:4] == [1, 1] and found["edit"]["self"][5] > 0.95
        assert abs(found["edit"]["self"][6]) < 0.001
    assert f"gave {named[1]} units with a name" in WORDS


def test_a_unit_of_the_last_ffn_is_silent_where_it_is_zero():
    """Exactly, for the edit itself."""
    model, seen = language_model.trained(), {part: reading.of_part(part) for part in "AB"}
    w, bias = reading.unit_for(seen["A"].inputs[2], shared.where("A", seen["A"], "self"))
    edited = reading.with_unit(model, seen["B"], w, bias, 40 * shared.push(model, "i"))
    same = reading.with_unit(model, seen["B"], 0 * w, 0.0, 0 * w)
    silent = ~shared.where("B", seen["B"], "self")
    np.testing.assert_array_equal(edited.bits[silent], same.bits[silent])
    assert torch.get_default_dtype() == torch.float32

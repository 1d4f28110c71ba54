"""The passage computes the story's layer as the course does, and shows no more than its lesson allows."""

import itertools
import json

import numpy as np
import pytest

from course_lib.model import bank, numpy_ffn
from publish.site import passage
from tests.site import node

BENDS = {"ReLU": numpy_ffn.relu, "GELU": numpy_ffn.gelu, "none": numpy_ffn.identity}
PLACES = [None, *itertools.product((bank.ATTENTION, bank.FFN), (1, 2, 5), (1, 2, 6), (-2.5, -0.35, 0.8))]
WAYS = "([layer, asked]) => asked.map(one => course.passage.way(layer, one))"
ARRAYS = ("x", "weights", "mixed", "asked", "hidden", "added", "stream")


def test_the_page_computes_what_the_course_does():
    cases = list(itertools.product(bank.CUES, BENDS, PLACES))
    asked = [{"cue": cue, "bend": bend, "moved": place and moved(*place)} for cue, bend, place in cases]
    layer = json.loads(json.dumps(passage.numbers()))
    found = node.run(WAYS, [layer, asked], "base.js", "passage-numbers.js")
    assert len(found) == len(cases) == 2 * 3 * (1 + 2 * 3 * 3 * 3)
    for one, (cue, bend, place) in zip(found, cases, strict=True):
        way = bank.way(cue, activation=BENDS[bend], moved=place)
        assert tuple(one["words"]) == way.words
        for name in ARRAYS:
            assert np.allclose(one[name], getattr(way, name), rtol=0, atol=1e-6), (name, cue, bend, place)


def moved(before, word, feature, by):
    return {"before": before, "word": word - 1, "feature": feature - 1, "by": by}


@pytest.mark.parametrize("z", [-8.5, -3.0, -0.75, -1e-9, 0.0, 0.3, 2.0, 8.5, 40.0])
def test_gelu_is_exact_everywhere(z):
    assert node.run("z => course.passage.BENDS.GELU(z)", z, "base.js", "passage-numbers.js") == pytest.approx(
        float(numpy_ffn.gelu(z)), abs=1e-12
    )

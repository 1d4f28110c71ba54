"""What the lesson claims in words, held against other computations."""

import re

import numpy as np
import pytest

from course_lib.model import experts, tasks, training
from lessons import catalogue
from lessons.bonus_experts import LESSON
from tests.conftest import NOTEBOOKS
from tests.lessons.stored import plain_outputs

SHOWN = plain_outputs(LESSON.notebook.removesuffix(".ipynb"))
TOKENS = 400 * 96
RANGE = r"(\S+) \[(\S+), (\S+)\]"


def prediction(name):
    return catalogue.item(f"bonus_experts.predict_{name}")


def test_cutting_a_wide_network_changes_nothing_and_leaving_out_a_part_does():
    assert "7 experts add up to the wide FFN, to 1e-12: False" in SHOWN["run-1"]
    assert "8 experts add up to the wide FFN, to 1e-12: True" in SHOWN["run-1"]
    assert prediction("cut").answer == "equal"


def test_a_softmax_over_one_passes_no_gradient():
    assert re.search(r"k = 1, mixtral: largest gradient of the router 0\n", SHOWN["run-1-gradient"])
    others = re.findall(
        r"(?:k = 2, \w+ *|k = 1, switch *): largest gradient of the router (\S+)", SHOWN["run-1-gradient"]
    )
    assert len(others) == 3 and all(float(value) > 1 for value in others)
    assert prediction("gradient").answer == "zero"


def test_at_a_larger_step_a_gate_of_1_is_behind_too():
    """What was measured beforehand."""
    x, y = tasks.smooth(TOKENS + 2048, 8)
    found = []
    for many in (
        training.networks((8, 128, 8), 8),
        training.networks((8, 16, 8), 8),
        experts.mixtures(8, 16, 8, 1, 8, router="mixtral"),
    ):
        settings = {"steps": 400, "rate": 0.1, "schedule": "cosine", "batch": 96}
        training.fit(many, x[:, :TOKENS], y[:, :TOKENS], **settings)
        found.append((many(x[:, TOKENS:]) - y[:, TOKENS:]).square().mean(dim=(1, 2)))
    wide, narrow, one = found
    assert (one > narrow).all() and (4 * wide < narrow).all()
    source = NOTEBOOKS.joinpath(LESSON.notebook).read_text(encoding="utf-8")
    assert "at 0.1 (measured beforehand, eight seeds)" in source


def test_an_untrained_router_has_favourites_too():
    share = float(re.search(r"untrained, mean of 8 seeds: (\S+)", SHOWN["run-6"])[1])
    assert prediction("share").answer == share
    trained = re.search(rf"trained, balance loss: here \S+, in 8 seeds {RANGE}\.", SHOWN["run-6"])
    assert float(trained[1]) > 0.9  # "close to 1 in most clusters"
    assert 0.6 < share < 0.72  # "two thirds of a cluster"
    sent_anywhere = np.random.default_rng(0).multinomial(2048 // 8, [1 / 8] * 8, size=4000).max(axis=1).mean()
    assert f"{sent_anywhere / 256:.2f}" == "0.16"
    assert all("0.16" in words for words in (prediction("share").hints[1], prediction("share").replies[0].says))


def test_counts_of_the_mixtures():
    rows = {line.split("  ")[0]: line.split()[-5:] for line in SHOWN["run-8-models"].splitlines()[2:]}
    assert rows == {
        "Mixtral 8x7B": ["46.7", "12.9", "3.6", "93", "26"],
        "DeepSeek-V3": ["671.0", "37.6", "17.9", "1342", "75"],
        "Qwen3-235B-A22B": ["235.1", "22.2", "10.6", "470", "44"],
        "gpt-oss-120b": ["116.8", "5.7", "20.5", "234", "11"],
        "Gemma-4-26B-A4B": ["25.2", "3.8", "6.6", "50", "8"],
    }


@pytest.mark.thorough
def test_other_seeds_say_the_same():
    """The comparisons of sections 2 and 3 on 16 other tasks."""
    seeds, first = 16, 50
    data = tasks.clusters(TOKENS + 2048, seeds, first_seed=first), tasks.smooth(TOKENS + 2048, seeds, first_seed=first)

    def errors(many, x, y, **options):
        training.fit(many, x[:, :TOKENS], y[:, :TOKENS], steps=400, rate=0.03, schedule="cosine", batch=96, **options)
        return (many(x[:, TOKENS:]) - y[:, TOKENS:]).square().mean(dim=(1, 2))

    def mixture():
        return experts.mixtures(8, 16, 8, 1, seeds, router="switch", first_seed=first)

    narrow, wide, one = [], [], []
    for x, y, *_ in data:
        narrow.append(errors(training.networks((8, 16, 8), seeds, first_seed=first), x, y))
        wide.append(errors(training.networks((8, 128, 8), seeds, first_seed=first), x, y))
        one.append(errors(mixture(), x, y))
    balanced = mixture()
    with_loss = errors(balanced, *data[0][:2], penalty=balanced.balancing(0.1))
    assert (one[0] < narrow[0]).all() and (one[0] < wide[0]).sum() >= 12 and (with_loss < wide[0]).all()
    assert (one[1] > narrow[1]).all() and (one[1] > 4 * wide[1]).all()
    assert (with_loss < one[0]).sum() >= 12

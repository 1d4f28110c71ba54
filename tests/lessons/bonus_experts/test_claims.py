"""What the lesson claims in words, held against other computations."""

import re

import numpy as np
import pytest

from course_lib.model import experts, tasks, training
from lessons import catalogue
from lessons.bonus_experts import LESSON
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


def test_paper_and_code_give_the_same_gates_and_float32_has_fewer_ties():
    rows = {line.split("  ")[0]: line.split()[-5:] for line in SHOWN["run-1-gates"].splitlines()[2:]}
    assert rows["Mixtral, paper"] == rows["Mixtral, code"] and prediction("order").answer == "equal"
    assert "paper and code equal to 1e-12: True" in SHOWN["run-1-many"]
    single, half = (int(count) for count in re.findall(r"(\d+) of 4096 tokens", SHOWN["run-1-many"]))
    assert single < half


def test_a_dispatch_does_a_quarter_of_the_work():
    assert "dispatched: 1,024 rows, 33,554,432 multiply–adds" in SHOWN["run-3"] and prediction("rows").answer == 1024
    assert re.findall(r"to 1e-12: (\w+)", SHOWN["run-3"]) == ["True", "False"]


def test_a_softmax_over_one_passes_no_gradient():
    assert re.search(r"k = 1, mixtral: largest gradient of the router 0\n", SHOWN["run-1-gradient"])
    others = re.findall(
        r"(?:k = 2, \w+ *|k = 1, switch *): largest gradient of the router (\S+)", SHOWN["run-1-gradient"]
    )
    assert len(others) == 3 and all(float(value) > 0.5 for value in others)
    assert prediction("gradient").answer == "zero"


def test_an_untrained_router_has_favourites_too():
    share = float(re.search(r"untrained, mean of 8 seeds: (\S+)", SHOWN["run-5"])[1])
    assert prediction("share").answer == share
    trained = re.search(rf"trained, balance loss: here \S+, in 8 seeds {RANGE}\.", SHOWN["run-5"])
    assert float(trained[1]) > 0.9  # "close to 1 in most clusters"
    assert 0.6 < share < 0.72  # "two thirds of a cluster"
    sent_anywhere = np.random.default_rng(0).multinomial(2048 // 8, [1 / 8] * 8, size=4000).max(axis=1).mean()
    assert f"{sent_anywhere / 256:.2f}" == "0.16"
    assert all("0.16" in words for words in (prediction("share").hints[1], prediction("share").replies[0].says))


def test_counts_of_the_mixtures():
    rows = {line.split("  ")[0]: line.split()[-5:] for line in SHOWN["run-7"].splitlines()[2:]}
    assert rows == {
        "Mixtral 8x7B": ["46.7", "12.9", "3.6", "93", "26"],
        "DeepSeek-V3": ["671.0", "37.6", "17.9", "1342", "75"],
        "Qwen3-235B-A22B": ["235.1", "22.2", "10.6", "470", "44"],
        "gpt-oss-120b": ["116.8", "5.7", "20.5", "234", "11"],
        "Gemma-4-26B-A4B": ["25.2", "3.8", "6.6", "50", "8"],
    }


@pytest.mark.thorough
def test_other_seeds_say_the_same():
    """The comparisons of section 2 on 16 other tasks."""
    seeds, first = 16, 50
    x, y, _ = tasks.clusters(TOKENS + 2048, seeds, first_seed=first)

    def errors(many, **options):
        training.fit(many, x[:, :TOKENS], y[:, :TOKENS], steps=400, rate=0.03, schedule="cosine", batch=96, **options)
        return (many(x[:, TOKENS:]) - y[:, TOKENS:]).square().mean(dim=(1, 2))

    def mixture():
        return experts.mixtures(8, 16, 8, 1, seeds, router="switch", first_seed=first)

    narrow, wide = (errors(training.networks((8, width, 8), seeds, first_seed=first)) for width in (16, 128))
    one, balanced = errors(mixture()), mixture()
    with_loss = errors(balanced, penalty=balanced.balancing(0.1))
    assert (one < narrow).all() and (one < wide).sum() >= 12 and (with_loss < wide).all()
    assert (with_loss < one).sum() >= 12

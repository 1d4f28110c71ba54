"""What the lesson claims in words, held against other computations and against its stored outputs."""

import re

import numpy as np
import pytest
import torch

from course_lib.model import accounting, experts, tasks, training
from lessons import catalogue
from lessons.bonus_experts import LESSON
from tests.conftest import NOTEBOOKS
from tests.lessons.stored import plain_outputs, run_cells

SHOWN = plain_outputs(LESSON.notebook.removesuffix(".ipynb"))
TOKENS = 400 * 96
RANGE = r"(\S+) \[(\S+), (\S+)\]"


def prediction(name):
    return catalogue.item(f"bonus_experts.predict_{name}")


def ranges(id):
    """Return name -> mean, least and largest error of the figure that a cell shows."""
    caption = SHOWN[id].partition("(bar: mean): ")[2]
    found = re.findall(rf"([^;:]+?) {RANGE}[;.]", caption)
    return {name.strip(): tuple(map(float, numbers)) for name, *numbers in found}


def test_cutting_a_wide_network_changes_nothing_and_leaving_out_a_part_does():
    assert "7 experts add up to the wide FFN, to 1e-12: False" in SHOWN["run-1"]
    assert "8 experts add up to the wide FFN, to 1e-12: True" in SHOWN["run-1"]
    assert prediction("cut").answer == "equal"


def test_gates_of_three_models():
    rows = {line.split("  ")[0]: line.split()[-5:] for line in SHOWN["run-1-gates"].splitlines()[2:]}
    assert [row[-1] for row in rows.values()] == ["1", "0.834", "1", "1"]
    biased = [float(gate) for gate in rows["DeepSeek-V3, with a bias"][:4]]
    assert biased[3] > 0 == biased[1] and biased[3] < biased[0]
    sigmoids = 1 / (1 + np.exp(-np.array([2.0, -1.0])))
    assert biased[3] == pytest.approx(sigmoids[1] / sigmoids.sum(), abs=1e-3)  # its own small logit, without the bias


def test_a_softmax_over_one_passes_no_gradient():
    assert re.search(r"k = 1, mixtral: largest gradient of the router 0\n", SHOWN["run-1-gradient"])
    others = re.findall(
        r"(?:k = 2, \w+ *|k = 1, switch *): largest gradient of the router (\S+)", SHOWN["run-1-gradient"]
    )
    assert len(others) == 3 and all(float(value) > 1 for value in others)
    assert prediction("gradient").answer == "zero"


def test_what_is_compared_in_section_2():
    for number in (280, 552, 2184, 2304, 344, 624):
        assert f" {number:,}" in SHOWN["run-2-task"]


def test_with_clusters_the_size_counts():
    found = ranges("run-2-two")
    narrow, middle, wide, one, two = found.values()
    assert prediction("match").answer == 128
    assert one[2] < narrow[1] and two[2] < middle[1]  # "at about equal work it wins by far"
    assert one[0] < wide[0] and two[0] < wide[0]
    wins = [int(count) for count in re.findall(r"better than dense, 128 units, in (\d) of 8", SHOWN["run-2-two"])]
    assert len(wins) == 2 and min(wins) >= 6  # "in most seeds a smaller one"
    assert max(one[1], two[1]) < min(one[2], two[2])  # "two experts beat one" is not claimed: ranges overlap


def test_without_clusters_the_mixture_is_worst():
    narrow, _, wide, one = ranges("run-3").values()
    assert one[0] > narrow[0] > wide[0] and wide[2] < one[1] and prediction("smooth").answer == "worst"
    assert "better than dense, 16 units, in 0 of 8 seeds" in SHOWN["run-3"]
    ratio = re.search(r"divided by that of 128 units: (\d+)", SHOWN["run-3"])[1]
    assert float(ratio) >= 8  # "many times worse"


def test_a_gate_that_changes_puts_the_mixture_behind():
    narrow, switch, larger, small, one = ranges("run-3-constant").values()
    wins = [int(count) for count in re.findall(r"better than dense, 16 units, in (\d) of 4", SHOWN["run-3-constant"])]
    assert wins == [0, 0, 4] and one[0] < narrow[0] < larger[0] < switch[0]
    assert small[1] < narrow[2] and small[2] < narrow[2] * 1.05  # "ends close to 16 dense units"
    assert small[0] - narrow[0] < (switch[0] - narrow[0]) / 5 and small[2] < switch[1]
    mean = re.search(r"gate is (\S+) on average", SHOWN["run-3-gate"])[1]
    assert f"{mean} for every token" in SHOWN["run-3-constant"] and 4 * float(mean) < 1


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


def test_training_leaves_more_experts_unused_in_every_seed():
    rows = re.findall(r"\[([\d, ]+)\]", SHOWN["run-5"])
    before, one, two = ([int(count) for count in row.split(",")] for row in rows)
    assert len(before) == 8 and all(a > b for a, b in zip(one, before, strict=True))
    assert two == [0] * 8  # "with two used …, none is left out"
    assert prediction("unused").answer == "more"


def test_values_of_the_balance_loss():
    values = [float(line.rpartition(":")[2]) for line in SHOWN["run-5-marks"].splitlines()]
    assert values == [1, 1, 4, 0.922]


def test_balancing_repairs_the_load_and_not_always_the_error():
    unused = {name: float(count) for name, count in re.findall(r"([a-z ]+): (\S+) of 8, the", SHOWN["run-5-bias"])}
    unused = {name.strip(): count for name, count in unused.items()}
    assert unused["no balancing"] >= 1 and unused["balance loss"] < 0.3 and unused["choice bias"] < 0.3
    found = re.findall(rf"(\w+ \w+): error {RANGE}, better than without in (\d) of 8", SHOWN["run-5-bias"])
    found = {name: list(map(float, numbers)) for name, *numbers in found}
    plain, loss, bias = (found[name] for name in ("no balancing", "balance loss", "choice bias"))
    assert loss[3] >= 6 and loss[0] < plain[0]  # "it falls in most seeds"
    assert 2 <= bias[3] <= 6 and bias[1] < plain[2] and plain[1] < bias[2]  # "overlap … divided"


def test_an_untrained_router_has_favourites_too():
    share = float(re.search(r"untrained, mean of 8 seeds: (\S+)", SHOWN["run-6"])[1])
    assert prediction("share").answer == share
    trained = re.search(rf"trained, balance loss: here \S+, in 8 seeds {RANGE}\.", SHOWN["run-6"])
    assert float(trained[1]) > 0.9  # "close to 1 in most clusters"
    assert 0.6 < share < 0.72  # "two thirds of a cluster"
    sent_anywhere = np.random.default_rng(0).multinomial(2048 // 8, [1 / 8] * 8, size=4000).max(axis=1).mean()
    assert f"{sent_anywhere / 256:.2f}" == "0.16"
    assert all("0.16" in words for words in (prediction("share").hints[1], prediction("share").replies[0].says))


def test_the_second_choice_is_worse_than_the_mean():
    first, second = re.findall(rf"choice: error {RANGE}", SHOWN["run-6-swap"])
    assert float(second[1]) > 2 and float(first[2]) < 0.2  # "several times worse" than 1, in every seed


def test_places_are_shared_and_the_derivative_does_not_see_it():
    counts = re.findall(r": (\d+) off the diagonal, (\d+) of them from a later", SHOWN["run-7"])
    assert counts[0] == counts[2] == ("0", "0")
    assert int(counts[1][0]) > 0 and counts[1][1] == "0" and prediction("reach").answer == "later"


def test_token_3_reaches_a_later_one_in_the_notebook():
    before = torch.get_default_dtype()
    try:
        names = run_cells(LESSON.notebook.removesuffix(".ipynb"), "setup", "run-1", "run-7")
    finally:
        torch.set_default_dtype(before)
    moved = names["maps"][1][:, 3]
    assert (moved[4:] > 0).any() and (moved[:3] == 0).all()


def test_counts_of_the_mixtures():
    rows = {line.split("  ")[0]: line.split()[-5:] for line in SHOWN["run-8-models"].splitlines()[2:]}
    assert rows == {
        "Mixtral 8x7B": ["46.7", "12.9", "3.6", "93", "26"],
        "DeepSeek-V3": ["671.0", "37.6", "17.9", "1342", "75"],
        "Qwen3-235B-A22B": ["235.1", "22.2", "10.6", "470", "44"],
        "gpt-oss-120b": ["116.8", "5.7", "20.5", "234", "11"],
        "Gemma-4-26B-A4B": ["25.2", "3.8", "6.6", "50", "8"],
    }


def test_a_batch_of_eight_needs_nearly_all_experts():
    words = f"a batch of 8 tokens uses {8 * (1 - (1 - 2 / 8) ** 8):.1f} of 8"
    assert words in NOTEBOOKS.joinpath(LESSON.notebook).read_text(encoding="utf-8")


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


def verdicts(id):
    """Return what a cell prints before ": True" or ": False", and which of them it is."""
    return dict(re.findall(r"(.+): (True|False)", SHOWN[id]))


def test_the_cut_across_machines():
    found = verdicts("run-cut")
    assert [name.partition(":")[0] for name, verdict in found.items() if verdict == "True"] == [
        "columns of W₁, b₂ added once",
        "rows of W₁, summed before the ReLU",
    ]
    assert len(found) == 4


def test_the_opening_is_a_row_of_the_table():
    (model,) = [one for one in accounting.published_models() if one.name == "DeepSeek-V3"]
    source = NOTEBOOKS.joinpath(LESSON.notebook).read_text(encoding="utf-8")
    assert f"holds {model.experts} small FFNs and lets a router choose {model.experts_per_token} of them" in source

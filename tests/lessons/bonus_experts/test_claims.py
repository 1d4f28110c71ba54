"""What the lesson claims in words, held against other computations and against its stored outputs."""

import re

import numpy as np
import pytest
import torch

from course_lib.model import accounting, bank, experts, tasks, training
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


def test_gate_and_cut_cost_about_half_each():
    narrow, middle, wide, one, free, two = ranges("run-3-two").values()
    wins = re.findall(r"better than dense, 16 units, in (\d) of 8", SHOWN["run-3-two"])
    assert wins == ["8", "8"] and free[0] < narrow[0] < one[0]  # "beat 16 dense units in every seed"
    assert middle[1] < two[0] < middle[2] and two[1] < middle[0] < two[2]  # "level with 32"
    assert wide[2] * 1.9 < min(free[1], two[1])  # "the cut keeps all of them behind 128"
    gate, cut = one[0] - free[0], free[0] - wide[0]
    assert 0.4 < gate / (gate + cut) < 0.6


def test_what_more_steps_do_to_the_smooth_task():
    """What was measured beforehand, with four times the steps."""
    steps, tokens = 1600, 1600 * 96
    x, y = tasks.smooth(tokens + 2048, 8)
    found = {
        "first mixture": experts.mixtures(8, 16, 8, 1, 8, router="switch"),
        "gate of 1": experts.mixtures(8, 16, 8, 1, 8, router="mixtral"),
        "16 dense units": training.networks((8, 16, 8), 8),
        "128 units": training.networks((8, 128, 8), 8),
    }
    words = "the first mixture has overtaken 16 dense units, with an error of 0.041 against 0.046. "
    words += "A gate of 1 gives 0.033, and 128 dense units give 0.0017"
    assert words in NOTEBOOKS.joinpath(LESSON.notebook).read_text(encoding="utf-8")
    means = []
    for many in found.values():
        training.fit(many, x[:, :tokens], y[:, :tokens], steps=steps, rate=0.03, schedule="cosine", batch=96)
        means.append((many(x[:, tokens:]) - y[:, tokens:]).square().mean().item())
    assert means == pytest.approx([0.041, 0.033, 0.046, 0.0017], rel=0.05)
    assert (means[1] - means[3]) / (means[0] - means[3]) == pytest.approx(0.8, abs=0.05)  # "the cut … four fifths"


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
    leaks, seen = (list(map(int, row.split(", "))) for row in re.findall(r"\[([\d, ]{20,})\]", SHOWN["run-7-case"]))
    assert len(leaks) == 8 and min(leaks) > 0 and seen == [0] * 8
    assert float(re.search(r"an output of length (\S+)", SHOWN["run-7-case"])[1]) > 0


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
    assert "12.9 billion of 46.7" in catalogue.item("bonus_experts.active_parameters").right


def test_a_batch_of_eight_needs_nearly_all_experts():
    expected = accounting.distinct_experts(8, 2, 8)
    assert f"8 experts, 2 used, 8 tokens: {expected:.1f} experts" in SHOWN["run-8"]
    assert prediction("batch").answer == round(expected, 1)
    assert f"{expected:.1f} of the 8" in catalogue.item("bonus_experts.distinct_experts").right
    assert accounting.distinct_experts(8, 2, 3) > 4 > accounting.distinct_experts(8, 2, 2)  # "two or three tokens"
    assert 5 < accounting.distinct_experts(8, 2, 4) < 6  # "five is what four tokens come to, and a little more"


def _top(z):
    return experts.largest(z, 2)


WAYS = {
    "right": lambda z: experts.route(z, 2).gates,
    "not renormalised": lambda z: experts.route(z, 2, "switch").gates,
    "zero logits": lambda z: torch.softmax(torch.where(_top(z), z, 0), dim=-1),
}


def test_losses_do_not_show_two_of_the_bugs():
    """What stands beside exercise 5: the mean error with a bug lies in the range of the right rule."""
    x, y, _ = tasks.clusters(TOKENS + 2048, 8)
    found = {}
    for name, weigh in WAYS.items():
        many = experts.mixtures(8, 16, 8, 2, 8, router="mixtral")
        many.forward = lambda parameters, x, many=many, weigh=weigh: many.mixed(x, weigh(x @ parameters[0]))
        settings = {"steps": 400, "rate": 0.03, "schedule": "cosine", "batch": 96}
        training.fit(many, x[:, :TOKENS], y[:, :TOKENS], **settings)
        found[name] = (many(x[:, TOKENS:]) - y[:, TOKENS:]).square().mean(dim=(1, 2))
    right = found.pop("right")
    for errors in found.values():
        assert right.min() < errors.mean() < right.max()
        assert errors.max() < right.max() * 1.2


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


def test_copies_need_gates_that_sum_to_one():
    assert list(verdicts("run-copies").values()) == ["True", "False", "True"]
    assert list(verdicts("run-shared").values()) == ["True"] and "[3, 3, 3, 3, 3]" in SHOWN["run-shared"]


def test_a_table_sends_a_word_to_one_expert():
    (low, high), table = re.findall(r"meets: (\d) to (\d)", SHOWN["run-table"])
    assert table == ("1", "1") and 1 < int(low) <= int(high) <= 8


def test_copies_work_under_every_router_when_all_are_used():
    """What the text beside the copies asks to try."""
    torch.manual_seed(0)
    for router in experts.ROUTERS:
        copies = experts.MixtureOfExperts(8, 16, n_experts=4, k=4, router=router).double()
        for expert in copies.experts:
            expert.load_state_dict(copies.experts[0].state_dict())
        x = torch.randn(5, 8, dtype=torch.float64)
        torch.testing.assert_close(copies(x), copies.experts[0](x), rtol=0, atol=1e-12)


def test_the_opening_is_a_row_of_the_table():
    (model,) = [one for one in accounting.published_models() if one.name == "DeepSeek-V3"]
    source = NOTEBOOKS.joinpath(LESSON.notebook).read_text(encoding="utf-8")
    assert f"holds {model.experts} small FFNs and lets a router choose {model.experts_per_token} of them" in source


def test_the_wired_router_sends_the_bank_by_its_cue():
    rows = re.findall(
        r"the (\w+) reached the bank, (\w+) attention: waters (\S+), vaults (\S+)", SHOWN["run-table-story"]
    )
    sent = {(cue, when): float(waters) - float(vaults) for cue, when, waters, vaults in rows}
    assert sent["river", "after"] > 0.9 and sent["money", "after"] < -0.9
    assert sent["river", "before"] == sent["money", "before"] == 0
    assert [cue for cue, when in sent if when == "after"] == list(bank.CUES)


def test_two_current_models_as_the_text_has_them():
    from transformers import DeepseekV4Config, LongcatFlashConfig

    layers = DeepseekV4Config().mlp_layer_types
    assert layers[:4] == ["hash_moe"] * 3 + ["moe"] and "hash_moe" not in layers[3:]
    config = LongcatFlashConfig()
    assert (config.moe_topk, config.n_routed_experts, config.zero_expert_num) == (12, 512, 256)


def test_expert_5_is_the_first_choice_in_a_narrow_sector():
    torch.manual_seed(0)
    angles = torch.arange(0, 360, 0.001).deg2rad()
    best = (torch.stack([angles.cos(), angles.sin()], dim=1) @ torch.randn(2, 6)).argmax(dim=1)
    degrees = best.bincount(minlength=6) / len(best) * 360
    assert f"{degrees.min():.1f}" == "0.3" and degrees.argmin() == 4

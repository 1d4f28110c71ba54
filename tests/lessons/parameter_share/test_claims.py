"""What the lesson claims in words, held against the accounting and against real modules."""

import dataclasses
import re

import pytest

from course_lib.desk import grade
from course_lib.model import accounting
from course_lib.model.one_thread import nn
from lessons.catalogue import item
from lessons.parameter_share.tiny_llama import RIGHT
from tests.conftest import ROOT
from tests.lessons.stored import plain_outputs, run_cells

OUTPUTS = plain_outputs("06_parameter_share")
MODELS = {model.name: model for model in accounting.published_models()}


def without_embeddings(model):
    parts = accounting.model_parts(model)
    return parts["ffn"] / (sum(parts.values()) - parts["embeddings"])


def test_tiny_llama_as_real_modules():
    def linear(rows, columns):
        return nn.Linear(rows, columns, bias=False, device="meta")

    def count(*modules):
        return sum(map(accounting.count_parameters, modules))

    norm = nn.RMSNorm(2048, device="meta")
    assert {
        "attention": 22 * count(linear(2048, 2048), linear(2048, 256), linear(2048, 256), linear(2048, 2048)),
        "ffns": 22 * count(linear(2048, 5632), linear(2048, 5632), linear(5632, 2048)),
        "norms": (22 * 2 + 1) * count(norm),
        "tables": count(nn.Embedding(32_000, 2048, device="meta"), linear(2048, 32_000)),
    } == RIGHT
    assert sum(RIGHT.values()) == 1_100_048_384
    assert not any("tinyllama" in name.lower() for name in MODELS)


def says_right(prediction, guess):
    """Tell whether a guess is exactly what the experiment shows."""
    return "and that is right" in grade(f"parameter_share.predict_{prediction}", guess).message


def test_every_part_of_tiny_llama_is_checked():
    """Two faults at once: the first one is named, with the parts that are right."""
    right = tuple(RIGHT.values())
    verdict = grade("parameter_share.tiny_llama", lambda: (right[0], right[1] // 3, right[2] + 7, right[3]))
    assert verdict.key == "mistake:ffns-one-matrix"
    verdict = grade("parameter_share.tiny_llama", lambda: (right[0] + 1, *right[1:]))
    assert "`attention` is too large (ffns and norms and tables are right)" in verdict.message
    assert str(right[0]) not in verdict.message and f"{right[0]:,}" not in verdict.message
    assert "four numbers" in grade("parameter_share.tiny_llama", lambda: sum(right)).message


@pytest.mark.parametrize(
    ("prediction", "number", "cell", "shown", "other"),
    [
        (
            "count",
            accounting.ffn_parameters(512, 2048) / 1e6,
            "run-1",
            "2,099,712 = 2.1 million",
            2,
        ),
        ("share", 100 * accounting.layer_share(512, 2048)["ffn"], "run-2", ": 66.6 %", 66),
    ],
)
def test_the_answers_that_are_numbers(prediction, number, cell, shown, other):
    asked = item(f"parameter_share.predict_{prediction}")
    assert asked.answer == pytest.approx(number, rel=0.005)
    assert shown in OUTPUTS[cell] and says_right(prediction, asked.answer)
    assert all(says_right(prediction, guess) for guess in asked.printed)
    assert grade(asked.id, other).near


def test_the_other_answers_to_the_predictions():
    four = [MODELS[name] for name in item("parameter_share.predict_model").choices]
    assert says_right("model", min(four, key=accounting.ffn_share).name)
    assert "from 40.0 % (Transformer base)" in OUTPUTS["run-3"]
    assert says_right("crossover", accounting.crossover_length(512, 2048))
    assert "All of attention costs as much as the FFN at 1,024 tokens" in OUTPUTS["run-4"]


@pytest.mark.parametrize("name", ["GPT-2 small", "GPT-3 175B"])
def test_units_and_the_last_bias_make_the_ffns(name):
    shown = re.search(rf"{name}: ([\d,]+) units, ([\d,]+) parameters each", OUTPUTS["run-1-unit"])
    units, each = (int(number.replace(",", "")) for number in shown.groups())
    model = MODELS[name]
    assert units * each + model.n_layers * model.d_model == accounting.model_parts(model)["ffn"]
    assert "8 + 1 + 8 parameters" in OUTPUTS["run-1-unit"]


def test_the_words_count_the_table():
    """The plan and the notebook say how many models there are, and how many the list names."""
    plan = (ROOT / "lessons/parameter_share/plan.toml").read_text("utf-8")
    words = plan + (ROOT / "notebooks/06_parameter_share.ipynb").read_text("utf-8")
    assert {int(number) for number in re.findall(r"(\d+) models", words)} == {len(MODELS)}
    chosen = run_cells("06_parameter_share", "setup", "run-3", "run-3-chosen")["chosen"]
    assert {"ten": 10}[re.search(r"the list names (\w+) models", plan)[1]] == len(chosen)


def test_the_totals_that_the_text_compares():
    """With the table of tokens counted twice, and the parameters that work for one token."""
    gpt2, deepseek = MODELS["GPT-2 small"], MODELS["DeepSeek-V3"]
    twice = accounting.total_parameters(dataclasses.replace(gpt2, tied_embeddings=False))
    assert [round(total / 1e6) for total in (gpt2.exact_total, twice)] == [124, 163]
    active, table = accounting.active_parameters(deepseek), deepseek.vocab * deepseek.d_model
    assert [round(count / 1e9, 1) for count in (active, active - table)] == [37.6, 36.6]


def test_what_moves_the_share():
    """The four groups that the lesson reads from its table."""
    for model in MODELS.values():
        share = without_embeddings(model)
        eight_d_squared = (3 if model.gated else 2) * model.expansion == pytest.approx(8, rel=0.02)
        if model.kind == "encoder-decoder":
            assert share < 0.58, model.name
        elif model.experts:
            assert share > 0.95, model.name
        elif model.n_kv_heads == model.n_heads and eight_d_squared:
            assert share == pytest.approx(2 / 3, abs=0.006), model.name
        else:
            assert share > 0.7, model.name
            assert model.n_kv_heads < model.n_heads or model.expansion > 4, model.name


def test_embeddings_lower_the_share_most_in_small_models():
    gpt2 = [MODELS[f"GPT-2 {size}"] for size in ("small", "medium", "large", "XL")]
    losses = [without_embeddings(model) - accounting.ffn_share(model) for model in gpt2]
    assert losses == sorted(losses, reverse=True)


def test_below_the_crossover_the_ffn_is_more_than_half_of_the_work():
    for d in (64, 512, 768):
        ffn, projections = accounting.ffn_multiply_adds(d, 4 * d), accounting.projection_multiply_adds(d)
        for n in (1, d, 2 * d - 1, 2 * d, 2 * d + 1, 8 * d):
            mixing = accounting.mixing_multiply_adds(d, n)
            assert (ffn > projections + mixing) == (n < 2 * d)
            assert (projections > mixing) == (n < 2 * d)

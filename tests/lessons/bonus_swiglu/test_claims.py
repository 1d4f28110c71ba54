"""What the lesson claims in words, held against other computations and against its stored outputs."""

import ast
import re

import nbformat
import numpy as np
import pytest
import torch

from course_lib.desk import grade
from course_lib.model import accounting, bank, ffn, language_model, numpy_ffn, training
from lessons import catalogue
from lessons.bonus_swiglu import LESSON
from tests.conftest import NOTEBOOKS

CELLS = {cell.id: cell for cell in nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4).cells}


def printed(id):
    """Return what the stored outputs of a cell say."""
    return "\n".join(output.get("text") or output.data["text/plain"] for output in CELLS[id].outputs)


def defined(id, name, **scope):
    """Return a function that a cell defines, without running the rest of the cell."""
    functions = [node for node in ast.parse(CELLS[id].source).body if getattr(node, "name", "") == name]
    exec(compile(ast.Module(functions, []), id, "exec"), scope)
    return scope[name]


@pytest.mark.parametrize("k", [1, 2, 4, 8])
def test_all_sides_of_the_product_task_have_equal_parameters(k):
    nets = defined("run-3-fit", "nets", training=training)
    assert [many.size for many in nets(k)] == [28 * k + 1] * 3
    budgets = re.search(r"Error on x · y with ([\d, ]+) parameters", printed("run-3-budget"))[1]
    assert str(28 * k + 1) in budgets.split(", ")


def test_all_sides_of_the_four_tasks_have_equal_parameters():
    counts = re.findall(r"(\w[\w ]*): \[(\d+), (\d+), (\d+)\] parameters", printed("run-4-train"))
    assert [name for name, *_ in counts] == ["products", "memory", "maximum", "noisy line"]
    assert all(len(set(sizes)) == 1 for _, *sizes in counts)


def test_the_price_of_the_third_matrix():
    plain, gated = accounting.ffn_parameters(512, 2048), accounting.gated_parameters(512, 2048)
    for number in (plain, gated, ffn.swiglu_width(512)):
        assert f"{number:,}" in printed("run-2") or f" {number} " in printed("run-2")
    assert f"+{100 * (gated / plain - 1):.1f} %" in printed("run-2")
    prediction = catalogue.item("bonus_swiglu.predict_percent")
    assert round(100 * (gated / plain - 1)) == prediction.answer
    assert round(100 * (gated / plain - 1), 1) in prediction.printed
    right = catalogue.item("bonus_swiglu.width").right
    assert right.startswith("With d_model 4096 and multiples of 256") and str(ffn.swiglu_width(4096, 256)) in right


def test_stored_outputs_say_what_the_predictions_and_the_prose_say():
    output = re.search(r"the output is (\S+)", printed("run-1"))[1]
    assert float(output) == catalogue.item("bonus_swiglu.predict_gate").answer
    exact = {line.split()[0]: line.split()[1:] for line in printed("run-3").splitlines()[2:]}
    assert exact["SwiGLU"] == ["False", "True"]
    assert catalogue.item("bonus_swiglu.predict_units").answer == 2
    wins = re.search(r"noisy line: ReLU (\d+), GELU (\d+), SwiGLU (\d+)\.", printed("run-4-train"))
    assert int(wins[1]) == 10 and catalogue.item("bonus_swiglu.predict_noisy").answer == "ReLU"


def test_the_opening_counts_the_table():
    """gpt-oss is no SwiGLU by name: its gate is another function."""
    since = [model for model in accounting.published_models() if model.year >= 2022]
    swiglu = [model for model in since if model.ffn_name == "SwiGLU" and model.name != "gpt-oss-120b"]
    opening = CELLS["title"].source
    gated = [model for model in since if model.gated]
    assert "most models since 2022 have a gated FFN, usually SwiGLU" in opening
    assert len(gated) > 0.75 * len(since) and len(swiglu) > 0.6 * len(gated)
    assert not any(model.gated for model in accounting.published_models() if model.year < 2022)
    assert f"{swiglu[0].name} and {len(swiglu) - 1} more" in printed("run-1-family")


def test_one_unit_writes_the_shore():
    rows = {line.split("  ")[0].strip(): line.split()[-6:] for line in printed("run-3-story").splitlines()[2:]}
    assert len(rows) == 3
    for values in rows.values():
        assert values[:4] + values[5:] == ["0.00"] * 5 and float(values[4]) > 0.97
    assert f"SiLU(1) = {numpy_ffn.silu(np.array(1.0)):.3f}" in CELLS["idea-3-story"].source
    weak = bank.way("river", sharpness=2)  # what the text asks to try: ReLU's threshold costs more than a product
    assert weak.written("shore")[-1] < 0.5 * weak.mixed[-1, :2].prod()


def test_the_recap_says_who_won():
    wins = re.findall(r"([\w ]+): ReLU (\d+), GELU (\d+), SwiGLU (\d+)", printed("run-4-train"))
    gated = {task.strip(): int(count) for task, _, _, count in wins}
    assert gated["products"] == 10 and gated["maximum"] == gated["noisy line"] == 0
    assert "SwiGLU won on products in all ten seeds" in CELLS["recap"].source


def test_where_an_open_gate_begins_to_amplify():
    silu = numpy_ffn.silu(np.array([1.27, 1.28, 1.29]))
    assert silu[0] < 1 and abs(silu[1] - 1) < 0.005 and silu[2] > 1


@pytest.mark.parametrize(
    ("parts", "key"),
    [
        (([[1, 0], [-1, 0]], [[0, 1], [0, -1]], [[1], [1]]), "mistake:unit-per-row"),
        (([[1, 1], [0, 0]], [[0, 0], [1, 1]], [[0.5], [0.5]]), "mistake:same-gate"),
        (([[1, 1], [0, 0]], [[0, 0], [1, -1]], [[1], [1]]), "mistake:same-gate"),
        (([[1, 0], [0, 0]], [[0, 0], [0, 1]], [[1], [1]]), "mistake:zero"),
        (([[1, -1], [0, 0]], [[0, 0], [1, 1]], [[2], [1]]), "mistake:unequal-units"),
    ],
)
def test_a_product_by_hand_is_told_its_own_cause(parts, key):
    assert grade("bonus_swiglu.product_unit", lambda: parts, 0).key == key


@pytest.mark.parametrize("name", ["relu", "gelu", "gelu_tanh", "silu"])
def test_two_units_lose_nothing(name):
    act, z = numpy_ffn.ACTIVATIONS[name], np.linspace(-9, 9, 181)
    np.testing.assert_allclose(act(z) - act(-z), z, atol=1e-13)


def test_one_swiglu_unit_is_not_a_product():
    """SiLU(x) · y at x = 1 and x = −1 would have to be opposite."""
    assert numpy_ffn.silu(np.array(1.0)) + numpy_ffn.silu(np.array(-1.0)) > 0.4


def test_only_the_sigmoid_stays_between_0_and_1():
    z = np.linspace(-8, 8, 161)
    stay = [name for name, act in numpy_ffn.ACTIVATIONS.items() if act(z).min() >= 0 and act(z).max() <= 1]
    assert stay == ["sigmoid"]


def test_the_quiz_about_a_closed_gate():
    shown = f"{float(numpy_ffn.silu(np.array(-20.0))):.0e}"
    assert shown == "-4e-08"
    (right,) = [option for option in catalogue.questions("bonus_swiglu")[0].options if option.right]
    assert "SiLU(−20) is about −4e-8" in right.reason


def test_four_squares_make_a_product_and_three_do_not():
    found = re.findall(r"(\d) of the units: .*: (True|False)", printed("run-6-squares"))
    assert found == [("2", "False"), ("3", "False"), ("4", "True")]


def test_two_laboratories_may_disagree():
    wins = re.findall(r"rate (\S+), (\w+): ReLU² (\d+), SwiGLU (\d+)", printed("run-6"))
    assert [(rate, task) for rate, task, *_ in wins] == [
        (rate, task) for rate in ("0.02", "0.005") for task in ("products", "memory", "maximum")
    ]
    plain = {(rate, task): int(count) for rate, task, count, _ in wins}
    assert plain["0.02", "memory"] < plain["0.005", "memory"] <= 5 < plain["0.02", "maximum"]
    bits = {name: list(row["bits"].values()) for name, row in language_model.study()["rows"].items()}
    assert max(bits["SwiGLU"]) < min(bits["ReLU² ×4"])  # what the text says of lesson 10


def test_float16_overflows_where_bfloat16_does_not():
    rows = {tuple(line.split()[:2]): line.split()[2:] for line in printed("run-7").splitlines()[2:]}
    assert rows["plain_unit", "float16"][1:] == ["65,024", "inf", "inf"]
    assert rows["plain_unit", "bfloat16"][1:] == ["65,024", "65,536", "90,112"]
    assert all(row[-1] == "56" for (unit, _), row in rows.items() if unit == "bounded_unit")
    assert torch.finfo(torch.float16).max == 65504


def test_the_bounded_unit_stays_below_56():
    bounded = defined("run-7", "bounded_unit", torch=torch)
    z = torch.linspace(-400, 400, 1601, dtype=torch.float64)
    assert 55.999 < bounded(z[:, None], z).max() < 56 and "stays below 56" in CELLS["explain-7"].source
    near = torch.linspace(-6, 6, 1201, dtype=torch.float64)
    gate = near * torch.sigmoid(1.702 * near)  # "the sigmoid form of GELU"
    torch.testing.assert_close(gate, torch.nn.functional.gelu(near), rtol=0, atol=0.021)


def test_the_gradient_depends_on_norms_and_weights():
    """Which of the two lets more through, as the text says it."""
    rows = [re.split(r"\s{2,}", line.strip()) for line in printed("run-8").splitlines()[2:]]
    ends = {(name, factor): [[float(v) for v in one.split(" to ")] for one in found] for name, factor, *found in rows}
    assert ends["bare", "× 1"][1] == [0, 0] and np.isnan(ends["bare", "× 2"][1]).all()
    (low, _), (_, high) = ends["norm and residual", "× 1"]
    assert 0.7 * low < high < low  # "a little less arrives than with ReLU"
    (_, high), (low, _) = ends["norm and residual", "× 2"]
    assert low > 2 * high  # "several times as much"


@pytest.mark.parametrize("seed", range(3))
def test_the_bounded_unit_is_that_of_gpt_oss(seed):
    from transformers import GptOssConfig  # as in tests/model: loading it takes some seconds
    from transformers.models.gpt_oss.modeling_gpt_oss import GptOssExperts

    config = GptOssConfig(hidden_size=5, intermediate_size=7, num_local_experts=2, num_experts_per_tok=1)
    theirs = GptOssExperts(config).double()
    generator = torch.Generator().manual_seed(seed)
    gate, up = 10 * torch.randn(2, 40, 7, generator=generator, dtype=torch.float64)
    assert (gate > 7).any() and (gate < -7).any() and (up > 7).any() and (up < -7).any()
    ours = defined("run-7", "bounded_unit", torch=torch)(gate, up)
    torch.testing.assert_close(ours, theirs._apply_gate(torch.stack([gate, up], dim=-1).flatten(-2)))


def test_other_families_bound_their_gates_as_the_text_says():
    from transformers import DeepseekV4Config, HYV4Config
    from transformers.models.glm5_next.configuration_glm5_next import Glm5NextTextConfig
    from transformers.models.minimax_m3_vl.configuration_minimax_m3_vl import MiniMaxM3VLTextConfig

    limits = [one().swiglu_limit for one in (DeepseekV4Config, Glm5NextTextConfig, HYV4Config, MiniMaxM3VLTextConfig)]
    assert limits == [10, 10, 10, 7]
    said = "`swiglu_limit` is 10 in `deepseek_v4`, `glm5_next` and `hy_v4`, and 7 in `minimax_m3_vl`"
    assert said in CELLS["explain-7"].source

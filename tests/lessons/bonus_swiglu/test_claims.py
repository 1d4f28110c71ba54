"""What the lesson claims in words, held against other computations."""

import ast
import importlib.metadata
import importlib.util
import re
from pathlib import Path

import nbformat
import numpy as np
import pytest
import torch

from course_lib.model import language_model, numpy_ffn, training
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


@pytest.mark.parametrize("k", [1, 4, 8])
def test_all_sides_of_the_product_task_have_equal_parameters(k):
    nets = defined("run-3-fit", "nets", training=training)
    assert [many.size for many in nets(k)] == [28 * k + 1] * 3
    budgets = re.search(r"Error on x · y with ([\d, ]+) parameters", printed("run-3-budget"))[1]
    assert str(28 * k + 1) in budgets.split(", ")


def test_the_control_has_all_parameters_and_turns_both_results_around():
    found = re.findall(
        r"(\w+): \[(.*)\] parameters; added is better than SwiGLU in (\d+) of 10", printed("run-4-train")
    )
    assert found == [("products", "381, 381, 381, 381", "0"), ("maximum", "381, 381, 381, 381", "10")]
    fitted = re.findall(r"on the 160 examples: SwiGLU (\S+), added (\S+)", printed("run-4-train"))
    assert 8 * float(fitted[1][0]) < float(fitted[1][1])  # "a tenth", on the maximum


@pytest.mark.thorough
def test_with_640_examples_adding_is_behind_on_the_maximum_too():
    added_networks = defined("run-4", "added_networks", torch=torch, training=training)
    for seed in range(3):  # sets of data
        generator = torch.Generator().manual_seed(seed)
        x = torch.randn(10, 1240, 8, generator=generator, dtype=torch.float64)
        y = x.amax(dim=-1, keepdim=True)
        y = (y - y.mean()) / y.std()
        errors = []
        for one in (training.gated_networks((8, 20, 1), 10), added_networks((8, 20, 1), 10)):
            fit = training.fit(one, x[:, :640], y[:, :640], steps=200, rate=0.02)
            errors.append(((fit.trained(x[:, 640:]) - y[:, 640:]) ** 2).mean(dim=(1, 2)))
        assert (errors[0] < errors[1]).sum() > 5


def test_where_an_open_gate_begins_to_amplify():
    silu = numpy_ffn.silu(np.array([1.27, 1.28, 1.29]))
    assert silu[0] < 1 and abs(silu[1] - 1) < 0.005 and silu[2] > 1


def test_four_squares_make_a_product_and_three_do_not():
    found = re.findall(r"(\d) of the units: .*: (True|False)", printed("run-6-squares"))
    assert found == [("2", "False"), ("3", "False"), ("4", "True")]


def test_two_laboratories_may_disagree():
    wins = re.findall(r"rate (\S+), (\w+): ReLU² (\d+), SwiGLU (\d+)", printed("run-6"))
    assert [(rate, task) for rate, task, *_ in wins] == [
        (rate, task) for rate in ("0.02", "0.005") for task in ("maximum", "memory")
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


@pytest.mark.thorough
@pytest.mark.model
def test_the_bounded_unit_is_that_of_gpt_oss():
    from transformers import GptOssConfig  # as in tests/course_lib/model: loading it takes some seconds
    from transformers.models.gpt_oss.modeling_gpt_oss import GptOssExperts

    config = GptOssConfig(hidden_size=5, intermediate_size=7, num_local_experts=2, num_experts_per_tok=1)
    theirs = GptOssExperts(config).double()
    generator = torch.Generator().manual_seed(0)
    gate, up = 10 * torch.randn(2, 40, 7, generator=generator, dtype=torch.float64)
    assert (gate > 7).any() and (gate < -7).any() and (up > 7).any() and (up < -7).any()
    ours = defined("run-7", "bounded_unit", torch=torch)(gate, up)
    torch.testing.assert_close(ours, theirs._apply_gate(torch.stack([gate, up], dim=-1).flatten(-2)))


@pytest.mark.model
def test_other_families_bound_their_gates_as_the_text_says():
    models = Path(importlib.util.find_spec("transformers").origin).parent / "models"
    clamps = re.compile(r"^ *up\w* = .*clamp\(", re.MULTILINE)
    found = {path.parent.name for path in models.glob("*/modeling_*.py") if clamps.search(path.read_text("utf-8"))}
    said = re.search(r"At least seven .*", CELLS["explain-7"].source)[0]
    assert importlib.metadata.version("transformers") in said
    assert set(re.findall(r"`(\w+)`", said)) - {"transformers"} == found - {"gpt_oss"}

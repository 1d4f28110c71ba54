"""What the lesson says, measured again: the bound for one head, both orders of the norms, and its stored outputs."""

import re

import nbformat
import numpy as np
import pytest
import torch

from course_lib.desk import grade
from course_lib.model import bank, tasks
from course_lib.model.block import EncoderBlock
from lessons.inside_the_block import LESSON
from lessons.inside_the_block.shared import block_of, post_norm, pre_norm
from tests.conftest import NOTEBOOKS

CELLS = nbformat.read(NOTEBOOKS / LESSON.notebook, as_version=4).cells


CELLS_BY_ID = {cell.id: cell for cell in CELLS}


def printed(id):
    """Return what the stored outputs of a cell say."""
    return "\n".join(output.get("text") or output.data["text/plain"] for output in CELLS_BY_ID[id].outputs)


def rows_of(id):
    """Return the table that a cell stores: the first column -> the others."""
    lines = [re.split(r"\s{2,}", line.strip()) for line in printed(id).splitlines()[2:]]
    return {name: others for name, *others in lines}


def test_one_head_stays_above_its_bound_whatever_its_values_are():
    rng = np.random.default_rng(0)
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    for _ in range(2000):
        weights, values = np.exp(3 * rng.normal(size=(2, 2))), 3 * rng.normal(size=(2, 2))
        rest, constant = np.exp(3 * rng.normal()), 3 * rng.normal()
        means = (weights[0, a] * values[0, a] + weights[1, b] * values[1, b]) / (weights[0, a] + weights[1, b] + rest)
        for sign in (-1, 1):
            scale = np.polyfit(sign * means, a ^ b, 1) if np.ptp(means) > 1e-9 else (0, 0.5)
            for f in (np.polyval(scale, sign * means), means + constant):
                assert np.mean((f - (a ^ b)) ** 2) >= 0.125 - 1e-12


@pytest.mark.parametrize(("oracle", "norm_first"), [(pre_norm, True), (post_norm, False)])
def test_oracle_is_the_encoder_block(oracle, norm_first):
    torch.manual_seed(0)
    block = EncoderBlock(8, 2, 16, norm_first=norm_first).double().eval()
    with torch.no_grad():
        for norm in (block.norm1, block.norm2):  # with gains and shifts that are no plain ones
            norm.weight.add_(0.2 * torch.randn(8).double())
            norm.bias.add_(0.2 * torch.randn(8).double())
    x = torch.randn(2, 5, 8, dtype=torch.float64)

    def plain(module):
        return lambda z: module(torch.from_numpy(z)).detach().numpy()

    parts = map(plain, (block.attend, block.ffn, block.norm1, block.norm2))
    y = oracle(x.numpy(), *parts)
    np.testing.assert_allclose(y, block(x).detach().numpy(), rtol=0, atol=1e-12)


def test_stored_outputs_say_what_the_prose_says():
    assert "All other runs end at 1/4, to 1e-3: True" in printed("run-3")
    assert "XOR of positions 1 and 3: attention + ReLU FFN." in printed("run-3")
    for kind, count in {"1 head": 0, "2 heads": 6, "1 head, 2 layers": 6}.items():
        assert re.search(rf"[:;] {kind}: {count} of 6\b", printed("run-4"))
    assert "No run with 1 head is below 1/8: True" in printed("run-4")
    solved = [int(count) for count in re.findall(r"(\d+) of 6", printed("run-4-equal"))]
    assert solved[:2] == [0, 0] and min(solved[2:]) > 5
    assert "XOR of its own bits: with residuals;" in printed("run-5-frozen")
    assert (
        printed("run-5").count("attention with residual 0.58 to 0.85; the others below 1e-10.") == 2
    )  # text and caption
    assert printed("run-5").count("from layer 4 on attention alone; from layer 3 on attention, then FFN;") == 2
    assert printed("ex-3-symptoms").count("False") == 3


def test_repaired_blocks_pass_the_symptoms():
    """With right blocks in place of the broken ones, the cell of the symptoms says True three times."""

    def twice(x, *parts):
        return pre_norm(pre_norm(x, *parts), *parts)

    scope = {"np": np, "block_a": pre_norm, "block_b": twice, "block_c": post_norm}
    for id in ("ex-3-parts", "ex-3-symptoms"):
        exec(next(cell.source for cell in CELLS if cell.id == id), scope)
    assert scope["same"] and np.array_equal(scope["rows"], scope["before"])
    assert not np.allclose(scope["one"], scope["other"])


@pytest.mark.parametrize(
    ("id", "line", "words"),
    [
        ("pre_norm", "x + attention(x) + ffn(norm2(x + norm1(attention(x))))", "Attention reads x; here"),
        ("pre_norm", "x + ffn(norm2(attention(norm1(x))))", "the FFN reads norm2(attention(…));"),
    ],
)
def test_the_first_wrong_step_of_a_block_is_named(id, line, words):
    message = grade(f"inside_the_block.{id}", block_of(line), 0).message
    assert words in message


@pytest.mark.parametrize(
    ("start", "words"),
    [("x", "x itself"), ("x[:]", "shows the same numbers"), ("norm2(x)", "B starts from norm2(x)")],
)
def test_repair_says_what_b_is(start, words):
    lines = ("a = x + attention(norm1(x))", "a = a + ffn(norm2(a))", f"b = {start}", "for _ in range(2):")
    lines += ("    b += attention(norm1(b))", "    b += ffn(norm2(b))")
    lines += ("c = norm1(x + attention(x))", "c = norm2(c + ffn(c))", "a, b, c")
    assert words in grade("inside_the_block.repair", block_of(*lines), 0).message


def test_larger_weights_delay_the_collapse():
    """How much is left after four layers, as the text says it: from the cells themselves."""
    before = torch.get_default_dtype()
    scope = {"torch": torch}
    try:
        exec(CELLS_BY_ID["run-5-measure"].source, scope)
        exec(CELLS_BY_ID["run-5"].source.rsplit("\n", 1)[0], scope)
    finally:
        torch.set_default_dtype(before)
    left = dict(zip(scope["stacks"], np.array(scope["left"]), strict=True))
    assert left["attention alone"][:, 2].max() < 0.02 < 0.3 < left["attention alone"][:, 1].min()
    twice, thrice = (f"{100 * left[f'attention, weights × {factor}'][:, 4].max():.0f} %" for factor in (2, 3))
    assert f"0 to {twice} of the tokens' size" in CELLS_BY_ID["explain-5"].source
    assert f"with three times 0 to {thrice}" in CELLS_BY_ID["explain-5"].source
    assert max(left[f"attention, weights × {factor}"][:, 4].min() for factor in (2, 3)) < 0.005


def test_a_pair_of_heads_wired_by_hand_computes_xor():
    rows = [line.split() for line in printed("run-4-pair").splitlines()[-4:]]
    assert [[float(value) for value in row] for row in rows] == [
        [a, b, max(a, b), min(a, b), a != b] for a in (0, 1) for b in (0, 1)
    ]


def test_a_parallel_block_with_frozen_attention_fails_and_its_relatives_do_not():
    rows = rows_of("run-3-parallel-train")
    learned = [int(rows.pop(f"{kind}, attention learns")[0][0]) for kind in ("serial", "parallel")]
    assert "the parallel block did no worse here" in CELLS_BY_ID["explain-3-parallel"].source
    assert learned[1] >= learned[0]
    assert {name: row[0] for name, row in rows.items()} == {
        "serial": "5 of 5",
        "parallel": "0 of 5",
        "FFN first": "0 of 5",
        "parallel, last norm": "5 of 5",
    }


def test_the_bound_of_the_parallel_block_and_of_the_ffn_first():
    """The best sum of three functions of one token each is off by 1/4, and an affine map of two of them is one such."""
    sequences, targets = tasks.tokens()
    x, y = sequences.numpy(), targets["XOR of positions 1 and 3"].numpy().ravel()
    kinds = 2 * (x[..., 0] > 0) + (x[..., 1] > 0)  # each token is one of four
    columns = np.concatenate([np.eye(4)[kinds[:, place]] for place in (1, 3, 5)], axis=1)
    best = columns @ np.linalg.lstsq(columns, y, rcond=None)[0]
    assert np.square(best - y).mean() == pytest.approx(1 / 4)


def test_the_bank_without_each_of_its_parts():
    rows = rows_of("run-2-story")
    silent = ["0.00"] * 5
    assert rows["without attention"] == rows["without the FFN"] == silent
    assert rows["the whole layer"] == [*silent[:4], "0.98"]
    linear = rows["without the activation"]
    text = CELLS_BY_ID["explain-2-story"].source
    assert linear[4] == "0.98" and all(float(value) < 0 for value in linear[:4])
    held = bank.way("river").mixed[0]
    assert f"it holds {held[bank.FEATURES.index('river')]:.2f} of *river* and no bank" in text
    assert f"2 · (0.20 − 1.5) = −{linear[0][1:]}" in text
    assert max(linear, key=float) == linear[4]  # "still ranks bank first"


def test_the_gradient_through_24_layers():
    rows = {name: [float(value) for value in ends] for name, ends in rows_of("run-5-gradient").items()}
    text = CELLS_BY_ID["explain-5-gradient"].source
    assert "more than twenty orders of magnitude" in text and rows["neither"][1] < 1e-20
    assert (
        "about as much as the last, or more" in text and min(rows["residuals only"], rows["both (pre-norm)"])[0] > 0.8
    )
    assert "by a factor of more than a thousand" in text and rows["norms only"][1] > 1000 * rows["norms only"][0]

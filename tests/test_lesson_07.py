"""What lesson 07 says, measured again: bounds, ablations, and the parts of the stream."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from course_lib import probes, tasks, training
from course_lib.block import EncoderBlock
from course_lib.exercises import catalogue
from course_lib.figures import block as figures

NOTEBOOK = Path(__file__).resolve().parent.parent / "notebooks" / "07_inside_the_block.ipynb"


def blocks(count, norm_first, d_model=8, seed=0):
    """Make blocks in eval mode, with norms that are no plain ones."""
    torch.manual_seed(seed)
    made = [EncoderBlock(d_model, 2, 16, norm_first=norm_first).double().eval() for _ in range(count)]
    with torch.no_grad():
        for block in made:
            for norm in (block.norm1, block.norm2):
                norm.weight.add_(0.2 * torch.randn(d_model).double())
                norm.bias.add_(0.2 * torch.randn(d_model).double())
    return made


def draw(*shape, seed=1):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


# ---- token tasks -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("copies", [1, 3])
def test_tokens(copies):
    x, targets = tasks.tokens(copies, seed=4)
    assert x.shape == (64 * copies, 6, 2) and x.dtype == torch.float64
    assert set(x.unique().tolist()) == {-1.0, 1.0}
    seen = x[:, 1::2].reshape(-1, 6)
    rows, counts = torch.unique(seen, dim=0, return_counts=True)
    assert len(rows) == 64 and (counts == copies).all()
    others = x.reshape(copies, 64, 6, 2)[:, :, 0::2]
    assert (others == others[:, :1]).all()
    bits = (x > 0).int().tolist()
    for name, right in {
        "XOR of its own bits": [s[5][0] != s[5][1] for s in bits],
        "copy from position 1": [s[1][0] == 1 for s in bits],
        "XOR of positions 1 and 3": [s[1][0] != s[3][0] for s in bits],
    }.items():
        assert targets[name].dtype == torch.float64
        assert targets[name].tolist() == [[float(one)] for one in right]
    assert torch.equal(x, tasks.tokens(copies, seed=4)[0])


def test_best_affine_answer_to_each_task():
    x, targets = tasks.tokens(2)
    with_one = np.hstack([x.reshape(len(x), -1).numpy(), np.ones((len(x), 1))])
    for name, error in (("XOR of its own bits", 0.25), ("copy from position 1", 0), ("XOR of positions 1 and 3", 0.25)):
        y = targets[name].numpy()
        answer = with_one @ np.linalg.lstsq(with_one, y, rcond=None)[0]
        assert np.mean((answer - y) ** 2) == pytest.approx(error, abs=1e-12)


@pytest.mark.parametrize("n", [2, 4])
def test_parity(n):
    x, y = tasks.parity(n)
    assert x.shape == (2**n, n, 1) and y.shape == (2**n, 1)
    assert len(torch.unique(x, dim=0)) == 2**n
    assert torch.equal((x > 0).sum(dim=1) % 2, y.long())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: tasks.tokens(0), ValueError, "copies must be an integer of at least 1"),
        (lambda: tasks.tokens(1.5), TypeError, "copies must be an integer"),
        (lambda: tasks.tokens(seed=-1), ValueError, "seed must be an integer of at least 0"),
        (lambda: tasks.parity(1), ValueError, "n must be an integer from 2 to 12"),
        (lambda: training.assembled(3, 2, a=(1, 2)), TypeError, "forward must be a function"),
        (lambda: training.assembled(print, 2), ValueError, "sizes must name at least one part"),
        (lambda: training.assembled(print, 0, a=(1, 2)), ValueError, "seeds must be an integer of at least 1"),
        (lambda: training.assembled(print, 2, a=(1,)), ValueError, "sizes must"),
        (lambda: training.transformers(2, 6, 3, heads=3), ValueError, "heads must divide d_model"),
        (lambda: training.transformers(2, 6, 3, layers=0), ValueError, "layers must be an integer"),
        (lambda: training.transformers(2, 0, 3), ValueError, "seq_len must be an integer"),
        (lambda: probes.written([print], torch.zeros(3, 4)), TypeError, r"blocks\[0\] must be an EncoderBlock"),
        (lambda: probes.written([EncoderBlock(4, 1, 8)], torch.ones(3, 4)), ValueError, "must be in eval mode"),
        (lambda: probes.written([], torch.ones(4)), ValueError, "x must have shape"),
    ],
)
def test_wrong_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


# ---- networks --------------------------------------------------------------------------------------------------------


def test_assembled_applies_each_part_to_the_last_axis():
    many = training.assembled(lambda part, x: part.second(part.first(x))[:, :, 0], 3, first=(2, 5, 4), second=(4, 1))
    x = draw(7, 6, 2)
    y = many(x)
    assert y.shape == (3, 7, 1)
    W1, b1, W2, b2, W3, b3 = many.parameters
    for seed in range(3):
        h = torch.relu(x @ W1[seed] + b1[seed]) @ W2[seed] + b2[seed]
        torch.testing.assert_close(y[seed], (h @ W3[seed] + b3[seed])[:, 0])
    alone = training.assembled(lambda part, x: part.a(x), 1, first_seed=2, a=(2, 3))
    three = training.assembled(lambda part, x: part.a(x), 3, a=(2, 3))
    assert torch.equal(alone.parameters[0][0], three.parameters[0][2])


@pytest.mark.parametrize("activation", [None, "relu"])
def test_transformers_equal_torchs_attention(activation):
    many = training.transformers(2, 5, 2, d_model=8, heads=2, layers=2, d_ff=12, activation=activation)
    x = draw(3, 5, 2)
    y = many(x)
    for seed in range(2):
        parts = iter([parameter[seed] for parameter in many.parameters])

        def layer(h, parts=parts):
            W, b = next(parts), next(parts)
            return h @ W + b

        h = layer(torch.cat([x, torch.eye(5).double().expand(3, -1, -1)], dim=-1))
        read_out = next(parts), next(parts)
        for _ in range(2):
            W, b, mixing, shift = (next(parts) for _ in range(4))
            attention = torch.nn.MultiheadAttention(8, 2, batch_first=True).double()
            weights = {
                "in_proj_weight": W.T,
                "in_proj_bias": b[0],
                "out_proj.weight": mixing.T,
                "out_proj.bias": shift[0],
            }
            attention.load_state_dict(weights)
            h = h + attention(h, h, h)[0]
            if activation:
                h = h + layer(torch.relu(layer(h)))
        torch.testing.assert_close(y[seed], (h @ read_out[0] + read_out[1])[:, -1])


# ---- claims ----------------------------------------------------------------------------------------------------------


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


@pytest.mark.parametrize("norm_first", [True, False])
def test_written_parts_sum_to_the_stream(norm_first):
    stack, x = blocks(3, norm_first), draw(5, 8)
    parts = probes.written(stack, x)
    assert parts.shape == (4, 3, 5, 8)
    stream = x
    np.testing.assert_allclose(parts[0], np.stack([x, 0 * x, 0 * x]))
    with torch.no_grad():
        for block, found in zip(stack, parts[1:], strict=True):
            stream = block(stream)
            np.testing.assert_allclose(found.sum(axis=0), stream, rtol=0, atol=1e-12)


@pytest.mark.parametrize("norm_first", [True, False])
def test_written_parts_belong_to_who_wrote_them(norm_first):
    (block,), x = blocks(1, norm_first), draw(5, 8)
    with torch.no_grad():
        for part in (block.attention.out_proj, block.ffn.down):
            part.weight.zero_()
            part.bias.zero_()
        for norm in (block.norm1, block.norm2):
            norm.bias.zero_()
    parts = probes.written([block], x)
    assert np.abs(parts[1, 0]).max() > 0.1
    assert (parts[1, 1:] == 0).all()
    with torch.no_grad():
        block.ffn.down.bias.fill_(0.3).mul_(torch.arange(8))
    parts = probes.written([block], x)
    assert (parts[1, 1] == 0).all() and np.abs(parts[1, 2]).max(axis=1).min() > 0.1


@pytest.mark.parametrize(("id", "norm_first"), [("block.pre_norm", True), ("block.post_norm", False)])
def test_oracle_is_the_encoder_block(id, norm_first):
    (block,), x = blocks(1, norm_first), draw(2, 5, 8)

    def plain(module):
        return lambda z: module(torch.from_numpy(z)).detach().numpy()

    parts = map(plain, (block.attend, block.ffn, block.norm1, block.norm2))
    y = catalogue()[id].oracle(x.numpy(), *parts)
    np.testing.assert_allclose(y, block(x).detach().numpy(), rtol=0, atol=1e-12)


def printed(cell_id):
    cells = {cell["id"]: cell for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]}
    shown = ["".join(output.get("text") or output["data"]["text/plain"]) for output in cells[cell_id]["outputs"]]
    return "\n".join(shown)


def test_stored_outputs_say_what_the_prose_says():
    assert "All other runs end at 1/4, to 1e-3: True" in printed("run-3")
    assert "XOR of positions 1 and 3: attention + ReLU FFN." in printed("run-3")
    heads = [int(count) for count in re.findall(r"solves? (\d+) of", printed("run-4"))[:3]]
    assert heads[0] == 0 and min(heads[1:]) > 4
    assert "No run with 1 head is below 1/8: True" in printed("run-4")
    solved = [int(count) for count in re.findall(r"(\d+) of 10", printed("run-4-layers"))]
    assert solved[:2] == [0, 0] and min(solved[2:]) > 5
    assert "XOR of its own bits: with residuals;" in printed("run-5-frozen")
    assert printed("run-5").count("no residual below 1e-10") == 4  # the picture's text and its caption
    assert printed("ex-3-symptoms").count("False") == 3


def test_repaired_blocks_pass_the_symptoms():
    def norm(z):
        return (z - z.mean(axis=-1, keepdims=True)) / z.std(axis=-1, keepdims=True)

    pre, post = catalogue()["block.pre_norm"].oracle, catalogue()["block.post_norm"].oracle
    x = np.random.default_rng(0).normal(size=(4, 5))
    np.testing.assert_array_equal(pre(x, lambda z: 0 * z, lambda z: 0 * z, norm, norm), x)
    reversing, silent = (post(x, f, lambda z: 0 * z, norm, norm) for f in (lambda z: z[::-1], lambda z: 0 * z))
    assert not np.allclose(reversing, silent)


# ---- figures ---------------------------------------------------------------------------------------------------------

POST = ["branch", "attention", "add", "norm1", "branch", "ffn", "add", "norm2"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.wiring({}), "orders must hold at least one"),
        (lambda: figures.wiring({"a": []}), "must not be empty"),
        (lambda: figures.wiring({"a": ["softmax"]}), "'softmax' was given"),
        (lambda: figures.wiring({"a": ["branch", "branch"]}), "must close each branch"),
        (lambda: figures.wiring({"a": ["add"]}), "must close each branch"),
        (lambda: figures.wiring({"a": ["branch", "ffn"]}), "nor end inside a branch"),
        (lambda: figures.ablation(["a"], ["t"], np.ones((2, 1, 3))), "models must be 2 names"),
        (lambda: figures.ablation(["a"], ["t"], np.ones((1, 2, 3))), "tasks must be 2 names"),
        (lambda: figures.token_differences(["a"], np.ones((2, 1, 3))), "names must be 2 names"),
        (lambda: figures.stream_shares({}), "histories must hold at least one"),
        (lambda: figures.stream_shares({"a": np.ones((1, 2, 3))}), "must have shape"),
        (lambda: figures.head_losses([1], np.full((1, 2), np.nan)), "losses must be finite"),
    ],
)
def test_wrong_figure_data(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_captions_follow_the_data():
    assert "norms on the main line itself: 2" in figures.wiring({"a": POST})[1]
    losses = np.full((2, 1, 3), 0.25)
    losses[1] = 0
    assert "task: b. All other runs end at 1/4, to 1e-3: True" in figures.ablation(["a", "b"], ["task"], losses)[1]
    losses[0, 0, 0] = 0.2
    assert "to 1e-3: False" in figures.ablation(["a", "b"], ["task"], losses)[1]
    assert "below 1/8: False" in figures.head_losses([1, 2], [[0.25, 0.1], [0, 0]])[1]
    assert "heads solve 2 of 2" in figures.head_losses([1, 2], [[0.25, 0.1], [0, 0]])[1]
    found = np.array([[[1, 1e-14]], [[1, 0.5]]])
    assert "a below 1e-10 from layer 1 on; b 0.50 to 0.50" in figures.token_differences(["a", "b"], found)[1]


def test_shares_sum_to_one_and_follow_the_controls():
    histories = {"pre-norm": np.stack([probes.written(blocks(2, True, seed=s), draw(5, 8)) for s in range(2)])}
    shown = figures.stream_shares(histories)
    assert "After 0 pre-norm blocks with random weights, 100 % of a token is its input, 0 %" in shown.update(
        0, "pre-norm"
    )
    one = shown.update(1, "pre-norm")
    assert "After 1 pre-norm block " in one
    shares = [int(number) for number in re.findall(r"(\d+) %", one)[:3]]
    assert sum(shares) == pytest.approx(100, abs=1)
    for wrong in ({"depth": 9, "order": "pre-norm"}, {"depth": 1, "order": "post-norm"}):
        with pytest.raises(ValueError, match="must be"):
            shown.update(**wrong)

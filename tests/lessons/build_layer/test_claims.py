"""What the build says, measured again: its guesses, the comparison with torch, sizes, and replies on gradients."""

import re

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.desk import grade
from lessons.build_layer import LESSON, gated, shared, solutions
from lessons.build_layer.solutions import TransformerLayer, all_heads
from tests.lessons.cells import code_cells, read
from tests.lessons.stored import plain_outputs

NOTEBOOK = "13_build_layer"
OUTPUTS = plain_outputs(NOTEBOOK)


def test_stored_outputs_say_what_the_guesses_say():
    assert "reached 0.33" in OUTPUTS["run-1"] and "to each later word: True" in OUTPUTS["run-1"]
    assert "64 features: 8.2" in OUTPUTS["run-2"]
    shares = {
        int(row.split()[0]): list(map(float, row.split()[1:]))
        for row in OUTPUTS["run-2"].splitlines()
        if re.match(r"\d+ ", row)
    }
    assert 0.2 < shares[64][0] < 0.3 and 0.5 < shares[256][0] < 0.6  # "a quarter", "more than half"
    assert not any(divided for _, divided in shares.values())


def test_both_networks_are_equally_large():
    own = solutions.SwiGLU(16, 64)
    assert own.gate.weight.shape == (44, 16) and sum(one.numel() for one in own.parameters()) == 2112
    assert gated.width_of(16, 64) == 44 and 2 * 16 * 64 + 64 + 16 == 2128


@pytest.mark.parametrize("eps", [1e-5, 1e-6])
def test_the_worked_layer_is_torchs_and_eps_counts(eps):
    torch.manual_seed(1)
    theirs = nn.TransformerEncoderLayer(
        16, 4, 64, 0.0, nn.functional.gelu, layer_norm_eps=eps, batch_first=True, norm_first=True
    ).double()
    ours = TransformerLayer(16, 4, 64).double()
    names = {"self_attn.in_proj_": "qkv.", "self_attn.out_proj": "out", "linear1": "up", "linear2": "down"}
    state = theirs.state_dict()
    for old, new in names.items():
        state = {name.replace(old, new): one for name, one in state.items()}
    ours.load_state_dict(state)
    x = torch.randn(2, 7, 16, dtype=torch.float64)
    later = torch.ones(7, 7, dtype=torch.bool).triu(1)
    gap = (ours(x) - theirs(x, src_mask=later)).abs().max().item()
    assert gap < 1e-13 if eps == 1e-5 else 1e-6 < gap < 1e-4  # "a gap of 1e-5"


def test_the_cell_of_the_comparison_agrees():
    """With a module that holds the worked layer in place of the kept file."""
    source = next(cell for cell in code_cells(read(LESSON)) if cell.id == "run-5-match").source
    printed = []
    scope = {"torch": torch, "nn": nn, "mine": solutions, "print": lambda *words: printed.append(" ".join(words))}
    exec(source, scope)
    assert printed == ["outputs agree to 1e-10: True", "gradients agree to 1e-10: True"]


def layer(attention, stream=lambda x: x):
    """Make a right layer whose attention branch and stream pass through a function each."""

    class Layer(TransformerLayer):
        def forward(self, x):
            q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
            x = stream(x) + attention(self.out(all_heads(q, k, v, self.n_heads)))
            return x + self.down(nn.functional.gelu(self.up(self.norm2(x))))

    return Layer


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (layer(torch.Tensor.detach), "no gradient reaches the weights of norm1, qkv, out: look for detach"),
        (layer(lambda y: y, torch.Tensor.detach), "the first residual is detached"),
    ],
)
def test_gradients_are_compared(answer, words):
    assert words in grade("build_layer.layer", answer, 0).message


def test_a_random_layer_is_told():
    assert "Two calls with the same x differ" not in grade("build_layer.layer", layer(lambda y: y), 0).message
    answer = layer(lambda y: y * np.random.default_rng().normal())
    assert "Two calls with the same x differ" in grade("build_layer.layer", answer, 0).message


def one_module_twice():
    class Layer(TransformerLayer):
        def __init__(self, *sizes):
            super().__init__(*sizes)
            self.norm2 = self.norm1

    return Layer


def test_one_norm_under_two_names():
    assert "one and the same module" in grade("build_layer.layer", one_module_twice(), 0).message


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (lambda d, f: f, "is d_ff itself"),
        (lambda d, f: 2 * f // 3, "two thirds of d_ff, which leaves out"),
        (lambda d, f: 44, "always 44"),
        (lambda d, f: round((2 * d * f + d + f) / (3 * d)), "rounded to the nearest"),
        (lambda d, f: -(-(2 * d * f + d + f) // (3 * d)), "rounded up"),
        (lambda d, f: 5, "Choose the largest width"),
    ],
)
def test_a_wrong_width_is_told_by_its_rule(width, words):
    class Wide(nn.Module):
        def __init__(self, d_model, d_ff):
            super().__init__()
            h = width(d_model, d_ff)
            self.gate, self.up = nn.Linear(d_model, h, bias=False), nn.Linear(d_model, h, bias=False)
            self.down = nn.Linear(h, d_model, bias=False)

        def forward(self, x):
            return self.down(nn.functional.silu(self.gate(x)) * self.up(x))

    message = grade("build_layer.gated", Wide, 0).message
    assert words in message and message.startswith("With d_model = ")


def _joined(join):
    return lambda q, k, v, n_heads: join(shared.attend(*(shared.split(x, n_heads) for x in (q, k, v))))


@pytest.mark.parametrize(
    ("join", "says"),
    [
        (lambda heads: heads.flatten(-2), "in front of seq_len"),
        (lambda heads: torch.cat(heads.unbind(-3)), "one below the other"),
        (lambda heads: torch.stack(heads.unbind(-3), -1), "a new axis"),
        (lambda heads: heads, "still have the axis"),
        (lambda heads: heads.sum(-3), "added up"),
    ],
)
def test_heads_that_are_joined_wrongly_are_told_how(join, says):
    assert says in grade("build_layer.all_heads", _joined(join), 0).message


@pytest.mark.parametrize(
    ("infinity", "says"), [(torch.inf, "Hidden scores become +∞"), (-torch.inf, "−∞ stands among")]
)
def test_an_infinity_in_the_wrong_place_is_told(infinity, says):
    def one_head(q, k, v):
        scores = q @ k.mT / q.shape[-1] ** 0.5
        later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        if infinity > 0:
            return scores.masked_fill(later, infinity).softmax(-1) @ v
        return scores.softmax(-1).masked_fill(later, infinity) @ v

    assert says in grade("build_layer.one_head", one_head, 0).message

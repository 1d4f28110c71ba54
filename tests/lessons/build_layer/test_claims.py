"""What the build says, measured again: the comparison with torch, and replies on gradients."""

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.desk import grade
from lessons.build_layer import LESSON, solutions
from lessons.build_layer.solutions import TransformerLayer, all_heads
from tests.lessons.cells import code_cells, read


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

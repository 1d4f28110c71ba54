"""What the check of the module says to each fault of a module."""

import pytest
import torch
from torch import nn

from course_lib.desk import grade
from course_lib.model.ffn import PositionWiseFeedForward
from lessons.build_the_ffn import solutions


class Right(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def layers(**layers):
    """Make a class whose object holds the named layers, each made by (d_model, d_ff) -> layer."""

    def make(self, d_model, d_ff):
        nn.Module.__init__(self)
        for name, layer in layers.items():
            setattr(self, name, layer(d_model, d_ff))

    return type("FFN", (Right,), {"__init__": make})


def forward(function):
    return type("FFN", (Right,), {"forward": function})


class NoSuper(nn.Module):
    def __init__(self, d_model, d_ff):
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)


def up(d_model, d_ff):
    return nn.Linear(d_model, d_ff)


def down(d_model, d_ff):
    return nn.Linear(d_ff, d_model)


FAULTS = {
    "no super().__init__()": (NoSuper, "raises", "must be super().__init__()"),
    "no bias up": (layers(up=lambda d, f: nn.Linear(d, f, bias=False), down=down), "none", "'up' has no bias"),
    "no bias down": (layers(up=up, down=lambda d, f: nn.Linear(f, d, bias=False)), "none", "'down' has no bias"),
    "other names": (
        layers(linear1=up, linear2=down),
        "type",
        "'up', but the parts of yours are called linear1, linear2",
    ),
    "one name": (layers(up=up, out=down), "type", "an attribute 'down'"),
    "no layers": (layers(), "type", "yours has no parts yet"),
    "swapped layers": (layers(up=down, down=up), "shape", "up.weight has shape"),
    "too narrow": (layers(up=lambda d, f: nn.Linear(d, d), down=lambda d, f: nn.Linear(d, d)), "shape", "up.weight"),
    "always 4 times": (layers(up=lambda d, f: nn.Linear(d, 4 * d), down=down), "shape", "up.weight has shape"),
    "no layer": (layers(up=lambda d, f: torch.ones(f, d), down=down), "type", "'up' must be a layer"),
    "a layer without weights": (layers(up=lambda d, f: nn.ReLU(), down=down), "type", "'up' is of type ReLU"),
    "no module": (type("FFN", (), {"__init__": lambda self, d, f: None}), "type", "class FFN(nn.Module)"),
    "no arguments": (type("FFN", (nn.Module,), {}), "raises", "TypeError"),
    "no forward": (type("FFN", (Right,), {"forward": nn.Module.forward}), "raises", "forward"),
    "one axis too many": (
        forward(lambda self, x: Right.forward(self, x[None] if x.ndim == 2 else x)),
        "shape",
        "an axis of size 1 was added in front",
    ),
    "tokens only": (forward(lambda self, x: Right.forward(self, x.reshape(-1, x.shape[-1]))), "shape", "(10, 3)"),
    "NumPy": (forward(lambda self, x: Right.forward(self, x).detach().numpy()), "type", "a torch tensor"),
    "detached": (forward(lambda self, x: Right.forward(self, x).detach()), "value", "no gradient reaches"),
    "no_grad": (forward(torch.no_grad()(Right.forward)), "value", "no gradient reaches"),
    "weights by .data": (
        forward(lambda self, x: self.down(torch.relu(x @ self.up.weight.data.T + self.up.bias))),
        "value",
        "no gradient reaches",
    ),
    "dropout that stays on": (
        forward(lambda self, x: nn.functional.dropout(Right.forward(self, x), 0.5)),
        "value",
        "differ in eval mode",
    ),
    "a spare layer": (layers(up=up, down=down, gate=up), "value", "more numbers than its two layers need"),
    "in place on x": (forward(lambda self, x: self.down(torch.relu(self.up(x.mul_(2))))), "mutates", "number 1"),
    "float32": (forward(lambda self, x: Right.forward(self, x).float()), "dtype", "float32"),
}


FAULTS |= {
    "numbers of its own": (
        layers(up=lambda d, f: nn.Linear(3, 12), down=lambda d, f: nn.Linear(12, 3)),
        "shape",
        "the same whatever d_model and d_ff are",
    ),
    "new layers": (
        forward(lambda self, x: nn.Linear(x.shape[-1], x.shape[-1]).double()(x)),
        "value",
        "the weights of up and down change nothing",
    ),
    "a new second layer": (
        forward(lambda self, x: nn.Linear(self.up.out_features, x.shape[-1]).double()(torch.relu(self.up(x)))),
        "value",
        "the weights of down change nothing",
    ),
    "nn.ReLU on values": (
        forward(lambda self, x: self.down(nn.ReLU(self.up(x)))),
        "slip:module-not-called",
        "call it on a tensor",
    ),
    "torch.max": (forward(lambda self, x: self.down(torch.max(self.up(x), 0))), "slip:max-along", "torch.clamp"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_of_a_module(name):
    answer, key, words = FAULTS[name]
    for seed in range(3):
        verdict = grade("build_the_ffn.module", answer, seed)
        assert verdict.key == key
        assert words in verdict.message
        assert verdict.message[0].isupper()
        assert verdict.message[-1] in ".?!"


def test_the_solution_is_the_network_of_the_course():
    torch.manual_seed(0)
    ours, theirs = PositionWiseFeedForward(5, 7, dropout=0.0), solutions.FFN(5, 7)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 3, 5)
    assert torch.equal(ours(x), theirs(x))

"""Mixtures of experts against plain loops, against dense networks in the limits, and what couples their tokens."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.model import numpy_ffn
from course_lib.model.experts import ROUTERS, MixtureOfExperts, balance_loss, route
from course_lib.model.ffn import GatedFeedForward

each_router = pytest.mark.parametrize("router", ROUTERS)


def make(*args, seed=0, **options):
    torch.manual_seed(seed)
    layer = MixtureOfExperts(*args, **options).double()
    for expert in layer.experts:
        for name, parameter in expert.named_parameters():
            if name.endswith("bias"):
                nn.init.normal_(parameter)
    return layer


def draw(*shape, seed=1):
    return torch.randn(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def matrix(layer):
    return layer.weight.detach().numpy().T


def gates_by_hand(logits, k, router, bias=None):
    """Weigh the experts of one token with plain numbers."""
    exps = [math.exp(z) for z in logits]
    total = math.fsum(exps)
    scores = [1 / (1 + math.exp(-z)) if router == "deepseek" else e / total for z, e in zip(logits, exps, strict=True)]
    ranked = scores if bias is None else [s + b for s, b in zip(scores, bias, strict=True)]
    chosen = sorted(range(len(logits)), key=lambda i: -ranked[i])[:k]
    weights = exps if router == "mixtral" else scores
    total = 1 if router == "switch" else math.fsum(weights[i] for i in chosen)
    return [weights[i] / total if i in chosen else 0.0 for i in range(len(logits))]


def token_by_token(layer, x):
    """Compute the layer for x of shape (tokens, d_model) in NumPy: only the chosen experts, one token at a time."""
    y, full = np.zeros(x.shape), np.zeros(layer.n_experts, dtype=int)
    for row, token in enumerate(x):
        logits = token @ matrix(layer.router)
        bias = None if layer.choice_bias is None else layer.choice_bias.tolist()
        gates = gates_by_hand(logits.tolist(), layer.k, layer.kind, bias)
        for index in np.flatnonzero(gates):
            full[index] += 1
            if layer.capacity is not None and full[index] > layer.capacity:
                continue
            expert = layer.experts[index]
            name = expert.activation.__name__
            if isinstance(expert, GatedFeedForward):
                parts = (matrix(part) for part in (expert.gate, expert.up, expert.down))
                out = numpy_ffn.gated_forward(token, *parts, name)
            else:
                up, down = expert.up, expert.down
                biases = up.bias.detach().numpy(), down.bias.detach().numpy()
                h = numpy_ffn.ACTIVATIONS[name](token @ matrix(up) + biases[0])
                out = h @ matrix(down) + biases[1]
            y[row] += gates[index] * out
    return y


@each_router
@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize(("gated", "name"), [(False, "relu"), (False, "gelu"), (True, "silu")])
def test_equals_a_plain_loop_over_tokens(router, k, gated, name):
    layer, x = make(3, 4, 5, k, router=router, gated=gated, activation=name), draw(11, 3)
    if router == "deepseek":
        layer.choice_bias.copy_(0.3 * draw(5, seed=2))
    np.testing.assert_allclose(layer(x).detach().numpy(), token_by_token(layer, x.numpy()), rtol=1e-12, atol=1e-12)


@each_router
@pytest.mark.parametrize("capacity", [1, 2, 3, 100])
def test_capacity_equals_a_plain_loop_over_tokens(router, capacity):
    layer, x = make(3, 4, 5, 2, router=router, capacity=capacity), draw(11, 3)
    np.testing.assert_allclose(layer(x).detach().numpy(), token_by_token(layer, x.numpy()), rtol=1e-12, atol=1e-12)


# ---- gates


# ---- balance


def by_counting(probabilities, chosen):
    n, n_experts = probabilities.shape
    choices = sum(bool(c) for row in chosen for c in row)
    total = 0.0
    for i in range(n_experts):
        share = sum(bool(row[i]) for row in chosen) / choices
        total += share * sum(float(row[i]) for row in probabilities) / n
    return n_experts * total


@pytest.mark.parametrize("k", [1, 2, 3])
def test_balance_loss_equals_a_count(k):
    routing = route(draw(3, 13, 6), k, "switch")
    found = balance_loss(routing.probabilities, routing.chosen)
    expected = [by_counting(p, c) for p, c in zip(routing.probabilities, routing.chosen, strict=True)]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


# ---- who reaches whom

"""Mixtures of experts against plain loops, against dense networks in the limits, and what couples their tokens."""

import math

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.model import numpy_ffn
from course_lib.model.experts import ROUTERS, MixtureOfExperts, balance_loss, route
from course_lib.model.ffn import GatedFeedForward, PositionWiseFeedForward

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


def wide(layer):
    """Return the dense FFN whose hidden units are those of all experts, without the output biases."""
    up, down = (
        torch.cat([getattr(one, part).weight for one in layer.experts], dim) for part, dim in (("up", 0), ("down", 1))
    )
    dense = PositionWiseFeedForward(
        layer.d_model, layer.d_ff * layer.n_experts, activation="gelu", dropout=0.0
    ).double()
    dense.load_state_dict(
        {
            "up.weight": up,
            "up.bias": torch.cat([one.up.bias for one in layer.experts]),
            "down.weight": down,
            "down.bias": torch.zeros(layer.d_model),
        }
    )
    return dense


def test_all_experts_with_weight_1_are_one_wide_network():
    layer, x = make(3, 4, 5, 5, activation="gelu"), draw(20, 3)
    for expert in layer.experts:
        nn.init.zeros_(expert.down.bias)
    total = sum(expert(x) for expert in layer.experts)
    torch.testing.assert_close(total, wide(layer)(x), rtol=0, atol=1e-12)
    nn.init.zeros_(layer.router.weight)  # equal logits: every gate is 1/5
    torch.testing.assert_close(5 * layer(x), wide(layer)(x), rtol=0, atol=1e-12)


# ---- gates


def test_the_bias_moves_the_choice_and_not_the_weights():
    logits = draw(50, 6)
    bias = torch.tensor([9.0, 0, 0, 0, 0, 0], dtype=torch.float64)
    found = route(logits, 2, "deepseek", bias)
    assert found.chosen[:, 0].all()
    scores = torch.sigmoid(logits) * found.chosen
    torch.testing.assert_close(found.gates, scores / scores.sum(dim=-1, keepdim=True))


def router_gradient(router, k):
    layer, x = make(3, 4, 5, k, router=router), draw(20, 3)
    layer(x).square().sum().backward()
    return layer.router.weight.grad.abs().max().item()


def test_renormalising_a_single_choice_leaves_the_router_without_gradient():
    assert router_gradient("mixtral", 1) == 0
    assert router_gradient("deepseek", 1) < 1e-12
    assert router_gradient("switch", 1) > 1e-3
    assert all(router_gradient(router, 2) > 1e-3 for router in ROUTERS)


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

ROWS = 12
OFF = ~np.eye(ROWS, dtype=bool)


def replaced(f, x, others):
    """Return M[i, j]: how far row i of f(x) moves when row j of x becomes another row altogether."""
    before, found = f(x), torch.zeros(ROWS, ROWS)
    for j in range(ROWS):
        changed = x.clone()
        changed[j] = others[j]
        found[:, j] = (f(changed) - before).norm(dim=1)
    return found.detach().numpy()


def test_a_capacity_lets_earlier_tokens_reach_later_ones_unseen_by_the_derivative():
    leaks = 0
    for seed in range(5):
        layer, x = make(6, 8, 4, 1, router="switch", capacity=3, seed=seed), draw(ROWS, 6, seed=seed)
        moved = replaced(layer, x, draw(ROWS, 6, seed=99))
        leaks += (moved[OFF] > 0).sum()
        assert (moved[np.triu_indices(ROWS, 1)] == 0).all()  # row i above the diagonal: a later token j
        jacobian = torch.autograd.functional.jacobian(layer, x)
        assert (jacobian.square().sum(dim=(1, 3))[torch.from_numpy(OFF)] == 0).all()
    assert leaks > 10

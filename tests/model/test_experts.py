"""Mixtures of experts against plain loops, against dense networks in the limits, and what couples their tokens."""

import copy
import math

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.model import numpy_ffn, probes
from course_lib.model.activations import ACTIVATIONS
from course_lib.model.experts import ROUTERS, MixtureOfExperts, balance_loss, kept, mixtures, route, updated_bias
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


@pytest.mark.parametrize("leading", [(), (1,), (6,), (2, 3), (2, 3, 4), (0,)])
def test_any_leading_shape(leading):
    layer, x = make(3, 4, 5, 2), draw(*leading, 3)
    assert layer(x).shape == x.shape
    rows = [layer(row) for row in x.reshape(-1, 3)]
    if rows:
        torch.testing.assert_close(layer(x).reshape(-1, 3), torch.stack(rows), rtol=1e-12, atol=1e-13)


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


@each_router
def test_one_expert_is_torchs_feed_forward(router):
    """With one expert the gate is 1 for every router, and the layer is that of torch's encoder."""
    layer, x = make(8, 16, 1, 1, router=router), draw(2, 5, 8)
    encoder = nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, dtype=torch.float64, batch_first=True)
    encoder.linear1, encoder.linear2 = layer.experts[0].up, layer.experts[0].down
    torch.testing.assert_close(layer(x), encoder._ff_block(x), rtol=1e-12, atol=1e-13)


@each_router
def test_equal_experts_are_one_network_times_the_sum_of_the_gates(router):
    layer, x = make(3, 4, 5, 2, router=router), draw(20, 3)
    for expert in layer.experts[1:]:
        expert.load_state_dict(layer.experts[0].state_dict())
    sums = layer.route(x).gates.sum(dim=-1, keepdim=True)
    torch.testing.assert_close(layer(x), sums * layer.experts[0](x), rtol=1e-12, atol=1e-13)
    assert torch.allclose(sums, torch.ones_like(sums)) == (router != "switch")


# ---- gates


@each_router
@pytest.mark.parametrize("k", [1, 2, 3, 7])
@pytest.mark.parametrize("biased", [False, True])
def test_gates_equal_those_by_hand(router, k, biased):
    logits, bias = 2 * draw(4, 9, 7), 0.5 * draw(7, seed=5) if biased else None
    found = route(logits, k, router, bias)
    expected = [gates_by_hand(row, k, router, bias) for row in logits.reshape(-1, 7).tolist()]
    np.testing.assert_allclose(found.gates.reshape(-1, 7), expected, rtol=1e-12, atol=1e-15)
    assert (found.chosen.sum(dim=-1) == k).all() and torch.equal(found.chosen, found.gates > 0)
    torch.testing.assert_close(found.probabilities.sum(dim=-1), torch.ones(4, 9, dtype=torch.float64))


def test_softmax_over_the_chosen_is_softmax_over_all_renormalised():
    logits = draw(50, 6)
    switch, mixtral = (route(logits, 3, router).gates for router in ("switch", "mixtral"))
    torch.testing.assert_close(mixtral, switch / switch.sum(dim=-1, keepdim=True), rtol=1e-12, atol=1e-15)
    assert (switch.sum(dim=-1) < 1).all()


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


def test_balance_loss_at_the_marks():
    even = torch.eye(4, dtype=torch.bool).repeat(3, 1)
    anything = torch.softmax(draw(12, 4), dim=-1)
    assert balance_loss(anything, even).item() == pytest.approx(1, abs=1e-12)  # whatever the probabilities are
    one = torch.zeros(12, 4, dtype=torch.float64)
    one[:, 2] = 1
    assert balance_loss(one, one.bool()).item() == 4
    pairs = torch.tensor([[1, 1, 0, 0], [0, 0, 1, 1]], dtype=torch.bool)
    assert balance_loss(torch.full((2, 4), 0.25, dtype=torch.float64), pairs).item() == 1
    lower = torch.tensor([[0.51, 0.49]] * 6 + [[0.0, 1.0]] * 4, dtype=torch.float64)
    assert balance_loss(lower, lower > 0.5).item() == pytest.approx(0.9224, abs=1e-12)  # 1 is not the minimum


def test_balance_loss_takes_from_the_favourite():
    logits = (draw(40, 4) + torch.tensor([3.0, 0, 0, 0])).requires_grad_()
    routing = route(logits, 1, "switch")
    balance_loss(routing.probabilities, routing.chosen).backward()
    assert logits.grad[:, 0].sum() > 0  # a step against the gradient lowers the favourite


def test_updated_bias_moves_by_one_rate():
    chosen = torch.zeros(2, 6, 3, dtype=torch.bool)
    chosen[0, :, 0] = True
    chosen[1, :2, 0] = chosen[1, 2:4, 1] = chosen[1, 4:, 2] = True
    found = updated_bias(torch.ones(2, 3, dtype=torch.float64), chosen, 0.25)
    assert found.tolist() == [[0.75, 1.25, 1.25], [1, 1, 1]]


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


@each_router
@pytest.mark.parametrize("capacity", [None, ROWS])
def test_without_a_limit_no_token_reaches_another(router, capacity):
    for seed in range(5):
        layer, x = make(6, 8, 4, 2, router=router, capacity=capacity, seed=seed), draw(ROWS, 6, seed=seed)
        assert (replaced(layer, x, draw(ROWS, 6, seed=99))[OFF] == 0).all()
        assert (probes.influence(layer, x)[OFF] == 0).all()


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


def test_a_dropped_token_gets_nothing():
    layer, x = make(6, 8, 4, 1, capacity=1), draw(ROWS, 6)
    routing = layer.route(x)
    dropped = ~kept(routing.chosen, 1).any(dim=-1)
    assert dropped.sum() >= ROWS - 4
    assert (layer(x)[dropped] == 0).all() and (layer(x)[~dropped] != 0).any(dim=-1).all()


def test_kept_takes_the_first():
    chosen = torch.tensor([[1, 0], [1, 1], [1, 0], [0, 1]], dtype=torch.bool)
    assert kept(chosen, 2).tolist() == [[True, False], [True, True], [False, False], [False, True]]
    assert torch.equal(kept(chosen, 9), chosen)


# ---- the module as such


def test_summary_and_copies():
    layer = make(8, 16, 8, 2, router="deepseek")
    assert "d_model=8, d_ff=16, n_experts=8, k=2, router=deepseek, capacity=None, parameters=2,304" in repr(layer)
    layer.choice_bias.fill_(0.5)
    assert torch.equal(copy.deepcopy(layer).choice_bias, layer.choice_bias)
    assert "choice_bias" in layer.state_dict() and "choice_bias" not in make(8, 16, 8, 2).state_dict()
    assert all(expert.dropout.p == 0 for expert in layer.experts)


def test_every_activation():
    for name in ACTIVATIONS:
        assert make(3, 4, 5, 2, activation=name)(draw(2, 3)).isfinite().all()


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: MixtureOfExperts(0, 4, 5, 2), ValueError, "d_model must be an integer of at least 1"),
        (lambda: MixtureOfExperts(3, 4.0, 5, 2), TypeError, "d_ff must be an integer"),
        (lambda: MixtureOfExperts(3, 4, 5, 6), ValueError, "k must be an integer from 1 to 5, but int 6"),
        (lambda: MixtureOfExperts(3, 4, True, 1), TypeError, "n_experts must be"),
        (lambda: MixtureOfExperts(3, 4, 5, 2, router="top2"), ValueError, "unknown router 'top2': known are 'mixtral'"),
        (lambda: MixtureOfExperts(3, 4, 5, 2, capacity=0), ValueError, "capacity must be an integer of at least 1"),
        (lambda: MixtureOfExperts(3, 4, 5, 2, capacity=1.5), TypeError, "capacity must be an integer"),
        (lambda: MixtureOfExperts(3, 4, 5, 2, gated=1), TypeError, "gated must be True or False"),
        (lambda: MixtureOfExperts(3, 4, 5, 2, activation="tanhh"), ValueError, "unknown activation"),
        (lambda: make(3, 4, 5, 2)(draw(2, 4)), ValueError, "last dimension of x must be d_model = 3"),
        (lambda: make(3, 4, 5, 2)(draw(2, 3).float()), TypeError, "dtype of the weights"),
        (lambda: make(3, 4, 5, 2)(np.ones((2, 3))), TypeError, "x must be a torch tensor"),
        (lambda: route(draw(2, 4), 5), ValueError, "k must be an integer from 1 to 4"),
        (lambda: route(draw(2, 4), 1, "noisy"), ValueError, "unknown router"),
        (lambda: route([[1.0]], 1), TypeError, "logits must be a torch tensor"),
        (lambda: kept(draw(2, 4) > 0, 0), ValueError, "capacity must be"),
        (lambda: mixtures(3, 4, 5, 6, 2), ValueError, "k must be an integer from 1 to 5"),
        (lambda: mixtures(3, 4, 5, 1, 0), ValueError, "seeds must be"),
        (lambda: mixtures(3, 4, 5, 1, 2, router="x"), ValueError, "unknown router"),
        (lambda: mixtures(3, 4, 5, 1, 2).balancing(-1), ValueError, "alpha must be"),
        (lambda: updated_bias(torch.zeros(3), torch.ones(2, 3) > 0, -1), ValueError, "rate must be"),
    ],
)
def test_errors(call, error, words):
    with pytest.raises(error, match=words):
        call()

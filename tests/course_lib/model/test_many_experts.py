"""Mixtures of experts of many seeds at once against modules, and their training against torch's."""

import pytest
import torch

from course_lib.model import tasks, training
from course_lib.model.accounting import count_parameters, mixture_parameters
from course_lib.model.experts import MixtureOfExperts, balance_loss, mixtures
from tests.course_lib.model.test_experts import draw, each_router


def module_of(many, seed):
    """Copy the mixture of one seed into a module."""
    W, W1, b1, W2, b2 = (parameter[seed] for parameter in many.parameters)
    d_model, n_experts = W.shape
    d_ff = W1.shape[1] // n_experts
    layer = MixtureOfExperts(d_model, d_ff, n_experts, many.k, router=many.router).double()
    layer.router.weight.data = W.T.clone()
    for index, expert in enumerate(layer.experts):
        span = slice(index * d_ff, (index + 1) * d_ff)
        expert.up.weight.data, expert.up.bias.data = W1[:, span].T.clone(), b1[0, span].clone()
        expert.down.weight.data, expert.down.bias.data = W2[span].T.clone(), b2[index].clone()
    return layer


@each_router
@pytest.mark.parametrize("k", [1, 2])
def test_networks_equal_modules(router, k):
    many, x = mixtures(3, 4, 5, k, 3, router=router), draw(3, 11, 3)
    for seed in range(3):
        torch.testing.assert_close(many(x)[seed], module_of(many, seed)(x[seed]), rtol=1e-12, atol=1e-13)
    assert many.size == mixture_parameters(3, 4, 5, k)["held"] == count_parameters(module_of(many, 0))


def test_training_with_penalty_equals_torchs_adam():
    """Three steps in batches, with the balance loss, against autograd and torch.optim on modules."""
    x, y, _ = tasks.clusters(24, 2, count=3, d_model=3)
    many = mixtures(3, 4, 5, 1, 2)
    layers = [module_of(many, seed) for seed in range(2)]
    for layer in layers:
        layer.kind = "switch"
    training.fit(many, x, y, steps=3, rate=0.02, batch=8, penalty=many.balancing(0.1))
    for seed, layer in enumerate(layers):
        optimiser = torch.optim.Adam(layer.parameters(), lr=0.02)
        for step in range(3):
            rows = slice(8 * step, 8 * step + 8)
            routing = layer.route(x[seed, rows])
            loss = (layer(x[seed, rows]) - y[seed, rows]).square().mean()
            loss = loss + 0.1 * balance_loss(routing.probabilities, routing.chosen)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
        torch.testing.assert_close(many(x)[seed], layer(x[seed]), rtol=1e-8, atol=1e-9)

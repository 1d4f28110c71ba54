"""Layers that hold one matrix for every seed, the seeds being the leading dimension; and how their numbers start."""

import math

from course_lib.model.one_thread import nn, torch


class Linears(nn.Module):
    """Stand in for one nn.Linear: x W + b, with a W (d_in, d_out) and a b (1, d_out) for every seed."""

    lent: tuple[torch.Tensor, torch.Tensor]  # W of all seeds and b of all seeds, for the present call

    @property
    def weight(self):
        return self.lent[0]

    def forward(self, x):
        weight, bias = self.lent
        return torch.baddbmm(bias, x, weight)


class Pointwise(nn.Module):
    """Make a module of an activation, as nn.Sequential wants it."""

    def __init__(self, activation):
        super().__init__()
        self.activation = activation

    def forward(self, x):
        return self.activation(x)


def uniform_start(generators, *shape: int, fan_in: int | None = None) -> torch.Tensor:
    """Draw starting values uniform in ±1/√fan_in, one tensor a generator, stacked; fan_in is shape[0] if not given."""
    bound = 1 / math.sqrt(fan_in or shape[0])
    draws = [torch.rand(shape, generator=generator, dtype=torch.float64) for generator in generators]
    return bound * (2 * torch.stack(draws) - 1)

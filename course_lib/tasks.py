"""Small data sets for the experiments: made on the spot, seeded, float64, nothing to download."""

import math

from course_lib._torch import torch
from course_lib.arguments import integer, real


def xor() -> tuple[torch.Tensor, torch.Tensor]:
    """Return the four points of XOR: y is 1 where exactly one of the two inputs is 1.

    Returns:
        x of shape (4, 2) with the rows 00, 01, 10, 11; y of shape (4, 1).
    """
    x = torch.tensor([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=torch.float64)
    return x, (x.sum(dim=1, keepdim=True) == 1).to(torch.float64)


def rings(n: int = 400, *, noise: float = 0.1, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    """Return two noisy rings around the origin: class 0 at radius 0.6, class 1 at radius 1.5.

    Args:
        n: number of points, half of them (rounded down) on the inner ring.
        noise: standard deviation of the Gaussian noise added to both coordinates.
        seed: of the angles and the noise.

    Returns:
        x of shape (n, 2); y of shape (n, 1), 0 or 1.
    """
    n, noise, seed = integer("n", n, 2), real("noise", noise, 0), integer("seed", seed, 0)
    generator = torch.Generator().manual_seed(seed)
    y = (torch.arange(n) >= n // 2).to(torch.float64)
    angle = 2 * math.pi * torch.rand(n, generator=generator, dtype=torch.float64)
    radius = torch.where(y == 1, 1.5, 0.6)
    x = radius[:, None] * torch.stack([angle.cos(), angle.sin()], dim=1)
    return x + noise * torch.randn(n, 2, generator=generator, dtype=torch.float64), y[:, None]


def wave(n: int = 256) -> tuple[torch.Tensor, torch.Tensor]:
    """Return one period of the sine on an even grid over [−π, π].

    Returns:
        x of shape (n, 1); y = sin(x) of shape (n, 1).
    """
    x = torch.linspace(-math.pi, math.pi, integer("n", n, 2), dtype=torch.float64)[:, None]
    return x, torch.sin(x)

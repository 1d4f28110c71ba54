"""Write `autograd.toml`: a small network, and its gradients by torch's autograd, for pages where no torch runs.

Usage: python -m lessons.build_backward.autograd
"""

from pathlib import Path

import numpy as np

from course_lib.model.descent import network
from course_lib.model.one_thread import torch
from lessons.build_backward.shared import GRADIENTS, PARAMETERS

NAMES = ("x", "target", *PARAMETERS)


def by_autograd(x, target, W1, b1, W2, b2) -> tuple[np.ndarray, ...]:
    """Return dW1, db1, dW2, db2 and dx of the mean squared error, as torch computes them."""
    x, W1, b1, W2, b2 = leaves = [torch.tensor(one, requires_grad=True) for one in (x, W1, b1, W2, b2)]
    y = torch.relu(x @ W1 + b1) @ W2 + b2
    torch.nn.functional.mse_loss(y, torch.tensor(target)).backward()
    dx, *rest = (leaf.grad.numpy() for leaf in leaves)
    return (*rest, dx)


def text() -> str:
    """Return what the file holds: the same numbers on every run, to two decimals what goes in."""
    arrays = [one.round(2) for one in network(np.random.default_rng(0), 6, 3, 8, 4)]
    found = dict(zip((*NAMES, *GRADIENTS), (*arrays, *by_autograd(*arrays)), strict=True))
    lines = [f"{name} = {array.tolist()}" for name, array in found.items()]
    return "\n".join(["# Written by autograd.py beside this file: a network, and its gradients by torch.", *lines, ""])


if __name__ == "__main__":
    Path(__file__).with_suffix(".toml").write_text(text(), encoding="utf-8", newline="\n")

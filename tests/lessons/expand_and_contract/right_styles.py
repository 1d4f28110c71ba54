"""Right answers to the exercise of "Expand and contract", in styles other than that of the worked solutions."""

import numpy as np
import torch


def scaled(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[a], W1[b] = 4.0, 4.0
    return W1, np.array([-4.0]), value.reshape(1, -1) / 4, np.zeros_like(value)


def with_units(d_model, a, b, value):
    units = np.eye(d_model)
    return (units[a] + units[b])[:, None], -np.ones(1), np.outer(1, value), 0 * value


def listed(d_model, a, b, value):
    return [[float(i in (a, b))] for i in range(d_model)], [-1], [list(value)], [0] * d_model


def steep(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[[a, b], 0] = 2.0
    return [W1, np.array([-3.0]), value[np.newaxis], np.zeros(d_model)]


def uneven(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[a], W1[b] = 1.0, 3.0
    return W1, np.array([-3.0]), value[None], np.zeros(d_model)


def in_tensors(d_model, a, b, value):
    W1 = torch.zeros(d_model, 1, dtype=torch.float64)
    W1[a], W1[b] = 1, 1
    return W1, torch.tensor([-1]), torch.from_numpy(value)[None], torch.zeros(d_model)


STYLES = {
    "expand_and_contract.hand_wired_and": [scaled, with_units, listed, steep, uneven, in_tensors],
}

# The weights may be written as numbers or lists: the exercise reads them as float64 itself.
ACCEPTS = {"expand_and_contract.hand_wired_and": {"list for array", "integers", "float32"}}

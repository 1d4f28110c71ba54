"""Right answers to lesson 09."""

from fractions import Fraction

import numpy as np
import torch
from torch import nn

from course_lib import ffn


def look_back(x):
    move = torch.zeros(6, 6, dtype=x.dtype)
    move[0, 2] = move[1, 3] = 1
    weights = torch.eye(x.shape[-2], dtype=x.dtype).roll(-1, dims=1)
    return weights @ x @ move


def block(make, forward=None):
    """Make a class around an FFN; forward is a function of (ffn, x)."""

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.ffn = make()

        def forward(self, x):
            if forward is not None:
                return forward(self.ffn, x)
            h = x + look_back(x)
            return h + self.ffn(h)

    return Block


def rolled(layers, x):
    """Gather with roll, and write into the two last features only."""
    h = x.clone()
    h[..., 2:4] += x.roll(1, -2)[..., :2]
    return torch.cat([h[..., :4], h[..., 4:] + layers(h)], dim=-1)


def token_by_token(layers, x):
    rows = []
    for i in range(x.shape[1]):
        h = x[:, i] + torch.nn.functional.pad(x[:, i - 1, :2], (2, 2))
        rows.append(h + layers(h))
    return torch.stack(rows, dim=1)


class ByMatrices(nn.Module):
    """Write the product of gate and up value out, with bare parameters, the last of which start at 0."""

    def __init__(self):
        super().__init__()
        self.gate, self.up = (nn.Parameter(torch.randn(6, 11) / 6**0.5) for _ in range(2))
        self.down = nn.Parameter(torch.zeros(11, 6))

    def forward(self, x):
        stream = x + look_back(x)
        return stream + ((stream @ self.gate).relu() * (stream @ self.up)) @ self.down


class WithNorm(nn.Module):
    """Pre-norm, with a norm that has no parameters, and dropout that eval mode switches off."""

    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.LayerNorm(6, elementwise_affine=False),
            nn.Linear(6, 14),
            nn.GELU(),
            nn.Linear(14, 6),
            nn.Dropout(0.5),
        )

    def forward(self, x):
        x = x + look_back(x)
        return x + self.layers(x)


PARTS = dict(zip("ABCDEF", ["half", "false", "half", "false", "false", "true"], strict=True))
NUMBERS = dict(zip("GHIJKL", ["false", "half", "false", "half", "half", "true"], strict=True))
EVIDENCE = dict(zip("MNOPQR", ["false", "false", "false", "false", "half", "true"], strict=True))


def judgements(claims):
    """Return the right judgements as words in order, and as dicts of several forms."""
    values = {"true": True, "false": False, "half": "half true"}
    return [
        " ".join(claims.values()),
        claims,
        {letter: values[word] for letter, word in claims.items()},
        {letter: f" {word.upper()} " for letter, word in reversed(claims.items())},
        {letter: np.bool_(word == "true") if word != "half" else "Half" for letter, word in claims.items()},
        claims | {"Z": "true"},
    ]


STYLES = {
    "review.predict_parts": judgements(PARTS),
    "review.predict_numbers": judgements(NUMBERS),
    "review.predict_evidence": judgements(EVIDENCE),
    "review.predict_linear": [0.5, 1 / 2, np.float64(0.5), Fraction(1, 2), np.array(0.5)],
    "review.predict_width": [14, 14.0, np.int64(14), Fraction(14), (200 - 6) // 13],
    "review.block": [
        block(lambda: ffn.PositionWiseFeedForward(6, 14, dropout=0.0)),
        block(lambda: ffn.SwiGLUFeedForward(6, 11)),
        block(lambda: ffn.PositionWiseFeedForward(6, 12, activation="gelu"), token_by_token),
        block(lambda: nn.Sequential(nn.Linear(6, 18), nn.ReLU(), nn.Linear(18, 2)), rolled),
        block(lambda: ffn.GatedFeedForward(6, 8, "sigmoid", bias=True)),
        ByMatrices,
        WithNorm,
    ],
}

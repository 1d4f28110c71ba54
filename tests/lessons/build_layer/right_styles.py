"""Right answers to the build of a transformer layer, in styles other than that of the worked solutions."""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional

from course_lib.model.ffn import SwiGLUFeedForward
from lessons.build_layer.solutions import TransformerLayer, all_heads, layer_norm, one_head


def head_row_by_row(q, k, v):
    rows = []
    for i in range(q.shape[-2]):
        scores = q[..., i : i + 1, :] @ k[..., : i + 1, :].transpose(-1, -2) / math.sqrt(q.size(-1))
        rows.append(torch.softmax(scores, -1) @ v[..., : i + 1, :])
    return torch.cat(rows, dim=-2)


def head_by_torch(q, k, v):
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


def head_einsum_with_a_large_number(q, k, v):
    n, d = q.shape[-2:]
    scores = torch.einsum("...id,...jd->...ij", q, k) * d**-0.5
    mask = torch.tril(torch.ones(n, n))
    scores = scores + (1 - mask) * -1e9
    return torch.einsum("...ij,...jd->...id", functional.softmax(scores, dim=-1), v)


def head_normalised_after_the_mask(q, k, v):
    weights = torch.exp(q @ k.mT / np.sqrt(q.shape[-1])).tril()
    return weights / weights.sum(-1, keepdim=True) @ v


def head_where_positions(q, k, v):
    place = torch.arange(q.shape[-2])
    allowed = place[:, None] >= place
    return torch.where(allowed, (q / q.shape[-1] ** 0.5) @ k.swapaxes(-1, -2), -math.inf).softmax(-1).matmul(v)


def head_in_place_on_scores(query, key, value):
    scores = query @ key.mT
    scores /= query.shape[-1] ** 0.5
    scores[..., torch.triu(torch.ones(scores.shape[-2:]), diagonal=1).bool()] = -float("inf")
    scores -= scores.max(-1, keepdim=True).values
    scores = scores.exp()
    return scores / scores.sum(-1, keepdim=True) @ value


def heads_in_a_loop(q, k, v, n_heads):
    size = q.shape[-1] // n_heads
    parts = [slice(head * size, (head + 1) * size) for head in range(n_heads)]
    return torch.cat([head_row_by_row(q[..., part], k[..., part], v[..., part]) for part in parts], dim=-1)


def heads_chunked(q, k, v, n_heads):
    chunks = zip(*(x.chunk(n_heads, dim=-1) for x in (q, k, v)), strict=True)
    return torch.cat([one_head(*one) for one in chunks], -1)


def heads_viewed(q, k, v, n_heads):
    *lead, n, d = q.shape

    def split(x):
        return x.view(*lead, n, n_heads, d // n_heads).transpose(-2, -3)

    y = head_normalised_after_the_mask(split(q), split(k), split(v))
    return y.transpose(-2, -3).contiguous().view(*lead, n, d)


def heads_einsum(q, k, v, n_heads):
    q, k, v = (x.unflatten(-1, (n_heads, x.shape[-1] // n_heads)) for x in (q, k, v))
    scores = torch.einsum("...ihd,...jhd->...hij", q, k) / q.shape[-1] ** 0.5
    later = torch.triu(torch.full(scores.shape[-2:], -torch.inf), diagonal=1)
    return torch.einsum("...hij,...jhd->...ihd", (scores + later).softmax(-1), v).flatten(-2)


def heads_stacked(q, k, v, n_heads):
    split = [torch.stack(x.split(x.shape[-1] // n_heads, dim=-1)) for x in (q, k, v)]
    return torch.cat(list(head_by_torch(*split)), dim=-1)


def heads_by_torch(q, k, v, n_heads):
    q, k, v = (x.reshape(*x.shape[:-1], n_heads, -1).movedim(-2, -3) for x in (q, k, v))
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True).movedim(-3, -2).flatten(-2)


def norm_by_var(x, gain, shift):
    mean, variance = x.mean(dim=-1, keepdim=True), x.var(dim=-1, keepdim=True, unbiased=False)
    return (x - mean) / torch.sqrt(variance + 1e-5) * gain + shift


def norm_var_mean(x, gain, shift):
    variance, mean = torch.var_mean(x, -1, correction=0, keepdim=True)
    return torch.rsqrt(variance + 1e-5) * (x - mean) * gain + shift


def norm_by_torch(x, gain, shift):
    return functional.layer_norm(x, gain.shape, gain, shift, 1e-5)


def norm_with_sums(x, gain, shift):
    d = x.shape[-1]
    x = x - x.sum(-1)[..., None] / d
    return x / (x.pow(2).sum(-1)[..., None] / d + 1e-5) ** 0.5 * gain + shift


def norm_of_squares(x, gain, shift):
    mean = x.mean(-1).unsqueeze(-1)
    variance = (x * x).mean(-1).unsqueeze(-1) - mean**2
    return shift + gain * (x - mean) * (variance + 0.00001) ** -0.5


def norm_token_by_token(x, gain, shift):
    y = torch.empty_like(x)
    for place in np.ndindex(x.shape[:-1]):
        token = x[place] - x[place].mean()
        y[place] = token / math.sqrt(token.square().mean() + 1e-5)
    return y * gain + shift


class WithModulesForEverything(nn.Module):
    def __init__(self, width, heads, hidden):
        super().__init__()
        self.norm1 = nn.LayerNorm(width)
        self.norm2 = nn.LayerNorm(width, eps=1e-5)
        self.qkv, self.out = nn.Linear(width, width * 3), nn.Linear(width, width)
        self.up, self.bend, self.down = nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width)
        self.heads = heads

    def forward(self, tokens):
        q, k, v = self.qkv(self.norm1(tokens)).split(tokens.shape[-1], dim=-1)
        tokens = tokens + self.out(heads_chunked(q, k, v, self.heads))
        return tokens + self.down(self.bend(self.up(self.norm2(tokens))))


class WithItsOwnNorm(TransformerLayer):
    def forward(self, x):
        packed = self.qkv(layer_norm(x, self.norm1.weight, self.norm1.bias))
        d = x.shape[-1]
        h = x + self.out(all_heads(packed[..., :d], packed[..., d : 2 * d], packed[..., 2 * d :], self.n_heads))
        z = self.up(layer_norm(h, self.norm2.weight, self.norm2.bias))
        return h + self.down(z * (1 + torch.erf(z / math.sqrt(2))) / 2)


class InPlaceOnACopy(TransformerLayer):
    def forward(self, x):
        stream = x.clone()
        stream = stream + self.attend(self.norm1(stream))
        stream = stream + self.feed(self.norm2(stream))
        return stream

    def attend(self, x):
        q, k, v = self.qkv(x).unflatten(-1, (3, -1)).unbind(-2)
        return self.out(heads_viewed(q, k, v, self.n_heads))

    def feed(self, x):
        return self.down(functional.gelu(self.up(x)))


class ByMatrices(nn.Module):
    def __init__(self, d_model, n_heads, d_ff, dropout=0.0):
        nn.Module.__init__(self)
        for name, sizes in {"qkv": (d_model, 3 * d_model), "out": (d_model, d_model)}.items():
            self.add_module(name, nn.Linear(*sizes))
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)
        self.norm1, self.norm2, self.dropout = nn.LayerNorm(d_model), nn.LayerNorm(d_model), nn.Dropout(dropout)
        self.n_heads = n_heads

    def forward(self, x):
        n = self.norm1(x)
        weights, biases = self.qkv.weight.chunk(3), self.qkv.bias.chunk(3)
        parts = [n @ weight.T + bias for weight, bias in zip(weights, biases, strict=True)]
        x = x + self.dropout(heads_einsum(*parts, self.n_heads) @ self.out.weight.T + self.out.bias)
        return x + self.dropout(self.down(functional.gelu(self.up(self.norm2(x)))))


class TwoSteps(TransformerLayer):
    def forward(self, x):
        for branch in (self._attention, self._ffn):
            x = branch(x) + x
        return x

    def _attention(self, x):
        q, k, v = torch.tensor_split(self.qkv(self.norm1(x)), 3, dim=-1)
        return self.out(heads_stacked(q, k, v, self.n_heads))

    def _ffn(self, x):
        return self.down(nn.GELU()(self.up(self.norm2(x))))


class Gated(nn.Module):
    def __init__(self, width, hidden, bias=False):
        super().__init__()
        plain = width * hidden + hidden + hidden * width + width
        inner = plain // (3 * width)
        self.gate, self.up = nn.Linear(width, inner, bias), nn.Linear(width, inner, bias)
        self.down = nn.Linear(inner, width, bias)
        self.bend = nn.SiLU()

    def forward(self, x):
        return self.down(self.up(x) * self.bend(self.gate(x)))


class GatedBySearch(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        h = d_ff
        while 3 * d_model * h > 2 * d_model * d_ff + d_model + d_ff:
            h -= 1
        self.up = nn.Linear(d_model, h, bias=False)
        self.gate = nn.Linear(d_model, h, bias=False)
        self.down = nn.Linear(h, d_model, bias=False)

    def forward(self, x):
        z = self.gate(x)
        return self.down(z * torch.sigmoid(z) * self.up(x))


class GatedByMatrices(Gated):
    def forward(self, x):
        z = x @ self.gate.weight.T
        return (z / (1 + torch.exp(-z)) * (x @ self.up.weight.T)) @ self.down.weight.T


class GatedEinsum(Gated):
    def forward(self, x):
        both = torch.einsum("...i,kji->k...j", x, torch.stack([self.gate.weight, self.up.weight]))
        return self.down(functional.silu(both[0]) * both[1])


class GatedByFloor(GatedBySearch):
    def __init__(self, d_model, d_ff):
        nn.Module.__init__(self)
        plain = sum(
            part.numel()
            for layer in (nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model))
            for part in layer.parameters()
        )
        h = math.floor(plain / d_model / 3)
        self.gate, self.up, self.down = (
            nn.Linear(*sizes, bias=False) for sizes in ((d_model, h), (d_model, h), (h, d_model))
        )


class FromTheCourse(SwiGLUFeedForward):
    """Leave the work to the course."""

    def __init__(self, d_model, d_ff):
        super().__init__(d_model, (2 * d_model * d_ff + d_ff + d_model) // (3 * d_model))


BORROWED = {"build_layer.gated": [FromTheCourse]}
STYLES = {
    "build_layer.one_head": [
        head_row_by_row,
        head_by_torch,
        head_einsum_with_a_large_number,
        head_normalised_after_the_mask,
        head_where_positions,
        head_in_place_on_scores,
    ],
    "build_layer.all_heads": [
        heads_in_a_loop,
        heads_chunked,
        heads_viewed,
        heads_einsum,
        heads_stacked,
        heads_by_torch,
    ],
    "build_layer.layer_norm": [
        norm_by_var,
        norm_var_mean,
        norm_by_torch,
        norm_with_sums,
        norm_of_squares,
        norm_token_by_token,
    ],
    "build_layer.layer": [
        WithModulesForEverything,
        WithItsOwnNorm,
        InPlaceOnACopy,
        ByMatrices,
        TwoSteps,
    ],
    "build_layer.gated": [Gated, GatedBySearch, GatedByMatrices, GatedEinsum, GatedByFloor],
}

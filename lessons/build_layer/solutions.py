"""The worked cells of the exercises; what stands behind BEGIN SOLUTION is what learners start from."""

import torch
from torch import nn


# %% one_head
def one_head(q, k, v):
    """Attend causally with one head; all shapes are (..., seq_len, head_dim)."""
    ### BEGIN SOLUTION: return TODO
    scores = q @ k.mT / q.shape[-1] ** 0.5
    later = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
    weights = scores.masked_fill(later, -torch.inf).softmax(dim=-1)
    return weights @ v
    ### END SOLUTION
    ### WHY: −∞ before the softmax becomes a weight of exactly 0, and the weights that stay still add up to 1.
    ### WHY: `triu(1)` begins one place right of the diagonal, so every token keeps itself.


# %% all_heads
def all_heads(q, k, v, n_heads):
    """Attend causally with n_heads heads; all shapes are (..., seq_len, d_model)."""
    ### BEGIN SOLUTION: return TODO
    q, k, v = (x.unflatten(-1, (n_heads, -1)).transpose(-3, -2) for x in (q, k, v))
    out = one_head(q, k, v)
    return out.transpose(-3, -2).flatten(-2)
    ### END SOLUTION
    ### WHY: `unflatten` cuts each token's features; `transpose` brings seq_len back next to them, for `one_head`.
    ### WHY: Head_dim is the last axis now, so `one_head` divides by its root and not by that of d_model.


# %% layer_norm
def layer_norm(x, gain, shift):
    """Normalise each token of x, (..., d_model); then apply gain and shift."""
    ### BEGIN SOLUTION: return TODO
    centred = x - x.mean(-1, keepdim=True)
    variance = (centred**2).mean(-1, keepdim=True)
    return gain * centred / (variance + 1e-5).sqrt() + shift
    ### END SOLUTION
    ### WHY: The plain mean of the squares divides by d_model; `x.var(-1)` would divide by d_model − 1.


# %% layer
class TransformerLayer(nn.Module):
    """Pre-norm: causal attention, then an FFN with GELU."""

    def __init__(self, d_model, n_heads, d_ff):
        ### BEGIN SOLUTION: self.norm1, self.qkv, self.out = TODO, TODO, TODO
        super().__init__()
        self.n_heads = n_heads
        self.norm1 = nn.LayerNorm(d_model)
        self.qkv = nn.Linear(d_model, 3 * d_model)
        self.out = nn.Linear(d_model, d_model)
        ### END SOLUTION
        ### BEGIN SOLUTION: self.norm2, self.up, self.down = TODO, TODO, TODO
        self.norm2 = nn.LayerNorm(d_model)
        self.up = nn.Linear(d_model, d_ff)
        self.down = nn.Linear(d_ff, d_model)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION: return TODO
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        x = x + self.out(all_heads(q, k, v, self.n_heads))
        h = nn.functional.gelu(self.up(self.norm2(x)))
        return x + self.down(h)
        ### END SOLUTION
        ### WHY: `nn.LayerNorm` is your `layer_norm` with its gain and its shift as weights.
        ### WHY: `x = x + …` makes a new tensor each time, so nothing is written into the caller's tokens.


# %% gated
class SwiGLU(nn.Module):
    """Be no larger than a plain FFN of width d_ff with biases."""

    def __init__(self, d_model, d_ff):
        ### BEGIN SOLUTION: self.gate, self.up, self.down = TODO, TODO, TODO
        super().__init__()
        hidden = (2 * d_model * d_ff + d_ff + d_model) // (3 * d_model)
        self.gate = nn.Linear(d_model, hidden, bias=False)
        self.up = nn.Linear(d_model, hidden, bias=False)
        self.down = nn.Linear(hidden, d_model, bias=False)
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION: return TODO
        return self.down(nn.functional.silu(self.gate(x)) * self.up(x))
        ### END SOLUTION
        ### WHY: The plain FFN's biases pay for a few more hidden units: 44 in place of 42 at d_model 16 and d_ff 64.

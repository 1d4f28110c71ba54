"""What the feed-forward networks cost over their bare matrix products (the limit), and beside torch's own layer."""

import numpy as np
import pytest

from course_lib.model.ffn import PositionWiseFeedForward, SwiGLUFeedForward
from course_lib.model.one_thread import nn, torch
from tests.benchmarks.timing import Table, least, report

GOAL = 1.05  # over torch's own layer, and from d_model = 512 and 512 tokens on over the bare products
SIZES = ((64, 256), (512, 2048), (768, 3072))
TOKENS = (20, 128, 512, 1024, 4096)


def repeated(function, tokens, d_model, d_ff):
    """Repeat small work until there is enough of it for the clock."""
    times = max(1, 100_000_000 // (tokens * d_model * d_ff))

    def run():
        for _ in range(times):
            function()

    return run


def forward(function, x):
    """Return a call without gradients."""

    def run():
        with torch.no_grad():
            function(x)

    return run


def both_ways(function, x, parameters):
    """Return a call with all gradients."""
    out = torch.randn(len(x), x.shape[1])

    def run():
        torch.autograd.grad(function(x), [x, *parameters], out)

    return run


def bare_products(*weights):
    """Return the two products of a feed-forward network and nothing else."""
    W1, W2 = (weight.detach().T.contiguous().requires_grad_() for weight in weights)
    return (lambda x: (x @ W1) @ W2), [W1, W2]


@pytest.mark.parametrize(("d_model", "d_ff"), SIZES)
def test_ffn(d_model, d_ff):
    table = Table(
        f"FFN ({d_model}, {d_ff}), float32, one thread: ratio to the two bare products; beside it torch's own layer",
        *("torch forward", "torch both", "forward", "forward+backward", "over torch's"),
    )
    ffn = PositionWiseFeedForward(d_model, d_ff, dropout=0.0)
    theirs = nn.TransformerEncoderLayer(d_model, 1, d_ff, dropout=0.0)
    bare, bare_weights = bare_products(ffn.up.weight, ffn.down.weight)
    torchs = [*theirs.linear1.parameters(), *theirs.linear2.parameters()]
    for tokens in TOKENS:
        x = torch.randn(tokens, d_model, requires_grad=True)
        calls = [(bare, bare_weights), (theirs._ff_block, torchs), (ffn, list(ffn.parameters()))]
        once = [repeated(forward(call, x), tokens, d_model, d_ff) for call, _ in calls]
        both = [repeated(both_ways(call, x, weights), tokens, d_model, d_ff) for call, weights in calls]
        limit, torch_forward, ours = least(once, rounds=5, seconds=1.5)
        limit_both, torch_both, ours_both = least(both, rounds=5, seconds=3)
        values = (torch_forward / limit, torch_both / limit_both, ours / limit, ours_both / limit_both)
        large = tokens >= 512 and d_model >= 512  # below that the time goes to what stands between the products
        table.add(f"{tokens} tokens", *values, ours_both / torch_both, goal=(GOAL, GOAL) if large else GOAL)
    report(table)


@pytest.mark.parametrize(("d_model", "d_ff"), ((64, 171), (512, 1365), (768, 2048)))
def test_swiglu(d_model, d_ff):
    table = Table(
        f"SwiGLU ({d_model}, {d_ff}), float32, one thread: ratio to the three bare products (the limit)",
        *("fused gate and up", "two products (ours)", "ours, both ways"),
    )
    ffn = SwiGLUFeedForward(d_model, d_ff)
    gate, up, down = (layer.weight.detach().T.contiguous() for layer in (ffn.gate, ffn.up, ffn.down))
    gate_up = torch.cat([gate, up], dim=1)
    W = [weight.clone().requires_grad_() for weight in (gate, up, down)]

    def limit(x):
        x @ W[0]
        return (x @ W[1]) @ W[2]

    def all_used(x):
        return ((x @ W[0]) + (x @ W[1])) @ W[2]

    def fused(x):
        opened, value = (x @ gate_up).chunk(2, dim=1)
        return (nn.functional.silu(opened) * value) @ down

    for tokens in TOKENS:
        x = torch.randn(tokens, d_model, requires_grad=True)
        calls = [repeated(forward(call, x), tokens, d_model, d_ff) for call in (limit, fused, ffn)]
        bare, one, two = least(calls, rounds=5, seconds=1.5)
        back = [both_ways(all_used, x, W), both_ways(ffn, x, list(ffn.parameters()))]
        bare_back, ours_back = least([repeated(call, tokens, d_model, d_ff) for call in back], rounds=5, seconds=2)
        table.add(f"{tokens} tokens", one / bare, two / bare, ours_back / bare_back)
    report(table)


def test_growth():
    """How the time grows when tokens or width double: 2 is linear in each."""
    table = Table("Growth of the FFN's time, forward, when one size doubles", "tokens × 2", "d_ff × 2", "d_model × 2")

    def call(tokens, d_model, d_ff):
        return forward(PositionWiseFeedForward(d_model, d_ff, dropout=0.0), torch.randn(tokens, d_model))

    for tokens, d_model, d_ff in ((256, 128, 512), (512, 256, 1024)):
        sizes = (
            (tokens, d_model, d_ff),
            (2 * tokens, d_model, d_ff),
            (tokens, d_model, 2 * d_ff),
            (tokens, 2 * d_model, d_ff),
        )
        times = least([call(*size) for size in sizes], rounds=20, seconds=2)
        growth = [time / times[0] for time in times[1:]]
        table.add(f"from {tokens} tokens, ({d_model}, {d_ff})", *growth, goal=(2, 2, 2))
    report(table)

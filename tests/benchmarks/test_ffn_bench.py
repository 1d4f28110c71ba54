"""How much the feed-forward module adds to its two bare matrix products (the limit).

Both sides run in turn, and the least CPU time of each counts: whatever else the machine does can only add to it.
"""

import time

from course_lib._torch import torch
from course_lib.ffn import PositionWiseFeedForward

GOAL = 1.05
SECONDS = 6  # a case
CASES = [
    (d_model, d_ff, tokens)
    for d_model, d_ff in ((64, 256), (512, 2048), (768, 3072))
    for tokens in (20, 128, 512, 1024, 4096)
]


def least_times(functions, seconds):
    """Run the functions in turn for about this long (at least 5 rounds) and return the least CPU time of each."""
    best = [float("inf")] * len(functions)
    rounds, end = 0, time.perf_counter() + seconds
    while rounds < 5 or time.perf_counter() < end:
        for i, function in enumerate(functions):
            start = time.process_time()
            function()
            best[i] = min(best[i], time.process_time() - start)
        rounds += 1
    return best


def ratios(d_model, d_ff, tokens):
    """Return the module's time over that of the bare products: forward, and forward with backward."""
    ffn = PositionWiseFeedForward(d_model, d_ff, dropout=0.0)
    W1, W2 = (layer.weight.detach().T.contiguous().requires_grad_() for layer in (ffn.up, ffn.down))
    x = torch.randn(tokens, d_model, requires_grad=True)
    y_grad = torch.randn(tokens, d_model)
    repeats = max(1, 200_000_000 // (tokens * d_model * d_ff))  # enough work for the clock

    def bare(x):
        return (x @ W1) @ W2

    def forward(function):
        with torch.no_grad():
            for _ in range(repeats):
                function(x)

    def both_ways(function, parameters):
        for _ in range(repeats):
            torch.autograd.grad(function(x), [x, *parameters], y_grad)

    limit, module = least_times([lambda: forward(bare), lambda: forward(ffn)], SECONDS / 3)
    limit_both, module_both = least_times(
        [lambda: both_ways(bare, [W1, W2]), lambda: both_ways(ffn, list(ffn.parameters()))], SECONDS * 2 / 3
    )
    return module / limit, module_both / limit_both


def test_ffn_over_its_two_bare_products():
    """Print the table; the goal holds from 512 tokens on (below that the cost of calling torch dominates)."""
    print()
    print(f"FFN / two bare matrix products, float32, one thread, least CPU time; goal ≤ {GOAL} from 512 tokens")
    print("d_model   d_ff  tokens  forward  forward+backward")
    for d_model, d_ff, tokens in CASES:
        forward, both_ways = ratios(d_model, d_ff, tokens)
        missed = tokens >= 512 and max(forward, both_ways) > GOAL
        remark = "  over the goal" if missed else ""
        print(f"{d_model:7} {d_ff:6} {tokens:7} {forward:8.3f} {both_ways:17.3f}{remark}")

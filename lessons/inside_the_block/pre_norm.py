"""Exercise: write a block that normalises before each of its sub-layers."""

from lessons.inside_the_block.shared import AXES, block_of, blocks, pre_norm
from lessons.inside_the_block.tracing import run_of
from whywrong.task import Exercise, Mistake, Returns

_READS = {"attention": "norm1(x)", "ffn": "the stream after attention, normalised by norm2"}
_MISTAKES = (
    Mistake(
        "post-norm",
        block_of("h = norm1(x + attention(x))", "norm2(h + ffn(h))"),
        "This is post-norm, the order of 2017: it normalises after adding. Pre-norm is asked.",
    ),
    Mistake(
        "parallel",
        block_of("x + attention(norm1(x)) + ffn(norm2(x))"),
        "Attention and FFN both read x, side by side. (Some models do that.) Here the FFN reads what attention left behind.",
    ),
    Mistake(
        "halved",
        block_of("h = (x + attention(norm1(x))) / 2", "(h + ffn(norm2(h))) / 2"),
        "Each half takes the mean of the stream and its sub-layer: the sub-layer is added to the stream, which stays as it is.",
    ),
    Mistake(
        "no-attention-residual",
        block_of("h = attention(norm1(x))", "h + ffn(norm2(h))"),
        "The residual around attention is missing: the tokens themselves are gone after the first step.",
    ),
    Mistake(
        "no-ffn-residual",
        block_of("h = x + attention(norm1(x))", "ffn(norm2(h))"),
        "The residual around the FFN is missing: only what the FFN writes comes out.",
    ),
    Mistake(
        "no-residuals",
        block_of("ffn(norm2(attention(norm1(x))))"),
        "Both residuals are missing: each sub-layer replaces the tokens, where it should add to them.",
    ),
    Mistake(
        "second-residual-x",
        block_of("h = x + attention(norm1(x))", "x + ffn(norm2(h))"),
        "The second residual adds the block's input again; what attention wrote is lost from the stream.",
    ),
    Mistake(
        "norm1-twice",
        block_of("h = x + attention(norm1(x))", "h + ffn(norm1(h))"),
        "norm1 stands before the FFN too: each sub-layer has a norm of its own.",
    ),
    Mistake(
        "norm2-twice",
        block_of("h = x + attention(norm2(x))", "h + ffn(norm2(h))"),
        "norm2 stands before attention too: each sub-layer has a norm of its own.",
    ),
    Mistake(
        "norms-swapped",
        block_of("h = x + attention(norm2(x))", "h + ffn(norm1(h))"),
        "The two norms have changed places.",
    ),
    Mistake(
        "no-norm2",
        block_of("h = x + attention(norm1(x))", "h + ffn(h)"),
        "The FFN reads the stream as it is: its norm is missing.",
    ),
    Mistake(
        "no-norm1",
        block_of("h = x + attention(x)", "h + ffn(norm2(h))"),
        "Attention reads the stream as it is: its norm is missing.",
    ),
    Mistake(
        "no-norms",
        block_of("h = x + attention(x)", "h + ffn(h)"),
        "Both norms are missing; the two residuals are right.",
    ),
    Mistake(
        "residual-normalised",
        block_of("n = norm1(x)", "h = n + attention(n)", "m = norm2(h)", "m + ffn(m)"),
        "The residual carries the normalised tokens: only the sub-layer reads them, and the stream stays as it is.",
    ),
    Mistake(
        "first-residual-normalised",
        block_of("n = norm1(x)", "h = n + attention(n)", "h + ffn(norm2(h))"),
        "The first residual carries norm1(x): the norm belongs inside the branch, and the stream skips it.",
    ),
    Mistake(
        "second-residual-normalised",
        block_of("h = x + attention(norm1(x))", "m = norm2(h)", "m + ffn(m)"),
        "The second residual carries the normalised tokens: the norm belongs inside the branch, and the stream skips it.",
    ),
    Mistake(
        "norm-after-sub-layer",
        block_of("h = x + norm1(attention(x))", "h + norm2(ffn(h))"),
        "The norms stand after the sub-layers, inside the branch; in pre-norm they stand before them.",
    ),
    Mistake(
        "final-norm",
        block_of("h = x + attention(norm1(x))", "norm2(h + ffn(norm2(h)))"),
        "There is one norm too many at the end: the block returns the plain stream.",
    ),
    Mistake(
        "ffn-first",
        block_of("h = x + ffn(norm2(x))", "h + attention(norm1(h))"),
        "The FFN comes before attention: first gather, then compute.",
    ),
    Mistake(
        "no-ffn",
        block_of("x + attention(norm1(x))"),
        "The second half is missing: the block ends before its FFN.",
    ),
    Mistake(
        "no-attention",
        block_of("x + ffn(norm2(x))"),
        "The first half is missing: the tokens never look at each other.",
    ),
    Mistake(
        "attention-twice",
        block_of("h = x + attention(norm1(x))", "h + attention(norm2(h))"),
        "Attention is called in both halves: where is the FFN?",
    ),
    Mistake(
        "subtracted",
        block_of("h = x - attention(norm1(x))", "h - ffn(norm2(h))"),
        "The sub-layers are subtracted from the stream; they are added to it.",
    ),
    Mistake(
        "x-twice",
        block_of("h = x + attention(norm1(x))", "x + h + ffn(norm2(h))"),
        "The block's input is counted twice: after the first half it is already in the stream.",
    ),
    Mistake(
        "unchanged",
        block_of("x + 0"),
        "The tokens come out as they went in.",
    ),
)

EXERCISE = Exercise(
    id="inside_the_block.pre_norm",
    kind="function",
    cases=blocks,
    oracle=pre_norm,
    returns=(Returns("the result", AXES),),
    run=run_of(pre_norm, _READS, _MISTAKES),
    mistakes=_MISTAKES,
    hints=(
        "Two halves of the same form: a sub-layer reads a normalised copy of the stream, and its output is added to the stream.",
        "Every array here has the shape of x, (..., seq_len, d_model); nothing is transposed or reshaped.",
        "The first line is a = x + attention(norm1(x)); the second half has the same form.",
    ),
    right="Read a normalised copy, add to the plain stream, twice: that is the block of GPT-2 and of most models since.",
)

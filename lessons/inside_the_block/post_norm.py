"""Exercise: write a block that normalises after each of its sub-layers."""

from lessons.inside_the_block.shared import AXES, block_of, blocks, post_norm
from lessons.inside_the_block.tracing import run_of
from whywrong.task import Exercise, Mistake, Returns

_READS = {"attention": "x itself", "ffn": "what the first half has left, normalised by norm1"}
_MISTAKES = (
    Mistake(
        "pre-norm",
        block_of("h = x + attention(norm1(x))", "h + ffn(norm2(h))"),
        "This is pre-norm, which normalises before each sub-layer. Post-norm is asked.",
    ),
    Mistake(
        "norm-before-adding",
        block_of("h = x + norm1(attention(x))", "h + norm2(ffn(h))"),
        "You normalise the sub-layer's output and then add it; post-norm adds first and normalises the sum.",
    ),
    Mistake(
        "no-attention-residual",
        block_of("h = norm1(attention(x))", "norm2(h + ffn(h))"),
        "The residual around attention is missing, so the tokens themselves are lost after the first step.",
    ),
    Mistake(
        "no-ffn-residual",
        block_of("h = norm1(x + attention(x))", "norm2(ffn(h))"),
        "The residual around the FFN is missing: only what the FFN writes is normalised at the end.",
    ),
    Mistake(
        "no-residuals",
        block_of("norm2(ffn(norm1(attention(x))))"),
        "Both residuals are missing: each sub-layer replaces the tokens instead of adding to them.",
    ),
    Mistake(
        "no-norm1",
        block_of("h = x + attention(x)", "norm2(h + ffn(h))"),
        "The norm after attention is missing.",
    ),
    Mistake(
        "no-norm2",
        block_of("h = norm1(x + attention(x))", "h + ffn(h)"),
        "The norm at the end of the block is missing.",
    ),
    Mistake(
        "no-norms",
        block_of("h = x + attention(x)", "h + ffn(h)"),
        "Both norms are missing; the two residuals are right.",
    ),
    Mistake(
        "norm1-twice",
        block_of("h = norm1(x + attention(x))", "norm1(h + ffn(h))"),
        "norm1 is used at the end as well, but each half has its own norm.",
    ),
    Mistake(
        "norm2-twice",
        block_of("h = norm2(x + attention(x))", "norm2(h + ffn(h))"),
        "norm2 is used after attention as well, but each half has its own norm.",
    ),
    Mistake(
        "norms-swapped",
        block_of("h = norm2(x + attention(x))", "norm1(h + ffn(h))"),
        "The two norms are swapped: norm1 belongs to attention, norm2 to the FFN.",
    ),
    Mistake(
        "second-residual-x",
        block_of("h = norm1(x + attention(x))", "norm2(x + ffn(h))"),
        "The second residual adds the block's input; it should add what the first half has left.",
    ),
    Mistake(
        "parallel",
        block_of("norm2(x + attention(x) + ffn(x))"),
        "Attention and FFN both read x, side by side; the FFN should read what the first half has left.",
    ),
    Mistake(
        "unnormalised-residual",
        block_of("h = x + attention(x)", "norm2(h + ffn(norm1(h)))"),
        "Your norm after attention feeds only the FFN. In post-norm it stands on the stream, so the residual passes through it too.",
    ),
    Mistake(
        "both",
        block_of("h = norm1(x + attention(norm1(x)))", "norm2(h + ffn(norm2(h)))"),
        "You normalise before and after each sub-layer; post-norm has only the norm after.",
    ),
    Mistake(
        "ffn-first",
        block_of("h = norm2(x + ffn(x))", "norm1(h + attention(h))"),
        "Your FFN comes before attention, so it cannot use what attention gathers in this block.",
    ),
    Mistake(
        "no-ffn",
        block_of("norm1(x + attention(x))"),
        "The second half is missing: the block ends before its FFN.",
    ),
    Mistake(
        "no-attention",
        block_of("norm2(x + ffn(x))"),
        "The first half is missing: the tokens never look at each other.",
    ),
    Mistake(
        "attention-twice",
        block_of("h = norm1(x + attention(x))", "norm2(h + attention(h))"),
        "Attention is called in both halves, and the FFN in neither.",
    ),
    Mistake(
        "subtracted",
        block_of("h = norm1(x - attention(x))", "norm2(h - ffn(h))"),
        "You subtract the sub-layers' outputs from the stream; add them.",
    ),
    Mistake(
        "ffn-reads-x",
        block_of("h = norm1(x + attention(x))", "norm2(h + ffn(x))"),
        "The residual is right, but the FFN reads the block's input, to which attention has added nothing yet.",
    ),
)

EXERCISE = Exercise(
    id="inside_the_block.post_norm",
    kind="function",
    cases=blocks,
    oracle=post_norm,
    returns=(Returns("the result", AXES),),
    run=run_of(post_norm, _READS, _MISTAKES),
    mistakes=_MISTAKES,
    hints=(
        "Two halves of the same form: a sub-layer reads the stream, its output is added, and the sum is normalised.",
        "Every array here has the shape of x, (..., seq_len, d_model); nothing is transposed or reshaped.",
        "The first line is a = norm1(x + attention(x)); the second half has the same form.",
    ),
    right="Add, then normalise, twice: that is the block of 2017.",
)

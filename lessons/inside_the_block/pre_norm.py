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
        "Attention and FFN both read x, side by side, as in some models. Here the FFN should read the stream after attention.",
    ),
    Mistake(
        "halved",
        block_of("h = (x + attention(norm1(x))) / 2", "(h + ffn(norm2(h))) / 2"),
        "Each half averages the stream and the sub-layer's output; add the output, and leave the stream at its full size.",
    ),
    Mistake(
        "no-attention-residual",
        block_of("h = attention(norm1(x))", "h + ffn(norm2(h))"),
        "The residual around attention is missing, so the tokens themselves are lost after the first step.",
    ),
    Mistake(
        "no-ffn-residual",
        block_of("h = x + attention(norm1(x))", "ffn(norm2(h))"),
        "The residual around the FFN is missing: only what the FFN writes comes out.",
    ),
    Mistake(
        "no-residuals",
        block_of("ffn(norm2(attention(norm1(x))))"),
        "Both residuals are missing: each sub-layer replaces the tokens instead of adding to them.",
    ),
    Mistake(
        "second-residual-x",
        block_of("h = x + attention(norm1(x))", "x + ffn(norm2(h))"),
        "The second residual adds the block's input again; what attention wrote is lost from the stream.",
    ),
    Mistake(
        "norm1-twice",
        block_of("h = x + attention(norm1(x))", "h + ffn(norm1(h))"),
        "norm1 is used before the FFN as well, but each sub-layer has its own norm.",
    ),
    Mistake(
        "norm2-twice",
        block_of("h = x + attention(norm2(x))", "h + ffn(norm2(h))"),
        "norm2 is used before attention as well, but each sub-layer has its own norm.",
    ),
    Mistake(
        "norms-swapped",
        block_of("h = x + attention(norm2(x))", "h + ffn(norm1(h))"),
        "The two norms are swapped: norm1 belongs to attention, norm2 to the FFN.",
    ),
    Mistake(
        "no-norm2",
        block_of("h = x + attention(norm1(x))", "h + ffn(h)"),
        "The norm before the FFN is missing, so the FFN reads the stream as it is.",
    ),
    Mistake(
        "no-norm1",
        block_of("h = x + attention(x)", "h + ffn(norm2(h))"),
        "The norm before attention is missing, so attention reads the stream as it is.",
    ),
    Mistake(
        "no-norms",
        block_of("h = x + attention(x)", "h + ffn(h)"),
        "Both norms are missing; the two residuals are right.",
    ),
    Mistake(
        "residual-normalised",
        block_of("n = norm1(x)", "h = n + attention(n)", "m = norm2(h)", "m + ffn(m)"),
        "Your residuals carry normalised tokens. Only the sub-layers should read those; the stream itself is not normalised.",
    ),
    Mistake(
        "first-residual-normalised",
        block_of("n = norm1(x)", "h = n + attention(n)", "h + ffn(norm2(h))"),
        "The first residual carries norm1(x). The norm belongs inside the branch, and the stream goes around it.",
    ),
    Mistake(
        "second-residual-normalised",
        block_of("h = x + attention(norm1(x))", "m = norm2(h)", "m + ffn(m)"),
        "The second residual carries normalised tokens. The norm belongs inside the branch, and the stream goes around it.",
    ),
    Mistake(
        "norm-after-sub-layer",
        block_of("h = x + norm1(attention(x))", "h + norm2(ffn(h))"),
        "The norms stand after the sub-layers, inside the branch; in pre-norm they stand before them.",
    ),
    Mistake(
        "final-norm",
        block_of("h = x + attention(norm1(x))", "norm2(h + ffn(norm2(h)))"),
        "There is one norm too many at the end: a pre-norm block returns the stream without normalising it.",
    ),
    Mistake(
        "ffn-first",
        block_of("h = x + ffn(norm2(x))", "h + attention(norm1(h))"),
        "Your FFN comes before attention, so it cannot use what attention gathers in this block.",
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
        "Attention is called in both halves, and the FFN in neither.",
    ),
    Mistake(
        "subtracted",
        block_of("h = x - attention(norm1(x))", "h - ffn(norm2(h))"),
        "You subtract the sub-layers' outputs from the stream; add them.",
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

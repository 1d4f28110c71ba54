"""Exercise: repair three blocks of which one line each is wrong."""

from course_lib.content import Exercise, Mistake, Returns
from course_lib.lessons.inside_the_block.shared import AXES, block_of, blocks, post_norm, pre_norm

_A = ("a = x + attention(norm1(x))", "a = a + ffn(norm2(a))")
_B = ("b = x.copy()", "for _ in range(2):", "    b += attention(norm1(b))", "    b += ffn(norm2(b))")
_C = ("c = norm1(x + attention(x))", "c = norm2(c + ffn(c))")
_A_BROKEN = ("a = norm1(x) + attention(norm1(x))", _A[1])
_C_BROKEN = (_C[0], "c = norm2(x + ffn(c))")


def _repaired(a=_A, b=_B, c=_C):
    """Make an answer in which some of the three blocks are other lines than the right ones."""
    return block_of(*a, *b, *c, "a, b, c")


def _all_three(x, *parts):
    """Return what the blocks A, B and C come to: pre-norm, pre-norm twice, and post-norm."""
    once = pre_norm(x, *parts)
    return once, pre_norm(once, *parts), post_norm(x, *parts)


EXERCISE = Exercise(
    id="inside_the_block.repair",
    kind="function",
    cases=blocks,
    oracle=_all_three,
    returns=(Returns("a", AXES), Returns("b", AXES), Returns("c", AXES)),
    mistakes=(
        Mistake(
            "a-and-c-broken",
            _repaired(a=_A_BROKEN, c=_C_BROKEN),
            "B is repaired; A and C still run the broken lines.",
        ),
        Mistake(
            "a-broken",
            _repaired(a=_A_BROKEN),
            "B and C are right. In A the norm stands on the stream, so the residual loses the size of the tokens.",
        ),
        Mistake(
            "c-broken",
            _repaired(c=_C_BROKEN),
            "A and B are right. In C the second residual still goes around attention.",
        ),
        Mistake(
            "a-without-norm",
            _repaired(a=("a = x + attention(x)", _A[1])),
            "B and C are right. In A the norm is gone altogether: attention still has to read normalised tokens.",
        ),
        Mistake(
            "a-without-residual",
            _repaired(a=("a = attention(norm1(x))", _A[1])),
            "B and C are right. In A the first residual is gone.",
        ),
        Mistake(
            "a-post-norm",
            _repaired(a=("a = norm1(x + attention(x))", _A[1])),
            "B and C are right. A became half a post-norm block: its norm belongs before attention.",
        ),
        Mistake(
            "a-norm-after",
            _repaired(a=("a = x + norm1(attention(x))", _A[1])),
            "B and C are right. In A the norm stands after attention; in pre-norm it stands before.",
        ),
        Mistake(
            "b-from-zero",
            _repaired(b=("b = np.zeros_like(x)", *_B[1:])),
            "A and C are right. B leaves x alone now, but it no longer starts from its values.",
        ),
        Mistake(
            "b-normalised",
            _repaired(b=("b = norm1(x)", *_B[1:])),
            "A and C are right. B leaves x alone now, but it starts from normalised tokens.",
        ),
        Mistake(
            "b-doubled",
            _repaired(b=("b = x + x", *_B[1:])),
            "A and C are right. B leaves x alone now, but it starts from twice its values.",
        ),
        Mistake(
            "c-without-residual",
            _repaired(c=(_C[0], "c = norm2(ffn(c))")),
            "A and B are right. In C the second residual is gone; it should start from what the first half has left.",
        ),
        Mistake(
            "c-without-norm",
            _repaired(c=(_C[0], "c = c + ffn(c)")),
            "A and B are right. In C the residual is repaired, but the norm at the end got lost.",
        ),
        Mistake(
            "c-pre-norm",
            _repaired(c=(_C[0], "c = c + ffn(norm2(c))")),
            "A and B are right. The second half of C became pre-norm; C is a post-norm block.",
        ),
        Mistake(
            "c-wrong-norm",
            _repaired(c=(_C[0], "c = norm1(c + ffn(c))")),
            "A and B are right. The second half of C uses the norm of the first half.",
        ),
        Mistake(
            "c-reads-x",
            _repaired(c=(_C[0], "c = norm2(c + ffn(x))")),
            "A and B are right. In C the residual is repaired, but now the FFN reads the block's input.",
        ),
        Mistake(
            "c-adds-x",
            _repaired(c=(_C[0], "c = norm2(x + c + ffn(c))")),
            "A and B are right. In C the block's input is added once more; it is already part of c.",
        ),
    ),
    hints=(
        "Each symptom points to one line. Ask of every line: what is on the stream, what does the sub-layer read, whose array is it?",
        "All shapes are right already, (..., seq_len, d_model) everywhere; the faults are in what is added to what.",
        "Start with B: in NumPy b = x gives the same array a second name, and b += … writes into it.",
    ),
    right="A residual that carries the plain stream, a block that leaves its input alone, and a second residual from the right place.",
)

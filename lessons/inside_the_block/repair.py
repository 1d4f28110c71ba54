"""Exercise: repair three blocks, each of which has one wrong line."""

import numpy as np

from lessons.inside_the_block.shared import AXES, block_of, blocks, post_norm, pre_norm
from lessons.inside_the_block.tracing import half_faults
from whywrong.task import Case, Exercise, Fault, HalfRight, Key, Mistake, Returns

_A = ("a = x + attention(norm1(x))", "a = a + ffn(norm2(a))")
_B = ("b = x.copy()", "for _ in range(2):", "    b += attention(norm1(b))", "    b += ffn(norm2(b))")
_C = ("c = norm1(x + attention(x))", "c = norm2(c + ffn(c))")
_A_BROKEN = ("a = norm1(x) + attention(norm1(x))", _A[1])
_C_BROKEN = (_C[0], "c = norm2(x + ffn(c))")


def _repaired(a=_A, b=_B, c=_C):
    """Make an answer in which some of the three blocks have wrong lines."""
    return block_of(*a, *b, *c, "a, b, c")


def _all_three(x, *parts):
    """Return what blocks A, B and C should return: pre-norm, pre-norm twice, and post-norm."""
    once = pre_norm(x, *parts)
    return once, pre_norm(once, *parts), post_norm(x, *parts)


def _run(answer, case: Case):
    """Call the answer; if x has changed, say whether B is x itself or a view of it."""
    x = case.args[0]
    before = x.copy()
    found = answer(*case.args)
    b = found[1] if isinstance(found, (tuple, list)) and len(found) == 3 else None
    if isinstance(b, np.ndarray) and np.shares_memory(b, x) and not np.array_equal(x, before):
        if b is x:
            says = "here b is x itself under a second name"
        else:
            says = "here b is a new array that shows the same numbers, as x[:] and x.view() do"
        raise Fault(
            Key.MUTATES,
            f"B changed your function's argument number 1, x: {says}, so `b += …` changes x too. x.copy() makes an "
            "independent array.",
        )
    faults = _faults(found, before, case.args[1:])
    if faults:
        raise Fault(Key.VALUE, " ".join(faults))
    return found


def _same(one, other):
    return isinstance(one, np.ndarray) and one.shape == other.shape and bool(np.allclose(one, other, 1e-6, 1e-6))


def _each_same(one, others):
    """Return for each array along the first axis of the others whether it is this one."""
    return np.isclose(one, others, 1e-6, 1e-6).reshape(len(others), -1).all(axis=1)


def _all_same(found, others):
    return all(_same(one, other) for one, other in zip(found, others, strict=True))


def _faults(found, x, parts):
    """Say what the repaired line of each wrong block does; return nothing if unknown or if a named mistake fits."""
    attention, ffn, norm1, norm2 = parts
    wanted = _all_three(x, *parts)
    if not isinstance(found, (tuple, list)) or len(found) != 3 or not all(map(_form, found, wanted)):
        return []
    wrong = [name for name, got, right in zip("ABC", found, wanted, strict=True) if not _same(got, right)]
    says = []
    if not wrong or any(_all_same(found, mistake.answer(x, *parts)) for mistake in _MISTAKES):
        return []
    if "A" in wrong:
        told = half_faults(lambda a: _each_same(found[0], a + ffn(norm2(a))), x, x, attention, norm1, norm2, True)
        says.append(told and f"In A: {told}")
    if "B" in wrong:
        says.append(_start_of_b(found[1], x, parts))
    if "C" in wrong:
        middle = norm1(x + attention(x))
        told = half_faults(lambda c: _each_same(found[2], c), x, middle, ffn, norm2, norm1, False, x + attention(x))
        says.append(told and f"In C, second half: {told}")
    if not any(says):
        return []
    says = [told or f"{name} is not right yet." for name, told in zip(wrong, says, strict=True)]
    right = [name for name in "ABC" if name not in wrong]
    verb = "is" if len(right) == 1 else "are"
    return [f"{' and '.join(right)} {verb} right.", *says] if right else says


def _form(got, right):
    return isinstance(got, np.ndarray) and got.shape == right.shape and got.dtype == right.dtype


def _start_of_b(b, x, parts):
    """Say what B starts from."""
    attention, _, norm1, norm2 = parts
    starts = {
        "zeros": 0 * x,
        "ones": 0 * x + 1,
        "norm1(x)": norm1(x),
        "norm2(x)": norm2(x),
        "twice x": 2 * x,
        "−x": -x,
        "attention(x)": attention(x),
        "attention(norm1(x))": attention(norm1(x)),
        "x + attention(norm1(x)), which is a step of the loop": x + attention(norm1(x)),
        "the result of one block already": pre_norm(x, *parts),
    }
    for name, start in starts.items():
        if _same(b, pre_norm(pre_norm(start, *parts), *parts)):
            return f"B starts from {name}; it should start from the values of x, in an array of its own."
    once = _same(b, pre_norm(x, *parts))
    return "In B the block is applied once, not twice." if once else "B does not start from the values of x."


_MISTAKES = (
    Mistake(
        "a-and-c-broken",
        _repaired(a=_A_BROKEN, c=_C_BROKEN),
        "B is repaired. A and C still contain their wrong lines.",
    ),
    HalfRight(
        "a-broken",
        _repaired(a=_A_BROKEN),
        "B and C are right. In A the residual carries norm1(x), so the tokens lose their size; it should carry x.",
    ),
    HalfRight(
        "c-broken",
        _repaired(c=_C_BROKEN),
        "A and B are right. In C the second residual still starts from x, and so leaves out what attention added.",
    ),
    HalfRight(
        "a-without-norm",
        _repaired(a=("a = x + attention(x)", _A[1])),
        "B and C are right. In A the norm is gone altogether, but attention should read normalised tokens.",
    ),
    HalfRight(
        "a-without-residual",
        _repaired(a=("a = attention(norm1(x))", _A[1])),
        "B and C are right. In A the first residual is gone.",
    ),
    HalfRight(
        "a-post-norm",
        _repaired(a=("a = norm1(x + attention(x))", _A[1])),
        "B and C are right. The first half of A became post-norm; its norm belongs before attention.",
    ),
    HalfRight(
        "a-norm-after",
        _repaired(a=("a = x + norm1(attention(x))", _A[1])),
        "B and C are right. In A the norm stands after attention; in pre-norm it stands before.",
    ),
    HalfRight(
        "b-from-zero",
        _repaired(b=("b = np.zeros_like(x)", *_B[1:])),
        "A and C are right. B leaves x alone now, but it no longer starts from its values.",
    ),
    HalfRight(
        "b-normalised",
        _repaired(b=("b = norm1(x)", *_B[1:])),
        "A and C are right. B leaves x alone now, but it starts from normalised tokens.",
    ),
    HalfRight(
        "b-doubled",
        _repaired(b=("b = x + x", *_B[1:])),
        "A and C are right. B leaves x alone now, but it starts from twice its values.",
    ),
    HalfRight(
        "c-without-residual",
        _repaired(c=(_C[0], "c = norm2(ffn(c))")),
        "A and B are right. In C the second residual is gone; it should start from what the first half has left.",
    ),
    HalfRight(
        "c-without-norm",
        _repaired(c=(_C[0], "c = c + ffn(c)")),
        "A and B are right. In C the residual is repaired, but the norm at the end is missing.",
    ),
    HalfRight(
        "c-pre-norm",
        _repaired(c=(_C[0], "c = c + ffn(norm2(c))")),
        "A and B are right. The second half of C became pre-norm; C is a post-norm block.",
    ),
    HalfRight(
        "c-wrong-norm",
        _repaired(c=(_C[0], "c = norm1(c + ffn(c))")),
        "A and B are right. The second half of C uses norm1; its own norm is norm2.",
    ),
    HalfRight(
        "c-reads-x",
        _repaired(c=(_C[0], "c = norm2(c + ffn(x))")),
        "A and B are right. In C the residual is repaired, but now the FFN reads the block's input.",
    ),
    HalfRight(
        "c-adds-x",
        _repaired(c=(_C[0], "c = norm2(x + c + ffn(c))")),
        "A and B are right. In C the block's input is added once more; it is already part of c.",
    ),
)

EXERCISE = Exercise(
    id="inside_the_block.repair",
    kind="function",
    cases=blocks,
    oracle=_all_three,
    returns=(Returns("a", AXES), Returns("b", AXES), Returns("c", AXES)),
    run=_run,
    mistakes=_MISTAKES,
    tries=30,
    hints=(
        "Start with B. In NumPy, b = x makes no new array. It gives the same array a second name, and b += … writes into it.",
        "All shapes are right already, (..., seq_len, d_model) everywhere. In A and C, ask of each line: what is added to what?",
        "For A, take pre-norm's first line from the equation: a = x + …. For C, find the array that holds what the first half has left.",
    ),
    right="A's residual carries the stream as it is, B leaves its input unchanged, and C's second residual starts from what the first half has left.",
)

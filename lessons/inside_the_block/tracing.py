"""Find the step at which an answer goes wrong, from what its sub-layers read and what it returns."""

import itertools

import numpy as np

from whywrong.task import Case, Fault, Key


class Spy:
    """Call a part of the block, and keep what it was given and what it gave."""

    def __init__(self, part):
        self.part, self.calls = part, []

    def __call__(self, x):
        y = self.part(x)
        self.calls.append((np.array(x), y))
        return y


def run_of(right, words: dict[str, str], mistakes) -> object:
    """Return the `run` of an exercise on one block; it explains answers that are not a named mistake.

    Args:
        right: (x, attention, ffn, norm1, norm2) -> the right result.
        words: what each sub-layer must read, for "attention" and "ffn", as the reply puts it.
        mistakes: the named mistakes of the exercise; these are left to it.
    """

    def run(answer, case: Case):
        x, *parts = case.args
        before, spies = x.copy(), [Spy(part) for part in parts]
        got = answer(x, *spies)
        wanted = right(before, *parts)
        if not _comparable(got, wanted) or not np.array_equal(x, before) or _same(got, wanted):
            return got
        if any(_same(got, mistake.answer(before, *parts)) for mistake in mistakes):
            return got
        says = _first_wrong_step(before, spies, right, parts, words, got)
        if says is None:
            return got
        raise Fault(Key.VALUE, says)

    return run


def _comparable(got, wanted):
    alike = isinstance(got, np.ndarray) and got.dtype == wanted.dtype and got.shape == wanted.shape
    return alike and bool(np.isfinite(got).all())


def _same(one, other):
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-6, atol=1e-6))


def _first_wrong_step(x, spies, right, parts, words, got):
    """Describe the first wrong step: what attention reads, what the FFN reads, or what is returned."""
    own = [Spy(part) for part in parts]
    right(x, *own)
    for place, name in ((0, "attention"), (1, "ffn")):
        shown = "FFN" if name == "ffn" else name
        calls = spies[place].calls
        if not calls:
            return f"The {shown} is never called." if name == "ffn" else "Attention is never called."
        if any(read.shape != x.shape for read, _ in calls):  # token by token, or one sequence after the other
            return None
        wanted = own[place].calls[0][0]
        calls.sort(key=lambda call: not _same(call[0], wanted))  # where it is called twice, the right call counts
        if not _same(calls[0][0], wanted):
            known = _name(calls[0][0], x, spies, parts)
            reads = f"reads {known}" if known else "does not read what it should"
            start = "Attention" if name == "attention" else "Attention reads the right tokens, but the FFN"
            return f"{start} {reads}; here it has to read {words[name]}."
    known = _name(got, x, spies, parts, {"a": x + own[0].calls[0][1]})
    told = "Both sub-layers read the right tokens"
    if known is None:
        return f"{told}. The result goes wrong after that: look at what you do with the FFN's output."
    return f"{told}, but the block returns {known}, where a is the stream after attention: look at your last step."


def _name(found, x, spies, parts, others=()):
    """Return the shortest expression in the names of the equation that gives an array, or None."""
    norms = {"norm1": parts[2], "norm2": parts[3]}
    simple = {**dict(others), "x": x}
    for spy, name in zip(spies, ("attention(…)", "ffn(…)"), strict=False):
        if spy.calls:
            simple[name] = spy.calls[0][1]
    once = simple | {f"{norm}({name})": part(value) for norm, part in norms.items() for name, value in simple.items()}
    sums = {f"{a} + {b}": once[a] + once[b] for a, b in itertools.combinations(once, 2)}
    sums |= {f"{a} − {b}": once[a] - once[b] for a, b in itertools.permutations(simple, 2)}
    sums |= {f"{a} * {b}": once[a] * once[b] for a, b in itertools.combinations(simple, 2)}
    twice = {f"{norm}({name})": part(value) for norm, part in norms.items() for name, value in (once | sums).items()}
    for known in (simple, once, sums, twice):
        for name, value in known.items():
            if _same(value, found):
                return name
    longer = {f"{a} + {b}": (sums | twice)[a] + simple[b] for a in sums | twice for b in simple}
    longer |= {f"{norm}({name})": part(value) for norm, part in norms.items() for name, value in longer.items()}
    return next((name for name, value in longer.items() if _same(value, found)), None)


def half_faults(found, x, read, sub_layer, norm, other, first, before=None) -> str | None:
    """Say what is wrong with one half of a block, from the value that it returns.

    Args:
        found: (values) -> for each along the first axis, whether a half that gives it explains the answer.
        x: the block's input; read: the stream that this half starts from.
        sub_layer: of this half; norm: its norm; other: the norm of the other half.
        first: whether norms belong before the sub-layer (pre-norm) or around the sum (post-norm).
        before: what the other half gave before its norm, if it ends with one.
    """
    residuals = {
        "": read,
        "The residual carries normalised tokens.": norm(read),
        "The residual carries tokens that the other half's norm has changed.": other(read),
        "The residual is missing.": 0 * read,
        "The tokens are counted twice.": 2 * read,
        "The tokens are added both as they are and normalised.": read + norm(read),
        "The residual has the wrong sign.": -read,
        "The residual starts from the block's input.": x,
        "The block's input is added once more.": x + read,
    }
    if before is not None:
        residuals["The residual carries the tokens as they were before the first half's norm."] = before
    branches = {}
    for where, tokens in (("", read), (" The sub-layer reads the block's input.", x)):
        plain = "" if not first else "The sub-layer reads tokens that are not normalised."
        normed = "" if first else "The sub-layer reads normalised tokens, and here the norm comes after adding."
        branches[plain + where] = sub_layer(tokens)
        branches[normed + where] = sub_layer(norm(tokens))
        branches["The sub-layer reads tokens that the other half's norm has changed." + where] = sub_layer(
            other(tokens)
        )
        branches["The norm comes after the sub-layer." + where] = norm(sub_layer(tokens))
        branches["There is a norm before the sub-layer and one after it." + where] = norm(sub_layer(norm(tokens)))
    branches["The sub-layer is left out."] = 0 * read
    outers = {
        "" if first else "The norm around the sum is missing.": lambda value: value,
        "A norm stands around the sum; here the stream stays as it is." if first else "": norm,
        "The norm of the other half stands around the sum.": other,
    }
    signs = (("", 1), ("The sub-layer is subtracted, not added.", -1))
    sums = [
        ((residual, branch, sign), kept + factor * added)
        for (residual, kept), (branch, added), (sign, factor) in itertools.product(
            residuals.items(), branches.items(), signs
        )
    ]
    tried = np.stack([value for _, value in sums])
    fits = {outer: found(around(tried)) for outer, around in outers.items()}
    explained = [
        [fault.strip() for fault in (residual, branch, outer, sign) if fault.strip()]
        for place, ((residual, branch, sign), _) in enumerate(sums)
        for outer in outers
        if fits[outer][place]
    ]
    return " ".join(min(filter(None, explained), key=len)) if any(explained) else None

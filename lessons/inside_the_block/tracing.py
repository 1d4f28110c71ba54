"""Say what is wrong with one half of a block, from the value that it returns."""

import itertools

import numpy as np


def half_faults(explains, x, read, sub_layer, norm, other, first, before=None) -> str | None:
    """Say what is wrong with one half of a block, from the value that it returns.

    Args:
        explains: (values) -> for each along the first axis, whether a half that gives it explains the answer.
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
    fits = {outer: explains(around(tried)) for outer, around in outers.items()}
    explained = [
        [fault.strip() for fault in (residual, branch, outer, sign) if fault.strip()]
        for number, ((residual, branch, sign), _) in enumerate(sums)
        for outer in outers
        if fits[outer][number]
    ]
    return " ".join(min(filter(None, explained), key=len)) if any(explained) else None

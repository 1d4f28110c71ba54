"""Replace two linear layers by one, biases included."""

import numpy as np

from whywrong.task import Case, Exercise, Fault, HalfRight, Key, Mistake, Returns


def _layers(rng):
    cases = []
    for d_in, d_hidden, d_out in ((3, 7, 5), (3, 2, 7), (5, 7, 2)):
        args = (
            rng.normal(size=(d_in, d_hidden)),
            rng.normal(size=d_hidden),
            rng.normal(size=(d_hidden, d_out)),
            rng.normal(size=d_out),
        )
        cases.append(Case(args, {"d_in": d_in, "d_hidden": d_hidden, "d_out": d_out}))
    return cases


def _collapsed(W1, b1, W2, b2):
    """Find the affine map from what it does: to zero, and to each unit vector (no matrix product of W1 and W2)."""
    units = np.eye(len(W1))
    both = np.stack([(W2.T * (row @ W1 + b1)).sum(axis=1) + b2 for row in np.vstack([0 * units[:1], units])])
    return both[1:] - both[0], both[0]


# Wrong formulas, recognised where all sizes are equal, so that their shapes fit: for W, then for b.
_WRONG_W = (
    (
        lambda W1, W2: W2 @ W1,
        "W2 @ W1 is the order for column vectors. Here inputs are rows, and x is multiplied by W1 first",
    ),
    (lambda W1, W2: W1 * W2, "`*` multiplies entry by entry; the matrix product is `@`"),
    (lambda W1, W2: W1 + W2, "You added the two matrices, but x passes through one and then through the other"),
    (lambda W1, W2: W1 @ W2 @ W2, "W2 appears twice in your W, but x passes through each matrix once"),
    (lambda W1, W2: W1.T @ W2, "W1 needs no transpose: x is multiplied by W1 as it is"),
    (lambda W1, W2: W1 @ W2.T, "W2 needs no transpose: the output of the first layer is multiplied by W2 as it is"),
    (lambda W1, W2: W2.T @ W1, "W2 needs no transpose, and it comes after W1"),
)
_WRONG_B = (
    (
        lambda W1, b1, W2, b2: b1 + b2,
        "b1 has the hidden width and b2 the output width: before the two are added, b1 must pass through W2",
    ),
    (
        lambda W1, b1, W2, b2: W2 @ b1 + b2,
        "W2 @ b1 is the order for column vectors: as a row, b1 comes before W2",
    ),
    (lambda W1, b1, W2, b2: W2 @ b1, "W2 @ b1 is the order for column vectors: as a row, b1 comes before W2"),
    (lambda W1, b1, W2, b2: W1 @ b1 + b2, "b1 is added after W1, so it must pass through W2 instead"),
    (lambda W1, b1, W2, b2: b1 @ W1 + b2, "b1 is added after W1, so it must pass through W2 instead"),
    (
        lambda W1, b1, W2, b2: b1 @ (W1 @ W2) + b2,
        "b1 comes after W1, so it passes through W2 alone, not through the product of both",
    ),
    (
        lambda W1, b1, W2, b2: (b1 + b2) / 2,
        "The biases have different widths: b1 must pass through W2 before b2 is added",
    ),
    (lambda W1, b1, W2, b2: b1 * b2, "You multiplied the two biases. Instead, b1 passes through W2, and b2 is added"),
    (lambda W1, b1, W2, b2: (b1 + b2) @ W2, "b2 comes after W2, so only b1 must pass through W2"),
    (lambda W1, b1, W2, b2: b1 + b2 @ W2, "b1 must pass through W2, and b2, which comes after it, is added"),
    (
        lambda W1, b1, W2, b2: b2 @ W1 + b1,
        "b1 and b2 are swapped: b1 comes first, so it is the one that passes through W2",
    ),
    (
        lambda W1, b1, W2, b2: W1 @ b2 + b1,
        "b1 and b2 are swapped, and as rows they come before a matrix: b1 comes first, so it passes through W2",
    ),
    (lambda W1, b1, W2, b2: b1 * W2 + b2, "`*` multiplies entry by entry; b1 and W2 need the matrix product, `@`"),
)


def _run_collapse(answer, case):
    """Call the answer; if its shapes do not fit, look for a known wrong formula where all sizes are equal."""
    try:
        result = answer(*case.args)
    except ValueError:
        found = _wrong_form(answer)
        if found is None:
            raise
        raise Fault(Key.SHAPE, f"The shapes in your code do not fit together. {found}.") from None
    if isinstance(result, (tuple, list)) and [np.ndim(part) for part in result] == [1, 2]:
        raise Fault(Key.SHAPE, "The two results are swapped: return the matrix W first, and then the bias b.")
    return result


def _wrong_form(answer):
    rng = np.random.default_rng(0)
    W1, W2, b1, b2 = *rng.normal(size=(2, 4, 4)), *rng.normal(size=(2, 4))
    try:
        W, b = answer(W1.copy(), b1.copy(), W2.copy(), b2.copy())
    except Exception:  # the bug lies elsewhere: the error that was raised says where
        return None
    said = [words for form, words in _WRONG_W if _equals(W, form(W1, W2))]
    if any(_equals(W, W1 @ W2 + bias) for bias in (b1, b1[:, None])):
        said.append(
            "b1 was added to the matrix; it belongs to the bias, where no x multiplies it, and passes through W2"
        )
    said += [words for form, words in _WRONG_B if _equals(b, form(W1, b1, W2, b2))]
    return ". ".join(said) or None


def _equals(value, wanted):
    return np.shape(value) == wanted.shape and np.allclose(value, wanted)


def _relu(x):
    return np.maximum(x, 0)


EXERCISE = Exercise(
    id="linear_limits.collapse",
    kind="function",
    cases=_layers,
    oracle=_collapsed,
    run=_run_collapse,
    returns=(Returns("W", ("d_in", "d_out")), Returns("b", ("d_out",))),
    mistakes=(
        HalfRight(
            "no-b1",
            lambda W1, b1, W2, b2: (W1 @ W2, b2.copy()),
            "W is right, but b1 is missing: it passes through the second layer, too.",
        ),
        Mistake(
            "W-with-bias",
            lambda W1, b1, W2, b2: (W1 @ W2 + b1 @ W2 + b2, b1 @ W2 + b2),
            "Every row of W contains the bias as well: subtract what comes out for an x of zeros.",
        ),
        HalfRight(
            "no-b2", lambda W1, b1, W2, b2: (W1 @ W2, b1 @ W2), "W is right, but b2 is missing from the combined bias."
        ),
        HalfRight(
            "no-biases",
            lambda W1, b1, W2, b2: (W1 @ W2, 0 * b2),
            "W is right, but both biases are missing: what comes out when x is all zeros?",
        ),
        Mistake(
            "minus-b2", lambda W1, b1, W2, b2: (W1 @ W2, b1 @ W2 - b2), "Look at the sign of b2 in the combined bias."
        ),
        Mistake(
            "b1-summed",
            lambda W1, b1, W2, b2: (W1 @ W2, b1.sum() + b2),
            "b1 has to pass through W2, but its sum no longer says which hidden value each entry belongs to.",
        ),
        Mistake(
            "relu-inside",
            lambda W1, b1, W2, b2: (W1 @ W2, _relu(b1) @ W2 + b2),
            "There is a ReLU on b1, but these two layers have none: that is the point of the exercise.",
        ),
        HalfRight(
            "product-twice",
            lambda W1, b1, W2, b2: (2 * W1 @ W2, b1 @ W2 + b2),
            "b is right, but the product of the matrices is counted twice in W.",
        ),
        HalfRight(
            "relu-on-W",
            lambda W1, b1, W2, b2: (_relu(W1 @ W2), b1 @ W2 + b2),
            "b is right, but the negative entries of W are gone: a product of matrices may be negative.",
        ),
        Mistake(
            "relu-on-W2",
            lambda W1, b1, W2, b2: (W1 @ _relu(W2), b1 @ _relu(W2) + b2),
            "The negative entries of W2 were set to 0; use W2 as it is.",
        ),
        HalfRight(
            "relu-on-b",
            lambda W1, b1, W2, b2: (W1 @ W2, _relu(b1 @ W2 + b2)),
            "W is right, but the negative entries of the combined bias were set to 0.",
        ),
        Mistake(
            "bias-average",
            lambda W1, b1, W2, b2: (W1 @ W2, (b1 @ W2 + b2) / 2),
            "The two parts of the bias have to be added; you took their average.",
        ),
        Mistake(
            "scaled",
            lambda W1, b1, W2, b2: (W1 @ W2 / len(b1), b1 @ W2 / len(b1) + b2),
            "You divided by the hidden width: a matrix product is a sum, not a mean.",
        ),
        HalfRight("minus-W", lambda W1, b1, W2, b2: (-W1 @ W2, b1 @ W2 + b2), "b is right, but W has the wrong sign."),
        HalfRight(
            "minus-b1",
            lambda W1, b1, W2, b2: (W1 @ W2, b2 - b1 @ W2),
            "W is right, but b1's part of the bias has the wrong sign.",
        ),
        Mistake(
            "b2-in-W",
            lambda W1, b1, W2, b2: (W1 @ W2 + b2, b1 @ W2),
            "b2 was added to every row of W. It belongs to the bias, where no x multiplies it.",
        ),
        HalfRight(
            "b1-twice",
            lambda W1, b1, W2, b2: (W1 @ W2, 2 * b1 @ W2 + b2),
            "W is right, but b1 is counted twice in the bias.",
        ),
        HalfRight(
            "plus-one",
            lambda W1, b1, W2, b2: (W1 @ W2, (b1 + 1) @ W2 + b2),
            "W is right, but 1 was added to b1 before it passed through W2.",
        ),
        Mistake(
            "b1-diagonal",
            lambda W1, b1, W2, b2: (W1 @ W2, b1.sum() * W2.sum(axis=0) + b2),
            "Every entry of b1 has its own row of W2, but you multiplied the sum of b1 by the sum of the rows.",
        ),
        Mistake(
            "bias-swapped",
            lambda W1, b1, W2, b2: ((W1 + b1) @ W2, b1 @ W2 + b2),
            "b1 was added to the rows of W1 as well. It should be added once, after the product with W1.",
        ),
        HalfRight(
            "b1-alone",
            lambda W1, b1, W2, b2: (W1 @ W2, b1 @ W2 * b2),
            "W is right, but you multiplied the two parts of the bias; the second layer adds b2.",
        ),
        HalfRight(
            "b2-average",
            lambda W1, b1, W2, b2: (W1 @ W2, b1 @ W2 + b2.mean()),
            "W is right, but the entries of b2 were averaged: each output has its own.",
        ),
        HalfRight(
            "b2-mean",
            lambda W1, b1, W2, b2: (W1 @ W2, b1 @ W2 + b2.sum()),
            "W is right, but the entries of b2 were added up: each output has its own.",
        ),
        HalfRight(
            "product-summed",
            lambda W1, b1, W2, b2: (W1 @ W2, (b1 @ W2).sum() + b2),
            "W is right, but you summed `b1 @ W2` to one number: it has one entry for each output.",
        ),
        HalfRight(
            "b2-through-b1",
            lambda W1, b1, W2, b2: (W1 @ W2, b1 @ (W2 + b2)),
            "W is right, but you added b2 to W2 and multiplied it by b1: b2 is added after the product.",
        ),
        HalfRight(
            "b2-twice",
            lambda W1, b1, W2, b2: (W1 @ W2, b1 @ W2 + 2 * b2),
            "W is right, but b2 is counted twice in the bias.",
        ),
        HalfRight(
            "elementwise-abs",
            lambda W1, b1, W2, b2: (np.abs(W1 @ W2), b1 @ W2 + b2),
            "b is right, but the signs of W are lost.",
        ),
    ),
    hints=(
        "Write the second layer around the first, (x W1 + b1) W2 + b2, and multiply out the brackets.",
        "W has shape (d_in, d_out): one matrix product gives it. b has shape (d_out,), and b1 must pass through W2 to get there.",
        "The first line is W = W1 @ W2; now collect everything that is not multiplied by x.",
    ),
    right="One layer does the work of two, biases included.",
)

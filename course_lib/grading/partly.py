"""What can be seen of an answer that is right in part, or nearly."""

import numpy as np

from course_lib.grading.evidence import written
from course_lib.grading.pairs import ENOUGH, Seen, axis_name, depth


def at_one_end(pairs):
    """Wrong, or right, at the first or the last place of an axis only."""
    for axis in range(-1, -depth(pairs) - 1, -1):
        rest = [np.moveaxis(pair.wrong, axis, 0).reshape(pair.wanted.shape[axis], -1).any(axis=1) for pair in pairs]
        if min(map(len, rest)) < 3:
            continue
        for place, word in ((0, "first"), (-1, "last")):
            others = [np.delete(wrong, place) for wrong in rest]
            where = f"only at the {word} place along {axis_name(pairs, axis)}"
            if not any(one.any() for one in others):
                return Seen("one-end", f"is wrong {where}")
            if all(one.all() and not wrong[place] for one, wrong in zip(others, rest, strict=True)):
                return Seen("one-end", f"is right {where}")
    return None


def by_the_diagonal(pairs):
    """Wrong on one side of the diagonal only, or on it."""
    if depth(pairs) < 2 or any(pair.wanted.shape[-1] != pair.wanted.shape[-2] for pair in pairs):
        return None
    if sum(int(pair.wrong.sum()) for pair in pairs) < ENOUGH or min(pair.wanted.shape[-1] for pair in pairs) < 3:
        return None
    for words, part in (
        ("on the diagonal", lambda n: np.eye(n, dtype=bool)),
        ("above the diagonal", lambda n: np.triu(np.ones((n, n), bool), 1)),
        ("below the diagonal", lambda n: np.tril(np.ones((n, n), bool), -1)),
    ):
        if not any((pair.wrong & ~part(pair.wanted.shape[-1])).any() for pair in pairs):
            return Seen("diagonal", f"is wrong only {words}")
    return None


def where_an_input(pairs):
    """Right where an input is large, and wrong where it is small, or the other way round; also by its size alone."""
    for key in pairs[0].inputs:
        if any(getattr(pair.inputs.get(key), "shape", None) != pair.wanted.shape for pair in pairs):
            continue
        values = np.concatenate([pair.inputs[key].ravel() for pair in pairs])
        wrong = np.concatenate([pair.wrong.ravel() for pair in pairs])
        if min(wrong.sum(), (~wrong).sum()) < ENOUGH:
            continue
        for of, below, above in (
            (values, f"where {key} is below {{}}", "above"),
            (np.abs(values), f"where {key} lies between −{{0}} and {{0}}", "beyond"),
        ):
            for low, first, second in ((wrong, "wrong", "right"), (~wrong, "right", "wrong")):
                border = _between(of[low].max(), of[~low].min())
                if border is not None:
                    return Seen("where", f"is {first} {below.format(written(border))}, and {second} {above}")
    return None


def _between(low, high):
    """Return a short number between two others: 0 where it fits; None where there is none."""
    if low < 0 < high:
        return 0.0
    for digits in range(7):
        middle = round((low + high) / 2, digits)
        if low < middle < high and float(f"{middle:.4g}") == middle:
            return middle
    return None


def nearly(pairs):
    """Every value is off by less than one part in a hundred of the largest."""
    whole = all((pair.wanted == np.round(pair.wanted)).all() for pair in pairs)
    sizes = [np.abs(pair.wanted).max() for pair in pairs]
    if whole or min(sizes) == 0 or sum(pair.wanted.size for pair in pairs) < ENOUGH:
        return None
    off = max(float(np.abs(pair.given - pair.wanted).max() / size) for pair, size in zip(pairs, sizes, strict=True))
    percent = next((percent for percent in (0.001, 0.01, 0.1, 1) if 100 * off < percent), None)
    if percent is None:
        return None
    says = f"is nearly right: it is off by less than {percent:g} % of its largest value"
    return Seen("nearly", says, " Is a constant rounded, or a formula only approximate?")


def out_of_bounds(pairs):
    """Values of a kind that is never expected: negative ones, large ones, or fractions."""
    given, wanted = (np.concatenate([getattr(pair, side).ravel() for pair in pairs]) for side in ("given", "wanted"))
    if len(wanted) < ENOUGH or any(pair.truths for pair in pairs):
        return None
    if wanted.min() >= 0 > given.min():
        return Seen("negative", "falls below 0, and nothing expected here does")
    if wanted.min() >= 0 and wanted.max() <= 1 < given.max():
        return Seen("above-one", f"reaches {written(given.max())}, and all that is expected here lies between 0 and 1")
    if (wanted == np.round(wanted)).all() and (given != np.round(given)).any():
        return Seen("fraction", "has a fraction, and only whole numbers are expected here")
    return None


def to_one_side(pairs):
    """Every value that differs is too large, or every one is too small."""
    off = np.concatenate([(pair.given - pair.wanted)[pair.wrong] for pair in pairs])
    if len(off) < ENOUGH or not ((off > 0).all() or (off < 0).all()):
        return None
    if pairs[0].truths:
        return Seen(
            "one-side", f"is {off[0] > 0}" + (" wherever it is wrong: it says so too often" if depth(pairs) else "")
        )
    where = " wherever it is wrong" if depth(pairs) else ""
    return Seen("one-side", f"is too {'large' if off[0] > 0 else 'small'}{where}")


PARTLY = (by_the_diagonal, at_one_end, where_an_input, nearly, out_of_bounds, to_one_side)

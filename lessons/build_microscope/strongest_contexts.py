"""Exercise: the windows of text that end where a unit is strongest."""

import numpy as np

from whywrong.task import Case, Exercise, Fault, HalfRight, Key, Mistake, Returns


def _cases(rng):
    """Draw values of either sign; the largest of all stands too early for a window, and the others far from both ends."""
    cases = []
    for n, k, width in ((40, 4, 7), (47, 3, 9), (36, 6, 5)):
        h = rng.uniform(0, 1, size=n)
        top = rng.permutation(np.arange(width + 1, n - width - 1, 2))[: 2 * k]  # no two of them are neighbours
        h[top[:k]] = rng.permutation(np.linspace(2, 5, k))
        h[top[k : 2 * k]] = -rng.permutation(np.linspace(2.3, 5.3, k))
        h[1], h[int(rng.integers(2, width - 1))] = 6, 5.5  # only the characters from width − 1 on have a full window
        codes = rng.permutation(97)[:n].astype(np.int64)
        cases.append(Case((h, codes, k, width), {"n": n, "k": k, "width": width}))
    return cases


def _one_by_one(h, codes, k, width):
    """Take the largest value that is left, k times, and copy the characters up to it."""
    left = {place: value for place, value in enumerate(h.tolist()) if place >= width - 1}
    rows = []
    for _ in range(k):
        place = max(left, key=left.get)
        del left[place]
        rows.append(codes.tolist()[place - width + 1 : place + 1])
    return np.array(rows, dtype=np.int64)


def _run(answer, case):
    """Call the answer, and explain windows of different lengths, which NumPy cannot join."""
    try:
        return answer(*case.args)
    except ValueError as error:
        if not any(words in str(error) for words in ("inhomogeneous shape", "must have the same shape")):
            raise
    words = "Your windows have different lengths, because a place before width − 1 has no full window"
    more = (
        "leave those places out before you sort, and if you sort h[width - 1:], add width − 1 to what argsort returns."
    )
    raise Fault(Key.RAISES, f"{words}: {more}")


def _afterwards(answer):
    """Ask for the first window of all, and for a unit that is nowhere above 0."""
    codes, h = np.arange(20, 32), np.linspace(0.1, 0.9, 12)
    h[3] = 2.0
    if not np.array_equal(answer(h.copy(), codes, 2, 4), _one_by_one(h, codes, 2, 4)):
        words = "Your windows are right, except for the first one of the text: place width − 1 has a full window"
        raise Fault(Key.VALUE, f"{words}, which begins at place 0.", "first-window")
    if not np.array_equal(answer(-h, codes, 3, 4), _one_by_one(-h, codes, 3, 4)):
        words = "Your windows are right as long as h is above 0, and wrong where all values are negative"
        raise Fault(Key.VALUE, f"{words}: the largest of them are the strongest.", "negative")


def _places(values, k, width, first=None):
    """Return the places of the largest values among those from `first` on, the largest first."""
    first = width - 1 if first is None else first
    return first + np.argsort(-values[first:], kind="stable")[:k]


def _windows(codes, places, width, shift=0):
    return codes[(places[:, None] + np.arange(1 - width, 1) + shift) % len(codes)]


def _from(key=lambda h: h, shift=0, first=None, order=lambda places: places):
    """Make an answer that chooses other places, or cuts other windows."""

    def strongest_contexts(h, codes, k, width):
        return _windows(codes, order(_places(key(h), k, width, first)), width, shift)

    return strongest_contexts


def _begin_there(h, codes, k, width):
    return _windows(codes, _places(h, k, width), width, width - 1)


def _without_offset(h, codes, k, width):
    return _windows(codes, np.argsort(-h[width - 1 :], kind="stable")[:k], width)


def _in_the_middle(h, codes, k, width):
    return _windows(codes, _places(h, k, width), width, width // 2)


def _after_the_first(h, codes, k, width):
    return _windows(codes, _places(h, k + 1, width)[1:], width)


EXERCISE = Exercise(
    id="build_microscope.strongest_contexts",
    kind="function",
    cases=_cases,
    oracle=_one_by_one,
    run=_run,
    afterwards=_afterwards,
    returns=(Returns("the array of windows", ("k", "width")),),
    takes_rows=True,
    mistakes=(
        Mistake(
            "smallest",
            _from(lambda h: -h),
            "You took the places with the smallest values: np.argsort begins with the smallest, so sort −h.",
        ),
        Mistake(
            "absolute",
            _from(np.abs),
            "You took the largest absolute values. Here a strongly negative value counts as weak: sort the values themselves.",
        ),
        Mistake(
            "one-too-early",
            _from(shift=-1),
            "Your windows end one character too early: the character at the place itself is the last of its window.",
        ),
        Mistake(
            "one-too-late",
            _from(shift=1),
            "Your windows end one character too late: the unit has not read that one yet.",
        ),
        Mistake(
            "begins-there",
            _begin_there,
            "Your windows begin at the place and show what follows. The unit has read what comes before: let them end there.",
        ),
        Mistake(
            "middle",
            _in_the_middle,
            "Your windows have the place in their middle: the unit has read only what comes before, so let them end there.",
        ),
        Mistake(
            "too-early-for-a-window",
            _from(first=0),
            "Places before width − 1 have no full window: a negative index fetches characters from the end of the text. Leave those places out.",
        ),
        Mistake(
            "without-offset",
            _without_offset,
            "You sorted h[width - 1:], where places are counted from width − 1: add width − 1 to what argsort returns.",
        ),
        HalfRight(
            "weakest-first",
            _from(order=lambda places: places[::-1]),
            "The windows are right, in reverse order: the strongest comes first.",
        ),
        HalfRight(
            "in-order-of-text",
            _from(order=np.sort),
            "The windows are right, in the order of the text: the strongest comes first.",
        ),
        HalfRight(
            "backwards",
            lambda *args: _from()(*args)[:, ::-1],
            "The places are right, and each window is written backwards: the character at the place comes last.",
        ),
        Mistake(
            "without-the-strongest",
            _after_the_first,
            "The strongest place of all is missing: begin with it.",
        ),
        Mistake(
            "first-ones",
            lambda h, codes, k, width: _windows(codes, np.flatnonzero(h > 0)[np.flatnonzero(h > 0) >= width - 1][:k], width),
            "You took the first places at which the unit fires; take those at which it fires most strongly.",
        ),
        Mistake(
            "absolute-and-too-early",
            _from(np.abs, first=0),
            "Two things are wrong: you took absolute values, and places before width − 1, which have no full window.",
            two=True,
        ),
        Mistake(
            "smallest-and-too-early",
            _from(shift=-1, key=lambda h: -h),
            "Two things are wrong: you took the smallest values, and your windows end one character too early.",
            two=True,
        ),
        Mistake(
            "one-too-early-and-no-window",
            _from(shift=-1, first=0),
            "Two things are wrong: your windows end one character too early, and places before width − 1 have no full window.",
            two=True,
        ),
    ),
    hints=(
        "Sort the places by their value, the largest first. Then cut a window for each, with the place as its last character.",
        "Only places from width − 1 on have a full window. The result has one row for each of the k places: (k, width).",
        "Start with: places = width - 1 + …, and sort only what has a full window.",
    ),
    right="The k strongest places show what excites the unit most. They do not show where else it fires.",
)  # fmt: skip

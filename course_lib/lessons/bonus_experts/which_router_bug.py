"""Exercise: tell routers from each other by the gates they return; all but one kind of them have a bug."""

import weakref
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from course_lib import arguments
from course_lib.content import Case, Inspection, Mistake
from course_lib.grading.compare import one_of
from course_lib.lessons.bonus_experts.shared import largest, softmax, top_softmax

NAMES = ("correct", "not renormalised", "zero logits", "equal gates", "wrong axis", "wrong expert", "one too few")


class _Recipe(NamedTuple):
    """What a box is: the name it must be given, its function, and how to tell it from the others."""

    name: str
    compute: Callable
    tell: str


def _renormalised(logits, k):
    gates = softmax(logits) * largest(logits, k)
    return gates / gates.sum(axis=1, keepdims=True)


def _zero_logits_cut(logits, k):
    chosen = largest(logits, k)
    return softmax(np.where(chosen, logits, 0.0)) * chosen


def _turned(logits, k):
    """Hand the gates of the chosen experts round, so that each gets its neighbour's."""
    gates = top_softmax(logits, k)
    for row in gates:
        places = np.flatnonzero(row)
        row[places] = row[np.roll(places, 1)]
    return gates


def _rising(logits, k):
    """Give the chosen experts their gates sorted upwards, whatever their order is."""
    gates = top_softmax(logits, k)
    for row in gates:
        row[row > 0] = np.sort(row[row > 0])
    return gates


#: Every box, by what it is in words for the learner.
BOXES = {
    "a softmax over the chosen": _Recipe(
        "correct",
        top_softmax,
        "which test does it fail, and should it? Write down what the rule gives for that row.",
    ),
    "a softmax over all, divided by what the chosen hold": _Recipe(
        "correct",
        _renormalised,
        "cutting first or dividing afterwards is the same on paper: compare with np.allclose and not with ==.",
    ),
    "a softmax over all": _Recipe(
        "not renormalised",
        lambda logits, k: softmax(logits) * largest(logits, k),
        "look at the row sums, and change the logit of an expert that is not chosen.",
    ),
    "logits of the others set to 0": _Recipe(
        "zero logits",
        lambda logits, k: softmax(np.where(largest(logits, k), logits, 0.0)),
        "count the gates above 0 in a row.",
    ),
    "logits of the others set to 0, then cut": _Recipe(
        "zero logits",
        _zero_logits_cut,
        "its row sums are below 1 too; but add 100 to all logits: a softmax does not notice, an inserted 0 does.",
    ),
    "1/k for each": _Recipe(
        "equal gates",
        lambda logits, k: largest(logits, k) / k,
        "make one of the chosen logits much larger: do the gates notice?",
    ),
    "the top k of every column": _Recipe(
        "wrong axis",
        lambda logits, k: softmax(np.where(largest(logits, k, axis=0), logits, -np.inf), axis=0),
        "give it another number of tokens than of experts, and look at the sums of the rows and of the columns.",
    ),
    "gates handed round": _Recipe(
        "wrong expert",
        _turned,
        "the row sums are right: see whether the largest gate stands at the largest logit.",
    ),
    "gates sorted upwards": _Recipe(
        "wrong expert",
        _rising,
        "some rows are right by luck: over many rows, see whether the largest gate stands at the largest logit.",
    ),
    "k − 1 experts": _Recipe(
        "one too few",
        lambda logits, k: top_softmax(logits, max(k - 1, 1)),
        "the row sums are right: count the gates above 0 in a row, for k = 2 or more.",
    ),
}

_MADE = weakref.WeakKeyDictionary()  # which of BOXES a box is; the box itself does not tell


class _Box:
    """Somebody's router, f(logits, k), with or without a bug; it does not show how it is made."""

    def __call__(self, logits, k):
        logits = arguments.array("logits", logits, ("tokens", "n_experts")).astype(np.float64)
        k = arguments.integer("k", k, 1, logits.shape[1])
        if len(logits) < k:
            words = "one of the boxes chooses along the tokens"
            raise ValueError(f"there are fewer tokens than k: {words}, so logits need at least k = {k} rows")
        return BOXES[made_as(self)].compute(logits, k)


def made_as(box) -> str:
    """Return which of BOXES a box is."""
    return _MADE[box]


def _cases(rng):
    boxes = []
    for which in rng.permutation(list(BOXES)):
        boxes.append(_Box())
        _MADE[boxes[-1]] = str(which)
    return [Case((boxes,))]


def _inspect(answer, case):
    """Let the answer name every box; of several wrong names, the first in the order of BOXES is the one reported."""
    named = {made_as(box): one_of(answer(box), NAMES) for box in case.args[0]}
    if len(set(named.values())) == 1:
        return _all_named(*set(named.values()))
    return next((_named(which, named[which]) for which, box in BOXES.items() if named[which] != box.name), None)


def _all_named(name):
    return f"all-{name}".replace(" ", "-")


def _named(which, name):
    which = which.replace(",", "").replace("/", "-").replace("−", "minus")
    return f"{which}-as-{name}".replace(" ", "-")


def _confusing(which, name):
    """Make an answer that names every box rightly, except that it takes one for another."""
    return lambda box: name if made_as(box) == which else BOXES[made_as(box)].name


def _mistakes():
    mistakes = [
        Mistake(
            _all_named(name),
            lambda box, name=name: name,
            f"Every box got the same name, {name!r}, but they are of seven kinds: let the name depend on what f returns.",
        )
        for name in NAMES
    ]
    for which, box in BOXES.items():
        kind = "A correct box" if box.name == "correct" else "A box with a bug"
        mistakes += [
            Mistake(_named(which, name), _confusing(which, name), f"{kind} ({which}) was named {name!r}: {box.tell}")
            for name in NAMES
            if name != box.name
        ]
    return tuple(mistakes)


EXERCISE = Inspection(
    id="bonus_experts.which_router_bug",
    kind="function",
    cases=_cases,
    inspect=_inspect,
    mistakes=_mistakes(),
    hints=(
        "You choose the logits and k. Ask for each bug what it leaves behind: wrong row sums, too many gates or too few, the largest gate at the wrong place, or gates that do not notice a change.",
        "Give f logits of shape (tokens, n_experts), such as (7, 5), and k = 3; it returns gates of the same shape. With as many tokens as experts, some bugs hide.",
        "Start with: logits = np.random.default_rng(0).normal(size=(7, 5)), g = f(logits, 3) and sums = g.sum(axis=1).",
    ),
    right="You told every router from its gates alone. The losses of a training would not have told you.",
)

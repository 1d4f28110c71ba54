"""Exercise: tell routers from each other by the gates they return; all but one kind of them have a bug."""

import numpy as np

from courseware import arguments
from lessons.bonus_experts.shared import largest, softmax, top_softmax
from whywrong.boxes import Box, Deal, recipe_of
from whywrong.task import Inspection

NAMES = ("correct", "not renormalised", "zero logits", "equal gates", "wrong axis", "wrong expert", "one too few")


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


#: What every box is, in words -> its name, its function, and what tells it from the others.
BOXES = {
    "a softmax over the chosen": (
        "correct",
        top_softmax,
        "which test does it fail, and should it? Write down what the rule gives for that row.",
    ),
    "a softmax over all, divided by what the chosen hold": (
        "correct",
        _renormalised,
        "cutting first or dividing afterwards is the same on paper: compare with np.allclose and not with ==.",
    ),
    "a softmax over all": (
        "not renormalised",
        lambda logits, k: softmax(logits) * largest(logits, k),
        "look at the row sums, and change the logit of an expert that is not chosen.",
    ),
    "logits of the others set to 0": (
        "zero logits",
        lambda logits, k: softmax(np.where(largest(logits, k), logits, 0.0)),
        "count the gates above 0 in a row.",
    ),
    "logits of the others set to 0, then cut": (
        "zero logits",
        _zero_logits_cut,
        "its row sums are below 1 too; but add 100 to all logits: a softmax does not notice, an inserted 0 does.",
    ),
    "1/k for each": (
        "equal gates",
        lambda logits, k: largest(logits, k) / k,
        "with k = 2 or more, make one of the chosen logits much larger: do the gates notice?",
    ),
    "the top k of every column": (
        "wrong axis",
        lambda logits, k: softmax(np.where(largest(logits, k, axis=0), logits, -np.inf), axis=0),
        "give it another number of tokens than of experts, and look at the sums of the rows and of the columns.",
    ),
    "gates handed round": (
        "wrong expert",
        _turned,
        "the row sums are right: see whether the largest gate is at the largest logit.",
    ),
    "gates sorted upwards": (
        "wrong expert",
        _rising,
        "some rows are right by luck: over many rows, see whether the largest gate is at the largest logit.",
    ),
    "k − 1 experts": (
        "one too few",
        lambda logits, k: top_softmax(logits, max(k - 1, 1)),
        "the row sums are right: count the gates above 0 in a row, for k = 2 or more.",
    ),
}


class _Router(Box):
    """Somebody's router, f(logits, k), with or without a bug; it does not show how it is made."""

    def __call__(self, logits, k):
        logits = arguments.array("logits", logits, ("tokens", "n_experts")).astype(np.float64)
        k = arguments.integer("k", k, 1, logits.shape[1])
        if len(logits) < k:
            words = "one of the boxes chooses along the tokens"
            raise ValueError(f"there are fewer tokens than k: {words}, so logits need at least k = {k} rows")
        return recipe_of(self).compute(logits, k)


_DEAL = Deal(_Router, BOXES, NAMES)

EXERCISE = Inspection(
    id="bonus_experts.which_router_bug",
    kind="function",
    cases=_DEAL.cases,
    inspect=_DEAL.inspect,
    mistakes=_DEAL.mistakes(),
    hints=(
        "You choose the logits and k. Ask for each bug what it leaves behind: wrong row sums, too many gates or too few, the largest gate at the wrong place, or gates that do not notice a change.",
        "Give f logits of shape (tokens, n_experts), such as (7, 5), and k = 3; it returns gates of the same shape. With as many tokens as experts, some bugs hide.",
        "Start with: logits = np.random.default_rng(0).normal(size=(7, 5)), and let f make gates of them with k = 3. What should a row sum to, and for which bug does a column?",
    ),
    right="You recognised every router from its gates alone. The loss of a training run would not have told you.",
)

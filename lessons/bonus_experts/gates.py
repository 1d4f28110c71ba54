"""Exercise: weigh the experts as Mixtral does."""

import math

import numpy as np

from lessons.bonus_experts.shared import largest, sigmoid, softmax, top_softmax
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    cases = []
    for tokens, experts, k in ((7, 4, 2), (4, 6, 3), (6, 3, 1), (7, 5, 2), (2, 3, 2)):
        logits = 1.5 * rng.normal(size=(tokens, experts))
        logits[:, -1] -= 100.0 * (tokens == 2)  # there is an expert that nobody chooses
        logits -= 60.0 * (tokens == 4)  # where a logit of -20 hides nothing
        cases.append(Case((logits, k), {"token": tokens, "expert": experts}))
    return cases


def _by_ranking(logits, k):
    """Weigh the experts of one token after the other, with plain numbers."""
    gates = np.zeros(logits.shape)
    for token, row in enumerate(logits.tolist()):
        chosen = sorted(range(len(row)), key=row.__getitem__, reverse=True)[:k]
        total = math.fsum(math.exp(row[i]) for i in chosen)
        for i in chosen:
            gates[token, i] = math.exp(row[i]) / total
    return gates


def _masked(weights):
    """Make an answer that keeps weights(logits, chosen) where an expert is chosen."""
    return lambda z, k: np.where(largest(z, k), weights(z, largest(z, k)), 0.0)


def _above_threshold(divided):
    """Make an answer that chooses by a probability above 1/k."""

    def gates(z, k):
        kept = np.where(softmax(z) > 1 / k, softmax(z), 0.0)
        with np.errstate(all="ignore"):
            return kept / kept.sum(axis=1, keepdims=True) if divided else kept

    return gates


def _over_columns(z, k):
    kept = np.where(largest(z, k), np.exp(z), 0.0)
    with np.errstate(all="ignore"):
        return kept / kept.sum(axis=0)


def _by_place(order):
    """Make an answer that gives the j-th chosen expert the weight of logit j of the row."""

    def gates(z, k):
        places, weights = order(np.argsort(-z, axis=1, kind="stable")[:, :k]), np.zeros(z.shape)
        np.put_along_axis(weights, places, softmax(z[:, :k]), axis=1)
        return weights

    return gates


def _in_rank_order(upwards):
    """Make an answer that writes the gates in the order of their size."""
    return lambda z, k: np.sort(top_softmax(z, k), axis=1)[:, :: 1 if upwards else -1]


# What can be wrong in which experts are chosen and in what they weigh.
_CHOICE = {
    "smallest": (
        lambda z, k: largest(-z, k),
        "the k smallest logits are chosen",
        "You chose the k smallest logits: argsort sorts upwards, so the largest come last.",
    ),
    "one-too-many": (
        lambda z, k: largest(z, min(k + 1, z.shape[1])),
        "one expert too many is chosen",
        "One expert too many is chosen: k of them share the gates of a row.",
    ),
    "one-too-few": (lambda z, k: largest(z, max(k - 1, 1)), "one expert too few is chosen"),
}
_WEIGHTS = {
    "over-all": (
        lambda z, chosen: softmax(z),
        "the softmax runs over all experts",
        "Each row must sum to 1, and yours sum to less: your softmax runs over all experts, and what the others got is lost. That is Switch's rule.",
    ),
    "equal": (
        lambda z, chosen: 1 / np.maximum(chosen.sum(axis=1, keepdims=True), 1),
        "all chosen experts have the same gate",
        "All chosen experts have the same gate; the better one should weigh more.",
    ),
    "not-divided": (
        lambda z, chosen: np.exp(z),
        "exp is not divided by its sum",
        "You took exp of the chosen logits and did not divide by their sum: each row must sum to 1.",
    ),
    "raw": (lambda z, chosen: z, "the logits are left as they are, without a softmax"),
    "over-tokens": (
        lambda z, chosen: softmax(z, axis=0),
        "the softmax runs along the tokens and not along the experts",
    ),
}


def _both(choice, weights):
    return lambda z, k: np.where(choice(z, k), weights(z, choice(z, k)), 0.0)


EXERCISE = Exercise(
    id="bonus_experts.gates",
    kind="function",
    cases=_cases,
    oracle=_by_ranking,
    returns=(Returns("the array of gates", ("token", "expert")),),
    mistakes=(
        Mistake(
            "zeros",
            lambda z, k: softmax(np.where(largest(z, k), z, 0.0)),
            "Experts that were not chosen still get a gate, because a logit of 0 has the weight e⁰ = 1. Which logit has the weight 0?",
        ),
        Mistake(
            "zeros-masked",
            _masked(lambda z, chosen: softmax(np.where(chosen, z, 0.0))),
            "Your rows sum to less than 1: the logits that you set to 0 still count as e⁰ = 1 in the sum of the softmax.",
        ),
        Mistake(
            "all",
            lambda z, k: softmax(z),
            "Every expert has a gate above 0: k is not used, so nothing is chosen yet.",
        ),
        Mistake(
            "over-everything",
            _masked(lambda z, chosen: np.exp(z) / np.exp(z).sum()),
            "Your softmax runs over all tokens and experts at once: each row, one token, must sum to 1.",
        ),
        Mistake(
            "over-tokens",
            lambda z, k: softmax(np.where(largest(z, min(k, len(z)), axis=0), z, -np.inf), axis=0),
            "Your columns sum to 1 instead of your rows: the choice and the softmax run along the tokens. Each token (row) chooses for itself.",
        ),
        Mistake(
            "softmax-over-tokens",
            _masked(lambda z, chosen: softmax(z, axis=0)),
            "The choice is right, but your softmax runs along the tokens (axis 0): each row must sum to 1.",
        ),
        Mistake(
            "divided-over-tokens",
            _over_columns,
            "You divided by the sums of the columns (axis 0): a row is a token, and its gates must sum to 1.",
        ),
        Mistake(
            "proportional",
            _masked(lambda z, chosen: z / np.where(chosen, z, 0).sum(axis=1, keepdims=True)),
            "You divided the logits themselves by their sum; a softmax takes their exp first.",
        ),
        Mistake(
            "sigmoid",
            _masked(lambda z, chosen: sigmoid(z) / np.where(chosen, sigmoid(z), 0).sum(axis=1, keepdims=True)),
            "This is DeepSeek-V3's rule, with sigmoids; the exercise asks for a softmax over the chosen logits.",
        ),
        Mistake(
            "raw-logits",
            _masked(lambda z, chosen: z),
            "The chosen logits are unchanged: the softmax over them is missing.",
        ),
        Mistake(
            "one",
            lambda z, k: largest(z, 1).astype(np.float64),
            "Only the best expert has a gate; each token chooses k of them.",
        ),
        Mistake(
            "last-of-the-chosen",
            lambda z, k: (largest(z, k) & ~largest(z, k - 1) if k > 1 else largest(z, 1)).astype(np.float64),
            "Only the k-th largest logit of a row has a gate; all k chosen experts share it, by a softmax over their logits.",
        ),
        Mistake(
            "logit-of-its-place",
            _by_place(lambda best: best),
            "The right experts are chosen, but their gates come from the first k logits of the row: with i = best[token, j], the logit of expert i is logits[token, i], and not logits[token, j].",
        ),
        Mistake(
            "logit-of-its-place-upwards",
            _by_place(lambda best: best[:, ::-1]),
            "The right experts are chosen, but their weights come from the first k columns of logits: the logit of the j-th chosen expert is logits[token, best[token, j]].",
        ),
        Mistake(
            "exp-over-logits",
            _masked(lambda z, chosen: np.exp(z) / np.where(chosen, z, 0).sum(axis=1, keepdims=True)),
            "You divided by the sum of the chosen logits; a softmax divides by the sum of their exp.",
        ),
        Mistake(
            "first-k",
            lambda z, k: softmax(np.where(np.arange(z.shape[1]) < k, z, -np.inf)),
            "You gave the gates to the first k experts of every row; the k with the largest logits get them.",
        ),
        Mistake(
            "rank-order",
            _in_rank_order(False),
            "The numbers are right, but they are sorted by size: column i belongs to expert i.",
        ),
        Mistake(
            "rank-order-upwards",
            _in_rank_order(True),
            "The numbers are right, but they are sorted by size, the largest last: column i belongs to expert i.",
        ),
        Mistake(
            "over-everything-uncut",
            lambda z, k: np.exp(z) / np.exp(z).sum(),
            "Your softmax runs over all tokens and experts at once, and nothing is chosen: each row must sum to 1, with k gates above 0.",
        ),
        Mistake(
            "order-for-rank",
            lambda z, k: softmax(np.where(np.argsort(z, axis=1, kind="stable") >= z.shape[1] - k, z, -np.inf)),
            "The wrong experts are chosen: entry i of np.argsort says which expert is at place i, not at which place expert i is.",
        ),
        Mistake(
            "order-for-rank-downwards",
            lambda z, k: softmax(np.where(np.argsort(-z, axis=1, kind="stable") < k, z, -np.inf)),
            "The wrong experts are chosen: np.argsort(−logits) lists the experts from the best down; its entry i is not the place of expert i.",
        ),
        Mistake(
            "threshold",
            _above_threshold(False),
            "You keep the experts whose probability is above 1/k; that can be fewer than k: the k largest are chosen, however large they are.",
        ),
        Mistake(
            "threshold-divided",
            _above_threshold(True),
            "You keep the experts whose probability is above 1/k; that can be none: the k largest are chosen, however large they are.",
        ),
        *two_at_once(
            "{}, and {}",
            _CHOICE,
            _WEIGHTS,
            _both,
            right=(largest, lambda z, chosen: softmax(np.where(chosen, z, -np.inf))),
        ),
        Mistake(
            "divided-by-the-largest",
            _masked(lambda z, chosen: np.exp(z) / np.where(chosen, np.exp(z), 0).max(axis=1, keepdims=True)),
            "You divided by the largest weight of a row; a softmax divides by their sum, so that each row sums to 1.",
        ),
    ),
    hints=(
        "Begin with zeros, since most experts get no gate, and fill in the k chosen ones: what does each weigh, and what must a row add up to?",
        "logits and the gates have the shape (tokens, n_experts); the choice and the softmax run along the last axis.",
        "Start with: best = …[:, -k:], the numbers of the k best, and weights = np.zeros(logits.shape). Then np.put_along_axis(weights, best, …, axis=1).",
    ),
    right="k gates in each row, with the sum 1, and 0 everywhere else: that is Mixtral's rule.",
)

"""Exercise: measure how unevenly a router loads its experts."""

import math

import numpy as np

from lessons.bonus_experts.shared import largest, softmax
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    cases = []
    for tokens, experts, k in ((7, 4, 1), (9, 3, 2), (5, 6, 3)):
        logits = rng.normal(size=(tokens, experts)) + np.linspace(1, 0, experts)
        moved = 0.7 * rng.normal(size=logits.shape)  # as a choice bias may do
        moved[:, -1] -= 100.0 * (experts == 6)  # there is an expert that nobody chooses
        chosen = largest(logits + moved, k)
        cases.append(Case((softmax(logits), chosen), {"token": tokens, "expert": experts}))
    return cases


def _expert_by_expert(probabilities, chosen):
    """Count with plain numbers."""
    tokens, experts = probabilities.shape
    choices = int(sum(map(sum, chosen.tolist())))
    parts = []
    for i in range(experts):
        share = sum(chosen[:, i].tolist()) / choices
        parts.append(share * math.fsum(probabilities[:, i]) / tokens)
    return experts * math.fsum(parts)


def _f(chosen):
    return chosen.sum(axis=0) / chosen.sum()


def _loss(p, chosen):
    return p.shape[1] * float(_f(chosen) @ p.mean(axis=0))


def _p_where_chosen(p, chosen):
    """Take the mean of a probability over the tokens that chose the expert: of none where nobody did."""
    with np.errstate(all="ignore"):
        return p.shape[1] * float(_f(chosen) @ ((p * chosen).sum(axis=0) / chosen.sum(axis=0)))


def _k_of_one_expert(p, chosen):
    """Take the sum of a column for k."""
    with np.errstate(all="ignore"):
        f = chosen.sum(axis=0) / (chosen[:, 0].sum() * len(chosen))
    return p.shape[1] * float(f @ p.mean(axis=0))


# What can be wrong in the shares f and in what is made of f and P at once.
_SHARES = {
    "argmax": (lambda p, chosen: largest(p, 1).mean(axis=0), "f counts the most probable expert and not the choices"),
    "times-k": (lambda p, chosen: chosen.mean(axis=0), "f is divided by the number of tokens, not of choices"),
    "counts": (lambda p, chosen: chosen.sum(axis=0), "f holds counts, not shares"),
}
_LOSS = {
    "no-E": (lambda f, p: f @ p.mean(axis=0), "the factor E is missing"),
    "mean": (lambda f, p: (f * p.mean(axis=0)).mean(), "a mean over the experts stands for E times the sum"),
    "sums": (lambda f, p: p.shape[1] * (f @ p.sum(axis=0)), "P is a sum over the tokens, not a mean"),
}

_SAME_AS_ANOTHER = {("times-k", "no-E"), ("times-k", "sums"), ("counts", "no-E"), ("counts", "sums")}


def _both(shares, loss):
    return lambda p, chosen: float(loss(shares(p, chosen), p))


EXERCISE = Exercise(
    id="bonus_experts.balance_loss",
    kind="function",
    cases=_cases,
    oracle=_expert_by_expert,
    returns=(Returns("the balance loss"),),
    mistakes=(
        Mistake(
            "no-E",
            lambda p, c: _loss(p, c) / p.shape[1],
            "The factor E, the number of experts, is missing (a mean over the experts in place of the sum does the same): an even load must give 1.",
        ),
        Mistake(
            "times-k-without-E",
            lambda p, c: float(c.mean(axis=0) @ p.mean(axis=0)),
            "Two things are wrong: f is divided by the number of tokens, and not of choices, and the factor E is missing (a mean over the experts in place of the sum does the same).",
        ),
        Mistake(
            "k-of-one-expert",
            _k_of_one_expert,
            "Your k is how many tokens chose expert 0: the number of all choices is chosen.sum().",
        ),
        Mistake(
            "f-from-p",
            lambda p, c: p.shape[1] * float((p.mean(axis=0) ** 2).sum()),
            "chosen is not used: f is the share of the choices that an expert got, counted, and only P comes from the probabilities.",
        ),
        Mistake(
            "P-where-chosen",
            _p_where_chosen,
            "P is the mean over all tokens; you took it over those that chose the expert, and there may be none.",
        ),
        Mistake(
            "P-from-counts",
            lambda p, c: p.shape[1] * float((_f(c) ** 2).sum()),
            "The probabilities are not used: both factors are counts, and counts have no gradient that could train the router.",
        ),
        Mistake(
            "times-k",
            lambda p, c: _loss(p, c) * c[0].sum(),
            "With k choices a token, your f sums to k: divide by the number of choices, and not of tokens, so that f sums to 1.",
        ),
        Mistake(
            "argmax",
            lambda p, c: p.shape[1] * float(_f(largest(p, 1)) @ p.mean(axis=0)),
            "You counted the expert with the largest probability; count the choices in `chosen`, of which a token may have several.",
        ),
        Mistake(
            "one-sum",
            lambda p, c: _loss(p, c) * len(p),
            "Your result grows with the number of tokens: one of the two factors is a sum over the tokens, but it must be a share or a mean.",
        ),
        Mistake(
            "choices-counted",
            lambda p, c: _loss(p, c) * c.sum(),
            "Your f is a number of choices; divide it by how many choices there are in all.",
        ),
        Mistake(
            "bare-counts",
            lambda p, c: float(c.sum(axis=0) @ p.mean(axis=0)),
            "Your result is the sum of the bare counts times P, because a factor and a division cancel: f is a count divided by all choices, and the sum is multiplied by the number of experts.",
        ),
        Mistake(
            "both-sums",
            lambda p, c: _loss(p, c) * len(p) * c.sum(),
            "Both of your factors are sums over the tokens: f is a share and P is a mean.",
        ),
        Mistake(
            "tokens-for-E",
            lambda p, c: _loss(p, c) / p.shape[1] * len(p),
            "Your loss has the number of tokens as a factor, as from a sum over tokens that should be a mean; its factor is E, the number of experts.",
        ),
        Mistake(
            "only-where-chosen",
            lambda p, c: p.shape[1] * float((c * p).mean(axis=0).sum()),
            "You multiplied token by token, so each probability counts only where its expert was chosen: take the share f and the mean P of each expert first, then their product.",
        ),
        Mistake(
            "all-in-one",
            lambda p, c: p.shape[1] * c.mean() * p.mean(),
            "Both means run over the whole array, so the single experts are lost: f and P have one number for each expert.",
        ),
        Mistake(
            "all-in-one-share",
            lambda p, c: p.shape[1] * p.mean() if c.any() else 0.0,
            "Your result is 1, whatever the inputs are: a sum or a mean runs over the experts, and f and P must keep one number for each.",
        ),
        Mistake(
            "per-token",
            lambda p, c: p.shape[1] * float((c / c.sum() * p).sum()),
            "Your product counts probabilities only where a token chose the expert: P is the mean over all tokens, and f is counted separately.",
        ),
        Mistake(
            "squared-choices",
            lambda p, c: _loss(p, c) / len(p),
            "You divided by the number of tokens once too often: f already sums to 1, and P too.",
        ),
        Mistake(
            "minus-1",
            lambda p, c: _loss(p, c) - 1,
            "You subtracted 1, so that an even load gives 0; the loss in the paper has no such term.",
        ),
        Mistake(
            "divided-by-E",
            lambda p, c: _loss(p, c) / p.shape[1] ** 2,
            "You divided by E where the formula multiplies by it: an even load must give 1.",
        ),
        Mistake(
            "P-largest",
            lambda p, c: p.shape[1] * float(_f(c) @ p.max(axis=0)),
            "P is the mean probability of an expert over all tokens; you took its largest.",
        ),
        *two_at_once("{}, and {}", _SHARES, _LOSS, _both, _SAME_AS_ANOTHER),
    ),
    hints=(
        "For each expert you need two numbers: its share f of all choices, by counting, and its mean probability P.",
        "Both arguments have the shape (tokens, n_experts); f and P have (n_experts,), and each of them sums to 1.",
        "Start with: f = chosen.sum(axis=0) / chosen.sum(). P takes one more line.",
    ),
    right="1 for an even load, up to E when one expert gets everything; only P passes a gradient to the router.",
)

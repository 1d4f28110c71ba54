"""Exercise: put the mixture of experts together."""

import numpy as np

from lessons.bonus_experts.shared import Expert, largest, softmax, top_softmax
from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns, two_at_once


def _cases(rng):
    cases = []
    for tokens, d_model, n_experts, k in ((7, 10, 4, 2), (4, 2, 3, 1), (6, 4, 5, 3)):
        x, W = rng.normal(size=(tokens, d_model)), 1.5 * rng.normal(size=(d_model, n_experts))
        experts = [Expert(rng, d_model) for _ in range(n_experts)]
        cases.append(Case((x, W, experts, k), {"token": tokens, "d_model": d_model}))
    return cases


def _token_by_token(x, W_router, experts, k):
    """Go through the tokens, and through the experts of each from the best down."""
    y = np.zeros(x.shape)
    for token, row in enumerate(x):
        logits = np.einsum("i,ij->j", row, W_router)
        chosen = np.argsort(-logits, kind="stable")[:k]
        weights = np.exp(logits[chosen]) / np.exp(logits[chosen]).sum()
        for weight, index in zip(weights, chosen, strict=True):
            y[token] += weight * experts[index](row[None])[0]
    return y


def _run(answer, case):
    """Call the answer; where it returns what each expert adds, say that these are added up."""
    y, shape = answer(*case.args), case.args[0].shape
    if isinstance(y, list) and len(y) == len(case.args[2]) and all(np.shape(part) == shape for part in y):
        words = f"Your result is a list of {len(y)} arrays, one for each expert: add them up to one array."
        raise Fault(Key.TYPE, words)
    return y


def _sum(x, gates, experts):
    return sum(gates[:, [i]] * expert(x) for i, expert in enumerate(experts))


def _weighed(weigh):
    """Make an answer that adds up all experts, each times its column of weigh(logits, k)."""

    def answer(x, W, experts, k):
        return _sum(x, weigh(x @ W, k), experts)

    return answer


def _paired_by_rank(z, k):
    """Give the largest gate to the chosen expert with the lowest number, and so on."""
    gates = top_softmax(z, k)
    for row in gates:
        row[row > 0] = np.sort(row[row > 0])[::-1]
    return gates


def _first_experts(x, W, experts, k):
    """Give the gates of the best experts to those with the lowest numbers."""
    gates = np.sort(top_softmax(x @ W, k), axis=1)[:, ::-1]
    return sum(gates[:, [i]] * experts[i](x) for i in range(k))


def _by_place(order):
    """Make an answer that pairs the j-th expert of its own ranking with column j of the gates."""

    def answer(x, W, experts, k):
        logits = x @ W
        best = order(np.argsort(-logits, axis=1, kind="stable")[:, :k])
        gates, y = top_softmax(logits, k), np.zeros(x.shape)
        for token, row in enumerate(x):
            for j in range(k):
                y[token] += gates[token, j] * experts[best[token, j]](row)
        return y

    return answer


_right = _weighed(top_softmax)

# What can be wrong in which experts are chosen and in what they weigh, or in the gates and in what is added up.
_CHOICE = {
    "smallest": (lambda z, k: largest(-z, k), "the k smallest logits are chosen"),
    "one-too-many": (lambda z, k: largest(z, min(k + 1, z.shape[1])), "one expert too many is chosen"),
    "one-too-few": (lambda z, k: largest(z, max(k - 1, 1)), "one expert too few is chosen"),
}
_WEIGHTS = {
    "over-all": (lambda z, chosen, k: softmax(z) * chosen, "the softmax runs over all experts"),
    "equal": (lambda z, chosen, k: chosen / k, "all chosen experts weigh 1/k"),
    "unweighted": (lambda z, chosen, k: chosen * 1.0, "nothing is multiplied by its gate"),
}
_GATES = {
    "over-all": (lambda z, k: softmax(z) * largest(z, k), "the softmax runs over all experts"),
    "equal": (lambda z, k: largest(z, k) / k, "all chosen experts weigh the same"),
    "unweighted": (
        lambda z, k: largest(z, k) * 1.0,
        "nothing is multiplied by its gate",
        "You added up what the chosen experts return: multiply each by its gate first, or your router gets no gradient in training.",
    ),
    "smallest": (
        lambda z, k: top_softmax(np.where(largest(-z, k), z, -np.inf), k),
        "the k smallest logits are chosen",
        "You chose the k experts with the smallest logits: argsort and sorted go upwards, so the largest come last.",
    ),
}
_ADDED = {
    "residual": (
        lambda x, g, experts: x + _sum(x, g, experts),
        "x is added to the result",
        "You added x: the residual belongs to the block, and the layer returns the weighted sum alone.",
    ),
    "weighs-x": (
        lambda x, g, experts: sum(expert(g[:, [i]] * x) for i, expert in enumerate(experts)),
        "the gate multiplies what goes into an expert instead of what comes out",
    ),
}


def _chosen(choice, weights):
    return _weighed(lambda z, k: weights(z, choice(z, k), k))


def _both(gates, added):
    return lambda x, W, experts, k: added(x, gates(x @ W, k), experts)


EXERCISE = Exercise(
    id="bonus_experts.mixture",
    kind="function",
    cases=_cases,
    oracle=_token_by_token,
    returns=(Returns("y", ("token", "d_model")),),
    run=_run,
    mistakes=(
        Mistake(
            "mean",
            _weighed(lambda z, k: largest(z, k) / k),
            "You took the mean of the chosen experts: multiply each by its own gate, or your router gets no gradient in training.",
        ),
        Mistake(
            "weighs-x",
            lambda x, W, experts, k: sum(
                (g[:, None] > 0) * expert(g[:, None] * x)
                for g, expert in zip(top_softmax(x @ W, k).T, experts, strict=True)
            ),
            "You multiplied the token by the gate before it enters the expert; the gate multiplies what the expert returns.",
        ),
        Mistake(
            "weighs-x-for-all",
            lambda x, W, experts, k: sum(
                expert(g[:, None] * x) for g, expert in zip(top_softmax(x @ W, k).T, experts, strict=True)
            ),
            "You multiplied the token by the gate before it enters the expert, so experts with a gate of 0 still return their biases: multiply what comes out.",
        ),
        Mistake(
            "zeros",
            _weighed(lambda z, k: softmax(np.where(largest(z, k), z, 0.0))),
            "Experts that were not chosen still have a gate: a logit of 0 has the weight e⁰ = 1, and −∞ has the weight 0.",
        ),
        Mistake(
            "first-experts",
            _first_experts,
            "The experts 0 to k − 1 do the work, whichever were chosen: a place in the ranking is not the number of an expert.",
        ),
        Mistake(
            "best-only",
            _weighed(lambda z, k: top_softmax(z, k) * largest(z, 1)),
            "Only the best expert is added, with its gate; the other chosen ones are missing.",
        ),
        Mistake(
            "best-alone", _weighed(lambda z, k: largest(z, 1) * 1.0), "Only the best expert is used, and k is not."
        ),
        Mistake(
            "all-soft",
            _weighed(lambda z, k: softmax(z)),
            "All experts are used, with a softmax over all logits: the choice of k is missing.",
        ),
        Mistake(
            "all-added",
            _weighed(lambda z, k: np.ones(z.shape)),
            "All experts are added up, and the router is not used.",
        ),
        Mistake(
            "not-renormalised",
            _weighed(lambda z, k: softmax(z) * largest(z, k)),
            "Your gates are those of Switch, from a softmax over all experts; here they come from the chosen ones, and each row sums to 1.",
        ),
        Mistake(
            "by-rank",
            _weighed(_paired_by_rank),
            "The gates are right, but some belong to another expert: is one of your two lists sorted and the other not?",
        ),
        Mistake(
            "column-j",
            _by_place(lambda best: best),
            "The gates have a column for every expert: the gate of expert i is gates[token, i], and not gates[token, j] for the j-th best.",
        ),
        Mistake(
            "column-j-upwards",
            _by_place(lambda best: best[:, ::-1]),
            "The gates have a column for every expert: the gate of expert i is gates[token, i]; you read the first k columns.",
        ),
        Mistake(
            "first-k",
            lambda x, W, experts, k: sum(top_softmax(x @ W, k)[:, [i]] * experts[i](x) for i in range(k)),
            "You go through the first k experts of the list; any of them can be among the chosen ones.",
        ),
        Mistake(
            "last-chosen",
            _weighed(lambda z, k: top_softmax(z, k) * (np.cumsum(largest(z, k), axis=1) == k)),
            "Of each token's experts only the last is left in the sum, with its gate: add to y[t], with `+=`.",
        ),
        Mistake(
            "last-of-the-list",
            lambda x, W, experts, k: top_softmax(x @ W, k)[:, [-1]] * experts[-1](x),
            "Only the last expert of the list is left, because every round of the loop replaces the result of the round before: add to y, with `+=`.",
        ),
        Mistake(
            "gates-of-the-first",
            _weighed(lambda z, k: top_softmax(z[:1], k)),
            "The gates of the first token serve all tokens: each token has a row of gates of its own.",
        ),
        Mistake(
            "divided-by-k",
            _weighed(lambda z, k: top_softmax(z, k) / k),
            "Your result is k times too small: the gates of a token sum to 1 already.",
        ),
        Mistake(
            "logits",
            _weighed(lambda z, k: z * largest(z, k)),
            "You weighted the experts by their logits: turn the logits into gates first.",
        ),
        Mistake(
            "over-tokens",
            _weighed(lambda z, k: softmax(z, axis=0) * largest(z, k)),
            "Your softmax runs along the tokens (axis 0): the gates of each token must sum to 1.",
        ),
        Mistake(
            "over-tokens-all",
            _weighed(lambda z, k: softmax(z, axis=0)),
            "Your softmax runs along the tokens (axis 0), over all experts: each token chooses k, whose gates sum to 1.",
        ),
        *two_at_once("{}, and {}", _GATES, _ADDED, _both, right=(top_softmax, _sum)),
        *two_at_once("{}, and {}", _CHOICE, _WEIGHTS, _chosen),
    ),
    hints=(
        "Find the gates of all tokens first. Then go through the experts: each adds its gate times what it returns.",
        "x @ W_router and the gates have the shape (tokens, n_experts); `gates[:, [i]]` has (tokens, 1), and `experts[i](x)` has (tokens, d_model).",
        "Start with: g = gates(x @ W_router, k), your function from exercise 1, and y = np.zeros(x.shape).",
    ),
    right="This is the layer that Mixtral has in place of each FFN, here with experts in a plain list.",
)

"""Exercise: how many different experts does a batch of tokens use?"""

import math
from fractions import Fraction

from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


def _cases(rng):
    triples = [(8, 2, 1), (8, 2, 8), (8, 2, 16), (256, 8, 32), (4, 1, 3), (5, 5, 2)]
    triples.append((int(rng.integers(20, 60)), int(rng.integers(2, 6)), int(rng.integers(3, 30))))
    return [Case(triple) for triple in triples]


def _step_by_step(n_experts, k, tokens):
    """Add token after token with exact fractions: of the experts that are not yet used, it uses the share k/E."""
    used = Fraction(0)
    for _ in range(tokens):
        used += (n_experts - used) * Fraction(k, n_experts)
    return float(used)


# What can be wrong in the share that is left out and in what is made of it at once.
_LEFT = {
    "single-draws": (lambda E, k, n: (1 - 1 / E) ** (k * n), "the k experts of one token are drawn one by one"),
    "k-ignored": (lambda E, k, n: (1 - 1 / E) ** n, "a token uses one expert and not k"),
    "tokens-ignored": (lambda E, k, n: 1 - k / E, "the power with the number of tokens is missing"),
}
_MADE = {
    "unused": (lambda left, E: E * left, "what is left over is counted"),
    "share": (lambda left, E: 1 - left, "it is a share, not a number of experts"),
}


def _both(left, made):
    return lambda E, k, n: made(left(E, k, n), E)


EXERCISE = Exercise(
    id="bonus_experts.distinct_experts",
    kind="function",
    cases=_cases,
    oracle=_step_by_step,
    returns=(Returns("the number of experts"),),
    tolerance=1e-9,
    mistakes=(
        Mistake(
            "all-new",
            lambda E, k, n: min(E, k * n),
            "You let every token add k new experts until none are left, but two tokens often choose the same.",
        ),
        Mistake("no-limit", lambda E, k, n: k * n, "You count an expert again for every token that uses it."),
        Mistake(
            "single-draws",
            lambda E, k, n: E * (1 - (1 - 1 / E) ** (k * n)),
            "This is close, but not equal: it is right for n · k single draws, but the k experts of one token are always different.",
        ),
        Mistake(
            "exponential",
            lambda E, k, n: E * (1 - math.exp(-k * n / E)),
            "This is close, but not equal: exp(−k · n / E) is (1 − k/E)ⁿ only where k/E is tiny.",
        ),
        Mistake(
            "one-a-token",
            lambda E, k, n: E * (1 - (1 - 1 / E) ** n),
            "You let every token choose one expert, but it chooses k: it leaves a given one out with probability 1 − k/E.",
        ),
        Mistake(
            "never-left-out",
            lambda E, k, n: E * (1 - (k / E) ** n),
            "k/E is the probability that a token uses an expert; you need the probability that none of the tokens does.",
        ),
        Mistake(
            "used-by-all",
            lambda E, k, n: E * (k / E) ** n,
            "(k/E)ⁿ is the probability that all n tokens use an expert: one of them is enough.",
        ),
        Mistake(
            "per-expert",
            lambda E, k, n: k * n / E,
            "This is how many tokens one expert gets on average: the question asks how many experts get any.",
        ),
        Mistake(
            "left-out-by-one",
            lambda E, k, n: E * (1 - k / E) * n,
            "You multiplied by the number of tokens; the probabilities of n independent events multiply, which gives a power.",
        ),
        Mistake(
            "unused-share",
            lambda E, k, n: (1 - k / E) ** n,
            "This is the probability that one expert is left out by all tokens: the question asks how many are not.",
        ),
        Mistake(
            "unused",
            lambda E, k, n: E * (1 - k / E) ** n,
            "This is how many experts are left over: the question asks for those that are used.",
        ),
        Mistake(
            "share",
            lambda E, k, n: 1 - (1 - k / E) ** n,
            "This is the share of the experts: multiply by their number.",
        ),
        Mistake("one-token", lambda E, k, n: k, "This holds for a single token: n is not used."),
        Mistake("all", lambda E, k, n: E, "Not every expert is certain to be used: think of a single token first."),
        Mistake(
            "rounded",
            lambda E, k, n: round(E * (1 - (1 - k / E) ** n)),
            "The expected number need not be whole: return it without rounding.",
        ),
        Mistake(
            "cut-off",
            lambda E, k, n: int(E * (1 - (1 - k / E) ** n)),
            "The expected number need not be whole: you cut its fraction off.",
        ),
        *two_at_once("{}, and {}", _LEFT, _MADE, _both),
    ),
    hints=(
        "Take one expert. What is the probability that one token leaves it out, and that all n tokens do?",
        "k/E is the probability that a token uses a given expert; independent probabilities are multiplied.",
        "Start with: left_out = (1 - k / n_experts) ** tokens.",
    ),
    fresh=False,
    right="With 8 experts of which 2 are used, a batch of 8 tokens is expected to need 7.2 of the 8.",
)

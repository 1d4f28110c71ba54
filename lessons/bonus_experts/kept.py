"""Exercise: find out which tokens a limit on the experts' load lets through."""

import numpy as np

from whywrong.task import Case, Exercise, Fault, Key, Mistake, Returns, two_at_once
from whywrong.todo import holds_todo


def _cases(rng):
    cases = [Case((np.array([2, 0, 2, 2, 1, 0, 2]), 2), {"token": 7})]
    for tokens, experts, capacity in ((12, 4, 3), (9, 3, 1), (10, 2, 4), (5, 3, 5)):
        expert = rng.integers(experts, size=tokens)
        if capacity < tokens // 2:
            expert[[1, -2, -1]] = expert[0]  # the first one's expert is popular to the end
            expert[2 : 2 + capacity] = expert[0]
        cases.append(Case((expert, capacity), {"token": tokens}))
    return cases


def _in_turn(expert, capacity):
    """Let the tokens come one after the other, and keep a list of how full each expert is."""
    full, said = {}, []
    for index in expert.tolist():
        full[index] = full.get(index, 0) + 1
        said.append(float(full[index] <= capacity))
    return np.array(said)


def _run(answer, case):
    """Call the answer and turn True and False, 1 and 0, in a list or an array, into numbers."""
    said = answer(*case.args)
    if said is None or holds_todo(said):
        return said
    if isinstance(said, (list, tuple)) and all(isinstance(one, (bool, np.bool_, int, float)) for one in said):
        said = np.array(said, dtype=np.float64)
    if not isinstance(said, np.ndarray) or said.dtype.kind not in "biuf":
        raise Fault(Key.TYPE, "Return one True or False for each token, in an array or a list.")
    said, tokens = said.astype(np.float64), len(case.args[0])
    if said.ndim == 1 and 1 < said.size < tokens and (np.diff(said) > 0).all() and 1 < said[-1] < tokens:
        words = f"Your result lists numbers of tokens: return one True or False for each token, {tokens} of them here."
        raise Fault(Key.SHAPE, words)
    if said.shape == case.args[0].shape and np.isfinite(said).all() and not np.isin(said, (0, 1)).all():
        raise Fault(Key.VALUE, "Your result holds other numbers than 0 and 1: say True or False for each token.")
    return said


def _of_many_experts(answer):
    """See that a number of experts that is not given is not written in: neither 4 nor the number of tokens."""
    lead = "Experts 0 to 3 are right, but a token for expert 20 goes wrong: the number of experts is not given"
    case = Case((np.array([20, 5, 2, 20, 11, 2, 20, 5, 8, 2]), 2))
    wanted = _in_turn(*case.args)
    try:
        said = _run(answer, case)
    except (IndexError, KeyError):
        raise Fault(Key.RAISES, f"{lead}. A dict that you read with .get takes every number.") from None
    if not np.array_equal(said, wanted):
        raise Fault(Key.VALUE, f"{lead}. np.unique(expert) gives the numbers that occur.")


def _before(expert):
    """Return how many tokens of the same expert stand before each token."""
    return np.array([(expert[:i] == e).sum() for i, e in enumerate(expert)])


# What can be wrong in the comparison with the capacity, and in what is counted.
_COMPARED = {
    "one-too-few": (lambda before, c: before + 1 < c, "each expert takes one token too few"),
    "one-too-many": (lambda before, c: before <= c, "each expert takes one token too many"),
    "dropped": (lambda before, c: before >= c, "True and False are swapped"),
}
_COUNTED = {
    "last-ones": (lambda e: _before(e[::-1])[::-1], "the last tokens of an expert come first"),
    "all-experts-together": (lambda e: np.arange(len(e)), "the tokens of all experts are counted together"),
}


def _both(compared, counted):
    return lambda e, c: compared(counted(e), c)


EXERCISE = Exercise(
    id="bonus_experts.kept",
    kind="function",
    cases=_cases,
    oracle=_in_turn,
    returns=(Returns("the result", ("token",)),),
    run=_run,
    afterwards=_of_many_experts,
    mistakes=(
        Mistake(
            "grouped",
            lambda e, c: (_before(e) < c)[np.argsort(e, kind="stable")],
            "Your answers are in the order of the experts, one expert after the other: put them in the order of the tokens.",
        ),
        Mistake(
            "first-expert",
            lambda e, c: np.cumsum(e == e[0]) <= c,
            "You count the tokens of one expert only, and that count decides for all: each expert needs its own count.",
        ),
        Mistake(
            "all-experts-together",
            lambda e, c: np.arange(len(e)) < c,
            "You counted all tokens together: each expert has a capacity of its own.",
        ),
        Mistake(
            "places-pooled",
            lambda e, c: np.arange(len(e)) < c * len(set(e.tolist())),
            "You pooled the places of all experts: a full expert drops its tokens, even where another has places left.",
        ),
        Mistake(
            "number-of-the-expert",
            lambda e, c: e < c,
            "You compare the expert's number with the capacity; compare how many of its tokens came before.",
        ),
        Mistake(
            "one-too-few",
            lambda e, c: _before(e) + 1 < c,
            "Each expert takes one token too few: with capacity 3, the third still fits.",
        ),
        Mistake(
            "one-too-many",
            lambda e, c: _before(e) <= c,
            "Each expert takes one token too many: count the token itself as well as those before it.",
        ),
        Mistake(
            "last-ones",
            lambda e, c: _before(e[::-1])[::-1] < c,
            "You kept the last tokens of each expert; the first ones come first.",
        ),
        Mistake(
            "dropped",
            lambda e, c: _before(e) >= c,
            "True and False are swapped: True means that the token is kept.",
        ),
        Mistake(
            "all-or-none",
            lambda e, c: np.array([(e == one).sum() <= c for one in e]),
            "In your answer, an expert with too many tokens drops all of them; it still serves the first ones.",
        ),
        Mistake(
            "all",
            lambda e, c: np.ones(len(e), dtype=bool),
            "You keep every token, so no expert ever fills up: count how many tokens each one has taken, and compare with the capacity.",
        ),
        Mistake(
            "runs",
            lambda e, c: np.array([not (i >= c and (e[i - c : i] == e[i]).all()) for i in range(len(e))]),
            "You look at neighbours only: a token counts for its expert wherever it is in the sequence.",
        ),
        *two_at_once("{}, and {}", _COMPARED, _COUNTED, _both, {("dropped", "all-experts-together")}),
    ),
    hints=(
        "Let the tokens come in order of position, and remember for every expert how many it has taken.",
        "expert has the shape (tokens,) and holds numbers of experts; the result has the same shape and holds True and False.",
        "Start with: taken = {}, and go through expert.tolist(), counting with taken.get(e, 0).",
    ),
    right="A token's fate depends on those before it: here a layer made of FFNs is not position-wise.",
)

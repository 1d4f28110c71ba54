"""Exercise: wire one hidden unit by hand, so that it answers when two features are there."""

import itertools

import numpy as np

from course_lib.content import Case, Exercise, Fault, Key, Mistake, Returns


def _all_tokens(d_model):
    return np.array(list(itertools.product((0.0, 1.0), repeat=d_model)))


def _cases(rng):
    cases = []
    for d_model, a, b in ((3, 0, 2), (5, 3, 1), (7, 2, 5)):
        value = rng.uniform(0.5, 2, size=d_model) * rng.choice([-1, 1], size=d_model)
        cases.append(Case((d_model, a, b, value), {"d_model": d_model}))
    return cases


def _oracle(d_model, a, b, value):
    """Decide token by token with Python's own `and`."""
    return np.array([value if token[a] and token[b] else 0 * value for token in _all_tokens(d_model)])


def _run(answer, case):
    """Put the weights of the answer into the network and return its outputs on all tokens of zeros and ones."""
    parts = answer(*case.args)
    if parts is None:
        return None
    if not isinstance(parts, (tuple, list)) or len(parts) != 4:
        raise Fault(Key.TYPE, "Return four arrays: W1, b1, W2, b2.")
    d_model, arrays = case.args[0], []
    shapes = {"W1": (d_model, 1), "b1": (1,), "W2": (1, d_model), "b2": (d_model,)}
    for (name, shape), part in zip(shapes.items(), parts, strict=True):
        if part is None:
            raise Fault(Key.NONE, f"{name} is None: is an assignment missing?")
        if not isinstance(part, (np.ndarray, list, tuple, int, float)):
            return parts  # a TODO or a foreign type: the general checks find the words for it
        array = np.asarray(part, dtype=np.float64)
        if array.shape != shape:
            raise Fault(Key.SHAPE, f"{name} has shape {array.shape}; expected is {shape}, with d_model = {d_model}.")
        arrays.append(array)
    W1, b1, W2, b2 = arrays
    return np.maximum(_all_tokens(d_model) @ W1 + b1, 0) @ W2 + b2


def _wired(weight_a=1.0, weight_b=1.0, bias=-1.0, others=0.0, write=lambda value, a, b: value, always=0.0, shift=0):
    """Make an answer with one hidden unit; every option away from its default makes it a wrong one."""

    def hand_wired_and(d_model, a, b, value):
        W1 = np.full((d_model, 1), others)
        W1[a + shift], W1[b + shift] = weight_a, weight_b
        b1 = np.array([bias(d_model) if callable(bias) else bias])
        return W1, b1, np.array(write(value, a, b))[None, :], always * value

    return hand_wired_and


def _at_two_places(value, a, b):
    return np.where(np.isin(np.arange(len(value)), (a, b)), value, 0)


EXERCISE = Exercise(
    id="expand_and_contract.hand_wired_and",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the output", ("token", "d_model")),),
    run=_run,
    mistakes=(
        Mistake(
            "no-threshold",
            _wired(bias=0.0),
            "Your unit fires already when one of the two features is there: it needs a threshold.",
        ),
        Mistake(
            "threshold-too-low",
            _wired(bias=-0.5),
            "Your unit still fires a little for one feature alone, and too strongly for both: raise the threshold.",
        ),
        Mistake(
            "threshold-too-high",
            _wired(bias=-1.5),
            "Your unit fires for the right tokens, but at half strength: what is left of the sum after the threshold?",
        ),
        Mistake(
            "never",
            _wired(bias=-2.0),
            "Your unit never fires: with both features there, the threshold takes away the whole sum.",
        ),
        Mistake(
            "threshold-added",
            _wired(bias=1.0),
            "The threshold has the wrong sign: your unit fires even when both features are missing.",
        ),
        Mistake("only-a", _wired(weight_b=0.0, bias=0.0), "Your unit asks for feature a only."),
        Mistake("only-b", _wired(weight_a=0.0, bias=0.0), "Your unit asks for feature b only."),
        Mistake(
            "a-without-b",
            _wired(weight_b=-1.0, bias=0.0),
            "Your unit fires for a without b: one of its two weights has the wrong sign.",
        ),
        Mistake(
            "neither",
            _wired(weight_a=-1.0, weight_b=-1.0, bias=1.0),
            "Your unit fires when both features are missing: the signs of its weights and of its threshold are flipped.",
        ),
        Mistake(
            "all-count",
            _wired(others=1.0),
            "Your unit counts all features; the ones besides a and b must not matter.",
        ),
        Mistake(
            "all-needed",
            _wired(others=1.0, bias=lambda d_model: 1.0 - d_model),
            "Your unit fires only when every feature is 1; the ones besides a and b must not matter.",
        ),
        Mistake(
            "counted-from-one",
            _wired(shift=-1),
            "Your unit asks for the neighbours of a and b: features are counted from 0.",
        ),
        Mistake(
            "too-strong",
            _wired(weight_a=2.0, weight_b=2.0, bias=-2.0),
            "Your unit fires for the right tokens, but with strength 2, so the value comes out twice as large.",
        ),
        Mistake(
            "negated",
            _wired(write=lambda value, a, b: -value),
            "The right tokens are found, but the value has the wrong sign.",
        ),
        Mistake(
            "ones",
            _wired(write=lambda value, a, b: np.ones_like(value)),
            "The right tokens are found, but your unit answers with ones instead of the value.",
        ),
        Mistake(
            "two-places",
            _wired(write=_at_two_places),
            "The right tokens are found, but the value is written at the places a and b only: it has d_model numbers.",
        ),
        Mistake(
            "always-and-more",
            _wired(always=1.0),
            "The value is in b2 as well, so it is written for every token: b2 is what is said when no unit fires.",
        ),
        Mistake(
            "always",
            _wired(weight_a=0.0, weight_b=0.0, bias=0.0, always=1.0),
            "Every token gets the value: it stands in b2, which no unit can switch off.",
        ),
    ),
    hints=(
        "Let the unit add up the two features; its threshold must let only the sum 2 through, and leave 1 of it.",
        "W1 has shape (d_model, 1): its only column asks. W2 has shape (1, d_model): its only row answers.",
        "Start with: W1 = np.zeros((d_model, 1)), then W1[a] = 1.0 and W1[b] = 1.0.",
    ),
    right="One unit, one fact: a column that asks, a threshold, and a row that answers.",
)

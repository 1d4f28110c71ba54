"""Exercise: wire one hidden unit by hand, so that it answers when two features are there."""

import itertools

import numpy as np

from courseware import by_hand
from whywrong.task import Case, Exercise, Mistake, Returns, two_at_once


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
    d_model = case.args[0]
    shapes = {"W1": (d_model, 1), "b1": (1,), "W2": (1, d_model), "b2": (d_model,)}
    W1, b1, W2, b2 = by_hand.read(answer(*case.args), shapes, dict.fromkeys(shapes, f"here d_model is {d_model}"))
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


def _first_two(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[:2] = 1.0
    return W1, np.array([-1.0]), value[None], 0 * value


def _weighed_by_index(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[a], W1[b] = a, b
    return W1, np.array([-1.0]), value[None], 0 * value


def _indices_in_front(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[0], W1[1] = a, b
    return W1, np.array([-1.0]), value[None], 0 * value


def _up_for_down(d_model, a, b, value):
    W2 = np.zeros((1, d_model))
    W2[0, [a, b]] = 1.0
    return value[:, None].copy(), np.array([-1.0]), W2, 0 * value


def _taken_away(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[[a, b]] = 1.0
    return W1, np.array([0.0]), value[None], -value


def _value_asks(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[a], W1[b] = value[a], value[b]
    return W1, np.array([-1.0]), np.ones((1, d_model)), 0 * value


def _slice(d_model, a, b, value):
    W1 = np.zeros((d_model, 1))
    W1[a:b] = 1.0
    return W1, np.array([-1.0]), value[None], 0 * value


def _other_thresholds():
    """Name thresholds that let one feature through, or take away too much."""
    for threshold in (0.1, 0.2, 0.25, 0.3, 0.4, 0.6, 0.7, 0.75, 0.8, 0.9, 0.95, 0.99):
        yield Mistake(
            f"threshold-{threshold:g}",
            _wired(bias=-threshold),
            f"Your unit still fires for one feature alone: after the threshold, {1 - threshold:.2g} is left of one and "
            f"{2 - threshold:.3g} of both.",
        )
    for threshold in (1.1, 1.2, 1.25, 1.3, 1.4, 1.6, 1.7, 1.75, 1.8, 1.9, 1.95, 1.99):
        yield Mistake(
            f"threshold-{threshold:g}",
            _wired(bias=-threshold),
            f"Your unit fires for the right tokens, but the threshold leaves only {2 - threshold:.2g} of the sum.",
        )


def _from_a_to_b(d_model, a, b, value):
    """Fill in all weights between the two features."""
    W1 = np.zeros((d_model, 1))
    W1[min(a, b) : max(a, b) + 1] = 1.0
    return W1, np.array([-1.0]), value[None, :], np.zeros(d_model)


# What can be wrong in the threshold and in the rest of the unit.
_THRESHOLD = {
    "no-threshold": (
        {"bias": 0.0},
        "there is no threshold, so one of the two features is enough",
        "Your unit fires already when one of the two features is there: it needs a threshold.",
    ),
    "threshold-added": (
        {"bias": 1.0},
        "the threshold has the wrong sign",
        "The threshold has the wrong sign: your unit fires even when both features are missing.",
    ),
}
_REST = {
    "counted-from-one": (
        {"shift": -1},
        "the unit asks for the neighbours of a and b, because features are counted from 0",
        "Your unit asks for the neighbours of a and b: features are counted from 0.",
    ),
    "ones": (
        {"write": lambda value, a, b: np.ones_like(value)},
        "W2 holds ones instead of the value",
        "The right tokens are found, but your unit answers with ones instead of the value.",
    ),
    "two-places": (
        {"write": _at_two_places},
        "W2 holds the value only at the places a and b",
        "The right tokens are found, but the value is written only at the places a and b: all its d_model numbers belong in W2.",
    ),
}


def _both(threshold, rest):
    return _wired(**threshold, **rest)


EXERCISE = Exercise(
    id="expand_and_contract.hand_wired_and",
    kind="function",
    cases=_cases,
    oracle=_oracle,
    returns=(Returns("the output", ("token", "d_model")),),
    run=_run,
    mistakes=(
        Mistake(
            "threshold-too-low",
            _wired(bias=-0.5),
            "Your unit still fires a little for one feature alone, and too strongly for both: raise the threshold.",
        ),
        Mistake(
            "threshold-too-high",
            _wired(bias=-1.5),
            "Your unit fires for the right tokens, but at half strength. How much of the sum does the threshold leave?",
        ),
        Mistake(
            "never",
            _wired(bias=-2.0),
            "Your unit never fires: even with both features, the threshold takes away the whole sum.",
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
            "too-strong",
            _wired(weight_a=2.0, weight_b=2.0, bias=-2.0),
            "Your unit fires for the right tokens, but with strength 2, so the value comes out twice as large.",
        ),
        Mistake(
            "half-for-each",
            _wired(weight_a=0.5, weight_b=0.5, bias=0.0),
            "Each feature alone brings half of the value: a threshold must keep one feature from firing the unit.",
        ),
        Mistake(
            "double-and-low",
            _wired(weight_a=2.0, weight_b=2.0, bias=-1.0),
            "Your threshold is too low for these weights: one feature alone already gets through.",
        ),
        Mistake(
            "first-two",
            _first_two,
            "Your unit always asks for features 0 and 1: use a and b as the rows of W1.",
        ),
        Mistake(
            "weighed-by-index",
            _weighed_by_index,
            "Your unit uses the numbers a and b as weights. They say which two rows of W1 get a weight, and that weight is 1.",
        ),
        Mistake(
            "indices-in-front",
            _indices_in_front,
            "You wrote the numbers a and b into rows 0 and 1 of W1. They say which two rows get the weight 1.",
        ),
        Mistake(
            "up-for-down",
            _up_for_down,
            "W1 and W2 are swapped: W1 asks for the features a and b, and W2 holds the value that is written.",
        ),
        Mistake(
            "taken-away-in-b2",
            _taken_away,
            "Your threshold is in b2, after ReLU: a token with neither feature gets minus the value.",
        ),
        Mistake(
            "a-against-b",
            _wired(weight_a=-1.0, bias=0.0),
            "Your unit fires for b without a: one of its two weights has the wrong sign.",
        ),
        Mistake(
            "all-count-and-more",
            _wired(others=1.0, bias=0.0),
            "Your unit counts all features and has no threshold. Only a and b matter, and both must be there.",
        ),
        Mistake(
            "value-asks",
            _value_asks,
            "The value is in W1, where the question belongs. The answer, value, belongs in W2.",
        ),
        Mistake(
            "slice", _slice, "W1[a:b] sets every row from a up to, but not including, b. Set only the rows a and b."
        ),
        Mistake(
            "two-added",
            _wired(bias=2.0),
            "The bias 2 has the wrong sign and is too large: subtract a threshold that leaves 1 of the sum 2.",
        ),
        *_other_thresholds(),
        Mistake(
            "negated",
            _wired(write=lambda value, a, b: -value),
            "The right tokens are found, but the value has the wrong sign.",
        ),
        Mistake(
            "always-and-more",
            _wired(always=1.0),
            "The value is in b2 as well, so it is written for every token: b2 is the output when no unit fires.",
        ),
        Mistake(
            "ones-and-always",
            _wired(write=lambda value, a, b: np.ones_like(value), always=1.0),
            "The value is in b2, which is written for every token, and the unit adds ones. The value belongs in W2.",
        ),
        Mistake(
            "twice-minus-once",
            _wired(write=lambda value, a, b: 2 * value, always=-1.0),
            "b2 takes the value away from every token, even where the unit is silent: b2 must be 0.",
        ),
        Mistake(
            "no-threshold-and-always",
            _wired(bias=0.0, always=1.0),
            "Two things are wrong: the unit has no threshold, so one feature is enough, and b2 writes the value for every token.",
            two=True,
        ),
        Mistake(
            "always-less",
            _wired(always=-1.0),
            "b2 takes the value away from every token: when no unit fires, the output must be 0.",
        ),
        Mistake(
            "value-squared",
            _wired(write=lambda value, a, b: value**2),
            "The right tokens are found, but each number of the value comes out squared.",
        ),
        Mistake(
            "value-of-places",
            _wired(write=lambda value, a, b: np.full_like(value, value[a])),
            "The right tokens are found, but every place gets the same number: W2 must hold the whole value.",
        ),
        Mistake(
            "always",
            _wired(weight_a=0.0, weight_b=0.0, bias=0.0, always=1.0),
            "Every token gets the value, because it is in b2, which no unit can switch off.",
        ),
        Mistake(
            "others-forbid",
            _wired(others=-1.0),
            "The features besides a and b have weight −1, so they can keep your unit silent: they must not matter.",
        ),
        Mistake(
            "ones-at-two-places",
            _wired(write=lambda value, a, b: np.isin(np.arange(len(value)), (a, b)) * 1.0),
            "The right tokens are found, but your unit writes ones at the places a and b: W2 must hold the value.",
        ),
        Mistake(
            "from-a-to-b",
            _from_a_to_b,
            "Your unit also counts the features between a and b. Only a and b matter.",
        ),
        Mistake(
            "shifted-and-always",
            _wired(shift=-1, always=1.0),
            "Two things are wrong: features are counted from 0, so a - 1 is another feature, and b2 writes the value for every token.",
            two=True,
        ),
        *two_at_once("{}, and {}", _THRESHOLD, _REST, _both, right=({}, {})),
    ),
    hints=(
        "Let the unit add up the two features, to 0, 1 or 2. Which threshold lets only one of these through, and how much of it is left?",
        "W1 has shape (d_model, 1): its only column asks. W2 has shape (1, d_model): its only row answers.",
        "Start with: W1 = np.zeros((d_model, 1)), then W1[[a, b]] = 1.0. b2 is np.zeros(d_model).",
    ),
    right="One unit, one fact: a column that asks, a threshold, and a row that answers.",
)

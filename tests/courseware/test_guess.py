"""A guess is no test: every honest one is done, the reply says how near it came, and what cannot be read says why."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from courseware.content import Claim, Prediction, Reply
from courseware.guess import judged, plain, shown
from whywrong.todo import TODO

HINTS = ("an idea", "shapes", "a line")
NUMBER = Prediction(
    **{"id": "t.predict_n", "title": "A number", "name": "guess", "hints": HINTS, "right": "Two hundred it is."},
    kind="number",
    answer=200,
    replies=(Reply(100, "That is the half."), Reply(0.5, "That is a share.")),
)
WORD = replace(NUMBER, kind="word", answer="all rows", replies=(Reply("one row", "More than one."),))
SHAPE = replace(NUMBER, kind="shape", answer=(4, 12), replies=(Reply((12, 4), "Turned round."),))
CHOICE = replace(
    NUMBER, kind="choice", answer=50, choices=(25, 50, 75, 90), printed=(48.2, 48), replies=(Reply(25, "More."),)
)
WORDS = replace(CHOICE, answer="half", choices=("none", "half", "all"), printed=(), replies=(Reply("all", "Fewer."),))
CLAIMS = replace(
    NUMBER,
    kind="claims",
    claims={
        "A": Claim("a", "true", {"false": "No condition is needed."}),
        "B": Claim("b", "false", {"true": "Only single layers are."}),
        "C": Claim("c", "false", {"true": "C is false."}),
    },
    answer={"A": "true", "B": "false", "C": "false"},
    replies=(),
)
END = "Two hundred it is."


def guessed(prediction, guess):
    """Return the message and the nearness of an honest guess."""
    verdict = judged(prediction, guess)
    assert verdict.status == verdict.key == "guessed", verdict
    assert verdict.evidence == verdict.printed == ""
    return verdict.message, verdict.near


def test_the_printed_number_is_always_right():
    for printed in (48.2, 48):
        assert guessed(CHOICE, printed) == (f"You guessed {printed}, and that is right. {END}", True)
    half = replace(NUMBER, answer=0.5, printed=(0.501, 50.1))
    assert [guessed(half, guess)[1] for guess in (0.501, 50.1, 50)] == [True, True, False]
    share = replace(WORDS, printed=(0.5,))  # a word was asked for, and the number printed says the same
    assert guessed(share, 0.5) == (f"You guessed 0.5, and that is right. {END}", True)
    bounded = replace(half, low=0, high=1)
    assert guessed(bounded, 50.1)[1] is True  # although it lies outside


@pytest.mark.parametrize(
    ("guess", "distance", "near"),
    [
        (199, "close", True),
        (171, "close", True),
        (229, "close", True),
        (169, "too low", False),
        (250, "too high", False),
        (600, "too high, by a factor of 3", False),
        (70, "too low", False),
        (50, "too low, by a factor of 4", False),
        (2e6, "too high, by a factor of 10,000", False),
        (-10, "too low", False),
        (0, "too low", False),
    ],
)
def test_how_close_a_number_came(guess, distance, near):
    assert guessed(NUMBER, guess) == (f"You guessed {shown(guess)}; the answer is 200: {distance}. {END}", near)


# ---- claims ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "guess",
    [
        {"A": "true", "B": "false", "C": "false"},
        "true false false",
        "True  FALSE false\n",
        {"A": True, "B": " False ", "C": np.False_, "D": "true"},
    ],
)
def test_all_claims_judged_as_the_evidence_does(guess):
    assert guessed(CLAIMS, guess) == (f"You judged 3 of 3 claims as the evidence does. {END}", True)


def test_each_claim_judged_otherwise_is_answered():
    message, near = guessed(CLAIMS, {"A": False, "B": True, "C": "false"})
    assert message == (
        "You judged 1 of 3 claims as the evidence does. A is true: No condition is needed. "
        "B is false: Only single layers are."
    )
    assert near is False
    six = {letter: Claim(letter, "true", {"false": f"{letter} holds."}) for letter in "ABCDEF"}
    many = replace(CLAIMS, claims=six, answer=dict.fromkeys(six, "true"))
    assert guessed(many, "true " * 5 + "false") == (
        "You judged 5 of 6 claims as the evidence does. F is true: F holds.",
        True,
    )
    assert guessed(many, "true " * 4 + "false false")[1] is False


# ---- what cannot be read is no guess yet -----------------------------------------------------------------------------

FORM = "Write the shape as a tuple of whole numbers: (4, 5) for two axes, (4,) for one."
BOUNDED = replace(NUMBER, answer=0.5, low=0, high=1)
FAULTS = [
    *((one, None, "none", "Your guess is None") for one in (NUMBER, WORD, SHAPE, CHOICE, WORDS, CLAIMS)),
    (NUMBER, "200", "type", "Your guess must be a number, without quotes."),
    (NUMBER, "3/4", "type", "Your guess must be a number, without quotes."),
    (NUMBER, "1,024", "type", "Your guess must be a number, without quotes."),
    (NUMBER, "50 %", "type", "Your guess must be a number, without quotes."),
    (
        NUMBER,
        (0, 5),
        "type",
        "A comma makes two numbers, 0 and 5. Write decimals with a point, as in 0.5",
    ),
    (NUMBER, True, "type", "Your guess must be a number, but it is a bool."),
    (NUMBER, np.True_, "type", "Your guess must be a number"),
    (NUMBER, np.ones(1), "type", "Your guess must be a number, but it is a ndarray."),
    (NUMBER, 2j, "type", "Your guess must be a number"),
    (NUMBER, [200], "type", "Your guess must be a number, but it is a list."),
    (NUMBER, float("nan"), "nan", "Your guess is not a finite number."),
    (NUMBER, -np.inf, "nan", "Your guess is not a finite number."),
    (NUMBER, 10**400, "nan", "Your guess is not a finite number."),
    (BOUNDED, 12, "value", "The answer must lie between 0 and 1, so 12 is impossible. Guess again."),
    (BOUNDED, -0.5, "value", "The answer must lie between 0 and 1, so −0.5 is impossible. Guess again."),
    (replace(NUMBER, low=10), 9, "value", "The answer must lie at 10 or above, so 9 is impossible. Guess again."),
    (
        replace(NUMBER, high=1e6),
        2e6,
        "value",
        "The answer must lie at 1,000,000 or below, so 2,000,000 is impossible. Guess again.",
    ),
    (WORD, 3, "type", "Your guess must be a word in quotes, but it is an int."),
    (WORD, b"all rows", "type", "Your guess must be a word in quotes"),
    (WORD, "", "value", "Your guess is empty: write a word between the quotes."),
    (CHOICE, "50", "type", "Your guess must be a number, without quotes."),
    (CHOICE, 30, "value", "Choose one of 25, 50, 75, 90."),
    (CHOICE, 48.3, "value", "Choose one of 25, 50, 75, 90."),
    (replace(CHOICE, answer=0.5, choices=(0.5, -1, 2000)), 3, "value", "Choose one of 0.5, -1, 2000."),
    (WORDS, "some", "value", 'Choose one of "none", "half", "all".'),
    (WORDS, 50, "type", "Your guess must be a word in quotes, but it is an int."),
    (WORDS, True, "type", "Your guess must be a word in quotes, but it is a bool."),
    *(
        (SHAPE, guess, "type", FORM)
        for guess in (
            12,
            (),
            [],
            (4.0, 12),
            (True, 12),
            (np.True_, 12),
            {4, 12},
            ("4", "12"),
            "4 times 12",
            "4.5 x 12",
            "(4, n)",
            "",
        )
    ),
    (CLAIMS, "true false", "value", "There are 3 claims: judge each of A, B, C."),
    (CLAIMS, ["true"] * 3, "type", "Keep the form of the cell: a dict with a judgement for each of A, B, C."),
    (CLAIMS, {"A": "true", "C": "false"}, "value", "Claim B is missing: judge it too."),
    (CLAIMS, {"A": 1, "B": "false", "C": "false"}, "type", "The judgement of claim A must be a word in quotes."),
    (CLAIMS, "true maybe false", "value", "Judge claim B with one of the words 'true' or 'false'."),
]


@pytest.mark.parametrize(("prediction", "guess", "key", "words"), FAULTS)
def test_guess_that_cannot_be_read(prediction, guess, key, words):
    verdict = judged(prediction, guess)
    assert (verdict.status, verdict.key) == ("not attempted", key) and verdict.message.startswith(words), verdict
    assert verdict.near is None and verdict.message[-1] in ".?"


@pytest.mark.parametrize("prediction", [NUMBER, WORD, SHAPE, CHOICE, CLAIMS], ids=lambda one: one.kind)
def test_blanks_are_not_attempted(prediction):
    for guess in (TODO, [TODO], (4, TODO), {"A": TODO}):
        verdict = judged(prediction, guess)
        assert (verdict.status, verdict.key) == ("not attempted", "todo")


def test_a_guess_that_raises_is_stopped_in_words():
    class Odd(tuple):
        def __iter__(self):
            raise ZeroDivisionError

    verdict = judged(SHAPE, Odd((4, 12)))
    assert (verdict.status, verdict.key) == ("stopped", "raises")


# ---- how a guess is kept and shown -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("guess", "kept"),
    [
        (200, 200),
        (np.float64(0.5), 0.5),
        (torch.tensor(3.0), 3),
        (Fraction(1, 4), 0.25),
        (True, True),
        (np.False_, False),
        ("a word" * 50, ("a word" * 50)[:80]),
        (np.str_("half"), "half"),
        (torch.Size([4, 12]), [4, 12]),
        ({"A": "true", "B": np.True_}, {"A": "true", "B": True}),
        (float("nan"), None),
        (len, None),
        ([len, 3], [None, 3]),
    ],
)
def test_what_is_kept(guess, kept):
    assert plain(guess) == kept and type(plain(guess)) is type(kept)

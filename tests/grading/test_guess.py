"""Predictions are judged by their data: each kind reads what learners write, and says what it cannot read."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import torch

from course_lib.content import Claim, Fault, Prediction, Reply
from course_lib.grading.grade import grade
from course_lib.grading.guess import NO_REPLY, guess_name, judge_guess
from course_lib.grading.todo import TODO

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
    NUMBER, kind="choice", answer=50, choices=(25, 50, 75), printed=(48.2, 48), replies=(Reply(25, "More."),)
)
WORDS = replace(CHOICE, answer="half", choices=("none", "half", "all"), printed=(), replies=(Reply("all", "Fewer."),))
CLAIMS = replace(
    NUMBER,
    kind="claims",
    claims={
        "A": Claim("a", "true", {"half": "A is true in all.", "false": "A is true."}),
        "B": Claim("b", "half", {"true": "Only in part.", "false": "In part it is."}),
        "C": Claim("c", "false", {"true": "C is false.", "half": "C is false in all."}),
    },
    answer={"A": "true", "B": "half", "C": "false"},
    replies=(),
)


class Shouting(str):
    """A word with methods of its own, which judging does not use."""

    def __str__(self):
        return "none"

    def strip(self, chars=None):
        raise RuntimeError


def judged(prediction, guess):
    """Return key and message of the verdict."""
    verdict = judge_guess(prediction, guess)
    assert verdict.status == ("correct" if verdict.key == "correct" else "not yet")
    return verdict.key, verdict.message


def fault(prediction, guess):
    """Return key and message of the fault."""
    with pytest.raises(Fault) as caught:
        judge_guess(prediction, guess)
    return str(caught.value.key), caught.value.message


RIGHT = [
    *((NUMBER, guess) for guess in (200, 200.0, Fraction(200), np.int64(200), np.float32(200), np.array(200))),
    *((NUMBER, guess) for guess in (torch.tensor(200), torch.tensor(200.0), 200 + 1e-5)),
    *((WORD, guess) for guess in ("all rows", "  All Rows ", "ALL ROWS\n", np.str_("all rows"), Shouting("all rows"))),
    *((SHAPE, guess) for guess in ((4, 12), [4, 12], torch.Size([4, 12]), np.zeros((4, 12)).shape, (np.int64(4), 12))),
    *((SHAPE, guess) for guess in ("(4, 12)", "4, 12", " [4,12] ", "(4, 12,)")),
    *((CHOICE, guess) for guess in (50, 50.0, np.float64(50), 48.2, 48)),
    *((WORDS, guess) for guess in ("half", " Half")),
    *((CLAIMS, guess) for guess in ({"A": "true", "B": "half", "C": "false"}, "true half false", "True  HALF false\n")),
    (CLAIMS, {"A": True, "B": "Half true ", "C": np.False_, "D": "true"}),
]


@pytest.mark.parametrize(("prediction", "guess"), RIGHT)
def test_right_guess(prediction, guess):
    assert judged(prediction, guess) == ("correct", "Two hundred it is.")


@pytest.mark.parametrize(
    ("prediction", "guess", "name", "says"),
    [
        (NUMBER, 100, "100", "That is the half."),
        (NUMBER, 0.5, "0.5", "That is a share."),
        (NUMBER, torch.tensor(0.5), "0.5", "That is a share."),
        (WORD, "ONE row", "one-row", "More than one."),
        (SHAPE, [12, 4], "12x4", "Turned round."),
        (SHAPE, "(12, 4)", "12x4", "Turned round."),
        (CHOICE, 25.0, "25", "More."),
        (WORDS, "All", "all", "Fewer."),
        (CLAIMS, "half half false", "A-half", "A: A is true in all."),
        (CLAIMS, {"A": True, "B": True, "C": True}, "B-true", "B: Only in part."),
        (CLAIMS, {"C": "half true", "B": "half", "A": "true"}, "C-half", "C: C is false in all."),
    ],
)
def test_common_wrong_guess_has_its_reply(prediction, guess, name, says):
    assert judged(prediction, guess) == (f"mistake:{name}", says)


@pytest.mark.parametrize(
    ("prediction", "guess"),
    [
        *((NUMBER, guess) for guess in (199, -200, 48)),
        *((WORD, guess) for guess in ("", "all  rows")),
        *((SHAPE, guess) for guess in ((4, 12, 1), (4,), "4 x 12", "(4, n)")),
        *((CHOICE, guess) for guess in (48.3, 99)),
        (WORDS, "some"),
    ],
)
def test_other_wrong_guess(prediction, guess):
    assert judged(prediction, guess) == ("value", NO_REPLY)


FORM = "Write the shape as a tuple of whole numbers: (4, 5) for two axes, (4,) for one."
FAULTS = [
    *((one, None, "none", "Your answer is None") for one in (NUMBER, WORD, SHAPE, CHOICE, WORDS, CLAIMS)),
    (NUMBER, "200", "type", "Your guess must be a number, but it is a str."),
    (NUMBER, True, "type", "Your guess must be a number, but it is a bool."),
    (NUMBER, np.True_, "type", "Your guess must be a number"),
    (NUMBER, np.ones(1), "type", "Your guess must be a number, but it is a ndarray."),
    (NUMBER, 2j, "type", "Your guess must be a number"),
    (NUMBER, [200], "type", "Your guess must be a number, but it is a list."),
    (NUMBER, float("nan"), "nan", "Your guess is not a finite number."),
    (NUMBER, -np.inf, "nan", "Your guess is not a finite number."),
    (NUMBER, 10**400, "nan", "Your guess is not a finite number."),
    (WORD, 3, "type", "Your guess must be a word in quotes, but it is an int."),
    (WORD, b"all rows", "type", "Your guess must be a word in quotes"),
    (CHOICE, "50", "type", "Your guess must be a number, but it is a str."),
    (WORDS, 50, "type", "Your guess must be a word in quotes, but it is an int."),
    *(
        (SHAPE, guess, "type", FORM)
        for guess in (12, (), [], (4.0, 12), (True, 12), (np.True_, 12), {4, 12}, ("4", "12"))
    ),
    (CLAIMS, "true half", "value", "There are 3 claims: judge each of A, B, C."),
    (
        CLAIMS,
        ["true", "half", "false"],
        "type",
        "Keep the form of the cell: a dict with a judgement for each of A, B, C.",
    ),
    (CLAIMS, {"A": "true", "C": "false"}, "value", "Claim B is missing: judge it too."),
    (CLAIMS, {"A": 1, "B": "half", "C": "false"}, "type", "The judgement of claim A must be a word in quotes."),
    (CLAIMS, "true maybe false", "value", "Judge claim B by one of the words 'true', 'half' and 'false'."),
]


@pytest.mark.parametrize(("prediction", "guess", "key", "words"), FAULTS)
def test_guess_that_cannot_be_read(prediction, guess, key, words):
    found, message = fault(prediction, guess)
    assert found == key and message.startswith(words)
    verdict = grade(prediction, guess)  # the same fault reaches the learner as a verdict
    assert (verdict.status, verdict.key, verdict.message) == ("not yet", key, message)


@pytest.mark.parametrize("prediction", [NUMBER, WORD, SHAPE, CHOICE, CLAIMS], ids=lambda one: one.kind)
def test_blanks_are_not_attempted(prediction):
    for guess in (TODO, [TODO], (4, TODO), {"A": TODO}):
        verdict = grade(prediction, guess)
        assert (verdict.status, verdict.key) == ("not attempted", "todo")


def test_tolerance_is_the_predictions_own():
    assert judged(NUMBER, 200.01)[0] == "value"
    rough = replace(NUMBER, tolerance=0.1)
    assert judged(rough, 219.9)[0] == judged(rough, 180.1)[0] == "correct" and judged(rough, 220.1)[0] == "value"
    assert judged(rough, 0.59)[0] == "mistake:0.5" and judged(rough, 0.61)[0] == "value"


def test_the_answer_comes_before_the_replies():
    near = replace(NUMBER, tolerance=0.6)
    assert judged(near, 100)[0] == "correct"


def test_names_of_guesses():
    assert [guess_name(guess) for guess in ((12, 3), (4,), 0.5, 12, "one row")] == ["12x3", "4", "0.5", "12", "one-row"]

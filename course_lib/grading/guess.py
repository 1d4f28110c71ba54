"""Judge a prediction by its data alone, so that a web page can judge it by the same rules."""

import numbers

import numpy as np

from course_lib.content import JUDGEMENTS, Fault, Key, Prediction, Status, Verdict
from course_lib.grading.compare import is_finite, is_number, kind_of, near, same_word

NO_REPLY = "That is not it: look again at what the cell above printed."


def judge_guess(prediction: Prediction, guess) -> Verdict:
    """Return the Verdict on a guess.

    Raises:
        Fault: the guess is None, or has not the form that the prediction asks for.
    """
    if guess is None:
        raise Fault(Key.NONE, "Your answer is None: write it down where TODO stood.")
    if prediction.kind == "claims":
        return _judge_claims(prediction, guess)
    guess = READ[prediction.kind](prediction, guess)
    if _agrees(prediction, guess, prediction.answer) or guess in prediction.printed:
        return Verdict(Status.CORRECT, Key.CORRECT, prediction.right)
    for reply in prediction.replies:
        if _agrees(prediction, guess, reply.guess):
            return Verdict(Status.NOT_YET, f"mistake:{guess_name(reply.guess)}", reply.says)
    return Verdict(Status.NOT_YET, Key.VALUE, NO_REPLY)


def guess_name(guess) -> str:
    """Return the name of a wrong guess, as verdicts carry it: "12x3" for a shape."""
    return "x".join(map(str, guess)) if isinstance(guess, tuple) else str(guess).replace(" ", "-")


def _read_number(prediction, guess):
    if not is_number(guess):
        raise Fault(Key.TYPE, f"Your guess must be a number, but it is {kind_of(guess)}.")
    if not is_finite(guess):
        raise Fault(Key.NAN, "Your guess is not a finite number.")
    return float(guess)


def _read_word(prediction, guess):
    if not isinstance(guess, str):
        raise Fault(Key.TYPE, f"Your guess must be a word in quotes, but it is {kind_of(guess)}.")
    return str.__str__(guess)


def _read_choice(prediction, guess):
    return (_read_word if isinstance(prediction.answer, str) else _read_number)(prediction, guess)


def _read_shape(prediction, guess):
    """Read a shape, a tuple or list of whole numbers, or its text."""
    if isinstance(guess, str):
        parts = str.__str__(guess).strip().strip("()[]").split(",")
        guess = [int(part) if part.strip().isdecimal() else None for part in parts if part.strip()]
        if None in guess:
            return ()
    sizes = list(guess) if isinstance(guess, (tuple, list)) else []
    whole = all(isinstance(size, numbers.Integral) and not isinstance(size, (bool, np.bool_)) for size in sizes)
    if not sizes or not whole:
        words = "Write the shape as a tuple of whole numbers: (4, 5) for two axes, (4,) for one."
        raise Fault(Key.TYPE, words)
    return tuple(int(size) for size in sizes)


READ = {"number": _read_number, "word": _read_word, "choice": _read_choice, "shape": _read_shape}


def _agrees(prediction, guess, value):
    if isinstance(value, str):
        return same_word(guess, value)
    return guess == value if isinstance(value, tuple) else bool(near(guess, float(value), prediction.tolerance))


def _judge_claims(prediction, guess):
    claims = prediction.claims
    letters = ", ".join(claims)
    if isinstance(guess, str):  # the words in order, without letters
        words = guess.split()
        if len(words) != len(claims):
            raise Fault(Key.VALUE, f"There are {len(claims)} claims: judge each of {letters}.")
        guess = dict(zip(claims, words, strict=True))
    if not isinstance(guess, dict):
        raise Fault(Key.TYPE, f"Keep the form of the cell: a dict with a judgement for each of {letters}.")
    for letter, claim in claims.items():
        word = _judgement(letter, guess)
        if word != claim.answer:
            return Verdict(Status.NOT_YET, f"mistake:{letter}-{word}", f"{letter}: {claim.replies[word]}")
    return Verdict(Status.CORRECT, Key.CORRECT, prediction.right)


def _judgement(letter, guess):
    if letter not in guess:
        raise Fault(Key.VALUE, f"Claim {letter} is missing: judge it too.")
    given = guess[letter]
    if isinstance(given, (bool, np.bool_)):
        return "true" if given else "false"
    if not isinstance(given, str):
        raise Fault(Key.TYPE, f"The judgement of claim {letter} must be a word in quotes.")
    word = str.__str__(given).strip().casefold().removesuffix(" true")
    if word not in JUDGEMENTS:
        words = f"Judge claim {letter} by one of the words 'true', 'half' and 'false'."
        raise Fault(Key.VALUE, words)
    return word

"""Reply to a prediction from its data alone, so that a web page can reply by the same rules.

A guess is not a test: every honest guess counts as done, and the reply says how close it came and answers its idea.
"""

import contextlib
import numbers
import re
import unicodedata

import numpy as np

from courseware.content import JUDGEMENTS, Prediction
from whywrong import errors, sandbox
from whywrong.form import is_finite, is_number, kind_of, same_word
from whywrong.task import Fault, Key, Status, Verdict
from whywrong.todo import holds_todo

EXACT = 1e-7  # relative difference up to which two numbers are the same


def reply_to(prediction: Prediction, guess) -> Verdict:
    """Return the Verdict on a guess.

    Raises:
        Fault: the guess is None, does not have the form that the prediction asks for, or is out of range.
    """
    if guess is None:
        raise Fault(Key.NONE, "Your guess is None: write it where TODO was.")
    if prediction.kind == "claims":
        return _reply_to_claims(prediction, guess)
    guess = READ[prediction.kind](prediction, guess)
    exact = is_answer(prediction, guess)
    says = next((reply.says for reply in prediction.replies if _same(guess, reply.guess)), "")
    near = exact or _near(prediction, guess)
    if exact:
        lead = f"You guessed {shown(guess)}, and that is right."
    elif isinstance(prediction.answer, str) or prediction.kind == "shape":
        lead = f"You guessed {shown(guess)}; the answer is {shown(prediction.answer)}."
    else:
        distance = _distance(prediction, guess, near)
        lead = f"You guessed {shown(guess)}; the answer is {shown(prediction.answer)}: {distance}."
    sentences = [lead, "" if exact else says, prediction.right]
    return Verdict(Status.GUESSED, Key.GUESSED, " ".join(filter(None, sentences)), near=near)


def judged(prediction: Prediction, guess) -> Verdict:
    """Return the Verdict on anything typed as a guess; never raises."""

    def reply(limits):
        if holds_todo(guess):
            how = "write your answer in its place, run that cell, then this one."
            raise Fault(Key.TODO, f"`{prediction.name}` is still TODO: {how}")
        return reply_to(prediction, guess)

    outcome = sandbox.run(reply)
    if outcome.error is None:
        return outcome.value
    found = errors.describe_error(outcome, prediction, guess, None)
    status = Status.STOPPED if found.status == Status.STOPPED else Status.NOT_ATTEMPTED  # nothing has been guessed yet
    return Verdict(status, found.key, found.says)


def is_answer(prediction: Prediction, guess) -> bool:
    """Return whether a guess, as READ returns it, is the answer or a number that the experiment prints for it."""
    return _same(guess, prediction.answer) or any(_same(guess, number) for number in prediction.printed)


def plain(guess):
    """Return a guess as it is kept: a number, a word, a list or a dict of them; None for anything else."""
    if isinstance(guess, dict):
        return {str(letter): plain(judgement) for letter, judgement in guess.items()}
    if isinstance(guess, (tuple, list)):
        return [plain(part) for part in guess]
    if isinstance(guess, (bool, np.bool_)):
        return bool(guess)
    if isinstance(guess, str):
        return str.__str__(guess)[:80]
    if is_number(guess) and is_finite(guess):
        number = float(guess)
        return int(number) if number.is_integer() else number
    return None


def shown(guess) -> str:
    """Write a guess or an answer as a sentence shows it."""
    if isinstance(guess, str):
        return f"“{guess}”"
    if isinstance(guess, (tuple, list)):
        return "(" + ", ".join(map(str, guess)) + ("," if len(guess) == 1 else "") + ")"
    number = float(guess)
    written = f"{int(number):,}" if number.is_integer() and abs(number) < 1e15 else f"{number:.4g}"
    return written.replace("-", "−")


def _same(guess, value):
    if isinstance(value, str) or isinstance(guess, str):
        return isinstance(value, str) and isinstance(guess, str) and same_word(guess, value)
    if isinstance(value, tuple) or isinstance(guess, tuple):
        return guess == value
    return abs(guess - float(value)) <= EXACT * max(1.0, abs(float(value)))


def _near(prediction, guess):
    answer = prediction.answer
    if isinstance(answer, str) or prediction.kind in ("choice", "shape"):  # being next to the answer counts for nothing
        return False
    return abs(guess - answer) <= prediction.close * (abs(answer) or 1.0)


def _distance(prediction, guess, near):
    if near:
        return "close"
    answer = float(prediction.answer)
    way = "high" if guess > answer else "low"
    ratio = max(abs(guess), abs(answer)) / min(abs(guess), abs(answer)) if guess * answer > 0 else 0
    return f"too {way}, by a factor of {shown(float(f'{ratio:.2g}'))}" if ratio >= 3 else f"too {way}"


_COMMA = re.compile(r"[-+]?\d+,\d+")  # 1,000 may be a thousand
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2},\d{3}")


def _written(prediction, text):
    """Return the number that a text means although Python would not read it: "0,5", "50 %" or "½"."""
    tidy = text.strip().replace("−", "-")
    percent = {1: 0.01, 100: 1.0}.get(prediction.high) if tidy.endswith("%") else None
    bare = tidy.removesuffix("%").rstrip() if percent else tidy
    if _COMMA.fullmatch(bare) and not _THOUSANDS.fullmatch(bare):
        return float(bare.replace(",", ".")) * (percent or 1.0)
    with contextlib.suppress(ValueError):
        if percent:
            return float(bare) * percent
        if len(bare) == 1 and not bare.isdecimal():
            return unicodedata.numeric(bare)
    raise Fault(Key.TYPE, "Your guess must be a number, without quotes.")


def _read_number(prediction, guess):
    if isinstance(guess, str):
        guess = _written(prediction, str.__str__(guess))
    if isinstance(guess, tuple) and len(guess) == 2 and all(isinstance(part, int) for part in guess):
        told = f"A comma makes two numbers, {guess[0]} and {guess[1]}. Write decimals with a point, as in 0.5"
        raise Fault(Key.TYPE, f"{told}, and thousands without a comma, as in 1000.")
    if not is_number(guess):
        raise Fault(Key.TYPE, f"Your guess must be a number, but it is {kind_of(guess)}.")
    if not is_finite(guess):
        raise Fault(Key.NAN, "Your guess is not a finite number.")
    guess = float(guess)
    low, high = prediction.low, prediction.high
    outside = (low is not None and guess < low) or (high is not None and guess > high)
    if outside and not any(_same(guess, printed) for printed in prediction.printed):
        raise Fault(
            Key.VALUE, f"The answer must lie {_range(low, high)}, so {shown(guess)} is impossible. Guess again."
        )
    return guess


def _range(low, high):
    if low is None:
        return f"at {shown(high)} or below"
    return f"at {shown(low)} or above" if high is None else f"between {shown(low)} and {shown(high)}"


def _read_word(prediction, guess):
    if not isinstance(guess, str):
        raise Fault(Key.TYPE, f"Your guess must be a word in quotes, but it is {kind_of(guess)}.")
    if not str.strip(guess):
        raise Fault(Key.VALUE, "Your guess is empty: write a word between the quotes.")
    return str.__str__(guess)


def _typed(choice):
    """Write a choice as it is typed into a cell."""
    return f'"{choice}"' if isinstance(choice, str) else repr(choice)


def _read_choice(prediction, guess):
    """Read a choice; a number that the experiment prints counts as the right choice."""
    words = isinstance(prediction.answer, str)
    if words and prediction.printed and is_number(guess) and is_finite(guess):
        read = float(guess)
    else:
        if words and not isinstance(guess, str):
            names = ", ".join(map(_typed, prediction.choices))
            told = f"Your guess must be a word in quotes, but it is {kind_of(guess)}. Choose one of {names}."
            raise Fault(Key.TYPE, told)
        read = (_read_word if words else _read_number)(prediction, guess)
    known = (*prediction.choices, *prediction.printed, *(reply.guess for reply in prediction.replies))
    if not any(_same(read, one) for one in known):
        raise Fault(Key.VALUE, f"Choose one of {', '.join(map(_typed, prediction.choices))}.")
    return read


def _read_shape(prediction, guess):
    """Read a shape: a tuple or a list of whole numbers, or its text, such as "4 x 12"."""
    if isinstance(guess, str):
        text = str.__str__(guess).strip().strip("()[]").casefold()
        parts = [part for part in re.split(r"[\s,;x×*]+|\bby\b", text) if part]
        guess = [int(part) for part in parts] if all(part.isdecimal() for part in parts) else []
    sizes = list(guess) if isinstance(guess, (tuple, list)) else []
    whole = all(isinstance(size, numbers.Integral) and not isinstance(size, (bool, np.bool_)) for size in sizes)
    if not sizes or not whole:
        raise Fault(Key.TYPE, "Write the shape as a tuple of whole numbers: (4, 5) for two axes, (4,) for one.")
    return tuple(int(size) for size in sizes)


READ = {"number": _read_number, "word": _read_word, "choice": _read_choice, "shape": _read_shape}


def _reply_to_claims(prediction, guess):
    claims = prediction.claims
    letters = ", ".join(claims)
    if isinstance(guess, str):  # the words in order, without letters
        words = guess.split()
        if len(words) != len(claims):
            raise Fault(Key.VALUE, f"There are {len(claims)} claims: judge each of {letters}.")
        guess = dict(zip(claims, words, strict=True))
    if not isinstance(guess, dict):
        raise Fault(Key.TYPE, f"Keep the form of the cell: a dict with a judgement for each of {letters}.")
    judged = {letter: judgement(letter, guess) for letter in claims}
    missed = [letter for letter, word in judged.items() if word != claims[letter].answer]
    count = len(claims) - len(missed)
    sentences = [f"You judged {count} of {len(claims)} claims as the evidence does."]
    sentences += [f"{letter} is {claims[letter].answer}: {claims[letter].replies[judged[letter]]}" for letter in missed]
    sentences += [] if missed else [prediction.right]
    return Verdict(Status.GUESSED, Key.GUESSED, " ".join(sentences), near=len(missed) <= len(claims) // 4)


def judgement(letter: str, guess: dict) -> str:
    """Return how one of several claims was judged, "true" or "false".

    Raises:
        Fault: the claim was not judged, or not in words that can be read.
    """
    if letter not in guess:
        raise Fault(Key.VALUE, f"Claim {letter} is missing: judge it too.")
    given = guess[letter]
    if isinstance(given, (bool, np.bool_)):
        return "true" if given else "false"
    if not isinstance(given, str):
        raise Fault(Key.TYPE, f"The judgement of claim {letter} must be a word in quotes.")
    word = str.__str__(given).strip().casefold()
    if word not in JUDGEMENTS:
        raise Fault(Key.VALUE, f"Judge claim {letter} with one of the words {' or '.join(map(repr, JUDGEMENTS))}.")
    return word

"""Every prediction is complete, and every guess gets the reply that its lesson has written for it.

Nothing about a prediction is random, so each guess is judged once.
"""

import re
from fractions import Fraction

import numpy as np
import pytest

from course_lib.desk import grade
from courseware.content import JUDGEMENTS
from courseware.guess import shown
from lessons import catalogue
from tests.lessons import cells
from tests.lessons.answers import CATALOGUE, PREDICTIONS, assert_documented

CLAIMS = [id for id in PREDICTIONS if CATALOGUE[id].kind == "claims"]
OTHERS = [id for id in PREDICTIONS if id not in CLAIMS]


def judged(id, guess):
    """Return the verdict on a guess, held against what is promised of every verdict."""
    verdict = grade(id, guess)
    assert_documented(id, verdict)
    return verdict


def sentences(prediction):
    """Return every sentence that a reader of a verdict can meet."""
    replies = [reply.says for reply in prediction.replies]
    return [prediction.right, *replies, *(says for one in prediction.claims.values() for says in one.replies.values())]


@pytest.mark.parametrize("id", PREDICTIONS)
def test_prediction_is_complete(id):
    prediction = CATALOGUE[id]
    assert re.fullmatch(r"[a-z0-9_]+\.predict_[a-z0-9_]+", id)
    assert prediction.name.isidentifier() and prediction.name.startswith("my_")
    assert prediction.title[0].isupper() and len(prediction.title.split()) > 1 and len(prediction.title) <= 40
    assert len(set(prediction.hints)) == 3
    for words in (*sentences(prediction), *prediction.hints):
        assert words.strip() == words and "\n" not in words and len(words) > 10, words
    assert all(words.removesuffix(")")[-1] in ".?!" for words in sentences(prediction))
    assert 0 < prediction.close <= 0.5 or id == "expand_and_contract.predict_hurried"  # of 6 per cent, a few points
    if prediction.low is not None or prediction.high is not None:
        assert prediction.kind == "number"
        assert (prediction.low is None or prediction.low <= prediction.answer) and (
            prediction.high is None or prediction.answer <= prediction.high
        )


def shown_before(id):
    """Return the cells of a prediction's notebook, and the places of the one that takes the guess and the check."""
    lesson = catalogue.lesson(id.partition(".")[0])
    notebook = cells.read(lesson)
    found, _ = cells.starters(notebook, [one.id for one in catalogue.predictions(lesson.name)])
    start = notebook.cells.index(cells.code_cells(notebook)[found[id]])
    end = next(
        place
        for place, cell in enumerate(notebook.cells)
        if cell.cell_type == "code" and id in cells.checked(cell.source)
    )
    return notebook.cells, start, end


@pytest.mark.parametrize("id", [id for id in OTHERS if CATALOGUE[id].choices])
def test_choices_are_those_that_the_notebook_offers(id):
    notebook, start, _ = shown_before(id)
    text = " ".join(cell.source for cell in notebook[max(start - 2, 0) : start + 1])
    numbers = cells.written_numbers(text)
    for low, high in re.findall(r"from (\d+) to (\d+)", text):
        numbers |= {float(number) for number in range(int(low), int(high) + 1)}
    missing = [one for one in CATALOGUE[id].choices if one not in (text if isinstance(one, str) else numbers)]
    assert missing == []


@pytest.mark.parametrize("id", [id for id in OTHERS if CATALOGUE[id].printed])
def test_printed_numbers_count_as_right(id):
    notebook, start, end = shown_before(id)
    outputs = [output for cell in notebook[start:end] if cell.cell_type == "code" for output in cell.outputs]
    text = " ".join(output.get("text") or output.data["text/plain"] for output in outputs)
    known = {CATALOGUE[id].answer, *CATALOGUE[id].printed}
    assert cells.written_numbers(text) & known, "the experiment prints none of them"
    for number in CATALOGUE[id].printed:
        verdict = judged(id, number)
        assert verdict.near and ", and that is right. " in verdict.message


def forms_of(prediction):
    """Return a right guess in all the forms in which learners may write it."""
    right = prediction.answer
    if isinstance(right, str):
        return [right, right.upper(), f" {right} ", np.str_(right)]
    if isinstance(right, tuple):
        sizes = ", ".join(map(str, right))
        texts = [f"({sizes})", sizes, f"[{sizes}]", f"({sizes},)"]
        return [right, list(right), tuple(np.int64(size) for size in right), *texts]
    if isinstance(right, dict):
        truths = {"true": True, "false": False}
        return [
            right,
            " ".join(right.values()),
            {letter: truths[word] for letter, word in reversed(right.items())},
            {letter: f" {word.capitalize()} " for letter, word in right.items()},
            {letter: np.bool_(word == "true") for letter, word in right.items()},
            right | {"Z": "true"},
        ]
    whole = [int(right), np.int64(right)] if float(right).is_integer() else []
    return [right, float(right), np.float64(right), np.array(float(right)), Fraction(str(right)), *whole]


@pytest.mark.parametrize("id", PREDICTIONS)
def test_right_guesses(id):
    for guess in forms_of(CATALOGUE[id]):
        verdict = judged(id, guess)
        assert verdict.status == verdict.key == "guessed" and verdict.near, repr(guess)
        assert verdict.message.endswith(f" {CATALOGUE[id].right}")


@pytest.mark.parametrize("id", OTHERS)
def test_every_reply_is_given_word_for_word(id):
    for reply in CATALOGUE[id].replies:
        message = judged(id, reply.guess).message
        assert message.startswith(f"You guessed {shown(reply.guess)}; the answer is {shown(CATALOGUE[id].answer)}")
        assert message.endswith(f" {reply.says} {CATALOGUE[id].right}")


@pytest.mark.parametrize("id", CLAIMS)
def test_every_wrong_judgement_is_answered_word_for_word(id):
    right = CATALOGUE[id].answer
    for letter, claim in CATALOGUE[id].claims.items():
        assert set(claim.replies) == set(JUDGEMENTS) - {claim.answer}
        for word, says in claim.replies.items():
            count, message = len(right), judged(id, right | {letter: word}).message
            assert (
                message
                == f"You judged {count - 1} of {count} claims as the evidence does. {letter} is {claim.answer}: {says}"
            )

"""The data with which a page replies to guesses and quizzes by the course's own rules and in its own words."""

from courseware.content import Prediction, Question
from courseware.guess import shown
from courseware.page.quiz import LETTERS
from courseware.page.verdict import SIGNS, WORDS
from lessons import catalogue
from publish.site import markdown


def prediction(one: Prediction) -> dict:
    """Return a prediction as plain JSON values; its sentences are HTML."""
    data = {
        "kind": one.kind,
        "answer": one.answer,
        "right": markdown.inline(one.right),
        "choices": list(one.choices),
        "printed": list(one.printed),
        "replies": [{"guess": reply.guess, "says": markdown.inline(reply.says)} for reply in one.replies],
        "low": one.low,
        "high": one.high,
        "close": one.close,
    }
    if one.claims:
        data["claims"] = {
            letter: {
                "text": markdown.inline(claim.text),
                "answer": claim.answer,
                "replies": {word: markdown.inline(says) for word, says in claim.replies.items()},
            }
            for letter, claim in one.claims.items()
        }
    return data


def question(one: Question) -> dict:
    """Return a question as plain JSON values; its texts are HTML."""
    return {
        "options": [
            {
                "letter": letter,
                "text": markdown.inline(option.text),
                "reason": markdown.inline(option.reason),
                "right": option.right,
            }
            for letter, option in zip(LETTERS, one.options, strict=False)
        ]
    }


def verdicts() -> dict:
    """Return the sign and the word of each status, as the course writes them."""
    return {str(status): f"{SIGNS[status]} {WORDS[status]}" for status in SIGNS}


def lessons(address) -> list[dict]:
    """Return what a table of progress needs of every lesson.

    Args:
        address: Lesson -> the address of its page.
    """
    return [
        {
            "name": one.name,
            "heading": one.headline,
            "address": address(one),
            "build": one.build,
            "parts": [
                {"id": id, "title": title, "guess": id.partition(".")[2] not in one.exercises}
                for id, title in catalogue.ids(one).items()
            ],
            "quiz": [question.id for question in catalogue.questions(one.name)],
            "answers": {guess.id: _answer(guess) for guess in catalogue.predictions(one.name)},
        }
        for one in catalogue.lessons()
    ]


def _answer(one):
    if one.kind == "claims":
        return ", ".join(f"{letter} {judgement}" for letter, judgement in one.answer.items())
    return shown(one.answer).strip("“”")

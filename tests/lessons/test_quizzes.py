"""The rules of good questions, for every quiz of the course."""

import re
from collections import Counter

import pytest

from courseware.page.quiz import LETTERS
from lessons import catalogue

QUESTIONS = {lesson.name: catalogue.questions(lesson.name) for lesson in catalogue.lessons()}
EVERY_QUESTION = [question for questions in QUESTIONS.values() for question in questions]
SHARED = 0.6  # so much of what a warm-up asks may be words of the quiz


def position(question) -> int:
    """Return the place of the right option."""
    return next(index for index, option in enumerate(question.options) if option.right)


def question_problems(question) -> list[str]:
    options = question.options
    found = []
    if sum(option.right for option in options) != 1:
        return ["exactly one option must be right"]
    if not 3 <= len(options) <= len(LETTERS):
        found.append(f"there are {len(options)} options")
    for kind in ("text", "reason"):
        words = [getattr(option, kind).strip() for option in options]
        if "" in words:
            found.append(f"an option has no {kind}")
        if len(set(words)) < len(words):
            found.append(f"two options have the same {kind}")
    if not question.prompt.strip():
        found.append("no prompt")
    return found


def again_problems(question) -> list[str]:
    """Report where a warm-up would ask what the quiz has asked: its reply may be remembered, and not the idea."""
    one, other = (set(re.findall(r"[\w√₁₂]+", each.prompt.lower())) for each in (question, question.again))
    shared = len(one & other) / len(other)
    texts = {option.text for option in question.options} & {option.text for option in question.again.options}
    found = [f"{shared:.0%} of the words of its prompt are those of the quiz"] * (shared >= SHARED)
    return found + [f"the option {text!r} is in the quiz, too" for text in sorted(texts)]


def lesson_problems(name, questions) -> list[str]:
    found = []
    if not all(re.fullmatch(rf"{name}\.[a-z]+(-[a-z]+)+", question.id) for question in questions):
        found.append("a name has words and hyphens")
    alone = [len(catalogue.asked(name, question.cell)) == 1 for question in questions]
    if alone != sorted(alone):
        found.append("a question that stands alone has no number, so it comes after those that have one")
    if len(questions) > 1 and len({position(question) for question in questions}) == 1:
        found.append("the right option is always at the same place")
    return found


def lengths(questions) -> dict[str, int]:
    """Count the questions whose right option alone is the longest, and those in which it alone is the shortest."""
    found = {"longest": 0, "shortest": 0}
    for question in questions:
        right = len(question.options[position(question)].text)
        others = [len(option.text) for option in question.options if not option.right]
        found["longest"] += right > max(others)
        found["shortest"] += right < min(others)
    return found


def length_problems(questions) -> list[str]:
    """Report an end at which the right option stands more often than chance; a sixth of the questions is the room."""
    chance = sum(1 / len(question.options) for question in questions)
    return [
        f"the right option is the {end} in {count} of {len(questions)} questions; chance is {chance:.0f}"
        for end, count in lengths(questions).items()
        if count > chance + len(questions) / 6
    ]


def course_problems(questions) -> list[str]:
    """Report places that hold the right option too often or too rarely; small courses are given some room."""
    counts = Counter(position(question) for question in questions)
    places = range(min(len(question.options) for question in questions))
    share = len(questions) / len(places)
    return [
        f"place {LETTERS[place]} is right in {counts[place]} of {len(questions)} questions"
        for place in places
        if not share / 2 - 1 <= counts[place] <= 1.5 * share + 1
    ]


@pytest.mark.parametrize("question", EVERY_QUESTION, ids=lambda question: question.id)
def test_question(question):
    assert question_problems(question) == []
    if question.again:
        assert question_problems(question.again) == again_problems(question) == []


@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_lesson(lesson):
    questions = QUESTIONS[lesson.name]
    assert lesson_problems(lesson.name, questions) == []
    if lesson.name == "start_here":
        assert not questions  # how the course works is no knowledge to ask about
    else:
        assert 3 <= len(questions) <= (40 if lesson.name == "review" else 15)  # the review asks about all of them


def test_course():
    for questions in (EVERY_QUESTION, [question.again for question in EVERY_QUESTION if question.again]):
        assert course_problems(questions) == []
        assert length_problems(questions) == []
    assert len({question.id for question in EVERY_QUESTION}) == len(EVERY_QUESTION)

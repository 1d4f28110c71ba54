"""The page replies to guesses and in quizzes as the course does: the same words, from the same data."""

import random
import re

import pytest

from course_lib import warm_up
from courseware.guess import reply_to, shown
from courseware.page import quiz
from lessons import catalogue
from publish.site import markdown, page_data, pages
from tests.site import node
from tests.site.conftest import SOME
from whywrong.task import Fault

NAMES = [lesson.name for lesson in catalogue.lessons()]
SOME_NAMES = [pytest.param(one.id, marks=one.marks) for one in SOME]
RULES = ("base.js", "guess.js")
ANSWERS = "([asked, guesses]) => guesses.map(([id, guess]) => course.reply(asked[id], guess))"
# Each option of each question, clicked one after the other, and what is said to it.
CHOSEN = """() => Array.from(document.querySelectorAll(".question"), box => [
    box.dataset.question,
    Array.from(box.querySelectorAll(".option"), option => {
        option.click();
        return box.querySelector(".reply").textContent;
    })])"""
# Each form filled in and sent; by keyboard, as a reader does it: test_walk.py.
FILLED = """answers => Array.from(document.querySelectorAll("form.guess"), form => {
    const { claims, place, words } = answers[form.dataset.prediction];
    const inputs = form.querySelectorAll("input");
    for (const [letter, word] of Object.entries(claims))
        form.querySelector(`input[name$="-${letter}"][value="${word}"]`).click();
    if (place !== null) inputs[place].click();
    if (words !== null) inputs[0].value = words;
    form.querySelector("button").click();
    return [form.dataset.prediction, form.querySelector(".reply").textContent];
})"""


def text(html: str) -> str:
    """Return the words of HTML with single blanks."""
    import html as entities

    return " ".join(entities.unescape(re.sub(r"<[^>]+>", "", html)).split())


def guesses(prediction) -> list:
    """Return the right answer, every named wrong one, unheard ones, and ones that cannot be."""
    if prediction.kind == "claims":
        right, letters = prediction.answer, list(prediction.claims)
        turned = {letter: "false" if word == "true" else "true" for letter, word in right.items()}
        one_wrong = [{**right, letter: turned[letter]} for letter in letters]
        return [right, turned, *one_wrong, {letter: right[letter] for letter in letters[1:]}, {**right, "A": "maybe"}]
    known = [
        prediction.answer,
        *prediction.printed,
        *(reply.guess for reply in prediction.replies),
        *prediction.choices,
    ]
    if prediction.kind == "number" or (prediction.kind == "choice" and not isinstance(prediction.answer, str)):
        rng = random.Random(0)
        scale = abs(prediction.answer) or 1.0
        known += [rng.uniform(0, 3) * scale for _ in range(20)] + [-1.0, 0, 1e-9, 1e21, 123456.789, 0.15625, 1000.5]
        known += [prediction.answer * factor for factor in (1.0001, 1.14, 1.16, 3, 1 / 3, -1)]
    elif prediction.kind == "shape":
        known += [(1,), (7, 7, 7), (2, 0)]
    else:
        known += ["unheard", " ", str(prediction.answer).upper() + " "]
    return known


def expected(prediction, guess) -> tuple:
    """Return what the course says to a guess: its words and whether it came near, or the words of a Fault."""
    try:
        verdict = reply_to(prediction, guess)
    except Fault as fault:
        return str(fault.message), None
    return text(markdown.inline(verdict.message)), verdict.near


def as_python(guess):
    return tuple(guess) if isinstance(guess, list) else guess


@pytest.mark.parametrize("name", NAMES)
def test_every_guess_gets_the_reply_of_the_course(name):
    asked = [(one, guess) for one in catalogue.predictions(name) for guess in guesses(one)]
    data = {one.id: page_data.prediction(one) for one, _ in asked}
    found = node.run(ANSWERS, [data, [[one.id, guess] for one, guess in asked]], *RULES)
    assert len(found) == len(asked) > 0
    different = []
    for (one, guess), answer in zip(asked, found, strict=True):
        wanted, near = expected(one, as_python(guess))
        said = answer.get("fault") or text(answer["html"])
        own = {  # a page has no quotes and no cells
            "Your guess is empty: write a word between the quotes.": "Your guess is empty: write a word.",
        }
        if (said, answer.get("near")) != (own.get(wanted, wanted), near):
            different.append((one.id, guess, said, wanted))
    assert different == []


def test_the_comparison_can_fail():
    """Another tolerance, or another sentence, is seen."""
    one = catalogue.predictions("linear_limits")[0]
    (answer,) = node.run(ANSWERS, [{one.id: {**page_data.prediction(one), "answer": 7}}, [[one.id, 42]]], *RULES)
    assert text(answer["html"]) != expected(one, 42)[0]


def test_numbers_are_written_as_the_course_writes_them():
    rng = random.Random(1)
    numbers = [rng.uniform(-1, 1) * 10.0 ** rng.randint(-9, 18) for _ in range(500)]
    numbers += [rng.randint(-(10**9), 10**9) / 16 for _ in range(500)]  # many of them ties
    numbers += [0, -0.5, 1e15, 1e14, 999999.5, 0.00001, 99995.0, 9999.5, 1234.5, -7]
    wanted = [shown(number) for number in numbers]
    assert node.run("numbers => numbers.map(course.shown)", numbers, *RULES) == wanted


@pytest.mark.parametrize("name", SOME_NAMES)
def test_every_form_takes_the_right_answer_and_opens_its_experiment(opened, name):
    page = opened(pages.address(catalogue.lesson(name)))
    predictions = {one.id: one for one in catalogue.predictions(name)}
    answers = {}
    for one in predictions.values():
        place = list(one.choices).index(one.answer) if one.kind == "choice" else None
        words = None if one.kind in ("claims", "choice") else shown(one.answer).strip("“”")
        answers[one.id] = {"claims": one.answer if one.kind == "claims" else {}, "place": place, "words": words}
    found = page.evaluate(FILLED, answers)
    assert sorted(predictions) == sorted(id for id, _ in found)
    for _, said in found:
        assert " ".join(said.split()).startswith("◆ Exactly. You ")
    assert page.locator("details.experiment:not([open])").count() == 0


@pytest.mark.parametrize("name", SOME_NAMES)
def test_every_option_of_every_question_gets_its_own_reply(opened, name):
    page = opened(pages.address(catalogue.lesson(name)))
    questions = {one.id: one for one in catalogue.questions(name)}
    if catalogue.lesson(name).number >= 2:
        questions |= {one.id: one for _, one in warm_up.asked(name)}
    found = page.evaluate(CHOSEN)
    assert sorted(questions) == sorted(id for id, _ in found)
    for id, replies in found:
        assert len(replies) == len(questions[id].options)
        for letter, option, said in zip(quiz.LETTERS, questions[id].options, replies, strict=False):
            lead = "✓ Correct" if option.right else "✗ Not yet"
            assert " ".join(said.split()) == f"{lead}, {letter}: {text(markdown.inline(option.reason))}"
    for box in page.locator(".quiz:has(.score)").all():
        count = box.locator(".question").count()
        assert count > 1 and box.locator(".score").inner_text() == f"Your score: {count} of {count}."

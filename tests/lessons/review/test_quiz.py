"""The questions of the review: their balance, and the numbers in them."""

from collections import Counter

from course_lib.model import accounting
from lessons import catalogue

QUESTIONS = catalogue.questions("review")


def place_of_right(question):
    return next(place for place, option in enumerate(question.options) if option.right)


def test_the_review_is_long_and_balanced():
    assert len(QUESTIONS) >= 24
    places = Counter(map(place_of_right, QUESTIONS))
    assert all(8 <= places[place] <= 12 for place in range(3))
    shortest = 0
    for question in QUESTIONS:
        lengths = [len(option.text) for option in question.options]
        shortest += lengths[place_of_right(question)] == min(lengths)
    assert shortest <= 0.5 * len(QUESTIONS), "the right option is the shortest too often"


def test_no_question_repeats_one_of_another_lesson():
    prompts = [question.prompt for lesson in catalogue.lessons() for question in catalogue.questions(lesson.name)]
    assert len(set(prompts)) == len(prompts)


def test_numbers_in_questions():
    models = {model.name: model for model in accounting.published_models()}
    assert models["BERT-base"].d_ff == models["GPT-2 small"].d_ff == 4 * 768 == 3072
    assert models["LLaMA-7B"].ffn_name == "SwiGLU" and round(accounting.ffn_share(models["DeepSeek-V3"]), 2) == 0.98

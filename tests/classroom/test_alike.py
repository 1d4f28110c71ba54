"""Whose notebooks are called alike: a copied one with other names is, honest ones drawn from right styles are not."""

import ast
import random
import re

import pytest

from classroom import alike, report, report_page
from classroom.judging import published, worked_cells
from lessons import catalogue
from tests.classroom.test_learners import AROUND, INFLUENCE, LESSON, a_class, learner
from tests.golden import known_answers

GUESS = [cell for cell in published(LESSON.name) if "check_gap" in cell or re.search(r"^my_\w+ = TODO", cell, re.M)]
REPLIES = [cell for cell in published(LESSON.name) if ".predict_" in cell]
CHECK = '\n\ncheck("position_independence.influence", {name})'
# Eight statements, in no way that the course has met.
OWN = """def influence(f, X):
    {comment}
    base = f(X)
    answer = []
    for k in range(len(X)):
        other = X.copy()
        other[k] -= {number}
        answer.append(np.abs(f(other) - base).max(axis=1) > 1e-9)
    return np.stack(answer, axis=1)"""
RENAMED = OWN
for old, new in (("base", "before"), ("answer", "found"), ("other", "moved"), ("k", "place"), ("X", "rows")):
    RENAMED = re.sub(rf"\b{old}\b", new, RENAMED)
SHORT = 'def rowwise(f, X):\n    return np.stack([f(x) for x in X])\n\ncheck("position_independence.rowwise", rowwise)'
# Six statements: longer, but not long enough to be a sign alone.
MIDDLE = """def influence(f, X):
    moved = np.zeros((len(X), len(X)), bool)
    for k in range(len(X)):
        Z = X + 7.25 * (np.arange(len(X)) == k)[:, None]
        moved[:, k] = np.linalg.norm(f(Z) - f(X), axis=1) > 1e-9
    return moved"""
BOTH = [["learner 0", "learner 1"]]


def cells(own=OWN, comment="# mine", number=7.5, guess="3"):
    made = own.replace("{comment}", comment).replace("{number}", str(number)) + CHECK.format(name="influence")
    return [*(cell.replace("TODO", guess) for cell in GUESS), *REPLIES, SHORT, made]


def found_alike(*notebooks):
    return alike.alike([learner(f"learner {n}", cells=found) for n, found in enumerate(notebooks)])


@pytest.mark.parametrize(
    "change", [{}, {"comment": "# changed"}, {"comment": '"""Changed."""'}, {"own": RENAMED}], ids=str
)
def test_the_same_guesses_and_a_very_long_answer_of_ones_own_are_alike(change):
    assert found_alike(cells(), cells(**change), cells(number=3)) == BOTH


@pytest.mark.parametrize("change", [{"number": 8.5}, {"guess": "4"}, {"own": "x = 1"}], ids=str)
def test_notebooks_that_differ_in_a_guess_or_a_longer_answer_are_not_alike(change):
    assert found_alike(cells(), cells(**change)) == []


def test_one_longer_answer_is_a_sign_with_an_odd_number_only():
    odd = [cells(MIDDLE, guess="23") for _ in range(3)]
    assert found_alike(*odd[:2]) == BOTH
    assert found_alike(*odd) == []  # so many may have had one reason


def test_two_longer_answers_that_the_course_has_never_met_are_a_sign():
    other = MIDDLE.replace("influence", "rowwise") + '\n\ncheck("position_independence.rowwise", rowwise)'
    assert found_alike([*cells(MIDDLE), other], [*cells(MIDDLE), other]) == BOTH


def test_nothing_but_short_answers_or_no_guess_makes_nobody_alike():
    short = "def influence(f, X):\n    M = f(X) > {number}\n    M = M[:, None]\n    return M\n"
    assert found_alike(cells(short), cells(short)) == []
    assert found_alike(cells(guess="TODO"), cells(guess="TODO")) == []


def test_what_the_course_shows_makes_nobody_alike():
    for own in worked_cells(LESSON.name):
        shown = [*cells("x = 1"), own]
        assert found_alike(shown, shown) == []
    filled = catalogue.half(INFLUENCE).replace("TODO", "f(X)")
    assert found_alike(cells(filled), cells(filled)) == []


def test_page_says_who_is_alike_without_a_word_of_blame():
    found = [learner(f"learner {n}", cells=cells()) for n in range(2)] + a_class()
    page = report_page.page(report.made(found, AROUND))
    assert "<li><bdi>learner 0</bdi>, <bdi>learner 1</bdi></li>" in page and "This proves nothing" in page
    assert not re.search("cheat|copied|plagiar", page, re.IGNORECASE)
    assert "are alike" not in report_page.page(report.made(a_class(), AROUND))


def test_names_are_evened_out_and_nothing_else():
    assert alike.normal("def f(x):\n    y = np.sum(x)\n    return y") == alike.normal(
        "def g(a):\n    b = np.sum(a)\n    return b"
    )
    assert alike.normal("def f(x):\n    return x + 1") != alike.normal("def f(x):\n    return x + 2")
    assert alike.normal("def f(x, y):\n    return x - y") != alike.normal("def f(x, y):\n    return y - x")


def test_the_known_answers_are_those_that_golden_keeps():
    assert alike.KNOWN.read_text(encoding="utf-8") == known_answers.text(), "make golden writes them"


LESSONS = ("position_independence",)


def honest(draw):
    """Return the notebooks of an honest learner: right answers in styles that the course has met, common guesses."""
    found = {}
    for lesson in LESSONS:
        sources = []
        for cell in published(lesson):
            match = re.search(r"^(my_\w+) = TODO", cell, re.M)
            if match:
                asked = next(one for one in catalogue.predictions(lesson) if one.name == match[1])
                common = [asked.answer, *(reply.guess for reply in asked.replies)]
                sources.append(cell.replace("TODO", repr(draw.choice(common))))
            elif ".predict_" in cell:
                sources.append(cell)
        for name in catalogue.lesson(lesson).exercises:
            id = f"{lesson}.{name}"
            code = draw.choice([one for one in known_answers._codes(id) if "TODO" not in one])
            handed = ast.parse(code).body[-1]
            sources.append(f'{code}\n\ncheck("{id}", {getattr(handed, "name", "answer")})')
        found[lesson] = sources
    return found


def test_of_thirty_honest_folders_none_is_named_in_twenty_draws():
    for seed in range(20):
        draw = random.Random(seed)
        class_of_30 = [learner(f"learner {n}") for n in range(30)]
        for one in class_of_30:
            one.submission.cells.update(honest(draw))
        assert alike.alike(class_of_30) == []


def test_among_honest_folders_one_that_was_copied_with_other_names_is_named():
    draw = random.Random(0)
    one_of, *others = (learner(f"learner {n}") for n in range(30))
    for one in others:
        one.submission.cells.update(honest(draw))
    first, second = learner("first"), learner("second")
    one_of.submission.cells.update(honest(draw))
    for one, own in ((first, OWN), (second, RENAMED)):
        one.submission.cells.update({**one_of.submission.cells, LESSON.name: cells(own)})
    assert alike.alike([*others, first, second]) == [["first", "second"]]

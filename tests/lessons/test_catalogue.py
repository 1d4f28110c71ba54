"""The lessons fit their folders and notebooks, broken data are told where, and no more is loaded than is needed."""

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter

import pytest

from course_lib.content import Exercise, Inspection, Lesson, Prediction, Task
from course_lib.lessons import catalogue
from tests.conftest import NOTEBOOKS

LESSONS = catalogue.lessons()
BY_NAME = {lesson.name: lesson for lesson in LESSONS}


def test_ids_are_unique_and_belong_to_their_lesson():
    ids = [(lesson.name, id) for lesson in LESSONS for id in catalogue.ids(lesson)]
    ids += [(lesson.name, question.id) for lesson in LESSONS for question in catalogue.questions(lesson.name)]
    assert [id for id, count in Counter(id for _, id in ids).items() if count > 1] == []
    assert [id for name, id in ids if not id.startswith(f"{name}.")] == []
    assert [id for _, id in ids if not re.fullmatch(r"[a-z0-9_]+\.[a-z0-9_-]+", id)] == []


def test_the_catalogue_holds_everything_in_order():
    found = catalogue.catalogue()
    assert list(found) == [id for lesson in LESSONS for id in catalogue.ids(lesson)]
    assert all(item.id == id and isinstance(item, Prediction | Exercise | Inspection) for id, item in found.items())


def test_folders_are_notebooks():
    assert sorted(path.name for path in catalogue.FOLDER.iterdir() if (path / "quiz.toml").is_file()) == sorted(BY_NAME)
    assert sorted(path.name for path in NOTEBOOKS.glob("*.ipynb")) == [lesson.notebook for lesson in LESSONS]
    assert [lesson.number for lesson in LESSONS] == list(range(len(LESSONS)))


@pytest.mark.parametrize("name", BY_NAME)
def test_what_a_lesson_says_of_itself(name):
    lesson = BY_NAME[name]
    assert isinstance(lesson, Lesson) and lesson.name == name and re.fullmatch(r"[a-z][a-z_]*", name)
    assert re.fullmatch(r"[A-Z].*[^.?!:]", lesson.title) and len(lesson.title) <= 30
    assert re.fullmatch(r"[A-Z].*\?", lesson.question) and len(lesson.question.split()) <= 8
    assert all(isinstance(task, Task) and 1 <= task.stars <= 3 for task in lesson.exercises.values())
    for low, high in (lesson.minutes, lesson.more or lesson.minutes):
        assert 1 <= low <= high <= 90
    assert lesson.minutes[1] <= 45
    assert lesson.needs.startswith("you need ") and not lesson.needs.endswith(".")
    titles = list(catalogue.ids(lesson).values())
    assert len(set(titles)) == len(titles)
    assert [title for title in titles if not 3 < len(title) <= 40 or title.strip() != title or title[-1] in ".!"] == []


@pytest.mark.parametrize("name", BY_NAME)
def test_every_module_with_an_exercise_is_listed(name):
    folder = catalogue.FOLDER / name
    found = {path.stem for path in folder.glob("*.py") if re.search(r"(?m)^EXERCISE = ", path.read_text("utf-8"))}
    assert found == set(BY_NAME[name].exercises)
    cells = re.findall(r"(?m)^# %% (.*)$", (folder / "solutions.py").read_text("utf-8"))
    assert cells == list(BY_NAME[name].exercises)


def test_a_lesson_and_an_exercise_by_their_names():
    assert catalogue.lesson("review") is BY_NAME["review"]
    with pytest.raises(
        ValueError, match=r"There is no lesson 'reviews'\. Did you mean 'review'\? Known are: start_here"
    ):
        catalogue.lesson("reviews")
    with pytest.raises(TypeError, match="lesson must be a string such as 'start_here', but int 9 was given"):
        catalogue.lesson(9)
    with pytest.raises(ValueError, match=r"no exercise 'linear_limits\.colapse'.*mean 'linear_limits\.collapse'\?"):
        catalogue.item("linear_limits.colapse")
    with pytest.raises(ValueError, match="Known are: start_here.predict_shape, start_here.double"):
        catalogue.item("linear.collapse")


@pytest.mark.parametrize("id", ["shared", "figures", "solutions", "__init__", ""])
def test_other_modules_are_no_exercises(id):
    with pytest.raises(ValueError, match="There is no exercise"):
        catalogue.item(f"build_the_ffn.{id}")


def test_solution_is_the_master_of_one_cell():
    master = catalogue.solution("start_here.double")
    assert master.startswith("def double(") and "### BEGIN SOLUTION" in master and "# %%" not in master
    assert catalogue.solution("start_here.predict_shape") is None


def test_a_copy_without_solutions(monkeypatch, tmp_path):
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    assert catalogue.solution("start_here.double") is None


# Each part of what a lesson's TOML may hold, with every key: half of it may be left out.
GOOD = """
[predict_number]
title = "A number"
name = "my_guess"
kind = "number"
answer = 6
right = "Six it is."
hints = ["one", "two", "three"]
printed = [6.1]
low = 1
high = 20
close = 0.3
[[predict_number.replies]]
guess = 5
says = "One is missing."

[predict_shape]
title = "A shape"
name = "my_shape"
kind = "shape"
answer = [4, 5]
right = "So it is."
hints = ["one", "two", "three"]
[[predict_shape.replies]]
guess = [5, 4]
says = "Turned."

[predict_choice]
title = "A choice"
name = "my_word"
kind = "choice"
answer = "all"
choices = ["all", "none"]
right = "All of them."
hints = ["one", "two", "three"]

[predict_claims]
title = "Some claims"
name = "my_verdicts"
kind = "claims"
right = "Settled."
hints = ["one", "two", "three"]
[predict_claims.claims.A]
text = "All is one."
answer = "false"
true = "Some is."
"""
GOOD_QUIZ = """
[[questions]]
prompt = "Why?"
[[questions.options]]
text = "So."
reason = "Because."
right = true
[[questions.options]]
text = "No."
reason = "Not so."
"""


@pytest.fixture
def lesson_with(monkeypatch, tmp_path):
    """Make the folder of a lesson "odd" with the given texts."""
    monkeypatch.setattr(catalogue, "FOLDER", tmp_path)
    (tmp_path / "odd").mkdir()

    def make(predictions=GOOD, quiz=GOOD_QUIZ):
        (tmp_path / "odd" / "predictions.toml").write_text(predictions, encoding="utf-8")
        (tmp_path / "odd" / "quiz.toml").write_text(quiz, encoding="utf-8")
        return catalogue.predictions.__wrapped__("odd"), catalogue.questions.__wrapped__("odd")

    return make


def test_good_data(lesson_with):
    predictions, questions = lesson_with()
    assert [one.id for one in predictions] == [f"odd.{name}" for name in tomllib.loads(GOOD)]
    number, shape, choice, claims = predictions
    assert (number.answer, number.printed, number.replies[0].guess) == (6, (6.1,), 5)
    assert (number.low, number.high, number.close) == (1, 20, 0.3)
    assert shape.answer == (4, 5) and shape.replies[0].guess == (5, 4)
    assert (shape.low, shape.high, shape.close) == (None, None, 0.15)
    assert choice.choices == ("all", "none") and choice.replies == choice.printed == ()
    assert claims.answer == {"A": "false"} and claims.claims["A"].replies == {"true": "Some is."}
    assert questions[0].id == "odd.quiz-1" and [option.right for option in questions[0].options] == [True, False]
    assert lesson_with("", "") == ((), ())


# What is changed in the good data: where it is told -> what stood there once, what stands there now, what is said.
BROKEN = {
    "odd.predict_number: ": [
        ('kind = "number"\n', "", "kind is missing."),
        ('kind = "number"', "kind = 3", "kind must be of type str, but 3 was given."),
        ('kind = "number"', 'kind = "numbers"', "kind must be one of number, word, shape, choice, claims, but "),
        ('kind = "number"', 'kind = "word"', "the answer 6 is no word."),
        ('kind = "number"', 'kind = "claims"', "claims belong to the kind 'claims', and to no other."),
        ("answer = 6\n", "", "answer is missing."),
        ("answer = 6\n", 'answer = "6"\n', "the answer '6' is no number."),
        ("answer = 6\n", "answer = true\n", "the answer True is no number."),
        ("guess = 5\n", "", "guess is missing."),
        ("guess = 5\n", 'guess = "5"\n', "the guess '5' is no number."),
        ("guess = 5\n", "guess = 5\nsay = 3\n", "unknown in a reply: say."),
        ("[[predict_number.replies]]", "[predict_number.replies]", "replies must be of type list, but {'guess': 5, "),
        (
            "\nclose = 0.3\n[[predict_number.replies]]",
            "\nreplies = [3]\n[x]",
            "a table is needed, but 3 was given.",
        ),
        ("[6.1]", "6.1", "printed must be of type list, but 6.1 was given."),
        ("close = 0.3", 'close = "small"', "close must be a number, but 'small' was given."),
        ("low = 1", "low = [1]", "low must be a number, but [1] was given."),
        ("high = 20", "high = true", "high must be a number, but True was given."),
        ("close", "closse", "unknown: closse."),
    ],
    "odd.predict_shape: ": [
        ("answer = [4, 5]", "answer = [4, 0.5]", "the answer [4, 0.5] is no shape."),
        ("answer = [4, 5]", "answer = 4", "the answer 4 is no shape."),
        ("guess = [5, 4]", "guess = 5", "the guess 5 is no shape."),
        ('says = "Turned."', "says = 3", "says must be of type str, but 3 was given."),
        ('title = "A shape"\n', "", "title is missing."),
        ('name = "my_shape"', "name = 1", "name must be of type str, but 1 was given."),
        ('right = "So it is."\n', "", "right is missing."),
        ('"So it is."\nhints = ["one", ', '""\nhints = [', "there must be three hints."),
        ('"So it is."\nhints = ["one"', '""\nhints = [1', "there must be three hints."),
        (
            '"So it is."\nhints = ["one", "two", "three"]',
            '""\nhints = ""',
            "hints must be of type list, but '' was given.",
        ),
    ],
    "odd.predict_choice: ": [
        ('answer = "all"', "answer = []", "the answer [] is no choice."),
        ('answer = "all"', 'answer = "most"', "the answer must be among the choices."),
        ('choices = ["all", "none"]\n', "", "choices belong to the kind 'choice', and to no other."),
        ('kind = "choice"', 'kind = "word"', "choices belong to the kind 'choice', and to no other."),
        ('["all", "none"]', '"all"', "choices must be of type list, but 'all' was given."),
    ],
    "odd.predict_claims: ": [
        ('kind = "claims"', 'kind = "word"', "claims belong to the kind 'claims', and to no other."),
        ("[predict_claims.claims.A]", "[[predict_claims.claims]]", "claims must be of type dict, but [{'text': "),
    ],
    "odd.predict_claims, claim A: ": [
        ('text = "All is one."\n', "", "text is missing."),
        ('answer = "false"', 'answer = "half"', "the answer must be one of true, false."),
        ('answer = "false"\n', "", "answer is missing."),
        ('answer = "false"', 'answer = "true"', "false is missing."),
        ('true = "Some is."\n', "", "true is missing."),
        ('true = "Some is."', "true = 1", "true must be of type str, but 1 was given."),
        ('true = "Some is."', 'half = ""\ntrue = ""', "unknown: half."),
        ("[predict_claims.claims.A]", "claims.A = 3\n[x]", "a table is needed, but 3 was given."),
    ],
    "odd.predict_x: ": [("[predict_number]", "predict_x = 3\n[predict_number]", "a table is needed, but 3 was given.")],
    "odd, predictions.toml: ": [
        ("answer = 6\n", "answer == 6\n", "Invalid value (at line 6, column 9)."),
        ("answer = 6\n", "answer = 6\nanswer = 7\n", "Cannot overwrite a value (at line 7, column 11)."),
    ],
    "odd.quiz-1: ": [
        ('prompt = "Why?"\n', "", "prompt is missing."),
        ('prompt = "Why?"', "prompt = 3", "prompt must be of type str, but 3 was given."),
        ('prompt = "Why?"', 'prompt = "Why?"\ntopic = 1', "unknown: topic."),
        ('prompt = "Why?"', 'prompt = ""\n[[questions]]\nprompt = ""', "options is missing."),
        ('prompt = "Why?"', 'prompt = ""\noptions = [3]\n[[questions]]', "a table is needed, but 3 was given."),
        ('text = "So."\n', "", "text is missing."),
        ('reason = "Because."\n', "", "reason is missing."),
        ("right = true", "right = 1", "right must be of type bool, but 1 was given."),
        ("right = true", "wrong = true", "unknown in an option: wrong."),
        ("right = true", "", "exactly one option must be right."),
        ('text = "No."', 'text = "No."\nright = true', "exactly one option must be right."),
    ],
    "odd, quiz.toml: ": [
        ("[[questions]]", "[[questions]", "Expected ']]' at the end of an array declaration (at line 2, column 12)."),
        ("[[questions]]", "[questions]", "questions must be of type list, but {'prompt': 'Why?', "),
    ],
}


@pytest.mark.parametrize(
    ("where", "old", "new", "words"),
    [(where, *change) for where, changes in BROKEN.items() for change in changes],
)
def test_broken_data_are_told_where(where, old, new, words, lesson_with):
    assert (GOOD + GOOD_QUIZ).count(old) >= 1
    with pytest.raises(ValueError) as raised:
        lesson_with(GOOD.replace(old, new, 1), GOOD_QUIZ.replace(old, new, 1))
    assert str(raised.value).startswith(where + words) and str(raised.value).endswith(".")


def in_a_new_python(program, **environment):
    """Run a program in a Python of its own, and return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_an_exercise_loads_its_own_lesson_only():
    printed = in_a_new_python(
        "import sys\n"
        "from course_lib.desk import grade\n"
        "from course_lib.lessons import catalogue\n"
        "assert grade('start_here.double', lambda x: x).key == 'mistake:unchanged'\n"
        "assert grade('start_here.predict_shape', 5).key == 'guessed'\n"
        "names = [name.split('.')[2:] for name in sys.modules if name.startswith('course_lib.lessons.')]\n"
        "print(sorted('.'.join(name) for name in names if name[1:]), 'torch' in sys.modules)\n"
        "print(catalogue.predictions.cache_info().currsize, catalogue.questions.cache_info().currsize)\n"
    )
    assert printed == "['start_here.double'] False\n1 0\n"


def test_lessons_are_listed_without_their_exercises():
    printed = in_a_new_python(
        "import sys\n"
        "from course_lib.lessons import catalogue\n"
        "print(len([catalogue.ids(lesson) for lesson in catalogue.lessons()]))\n"
        "names = [name for name in sys.modules if name.startswith('course_lib.lessons.')]\n"
        "print({name.count('.') for name in names}, 'torch' in sys.modules, 'matplotlib' in sys.modules)\n"
    )
    assert printed == f"{len(LESSONS)}\n{{2}} False False\n"


def test_importing_every_module_shows_and_writes_nothing(tmp_path):
    """The solutions too: they hold no call of check."""
    printed = in_a_new_python(
        "import importlib, pkgutil\n"
        "from course_lib import lessons\n"
        "for found in pkgutil.walk_packages(lessons.__path__, 'course_lib.lessons.'):\n"
        "    importlib.import_module(found.name)\n",
        COURSE_PROGRESS=str(tmp_path / "progress.json"),
    )
    assert printed == "" and list(tmp_path.iterdir()) == []

"""The lessons fit their folders and notebooks, their data are read, and no more is loaded than is needed."""

import os
import re
import subprocess
import sys
import tomllib
from collections import Counter

import nbformat
import pytest

from courseware.content import Lesson, Prediction, Task
from lessons import catalogue
from tests.conftest import NOTEBOOKS
from whywrong.task import Exercise, Inspection

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
    title = nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells[0].source
    assert title.startswith(f"# {lesson.headline}\n")
    assert all(isinstance(task, Task) and 1 <= task.stars <= 3 for task in lesson.exercises.values())
    for low, high in (lesson.minutes, lesson.more or lesson.minutes):
        assert 1 <= low <= high <= 150
    assert lesson.minutes[0] <= 45
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
id = "why-so"
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
    assert questions[0].id == "odd.why-so" and [option.right for option in questions[0].options] == [True, False]
    assert lesson_with("", "") == ((), ())


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
        "from lessons import catalogue\n"
        "assert grade('start_here.double', lambda x: x).key == 'mistake:unchanged'\n"
        "assert grade('start_here.predict_bank', 'B').key == 'guessed'\n"
        "names = [name.split('.')[1:] for name in sys.modules if name.startswith('lessons.')]\n"
        "print(sorted('.'.join(name) for name in names if name[1:]), 'torch' in sys.modules)\n"
        "print(catalogue.predictions.cache_info().currsize, catalogue.questions.cache_info().currsize)\n"
    )
    assert printed == "['start_here.double'] False\n1 0\n"


def test_importing_every_module_shows_and_writes_nothing(tmp_path):
    """The solutions too: they hold no call of check."""
    printed = in_a_new_python(
        "import importlib, pkgutil\n"
        "import lessons\n"
        "for found in pkgutil.walk_packages(lessons.__path__, 'lessons.'):\n"
        "    importlib.import_module(found.name)\n",
        COURSE_PROGRESS=str(tmp_path / "progress.json"),
    )
    assert printed == "" and list(tmp_path.iterdir()) == []

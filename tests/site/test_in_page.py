"""What a web page replies to the code of an exercise: what the notebook says, and a sentence where that has none."""

import json
import math
import re
import subprocess
import sys
from functools import cache

import numpy as np
import pytest

from course_lib import desk
from lessons import catalogue, in_numpy
from publish.author import derived
from publish.site import in_page
from tests.golden.cells import worked
from tests.golden.rows import BOTH, rows
from whywrong import judge, sandbox

TWICE = "def double(numbers):\n    return 2 * numbers\n"


@pytest.fixture(autouse=True)
def nothing_made(monkeypatch):
    monkeypatch.setattr(in_page, "_made", {})


def check(id, source):
    return json.loads(in_page.check(id, source, arrays=id in BOTH))


def shown_on_page(id, code):
    """Return a cell as the page shows it."""
    return in_numpy.cell(id, code) if id in BOTH else code


def run(source, id="start_here.double"):
    return json.loads(in_page.run(id, source))


def test_those_that_need_torch_are_the_listed_ones():
    """All others load where there is neither torch nor anything else that a web page has not."""
    program = (
        "import sys, tomllib\n"
        f"sys.modules.update(dict.fromkeys({sorted(MISSING)}))\n"
        "from lessons import catalogue, in_numpy\n"
        "def loads(id):\n"
        "    try:\n"
        "        return catalogue.item(id) is not None\n"
        "    except ModuleNotFoundError:\n"
        "        return False\n"
        "ids = [id for one in catalogue.lessons() for id in catalogue.ids(one)]\n"
        "print(sorted(in_numpy.NEEDS_TORCH) == sorted(id for id in ids if not loads(id)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("True\n", "")


MISSING = {"IPython", "PIL", "filelock", "ipywidgets", "matplotlib", "psutil", "torch", "traitlets"}


@cache
def made(source):
    return sandbox.load(source, in_page.NAMES).names


@pytest.mark.parametrize(
    "body",
    [
        "2 * numbers",
        "numbers",
        "numbers * numbers",
        "[print('a'), np.cos(3 * numbers)][1]",
        "numbers + undefined",
        "numbers[9]",
        "TODO",
        "None",
        "(exit(), 3)",
        "input()",
    ],
)
def test_reply_is_the_notebooks_word_for_word(monkeypatch, shown, kept, body):
    graded = judge.grade
    monkeypatch.setattr(judge, "grade", lambda item, answer, seed: graded(item, answer, 0))
    source = f"def double(numbers):\n    return {body}\n"
    found = check("start_here.double", source)
    notebook = made(f"from course_lib.desk import check, show_case\n{source}check('start_here.double', double)\n")
    assert notebook["show_case"] is desk.show_case
    said = [f"{found['sign']} {found['word']}. {found['message']}", found["evidence"]]
    said += ["On the first case your code printed:", found["printed"]] if found["printed"] else []
    assert shown.plain == ["\n".join(filter(None, said))]
    assert found["stopped"] == ""


CANNOT = "Python cannot read line %s of your code, `%s`: "


@pytest.mark.parametrize(
    ("source", "status", "message"),
    [
        ("", "not attempted", "Your code does not define `double`. Keep the name from the starter, because"),
        ("def twice(x):\n    return x", "not attempted", "Your code does not define `double`. Keep the name"),
        ("x = 1\ndef f(x:\n  pass", "stopped", "Python cannot read line 2 of your code, `def f(x:`: "),
        ("def double(x):\nreturn x", "stopped", "Python cannot read line 2 of your code, `return x`: expected an ind"),
        ("return 3", "stopped", "Python cannot read line 1 of your code, `return 3`: 'return' outside function."),
        (f"x = {'1 + ' * 99}", "stopped", f"Python cannot read line 1 of your code, `{('x = ' + '1 + ' * 99)[:59]}…`"),
        (
            "y = input()",
            "stopped",
            "Your code asked for input at `y = input()`: an answer must only compute and return",
        ),
        ("exit()", "stopped", "Your code tried to end the session at `exit()`: an answer must only compute and return"),
        (
            "raise SystemExit",
            "stopped",
            "Your code tried to end the session at `raise SystemExit`: an answer must only",
        ),
        ("[0] * 2**60", "stopped", "Your code was stopped because it asked for more than 512 megabytes of memory."),
        ("a = 1 / 0", "stopped", "Your code raised ZeroDivisionError at `a = 1 / 0`, "),
        ("import torches", "stopped", "There is no `torches` in a web page, only NumPy and what comes with Python. "),
        (
            "if 1:\n\u00a0pass",
            "stopped",
            CANNOT % (2, "pass") + "it contains a sign that Python does not know, U+00A0 (",
        ),
        (
            "x = “a”",
            "stopped",
            CANNOT % (1, "x = “a”") + "it contains a sign that Python does not know, U+201C (left dou",
        ),
        ("x = 'a’", "stopped", CANNOT % (1, "x = 'a’") + "a typographic quote neither begins nor ends a string. Type"),
        ("x = 1\n%time x", "stopped", CANNOT % (2, "%time x") + "that is a command of Jupyter"),
        ("!pip install x", "stopped", CANNOT % (1, "!pip install x") + "that is a command for a terminal"),
        (">>> if x:\n...   y", "stopped", CANNOT % (1, ">>> if x:") + "the prompt or number before it"),
        ("def f(x):\n   ...:   y", "stopped", CANNOT % (2, "...:   y") + "the prompt or number before it"),
        ("1 def f(x):\n2   y", "stopped", CANNOT % (1, "1 def f(x):") + "the prompt or number before it"),
        ("x = 1\nHere's what it does:", "stopped", CANNOT % (2, "Here's what it does:") + "that is text, and not"),
        ("If x is like y:\n  x", "stopped", CANNOT % (1, "If x is like y:") + "invalid syntax."),
        ("For i In x:\n  y", "stopped", CANNOT % (1, "For i In x:") + "Python tells capitals from small letters."),
        ("If (", "stopped", CANNOT % (1, "If (") + "'(' was never closed."),
        (
            "Print(3)",
            "stopped",
            "Your code raised NameError at `Print(3)`, because Python tells capitals from small letters",
        ),
    ],
)
def test_what_cannot_be_checked_gets_a_sentence(source, status, message):
    found = check("start_here.double", source)
    assert (found["status"], found["message"][: len(message)]) == (status, message)
    assert found["message"].endswith(".") and "Traceback" not in found["message"]
    assert run(source)["error"] == ("" if status == "not attempted" else found["message"])


def test_a_name_from_an_earlier_check_is_not_graded_again():
    assert check("start_here.double", TWICE)["key"] == "correct"
    assert check("start_here.double", "x = double(2)")["message"].startswith("Your code raised NameError")
    assert check("start_here.double", "def twice(numbers): ...")["key"] == "none"


def test_run_shows_what_is_printed_and_the_last_value():
    assert run("print('a')\nx = 2\nx + 1") == {"printed": "a\n", "value": "3", "error": ""}
    assert run("for _ in range(3):\n    pass") == {"printed": "", "value": "", "error": ""}
    assert run("print('a')\n1 / 0")["printed"] == "a\n"
    assert len(run("[0] * 9999")["value"]) == sandbox.MOST_PRINTED
    assert "Your code raised ZeroDivisionError" in run("class A:\n    def __repr__(self): 1 / 0\nA()")["error"]


def test_cells_of_a_lesson_use_what_those_before_define():
    run("k = 5\nnp = None")
    assert run("k, np.ones(1), math.pi > 3")["value"] == "(5, array([1.]), True)"
    assert "NameError" in run("k", "linear_limits.collapse")["error"]


def test_show_case_hands_out_what_failed():
    check("start_here.double", TWICE)
    said = "There is no failed case to show: the last check found none, or nothing has been checked yet.\n"
    assert run("show_case('start_here.double')") == {"printed": said, "value": "{}", "error": ""}
    found = check("start_here.double", "def double(numbers):\n    return numbers.sum() + numbers")
    assert found["evidence"].endswith("\nTo see this case, run show_case('start_here.double') below your code.")
    assert run("sorted(show_case('start_here.double'))")["value"] == "['numbers']"


@pytest.mark.parametrize("id", BOTH)
def test_all_that_is_said_of_arrays_is_in_the_words_of_numpy(id):
    item, code, why = catalogue.item(id, arrays=True), *catalogue.worked(id)
    said = [*item.hints, item.right, *(mistake.message for mistake in item.mistakes)]
    said += [shown_on_page(id, text) for text in (code, derived.starter(id), catalogue.half(id) or "")]
    for text in (*said, in_numpy.in_numpy(why)):
        assert not re.search(r"\btorch\b|\btensors?\b|\bdim=|\.double\(", text), text
    assert np.array_equal(item.tensor(np.ones(2)).numpy(), np.ones(2))  # the notebook has the same exercise


def test_arrays_are_graded_where_there_is_no_torch():
    """The worked cell is right, and a named mistake gets its sentence: in another process, which has no torch."""
    asked = {}
    for id in BOTH:
        mistake = next(row for row in rows(f"{id}.arrays") if row.name.startswith("answer: mistake: "))
        typed = "\n".join(line[2:] for line in mistake.title.splitlines()[1:])
        key = "mistake:" + mistake.name.removeprefix("answer: mistake: ").partition(",")[0]
        asked[id] = [(shown_on_page(id, worked(id)), "correct"), (in_numpy.given(id) + typed, key)]
    program = (
        "import json, sys\n"
        f"sys.modules.update(dict.fromkeys({sorted(MISSING)}))\n"
        "from publish.site import in_page\n"
        f"for id, answers in {asked}.items():\n"
        "    for source, key in answers:\n"
        "        found = json.loads(in_page.check(id, source, arrays=True))\n"
        "        if found['key'] != key:\n"
        "            print(id, key, found)\n"
        "print(all(sys.modules[name] is None for name in ['torch']))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=300)
    assert (done.stdout, done.stderr) == ("True\n", "")

"""What check, hint, half and solution show in a notebook, and what they remember."""

import subprocess
import sys

import ipywidgets
import numpy as np
import pytest

from course_lib import desk
from course_lib.desk import TODO, catalogue, check, explore, half, help_with, hint, show_case, solution
from courseware.content import Prediction
from courseware.page import output
from courseware.page.components import Component
from courseware.page.verdict import SIGNS, WORDS
from lessons import catalogue as lessons
from tests.conftest import statuses_of
from tests.courseware.page.samples import NOT_YET
from whywrong.task import Status

START, LIMITS = lessons.lesson("start_here"), lessons.lesson("linear_limits")


def twice(x):
    return 2 * x


def unchanged(x):
    return x


def words_of(box):
    """Return what stands in the box of a verdict."""
    start, words, *_, end = box.split("\n\n")
    assert start.startswith('<div class="course-verdict" style="border-left: ') and end == "</div>"
    return words


def shown_box(shown):
    """Return the outermost control that was shown last."""
    views = [output["data"].get("application/vnd.jupyter.widget-view+json") for output in shown.outputs]
    return ipywidgets.widgets.widget._instances[[view for view in views if view][-1]["model_id"]]


def test_check_wrong(shown, kept):
    check("start_here.double", unchanged)
    mistake = next(item for item in catalogue()["start_here.double"].mistakes if item.name == "unchanged")
    assert shown.plain[0].splitlines()[0] == f"{NOT_YET}. {mistake.message}"
    assert words_of(shown.markdown[0]).startswith(f"**{NOT_YET}.** {mistake.message}")
    assert statuses_of(kept) == {"start_here.double": "not yet"}


CHECKED = '\ncheck("start_here.double", double)'


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("\n\ndef double(x)\n    return x" + CHECKED, "line 1 of your code, `def double(x)`: expected ':'."),
        ("def double(x):\n  y = x\n    return y" + CHECKED, "line 3 of your code, `return y`: unexpected indent."),
        (
            "def double(x):\n    y = x\nreturn y" + CHECKED,
            "line 3 of your code, `return y`: 'return' outside function.",
        ),
        (
            "double = abs" + CHECKED[:-1],
            "line 2 of your code, `check(\"start_here.double\", double`: '(' was never closed.",
        ),
        ("def double(x)\n    return x", ""),  # of no exercise
        ("exec('1 +')" + CHECKED, ""),  # Python can read the cell itself
    ],
)
def test_a_cell_that_python_cannot_read(source, says, shell, shown, kept, capsys, monkeypatch):
    """In an exercise the reply is that of its page; elsewhere the message is Python's own."""
    monkeypatch.setattr(shell, "showsyntaxerror", shell.showsyntaxerror)  # as it is now, for other tests
    monkeypatch.setattr(shell, "showtraceback", shell.showtraceback)
    output.before_errors(desk._failed)
    assert not shell.run_cell(source, store_history=True).success
    python_says = "Error" in capsys.readouterr().out
    assert shown.plain == (
        [f"{SIGNS[Status.STOPPED]} {WORDS[Status.STOPPED]}. Python cannot read {says}"] if says else []
    ) and python_says == (not says)
    assert all(source in one for one in shown.markdown)  # to be copied
    assert statuses_of(kept) == ({"start_here.double": "stopped"} if says else {})


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ('# mine\nmy_guess = "A', 'Python cannot read line 2 of your code, `my_guess = "A`: '),
        ("my_count = 336 numbers", "Python cannot read line 1 of your code, `my_count = 336 numbers`: "),
        ("my_guess = A", '`A` is a name that Python does not know: text needs quotes on both sides, `"A"`.'),
        ("my_guess = TODO", ""),  # after a restart
        ("my_guess = 1 / 0", ""),
        ("my_own = A", ""),
    ],
)
def test_a_guess_that_python_cannot_read(source, says, shell, shown, kept, capsys, monkeypatch):
    for name in ("showsyntaxerror", "showtraceback"):
        monkeypatch.setattr(shell, name, getattr(shell, name))  # as it is now, for other tests
    output.before_errors(desk._failed)
    assert not shell.run_cell(source, store_history=True).success
    assert ("Error" in capsys.readouterr().out) == (not says) and statuses_of(kept) == {}
    assert [one.partition(". ")[2].startswith(says) for one in shown.plain] == [True] * bool(says)


def test_the_numbers_stand_below_the_verdict(shown, kept):
    def answer(numbers):
        print("sum:", numbers.sum().round(3))
        return numbers - np.sin(3 * numbers)

    check("start_here.double", answer)
    case = show_case("start_here.double")["numbers"]
    verdict, numbers, hand_out, words, printed = split(shown.plain[0])
    assert verdict.startswith(f"{NOT_YET}. ")
    assert numbers.startswith("Case 1 of ") and "numbers[0] = " in numbers and ", expected " in numbers
    assert hand_out == "To see this case, run show_case('start_here.double') below your code."  # imported here
    assert (words, printed) == ("On the first case your code printed:", f"sum: {case.sum().round(3)}")
    for block in (f"{numbers}\n{hand_out}", printed):
        assert f"```text\n{block}\n```" in shown.markdown[0]


def split(plain):
    """Return the first line, the lines of numbers as one, and the last three of what a check shows."""
    first, *numbers, hand_out, words, printed = plain.splitlines()
    return first, "\n".join(numbers), hand_out, words, printed


def test_show_case_hands_out_what_failed(shown, kept):
    check("start_here.double", twice)
    assert show_case("start_here.double") == {}
    assert (
        shown.plain[-1]
        == "There is no failed case to show: the last check found none, or nothing has been checked yet."
    )
    check("start_here.double", lambda x: x / 0)
    x = show_case("start_here.double")["x"]
    x[...] = 0
    assert show_case("start_here.double")["x"].any()
    with pytest.raises(ValueError, match=r"Did you mean 'start_here\.double'\?"):
        show_case("start_here.duble")


def test_check_a_guess(shown, kept):
    for guess in (36, 42, 36):
        check("linear_limits.predict_depth", guess)
    prediction = catalogue()["linear_limits.predict_depth"]
    says = next(reply.says for reply in prediction.replies if reply.guess == 36)
    first = f"◆ Guessed. You guessed 36; the answer is 42: too low. {says} {prediction.right}"
    kept_one = "(Your first guess, 36, is the one that is kept.)"
    assert shown.plain == [first, f"◆ Guessed. You guessed 42, and that is right. {prediction.right} {kept_one}", first]
    entry = kept.entries()["linear_limits.predict_depth"]
    assert (entry.status, entry.guess, entry.near, entry.attempts) == ("guessed", 36, False, 3)


def test_a_guess_that_cannot_be_read_is_not_kept(shown, kept):
    check("linear_limits.predict_depth", "six")
    assert shown.plain == ["○ Not attempted yet. Your guess must be a number, without quotes."]
    assert kept.entries() == {} and not kept.path.exists()


def test_what_went_wrong_is_remembered_by_its_key(shown, kept):
    for answer in (unchanged, lambda x: 2 * x + 1, lambda x: 1 / 0, unchanged):
        check("start_here.double", answer)
    hint("start_here.double")
    entry = kept.entries()["start_here.double"]
    assert (entry.attempts, entry.hints, entry.met) == (
        4,
        1,
        ["mistake:unchanged", "seen:constant", "slip:zero-division"],
    )


def test_check_not_attempted_is_not_remembered(shown, kept):
    check("start_here.double", TODO)
    check("start_here.double", lambda x: TODO)
    assert all(words.startswith("○ Not attempted yet. ") for words in shown.plain)
    for alone in ("start_here.double", unchanged):
        check(alone)
        assert shown.plain[-1].startswith("check needs the exercise and your answer: ")
    check("relu_vs_gelu.relu", abs)  # of 1.0.0, in a learner's notebook
    assert "'relu_vs_gelu.relu'" in shown.plain[-1] and shown.plain[-1].endswith("your code stays.")
    assert statuses_of(kept) == {} and not kept.path.exists()


@pytest.mark.parametrize("edition", ["whole", "without solutions"])
def test_solution_of_a_prediction_is_its_variable_after_the_guess(shown, kept, monkeypatch, tmp_path, edition):
    if edition == "without solutions":
        monkeypatch.setattr(lessons, "FOLDER", tmp_path)
    check("start_here.predict_bank", "B")
    solution("start_here.predict_bank")
    assert shown.plain[-1] == "my_guess = 'A'"
    for id, item in catalogue().items():
        if isinstance(item, Prediction):
            kept.record(id, Status.GUESSED)
            solution(id)
            found = {}
            exec(shown.plain[-1], found)
            assert found[item.name] == item.answer


@pytest.mark.parametrize("edition", ["whole", "without solutions"])
def test_solution_of_a_prediction_tells_nothing_before_the_guess(shown, kept, monkeypatch, tmp_path, edition):
    if edition == "without solutions":
        monkeypatch.setattr(lessons, "FOLDER", tmp_path)
    check("start_here.predict_bank", TODO)  # neither counts as a guess
    check("linear_limits.predict_depth", "six")
    for id, item in catalogue().items():
        if isinstance(item, Prediction):
            solution(id)
            assert shown.plain[-1] == (
                f"Your guess comes first: put it where TODO stands, in {item.name}, and run its check. "
                "Then run this again."
            )


def test_help_with_a_prediction_tells_nothing_before_the_guess(shown, kept, live):
    help_with("start_here.predict_bank")
    row, _, solved = shown_box(shown).children
    row.children[1].click()
    assert solved.outputs[0]["data"]["text/plain"].startswith("Your guess comes first: ")


def test_half_is_shown_to_copy_and_counts_as_one_hint(shown, kept, live):
    help_with("relu_vs_gelu.gelu_slope")
    row, _, place, _ = shown_box(shown).children
    for _ in range(3):  # shown, hidden, shown
        row.children[1].click()
    half("relu_vs_gelu.gelu_slope")
    assert place.outputs[0]["data"]["text/plain"] == shown.plain[-1]
    how, _, code = shown.plain[-1].partition("\n\n")
    assert how == "Copy it into your cell, above the last line, and replace each TODO."
    assert code == lessons.half("relu_vs_gelu.gelu_slope") and "share_below = TODO / 2" in code
    entry = kept.entries()["relu_vs_gelu.gelu_slope"]
    assert (entry.hints, entry.attempts, entry.met, entry.status) == (1, 0, [], Status.NOT_ATTEMPTED)
    hint("relu_vs_gelu.gelu_slope")
    assert shown.plain[-1].startswith("Hint 1 of 3: ")


def test_help_reveals_nothing_in_a_stored_output(shown, kept):
    said = {None: "In a running notebook, two buttons appear here: Hint and Solution."}
    three = "In a running notebook, three buttons appear here: Hint, Start from half and Solution."
    for id in catalogue():
        help_with(id)
        assert shown.plain[-1] == said.get(lessons.half(id), three)
    assert kept.entries() == {}


WHEN_LOADED = """
import resource, sys

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            print(resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY)

sys.meta_path.insert(0, Watch())
from course_lib.desk import grade

grade("relu_vs_gelu.gelu_slope", lambda x: x)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere a check does not limit the address space")
def test_torch_is_loaded_before_a_check_limits_the_memory():
    done = subprocess.run([sys.executable, "-c", WHEN_LOADED], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("True\n", "")


def test_a_component_is_refused_with_controls():
    with pytest.raises(TypeError, match="curve brings its own controls: call explore without speed"):
        explore(Component("curve", {}, still=()), speed=None)

"""Try publish.author.derived on a small course: what follows from the lessons' data, and what must fail."""

from dataclasses import replace

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from courseware.content import Claim, Lesson, Prediction, Task
from lessons import catalogue
from publish.author import derived
from whywrong.task import Inspection

HINTS = ("Think.", "Look at the shape.", "Begin with x.")
HALF = Task("Half", 5, 2)
FIRST = Lesson("first", 0, "The first", "How?", (10, 10), "you need nothing", {})
MIDDLE = Lesson("middle", 1, "In the middle", "Why?", (40, 40), "you need [00](00_first.ipynb)", {"half": HALF})
BONUS = Lesson("bonus_end", 2, "Bonus: the end", "What else?", (30, 45), "you need lesson [01](01_middle.ipynb)", {})
COURSE = (FIRST, MIDDLE, BONUS)
RENUMBERED = (FIRST, replace(BONUS, number=1), replace(MIDDLE, number=2, title="Renamed"))

NUMBER = Prediction("middle.predict_size", "The size", "my_size", "number", 3, "Yes.", HINTS)
CLAIMS = Prediction(
    id="middle.predict_claims",
    title="Two claims",
    name="my_verdicts",
    kind="claims",
    answer={"A": "true", "B": "half"},
    right="Yes.",
    hints=HINTS,
    claims={"A": Claim("It is wide.", "true", {}), "B": Claim("It is 50 % zero.", "half", {})},
)


def exercise(module, kind="function"):
    return Inspection(f"middle.{module}", kind, lambda rng: [], lambda answer, case: None, (), HINTS, "Yes.")


FUNCTION = '''def half(x):
    """Return half of x."""
    ### BEGIN SOLUTION: return TODO
    y = x / 2

    return y
    ### END SOLUTION
'''
CLASS = """class Half(nn.Module):
    def __init__(self, d):
        ### BEGIN SOLUTION: self.up, self.down = TODO, TODO
        super().__init__()
        self.up, self.down = d, d
        ### END SOLUTION

    def forward(self, x):
        ### BEGIN SOLUTION: return TODO  # was: \\1
        return x / 2
        ### END SOLUTION
"""


@pytest.fixture
def course(monkeypatch):
    """A course of three lessons; what it returns sets the master of the exercise middle.half."""
    items = {one.id: one for one in (NUMBER, CLAIMS, exercise("half"))}
    masters = {"middle.half": FUNCTION}
    monkeypatch.setattr(catalogue, "lessons", lambda: COURSE)
    monkeypatch.setattr(catalogue, "item", items.__getitem__)
    monkeypatch.setattr(catalogue, "solution", masters.get)
    return masters


@pytest.fixture
def renumber(monkeypatch):
    """Return a function that puts the last lesson before the middle one."""
    return lambda: monkeypatch.setattr(catalogue, "lessons", lambda: RENUMBERED)


@pytest.mark.parametrize(
    "master",
    [
        "def half(x):\n    return x / 2\n",
        FUNCTION.replace("    ### END SOLUTION\n", ""),
        FUNCTION.replace("    ### BEGIN SOLUTION: return TODO\n", ""),
        FUNCTION.replace(": return TODO", ""),
        FUNCTION.replace("    ### END", "        ### END"),
        CLASS.replace("        ### END SOLUTION\n", "", 1),
        CLASS.replace("self.down = d, d", "self.down = d, d\n        ### BEGIN SOLUTION: pass"),
    ],
    ids=["no marks", "no end", "no beginning", "no blank", "other indent", "end of one only", "beginning twice"],
)
def test_starter_never_shows_a_solution(course, master):
    course["middle.half"] = master
    with pytest.raises(ValueError, match="BEGIN SOLUTION"):
        derived.starter("middle.half")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[01 In the middle](01_middle.ipynb)", "[02 Renamed](02_middle.ipynb)"),
        ("[01](../notebooks/01_middle.ipynb#Why?)", "[02](../notebooks/02_middle.ipynb#Why?)"),
        ("[lesson 01, step 1](01_middle.ipynb)", "[lesson 02, step 1](02_middle.ipynb)"),
        (
            "[the bonus](02_bonus_end.ipynb) or [02](02_bonus_end.ipynb)",
            "[the bonus](01_bonus_end.ipynb) or [01](01_bonus_end.ipynb)",
        ),
        ("[00 The first](00_first.ipynb)", "[00 The first](00_first.ipynb)"),
        ("[01 Elsewhere](01_elsewhere.ipynb)", "[01 Elsewhere](01_elsewhere.ipynb)"),
        ("[01](https://example.org/01)", "[01](https://example.org/01)"),
    ],
)
def test_links_follow_a_lesson_that_is_renumbered(course, renumber, before, after):
    assert derived.relink(before) == before
    renumber()
    assert derived.relink(before) == after


def notebook():
    """Return the notebook of the lesson in the middle, out of date everywhere."""
    return new_notebook(
        cells=[
            new_markdown_cell("# 07 · Why?\n\n**A promise.**\n\n5 minutes · you need luck", id="title"),
            new_code_cell("from course_lib.desk import TODO, check", id="setup"),
            new_code_cell("guess = 3", id="predict-1"),
            new_code_cell("check('middle.predict_size', guess)", id="check-1"),
            new_code_cell("my_verdicts = {}", id="claims-1-judge"),
            new_code_cell('check("middle.predict_claims", my_verdicts)', id="claims-1-check"),
            new_markdown_cell("**4. Halves.** (optional) ★☆☆ · about 1 minute · NumPy\n\nReturn half of x.", id="ex-1"),
            new_markdown_cell("Any shape.", id="ex-1-how"),
            new_code_cell('help_with("middle.half")', id="ex-1-help"),
            new_code_cell('def half(x):\n    return x / 2\n\ncheck("middle.half", half)', id="ex-1-check"),
            new_markdown_cell("**Next:** [03 Bonus](03_bonus_end.ipynb)", id="reading"),
        ]
    )


@pytest.mark.parametrize(
    ("id", "source", "first"),
    [
        ("setup", "import math", "# what this lesson imports"),
        ("ex-1-help", 'help_with("middle.half")', "# hints and solution: half"),
        ("quiz", 'quiz("middle")', "# the quiz"),
        ("why-1", 'quiz("middle", "why-1")', "# a question"),
        ("warm-up", 'from course_lib.desk import warm_up\n\nwarm_up("middle")', "# the warm-up"),
        ("progress", "progress()", "# your progress"),
        ("guesses", "guesses()", "# your guesses"),
        ("opening", "show(*figures.line(3))", "# the picture's code"),
        ("explore-x", "figure = draw()\nexplore(\n    figure)", "# the picture's code"),
        ("explore-y", "# plumbing: sixteen widths\nfigure = draw()\nexplore(figure)", "# sixteen widths"),
        ("run-1", "# plumbing: train\ntrain()", "# train"),
        ("run-2", "# plumbing\ntrain()", "# the code behind this"),
    ],
)
def test_code_that_is_not_there_to_be_read_is_folded_and_has_a_name(id, source, first):
    cell = new_code_cell(source, id=id, metadata={"jupyter": {"outputs_hidden": True}})
    derived.fold(cell)
    assert cell.metadata["jupyter"] == {"source_hidden": True, "outputs_hidden": True}
    assert cell.source.splitlines()[0] == first
    before = cell.source
    derived.fold(cell)
    assert cell.source == before


@pytest.mark.parametrize(
    ("cell", "change", "complaint"),
    [
        ("title", {"id": "opening"}, "no cell 'title'"),
        ("title", {"source": "# Why?\n\nA promise.\n\n5 minutes"}, "title cell"),
        ("title", {"source": "# 07 · Why?\n\n5 minutes"}, "title cell"),
        ("predict-1", {"id": "guess-1"}, "no cell 'predict-1'"),
        ("claims-1-judge", {"id": "judge"}, "no cell 'claims-1-judge'"),
        ("ex-1-check", {"source": 'check("middle.third", half)'}, "middle.third"),
        ("ex-1", {"source": "Return half of x."}, r"No text above the check of 'middle\.half'"),
    ],
)
def test_notebook_that_does_not_fit(course, cell, change, complaint):
    broken = notebook()
    next(one for one in broken.cells if one.id == cell).update(change)
    with pytest.raises((LookupError, ValueError), match=complaint):
        derived.rewrite_notebook(broken, MIDDLE)

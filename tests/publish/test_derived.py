"""Try publish.derived on a small course: what follows from the lessons' data, and what must fail."""

from dataclasses import replace

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from course_lib.content import Claim, Lesson, Prediction, Task
from lessons import catalogue
from publish import derived
from whywrong.task import Inspection

HINTS = ("Think.", "Look at the shape.", "Begin with x.")
HALF = Task("Half", 5, 2)
FIRST = Lesson("first", 0, "The first", "How?", (10, 10), "you need nothing", {})
MIDDLE = Lesson("middle", 1, "In the middle", "Why?", (40, 40), "you need [00](00_first.ipynb)", {"half": HALF})
BONUS = Lesson("bonus_end", 2, "Bonus: the end", "What else?", (30, 45), "you need lesson [01](01_middle.ipynb)", {})
COURSE = (FIRST, MIDDLE, BONUS)
BUILD = Lesson("build_it", 3, "Build: it", "By hand?", (40, 55), "you need time", {}, after=1)
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
VALUE = """### BEGIN SOLUTION: total = TODO
d_model = 6
total = 2 * d_model
### END SOLUTION
"""
CLASS_STARTER = """class Half(nn.Module):
    def __init__(self, d):
        self.up, self.down = TODO, TODO

    def forward(self, x):
        return TODO  # was: \\1


check("middle.half", Half)"""


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
    ("master", "starter"),
    [
        (FUNCTION, 'def half(x):\n    """Return half of x."""\n    return TODO\n\n\ncheck("middle.half", half)'),
        (CLASS, CLASS_STARTER),
        (VALUE, 'total = TODO\ncheck("middle.half", total)'),
        ("unit = 2\n" + VALUE, 'unit = 2\ntotal = TODO\ncheck("middle.half", total)'),
    ],
    ids=["function", "class", "value", "value with a line before it"],
)
def test_starter_of_an_exercise(course, master, starter):
    course["middle.half"] = master
    assert derived.starter("middle.half") == starter


def test_starter_of_a_prediction(course):
    assert derived.starter(NUMBER.id) == "my_size = TODO"
    assert derived.starter(CLAIMS.id) == (
        'my_verdicts = {\n    "A": TODO,  # It is wide.\n    "B": TODO,  # It is 50 % zero.\n}'
    )


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


@pytest.mark.parametrize("last", ['check("middle.half", total)\n', "a, b = 1, 2\n"])
def test_master_must_end_in_what_is_checked(course, last):
    course["middle.half"] = VALUE + last
    with pytest.raises(ValueError, match="one variable"):
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


MAP = """| lesson | question | minutes |
| --- | --- | --- |
| [00 The first](notebooks/00_first.ipynb) | How? | 10 |
| [01 In the middle](notebooks/01_middle.ipynb) | Why? | 40 |
| [02 Bonus: the end](notebooks/02_bonus_end.ipynb) | What else? | 30–45 |"""


def test_map(course):
    assert derived.lesson_map("notebooks/") == MAP
    assert derived.lesson_map(first=1).splitlines()[2:] == [
        "| [01 In the middle](01_middle.ipynb) | Why? | 40 |",
        "| [02 Bonus: the end](02_bonus_end.ipynb) | What else? | 30–45 |",
    ]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("in ten Jupyter notebooks, on one small network", "in three Jupyter notebooks, on one small network"),
        ("in ten Jupyter notebooks, on one\nsmall network", "in three Jupyter notebooks, on one\nsmall network"),
        ("Ten lessons on one line of algebra", "Three lessons on one line of algebra"),
        ("- find your way through the ten lessons;", "- find your way through the three lessons;"),
        ("Two lessons on attention; ten lessons, often", "Two lessons on attention; ten lessons, often"),
        ("Several lessons on one line of algebra", "Several lessons on one line of algebra"),
    ],
)
def test_number_of_lessons(course, before, after):
    assert derived.rewrite_markdown(before) == after


def test_line_below_title(course, renumber):
    first, middle = "[00 The first](00_first.ipynb)", "[01 In the middle](01_middle.ipynb)"
    last = "[02 Bonus: the end](02_bonus_end.ipynb)"
    assert [derived.line_below_title(lesson) for lesson in COURSE] == [
        f"10 minutes · you need nothing · next: {middle}",
        f"40 minutes · you need [00](00_first.ipynb) · before: {first} · next: {last}",
        "A bonus lesson · 30–45 minutes · you need lesson [01](01_middle.ipynb)"
        f" · before: {middle} · back to the beginning: {first}",
    ]
    renumber()
    assert "you need lesson [02](02_middle.ipynb) · before: [00" in derived.line_below_title(RENUMBERED[1])


def test_a_build_stands_beside_the_series(course, monkeypatch):
    """It has its row and its place in the line below the title, but no lesson leads to it and it is not counted."""
    series = [derived.line_below_title(lesson) for lesson in COURSE]
    monkeypatch.setattr(catalogue, "lessons", lambda: (*COURSE, BUILD))
    assert [derived.line_below_title(lesson) for lesson in COURSE] == series
    assert derived.line_below_title(BUILD) == (
        "An optional build · 40–55 minutes · you need time"
        " · before: [01 In the middle](01_middle.ipynb) · next: [02 Bonus: the end](02_bonus_end.ipynb)"
    )
    row = "\n| [03 Build: it](notebooks/03_build_it.ipynb) | By hand? (optional, after 01) | 40–55 |"
    assert derived.lesson_map("notebooks/") == MAP + row
    assert derived.rewrite_markdown("Ten lessons on one line of algebra").startswith("Three")


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


def test_rewrite_notebook(course):
    written = notebook()
    derived.rewrite_notebook(written, MIDDLE)
    sources = {cell.id: cell.source for cell in written.cells}
    assert sources == {
        "title": f"# 01 · Why?\n\n**A promise.**\n\n{derived.line_below_title(MIDDLE)}",
        "setup": "# what this lesson imports\nfrom course_lib.desk import TODO, check",
        "predict-1": "my_size = TODO",
        "check-1": 'check("middle.predict_size", my_size)',
        "claims-1-judge": derived.starter(CLAIMS.id),
        "claims-1-check": 'check("middle.predict_claims", my_verdicts)',
        "ex-1": "**1. Halves.** (optional) ★★☆ · about 5 minutes · NumPy\n\nReturn half of x.",
        "ex-1-how": "Any shape.",
        "ex-1-help": '# hints and solution: half\nhelp_with("middle.half")',
        "ex-1-check": derived.starter("middle.half"),
        "reading": "**Next:** [02 Bonus: the end](02_bonus_end.ipynb)",
    }
    derived.rewrite_notebook(written, MIDDLE)
    assert {cell.id: cell.source for cell in written.cells} == sources


@pytest.mark.parametrize(
    ("id", "source", "first"),
    [
        ("setup", "import math", "# what this lesson imports"),
        ("ex-1-help", 'help_with("middle.half")', "# hints and solution: half"),
        ("quiz", 'quiz("middle", 1, 3)', "# the quiz"),
        ("why-1", 'quiz("middle", 2, 2)', "# a question"),
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


def test_what_an_author_has_folded_gets_a_name():
    cell = new_code_cell("train()", id="run-1", metadata={"jupyter": {"source_hidden": True}})
    derived.fold(cell)
    assert cell.source == "# the code behind this\ntrain()"


@pytest.mark.parametrize("source", ["# a comment\nx = 1", "def f():\n    explore(1)", 'check("middle.half", half)'])
def test_code_to_be_read_stays_open(source):
    cell = new_code_cell(source, id="run-1")
    derived.fold(cell)
    assert cell.source == source and not cell.metadata


def test_the_web_page_states_the_same_task(course):
    written = notebook()
    task = next(cell for cell in written.cells if cell.id == "ex-1")
    task.metadata["course"] = {"page": "On paper.\n\n**3. Halves.** ★★★ · about 9 minutes · NumPy"}
    derived.rewrite_notebook(written, MIDDLE)
    assert task.metadata["course"]["page"] == "On paper.\n\n**1. Halves.** ★★☆ · about 5 minutes · NumPy"


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

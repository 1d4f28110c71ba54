"""Every lesson in a real browser, in JupyterLab 4 and in Notebook 7."""

import json
from pathlib import Path

import pytest
from page import errors

from course_lib.exercises.api import catalogue, lessons, solution_cell

NOTEBOOKS = sorted(path.name for path in (Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
APPS = ("lab", "notebook")
LESSONS = {f"{lesson.number:02d}": lesson for lesson in lessons()}

# For each lesson: one exercise, the name of a mistake, and code that makes it.
WRONG = {
    "00": ("start.double", "squared", "def double(x):\n    return x**2"),
    "01": ("linear.collapse", "no-b1", "def collapse(W1, b1, W2, b2):\n    return W1 @ W2, b2.copy()"),
    "02": ("act.relu", "absolute", "def relu(x):\n    return np.abs(x)"),
    "03": ("ffn.forward", "no-activation", "def forward(x, W1, b1, W2, b2):\n    return (x @ W1 + b1) @ W2 + b2"),
    "04": ("expand.width", "added", "def width(d_model, factor):\n    return int(d_model + factor)"),
    "05": ("position.rowwise", "first-row", "def rowwise(f, X):\n    return np.stack([f(X[0]) for _ in X])"),
    "06": (
        "params.ffn",
        "one-matrix",
        "def ffn_count(d_model, d_ff, bias):\n    return d_model * d_ff + bias * (d_ff + d_model)",
    ),
    "07": (
        "block.pre_norm",
        "second-residual-x",
        "def pre_norm(x, attention, ffn, norm1, norm2):\n    a = x + attention(norm1(x))\n    return x + ffn(norm2(a))",
    ),
    "08": ("swiglu.parameters", "two", "def parameters(d_model, d_ff):\n    return 2 * d_model * d_ff"),
    "09": (
        "review.block",
        "no-ffn",
        "class MyBlock(nn.Module):\n    def forward(self, x):\n        return x + look_back(x)",
    ),
}


def starter_of(course, exercise_id):
    """Return the id of the cell that checks an exercise."""
    return next(
        cell["id"]
        for cell in course.state()["cells"]
        if cell["type"] == "code" and f'check("{exercise_id}"' in cell["source"]
    )


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_lesson_from_top_to_bottom(open_lesson, requests, app, name):
    """Run All; then an exercise wrong and right, hint, solution, quiz and slider by keyboard; then reload."""
    course = open_lesson(app, name)
    state = course.run_all()
    assert errors(state) == []
    assert course.page.get_by_text("Click to show javascript error").count() == 0
    lesson = LESSONS[name[:2]]

    solve_an_exercise(course, name[:2])
    answer_the_quiz(course, lesson)
    if any("explore(" in cell["source"] for cell in state["cells"]):
        move_a_slider(course)
    survive_a_reload(course, lesson, name[:2])

    outside = [
        url for url in requests if not url.startswith(("data:", "blob:", course.server["address"], "ws://127.0.0.1:"))
    ]
    assert outside == []


def solve_an_exercise(course, number):
    """Type a wrong answer and see its own message; ask for a hint and the solution; type it and see "Correct"."""
    exercise_id, mistake, source = WRONG[number]
    source += "\n\n" + solution_cell(exercise_id).strip().splitlines()[-1]  # the call of check
    cell = starter_of(course, exercise_id)
    message = next(item.message for item in catalogue()[exercise_id].mistakes if item.name == mistake)
    assert message in course.type_into(cell, source)
    help_cell = next(item["id"] for item in course.state()["cells"] if f'# hint("{exercise_id}")' in item["source"])
    assert "Hint 1 of 3" in course.type_into(help_cell, f'hint("{exercise_id}")')
    assert "Hint 2 of 3" in course.type_into(help_cell, f'hint("{exercise_id}")  # once more')
    assert "def " in course.type_into(help_cell, f'solution("{exercise_id}")') or "class " in course.text(help_cell)
    assert "✓ Correct." in course.type_into(cell, solution_cell(exercise_id).strip())


def answer_the_quiz(course, lesson):
    """Answer the first question wrong and then right, with Tab and Space only."""
    question = lesson.questions[0]
    right = next(index for index, option in enumerate(question.options) if option.right)
    wrong = next(index for index, option in enumerate(question.options) if not option.right)
    course.select("quiz")
    for index in sorted((wrong, right)):
        button = course.locate("quiz").get_by_role("button", name=f"Answer {'ABCDEF'[index]}").first
        course.tab_to(button)
        course.page.keyboard.press("Space")
        word = "✓ Correct" if index == right else "✗ Not yet"
        course.page.get_by_text(question.options[index].reason, exact=False).first.wait_for()
        assert word in course.text("quiz")


def move_a_slider(course):
    """Change the first control by keyboard and see the picture and its text change."""
    id = next(cell["id"] for cell in course.state()["cells"] if "explore(" in cell["source"])
    area = course.locate(id).locator(".jp-OutputArea-output").last
    picture, caption = area.locator("img.widget-image"), area.get_by_role("status")
    before = picture.get_attribute("src"), caption.inner_text()
    course.select(id)
    box = area.locator("input[type=number]").first
    if box.count():
        course.tab_to(box)
        course.page.keyboard.press("ArrowUp")
        course.page.keyboard.press("Enter")
    else:
        button = area.locator("button[aria-pressed=false], .widget-toggle-button:not(.mod-active)").first
        course.tab_to(button)
        course.page.keyboard.press("Space")
    course.page.wait_for_function(
        "([picture, caption, src, words]) => picture.src !== src && caption.isConnected",
        arg=[picture.element_handle(), area.element_handle(), before[0], before[1]],
    )
    for _ in range(100):
        if area.get_by_role("status").inner_text() != before[1]:
            return
        course.page.wait_for_timeout(50)
    raise AssertionError("the text below the picture did not change")


def survive_a_reload(course, lesson, number):
    """Save, reload, and find the answers still readable and the progress kept."""
    exercise_id = WRONG[number][0]
    cell = starter_of(course, exercise_id)
    answer, quiz = course.text(cell), course.text("quiz")
    course.select("quiz")  # a number box keeps Control+S to itself
    course.save()
    course.page.reload()
    course.wait_for_kernel()
    assert course.text(cell) == answer
    assert course.text("quiz") == quiz
    course.locate(cell).locator(".jp-RenderedMarkdown", has_text="✓ Correct.").wait_for()
    course.locate("quiz").locator(".jp-RenderedMarkdown", has_text="✓ Correct").first.wait_for()
    statuses = json.loads((course.server["folder"] / "progress.json").read_text())["statuses"]
    assert statuses[exercise_id] == statuses[lesson.questions[0].id] == "correct"

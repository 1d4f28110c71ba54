"""Every lesson in a real browser, in JupyterLab 4 and in Notebook 7."""

import json

import pytest

from course_lib.lessons import catalogue
from course_lib.page.quiz import LETTERS
from publish import derived
from tests.browser.page import errors

APPS = ("lab", "notebook")


def checking(course, id):
    """Return the cell that checks an exercise or a prediction."""
    cells = [cell for cell in course.state()["cells"] if cell["type"] == "code"]
    return next(cell for cell in cells if f'check("{id}"' in cell["source"])


def exercise_of(lesson):
    """Return the id of the first coded exercise of a lesson."""
    return f"{lesson.name}.{next(iter(lesson.exercises))}"


@pytest.mark.parametrize("app", APPS)
@pytest.mark.parametrize("lesson", catalogue.lessons(), ids=lambda lesson: lesson.name)
def test_a_lesson_from_top_to_bottom(open_lesson, requests, app, lesson):
    """Run All; then a wrong guess, an exercise, hint, solution, quiz and slider by keyboard; then reload."""
    course = open_lesson(app, lesson.notebook)
    state = course.run_all()
    assert errors(state) == []
    assert course.page.get_by_text("Click to show javascript error").count() == 0

    guess_wrong(course, lesson)
    solve_an_exercise(course, lesson)
    answer_the_quiz(course, lesson)
    if any("explore(" in cell["source"] for cell in state["cells"]):
        move_a_slider(course)
    survive_a_reload(course, lesson)

    outside = [
        url for url in requests if not url.startswith(("data:", "blob:", course.server["address"], "ws://127.0.0.1:"))
    ]
    assert outside == []


def guess_wrong(course, lesson):
    """Give a common wrong guess to the first prediction and see the reply that speaks to it."""
    prediction = catalogue.predictions(lesson.name)[0]
    if prediction.kind == "claims":
        letter, claim = next(iter(prediction.claims.items()))
        word, says = next(iter(claim.replies.items()))
        guess = {**prediction.answer, letter: word}
    else:
        guess, says = prediction.replies[0].guess, prediction.replies[0].says
    cell = checking(course, prediction.id)
    shown = course.type_into(cell["id"], f"{prediction.name} = {guess!r}\n{cell['source']}")
    assert "✗ Not yet." in shown and says in shown


def solve_an_exercise(course, lesson):
    """Ask for hints and for the solution; type it and see "Correct"."""
    id = exercise_of(lesson)
    cell = checking(course, id)["id"]
    help_cell = next(item["id"] for item in course.state()["cells"] if f'# hint("{id}")' in item["source"])
    assert "Hint 1 of 3" in course.type_into(help_cell, f'hint("{id}")')
    assert "Hint 2 of 3" in course.type_into(help_cell, f'hint("{id}")  # once more')
    assert "def " in course.type_into(help_cell, f'solution("{id}")') or "class " in course.text(help_cell)
    call = derived.starter(id).splitlines()[-1]
    assert "✓ Correct." in course.type_into(cell, f"{catalogue.solution(id)}\n{call}")


def answer_the_quiz(course, lesson):
    """Answer the first question wrong and then right, with Tab and Space only."""
    question = catalogue.questions(lesson.name)[0]
    right = next(index for index, option in enumerate(question.options) if option.right)
    wrong = next(index for index, option in enumerate(question.options) if not option.right)
    course.select("quiz")
    for index in sorted((wrong, right)):
        button = course.locate("quiz").get_by_role("button", name=f"Answer {LETTERS[index]}").first
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


def survive_a_reload(course, lesson):
    """Save, reload, and find the answers still readable and the progress kept."""
    id, question = exercise_of(lesson), catalogue.questions(lesson.name)[0]
    cell = checking(course, id)["id"]
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
    assert statuses[id] == statuses[question.id] == "correct"

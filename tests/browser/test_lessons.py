"""Every lesson in a real browser, in JupyterLab 4 and in Notebook 7."""

import pytest

from courseware.page.quiz import on_a_button
from courseware.progress import Progress
from lessons import catalogue
from publish.author import derived
from tests.browser.axe import barriers
from tests.browser.page import errors
from tests.conftest import statuses_of
from tests.courseware.page.samples import CORRECT, NOT_YET

LESSONS = catalogue.lessons()
# A submission opens two lessons and a build in JupyterLab, and one in Notebook 7; .ci/long opens all in both.
FEW = {
    ("lab", "linear_limits"),
    ("lab", "bonus_experts"),
    ("lab", "build_microscope"),
    ("notebook", "position_independence"),
}
OPENED = [
    pytest.param(
        app, lesson, id=f"{app}-{lesson.name}", marks=() if (app, lesson.name) in FEW else pytest.mark.thorough
    )
    for app in ("lab", "notebook")
    for lesson in LESSONS
]
# Outputs that scroll inside themselves catch the wheel. A component has its own box there.
SCROLLS = """() => [...document.querySelectorAll('.jp-OutputArea-output')]
    .map(one => [one.clientHeight, one.scrollHeight]).filter(([shown, whole]) => whole > shown)"""
MOST, PICTURE, WIDE = 700, 300, 880  # pixels of the page: a moving figure whole, its picture, and how wide it is


def checking(course, id):
    """Return the cell that checks an exercise or a prediction, as the browser has it."""
    cells = [cell for cell in course.state()["cells"] if cell["type"] == "code"]
    return next(cell for cell in cells if f'check("{id}"' in cell["source"])


def exercise_of(lesson):
    """Return the id of the first coded exercise of a lesson."""
    return f"{lesson.name}.{next(iter(lesson.exercises))}"


@pytest.mark.parametrize(("app", "lesson"), OPENED)
def test_a_lesson_from_top_to_bottom(open_lesson, requests, app, lesson):
    """Run All; then a wrong guess, an exercise, hint, solution, quiz and slider by keyboard; then reload."""
    course = open_lesson(app, lesson.notebook)
    state = course.run_all()
    assert errors(state) == []
    assert course.page.get_by_text("Click to show javascript error").count() == 0

    if app == "lab":
        assert barriers(course.page) == []
        moving_figures_stay_in_view(course, state)
        assert course.page.evaluate(SCROLLS) == []
    guess_wrong(course, lesson)
    solve_an_exercise(course, lesson)
    if catalogue.questions(lesson.name):
        answer_the_quiz(course, lesson)
    if any(has_controls(cell["source"]) for cell in state["cells"]):
        move_a_control(course)
    survive_a_reload(course, lesson)

    outside = [
        url for url in requests if not url.startswith(("data:", "blob:", course.server["address"], "ws://127.0.0.1:"))
    ]
    assert outside == []


def moving_figures_stay_in_view(course, state):
    """Control, picture and caption of every moving figure fit into a window together."""
    course.page.set_viewport_size({"width": 1440, "height": 900})
    for cell in state["cells"]:
        if cell["type"] == "code" and has_controls(cell["source"]):
            course.locate(cell["id"]).scroll_into_view_if_needed()
            live = course.locate(cell["id"]).locator(".course-live")
            live.locator("img").wait_for()
            course.patiently(_is_in_view, live)
    course.page.set_viewport_size({"width": 1280, "height": 900})


def _is_in_view(live):
    box, picture = live.bounding_box(), live.locator("img").bounding_box()
    assert box["height"] <= MOST and picture["height"] <= PICTURE, (box, picture)
    assert picture["width"] == pytest.approx(WIDE, abs=2), picture


def guess_wrong(course, lesson):
    """Give a common guess to the first prediction and see the reply that speaks to it."""
    prediction = catalogue.predictions(lesson.name)[0]
    if prediction.kind == "claims":
        letter, claim = next(iter(prediction.claims.items()))
        word, says = next(iter(claim.replies.items()))
        guess = {**prediction.answer, letter: word}
    else:
        guess, says = prediction.replies[0].guess, prediction.replies[0].says
    cell = checking(course, prediction.id)
    shown = course.type_into(cell["id"], f"{prediction.name} = {guess!r}\n{cell['source']}")
    assert "◆ Guessed." in shown and says in shown


def solve_an_exercise(course, lesson):
    """Ask for two hints and for the solution by keyboard; type it and see "Correct"."""
    id = exercise_of(lesson)
    cell = checking(course, id)["id"]
    help_cell = next(item["id"] for item in course.state()["cells"] if f'help_with("{id}")' in item["source"])
    item = catalogue.item(id)
    course.select(help_cell)
    for name, words in (("Hint", "Hint 1 of 3"), ("Hint", "Hint 2 of 3"), ("Solution", "Why:")):
        button = course.locate(help_cell).get_by_role("button", name=name)
        course.tab_to(button)
        course.page.keyboard.press("Space")
        course.locate(help_cell).locator(".course-live").get_by_text(words).first.wait_for()
    course.until(lambda _: item.hints[1] in course.text(help_cell), "the second hint is shown", seconds=30)
    call = derived.starter(id).splitlines()[-1]
    assert "✓ Correct." in course.type_into(cell, f"{catalogue.solution(id)}\n{call}")


def answer_the_quiz(course, lesson):
    """Answer the first question wrong and then right, with Tab and Space only."""
    question = catalogue.questions(lesson.name)[0]
    right = next(index for index, option in enumerate(question.options) if option.right)
    wrong = next(index for index, option in enumerate(question.options) if not option.right)
    for index in (wrong, right):
        course.select("quiz")  # the right option may stand above the wrong one, and Tab goes down
        button = course.locate("quiz").locator("button.course-option").nth(index)
        course.tab_to(button)
        course.page.keyboard.press("Space")
        word = CORRECT if index == right else NOT_YET
        live = course.locate("quiz").locator(".course-live")
        live.get_by_text(on_a_button(question.options[index].reason), exact=False).first.wait_for()
        course.until(
            lambda _, word=word: word in course.text("quiz"), f"{word!r} stands below the question", seconds=30
        )


def has_controls(source):
    """Tell whether a cell shows a figure with controls; a component has its own, see test_components.py."""
    return "explore(" in source and any(kind in source for kind in ("Range(", "Choice("))


def move_a_control(course, shows=has_controls):
    """Change a figure's first control by keyboard and see the picture and its text change; shows: the cell's source."""
    id = next(cell["id"] for cell in course.state()["cells"] if shows(cell["source"]))
    area = course.locate(id).locator(".jp-OutputArea-output").last
    picture, caption = area.locator("img.widget-image"), area.get_by_role("status")
    before = picture.get_attribute("src"), caption.inner_text()
    course.select(id)
    box = area.locator("input[type=number]").first
    if box.count():
        course.tab_to(box)
        course.page.keyboard.press("ArrowDown" if box.input_value() == box.get_attribute("max") else "ArrowUp")
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
    id, questions = exercise_of(lesson), catalogue.questions(lesson.name)[:1]
    cell = checking(course, id)["id"]
    read = [cell, *["quiz" for _ in questions]]
    before = [course.text(one) for one in read]
    course.select(read[-1])  # a number box keeps Control+S to itself
    course.save()
    course.page.reload()
    course.wait_for_kernel()
    assert [course.text(one) for one in read] == before
    course.locate(cell).locator(".jp-RenderedMarkdown", has_text="✓ Correct.").wait_for()
    for one in read[1:]:
        course.locate(one).locator(".course-live").get_by_text("✓ Correct").first.wait_for()
    statuses = statuses_of(Progress(course.server["folder"] / "progress.json"))
    assert {statuses[one] for one in (id, *[question.id for question in questions])} == {"correct"}

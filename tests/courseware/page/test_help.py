"""The buttons of a help cell: every hint stays, half and solution come and go, and nothing is revealed unasked."""

import ipywidgets
import pytest

from courseware.page import help as helping
from courseware.page.display import in_code
from courseware.page.medium import RunningNotebook, StoredOutput
from tests.courseware.page.test_widgets import said

HINTS = ("The *idea*.", "The `shapes`.", "The first line.")


def never(*_):
    raise AssertionError("nobody asked for it")


class Help:
    """Help with an exercise in a running notebook."""

    def __init__(self, shown, solution=lambda: in_code("answer = 42"), half=lambda: in_code("answer = TODO")):
        self.counted = []
        RunningNotebook().help(HINTS, half, solution, self.counted.append)
        self.stands_in, view = shown.outputs[-2:]
        model = view["data"]["application/vnd.jupyter.widget-view+json"]["model_id"]
        row, self.hints, *half, self.solution = ipywidgets.widgets.widget._instances[model].children
        self.more, *start, self.all_of_it, self.announcement = row.children
        self.half, self.start = (*half, *start) or (None, None)


def test_each_press_adds_a_hint(shown):
    made = Help(shown)
    assert made.more.description == "Hint" and said(made.hints) is None and made.counted == []
    names = []
    for count in (1, 2, 3, 3):
        made.more.click()
        names.append(made.more.description)
        assert said(made.hints) == helping.hints_shown(HINTS, count)
        assert f"Hint {count} of 3 is shown" in made.announcement.value and 'role="status"' in made.announcement.value
    assert names == ["Next hint", "Next hint", "No more hints", "No more hints"] and made.counted == [1, 2, 3]
    assert said(made.hints)[1] == "Hint 1 of 3: The *idea*.\nHint 2 of 3: The `shapes`.\nHint 3 of 3: The first line."
    assert said(made.hints)[0].count("**Hint") == 3 and said(made.solution) is None


@pytest.mark.parametrize(
    ("button", "place", "rests", "shows", "words", "heard"),
    [
        ("all_of_it", "solution", "Solution", "Hide the solution", "answer = 42", "The solution"),
        ("start", "half", "Start from half", "Hide the half", "answer = TODO", "The half"),
    ],
)
def test_one_press_shows_it_and_another_hides_it(shown, button, place, rests, shows, words, heard):
    made = Help(shown, **{"half" if place == "solution" else "solution": never})
    pressed, kept = getattr(made, button), {name: getattr(made, name) for name in ("hints", "solution", "half")}
    for visible, name, state in ((in_code(words), shows, "shown below"), (None, rests, "hidden")) * 2:
        assert pressed.description == (rests if visible else shows)
        pressed.click()
        assert said(kept[place]) == visible and pressed.description == name
        assert f"{heard} is {state}." in made.announcement.value and 'role="status"' in made.announcement.value
    assert made.counted == [] and all(said(part) is None for name, part in kept.items() if name != place)


def test_where_there_is_no_half_there_is_no_button_for_it(shown):
    made = Help(shown, half=None)
    assert made.half is made.start is None
    assert (made.more.description, made.all_of_it.description) == ("Hint", "Solution")


def test_nothing_is_revealed_unasked(shown):
    made = Help(shown, never, never)
    made.more.click()
    kept = [words for output in shown.outputs for words in output["data"].values() if isinstance(words, str)]
    assert not any(hint in words for hint in HINTS[1:] for words in kept)
    assert HINTS[0] not in made.stands_in["data"]["text/markdown"]


def test_hints_that_were_asked_for_stay_the_next_day(shown):
    made = Help(shown)
    made.more.click()
    made.start.click()
    made.all_of_it.click()
    replaced = shown.outputs[-1]
    assert replaced["update"] and replaced["transient"] == made.stands_in["transient"]
    markdown, plain = helping.stands_in(HINTS, 1)
    assert markdown in replaced["data"]["text/markdown"] and replaced["data"]["text/plain"] == plain
    assert plain == f"Hint 1 of 3: The *idea*.\n{helping.AGAIN}" and "answer" not in markdown


def test_without_a_kernel_it_says_where_help_is(shown):
    StoredOutput().help(HINTS, None, never, never)
    StoredOutput().help(HINTS, never, never, never)
    two = "In a running notebook, two buttons appear here: Hint and Solution."
    three = "In a running notebook, three buttons appear here: Hint, Start from half and Solution."
    assert (shown.markdown, shown.plain) == ([f"*{two}*", f"*{three}*"], [two, three])

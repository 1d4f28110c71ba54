"""The controls of a running notebook, made with ipywidgets: sliders under figures, and the buttons of a quiz.

Every slider is linked to a labelled number box: the slider itself has no name for screen readers, and in Notebook 7 it
does not answer the arrow keys. The box works everywhere by keyboard.
"""

import html
import itertools

import ipywidgets
import traitlets

from course_lib.content import Question
from course_lib.page import output
from course_lib.page.explore import Explorer
from course_lib.page.interactive import Choice
from course_lib.page.quiz import LETTERS, reply, status_of
from course_lib.page.verdict import SIGNS

_numbers = itertools.count()


class _Picture(ipywidgets.Image):
    """An Image whose tooltip reaches the page, where it is the picture's accessible name.

    The page reads `description` before it sets a tooltip, and the plain Image has none.
    """

    description = traitlets.Unicode("").tag(sync=True)


def explorer_box(explorer: Explorer) -> ipywidgets.VBox:
    """Return the controls, the picture and the caption as one box."""
    picture = _Picture(value=explorer.png(), format="png", tooltip="Figure, described in the text below it")
    caption = ipywidgets.HTML(value=_paragraph(explorer.caption))

    def moved(name, value):
        explorer.set(**{name: value})
        picture.value = explorer.png()
        caption.value = _paragraph(explorer.caption)

    rows = [_row(name, control, moved) for name, control in explorer.controls.items()]
    return ipywidgets.VBox([*rows, picture, caption])


def _paragraph(words):
    """Put the caption into a paragraph that screen readers read out when it changes."""
    style = "max-width: 44em; line-height: 1.4"
    return f'<p role="status" aria-live="polite" style="{style}">{html.escape(words, quote=False)}</p>'


def _row(name, control, moved):
    if isinstance(control, Choice):
        box = ipywidgets.ToggleButtons(options=control.options, value=control.first, description=control.label)
        box.style.description_width = "initial"
        box.observe(lambda change: moved(name, change["new"]), "value")
        return box
    kinds = (ipywidgets.FloatSlider, ipywidgets.BoundedFloatText)
    if control.whole:
        kinds = (ipywidgets.IntSlider, ipywidgets.BoundedIntText)
    limits = {key: control.tidy(getattr(control, name)) for key, name in _LIMITS.items()}
    slider = kinds[0](value=control.first, readout=False, **limits)
    box = kinds[1](value=control.first, description=control.label, continuous_update=True, **limits)
    box.style.description_width = "initial"
    # First the picture, then the other control: messages go out in this order.
    box.observe(lambda change: moved(name, change["new"]), "value")
    ipywidgets.link((slider, "value"), (box, "value"), transform=(control.tidy, control.tidy))
    return ipywidgets.HBox([box, slider])


_LIMITS = {"min": "low", "max": "high", "step": "step"}


def show_buttons(number: int, question: Question, record) -> None:
    """Show a button for each option, and below them the reply to the one that was chosen last.

    Args:
        number: of the question, for the names of the buttons.
        record: called with (question id, status) when an option is chosen; returns what went wrong, or "".
    """
    reply_id = f"{question.id}-reply-{next(_numbers)}"
    buttons = [
        ipywidgets.Button(description=f"Answer {letter}", tooltip=f"Question {number}: {option.text}")
        for letter, option in zip(LETTERS, question.options, strict=False)
    ]

    def choose(index):
        markdown, plain = reply(question, index)
        status = status_of(question, index)
        for button, letter in zip(buttons, LETTERS, strict=False):
            button.description = f"Answer {letter}"
        buttons[index].description = f"{SIGNS[status]} Answer {LETTERS[index]}"
        problem = record(question.id, status)
        more = f" {problem}" if problem else ""
        output.text(markdown + more, plain + more, display_id=reply_id, update=True)

    for index, button in enumerate(buttons):
        button.on_click(lambda _, index=index: choose(index))
    output.widget(ipywidgets.HBox(buttons))
    output.text("*Choose an answer with its button.*", "Choose an answer with its button.", display_id=reply_id)

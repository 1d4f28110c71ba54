"""The controls of a running notebook: sliders under figures, the buttons of a quiz, and components.

Every slider is linked to a labelled number box: the slider itself has no name for screen readers, and in Notebook 7 it
does not answer the arrow keys. The box works everywhere by keyboard.
"""

import html

import ipywidgets
import traitlets

from courseware.content import Question
from courseware.page import components, output, png, quiz
from courseware.page import help as helping
from courseware.page.caption import FOLD, paragraph, parts
from courseware.page.interactive import Choice, Explorer
from courseware.page.quiz import LETTERS, reply, right_option, status_of
from courseware.page.verdict import SIGNS, in_words
from whywrong.task import Status


class _Picture(ipywidgets.Image):
    """An Image whose tooltip reaches the page, where it is the picture's accessible name.

    The page reads `description` before it sets a tooltip, and the plain Image has none.
    """

    description = traitlets.Unicode("").tag(sync=True)


def explorer_box(explorer: Explorer) -> ipywidgets.VBox:
    """Return the controls, the picture and the caption as one box, as wide as a figure that stands still."""
    width = png.width_on_page(explorer.interactive.figure)
    picture = _Picture(value=explorer.png(), format="png", tooltip="Figure, described in the text below it")
    picture.layout = ipywidgets.Layout(
        width=f"{width}px", height="auto", max_width="100%", min_width=f"{round(output.LEAST * width)}px"
    )
    caption = _MovingCaption(explorer.caption, width)

    def moved(name, value):
        explorer.set(**{name: value})
        picture.value = explorer.png()
        caption.show(explorer.caption)

    label = max(len(control.label) for control in explorer.controls.values())
    rows = [_row(name, control, moved, f"{label + 2}ch") for name, control in explorer.controls.items()]
    return ipywidgets.VBox([*rows, picture, caption.message, caption.fold, caption.data])


# What is changed in Python is set; what the component itself has changed comes back as an echo, and is not. An answer
# goes to all views of a widget, so each question has an id.
_HOST = """
export default {
  render({ model, el }) {
    const box = document.createElement("div");
    box.className = `component c-${model.get("name")}`;
    // JupyterLab would take Enter from a text box, and run the cell at Shift+Enter
    box.addEventListener("keydown", (event) => event.target.matches("textarea") && event.stopPropagation());
    el.append(Object.assign(document.createElement("style"), { textContent: style }), box);
    let sent = null, next = null;
    const send = () => {
      [sent, next] = [next, null];
      if (sent) model.send({ id: sent.id, question: sent.question });
    };
    const ask = (question) => new Promise((resolve, reject) => {
      if (next) next.resolve(null);
      next = { id: String(Math.random()), question, resolve, reject };
      if (!sent) send();
    });
    const answered = ({ id, answer, problem }) => {
      if (!sent || sent.id !== id) return;
      const { resolve, reject } = sent;
      send();
      if (problem) reject(new Error(problem));
      else resolve(answer);
    };
    model.on("msg:custom", answered);
    let known = JSON.stringify(model.get("state"));
    const playing = render(box, model.get("data"), model.get("state"), (state) => {
      known = JSON.stringify(state);
      model.set("state", state);
      model.save_changes();
    }, model.get("answers") ? ask : undefined);
    const heard = () => {
      const state = model.get("state");
      if (JSON.stringify(state) !== known) playing.set(state);
      known = JSON.stringify(state);
    };
    model.on("change:state", heard);
    // Shift+Enter has gone on to the next cell: what was run comes into sight as it grows, until a hand moves on.
    const growing = new ResizeObserver(() => {
      const next = box.closest(".jp-Cell")?.nextElementSibling, panel = box.closest(".jp-WindowedPanel-outer");
      if (!panel || !next?.matches(".jp-mod-selected")) return;
      const [own, all] = [box, panel].map((one) => one.getBoundingClientRect());
      if (own.top < all.top || own.bottom > all.bottom) box.scrollIntoView();
    });
    growing.observe(box);
    const still = () => growing.disconnect();
    for (const act of ["keydown", "pointerdown", "wheel"]) addEventListener(act, still, { capture: true, once: true });
    return () => {
      model.off("change:state", heard);
      model.off("msg:custom", answered);
      still();
      playing.end();
    };
  },
};
"""


def component_widget(component: components.Component) -> ipywidgets.DOMWidget:
    """Return a component as a widget; its trait `state` holds what a person has made of it."""
    import anywidget  # here, since few lessons have a component

    class Playing(anywidget.AnyWidget):
        _esm = f"const {{ render, style }} = {components.source(component.name, component.folder)};{_HOST}"
        name = traitlets.Unicode().tag(sync=True)
        data = traitlets.Dict().tag(sync=True)
        state = traitlets.Dict(allow_none=True).tag(sync=True)
        answers = traitlets.Bool().tag(sync=True)

    def heard(widget, message, buffers):
        try:
            said = {"answer": component.answer(message["question"])}
        except Exception as error:  # whatever it is, the component waits for it
            said = {"problem": str(error) or type(error).__name__}
        widget.send({"id": message["id"], **said})

    answers = component.answer is not None
    playing = Playing(name=component.name, data=component.data, state=component.state, answers=answers)
    if answers:
        playing.on_msg(heard)
    return playing


class _MovingCaption:
    """The caption of a moving figure: a sentence that screen readers read out when it changes, and its data.

    The data stay folded or open while they change, so their fold is a button: an element of HTML would close each time.
    """

    def __init__(self, caption, width):
        self.message, self.data = (ipywidgets.HTML(layout=ipywidgets.Layout(max_width=f"{width}px")) for _ in range(2))
        self.fold = ipywidgets.Button(layout=ipywidgets.Layout(width="auto", align_self="flex-start"))
        self.fold.on_click(lambda _: self._open(not self.is_open))
        self._open(False)
        self.show(caption)

    def show(self, caption):
        """Show another caption."""
        message, data = parts(caption)
        self.message.value = paragraph(message, ' role="status" aria-live="polite"')
        self.data.value = html.escape(data, quote=False)
        self.fold.layout.display = None if data else "none"

    def _open(self, is_open):
        self.is_open = is_open
        self.fold.description = f"{FOLD}: {'hide' if is_open else 'show'}"
        self.data.layout.display = None if is_open else "none"


def _row(name, control, moved, label_width):
    """Return a control: buttons for words, a number box linked to a slider for numbers."""
    if isinstance(control, Choice):
        box = ipywidgets.ToggleButtons(options=control.options, value=control.first, description=control.label)
        box.style.description_width, box.style.button_width, box.layout.width = label_width, "auto", "auto"
        box.add_class("widget-inline-hbox")  # its label beside it: ipywidgets 8.1.9 leaves the class out
        box.observe(lambda change: moved(name, change["new"]), "value")
        return box
    kinds = (ipywidgets.FloatSlider, ipywidgets.BoundedFloatText)
    if control.whole:
        kinds = (ipywidgets.IntSlider, ipywidgets.BoundedIntText)
    limits = {key: control.tidy(getattr(control, name)) for key, name in _LIMITS.items()}
    slider = kinds[0](value=control.first, readout=False, **limits)
    box = kinds[1](value=control.first, description=control.label, continuous_update=True, **limits)
    box.style.description_width = label_width
    box.layout.width = f"calc({label_width} + 8em)"
    # First the picture, then the other control: messages go out in this order.
    box.observe(lambda change: moved(name, change["new"]), "value")
    ipywidgets.link((slider, "value"), (box, "value"), transform=(control.tidy, control.tidy))
    return ipywidgets.HBox([box, slider], layout=ipywidgets.Layout(flex_flow="row wrap"))


_LIMITS = {"min": "low", "max": "high", "step": "step"}


class _Markdown(ipywidgets.Output):
    """A place for Markdown in a box of controls; the page renders it as it renders every other output."""

    def say(self, markdown, plain):
        """Show this, and nothing of what was said before."""
        data = {"text/markdown": markdown, "text/plain": plain}
        self.outputs = ({"output_type": "display_data", "data": data, "metadata": {}},)


class _Announcement(ipywidgets.HTML):
    """A few words that are read out by screen readers and not seen: what they speak of stands beside them."""

    def say(self, words):
        """Read this out."""
        unseen = "position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%)"
        self.value = f'<p role="status" style="{unseen}">{html.escape(words, quote=False)}</p>'


def show_quiz(questions: list[tuple[int, Question]], answered: set[str], record, scored: bool = True) -> None:
    """Show questions with a button for each option, the reply below its question, and the score at the end.

    Args:
        questions: with their numbers.
        answered: the ids of those that were answered right before.
        record: called with (question id, status) when an option is chosen; returns what went wrong, or "".
        scored: whether there is a score.
    """
    chosen = {question.id: right_option(question) for _, question in questions if question.id in answered}
    solved, score = set(chosen), _Markdown()

    def counted():
        return quiz.score(len(solved), len(questions)) if scored else ""

    def choose(question, option):
        chosen[question.id] = option
        if status_of(question, option) == Status.CORRECT:
            solved.add(question.id)
        score.say(*[counted()] * 2)
        replace(*quiz.stands_in(questions, chosen, counted()))
        return record(question.id, status_of(question, option))

    parts = []
    for place, (number, question) in enumerate(questions):
        shown = _Question(number, question, choose, quiz.RULE if place else "")
        if question.id in chosen:
            shown.mark(chosen[question.id])
        parts += shown.parts
    score.say(*[counted()] * 2)
    box = ipywidgets.VBox([*parts, score] if scored else parts)
    replace = output.live(box, *quiz.stands_in(questions, chosen, counted()))


class _Question:
    """One question: what is asked, a button for each option, and the reply to the one that was chosen last."""

    def __init__(self, number, question, choose, rule):
        self.question, self.choose = question, choose
        text, self.reply, self.announcement = _Markdown(), _Markdown(), _Announcement()
        prompt = quiz.prompt(number, question)
        text.say(rule + prompt, prompt)
        self.buttons = [
            ipywidgets.Button(tooltip=f"An answer to {quiz.named(number).lower()}") for _ in question.options
        ]
        for place, (button, option) in enumerate(zip(self.buttons, question.options, strict=True)):
            button.add_class("course-option")
            button.layout = ipywidgets.Layout(width="100%", max_width="46em", height="auto")
            button.description = f"{LETTERS[place]} · {quiz.on_a_button(option.text)}"
            if quiz.is_code(option.text):
                button.style.font_family = "var(--jp-code-font-family, monospace)"
            button.on_click(lambda _, place=place: self.take(place))
        self.parts = [text, *self.buttons, self.reply, self.announcement]

    def take(self, place):
        """Take a chosen option: mark it, reply, and hand it on."""
        self.mark(place, self.choose(self.question, place))
        self.announcement.say(in_words(status_of(self.question, place), "", LETTERS[place])[1])

    def mark(self, place, problem=""):
        """Mark an option as right or wrong and show its reply; the marks of others stay."""
        status = status_of(self.question, place)
        markdown, plain = reply(self.question, place)
        if problem:
            markdown, plain = f"{markdown}\n\n{problem}", f"{plain} {problem}"
        self.reply.say(markdown, plain)
        button = self.buttons[place]
        if not button.description.startswith(SIGNS[status]):
            button.description = f"{SIGNS[status]} {button.description}"
            button.add_class("course-right" if status == Status.CORRECT else "course-wrong")


def show_help(hints: tuple[str, ...], half, solution, count) -> None:
    """Show a button for each kind of help: Hint adds the next hint to those below, the others show and hide theirs.

    Args:
        half, solution: each returns (Markdown, plain text); called when it is wanted. There may be no half: None.
        count: called with the number of hints shown, after each new one.
    """
    more, told, announcement = ipywidgets.Button(description="Hint"), _Markdown(), _Announcement()
    folds = [_fold("Solution", "solution", solution, announcement)]
    if half:
        folds.insert(0, _fold(helping.HALF, "half", half, announcement))
    shown = 0

    def give_hint(_):
        nonlocal shown
        if shown < len(hints):
            shown += 1
            told.say(*helping.hints_shown(hints, shown))
            more.description = "Next hint" if shown < len(hints) else "No more hints"
            replace(*helping.stands_in(hints, shown))
            count(shown)
        announcement.say(f"Hint {shown} of {len(hints)} is shown below.")

    more.on_click(give_hint)
    row = ipywidgets.HBox([more, *(button for button, _ in folds), announcement])
    places = [told, *(place for _, place in folds)]
    replace = output.live(ipywidgets.VBox([row, *places]), *helping.stands_in(hints, 0))


def _fold(name, what, told, announcement):
    """Return a button, and the place below it that it fills with what `told()` returns and empties again."""
    button, place = ipywidgets.Button(description=name), _Markdown()

    def open_or_close(_):
        if place.outputs:
            place.outputs = ()
        else:
            place.say(*told())
        button.description = f"Hide the {what}" if place.outputs else name
        announcement.say(f"The {what} is shown below." if place.outputs else f"The {what} is hidden.")

    button.on_click(open_or_close)
    return button, place

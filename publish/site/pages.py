"""A stored notebook as the text of a page: figures as SVG, sliders, forms for guesses, quizzes, folded help."""

import html
import json
import re
from dataclasses import dataclass, field

from course_lib import warm_up
from courseware.content import Lesson, Question
from courseware.page import caption as captions
from courseware.page import quiz as quizzes
from courseware.page.help import HALF
from lessons import catalogue, cells, in_numpy
from lessons.cells import Role
from publish.author import derived
from publish.site import drawn as drawn_guesses
from publish.site import fonts, markdown, narrow_code, page_data
from publish.site.capture import Still
from publish.site.states import Recording

_INVITATION = re.compile(r" *\(?(\*\*)?Now change\b.*$", re.MULTILINE)  # to the end of its paragraph
_ELSEWHERE = re.compile(r" · (?:before|next|back to the beginning): \[[^]]+\]\([^)]+\)| \(optional parts: [^)]+\)")
_STRING = re.compile('`"([^"`]+)"`')
_NOTEBOOK = re.compile(r"(?:\.\./)*(?:notebooks/)?(\d\d_\w+)\.ipynb")


class PageError(Exception):
    """Say where a notebook and the figures that it draws now do not fit together."""


@dataclass
class Page:
    """What is known of a page when its text is written.

    body: HTML. predictions, questions, exercises: what its forms need. recordings: name -> data of each moving figure.
    components: id -> data and state of each component.
    """

    body: str = ""
    predictions: dict = field(default_factory=dict)
    questions: dict = field(default_factory=dict)
    exercises: dict = field(default_factory=dict)
    recordings: dict = field(default_factory=dict)
    components: dict = field(default_factory=dict)


def address(lesson: Lesson) -> str:
    """Return the address of a lesson's page, seen from any other page."""
    return f"{lesson.name.replace('_', '-')}.html"


def relinked(text: str) -> str:
    """Return Markdown or HTML with links to pages where it has links to notebooks."""
    known = {lesson.notebook.removesuffix(".ipynb"): address(lesson) for lesson in catalogue.lessons()}
    return _NOTEBOOK.sub(lambda match: known.get(match[1], match[0]), derived.relink(text))


def source(cell) -> str:
    """Return what a text cell says on the page: its metadata may replace words, or leave the cell out with `false`.

    A page cannot run changed code, so invitations to change it are left out, and links to other lessons stand at the
    end alone.

    Raises:
        PageError: the cell does not contain the words that are replaced.
    """
    said, replaced = cell.source, cell.metadata.get("course", {}).get("page", {})
    if replaced is False:
        return ""
    for old, new in replaced.items():
        if old not in said:
            raise PageError(f"Cell {cell.id!r} does not say {old!r}, for which the page says {new!r}.")
        said = said.replace(old, new)
    said = _INVITATION.sub("", said)
    return _ELSEWHERE.sub("", said) if cell.id == "title" else said


def lesson_page(lesson: Lesson, notebook, drawn: dict) -> Page:
    """Return the page of a lesson.

    Args:
        notebook: its stored notebook. drawn: cell id -> what the cell drew now, from `capture.run`.

    Raises:
        PageError: a stored caption differs from the one of the run, or the experiment of a guess contains a heading.
    """
    return _Writer(lesson, notebook, drawn).page


def on_arrays(id: str) -> bool:
    """Tell whether a page asks an exercise with NumPy arrays although the notebook asks it with tensors."""
    return id not in in_numpy.NEEDS_TORCH and catalogue.takes_arrays(id)


def as_shown(id: str, code: str) -> str:
    """Return the starter of an exercise, the worked cell or half of it, as a page shows it."""
    return in_numpy.cell(id, code) if on_arrays(id) else code


_FOLDED = '<details class="plumbing">'
_FOLDED_TEXTS = ("learn", "reading")
_OF_RESULTS = (Role.CODE, Role.EXPLANATION, Role.SLIDER, Role.TEXT)


class _Writer:
    def __init__(self, lesson, notebook, drawn):
        self.lesson, self.drawn, self.page, self.seen = lesson, drawn, Page(), {"main"}
        self.imports, self.answering = "", False  # whether it writes the answer to a guess
        self.cells, self.roles = list(notebook.cells), [cells.role(cell) for cell in notebook.cells]
        self.on_arrays = self._tasks_on_arrays()
        self.choices = {choice for one in catalogue.predictions(lesson.name) for choice in one.choices}
        parts, place = [], 0
        while place < len(self.cells):
            end = self._experiment_end(place)
            if end:
                parts.append(self._experiment(place, end))
                place = end
            else:
                parts.append(self.cell(self.cells[place]))
                place += 1
        parts.append(self.imports)
        self.page.body = "\n".join(filter(None, parts))

    def _tasks_on_arrays(self):
        """Return the ids of the cells that state a task on tensors which the page asks with arrays."""
        found, task = set(), None
        for cell, role in zip(self.cells, self.roles, strict=True):
            if role == Role.TASK:
                task = cell.id
            elif role == Role.EXERCISE and on_arrays(cells.checked(cell)):
                found.add(task)
        return found

    def _experiment_end(self, place):
        """Return where the experiment ends that begins with the guess at `place`; 0 if no guess is there."""
        if self.roles[place] != Role.GUESS:
            return 0
        unanswered = 0
        for end in range(place, len(self.cells)):
            unanswered += self.roles[end] == Role.GUESS
            if self.roles[end] == Role.REPLY:
                unanswered -= 1
                if not unanswered:
                    return self._end_of_the_same(end + 1)
        raise PageError(f"{self.lesson.notebook}: the guess of {self.cells[place].id!r} is never checked.")

    def _end_of_the_same(self, place):
        """Return where the cells end that continue the results of a reply: reasons, more runs, and text about them.

        A cell that opens a section (`idea-…`) or holds a slider ends them, unless its metadata count it as a result.
        """
        end = place
        for at in range(place, len(self.cells)):
            cell, role = self.cells[at], self.roles[at]
            why = role == Role.QUIZ and cell.id.startswith("why-")
            new = cell.id.startswith(("idea-", "explore")) and not cell.metadata.get("course", {}).get("results")
            if not (why or role in _OF_RESULTS) or new or re.search("^## ", source(cell), re.MULTILINE):
                break
            end = end if role == Role.TEXT else at + 1
        return end

    def _experiment(self, place, end):
        """Return the forms of one or more guesses, followed by the folded cells that answer them."""
        parts = list(zip(self.cells[place:end], self.roles[place:end], strict=True))
        last = max(number for number, (_, role) in enumerate(parts) if role == Role.GUESS)
        replies = [catalogue.item(cells.checked(cell)) for cell, role in parts if role == Role.REPLY]
        guessed = {item.name: item for item in replies}
        before = [
            self.form(cell, guessed[cells.variable(cell)]) if role == Role.GUESS else self.cell(cell)
            for cell, role in parts[: last + 1]
        ]
        told = [
            cell for cell, _ in parts if cell.id.startswith("told-")
        ]  # a term is told to those, too, who do not guess
        self.answering = True
        inside, asked_why = [], False
        for cell, role in parts[last + 1 :]:
            if cell in told:
                continue
            written = anchor(cell.id) if role == Role.REPLY else self.cell(cell)
            inside.append(_answer(cell, written) if asked_why else written)
            asked_why = cell.id.startswith("why-")
        self.answering = False
        if re.search(r"<h[1-6]\b", "".join(inside)):
            raise PageError(f"{self.lesson.notebook}: a heading stands in the experiment of {parts[0][0].id!r}.")
        ids = " ".join(item.id for item in guessed.values())
        shown = html.escape("; ".join(item.title for item in guessed.values()))
        fold = f'<details class="experiment" data-for="{ids}"><summary>What came out: {shown}</summary>'
        return "\n".join([*before, fold, *inside, "</details>", *map(self.cell, told)])

    def cell(self, cell):
        """Return a cell as HTML, behind a mark with its name."""
        return anchor(cell.id) + self._cell(cell)

    def _cell(self, cell):
        """Return a cell as HTML; a code cell that the page leaves out is empty."""
        if cell.cell_type == "markdown" or "page" in cell.metadata.get("course", {}):
            text = in_numpy.in_numpy(source(cell)) if cell.id in self.on_arrays else source(cell)
            text = _STRING.sub(self.as_said, text)
            if cell.id in _FOLDED_TEXTS:
                return _folded_text(markdown.blocks(relinked(text), self.seen))
            return markdown.blocks(relinked(text), self.seen)
        role = cells.role(cell)
        if role == Role.HELP:
            return self.help(cells.called(cell)[1])
        if role in (Role.QUIZ, Role.WARM_UP):
            return self.quiz(cell) if role == Role.QUIZ else self.warm_up(cell)
        if role == Role.TABLE:
            return live(*cells.called(cell))
        if role == Role.EXERCISE:
            return self.exercise(cell)
        code, shown = self.code(cell), self.outputs(cell)
        if role == Role.SETUP:
            self.imports = code
            return shown
        if code.startswith(_FOLDED) and "</figcaption></figure>" in shown:  # at the corner of its last figure
            figure, rest = shown.rsplit("</figcaption></figure>", 1)
            return f"{figure}{code}</figcaption></figure>{rest}"
        return shown + code if code.startswith(_FOLDED) else code + shown

    def as_said(self, string):
        """Return a choice that the text quotes as code in the words of its button."""
        return f"“{string[1]}”" if string[1] in self.choices else string[0]

    def code(self, cell):
        """Return the code of a cell, folded where it shows a slider, answers a guess, or is folded in the notebook."""
        written = markdown.python(cell.source)
        role = cells.role(cell)
        if self.answering or cells.hidden(cell) or role in (Role.SETUP, Role.SLIDER):
            title = "What the code imports" if role == Role.SETUP else "The code behind this"
            return f"{_FOLDED}<summary>{title}</summary>{written}</details>"
        return written

    def outputs(self, cell):
        """Return the stored outputs of a cell, with drawings in place of its pictures."""
        measured = "nbval-ignore-output" in cell.metadata.get("tags", [])  # times: no run gives the same ones again
        drawn, parts, told = [] if measured else list(self.drawn.get(cell.id, [])), [], set()
        for number, output in enumerate(cell.outputs):
            data = output.get("data", {})
            said = data.get("text/plain", "")
            if "image/png" in data and measured:
                parts.append(_stored_picture(data["image/png"], said.removeprefix("Figure: ")))
                told.add(said.removeprefix("Figure: "))
            elif "image/png" in data:
                if not drawn:
                    raise PageError(f"{self.lesson.notebook}, {cell.id}: it has a stored picture and draws none.")
                parts.append(self.figure(cell, drawn.pop(0), said.removeprefix("Figure: "), number))
                told.add(said.removeprefix("Figure: "))
            elif output.output_type == "stream":
                parts.append(f'<div class="printed">{markdown.plain(output.text)}</div>')
            elif "text/markdown" in data:
                if said not in told:
                    parts.append(f'<div class="shown">{markdown.blocks(relinked(data["text/markdown"]))}</div>')
            elif said:
                parts.append(f'<div class="printed">{markdown.plain(said)}</div>')
        if drawn:
            raise PageError(f"{self.lesson.notebook}, {cell.id}: it draws a picture that is not stored.")
        return "\n".join(sorted(parts, key=lambda part: self.answering and not part.startswith("<figure")))

    def figure(self, cell, one, stored, number):
        """Return a figure with its caption, which must be the stored one."""
        said = one.caption.replace("\n", " ").strip() if isinstance(one, Recording) else str(one.caption)
        if said != stored:
            raise PageError(
                f"{self.lesson.notebook}, {cell.id}: the stored caption is {stored!r}, and the figure that it draws "
                f"now says {said!r}. Run make refresh, or build on a machine that computes the same."
            )
        id = cell.id if cell.id not in self.seen else f"{cell.id}-{number}"
        self.seen.add(id)
        if isinstance(one, Still):
            return still(id, one, stored, self.page.components)
        name = f"{self.lesson.name}--{id}"
        self.page.recordings[name] = one.data
        return player(id, name, one)

    def form(self, cell, item):
        """Return the form that takes a guess."""
        self.page.predictions[item.id] = page_data.prediction(item)
        if item.drawn:
            self.page.predictions[item.id]["drawn"] = drawn_guesses.data(item)
        id = cell.id
        self.seen.add(id)
        if item.kind == "claims":
            rows = [
                f'<fieldset class="claim"><legend><b>{letter}.</b> {markdown.inline(claim.text)}</legend>'
                + _radios(f"{id}-{letter}", [("true", "true"), ("false", "false")])
                + "</fieldset>"
                for letter, claim in item.claims.items()
            ]
            field = "".join(rows)
        elif item.kind == "choice":
            options = [(json.dumps(choice), html.escape(str(choice))) for choice in item.choices]
            field = f"<fieldset><legend>Your guess</legend>{_radios(id + '-guess', options)}</fieldset>"
        else:
            ask = {
                "number": "Your guess, a number",
                "word": "Your guess, a word",
                "shape": "Your guess, a shape such as (2, 3)",
            }
            keys = (
                ' inputmode="decimal"'
                if item.kind == "number" and (item.low or 0) >= 0 and item.low is not None
                else ""
            )
            field = (
                f'<label for="{id}-guess">{ask[item.kind]}'
                f'<span class="aloud">: {html.escape(item.title)}</span></label> '
                f'<input id="{id}-guess" type="text" autocomplete="off" autocapitalize="off" spellcheck="false"{keys}>'
            )
        picture, button = ('<div class="drawn"></div>', "Show me") if item.drawn else ("", "Guess")
        return (
            f'{anchor(id)}<form class="guess" id="{id}" data-prediction="{item.id}" '
            f'aria-label="{html.escape(item.title)}" hidden>'
            f'{picture}{field}<button type="submit">{button}</button>'
            f'<div class="reply" role="status"></div></form>'
            f'<p class="without-scripts">Make your guess before you open the experiment.</p>'
        )

    def exercise(self, cell):
        """Return the starter of a coded exercise, with the place where it is written and checked."""
        id = cells.checked(cell)
        starter = as_shown(id, cells.CHECK.sub("", cell.source).strip())
        task = markdown.python(starter)
        notebook = f'<code>{self.lesson.notebook}</code> in <a href="index.html#run">the notebooks</a>'
        if id in in_numpy.NEEDS_TORCH:
            why = "This exercise is about torch itself, which does not run in a browser. Do it in"
            return f'<div class="exercise">{task}<p class="elsewhere">{why} {notebook}.</p></div>'
        self.page.exercises[id] = {"starter": f"{starter}\n", "title": catalogue.ids(self.lesson)[id]}
        if (half := catalogue.half(id)) is not None:
            self.page.exercises[id]["half"] = as_shown(id, half)
        if on_arrays(id):
            self.page.exercises[id]["arrays"] = True
            why = "Browsers have no torch, so NumPy arrays take the place of tensors here. To use tensors, open"
            task += f'<p class="arrays">{why} {notebook}.</p>'
        buttons = "".join(
            f'<button type="button" class="{name}"{more}>{label}</button>'
            for name, label, more in (
                ("check", "Check", ""),
                ("run", "Run", ""),
                ("stop", "Stop", " hidden"),
                ("reset", "Reset", ""),
                ("earlier", "Earlier code", " hidden"),
            )
        )
        return (
            f'<div class="exercise" data-exercise="{id}">{task}'
            f'<div class="try" hidden><div class="editor"></div><p class="buttons">{buttons}</p>'
            '<p class="keys">Ctrl+Enter or Shift+Enter checks. '
            "Tab indents; to leave the editor press Escape, then Tab.</p></div>"
            '<p class="doing" role="status"></p><div class="reply" role="status"></div>'
            f'<p class="elsewhere">To have your code checked, open {notebook}.</p></div>'
        )

    def help(self, id):
        """Return the hints, half of the solution and the solution of an exercise, each folded."""
        arrays = on_arrays(id)
        item = catalogue.item(id, arrays=arrays)
        parts = [
            f'<details class="hint"><summary>Hint {number} of 3</summary><p>{markdown.inline(hint)}</p></details>'
            for number, hint in enumerate(item.hints, 1)
        ]
        half, worked = catalogue.half(id), catalogue.worked(id)
        if half is not None:
            copied = "" if arrays else ", or copy it into the notebook above the check,"
            how, code = (
                f"Put this into the editor{copied} and write what is missing.",
                markdown.python(as_shown(id, half)),
            )
            parts.append(f'<details class="half"><summary>{HALF}</summary><p>{how}</p>{code}</details>')
        if worked is not None:
            code, why = as_shown(id, worked[0]), in_numpy.in_numpy(worked[1]) if arrays else worked[1]
            reason = f"<p><strong>Why:</strong> {markdown.inline(why)}</p>" if why else ""
            parts.append(
                f'<details class="solution"><summary>Solution</summary>{markdown.python(code)}{reason}</details>'
            )
        return f'<div class="help" data-for="{id}">{"".join(parts)}</div>'

    def quiz(self, cell):
        """Return the questions that a cell asks."""
        questions = catalogue.asked(cells.called(cell)[1], cell.id)
        score = '<p class="score" role="status"></p>' if len(questions) > 1 else ""
        return f'<div class="quiz">{self.questions(questions)}{score}</div>'

    def warm_up(self, cell):
        """Return the questions about earlier lessons that a reader without a record is asked."""
        older = warm_up.asked(cells.called(cell)[1])
        turn = '<button type="button" class="turn" hidden>Next question</button>'
        return f'<details class="quiz warm-up"><summary>{warm_up.SAYS}</summary>{self.questions(older)}{turn}</details>'

    def questions(self, questions):
        """Return questions with their numbers."""
        self.page.questions |= {question.id: page_data.question(question) for _, question in questions}
        return "".join(question_of(number, question) for number, question in questions)


def _answer(cell, written):
    """Return the cell that follows a question about reasons, folded until that is answered."""
    title = "The explanation" if cell.cell_type == "markdown" else "What came out"
    return f'<details class="aside"><summary>{title}</summary>{written}</details>'


def _folded_text(text):
    """Return a section with its heading as the title of a fold; the way on to the next lesson stays below it."""
    heading, rest = re.match("<h2[^>]*>(.*?)</h2>(.*)", text, re.DOTALL).groups()
    inside, onward, after = rest.partition("<p><strong>Next:</strong>")
    return f'<details class="aside"><summary>{heading}</summary>{inside}</details>{onward}{after}'


def mark(id: str) -> str:
    """Return how a page calls the place of a notebook's cell."""
    return f"cell-{id}"


def anchor(id: str) -> str:
    """Return an empty element at the place of a notebook's cell, to which links lead."""
    return f'<span class="cell" id="{mark(id)}"></span>'


def _radios(name, options):
    labels = (
        f'<label><input type="radio" name="{name}" value="{html.escape(value)}"> <span>{shown}</span></label>'
        for value, shown in options
    )
    return f'<span class="segments">{"".join(labels)}</span>'


def question_of(number: int, question: Question) -> str:
    """Return a question of a quiz, with its number; 0 where it stands alone."""
    options = "".join(
        f'<li><button type="button" class="option" data-option="{place}"><b>{letter}</b> '
        f"<span>{markdown.inline(option.text)}</span></button></li>"
        for place, (letter, option) in enumerate(zip(quizzes.LETTERS, question.options, strict=False))
    )
    prompt = markdown.blocks(quizzes.prompt(number, question))
    answers = markdown.blocks(quizzes.answers_folded(number, question)).replace(
        "<details>", '<details class="answers">', 1
    )
    return (
        f'<div class="question" data-question="{question.id}" role="group" aria-label="{quizzes.named(number)}">'
        f'{prompt}<ul>{options}</ul><div class="reply" role="status"></div>{answers}</div>'
    )


def live(what: str, lesson: str = "") -> str:
    """Return the place of a table that the page fills from what its browser keeps."""
    named = f' data-lesson="{lesson}"' if lesson else ""
    none = "Your progress appears here if the page may run scripts."
    return f'<div class="live" data-live="{what}"{named}><p>{none}</p></div>'


def drawing(id: str, inside: str, one: Still | Recording, caption: str) -> str:
    """Return a drawing as an svg element with its name for screen readers; a page of code has a second, folded one."""
    width, height = one.view_box.split()[2:]
    kind = " code" if fonts.CODE in inside else ""
    more = ""
    if one.folded:
        kind += " folds"
        moving = isinstance(one, Recording)
        groups = [one.ground, *one.layers] if moving else [inside]
        ids = [f"{id}-part-{number}" for number in range(len(groups))]
        inside = "".join(f'<g id="{id}">{group}</g>' for id, group in zip(ids, groups, strict=True))
        inside = f'<g class="whole">{inside}</g>'
        strips, (wide, high) = narrow_code.drawn(one.folded, ids), one.folded.size
        more = f'<svg class="folded" viewBox="0 0 {wide:g} {high:g}" aria-hidden="true">{strips}</svg>'
    return (
        f'<div class="picture{kind}" style="--wide:{width};--high:{height}">'
        f'<svg viewBox="{one.view_box}" role="img" aria-label="{html.escape(caption)}">{inside}</svg>{more}</div>'
    )


def still(id: str, one: Still, stored: str, components: dict) -> str:
    """Return a figure; where it is what a component shows on paper or without scripts, with the component's place.

    components: is given the component's data, and the state that it starts with.
    """
    place = ""
    if one.component:
        key = f"{id}-component"
        components[key] = {"data": one.component["data"], "state": one.component["state"]}
        place = f'<div class="component" data-component="{one.component["name"]}" id="{key}"></div>'
    inside = drawing(id, one.drawing, one, stored) + _told(*captions.parts(one.caption))
    return f'<figure id="{id}">{place}{inside}</figure>'


def _stored_picture(png, caption):
    picture = f'<img alt="{html.escape(caption)}" src="data:image/png;base64,{"".join(png.split())}">'
    return f'<figure><div class="picture">{picture}</div>{_told(caption, "")}</figure>'


def _told(message, data, more=""):
    numbers = f'<details class="numbers"{"" if data else " hidden"}><summary>{captions.FOLD}</summary><p>'
    numbers += f"{html.escape(data, quote=False)}</p></details>" if data or more else "</p></details>"
    said = f'<p class="said">{html.escape(message, quote=False)}</p>'
    return f"<figcaption>{said}{numbers if data or more else ''}{more}</figcaption>"


_RESET = (
    '<button type="button" class="reset unmoved" aria-label="Back to the start" title="Back to the start">↺</button>'
)


def player(id: str, name: str, one: Recording) -> str:
    """Return a figure with its controls."""
    rows = []
    for control in one.data["controls"]:
        key = f"{id}-{control['name']}"
        if control["kind"] == "range":
            most = len(control["values"]) - 1
            rows.append(
                f'<div class="control"><label for="{key}">{html.escape(control["label"])}</label>'
                f'<span class="slider" style="--at:{control["start"] / most:.4g}">'
                f'<input type="range" id="{key}" min="0" max="{most}" value="{control["start"]}" '
                f'aria-valuetext="{control["values"][control["start"]]}" data-control="{control["name"]}">'
                f'<output for="{key}">{control["values"][control["start"]].replace("-", "−")}</output></span></div>'
            )
        else:
            options = "".join(
                f'<label><input type="radio" name="{key}" value="{place}" data-control="{control["name"]}"'
                f"{' checked' if place == control['start'] else ''}> <span>{html.escape(value)}</span></label>"
                for place, value in enumerate(control["values"])
            )
            rows.append(
                f'<fieldset class="control"><legend>{html.escape(control["label"])}</legend>'
                f'<span class="segments">{options}</span></fieldset>'
            )
    message, _, data = one.caption.partition("\n")
    more = '<p class="aloud" role="status"></p>'
    if one.thinned:
        left = "; ".join(one.thinned)
        more += f'<p class="thinned">This page has only some values ({left}). The notebook has all of them.</p>'
    return (
        f'<figure class="player" id="{id}" data-recording="{name}"><div class="controls" hidden>{"".join(rows)}'
        f"{_RESET}</div>"
        f"{drawing(id, one.start, one, f'{message} {data}'.strip())}{_told(message, data, more)}</figure>"
    )

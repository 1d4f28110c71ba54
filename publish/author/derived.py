"""Write what follows from the lessons' own data: links, maps, the lines below titles, times, and exercises.

Of an exercise that is its starter, and the number, the stars and the minutes in the line that states its task.
"""

import ast
import re

from courseware.content import Lesson, Prediction
from lessons import catalogue, cells, in_numpy
from lessons.cells import Role
from publish.author import minutes

_LINK = re.compile(
    r"\[(?P<text>[^\[\]]*)\]"
    r"\((?P<folder>(?:[\w.-]+/)*)(?P<number>\d\d)_(?P<name>\w+)\.ipynb(?P<anchor>#[^()\s]*)?\)"
)
_MAP = re.compile(r"^\| lesson \| question \| minutes \|(?:\n\|.*)+", re.MULTILINE)
_WORDS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_WORDS += ["thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty"]
_WORD = rf"\b(?:{'|'.join(_WORDS)})\b"
# The places that give the number of lessons in words: two in README.md, and one in the first lesson's notebook.
_COUNTED = re.compile(
    rf"{_WORD}(?=\slessons\sand\s\w+\sbuilds\son\sone\ssmall\snetwork)"
    rf"|{_WORD}(?=\slessons\son\sone\sline\sof\salgebra)"
    rf"|(?<=find your way through the ){_WORD}(?= lessons)",
    re.IGNORECASE,
)
_CODED = re.compile(r"\d+ of the \d+(?= coded exercises)")  # that a page checks
_TASK = re.compile(r"^\*\*\d+\. (?P<title>.+) [★☆]{3} · about \d+ minutes?\b", re.MULTILINE)
_PART = re.compile(r"\A(?P<heading>## .+)(?:\n\n\*\d+(?:–\d+)? minutes\*)?")  # an optional part and its time
_FOLDED = {
    Role.SETUP: "# what this lesson imports",
    Role.QUIZ: "# the quiz",
    Role.WARM_UP: "# the warm-up",
    Role.SLIDER: "# the picture's code",
}
_SOLUTION = re.compile(
    r"^( *)### BEGIN SOLUTION: (.+)\n(?:(?! *### (?:BEGIN|END)).*\n)*\1### END SOLUTION\n", re.MULTILINE
)


def span(from_and_to: tuple[int, int]) -> str:
    """Write minutes from and to: "30–45"."""
    low, high = from_and_to
    return f"{low}" if low == high else f"{low}–{high}"


def link(lesson: Lesson, folder: str = "") -> str:
    """Return a Markdown link to a lesson's notebook."""
    return f"[{lesson.heading}]({folder}{lesson.notebook})"


def relink(text: str) -> str:
    """Bring the links to notebooks up to date: the file, and the number and the title that their text gives."""
    known = {lesson.name: lesson for lesson in catalogue.lessons()}

    def relinked(match):
        lesson = known.get(match["name"])
        if lesson is None:
            return match[0]
        if re.match(r"\d\d ", match["text"]):
            words = lesson.heading
        else:
            words = re.sub(rf"\b{match['number']}\b", f"{lesson.number:02d}", match["text"])
        return f"[{words}]({match['folder']}{lesson.notebook}{match['anchor'] or ''})"

    return _LINK.sub(relinked, text)


def lesson_map(folder: str = "", first: int = 0) -> str:
    """Return the table of all lessons from number `first` on, and of the optional builds."""
    rows = [
        f"| {link(lesson, folder)} | {lesson.question}{_when(lesson)} | {span(lesson.minutes)} |"
        for lesson in catalogue.lessons()
        if lesson.number >= first
    ]
    return "\n".join(["| lesson | question | minutes |", "| --- | --- | --- |", *rows])


def _when(lesson):
    return f" (optional, after {lesson.after:02d})" if lesson.build else ""


def line_below_title(lesson: Lesson) -> str:
    """Return the line that says how long a lesson takes, what it needs, and what stands before and after it.

    A build stands between the lesson that it builds on and the next one.
    """
    lessons = catalogue.series()
    if lesson.build:
        lessons = (*lessons[: lesson.after + 1], lesson, *lessons[lesson.after + 1 :])
    place = lessons.index(lesson)
    parts = ["A bonus lesson"] if lesson.name.startswith("bonus_") else ["An optional build"] * lesson.build
    optional = f" (optional parts: {span(lesson.more)} more)" if lesson.more else ""
    parts += [f"{span(lesson.minutes)} minutes{optional}", relink(lesson.needs)]
    if place > 0:
        parts.append(f"before: {link(lessons[place - 1])}")
    if place + 1 < len(lessons):
        parts.append(f"next: {link(lessons[place + 1])}")
    else:
        parts.append(f"back to the beginning: {link(lessons[0])}")
    return " · ".join(parts)


def starter(id: str) -> str:
    """Return the code that learners start from.

    For a prediction it is its variable with TODO; for an exercise the master in its lesson's solutions.py, in which
    what stands behind `BEGIN SOLUTION:` replaces the solution, and the call of check.

    Raises:
        LookupError: the lesson's solutions.py holds no master of this exercise.
        ValueError: the marks of the master are not in pairs, or its last statement makes no single name to check.
    """
    item = catalogue.item(id)
    if isinstance(item, Prediction):
        return f"{item.name} = {_blank(item)}"
    master = catalogue.solution(id)
    if master is None:
        raise LookupError(f"There is no master of {id!r} in its lesson's solutions.py.")
    code, blanks = _SOLUTION.subn(r"\1\2\n", catalogue.without_why(master))
    if not blanks or re.search(r"### *(BEGIN|END)", code):  # a starter must not show the solution
        raise ValueError(f"{id}: every '### BEGIN SOLUTION: ...' needs its '### END SOLUTION', equally indented.")
    code = code.rstrip("\n")
    last = ast.parse(code).body[-1]
    gap = "\n" if isinstance(last, ast.Assign) else "\n\n\n"
    return f'{code}{gap}check("{id}", {_made_by(id, last)})'


def _blank(prediction):
    if prediction.kind != "claims":
        return "TODO"
    lines = [f'    "{letter}": TODO,  # {claim.text}' for letter, claim in prediction.claims.items()]
    return "\n".join(["{", *lines, "}"])


def _made_by(id, statement):
    """Return the name that a statement makes."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return statement.name
    if isinstance(statement, ast.Assign) and isinstance(statement.targets[0], ast.Name):
        return statement.targets[0].id
    raise ValueError(f"{id}: the last statement of its master must define a function, a class or one variable.")


def rewrite_markdown(text: str, folder: str = "", first: int = 0) -> str:
    """Bring the links, the map and the numbers of lessons and of exercises in a text up to date.

    Args:
        folder: of the notebooks, as seen from the text; first: the number of the first lesson in its map.
    """
    text = _MAP.sub(lambda match: lesson_map(folder, first), relink(text))
    coded = [f"{lesson.name}.{name}" for lesson in catalogue.lessons() for name in lesson.exercises]
    checked = sum(id not in in_numpy.NEEDS_TORCH for id in coded)
    text = _CODED.sub(f"{checked} of the {len(coded)}", text)
    count = _WORDS[len(catalogue.series())]
    return _COUNTED.sub(lambda match: count.capitalize() if match[0][0].isupper() else count, text)


def rewrite_notebook(notebook, lesson: Lesson) -> None:
    """Bring everything in a notebook that follows from the lessons' data up to date.

    Raises:
        LookupError: a cell that is written anew is missing, or an exercise has no master.
        ValueError: the title cell, the master of an exercise, or an id that is checked is not as it must be.
    """
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            cell.source = rewrite_markdown(cell.source, first=1)
        else:
            fold(cell)
    title = _cell(notebook, "title")
    title.source = _retitled(title.source, lesson)
    task = None
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and _TASK.search(cell.source):
            task = cell
        id = cells.checked(cell)
        if id is None:
            continue
        item = catalogue.item(id)
        if isinstance(item, Prediction):
            _cell(notebook, cells.guess_of(cell.id)).source = starter(item.id)
            cell.source = cells.CHECK.sub(f'check("{item.id}", {item.name})', cell.source)
        else:
            cell.source = starter(item.id)
            _restate(task, lesson, item.id)
            task = None


def fold(cell) -> None:
    """Fold code that is not there to be read, and give every folded cell a first line that says in words what it is.

    That line is all that JupyterLab shows of a folded cell. An author folds a cell in JupyterLab, or writes
    `# plumbing: what it does` above its code.
    """
    told, plumbing = re.subn(r"\A# plumbing(\n|: )", lambda found: "# " * (found[1] == ": "), cell.source)
    role = cells.role(cell)
    name = _FOLDED.get(role)
    if role == Role.TABLE:
        name = f"# your {cells.called(cell)[0]}"
    elif role == Role.HELP:
        name = f"# hints and solution: {cells.called(cell)[1].partition('.')[2]}"
    elif cell.id.startswith("why-"):
        name = "# a question"
    elif cell.id == "opening" or re.search(r"^explore\(", cell.source, re.MULTILINE):
        name = _FOLDED[Role.SLIDER]
    if not (name or plumbing or cells.hidden(cell)):
        return
    cell.metadata.setdefault("jupyter", type(cell.metadata)())["source_hidden"] = True
    cell.source = told if told.startswith("# ") else f"{name or '# the code behind this'}\n{told}"


def state_minutes(notebook, lesson: Lesson) -> None:
    """Write below the heading of each optional part how long it takes; pictures count, so call it after a run."""
    for id, span_of_part in minutes.parts(notebook, lesson).items():
        cell = _cell(notebook, id)
        line = f"\\g<heading>\n\n*{span(span_of_part)} minutes*"
        cell.source = _PART.sub(line, cell.source)


def _restate(cell, lesson, id):
    """Write the number, the stars and the minutes of an exercise anew in the text cell that states its task."""
    if cell is None:
        raise LookupError(
            f"No text above the check of {id!r} has a line such as '**1. Title.** ★☆☆ · about 2 minutes'."
        )
    module = id.partition(".")[2]
    number, task = 1 + list(lesson.exercises).index(module), lesson.exercises[module]
    stars = "★" * task.stars + "☆" * (3 - task.stars)

    stated = f"{task.minutes} minute" + ("" if task.minutes == 1 else "s")
    cell.source = _TASK.sub(lambda match: f"**{number}. {match['title']} {stars} · about {stated}", cell.source)


def _cell(notebook, id):
    found = next((cell for cell in notebook.cells if cell.id == id), None)
    if found is None:
        raise LookupError(f"There is no cell {id!r}.")
    return found


def _retitled(source, lesson):
    """Return a title cell with the lesson's number in its title, and the last paragraph written anew."""
    paragraphs = source.split("\n\n")
    if len(paragraphs) != 3 or not re.match(r"# \d\d · ", source):
        raise ValueError("The title cell must be '# 01 · Title', a promise, and the line below them.")
    heading = f"# {lesson.number:02d} · {paragraphs[0][len('# 01 · ') :]}"
    return "\n\n".join([heading, paragraphs[1], line_below_title(lesson)])

"""Write the teacher's pages, `build/plans/<lesson>.md`, from the plans in the lessons and from the course's own data,
and the questions of the quizzes for Moodle.

A lesson that is new is measured first.

Usage: python -m classroom.plans          (which is `make plans`)
"""

import math
import re
import shutil
import sys

from classroom import gift, measure, shown
from course_lib import warm_up
from courseware.content import Lesson, Prediction
from courseware.environment import NOTEBOOKS, ROOT
from courseware.page.quiz import right_option
from lessons import catalogue, cells
from lessons.cells import Role
from publish.author import plan

PAGES = ROOT / "build" / "plans"
MOST_MISTAKES = 16  # of an exercise, that a page lists
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def page(lesson: Lesson) -> str:
    """Return the teacher's page of a lesson as Markdown.

    Raises:
        ValueError: its hand-written plan is not as it must be.
    """
    words, notebook = plan.read(lesson), plan.notebook(lesson)
    called = shown.places(lesson, notebook)
    voted = {cell for step in (*words.plan45, *words.plan25) for cell in step.cells}
    parts = [
        f"# {lesson.heading}: the teacher's page",
        f"[The lesson](../../notebooks/{lesson.notebook}) · {_span(lesson.minutes)} minutes alone, the core path · "
        + _linked(lesson.needs),
        f"**Question of the day:** {words.question}",
        "**At the end students can** " + "; ".join(words.goals) + ".",
        f"**Before class.** {words.before_class} Worksheet: `{lesson.notebook.removesuffix('.ipynb')}_worksheet.pdf`.",
        "## 45 minutes\n\n" + _steps(words.plan45, called),
        f"**Cut when time runs short:** {words.cut}",
        f"**Homework, where no lab hour follows:** {words.homework}",
        "## 25 minutes\n\n" + _steps(words.plan25, called),
        f"## On the board\n\n{words.board}",
        "## Listen for\n\n" + _misconceptions(words),
        f"**For the quick:** {words.quick}\n\n**For the lost:** {words.lost}",
        f"**In the exercises expect:** {words.expect}",
        f"**Without network or server:** {words.offline}",
        "## Lab hour\n\n" + _lab(words.lab, lesson, notebook, called),
        *[f"## The drawing for the board\n\n```text\n{words.drawing}\n```"] * bool(words.drawing),
        f"## What the cells print\n\n{shown.PRINTED}\n\n" + shown.printed(voted, notebook, called),
        "## Predictions: votes and replies\n\n"
        "Read the question out, let all commit to an answer, count, and only then run. The first guess is what counts.",
        *(_prediction(one, cell, words, notebook) for one, cell in plan.asked(lesson, notebook)),
        "## Answer key",
        *_warm_up(lesson, notebook),
        *[_folded("The quiz", _quiz(lesson))] * bool(catalogue.questions(lesson.name)),
        *(_exercise(lesson, module) for module in lesson.exercises),
        "## What it costs a computer\n\n" + _costs(lesson),
    ]
    return shown.named("\n\n".join(parts), called) + "\n"


def _warm_up(lesson, notebook):
    """Return what to say of the warm-up, where there is one, with the answers that fit a learner without a record."""
    for cell in notebook.cells:
        if cells.role(cell) == Role.WARM_UP:
            right = [_LETTERS[right_option(question)] for _, question in warm_up.asked(lesson.name)]
            told = "three questions of earlier lessons, outside the plan: while the class settles, or at home"
            return [f"**Warm-up.** It asks {told} ({', '.join(right)}; whoever was wrong before may get others)."]
    return []


def _span(minutes):
    low, high = minutes
    return str(low) if low == high else f"{low}–{high}"


def _linked(text):
    """Let links to notebooks lead there from a teacher's page."""
    return re.sub(r"\]\((\d\d_\w+\.ipynb)", r"](../../notebooks/\1", text)


def _steps(steps, called):
    rows, begin = ["| min | what | where | how |", "| --- | --- | --- | --- |"], 0
    for step in steps:
        where = shown.span(step.cells, called)
        rows.append(f"| {begin}–{begin + step.minutes} | {step.what} | {where} | {_in_cell(step.how)} |")
        begin += step.minutes
    return "\n".join(rows)


def _lab(lab, lesson, notebook, called):
    """Return the sheet of a lab hour: its table, help for each exercise, and how it ends."""
    tasks = plan.exercises(lesson, notebook.cells)
    more = {cell.id for cell in notebook.cells if cells.optional(cell)}
    rows = ["| exercise | the notebook says | if somebody is stuck |", "| --- | --- | --- |"]
    for cell, says in lab.stuck.items():
        task, optional = tasks[cell], " (optional)" * (cell in more)
        rows.append(f"| {task.title}{optional} | {task.minutes} minutes | {_in_cell(says)} |")
    return "\n\n".join(
        [
            f"{plan.LONG} minutes at the keyboard, after the lesson of votes, in the learners' own notebooks.",
            _steps(lab.steps, called),
            "\n".join(rows),
            f"**The quick go on with:** {lab.quick}",
            f"**Exit question:** {lab.exit} ({lab.answer})",
            f"**At home:** {lab.home}",
        ]
    )


def _in_cell(text):
    return text.replace("|", "\\|")


def _misconceptions(words):
    rows = ["| you hear | ask | say |", "| --- | --- | --- |"]
    rows += [
        "| " + " | ".join(map(_in_cell, (f"“{one.says}”", one.probe, one.reply))) + " |" for one in words.misconceptions
    ]
    return "\n".join(rows)


def question_before(notebook, cell_id: str) -> str:
    """Return the question that stands before the cell that takes a guess: the text cell above it, without its heading.

    Raises:
        ValueError: no text stands before the cell.
    """
    above = None
    for cell in notebook.cells:
        if cell.id == cell_id:
            break
        if cell.cell_type == "markdown":
            above = cell.source
    if not above:
        raise plan.Faulty(f"No text stands before the cell {cell_id}.")
    return _linked("\n\n".join(one for one in above.split("\n\n") if not one.startswith("#")))


def _prediction(one: Prediction, cell, words, notebook):
    name = one.id.partition(".")[2]
    optional = "" if name in words.split else " (optional)"
    lines = [f"### {one.title}{optional}"]
    if one.kind == "claims":
        rows = ["| claim | as it stands | to those who say otherwise |", "| --- | --- | --- |"]
        for letter, claim in one.claims.items():
            (reply,) = claim.replies.values()
            rows.append(f"| {letter}. {_in_cell(claim.text)} | {claim.answer} | {_in_cell(reply)} |")
        return "\n\n".join([*lines, "\n".join(rows)])
    lines.append("\n".join(f"> {line}".rstrip() for line in question_before(notebook, cell).splitlines()))
    lines.append(f"**{_guess(one.answer)}.** {one.right}")
    rows = ["| they say | you say |", "| --- | --- |"]
    guesses = {}
    for reply in one.replies:
        guesses.setdefault(reply.says, []).append(_guess(reply.guess))
    rows += [f"| {'; '.join(same)} | {_in_cell(says)} |" for says, same in guesses.items()]
    lines.append("\n".join(rows))
    if name in words.split:
        lines.append(f"**If the class is split:** {words.split[name]}")
    return "\n\n".join(lines)


def _guess(value):
    if isinstance(value, tuple):
        return f"({', '.join(map(str, value))}{',' if len(value) == 1 else ''})"
    return f"{value:,}".replace("-", "−") if isinstance(value, int | float) else str(value)


def _folded(title, inside):
    return f"<details>\n<summary>{title}</summary>\n\n{inside}\n\n</details>"


def _quiz(lesson):
    blocks = []
    for number, question in enumerate(catalogue.questions(lesson.name), 1):
        right = right_option(question)
        lines = [f"**{number}.** {question.prompt} **{_LETTERS[right]}**"]
        lines += [
            f"- {_LETTERS[place]}{' ✓' if option.right else ''} {option.text}: {option.reason}"
            for place, option in enumerate(question.options)
        ]
        blocks.append(lines[0] + "\n\n" + "\n".join(lines[1:]))
    return "\n\n".join(blocks)


def _exercise(lesson, module):
    task, item = lesson.exercises[module], catalogue.item(f"{lesson.name}.{module}")
    code, why = catalogue.worked(item.id)
    parts = [f"```python\n{code}\n```"]
    parts += [f"**Why:** {why}"] * bool(why)
    kinds = {}
    for mistake in item.mistakes:
        kinds.setdefault(mistake.kind or mistake.name, mistake.message)
    says = list(kinds.values())
    if says:
        parts.append("The check knows these mistakes, and says:")
        parts.append("\n".join(f"- {message}" for message in says[:MOST_MISTAKES]))
    if len(says) > MOST_MISTAKES:
        parts.append(f"… and {len(says) - MOST_MISTAKES} more.")
    title = f"{task.title} · {'★' * task.stars}, about {task.minutes} minutes, {len(item.mistakes)} named mistakes"
    return _folded(title, "\n\n".join(parts))


def _costs(lesson):
    cost = measure.kept()[lesson.name]
    megabytes = 10 * round(cost.megabytes / 10)
    says = (
        f"Running all cells once on one thread takes {cost.cpu_seconds:.1f} CPU seconds, of which "
        f"{cost.start_seconds:.1f} go into starting Python and the first imports. The kernel grows to {megabytes} "
        f"megabytes: thirty kernels need at most {math.ceil(30 * megabytes / 1000)} gigabytes. "
    )
    if cost.slowest_seconds == 0:
        return f"{says}No cell after the imports takes a tenth of a second."
    return (
        f"{says}The longest cell after the imports, `{cost.slowest_cell}`, takes {cost.slowest_seconds:.1f} seconds. "
        "If all work at their own pace, that hardly matters. If thirty run one cell at the same time, they share the "
        f"processors: with two, expect the longest cell to take {15 * cost.slowest_seconds:.0f} seconds."
    )


def measure_new() -> None:
    """Measure what the lessons cost that were never measured."""
    known = measure.kept()
    new = [one.name for one in catalogue.lessons() if one.name not in known and (NOTEBOOKS / one.notebook).is_file()]
    if new:
        measure.main(new)


def main() -> int:
    """Write every page anew; report plans that are not as they must be and return how many those are."""
    measure_new()
    shutil.rmtree(PAGES, ignore_errors=True)
    PAGES.mkdir(parents=True)
    failed = 0
    for lesson in catalogue.lessons():
        try:
            (PAGES / f"{lesson.name}.md").write_text(page(lesson), encoding="utf-8", newline="\n")
        except plan.Faulty as error:
            print(f"{lesson.name}: {error}", file=sys.stderr)
            failed += 1
    (quizzes := PAGES.parent / gift.NAME).write_text(gift.text(), encoding="utf-8", newline="\n")
    print(f"{len(list(PAGES.iterdir()))} teacher's pages are in {PAGES}, and the quizzes for Moodle in {quizzes}.")
    return failed


if __name__ == "__main__":
    sys.exit(main())

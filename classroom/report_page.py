"""The class report as one HTML page: no script, nothing loaded from elsewhere, and every word from outside escaped."""

import base64
import html
import sys
import time

from classroom import core, figures, learners
from classroom.marking.results import LARGE
from courseware import __version__
from courseware.page import png
from lessons import catalogue

UNREADABLE = (
    f"Only root can read this Python ({sys.base_prefix}), so code that imports more than the course does was judged as "
    "stopped. Make the report as a user other than root, or with a Python that everybody can read."
)
MOST_STUCK = 3  # exercises named in a learner's row
_STYLE = """
:root { color-scheme: light dark }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse; width: 100% } table + table { margin-top: 1rem }
caption { text-align: left; font-weight: bold; padding: .3em 0 }
th, td { text-align: left; vertical-align: top; border-bottom: 1px solid #8888; padding: .3em .6em }
td.n, th.n { text-align: right } td.n { white-space: nowrap } bdi, li { overflow-wrap: anywhere }
figure { margin: 1rem 0 }
img { background: white; max-width: 100%; height: auto }
@media (max-width: 40rem) { table { font-size: .9rem } th, td { padding: .3em .3em } }
"""


def page(report) -> str:
    """Return the page of a classroom.report.Report."""
    size = len(report.results)
    parts = [
        f"<h1>What the class thinks</h1><p>{count(report)} All are named at the end. The newest file is from "
        f"{time.strftime('%Y-%m-%d, %H:%M', time.localtime(report.newest))}.</p>",
        _learners(report),
        _points(report),
        _mistakes(report, size),
        _exercises(report),
        _guesses(report),
        _quiz(report),
        _absent(report),
        _differing(report),
        _problems(report),
        _how(report),
    ]
    return whole("Class report", parts)


def whole(title: str, parts: list[str]) -> str:
    """Return a page that loads nothing and runs nothing, with HTML in its body."""
    policy = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>'
        f"<style>{_STYLE}</style></head>\n<body><main>\n" + "\n".join(parts) + "\n</main></body></html>\n"
    )


def count(report) -> str:
    """Say how many files were handed in, by how many, and how many of them were read."""
    files, read = len(report.files), sum(not file.why for file in report.files)
    of_whom = f"{_many(files, 'file')} of {_many(len({file.whose for file in report.files} - {''}), 'learner')}"
    return f"{of_whom}: {read} {'was' if read == 1 else 'were'} read, {files - read} not."


def _many(count, word):
    return f"{count} {word}{'' if count == 1 else 's'}"


def table(caption: str, columns: list[str], rows: list[tuple]) -> str:
    """Return a table; a column whose name begins with # holds numbers. The cells are HTML already."""
    kinds = [' class="n"' if name.startswith("#") else "" for name in columns]
    names = [name.removeprefix("#") for name in columns]
    head = "".join(f'<th scope="col"{kind}>{name}</th>' for name, kind in zip(names, kinds, strict=True))
    body = "".join(
        "<tr>" + "".join(f"<td{kind}>{cell}</td>" for cell, kind in zip(row, kinds, strict=True)) + "</tr>\n"
        for row in rows
    )
    return f"<table><caption>{caption}</caption><thead><tr>{head}</tr></thead><tbody>\n{body}</tbody></table>"


def _learners(report):
    begun = [lesson for lesson in catalogue.lessons() if any(one.tried(lesson.name) for one in report.results)]
    heading, nobody = "<h2>Who needs you</h2>", "<p>Nobody has begun an exercise.</p>"
    if not begun:
        return heading + nobody
    rows = [
        (
            theirs(row.name) + (" <b>needs you</b>" if row.needs else ""),
            f"{row.right} of {row.of}",
            row.by_word,
            "; ".join(map(_stuck, row.stuck[:MOST_STUCK])) + _more(row),
        )
        for row in report.rows
    ]
    numbers = ", ".join(f"{lesson.number:02d}" for lesson in begun if core.core(lesson.name))
    caption = f"Core exercises of the lessons that somebody has begun: {numbers}"
    columns = ["learner", "#right", "#more by their own word", "tried, and not right"]
    how = (
        f"<p>“Needs you” means that an exercise is still not right after {learners.MANY_ATTEMPTS} attempts or "
        f"{learners.MANY_HINTS} hints, that its code does not end, or that nothing the learner handed in could be "
        "read. These learners come first, then those who have the fewest right. Attempts and hints come from the "
        "progress files, so without such a file they are not known.</p>"
    )
    return heading + table(caption, columns, rows) + how


def _points(report):
    heading = "<h2>Points</h2>"
    if not report.marked:
        return f"{heading}<p>There is no lesson to mark.</p>"
    rows = [
        (theirs(one.submission.name), *(_grade(one.grade(lesson)) for lesson in report.marked))
        for one in sorted(report.results, key=lambda one: one.submission.name)
    ]
    columns = ["learner", *(f"#{html.escape(catalogue.lesson(lesson).heading)}" for lesson in report.marked)]
    how = (
        "<p>Points are for the code that was handed in, never for what a progress file says. Optional exercises make "
        "up for lost points of the core. A lesson that was not handed in, or that could not be read, has no mark.</p>"
    )
    return heading + how + table("Two points for each star", columns, rows)


def _grade(grade):
    return "no mark" if grade is None else f"{grade.points:g} of {grade.of:g}"


def _more(row):
    rest = len(row.stuck) - MOST_STUCK
    return f"; and {rest} more" if rest > 0 else ""


def _stuck(one):
    said = [_many(one.attempts, "attempt")] * bool(one.attempts) + [_many(one.hints, "hint")] * bool(one.hints)
    said += ["its code does not end"] * one.endless
    return html.escape(core.title(one.id)) + (f" ({', '.join(said)})" if said else "")


def _of(count, size):
    """Return a count of so many, of a large number with its share."""
    return f"{count} of {size}" + (f" ({100 * count / size:.0f} %)" if size >= LARGE else "")


def _mistakes(report, size):
    heading = f"<h2>{'The ten most frequent mistakes' if size >= LARGE else 'Mistakes that were met'}</h2>"
    if not report.mistakes:
        return f"{heading}<p>No named mistake was met.</p>"
    rows = [
        (html.escape(exercise), theirs(words), _of(met, size), _of(still, size))
        for exercise, words, met, still in report.mistakes
    ]
    return heading + table("Met at some time, and still there", ["exercise", "what it is", "#met by", "#still"], rows)


def _exercises(report):
    rows, before = [], ""
    begun = {lesson for lesson, _, solved, word, tried, _ in report.table if solved or word or tried}
    left = dict.fromkeys(html.escape(lesson) for lesson, *_ in report.table if lesson not in begun)
    said = f"<p>In these lessons nobody has begun an exercise: {', '.join(left)}.</p>" if left else ""
    for lesson, exercise, *counts in report.table:
        if lesson not in begun:
            continue
        rows.append(("" if lesson == before else html.escape(lesson), html.escape(exercise), *counts))
        before = lesson
    columns = ["lesson", "exercise", "#solved", "#by their own word", "#tried", "#not tried"]
    why = "<p>Solved: their code was run again, and is right. By their own word: only the progress file says so.</p>"
    return "<h2>Exercises</h2>" + (why + table("How many learners", columns, rows) if rows else "") + said


def _guesses(report):
    parts = ["<h2>What they expected</h2><p>First guesses, made before the answer was seen.</p>"]
    before = ""
    for prediction, made in report.guesses:
        lesson = catalogue.lesson(prediction.id.partition(".")[0]).heading
        parts += [f"<h3>{html.escape(lesson)}</h3>"] if lesson != before else []
        large = len(made) >= LARGE
        said = _picture(*figures.guesses(prediction, made)) if large else html.escape(figures.said(prediction, made))
        parts.append(said if large else f"<p>{said}</p>")
        before = lesson
    return "\n".join(parts if report.guesses else [*parts, "<p>No guess was handed in.</p>"])


def _picture(figure, caption):
    drawn = base64.b64encode(png.stored(figure)).decode()
    alt, width = html.escape(caption), png.width_on_page(figure)
    image = f'<img alt="{alt}" width="{width}" src="data:image/png;base64,{drawn}">'
    return f"<figure>{image}<figcaption>{alt}</figcaption></figure>"


def _quiz(report):
    parts = ["<h2>Questions for the next lesson</h2>"]
    large = len(report.results) >= LARGE
    many = (
        ["more than a third of those who answered", "more than a third of those who judged"] if large else ["some"] * 2
    )
    for what, missed, said in (
        ("question", report.quiz, f"Answered wrongly, at first or still, by {many[0]}"),
        ("claim", report.claims, f"Judged wrongly, at first, by {many[1]}"),
    ):
        rows = [(html.escape(lesson), html.escape(words), _of(wrong, count)) for lesson, words, wrong, count in missed]
        parts += [table(said, ["lesson", what, "#wrong"], rows)] if rows else []
    nothing = (
        f"<p>No question was answered wrongly and no claim misjudged{' by more than a third' if large else ''}.</p>"
    )
    return "\n".join(parts if len(parts) > 1 else [*parts, nothing])


def _differing(report):
    parts = ["<h2>Claimed as solved, but not solved in what was handed in</h2>"]
    rows = [(theirs(name), *map(html.escape, words)) for name, *words in report.differing]
    if rows:
        parts.append("<p>There are honest reasons: an older copy of the notebook, or a change after the check.</p>")
        parts.append(table("Where they differ", ["learner", "exercise", "the file says", "found"], rows))
    elif report.words:
        parts.append("<p>Nowhere, among the exercises whose code was handed in.</p>")
    else:
        parts.append("<p>Nowhere.</p>")
    rows = [(theirs(name), f"{word} of {solved}") for name, word, solved in report.words]
    if rows:
        caption = "Not checked: solved by their own word only, because no code for it was handed in"
        parts.append(table(caption, ["learner", "#of the exercises called solved"], rows))
    return "\n".join(parts)


def theirs(words: str) -> str:
    """Return a learner's name or words: broken where they are long; from right to left they turn nothing else."""
    return f"<bdi>{html.escape(words)}</bdi>"


def _absent(report):
    of_whom = " whose work could be read" if report.problems else ""
    names = [theirs(name) for name in report.absent]
    return _list("Who has not started", names, f"Everybody{of_whom} has started.")


def _problems(report):
    items, notes = (
        [f"{theirs(name)}{': ' * bool(name)}{html.escape(said)}" for name, said in found]
        for found in (report.problems, report.notes)
    )
    known = _list("What to know of the files", notes, "") if notes else ""
    rows = [
        (
            theirs(file.path),
            theirs(file.whose) if file.whose else "nobody",
            html.escape(file.why or f"read as {file.said}") + ", late" * file.late,
        )
        for file in report.files
    ]
    every = table("Every file", ["file", "of whom", "what came of it"], rows)
    unread = _list("What could not be read or judged", items, "Everything was read.")
    return f"{unread}{known}<h2>What was handed in</h2>{every}"


def _list(title, items, none):
    inside = f"<ul>{''.join(f'<li>{item}</li>' for item in items)}</ul>" if items else f"<p>{none}</p>"
    return f"<h2>{title}</h2>{inside}"


def _how(report):
    around, said = report.around, ["They could reach no network."]
    if around.network:
        said = ["This system could not take the network away from them: judge strangers' code on another computer."]
    if not around.hidden:
        said.append(
            "This system could not hide your copy of the course and the submissions: code that looks for them finds "
            "the worked solutions, and what others handed in, if the user that runs it may read them."
        )
    if not around.library:
        said.append(html.escape(UNREADABLE))
    return (
        "<h2>How this was made</h2><p>The exercise cells were run again, each submission in a process of its own with "
        f"limits on time and memory, beside a copy of the course without solutions. {' '.join(said)} Guesses, quiz "
        "answers and what is solved by their own word come from the progress files, which learners can change: they "
        "earn no points. Clever code can lie to its judge, so look at the cells before you give marks. This "
        f"report was made with version {__version__} of the course.</p>"
    )

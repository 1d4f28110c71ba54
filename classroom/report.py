"""Tell a teacher what the class thinks: which exercises are solved, which mistakes are still there, what was guessed.

It reads folders or zip files that learners hand in, and judges the code in their notebooks again, in limited processes.
It writes one HTML page that needs nothing else and a CSV file with a row for each learner and item. A folder of that
name beside them gets the points, a page of feedback for each learner, and for each lesson a table for Canvas or Moodle.

Usage: python -m classroom.report FOLDER [--anonymous] [--only NAME] [--output PAGE]
                                  [--roster LIST [--by COLUMN] [--column TITLE]]
(which is `make report FOLDER=…`)
"""

import argparse
import contextlib
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from classroom import Refused, core, feedback, figures, grades, learners, report_page, sheets
from classroom.marking import handed_in
from classroom.marking.handed_in import File, Submission
from classroom.marking.results import LARGE, Results
from classroom.marking.runner import Around, Runner
from classroom.sentences import sentence
from courseware.environment import ROOT
from courseware.guess import judgement
from courseware.progress import RANK
from lessons import catalogue
from whywrong.task import Fault, Status

PAGE = ROOT / "dist" / "class-report.html"
MOST_MISTAKES = 10


@dataclass
class Report:
    """All that the page shows; every list is in the order in which it is shown."""

    results: list[Results]
    around: Around
    rows: list[learners.Row]
    table: list[tuple[str, str, int, int, int, int]]  # lesson, exercise, solved, by their own word, tried, not tried
    words: list[tuple[str, int, int]]  # learner, exercises solved by their own word only, of all that are called solved
    mistakes: list[
        tuple[str, str, int, int]
    ]  # exercise, sentence, met by, still there; of a large class the most frequent
    guesses: list[tuple]  # prediction, first guesses
    quiz: list[
        tuple[str, str, int, int]
    ]  # lesson, question, wrong at first or still, answered; of a large class those that a third got wrong
    claims: list[tuple[str, str, int, int]]  # lesson, claim with its answer, judged wrongly at first, judged
    differing: list[tuple[str, str, str, str]]  # learner, exercise, claimed, found
    absent: list[str]
    problems: list[tuple[str, str]]
    notes: list[tuple[str, str]]
    marked: list[str]  # lessons
    newest: float  # when the newest file was written
    files: list[File]


def results_of(submission: Submission, runner: Runner) -> Results:
    """Run the code of a submission in a limited process, and return what came of it.

    Of a lesson that was handed in more than once the newest file counts, or the best if nothing says which is newer,
    and of those that the platform calls late none while there is another. All are named with their points.
    """
    several = {lesson: files for lesson, files in submission.versions.items() if len(files) > 1}
    found = _run(submission, [lesson for lesson in submission.cells if lesson not in several], runner)
    for lesson, files in several.items():
        tries = []
        for file in files:
            submission.cells[lesson] = file.cells
            one = _run(submission, [lesson], runner)
            grade = one.grade(lesson)
            tries.append((file, one, grade.points if grade else -1))
        in_time = [one for one in tries if one[0].late == files[0].late]
        chosen, why = in_time[0], "it is the newest" if len(in_time) > 1 else "it came in time"
        if any(files[0].newer(other) < 1 for other, *_ in in_time[1:]):
            chosen, why = max(in_time, key=lambda one: one[2]), "nothing says which is newer, and it earns the most"
        submission.cells[lesson] = chosen[0].cells
        for kept in ("verdicts", "points", "rules"):
            getattr(found, kept).update(getattr(chosen[1], kept))
        found.unfinished += chosen[1].unfinished
        all_of_them = "; ".join(
            f"{file.path}{' (late)' * file.late} {'cannot be judged' if points < 0 else f'earns {points:g}'}"
            for file, _, points in tries
        )
        submission.notes.append(
            f"Lesson {catalogue.lesson(lesson).number:02d} was handed in more than once: {all_of_them}. "
            f"{chosen[0].path} counts, because {why}."
        )
    return found


def _run(submission, lessons, runner):
    found = Results(submission)
    if not lessons:
        return found
    findings = runner.run({lesson: submission.cells[lesson] for lesson in lessons})
    found.unfinished = findings.unfinished
    for problem in dict.fromkeys(findings.problems):
        submission.problems.append(f"Judging its code again did not finish. {problem}")
    for line in findings.lines:
        values = [line.get(name) for name in ("id", "status", "key", "message", "rule")]
        if (
            all(isinstance(value, str) for value in values)
            and values[1] in set(Status)
            and values[4] in feedback.RUBRIC
        ):
            id, status, key, message, rule = values
            before = found.verdicts.get(id, (Status.NOT_ATTEMPTED,))[0]
            points = _credible(id, line.get("points"), status)
            rank = points, RANK[status]
            if id not in found.verdicts or rank >= (found.points[id], RANK[before]):  # of copies, the best counts
                found.verdicts[id] = Status(status), _writable(key[:80]), _writable(message[:600])
                found.points[id], found.rules[id] = points, rule
    return found


def _credible(id, points, status):
    """Return points that a process which may lie gives for an answer, if they can be; else 0."""
    worth = core.worth().get(id, 0)
    can_be = isinstance(points, int | float) and points in [half / 2 for half in range(2 * worth + 1)]
    return float(points) if can_be and (points == worth) == (status == Status.CORRECT) else 0.0


def _writable(words):
    """Return words from a process that may lie, without the halves of characters that no file can hold."""
    return words.encode("utf-8", "replace").decode("utf-8")


def made(results: list[Results], around: Around, newest: float = 0, files: list[File] = ()) -> Report:
    """Put together what the class did."""
    exercises = [(lesson, f"{lesson.name}.{module}") for lesson in catalogue.lessons() for module in lesson.exercises]
    table, words, differing = [], [], []
    for lesson, id in exercises:
        found = [one.status(id) for one in results]
        word = sum(one.by_word_only(id) for one in results)
        solved, missing = found.count(Status.CORRECT) - word, found.count(Status.NOT_ATTEMPTED)
        title = core.title(id) + (" (optional)" if id in core.optional(lesson.name) else "")
        table.append((lesson.heading, title, solved, word, len(results) - solved - word - missing, missing))
    for one in results:
        word = sum(one.by_word_only(id) for _, id in exercises)
        if word:
            solved = sum(one.status(id) == Status.CORRECT for _, id in exercises)
            words.append((one.submission.name, word, solved))
        for _, id in exercises:
            entry, again = one.submission.entries.get(id), one.verdicts.get(id, (Status.CORRECT,))[0]
            if entry and entry.status == Status.CORRECT != again:
                differing.append((one.submission.name, core.title(id), str(entry.status), str(again)))
    begun = [lesson.name for lesson in catalogue.lessons() if any(one.tried(lesson.name) for one in results)]
    return Report(
        results,
        around,
        learners.rows(results, begun),
        table,
        words,
        _mistakes(results, [id for _, id in exercises]),
        _guesses(results),
        _quiz(results),
        _claims(results),
        differing,
        [
            one.submission.name
            for one in results
            if not (one.submission.started or any(map(one.looked_at, one.verdicts)) or one.submission.problems)
        ],
        [(one.submission.name, problem) for one in results for problem in one.submission.problems]
        + [("", f"{file.path}: {file.why}") for file in files if file.why and not file.whose],
        [(one.submission.name, note) for one in results for note in one.submission.notes],
        [
            lesson.name
            for lesson in catalogue.lessons()
            if any(one.can_be_marked(lesson.name) for one in results if lesson.name in begun)
            or any(lesson.name in one.corrected for one in results)
        ],
        newest,
        files,
    )


def _mistakes(results, ids):
    """Return exercise, sentence, how many met it and still have it: in order; of a large class the most frequent."""
    met = Counter((id, key) for id in ids for one in results for key in one.met(id))
    rows = [
        (core.title(id), words, count, sum(one.still(id, key) for one in results))
        for (id, key), count in met.items()
        if (words := sentence(id, key))
    ]
    if len(results) < LARGE:
        return rows
    return sorted(rows, key=lambda row: (-row[2], -row[3], row[0], row[1]))[:MOST_MISTAKES]


def _entries(results, id):
    return [one.submission.entries[id] for one in results if id in one.submission.entries]


def _guesses(results):
    found = []
    for lesson in catalogue.lessons():
        for prediction in catalogue.predictions(lesson.name):
            first = [entry.guess for entry in _entries(results, prediction.id) if entry.guess is not None]
            if first and prediction.kind != "claims":
                found.append((prediction, first))
    return found


def _quiz(results):
    """Return the questions that many of those who answered got wrong, at first or still."""
    found = []
    for lesson in catalogue.lessons():
        for number, question in enumerate(catalogue.questions(lesson.name), 1):
            answered = [entry for entry in _entries(results, question.id) if entry.status != Status.NOT_ATTEMPTED]
            wrong = sum(entry.wrong_at_first for entry in answered)
            if _asks(wrong, len(answered), len(results)):
                found.append((lesson.heading, f"{number}. {question.prompt}", wrong, len(answered)))
    return found


def _asks(wrong, answered, size):
    """Tell whether so many wrong answers ask for a word: of a large class more than a third, of a small one any."""
    return 3 * wrong > answered if size >= LARGE else wrong > 0


def _claims(results):
    """Return the claims that many of those who judged them judged wrongly at first."""
    found = []
    for lesson in catalogue.lessons():
        for prediction in catalogue.predictions(lesson.name):
            first = [entry.guess for entry in _entries(results, prediction.id) if isinstance(entry.guess, dict)]
            for letter, claim in prediction.claims.items():
                said = []
                for guess in first:
                    with contextlib.suppress(Fault):  # of a made-up file
                        said.append(judgement(letter, guess))
                wrong = len(said) - said.count(claim.answer)
                if _asks(wrong, len(said), len(results)):
                    found.append((lesson.heading, f"{letter}. {claim.text} ({claim.answer})", wrong, len(said)))
    return found


def without_names(submissions: list[Submission], order: random.Random) -> list[Submission]:
    """Return the submissions in another order, with numbers for names, and guesses without words of their own."""
    mixed = list(submissions)
    order.shuffle(mixed)
    for number, one in enumerate(mixed, 1):
        one.name = f"learner {number}"
        one.problems = [file.why for file in one.files if file.why]
        for id, entry in one.entries.items():
            entry.guess = figures.without_words(id, entry.guess)
    return mixed


def write_csv(report: Report, path: Path) -> None:
    """Write a row for each learner and item; no cell begins like a formula."""
    rows = [["learner", "item", "claimed", "found", "key", "attempts", "hints", "guess", "near", "points"]]
    for one in report.results:
        for id in sorted(handed_in.known_ids()):
            entry, verdict = one.submission.entries.get(id), one.verdicts.get(id)
            if entry is None and verdict is None:
                continue
            row = [one.submission.name, id, "", "", "", 0, 0, "", "", ""]
            if entry:
                near = "" if entry.near is None else entry.near
                guess = "" if entry.guess is None else figures.told(entry.guess)
                row = [one.submission.name, id, entry.status, "", "", entry.attempts, entry.hints, guess, near, ""]
            if verdict:
                row[3], row[4], row[9] = verdict[0], verdict[1], one.points[id]
            rows.append(row)
    sheets.write(path, rows)


def report(folder: Path, *, anonymous: bool = False, only: str = "", table: grades.Table | None = None) -> Report:
    """Read a folder, judge what is in it, and put the report together.

    Args:
        folder: what was handed in.
        anonymous: leave out the names.
        only: the name of the one learner to judge; "" for all.
        table: the points that an earlier report wrote: what somebody has changed in them is kept.

    Raises:
        ValueError: there is nothing to read, or nobody of this name.
    """
    handed, files = handed_in.read(folder)
    if only and only not in (names := [one.name for one in handed]):
        raise Refused(f"Nobody is called {only!r} here. There are: {', '.join(names)}.")
    if anonymous:
        handed = without_names(handed, random.Random())
    with Runner(folder) as runner:
        newest = max((path.lstat().st_mtime for path in (folder, *folder.rglob("*")) if not path.is_dir()), default=0)
        results = [results_of(one, runner) for one in handed if only in ("", one.name)]
    for one in results:
        if anonymous:
            one.submission.notes.clear()
            for file in one.submission.files:
                file.whose = one.submission.name
        elif table:
            table.correct(one)
    for file in files if anonymous else ():
        file.found.parts = ("a file",)
    return made(results, runner.around, newest, files)


def main(arguments=None) -> int:
    """Write the report and say where it is."""
    parser = argparse.ArgumentParser(description="Write the report on a class from what learners handed in.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--anonymous", action="store_true", help="write numbers instead of names, in a different order")
    parser.add_argument(
        "--only", default="", help="the one learner to judge: the points of the others stay as they are"
    )
    parser.add_argument("--output", type=Path, default=PAGE, help="the page; the CSV file gets the same name")
    parser.add_argument("--roster", type=Path, help="the platform's list of names, to make the tables for it")
    parser.add_argument("--by", help="the roster's column of learners' names, if the platform gave no numbers")
    parser.add_argument("--column", help="the title of the points' column, with Canvas' number: 'Lesson 5 (1234)'")
    given = parser.parse_args(arguments)
    if given.output.suffix.lower() == ".csv":
        parser.error("--output names the page, such as class.html; the CSV file gets the same name")
    sheets.let_print_any_name()
    marks = given.output.with_suffix("")
    try:
        table = grades.Table(marks / "points.csv")
        found = report(given.folder, anonymous=given.anonymous, only=given.only, table=table)
    except Refused as error:
        print(error, file=sys.stderr)
        return 1
    try:
        given.output.parent.mkdir(parents=True, exist_ok=True)
        if not given.only:
            given.output.write_text(report_page.page(found), encoding="utf-8", newline="\n")
            write_csv(found, given.output.with_suffix(".csv"))
        said = ""
        if found.marked and not given.anonymous:
            said = table.write(found.results, found.marked, only=bool(given.only))
            everybody = sorted({*table.learners(), *(one.submission.name for one in found.results)})
            feedback.write(found.results, found.marked, marks / "feedback", everybody if given.only else ())
    except OSError as error:
        where = error.filename or given.output
        print(f"{where} cannot be written: {error.strerror}. Is it open in another program?", file=sys.stderr)
        return 1
    if not found.around.library and any("stopped" in one.rules.values() for one in found.results):
        print(report_page.UNREADABLE, file=sys.stderr)
    print(report_page.count(found))
    for name, words in [*found.problems, *found.notes]:
        print("- " + ": ".join(filter(None, (name, words))))
    if not given.only:
        print(f"The report: {given.output}")
        print(f"The same as a table: {given.output.with_suffix('.csv')}")
    if given.anonymous or not found.marked:
        print("No points were written: " + ("they need names." if given.anonymous else "there is no lesson to mark."))
        return 0
    if given.only:
        print("The report on the class stays as it was: only these points and this page of feedback are new.")
    print(f"The points: {marks / 'points.csv'}{said}")
    print(f"A page of feedback for each learner: {marks / 'feedback'}")
    return _tables(given, found.marked, marks) if given.roster else 0


def _tables(given, lessons, marks):
    """Write a table for the platform for each lesson that is marked; return 0 if all of them were written."""
    if given.column and len(lessons) > 1:
        names = ", ".join(lessons)
        print(f"--column is for one lesson, but these were handed in: {names}. Use classroom.grades.", file=sys.stderr)
        return 1
    for lesson in lessons:
        output = marks / f"upload_{catalogue.lesson(lesson).notebook.removesuffix('.ipynb')}.csv"
        names = [f"--{name}={said}" for name in ("by", "column") if (said := getattr(given, name))]
        if grades.main([str(marks / "points.csv"), str(given.roster), lesson, f"--output={output}", *names]):
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""A row for each learner: the core exercises that are right, where they are stuck, and whose notebooks are alike.

Who needs the teacher is decided by one rule, `Row.needs`, which the page says in words.
"""

import ast
import functools
import re
from dataclasses import dataclass

from classroom import core, judging, regrade
from classroom.judged import Judged
from lessons import catalogue
from lessons.cells import checks
from whywrong.task import Key, Status

MANY_ATTEMPTS, MANY_HINTS = 5, 3  # at an exercise that is not right yet; a check has three hints
LONG = 5  # statements: of a shorter answer there are few ways to write it


@dataclass
class Stuck:
    """An exercise that was tried and is not right: its id, and what is known of the way there."""

    id: str
    attempts: int
    hints: int
    endless: bool

    @property
    def long(self) -> bool:
        """Tell whether it went on for long: many attempts, all hints, or code that does not end."""
        return self.attempts >= MANY_ATTEMPTS or self.hints >= MANY_HINTS or self.endless


@dataclass
class Row:
    """One learner: core exercises that are right and were judged, of how many; those right by their own word; where
    they are stuck; and whether nothing of theirs could be read."""

    name: str
    right: int
    of: int
    by_word: int
    stuck: list[Stuck]
    unread: bool

    @property
    def needs(self) -> bool:
        """Tell whether a learner needs the teacher: stuck for long, or nothing could be read."""
        return self.unread or any(one.long for one in self.stuck)


def rows(judged: list[Judged], begun: list[str]) -> list[Row]:
    """Return a row for each learner, who needs the teacher first, then who has the fewest core exercises right.

    Args:
        judged: of the class.
        begun: the names of the lessons that count.
    """
    wanted = [id for lesson in begun for id in core.core(lesson)]
    made = [_row(one, wanted, begun) for one in judged]
    return sorted(made, key=lambda row: (not row.needs, row.right + row.by_word, row.name))


def _row(one, wanted, begun):
    submission, right = one.submission, [id for id in wanted if one.status(id) == Status.CORRECT]
    word = sum(one.by_word_only(id) for id in right)
    everything = [f"{lesson}.{module}" for lesson in begun for module in catalogue.lesson(lesson).exercises]
    stuck = [_stuck(one, id) for id in everything if one.status(id) in (Status.NOT_YET, Status.STOPPED)]
    stuck.sort(key=lambda found: (not found.endless, -found.attempts, -found.hints))
    unread = bool(submission.problems) and not submission.cells and not submission.entries
    return Row(submission.name, len(right) - word, len(wanted), word, stuck, unread)


def _stuck(one, id):
    entry, verdict = one.submission.entries.get(id), one.verdicts.get(id, ("", "", ""))
    attempts, hints = (entry.attempts, entry.hints) if entry else (0, 0)
    return Stuck(id, attempts, hints, verdict[1] == Key.TIMEOUT)


def alike(judged: list[Judged]) -> list[list[str]]:
    """Return the names of learners whose notebooks have the same guesses and the same longer answers, group by group.

    An answer of few statements is not looked at, nor one that the course wrote, but for what was put in the place of
    TODO: everybody may have those. Who made no guess, or has no longer answer of their own, is like nobody.
    """
    found: dict[tuple, list[str]] = {}
    for one in judged:
        guesses, answers = _guesses(one.submission.cells), _answers(one.submission.cells)
        if guesses and answers:
            found.setdefault((frozenset(guesses.items()), frozenset(answers.items())), []).append(one.submission.name)
    return sorted(sorted(names) for names in found.values() if len(names) > 1)


def _guesses(notebooks):
    """Return id -> the guess that stands in a notebook, as code."""
    found = {}
    for sources in notebooks.values():
        made = regrade.definitions(sources)
        for check in [check for source in sources for check in checks(source)]:
            value = getattr(made.get(check.name), "value", None)
            if check.id.partition(".")[2].startswith("predict_") and value is not None:
                guess = ast.unparse(value)
                found |= {check.id: guess} if guess != "TODO" else {}
    return found


def _answers(notebooks):
    """Return id -> a longer answer in the learner's own words, without comments, docstrings and layout."""
    found = {}
    for lesson, sources in notebooks.items():
        for source in sources:
            for id in [check.id for check in checks(source)]:
                code, statements = _normal(source)
                if statements >= LONG and not any(form.fullmatch(code) for form in _given(lesson, id)):
                    found[id] = code
    return found


def _normal(source):
    """Return code without comments, docstrings, layout and calls such as check(…), and the number of its statements."""
    if regrade.parsed(source)[0] is None:
        return source, 0
    tree = ast.parse(regrade.parsed(source)[1])  # anew, for it is changed
    body = [node for node in tree.body if not regrade.is_call(node)]
    inside = [node for part in body for node in ast.walk(part)]
    for node in inside:
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    count = sum(isinstance(node, ast.stmt) for part in body for node in ast.walk(part))
    return "\n".join(ast.unparse(node) for node in body), count


@functools.cache
def _given(lesson, id):
    """Return what the course itself writes for an exercise, with anything where TODO stands: starter, half, worked."""
    own = [source for source in judging.published(lesson) if id in [check.id for check in checks(source)]]
    own += filter(None, [catalogue.half(id), catalogue.solution(id)])
    return [re.compile(re.escape(_normal(source)[0]).replace("TODO", ".+")) for source in own]

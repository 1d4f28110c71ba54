"""A row for each learner: the core exercises that are right, and where they are stuck.

Who needs the teacher is decided by one rule, `Row.needs`, which the page says in words.
"""

from dataclasses import dataclass

from classroom import core
from classroom.marking.results import Results
from lessons import catalogue
from whywrong.task import Key, Status

MANY_ATTEMPTS, MANY_HINTS = 5, 3  # at an exercise that is not right yet; a check has three hints


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


def rows(results: list[Results], begun: list[str]) -> list[Row]:
    """Return a row for each learner, who needs the teacher first, then who has the fewest core exercises right.

    Args:
        results: of the class.
        begun: the names of the lessons that count.
    """
    wanted = [id for lesson in begun for id in core.core(lesson)]
    made = [_row(one, wanted, begun) for one in results]
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

"""One learner's results: what the progress file claims, and what a run of the code found."""

from dataclasses import dataclass, field
from typing import NamedTuple

from classroom import core
from classroom.marking.handed_in import Submission
from courseware.progress import REMEMBERED
from lessons import catalogue
from whywrong.task import Status

LARGE = 10  # learners: of fewer, neither shares nor what is most frequent say anything


class Grade(NamedTuple):
    """A learner's points: of the core, of how many; of the optional exercises, of how many, which may be none."""

    core: float
    of: float
    bonus: float
    of_bonus: float

    @property
    def points(self) -> float:
        """What counts: the core, and the bonus up to all of the core."""
        return min(self.of, self.core + self.bonus)

    def says(self) -> str:
        """Say it in a sentence."""
        bonus = f", and {self.bonus:g} of {self.of_bonus:g} optional ones as a bonus" if self.of_bonus else ""
        return f"{self.core:g} of {self.of:g} core points{bonus}."


@dataclass
class Results:
    """The results of one learner's exercises, from a run of the code that was handed in.

    verdicts: id -> (status, key, sentence). points, rules: for the same, id -> points, and which line of
    feedback.RUBRIC gives them.
    unfinished: lessons whose answers could not all be judged; they get no mark.
    corrected: lesson -> the points that somebody wrote into the table, of the core and as a bonus; None for no mark.
    """

    submission: Submission
    verdicts: dict[str, tuple[Status, str, str]] = field(default_factory=dict)
    points: dict[str, float] = field(default_factory=dict)
    rules: dict[str, str] = field(default_factory=dict)
    unfinished: list[str] = field(default_factory=list)
    corrected: dict[str, tuple[float | None, float]] = field(default_factory=dict)

    def can_be_marked(self, lesson: str) -> bool:
        """Tell whether a lesson was handed in, could be read, and was judged to its end."""
        handed_in = lesson in self.submission.cells and (self.tried(lesson) or not self.submission.on_server)
        return handed_in and lesson not in self.unfinished

    def grade(self, lesson: str) -> Grade | None:
        """Return the points in a lesson; None, and never a zero, where it cannot be marked."""
        if self.corrected.get(lesson, (0,))[0] is None or not (lesson in self.corrected or self.can_be_marked(lesson)):
            return None
        ids = [id for id in core.worth() if id.partition(".")[0] == lesson]
        parts = [[id for id in ids if (id in core.optional(lesson)) == optional] for optional in (False, True)]
        sums = [[sum(values.get(id, 0) for id in part) for part in parts] for values in (self.points, core.worth())]
        mine = self.corrected.get(lesson, sums[0])
        return Grade(*map(float, (mine[0], sums[1][0], mine[1], sums[1][1])))

    def looked_at(self, id: str) -> bool:
        """Tell whether code for an exercise was handed in, and judged."""
        return id in self.verdicts and self.verdicts[id][0] != Status.NOT_ATTEMPTED

    def status(self, id: str) -> Status:
        """Return the status that counts: of the code that was handed in, else the one that the progress file claims."""
        if self.looked_at(id):
            return self.verdicts[id][0]
        entry = self.submission.entries.get(id)
        return entry.status if entry else Status.NOT_ATTEMPTED

    def by_word_only(self, id: str) -> bool:
        """Tell whether an exercise is solved by the learner's own word: only the progress file says so."""
        return self.status(id) == Status.CORRECT and not self.looked_at(id)

    def met(self, id: str) -> list[str]:
        """Return the keys of the mistakes that were met in an exercise, now or before."""
        entry = self.submission.entries.get(id)
        keys = list(entry.met) if entry else []
        now = self.verdicts.get(id)
        return list(dict.fromkeys([*keys, *([now[1]] if now and now[1].startswith(REMEMBERED) else [])]))

    def still(self, id: str, key: str) -> bool:
        """Tell whether a mistake is still in the code; where none was handed in, whether it was met and not solved."""
        if self.looked_at(id):
            return self.verdicts[id][1] == key
        return key in self.met(id) and self.status(id) != Status.CORRECT

    def tried(self, lesson: str) -> bool:
        """Tell whether an exercise of a lesson was tried."""
        ids = [f"{lesson}.{module}" for module in catalogue.lesson(lesson).exercises]
        return any(self.status(id) != Status.NOT_ATTEMPTED for id in ids)

"""Say how far a learner is: a table of all lessons, a line for one, and what comes next; as (Markdown, plain text)."""

import math
import re
from dataclasses import dataclass

from courseware.page.display import in_columns, in_markdown

COLUMNS = ["lesson", "parts done", "quiz", "next", "minutes left (core path)"]
CAPTION = "Your progress"
QUIZ = "the quiz"


@dataclass(frozen=True)
class Stage:
    """How much of one lesson is done.

    heading, notebook: as the lesson has them.
    minutes: of its core path, taken slowly.
    parts: title -> done, for every prediction and exercise in order.
    quiz: for every question in order, whether it was answered right.
    build: whether it is an optional build, which nothing leads to.
    """

    heading: str
    notebook: str
    minutes: int
    parts: tuple[tuple[str, bool], ...]
    quiz: tuple[bool, ...]
    build: bool = False

    @property
    def link(self) -> str:
        """A Markdown link to the notebook beside the one that shows it."""
        return f"[{self.heading}]({self.notebook})"

    @property
    def all(self) -> list[bool]:
        """Whether each part and each question is done."""
        return [*(done for _, done in self.parts), *self.quiz]

    @property
    def done(self) -> bool:
        """Return whether everything is done, the quiz as well."""
        return all(self.all)

    @property
    def next(self) -> str:
        """The title of the first part that is not done, the quiz, or nothing."""
        titles = (title for title, done in self.parts if not done)
        return next(titles, "" if self.done else QUIZ)

    @property
    def left(self) -> int:
        """About how many minutes are left, in proportion to what is not done and in steps of 5."""
        every = self.all
        return 5 * math.ceil(self.minutes * every.count(False) / len(every) / 5) if every else 0


def ahead(stages: list[Stage]) -> Stage | None:
    """Return the lesson to go on with: the furthest that was begun, or else the next one, or else any that is open.

    It is never a build.
    """
    stages = [stage for stage in stages if not stage.build]
    begun = max((place for place, stage in enumerate(stages) if any(stage.all)), default=0)
    return next((stage for stage in [*stages[begun:], *stages[:begun]] if not stage.done), None)


def whole_course(stages: list[Stage]) -> tuple[str, str]:
    """Return the table of all lessons and where to go on."""
    cells = [COLUMNS, *map(_row, stages)]
    plain = [[_plain(cell) for cell in row] for row in cells]
    sentence = _way_on(stages)
    return (
        f"**{CAPTION}**\n\n{in_markdown(cells)}\n\n{sentence}",
        f"{CAPTION}\n{in_columns(plain)}\n{_plain(sentence)}",
    )


def one_lesson(stage: Stage, stages: list[Stage]) -> tuple[str, str]:
    """Return a line for the end of a lesson: what is done, what is open, and the next lesson."""
    if stage.done:
        markdown = f"✓ **{stage.heading}** is done, quiz included. {_way_on(stages)}"
    else:
        done = f"{_count(done for _, done in stage.parts)} parts"
        if stage.quiz:
            done += f" and {_count(stage.quiz)} questions"
        markdown = (
            f"**{stage.heading}:** {done} done. Next: *{stage.next}*. About {_time(stage.left)} of its core path left."
        )
        after = [one for one in stages[stages.index(stage) + 1 :] if not one.build]
        if after and not stage.build:  # which stands beside the series
            markdown += f" The lesson after this one: {after[0].link}."
    return markdown, _plain(markdown)


def _row(stage):
    quiz = _count(stage.quiz) if stage.quiz else "none"
    following, left = (stage.next, str(stage.left)) if not stage.done else ("✓ done", "0")
    return [stage.link, _count(done for _, done in stage.parts), quiz, following, left]


def _way_on(stages):
    """Return the sentence that leads on, as Markdown."""
    stage = ahead(stages)
    if stage is None:
        return "**Every lesson is done.**"
    whole = sum(one.left for one in stages if not one.build)
    return (
        f"**Continue here:** {stage.link}, *{stage.next}*. About {_time(stage.left)} left of its core path, "
        f"{_time(whole)} of all core paths."
    )


def _count(marks):
    marks = list(marks)
    return f"{sum(marks)} of {len(marks)}"


def _time(minutes):
    hours, minutes = divmod(minutes, 60)
    return " ".join(filter(None, [f"{hours} h" if hours else "", f"{minutes} min" if minutes or not hours else ""]))


def _plain(markdown):
    """Return a sentence without the marks of Markdown that are used here."""
    return re.sub(r"\[([^\[\]]*)\]\([^()]*\)", r"\1", markdown).replace("*", "")

"""Whose a file is, and how new, by the names that learning platforms give to what they hand out; and what is no name.

Each form was read in the platform's own code or documentation, or in programs that read its files; Teams' in a class.
"""

import re
from datetime import datetime
from typing import NamedTuple

from lessons import catalogue

_LESSONS = "|".join(lesson.name.replace("_", r"[\s_-]+") for lesson in catalogue.lessons())
_FORMS = [
    re.compile(form)
    for form in (
        # Moodle: folders, or files whose names begin so.
        r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext).*",
        # Canvas (lib/content_zipper.rb): the name has neither spaces nor commas; of an anonymous assignment, letters.
        r"(?:(?P<before>LATE)_)?(?P<name>anon_[0-9A-Za-z]+)(?:_(?P<late>LATE))?_(?P<newer>\d+)_.+",
        r"(?P<name>.+?)(?:_(?P<late>LATE))?_(?P<number>\d+)_(?P<newer>\d+)_.+",
        r".+_(?P<name>[^_]+)_attempt_(?P<newer>\d{4}(?:-\d\d){5})(?:_.+|\.txt)",  # Blackboard
        r"(?P<number>\d+)-\d+ ?- ?(?P<name>.+?) ?- ?(?P<newer>\w+ \d+, \d{4} \d+ [AP]M)(?: ?-.+)?",  # Brightspace
        r"(?P<name>[^+]+)\+[^+]+\+(?P<newer>\d{4}-\d\d-\d\d .+)",  # nbgrader's exchange
        r"(?P<name>[^(]+, ?[^(]+)\((?P<number>[^()]*[^\d()][^()]*)\)",  # Sakai
        r"(?P<name>[^_\d]+_[^_\d]+)_[^_]+_(?P<number>\d{2,})",  # ILIAS
        r"submission_(?P<number>\d+)",  # Gradescope, which keeps the names to itself
        r"(?:Submitted|Working) files/(?P<name>.+)",  # Teams
        r"(?P<of>.+)-submissions/(?P=of)-(?P<name>.+)",  # GitHub Classroom
    )
]
OWN_FILES = re.compile(
    r"timestamp\.txt|comments\.txt|grades\.csv|index\.html|submission_metadata\.yml|.*_attempt_[\d-]+\.txt"
)
_NO_NAME = re.compile(
    rf"(?i)(?<![^\W_])(?:(?:\d\d[\s_-]*)?(?:{_LESSONS})|(?:cop(?:y|ie|ia)|cópia|kopie)(?:\s+(?:of|von|de|di)\b)?|final|new|old|my[\s_-]+notebooks|"
    r"(?:version|lesson|lektion|task|exercise|aufgabe|blatt|sheet|week|lab|part|try|attempt|draft|submission(?!\s+att)|progress)s?"
    r"[\s_-]*\d*|(?:group|gruppe|class|klasse|team|course|kurs|section)[\s_-]*(?:\w|\d+\w?)?|revision[\s_-]*\d+\s*-\s*(?:on\s+time|late)|homeworks?|hausaufgaben?|"
    r"assignments?(?:[\s_-]*\d+[\s_-]*export)?|abgaben?|ffn[\s_-]+course|submission\s+attachment|submitted|downloads?|files?|notebooks?)(?![^\W_])|\(\w*\)"
)
_ENDINGS = re.compile(r"(?i)(?:\.(?:zip|ipynb|json|txt))+$")


class Learner(NamedTuple):
    """Whose a file is: a name, and the number by which the platform tells namesakes apart; "" where it gives none."""

    name: str
    number: str = ""


class Given(NamedTuple):
    """What a platform says of a file: whose it is, how new it is, as a number or 0, and whether it came late."""

    learner: Learner
    newer: int
    late: bool


def given(parts: tuple[str, ...]) -> Given | None:
    """Return what the last of a file's folders and names says, if a platform gave it."""
    for form in _FORMS:
        match = form.fullmatch(parts[-1]) or form.fullmatch("/".join(parts[-2:]))
        found = match.groupdict(default="") if match else {}
        name, number = found.get("name", "").strip(), found.get("number", "")
        if match and (own_name(name) or not name):
            late = bool(found.get("late") or found.get("before"))
            return Given(Learner(name, number), _moment(found.get("newer", "")), late)
    return None


def _moment(text):
    try:
        return int(f"{datetime.strptime(text, '%b %d, %Y %I%M %p'):%Y%m%d%H%M}")
    except ValueError:
        return int("0" + re.sub(r"\D", "", text.partition(" UTC")[0]))


def own_name(name: str) -> str:
    """Return what a name of a file or a folder holds beside lessons, versions and the like; "" if no letter.

    >>> own_name("Copy of Anna Meier - 05_position_independence FINAL (2).ipynb")
    'Anna Meier'
    """
    left = " ".join(_NO_NAME.sub(" ", _ENDINGS.sub("", name)).split()).strip(" _-.,")
    return left if any(map(str.isalpha, left)) else ""

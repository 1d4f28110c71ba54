"""Whose file it is, by the name that a learning platform gives to what it hands out.

Canvas hands out one zip file without folders: `<name>[_LATE]_<user>_<attachment>_<file>`, where the name has neither
spaces nor commas and keeps its umlauts; of an anonymous assignment `[LATE_]anon_<letters>_<attachment>_<file>` (its
lib/content_zipper.rb). Moodle hands out folders, `<First Last>_<number>_assignsubmission_file_`, or files whose names
begin so.
"""

import re
from typing import NamedTuple

_FORMS = (
    re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?.*"),
    re.compile(r"(?:LATE_)?(?P<name>anon_[0-9A-Za-z]+)(?P<number>)(?:_LATE)?_\d+_.+"),
    re.compile(r"(?P<name>.+?)(?:_LATE)?_(?P<number>\d+)_\d+_.+"),
)


class Learner(NamedTuple):
    """Whose a file is: a name, and the number by which the platform tells namesakes apart; "" where it gives none."""

    name: str
    number: str = ""


def learner(name: str) -> Learner | None:
    """Return whose a file or a folder with a platform's name is; None of another name."""
    matches = (form.fullmatch(name) for form in _FORMS)
    return next((Learner(match["name"].strip(), match["number"]) for match in matches if match), None)


def named(name: str, own: str = "") -> Learner | None:
    """Return whose a file is by its name: as a platform has it, or by what stands before the course's own part.

    Args:
        name: of the file, with its ending.
        own: the part that is the course's, in small letters; all before the ending is the name where there is none.
    """
    stem = name.rpartition(".")[0]
    before = stem[: stem.casefold().find(own)] if own else stem
    return learner(name) or (Learner(before.strip(" _-.()")) if before.strip(" _-.()") else None)


def told_apart(found: dict[Learner, object]) -> list[tuple[str, object]]:
    """Return a learner's name with what was found, for each; namesakes get their numbers behind the name."""
    names = [one.name for one in found]
    return [
        (f"{one.name} ({one.number})" if one.number and names.count(one.name) > 1 else one.name, what)
        for one, what in found.items()
    ]

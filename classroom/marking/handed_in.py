"""Read what learners hand in: everything in a folder or a zip file, whichever learning platform packed it.

What a file is, its content decides. Every file is read for somebody, or named with the reason why it was not. Nothing
is unpacked to disk, no link is followed, and nothing that is read here is run.
"""

import codecs
import json
import os
import re
import tempfile
import unicodedata
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from functools import cmp_to_key
from itertools import groupby
from pathlib import Path

from classroom import Refused, files, platforms
from classroom.files import Found
from classroom.platforms import Learner
from course_lib.handing_in import AS_RUN, MOST_PROGRESS, file_name, full_name, lesson_of
from courseware import __version__
from courseware.progress import Entry, Progress
from lessons import catalogue
from whywrong.task import Status

MOST_ATTEMPTS = 100_000
_COURSE = {"notebooks", "my_notebooks", ".course"}
_PROGRESS = "progress"
_LATE = re.compile(r"(?i)\brevision[ _-]*\d+\s*-\s*late\b")  # as a folder says it
NO_CODE = "Points need the file that hand_in or the page's form makes: the progress alone holds no code."
_BEGINS = {  # how a file begins -> what it is
    b"%PDF": "a PDF",
    b"\x89PNG": "a picture",
    b"\xff\xd8": "a picture",
    b"PK": "a document of an office program, or damaged",
    b"Rar!": "a RAR archive, and only a zip file can be read",
    b"7z": "a 7z archive, and only a zip file can be read",
    b"\x1f\x8b": "a gzip archive, and only a zip file can be read",
    b"<": "a web page, and only a notebook holds the cells",
}


class _Foreign(Exception):
    """Raised where a progress file holds entries, and none of this course."""


@dataclass
class File:
    """A file that was handed in, with what came of it.

    why: it was not read; "" of one that was. said: as what it was read.
    lesson, cells: of a notebook, its lesson and its code. entries, signed: of a progress file, what it says and whose
    name it holds.
    given: what a platform says of it. whose: the learner for whom it was read; "" of nobody's.
    """

    found: Found
    why: str = ""
    said: str = ""
    lesson: str = ""
    cells: list[str] = field(default_factory=list)
    entries: dict[str, Entry] = field(default_factory=dict)
    signed: str = ""
    note: str = ""
    given: platforms.Given | None = None
    whose: str = ""

    @property
    def tree(self) -> tuple[str, ...]:
        """Its folders without those of the course, which are nobody's, and its name."""
        *folders, name = self.found.parts
        return (*(one for one in folders if one not in _COURSE), name)

    @property
    def path(self) -> str:
        """Its folders and its name, as they can be shown."""
        return _legible("/".join(self.found.parts))

    @property
    def late(self) -> bool:
        """Tell whether the platform says that it came late."""
        return bool((self.given and self.given.late) or _LATE.search(self.path))

    def newer(self, other: "File") -> int:
        """Return 1 if it is newer than another of the same learner and lesson, -1 if it is older, 0 if nothing tells.

        A version's number tells first, then the platform's, then the time in a file of `hand_in`, then a "(2)".
        """
        for mine, theirs in zip(self._age(), other._age(), strict=True):
            if mine and theirs and mine != theirs:
                return 1 if mine > theirs else -1
        return 0

    def _age(self):
        path = "/".join(self.found.parts)
        version, copy = (re.findall(form, path) for form in (r"(?i)\b(?:version|revision)[ _-]?(\d+)", r"\((\d+)\)"))
        given = self.given.newer if self.given else 0
        return int((version or [0])[-1]), given, self.found.packed, int((copy or [0])[-1]) + 1


@dataclass
class Submission:
    """What one learner handed in.

    cells: lesson -> the sources of the code cells of its notebook, in order.
    entries: what the progress file says of exercises, predictions and questions that the course has.
    problems: one sentence for everything that could not be read; no sentence holds a name.
    notes: one for what was read and is to be known.
    number: by which the platform knows the learner; "" where it gives none.
    versions: lesson -> the files that hold it, where there are several; the first is in `cells`.
    on_server: it is a learner's whole folder of notebooks, so that one with no answer was not handed in.
    """

    name: str
    cells: dict[str, list[str]] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    number: str = field(default="", compare=False)
    versions: dict[str, list[File]] = field(default_factory=dict, compare=False)
    files: list[File] = field(default_factory=list, compare=False)
    on_server: bool = field(default=False, compare=False)

    @property
    def started(self) -> bool:
        """Tell whether anything at all was attempted."""
        return any(entry.attempts or entry.status != Status.NOT_ATTEMPTED for entry in self.entries.values())


def read(place: Path) -> tuple[list[Submission], list[File]]:
    """Return what lies in a folder or a zip file, one submission for each learner, by name; and all files.

    A learner is whom a platform names, or else who signed the file of `hand_in`, or else a folder's or a file's name.

    Raises:
        ValueError: there is no such folder, or it cannot be opened, or nothing is in it.
    """
    place = Path(place)
    try:
        if not place.is_dir() and not (place.suffix.lower() == ".zip" and place.is_file()):
            raise Refused(f"There is no folder {place}: name the one that holds what was handed in.")
        seen = [_file(found) for found in files.walk(place)]
    except OSError as error:
        raise Refused(f"The folder {place} cannot be opened: {error.strerror}.") from None
    except zipfile.BadZipFile:
        raise Refused(f"{place} is not a complete zip file.") from None
    if not seen:
        raise Refused(f"In {place} there is no file that somebody handed in.")
    for one in seen:
        if one.why and platforms.OWN_FILES.fullmatch(one.found.parts[-1]):
            one.why = "Its name is that of a platform's own file, so it was not read."
    everybody = [one for one in _people(seen, place.stem, 0, "") if one.is_learner()]
    counts = Counter(one.name() for one in everybody)
    made = []
    for one in everybody:
        name, more = one.name(), one.who.number if one.who and one.who.number else _legible(one.label)
        made.append(one.submission(f"{name} ({more})" if counts[name] > 1 and more != name else name))
    return sorted(made, key=lambda one: one.name), seen


@dataclass
class _Pile:
    """Files that are one learner's, if anybody's: whom a platform names, or a folder or a file, if any of them does."""

    files: list[File]
    label: str
    named: str
    who: Learner | None = None
    folder: bool = False

    def signatures(self):
        return sorted({one.signed for one in self.files if one.signed})

    def person(self):
        return self.who or ", ".join(self.signatures())

    def is_learner(self):
        """Tell whether it is a learner's: of a file that was not read alone, if a platform or a folder says so."""
        return bool(self.who or (self.folder and self.named) or any(not one.why or _kind(one) for one in self.files))

    def holds(self):
        """Return the lessons and entries that it holds, with each, but for the course's own notebooks."""
        own = [one for one in self.files if "notebooks" not in one.found.parts]
        return [pair for one in own for pair in ((one.lesson, one.cells), *one.entries.items()) if pair[0]]

    def fits(self, other):
        """Tell whether another can be the same learner's, so that none of its files replaces any of these."""
        mine, theirs = dict(self.holds()), dict(other.holds())
        alike = all(mine[kind] == theirs[kind] for kind in mine.keys() & theirs.keys())
        return alike and len({*self.signatures(), *other.signatures()}) < 2

    def name(self):
        by_platform = self.who.name if self.who else ""
        return _legible(by_platform or ", ".join(self.signatures()) or self.named or self.label)

    def submission(self, name):
        made = Submission(name, number=self.who.number if self.who else "", files=self.files)
        made.on_server = any(".course" in one.found.parts for one in self.files)
        said = self.who.name if self.who else self.named
        for signed in self.signatures():
            if said and not _alike(said, signed):
                by = "platform" if self.who else "folder or the file's name"
                made.notes.append(f"The {by} says {_legible(said)}, and the file is signed {signed}.")
        for one in sorted(self.files, key=cmp_to_key(_order)):
            last, one.whose = _legible(one.found.parts[-1]) or one.path, name
            if one.why and not platforms.OWN_FILES.fullmatch(last):
                made.problems.append(f"{last}: {one.why}")
            made.notes += [f"{last}: {one.note}"] * bool(one.note)
            made.entries |= one.entries
            versions = made.versions.setdefault(one.lesson, [])
            if one.lesson and not any(other.cells == one.cells for other in versions):
                versions.insert(0, one)
        made.versions = {lesson: _own(versions) for lesson, versions in made.versions.items() if lesson}
        made.cells = {lesson: versions[0].cells for lesson, versions in made.versions.items()}
        if late := [one.path for one in self.files if one.late and (one.lesson or not made.cells)]:
            made.notes.append(f"The platform marks as late: {', '.join(late)}.")
        if not made.cells and any(one.said == _PROGRESS for one in self.files):
            made.notes.append(NO_CODE)
        return made


def _order(one, other):
    return (one.late < other.late) - (one.late > other.late) or one.newer(other)


def _own(versions):
    """Leave out the course's own notebooks beside the learner's copies."""
    return [one for one in versions if "notebooks" not in one.found.parts] or versions


def _alike(said, signed):
    """Tell whether two names have the same letters, in any order, or one is what `hand_in` makes of the other."""
    lesson = catalogue.lessons()[0]
    spelled = file_name(lesson, signed).removesuffix(f"_{lesson.notebook.removesuffix('.ipynb')}.zip")
    plain = [sorted(filter(str.isalnum, unicodedata.normalize("NFKD", one.casefold()))) for one in (said, signed)]
    return said == spelled or plain[0] == plain[1]


def _people(seen, label, depth, named):
    """Return the piles in a folder: one where all can be one learner's, else one for each learner in it.

    Args:
        seen: its files; they have so many folders in common.
        label: the path of the folder.
        named: what its name says of a learner.
    """
    found = {}
    for part, theirs in groupby(sorted(seen, key=lambda one: one.tree[depth]), key=lambda one: one.tree[depth]):
        theirs = [*theirs]
        path, alone = theirs[0].tree[: depth + 1], any(len(one.tree) == depth + 1 for one in theirs)
        given, own = platforms.given(path), platforms.own_name(part)
        if given or alone:
            for one in theirs:
                one.given = given
            own = own if not alone or any(not one.why or _kind(one) for one in theirs) else ""
            piles = [_Pile(theirs, "/".join(path), own, given.learner if given else None, not alone)]
        else:
            piles = _people(theirs, "/".join(path), depth + 1, own)
        for pile in piles:
            key = pile.who or pile.named
            if key in found and (pile.who or found[key].fits(pile)):
                found[key].files += pile.files
            else:
                found[len(found) if not key or key in found else key] = pile
    piles = [*found.values()]
    several = len({pile.person() for pile in piles} - {""}) > 1
    if named:
        named_so = [pile for pile in piles if sum(map(str.isalpha, pile.named)) > 1 and not pile.signatures()]
        rivals = {(kind, pile.named) for pile in named_so if not pile.folder for kind, _ in pile.holds()}
        several |= len({pile.named for pile in named_so if pile.folder}) > 1
        several |= len(rivals) > len({kind for kind, _ in rivals})
    else:
        kinds = [kind for pile in piles for kind, _ in pile.holds()]
        several |= len({*kinds}) < max(len(kinds), 1) or any(pile.who or pile.named or pile.folder for pile in piles)
    who = next((pile.who for pile in piles if pile.who), None)
    return piles if several else [_Pile(seen, label, named, who, True)]


def _legible(name):
    """Return a file's name in characters that can be written, and that turn no text round."""
    words = os.fsencode(name).decode("utf-8", "replace")
    return re.sub(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\ufffd", words)


def known_ids() -> set[str]:
    """Return the ids of all exercises, predictions and questions of the course."""
    found = set()
    for lesson in catalogue.lessons():
        found |= set(catalogue.ids(lesson)) | {question.id for question in catalogue.questions(lesson.name)}
    return found


def _kind(file):
    """Return what a file is by its name; "" of one that is nothing that the course asks for."""
    name = file.found.parts[-1].casefold()
    progress = "a progress file" if "progress" in name and ".json" in name else ""
    return "a notebook" if ".ipynb" in name else "a zip file" if name.endswith(".zip") else progress


def _file(found):
    """Say what a file is by what it holds."""
    one, content = File(found), found.content()
    if isinstance(content, str):
        one.why = content
        return one
    kind = _kind(one)
    try:
        stored = json.loads(content)
        if "cells" in stored:
            kind = "a notebook"
            _notebook(one, stored)
        elif "entries" in stored:
            kind = "a progress file"
            if len(content) > MOST_PROGRESS:
                one.why = f"It is larger than {MOST_PROGRESS // 1_000_000} MB, so it was not read."
                return one
            one.entries, one.said = _entries(content), _PROGRESS
            one.signed = full_name(stored["name"]) if isinstance(stored.get("name"), str) else ""
            if (made_with := stored.get("course", __version__)) != __version__:
                made_with = _legible(str(made_with))[:20]
                one.note = f"Made with version {made_with} of the course; points count what {__version__} asks."
        else:
            one.why = "It is neither a notebook nor a progress file."
    except _Foreign:
        one.why = "It is a progress file that holds nothing from this course."
    except Exception:  # whatever a made-up file can bring about
        what = next((said for begins, said in _BEGINS.items() if content.lstrip().startswith(begins)), "")
        other = f"It is {what}." if what else "It is neither a notebook nor a progress file."
        one.why = f"It is damaged, so it cannot be read as {kind}." if kind and not what else other
    return one


def _notebook(one, stored):
    """Read a notebook: its lesson is the one that it holds, or else the one in its name."""
    name = one.found.parts[-1].casefold()
    called = next((lesson for lesson in catalogue.lessons() if lesson.notebook.removesuffix(".ipynb") in name), None)
    holds, cells = lesson_of(stored), _code(stored["cells"])
    lesson = holds or called
    if not lesson:
        one.why = "It is a notebook of no lesson of this course."
        return
    one.lesson, one.cells, one.said = lesson.name, cells, f"lesson {lesson.number:02d}"
    if not holds:
        one.note = f"Nothing in it says of which lesson it is, so it was read as {one.said}, by its name."
    elif called and called != holds:
        one.note = f"It is called after lesson {called.number:02d}, and it was read as what it holds, {one.said}."
    if AS_RUN in json.dumps(stored, ensure_ascii=False):
        one.note = f"{one.note} {AS_RUN}".strip()


def _code(cells):
    sources = ("".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code")
    return [source for source in sources if isinstance(source, str)]


def _entries(content):
    """Return the entries of a progress file that belong to the course, with counts that can be."""
    content = content.removeprefix(codecs.BOM_UTF8)
    stored = json.loads(content)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "progress.json"
        path.write_bytes(content)
        found = Progress(path, catalogue.id_today).entries()
    if not found and stored.get("entries"):
        raise ValueError("entries of another form")
    known = known_ids()
    for entry in found.values():
        entry.attempts, entry.hints = (min(max(count, 0), MOST_ATTEMPTS) for count in (entry.attempts, entry.hints))
        entry.met = [key[:80] for key in entry.met[:50]]
    if found and not known & set(found):
        raise _Foreign
    return {id: entry for id, entry in found.items() if id in known}

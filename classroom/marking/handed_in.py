"""Read what learners hand in: a folder or a zip file each, or files with their names, as learning platforms pack them.

Whatever is damaged, too large or not a plain file is left out and said; nothing is unpacked to disk, no link is
followed, and nothing that is read here is run.
"""

import codecs
import json
import os
import re
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from classroom import files, platforms
from classroom.files import PROGRESS, SOME_NOTEBOOK, Found
from classroom.platforms import Learner
from courseware.handing_in import AS_RUN, full_name, lesson_of
from courseware.progress import Entry, Progress
from lessons import catalogue
from whywrong.task import Status

MOST_ATTEMPTS = 100_000
_OF_NO_LESSON = "A notebook with a name of its own belongs to no lesson of this course; it was not read."
_HANDED_IN = {".ipynb", ".json", ".rar", ".7z", ".tar", ".gz", ".tgz", ".xz", ".bz2"}  # by somebody, as it seems


class _Foreign(Exception):
    """Raised where a progress file holds entries, and none of this course."""


@dataclass
class Submission:
    """What one learner handed in.

    cells: lesson -> the sources of the code cells of its notebook, in order.
    entries: what the progress file says of exercises, predictions and questions that the course has.
    problems: one sentence for everything that could not be read; no sentence holds a name.
    notes: one for what was read and is to be known.
    number: by which the platform knows the learner; "" where it gives none.
    """

    name: str
    cells: dict[str, list[str]] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    number: str = field(default="", compare=False)

    @property
    def started(self) -> bool:
        """Tell whether anything at all was attempted."""
        return any(entry.attempts or entry.status != Status.NOT_ATTEMPTED for entry in self.entries.values())


def submissions(place: Path) -> list[Submission]:
    """Return what lies in a folder or in the zip file of a whole class, one submission for each learner, by name.

    A learner has a folder or a zip file, or files that begin with the name, as Moodle and Canvas write them. A folder
    may also hold the zip file of a class, as these write it. The zip file of one learner is read, too. The name that
    `hand_in` put inside a zip file is the learner's, unless a platform or a folder names them.

    Raises:
        ValueError: there is no such folder, or it cannot be opened, or nothing is in it.
    """
    place = Path(place)
    packed = place.suffix.lower() == ".zip" and place.is_file()
    found, others = _of_class(place) if packed else _of_folder(place)
    if not found and not (packed and others):
        raise ValueError(f"In {place} there is neither a folder nor a zip file of a learner.")
    apart = [(_legible(name), theirs) for name, theirs in platforms.told_apart(found)]
    read = [_read(name, theirs) for name, theirs in apart]
    for one, learner in zip(read, found, strict=True):
        one.number = learner.number
    counts = Counter(one.name for one in [*read, *others])
    for one, (name, _) in zip(read, apart, strict=True):
        if counts[one.name] > 1 and one.name != name:  # anybody can write any name into a file
            one.name = f"{one.name} ({name})"
    return sorted([*read, *others], key=lambda one: one.name)


def _signed(found: Iterable[Found], name: str) -> Iterator[Found]:
    """Let the name inside a learner's zip file count, unless that file has a platform's name."""
    for one in found:
        one.signed = not platforms.learner(name)
        yield one


def _of_folder(folder):
    """Return learner -> files, and submissions that could not be read."""
    found, others = {}, []
    try:
        if not folder.is_dir():
            raise ValueError(
                f"There is no folder {folder}: name the one that holds a folder or a zip file for each learner."
            )
        paths = sorted(folder.iterdir(), key=lambda path: (_means(path) is not None, path))  # plain files come last
    except OSError as error:
        raise ValueError(f"The folder {folder} cannot be opened: {error.strerror}.") from None
    in_one_place = set()  # learners with a folder or a zip file for all that they hand in
    for path in paths:
        if path.name.startswith(".") or path.name == "__MACOSX":
            continue
        means, packed = _means(path), path.suffix.lower() == ".zip" and not path.is_dir()
        if packed and _is_of_class(path):
            more, unread = _of_class(path)
            others += unread
            for whose, theirs in more.items():
                found.setdefault(whose, []).extend(theirs)
            continue
        whose, one_place = _whose(path.name, means, packed)
        if path.is_symlink():
            theirs = [Found((path.name,), problem="It is a link to another place; it was not followed.")]
        elif path.is_dir():
            theirs = [*files.in_folder(path)]
        elif packed:
            theirs = [*_signed(files.in_zip(path), path.name)]
        elif means and whose:
            theirs = [files.plain(path, (path.name,), means)]
        else:
            if path.suffix.lower() in _HANDED_IN:
                problem = "It is neither a folder nor a zip file, and its name names no learner; it was not read."
                others.append(Submission(_legible(path.name), problems=[problem]))
            continue
        if whose in found and (one_place or whose in in_one_place):
            how = "as a folder and as a zip file" if one_place else "in a folder or zip file and beside it"
            theirs = [Found((path.name,), problem=f"It was handed in twice, {how}; the first one counts.")]
        in_one_place |= {whose} if one_place else set()
        found.setdefault(whose, []).extend(theirs)
    return found, others


def _means(path):
    """Return what a plain file of a class's folder means; None of a folder, a link, a zip file, or another file."""
    return None if path.is_symlink() or path.is_dir() else files.meant(path.name)


def _whose(name, means, packed):
    """Return whose a file, a folder or a zip file is, or None; and whether it holds all that a learner hands in."""
    name = unicodedata.normalize("NFC", name)  # one spelling of each letter
    learner = platforms.learner(name)
    if learner or not (means or packed):
        return learner or Learner(name), not learner
    own = "progress" if means == PROGRESS else files.own(name)
    return platforms.named(name, own) or (Learner(name) if packed else None), packed and not own


def _is_of_class(path):
    """Tell whether a zip file holds what a whole class handed in: a platform has named the learner of each member.

    A zip file that a platform itself named after a learner is that learner's, whatever is in it.
    """
    if path.is_symlink() or not path.is_file() or platforms.learner(path.name):
        return False
    try:
        members = [parts for _, parts in files.members(path) if files.meant(parts[-1]) or files.is_zip(parts)]
    except Exception:  # zipfile raises many kinds
        return False
    return bool(members) and all(any(map(platforms.learner, parts[:2])) for parts in members)


def _of_class(path):
    """Return learner -> files of the zip file of a class, which holds folders, zip files, or files with names; others.

    Raises:
        ValueError: it cannot be opened.
    """
    try:
        members = files.members(path)
    except Exception:  # zipfile raises many kinds
        raise ValueError(f"{path} is not a complete zip file.") from None
    out = any(files.leads_out(parts) for _, parts in members)
    others = [Submission(_legible(path.name), problems=[files.LEADS_OUT])] if out else []
    members = [(member, parts) for member, parts in members if not files.leads_out(parts)]
    while len({parts[0] for _, parts in members}) == 1 and (
        all(len(parts) > 2 for _, parts in members)
        or any(len(parts) > 1 and platforms.learner(parts[1]) for _, parts in members)
    ):
        members = [(member, parts[1:]) for member, parts in members if len(parts) > 1]  # a folder around all
    found: dict[Learner, list[Found]] = {}
    for member, parts in members:
        means, packed, folder = files.meant(parts[-1]), files.is_zip(parts), len(parts) > 1
        whose = _whose(parts[0], None if folder else means, packed and not folder)[0]
        if not whose or not (folder or means or packed or platforms.learner(parts[0])):
            continue
        theirs = found.setdefault(whose, [])
        if len(theirs) > files.MOST_FILES:
            theirs[-1] = Found(parts, problem=files.MANY)
        elif means:
            theirs.append(files.member_of(path, member, parts, means))
        elif packed:
            inside = files.inner(path, member, parts, 0)
            theirs.extend(inside if folder else _signed(inside, parts[0]))
    if not found and any(files.meant(parts[-1]) for _, parts in members):  # of one learner
        return {_whose(path.name, None, True)[0]: [*_signed(files.in_zip(path), path.name)]}, []
    return found, others


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


def _read(name, files):
    """Make a submission of the files that belong to the course."""
    made, notebooks = Submission(name), {lesson.notebook: lesson.name for lesson in catalogue.lessons()}
    taken, signature = set(), ""
    for file in sorted(files, key=Found.last):  # a stable sort
        content = file.problem
        if file.means == SOME_NOTEBOOK and not content:
            content = file.content()
            file.means = SOME_NOTEBOOK if isinstance(content, str) else _recognised(content)
        lesson = notebooks.get(file.means)
        what = f"The notebook of lesson {file.means[:2]}" if lesson else "The progress file"
        if file.means == SOME_NOTEBOOK:
            what, content = "A notebook", content if isinstance(content, str) and content else _OF_NO_LESSON
        elif lesson and not file.problem and file.means in taken:
            if "notebooks" in file.parts:  # the course's own, beside the learner's copy
                continue
            content = "{what} was handed in twice; the first one counts."
        elif not content:
            content = file.content()
        if lesson and isinstance(content, bytes) and _recognised(content) not in (SOME_NOTEBOOK, file.means):
            content = f"{{what}} holds lesson {_recognised(content)[:2]}, so it was not read."
        if isinstance(content, str):
            made.problems.append(content.format(what=what))
            continue
        try:
            if lesson:
                made.cells[lesson] = _code(content)
                if json.dumps(AS_RUN).encode() in content:
                    made.notes.append(f"{what}: {AS_RUN}")
            else:
                entries = _entries(content)
                if entries.keys() & made.entries.keys():
                    made.problems.append(f"{what} was handed in twice; the first one counts.")
                made.entries = entries | made.entries  # each may be of one lesson
                signature = signature or (_name_in(content) if file.signed else "")
        except _Foreign:
            made.problems.append(f"{what} holds nothing from this course.")
        except Exception:  # whatever a made-up file can bring about
            kind = " as a notebook" if lesson else ""
            made.problems.append(f"{what} is damaged: it cannot be read{kind}.")
        else:
            taken.add(file.means)
    if not taken and not made.problems:
        made.problems.append("Neither a lesson's notebook nor a progress file was found.")
    made.name = signature or name
    return made


def _name_in(content):
    """Return the name that a progress file holds, as it may be shown; "" if it holds none."""
    name = json.loads(content.decode("utf-8-sig")).get("name")
    return full_name(name) if isinstance(name, str) else ""


def _recognised(content):
    """Return the notebook of the course that a file is by what it holds, whatever its name."""
    try:
        found = lesson_of(json.loads(content.decode("utf-8-sig")))
    except Exception:  # whatever a made-up file can bring about
        found = None
    return found.notebook if found else SOME_NOTEBOOK


def _code(content):
    found = json.loads(content.decode("utf-8-sig"))["cells"]
    sources = ("".join(cell["source"]) for cell in found if cell.get("cell_type") == "code")
    return [source for source in sources if isinstance(source, str)]


def _entries(content):
    """Return the entries of a progress file that belong to the course, with counts that can be."""
    content = content.removeprefix(codecs.BOM_UTF8)
    stored = json.loads(content.decode("utf-8"))
    if not isinstance(stored, dict) or not {"entries", "statuses"} & set(stored):
        raise ValueError("no progress file")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / PROGRESS
        path.write_bytes(content)
        found = Progress(path).entries()
    if not found and (stored.get("entries") or stored.get("statuses")):
        raise ValueError("entries of another form")
    known = known_ids()
    for entry in found.values():
        entry.attempts, entry.hints = (min(max(count, 0), MOST_ATTEMPTS) for count in (entry.attempts, entry.hints))
        entry.met = [key[:80] for key in entry.met[:50]]
    if found and not known & set(found):
        raise _Foreign
    return {id: entry for id, entry in found.items() if id in known}

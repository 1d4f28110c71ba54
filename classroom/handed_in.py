"""Read what learners hand in: a folder or a zip file each, or files with their names, as learning platforms pack them.

Whatever is damaged, too large or not a plain file is left out and said; nothing is unpacked to disk, no link is
followed, and nothing that is read here is run.
"""

import codecs
import functools
import io
import json
import os
import re
import stat
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.progress import Entry, Progress
from lessons import catalogue, cells
from whywrong.task import Status

MOST_BYTES = 8_000_000  # of one notebook, pictures included
MOST_PROGRESS = 1_000_000
MOST_FILES, MOST_DEPTH = 200, 4  # looked at in one submission
MOST_ATTEMPTS = 100_000
MOST_PACKED = 50_000_000  # of a zip file in the class's zip file
PROGRESS, SOME_NOTEBOOK = "progress.json", "?.ipynb"  # the second is known by its content alone
_MANY = f"It holds more than {MOST_FILES} files; the others were not looked at."
_OF_NO_LESSON = "A notebook under a name of its own is of no lesson of this course; it was not read."
_NOT_THEIRS = {"base", "backups", ".ipynb_checkpoints", "__pycache__", "__MACOSX"}  # folders
_PLATFORM = (  # how Moodle and Canvas name what they hand out
    re.compile(r"(?P<name>.+?)_(?P<number>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<file>.*)"),
    re.compile(r"(?P<name>[^_]+)(?:_LATE)?_(?P<number>\d+)_\d+_(?P<file>.+)"),
)
_HANDED_IN = {".ipynb", ".json", ".rar", ".7z", ".tar", ".gz", ".tgz", ".xz", ".bz2"}  # by somebody, as it seems


class _Foreign(Exception):
    """Raised where a progress file holds entries, and none of this course."""


@dataclass
class Submission:
    """What one learner handed in.

    cells: lesson -> the sources of the code cells of its notebook, in order.
    entries: what the progress file says of exercises, predictions and questions that the course has.
    problems: one sentence for everything that could not be read; no sentence holds a name.
    """

    name: str
    cells: dict[str, list[str]] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)

    @property
    def started(self) -> bool:
        """Tell whether anything at all was attempted."""
        return any(entry.attempts or entry.status != Status.NOT_ATTEMPTED for entry in self.entries.values())


def submissions(place: Path) -> list[Submission]:
    """Return what lies in a folder or in the zip file of a whole class, one submission for each learner, by name.

    A learner has a folder or a zip file, or files that begin with the name, as Moodle and Canvas write them.

    Raises:
        ValueError: there is no such folder, or it cannot be opened, or nothing is in it.
    """
    place = Path(place)
    if place.suffix.lower() == ".zip" and place.is_file():
        packed, others = _of_class(place), []
        found = {name: _read(name, files) for name, files in packed.items()}
    else:
        found, others = _of_folder(place)
    if not found:
        raise ValueError(f"In {place} there is neither a folder nor a zip file of a learner.")
    return sorted([*found.values(), *others], key=lambda one: one.name)


def _of_folder(folder):
    """Return name -> submission, and submissions that could not be read."""
    found, flat, others = {}, {}, []
    try:
        if not folder.is_dir():
            raise ValueError(
                f"There is no folder {folder}: name the one that holds a folder or a zip file of each learner."
            )
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise ValueError(f"The folder {folder} cannot be opened: {error.strerror}.") from None
    for path in paths:
        packed, means = path.suffix.lower() == ".zip", _meant(path.name)
        key = _learner(path.name) or (path.stem if packed and not path.is_dir() else path.name)
        name = _legible(key)
        if path.name.startswith(".") or path.name == "__MACOSX":
            continue
        if path.is_symlink():
            made = Submission(name, problems=["It is a link to another place, which was not followed."])
        elif path.is_dir():
            made = _read(name, _in_folder(path))
        elif packed:
            made = _read(name, _in_zip(path))
        else:
            if means and _whose(path.name, means):
                file = _Found((path.name,), means, functools.partial(_content, path, means))
                flat.setdefault(_whose(path.name, means), []).append(file)
            elif path.suffix.lower() in _HANDED_IN:
                problem = "It is neither a folder nor a zip file, and its name tells no learner; it was not read."
                others.append(Submission(name, problems=[problem]))
            continue
        if key in found:
            found[key].problems.append("It was handed in twice, as a folder and as a zip file; the first one counts.")
        else:
            found[key] = made
    for key, files in flat.items():
        if key in found:
            found[key].problems.append(
                "It was handed in twice, in a place of its own and beside; the first one counts."
            )
        else:
            found[key] = _read(_legible(key), files)
    return found, others


def _of_class(path):
    """Return learner -> the files in the zip file of a class, which holds folders, zip files, or files with names.

    Raises:
        ValueError: it cannot be opened.
    """
    try:
        with zipfile.ZipFile(path) as packed:
            members = [(one, _parts(one)) for one in packed.infolist() if not one.is_dir()]
    except Exception:  # zipfile raises many kinds
        raise ValueError(f"{path} is no whole zip file.") from None
    members = [(member, parts) for member, parts in members if not _NOT_THEIRS & set(parts)]
    while len({parts[0] for _, parts in members}) == 1 and (
        all(len(parts) > 2 for _, parts in members) or any(_learner("/".join(parts[1:2])) for _, parts in members)
    ):
        members = [(member, parts[1:]) for member, parts in members if len(parts) > 1]  # a folder around all
    found: dict[tuple[str, str], list[_Found]] = {}
    for member, parts in members:
        means, zipped = _meant(parts[-1]), parts[-1].lower().endswith(".zip")
        if len(parts) > 1:
            whose = _learner(parts[0]) or parts[0]
        else:
            whose = _learner(parts[0]) or (parts[0][:-4] if zipped else means and _whose(parts[0], means))
        if not whose:
            continue
        files = found.setdefault((_legible(whose), _number(parts[0])), [])
        if len(files) > MOST_FILES:
            files[-1] = _Found(parts, problem=_MANY)
        elif means:
            files.append(_Found(parts, means, functools.partial(_member, path, member, means)))
        elif zipped:
            content = _member(path, member, "", MOST_PACKED)
            files.extend([_Found(parts, problem=content)] if isinstance(content, str) else _in_zip(io.BytesIO(content)))
    names = [name for name, _ in found]
    return {
        f"{name} ({number})" if number and names.count(name) > 1 else name: files
        for (name, number), files in found.items()
    }


def _parts(member):
    return tuple(member.filename.replace("\\", "/").split("/"))


def _learner(name):
    """Return the learner's name of which a learning platform made the name of a file or a folder; "" of another."""
    matches = (pattern.fullmatch(name) for pattern in _PLATFORM)
    return next((match["name"].strip() for match in matches if match), "")


def _number(name):
    """Return the number by which a learning platform tells namesakes apart; "" where the name has none."""
    matches = (pattern.fullmatch(name) for pattern in _PLATFORM)
    return next((match["number"] for match in matches if match), "")


def _whose(name, means):
    """Return the learner's name in that of a file: what stands before the course's own, or all of a name of its own."""
    stem = name.rpartition(".")[0]
    if means == SOME_NOTEBOOK:
        return _learner(name) or stem
    own = means.rpartition(".")[0]
    return _learner(name) or stem[: stem.casefold().find(own)].strip(" _-.()")


def _legible(name):
    """Return a file's name in characters that can be written, and that turn no text round."""
    return re.sub(
        r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]", "\ufffd", os.fsencode(name).decode("utf-8", "replace")
    )


def known_ids() -> set[str]:
    """Return the ids of all exercises, predictions and questions of the course."""
    found = set()
    for lesson in catalogue.lessons():
        found |= set(catalogue.ids(lesson)) | {question.id for question in catalogue.questions(lesson.name)}
    return found


def _read(name, files):
    """Make a submission of the files that belong to the course."""
    made, notebooks = Submission(name), {lesson.notebook: lesson.name for lesson in catalogue.lessons()}
    taken = set()
    for file in sorted(files, key=_Found.last):  # a stable sort
        content = file.problem
        if file.means == SOME_NOTEBOOK and not content:
            content = file.content()
            file.means = SOME_NOTEBOOK if isinstance(content, str) else _recognised(content)
        lesson = notebooks.get(file.means)
        what = f"The notebook of lesson {file.means[:2]}" if lesson else "The progress file"
        if file.means == SOME_NOTEBOOK:
            what, content = "A notebook", content if isinstance(content, str) and content else _OF_NO_LESSON
        elif not file.problem and file.means in taken:
            if "notebooks" in file.parts:  # the course's own, beside the learner's copy
                continue
            content = "{what} was handed in twice; the first one counts."
        elif not content:
            content = file.content()
        if isinstance(content, str):
            made.problems.append(content.format(what=what))
            continue
        try:
            if lesson:
                made.cells[lesson] = _code(content)
            else:
                made.entries = _entries(content)
        except _Foreign:
            made.problems.append(f"{what} holds nothing of this course.")
        except Exception:  # whatever a made-up file can bring about
            kind = " as a notebook" if lesson else ""
            made.problems.append(f"{what} is damaged: it cannot be read{kind}.")
        else:
            taken.add(file.means)
    if not taken and not made.problems:
        made.problems.append("Neither a lesson's notebook nor a progress file was found.")
    return made


def _recognised(content):
    """Return the notebook of the course that a file is by its title, or else by the exercises that it checks."""
    try:
        sources = ["".join(cell["source"]) for cell in json.loads(content.decode("utf-8-sig"))["cells"]]
    except Exception:  # whatever a made-up file can bring about
        return SOME_NOTEBOOK
    title = sources[0].partition("\n")[0] if sources else ""
    checked = [check.id.partition(".")[0] for check in cells.checks("\n".join(sources))]
    for lesson in catalogue.lessons():
        if title.startswith(f"# {lesson.number:02d} ·") and lesson.question in title:
            return lesson.notebook
    counted = {lesson.notebook: checked.count(lesson.name) for lesson in catalogue.lessons()}
    most = max(counted, key=counted.get)
    return most if counted[most] else SOME_NOTEBOOK


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


@dataclass
class _Found:
    """A file of a submission: its name and folders, what it means, and how to get its bytes, or why there are none."""

    parts: tuple[str, ...]
    means: str = PROGRESS
    content: Callable[[], bytes | str] | None = None
    problem: str = ""

    def last(self) -> tuple[bool, bool, bool]:
        """Tell what comes later: a file under another name, or of its own, and the course's own copy of a notebook."""
        return self.means == SOME_NOTEBOOK, self.parts[-1] != self.means, "notebooks" in self.parts


def _meant(name):
    """Return the file of the course that a file's name means, though a browser or an upload changed it; or None."""
    low = name.casefold()
    if low.startswith("."):
        return None
    if low.endswith(".json") and "progress" in low:
        return PROGRESS
    if not low.endswith(".ipynb"):
        return None
    known = (lesson.notebook for lesson in catalogue.lessons())
    return next((notebook for notebook in known if notebook.removesuffix(".ipynb") in low), SOME_NOTEBOOK)


def _too_large(means):
    return f"{{what}} is larger than {'it' if means == PROGRESS else 'a lesson'} can be; it was not read."


def _limit(means):
    return MOST_PROGRESS if means == PROGRESS else MOST_BYTES


def _in_folder(folder):
    """Yield the files of a folder that belong to the course, and of the zip files in it."""
    todo, seen = [folder], 0
    while todo:
        here = todo.pop(0)
        parts = here.relative_to(folder).parts
        try:
            paths = [(path, path.is_symlink(), path.is_dir()) for path in sorted(here.iterdir())]
        except OSError:
            yield _Found(parts or (".",), problem="It holds a folder that cannot be opened.")
            continue
        for path, linked, is_folder in paths:
            seen += 1
            if seen > MOST_FILES:
                yield _Found(parts or (".",), problem=_MANY)
                return
            means = _meant(path.name)
            if linked:
                if means:
                    problem = "{what} is a link to another place, which was not followed."
                    yield _Found((*parts, path.name), means, problem=problem)
            elif is_folder:
                hidden = path.name.startswith(".") and path.name != ".course"
                if len(parts) < MOST_DEPTH and path.name not in _NOT_THEIRS and not hidden:
                    todo.append(path)
            elif means:
                yield _Found((*parts, path.name), means, functools.partial(_content, path, means))
            elif path.suffix.lower() == ".zip":
                yield from _in_zip(path)


def _content(path, means):
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return "{what} is not a plain file."
        return _too_large(means) if status.st_size > _limit(means) else path.read_bytes()
    except OSError:
        return "{what} cannot be opened."


def _in_zip(source):
    """Yield the members of a zip file, a path or what one holds, that belong to the course."""
    name = source.name if isinstance(source, Path) else "."
    try:
        if isinstance(source, Path) and not stat.S_ISREG(source.lstat().st_mode):
            yield _Found((name,), problem="It is not a plain file.")
            return
        with zipfile.ZipFile(source) as packed:
            members = [(member, _parts(member)) for member in packed.infolist()]
    except Exception:  # zipfile raises many kinds
        yield _Found((name,), problem="It is no whole zip file.")
        return
    found = [(member, parts, _meant(parts[-1])) for member, parts in members if not _NOT_THEIRS & set(parts)]
    found = [one for one in found if one[2]]
    for member, parts, means in found[:MOST_FILES]:
        yield _Found(parts, means, functools.partial(_member, source, member, means))
    if len(found) > MOST_FILES:
        yield _Found((name,), problem=_MANY)


def _member(source, member, means, most=None):
    """Return the bytes of a member, and never more of them than its limit, whatever the file says of its size."""
    most = _limit(means) if most is None else most
    try:
        with zipfile.ZipFile(source) as packed, packed.open(member) as file:
            content = file.read(most + 1)
    except Exception:  # zipfile and what it unpacks with raise many kinds
        return "{what} is damaged, or has a password." if means else "A zip file in it is damaged, or has a password."
    if len(content) <= most:
        return content
    return _too_large(means) if means else "A zip file in it is larger than a submission can be; it was not read."

"""Read what learners hand in: a folder or a zip file each, with notebooks and a progress file.

Whatever is damaged, too large or not a plain file is left out and said; nothing is unpacked to disk, no link is
followed, and nothing that is read here is run.
"""

import json
import stat
import tempfile
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from course_lib.grading.progress import Entry, Progress
from course_lib.lessons import catalogue

MOST_BYTES = 8_000_000  # of one notebook, pictures included
MOST_PROGRESS = 1_000_000
MOST_FILES, MOST_DEPTH = 200, 4  # looked at in one submission
MOST_ATTEMPTS = 100_000
PROGRESS = "progress.json"


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
        return any(entry.attempts or entry.done for entry in self.entries.values())


def submissions(folder: Path) -> list[Submission]:
    """Return what lies in a folder, one submission for each folder or zip file in it, sorted by name.

    Raises:
        ValueError: there is no such folder, or nothing in it.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise ValueError(
            f"There is no folder {folder}: name the one that holds a folder or a zip file of each learner."
        )
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith("."):
            continue
        if path.is_symlink():
            found.append(Submission(path.name, problems=["It is a link to another place, which was not followed."]))
        elif path.is_dir():
            found.append(_read(path.name, _in_folder(path)))
        elif path.suffix.lower() == ".zip":
            found.append(_read(path.stem, _in_zip(path)))
    if not found:
        raise ValueError(f"In {folder} there is neither a folder nor a zip file of a learner.")
    return found


def known_ids() -> set[str]:
    """Return the ids of all exercises, predictions and questions of the course."""
    found = set()
    for lesson in catalogue.lessons():
        found |= set(catalogue.ids(lesson)) | {question.id for question in catalogue.questions(lesson.name)}
    return found


def _read(name, files):
    """Make a submission of (file name, bytes, or a sentence on why there are none)."""
    made, notebooks = Submission(name), {lesson.notebook: lesson.name for lesson in catalogue.lessons()}
    for file, content in files:
        lesson = notebooks.get(file)
        what = f"The notebook of lesson {file[:2]}" if lesson else "The progress file"
        if isinstance(content, str):
            made.problems.append(content.format(what=what))
        elif lesson in made.cells:
            made.problems.append(f"{what} was handed in twice; the first one counts.")
        elif lesson:
            try:
                made.cells[lesson] = _code(content)
            except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                made.problems.append(f"{what} is damaged: it cannot be read as a notebook.")
        elif made.entries:
            made.problems.append(f"{what} was handed in twice; the first one counts.")
        else:
            try:
                made.entries = _entries(content)
            except Exception:  # whatever a made-up file can bring about
                made.problems.append(f"{what} is damaged: it cannot be read.")
    if not made.cells and not made.entries and not made.problems:
        made.problems.append("Neither a lesson's notebook nor a progress file was found.")
    return made


def _code(content):
    cells = json.loads(content.decode("utf-8"))["cells"]
    sources = ("".join(cell["source"]) for cell in cells if cell.get("cell_type") == "code")
    return [source for source in sources if isinstance(source, str)]


def _entries(content):
    """Return the entries of a progress file that belong to the course, with counts that can be."""
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
    return {id: entry for id, entry in found.items() if id in known}


def _wanted(name):
    return name == PROGRESS or any(name == lesson.notebook for lesson in catalogue.lessons())


def _limit(name):
    return MOST_PROGRESS if name == PROGRESS else MOST_BYTES


def _in_folder(folder):
    """Yield (file name, bytes or a sentence) for the files of a folder that belong to the course."""
    todo, seen = [(folder, 0)], 0
    while todo:
        here, depth = todo.pop(0)
        for path in sorted(here.iterdir()):
            seen += 1
            if seen > MOST_FILES:
                yield PROGRESS, f"It holds more than {MOST_FILES} files; the others were not looked at."
                return
            if path.is_symlink():
                if _wanted(path.name):
                    yield path.name, "{what} is a link to another place, which was not followed."
            elif path.is_dir():
                if depth < MOST_DEPTH and path.name not in ("base", "backups", ".ipynb_checkpoints", "__pycache__"):
                    todo.append((path, depth + 1))
            elif _wanted(path.name):
                yield path.name, _content(path)


def _content(path):
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return "{what} is not a plain file."
        if status.st_size > _limit(path.name):
            return "{what} is larger than a lesson can be; it was not read."
        return path.read_bytes()
    except OSError:
        return "{what} cannot be opened."


def _in_zip(path):
    """Yield (file name, bytes or a sentence) for the members of a zip file that belong to the course."""
    try:
        with zipfile.ZipFile(path) as packed:
            for member in packed.infolist()[:MOST_FILES]:
                parts = member.filename.replace("\\", "/").split("/")
                if _wanted(parts[-1]) and not {"base", "backups"} & set(parts):
                    yield parts[-1], _member(packed, member)
            if len(packed.infolist()) > MOST_FILES:
                yield PROGRESS, f"It holds more than {MOST_FILES} files; the others were not looked at."
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        yield PROGRESS, "It is no whole zip file."


def _member(packed, member):
    """Return the bytes of a member, and never more of them than its limit, whatever the file says of its size."""
    limit = _limit(member.filename.replace("\\", "/").rpartition("/")[2])
    try:
        with packed.open(member) as file:
            content = file.read(limit + 1)
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError, zlib.error):
        return "{what} is damaged, or has a password."
    return content if len(content) <= limit else "{what} is larger than a lesson can be; it was not read."

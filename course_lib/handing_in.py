"""Pack what a learner hands in for one lesson: the notebook as it was saved, and the progress in that lesson only.

The learner's full name stands in the progress file. The file's own name has only letters that every platform keeps.
"""

import contextlib
import hashlib
import io
import json
import re
import unicodedata
import zipfile
from pathlib import Path
from typing import NamedTuple

from course_lib import progress
from course_lib.arguments import described
from course_lib.content import Lesson
from course_lib.progress import Entry
from lessons.cells import checks

MOST_LETTERS = 60  # of a name in that of a file
MOST_OF_NAME = 120  # characters of a full name
_JOINERS = "\u200c\u200d"  # Persian names and those of India need them
_SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d"}
    | {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Æ": "Ae", "Œ": "Oe", "Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D"}
    | {"þ": "th", "Þ": "Th", "ı": "i"}
)


def full_name(text: str) -> str:
    """Return a name as it is kept and shown: on one line, composed, of limited length, without control characters.

    Characters that are not seen or turn the text around them are left out. Return "" if no letter and no digit is left.

    >>> full_name("  Zoe\u0308\tMu\u0308ller\u202e ")
    'Zoë Müller'
    """
    line = " ".join(unicodedata.normalize("NFC", text[: 10 * MOST_OF_NAME]).split())
    kept = [one for one in line if one in _JOINERS or unicodedata.category(one) not in ("Cc", "Cf", "Cs")]
    name = "".join(kept)[:MOST_OF_NAME].strip()
    return name if any(map(str.isalnum, name)) else ""


def file_name(lesson: Lesson, name: str) -> str:
    """Return the name of the file, in letters that every platform keeps: Zoë Müller's is Zoe-Mueller_05_….zip.

    A letter or digit is lost if neither the table above nor its Unicode decomposition spells it in ASCII. A name that
    loses one gets six digits of its hash, so that two such names never share a file: 李雷 has learner-3a4732_05_….zip,
    and Анна K has K-a28ee9_05_….zip.

    Raises:
        TypeError: name is not a string.
        ValueError: it contains no letter and no digit.
    """
    whole = _named(name)
    spelled = unicodedata.normalize("NFKD", whole.translate(_SPELLED))
    words = re.sub(r"[^A-Za-z0-9]+", "-", spelled.encode("ascii", "ignore").decode()).strip("-")
    words = words[:MOST_LETTERS].strip("-")
    if any(one.isalnum() and not one.isascii() for one in spelled):
        words = f"{words or 'learner'}-{hashlib.sha256(whole.encode()).hexdigest()[:6]}"
    return f"{words}_{lesson.notebook.removesuffix('.ipynb')}.zip"


def _named(name):
    accepted = 'name must be your name in a string, such as "Zoë Müller"'
    if not isinstance(name, str):
        raise TypeError(f"{accepted}, but {described(name)} was given.")
    if not full_name(name):
        raise ValueError(f"{accepted}, with a letter or a digit; {described(name)} has none.")
    return full_name(name)


def pack(lesson: Lesson, name: str, folder: Path, entries: dict[str, Entry]) -> Path:
    """Write the file beside the notebook, in place of an earlier one of that name, and return its path.

    Args:
        lesson: whose notebook is in the folder.
        name: the learner's.
        folder: that of the notebook.
        entries: of all lessons; those of other lessons are left out.

    Raises:
        TypeError, ValueError: name makes no name for a file, or the notebook is not there.
        OSError: the notebook cannot be read, or the file not written.
    """
    path, notebook = folder / file_name(lesson, name), folder / lesson.notebook
    if not notebook.is_file():
        raise ValueError(
            f"lesson must be one whose notebook is in this folder, but there is no {lesson.notebook} in {folder}: "
            "call hand_in in the notebook of that lesson."
        )
    packed = io.BytesIO()
    _write(packed, lesson, name, notebook.read_bytes(), entries)
    progress.write_whole(path, packed.getvalue())
    return path


def _write(file, lesson, name, notebook, entries):
    """Write the zip file: the notebook, and the progress in its lesson with the full name."""
    own = {id: entry for id, entry in entries.items() if id.partition(".")[0] == lesson.name}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(lesson.notebook, notebook)
        packed.writestr("progress.json", progress.written(own, full_name(name)))


class Typed(NamedTuple):
    """What a learner typed for an exercise on a lesson's page: the code, and whether arrays were asked for."""

    source: str
    arrays: bool = False


def pack_answers(
    lesson: Lesson, name: str, notebook: str, answers: dict[str, Typed], entries: dict[str, Entry]
) -> tuple[str, bytes]:
    """Return the name and the bytes of the file that `pack` would write if the answers stood in the notebook.

    Args:
        lesson: of the page.
        name: the learner's.
        notebook: the lesson's as it is published, as JSON.
        answers: exercise -> what was typed, without the line that checks it.
        entries: of all lessons; those of other lessons are left out.

    Raises:
        TypeError, ValueError: name makes no name for a file, or the notebook checks no such exercise.
    """
    made, packed = file_name(lesson, name), io.BytesIO()
    _write(packed, lesson, name, _with_answers(lesson, notebook, answers), entries)
    return made, packed.getvalue()


def _with_answers(lesson, notebook, answers):
    """Return the notebook without outputs, with each answer in place of its starter, above the line that checks it."""
    found, left = json.loads(notebook), dict(answers)
    for cell in found["cells"]:
        if cell["cell_type"] != "code":
            continue
        cell |= {"outputs": [], "execution_count": None}
        for check in checks("".join(cell["source"])):
            if check.id in left:
                typed = left.pop(check.id)
                cell["source"] = f"{typed.source.rstrip()}\n\n\n{check._replace(arrays=typed.arrays).line}"
    if left:
        raise ValueError(f"answers must be to what {lesson.notebook} checks, but it does not check {', '.join(left)}.")
    return (json.dumps(found, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def says(lesson: Lesson, path: Path, remembered: Path) -> str:
    """Say what is in the file, what is not, and where it is; begin with whether the notebook must be saved.

    Args:
        lesson: that was packed.
        path: of the file.
        remembered: the progress file, which is newer than a notebook that was not saved since.
    """
    older = ""
    with contextlib.suppress(OSError):
        if (path.parent / lesson.notebook).stat().st_mtime < remembered.stat().st_mtime:
            older = (
                f"Save first: you have not saved {lesson.notebook} since your last check, answer or hint, so the file "
                "holds an older version of it. Save it, and call hand_in again.\n\n"
            )
    return (
        f"{older}Your file to hand in: {path}\n\n"
        f"- It contains {lesson.notebook} as you saved it, with all its outputs; your guesses, attempts, hints and "
        "quiz answers in this lesson; and your name.\n"
        "- It does not contain your progress in other lessons, unless a table in this notebook shows it.\n\n"
        "Nothing has been sent: hand in the file yourself."
    )

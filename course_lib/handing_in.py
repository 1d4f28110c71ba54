"""Pack what a learner hands in of one lesson: the notebook as it was saved, and the progress in that lesson alone."""

import contextlib
import os
import re
import tempfile
import unicodedata
import zipfile
from pathlib import Path

from course_lib import progress
from course_lib.arguments import described
from course_lib.content import Lesson
from course_lib.progress import Entry

MOST_LETTERS = 60  # of a name in that of a file
_SPELLED = str.maketrans(
    {"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss", "æ": "ae", "œ": "oe", "ø": "o", "ł": "l", "đ": "d", "ð": "d"}
    | {"Ä": "Ae", "Ö": "Oe", "Ü": "Ue", "Æ": "Ae", "Œ": "Oe", "Ø": "O", "Ł": "L", "Đ": "D", "Ð": "D"}
    | {"þ": "th", "Þ": "Th", "ı": "i"}
)


def file_name(lesson: Lesson, name: str) -> str:
    """Return the name of the file in letters that every platform keeps: Zoë Müller's is Zoe-Mueller_05_….zip.

    Raises:
        TypeError: name is no string.
        ValueError: there is no Latin letter and no digit in it.
    """
    accepted = 'name must be your name in a string, such as "Zoë Müller"'
    if not isinstance(name, str):
        raise TypeError(f"{accepted}, but {described(name)} was given.")
    spelled = unicodedata.normalize("NFC", name).translate(_SPELLED)
    plain = unicodedata.normalize("NFKD", spelled).encode("ascii", "ignore").decode()
    words = re.sub(r"[^A-Za-z0-9]+", "-", plain).strip("-")[:MOST_LETTERS].strip("-")
    if not words:
        raise ValueError(f"{accepted}, with Latin letters, for platforms change others; {described(name)} has none.")
    return f"{words}_{lesson.notebook.removesuffix('.ipynb')}.zip"


def pack(lesson: Lesson, name: str, folder: Path, entries: dict[str, Entry]) -> Path:
    """Write the file beside the notebook, in place of an earlier one of that name, and return its path.

    Args:
        lesson: of which the notebook lies in the folder.
        name: the learner's.
        folder: that of the notebook.
        entries: of all lessons; those of others stay out.

    Raises:
        TypeError, ValueError: name makes no name for a file, or the notebook is not there.
        OSError: the notebook cannot be read, or the file not written.
    """
    path, notebook = folder / file_name(lesson, name), folder / lesson.notebook
    if not notebook.is_file():
        raise ValueError(
            f"lesson must be that of this notebook's folder, but there is no {lesson.notebook} in {folder}: "
            "call hand_in in the notebook of that lesson."
        )
    own = {id: entry for id, entry in entries.items() if id.partition(".")[0] == lesson.name}
    content = notebook.read_bytes()
    handle, made = tempfile.mkstemp(prefix=".hand-in-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
            packed.writestr(lesson.notebook, content)
            packed.writestr("progress.json", progress.written(own))
        os.replace(made, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(made)
        raise
    return path


def says(lesson: Lesson, path: Path, remembered: Path) -> str:
    """Say what is in the file, what is not, and where it lies; first of all whether the notebook must be saved.

    Args:
        lesson: that was packed.
        path: of the file.
        remembered: the progress file, which is newer than a notebook that was not saved since.
    """
    older = ""
    with contextlib.suppress(OSError):
        if (path.parent / lesson.notebook).stat().st_mtime < remembered.stat().st_mtime:
            older = (
                f"Save first: {lesson.notebook} was saved before your last check, answer or hint, and is packed as it "
                "was then. Save it, and call hand_in again.\n\n"
            )
    return (
        f"{older}Your file to hand in: {path}\n\n"
        f"- In it: {lesson.notebook} as you saved it, with all that it shows; and your guesses, attempts, hints and "
        "quiz answers of this lesson.\n"
        "- Not in it: your progress in other lessons, unless a table in this notebook shows it.\n\n"
        "Nothing was sent: hand it in yourself."
    )

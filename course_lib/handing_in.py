"""Pack what a learner hands in for one lesson: the notebook without its outputs, and the progress in that lesson only.

Whoever reads the file keeps to the same limits, so what they would refuse is refused here, where it can be changed.

The learner's full name stands in the progress file. The file's own name has only letters that every platform keeps.
"""

import contextlib
import hashlib
import io
import json
import os
import re
import sys
import unicodedata
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from courseware import progress
from courseware.arguments import described
from courseware.content import Lesson
from courseware.environment import NOTEBOOKS
from courseware.progress import Entry
from lessons import catalogue
from lessons.cells import CHECK, checks

MOST_LETTERS = 60  # of a name in that of a file
MOST_OF_NAME = 120  # characters of a full name
MOST_BYTES = 8_000_000  # of one notebook that is read, pictures included
MOST_PROGRESS = 1_000_000
# What stands in a notebook that was put together, and tells whoever reads it.
AS_RUN = (
    "The notebook that ran was no file where `hand_in` was called. So this one is made of the cells that ran: "
    "for each check the last one, and before them the cells that were added or changed."
)
NO_FILE = (
    "What you checked stands in no notebook here, so your answers are taken from this session. Run every check that is "
    "to count, then call hand_in again.\n\n"
)
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


class Refused(ValueError):
    """Say why there is no file to hand in, and what to do."""


def lesson_of(notebook: dict) -> Lesson | None:
    """Return the lesson that a notebook is of, by its title, or else by the exercises that it checks."""
    sources = ["".join(cell["source"]) for cell in notebook["cells"]]
    title = sources[0].partition("\n")[0] if sources else ""
    checked = [check.id.partition(".")[0] for check in checks("\n".join(sources))]
    for lesson in catalogue.lessons():
        if title == f"# {lesson.headline}":
            return lesson
    most = max(catalogue.lessons(), key=lambda lesson: checked.count(lesson.name))
    return most if most.name in checked else None


def pack(
    lesson: Lesson, name: str, folder: Path, entries: dict[str, Entry], ran: Sequence[str] = ()
) -> tuple[Path, Path | None]:
    """Write the file beside the notebook, in place of an earlier one of that name; return its path and the notebook's.

    Where what was checked stands in no file here, as in Colab, it is put together from the cells that ran, and the
    path of the notebook is None.

    Args:
        lesson: of the notebook.
        name: the learner's.
        folder: that of the notebook.
        entries: of all lessons; those of other lessons are left out.
        ran: the cells that the kernel ran, in order: they tell which notebook it runs.

    Raises:
        TypeError, ValueError: name makes no name for a file.
        Refused: there is no notebook of this lesson, or none that is read.
        OSError: the notebook cannot be read, or the file not written.
    """
    made, packed = file_name(lesson, name), io.BytesIO()
    checked = {_plain(cell) for cell in ran if _checked(lesson, cell)}
    try:
        notebook, found = _running(lesson, folder, ran)
    except Refused:
        if not checked:
            raise
        notebook, found = None, _published(lesson, folder)
    sources = {_plain("".join(cell["source"])) for cell in found["cells"]}
    if checked and not checked & sources:
        notebook, found = None, _as_run(lesson, found, ran)
    _write(packed, lesson, name, _without_outputs(found), entries)
    path = (notebook.parent if notebook else folder) / made
    progress.write_whole(path, packed.getvalue())
    return path, notebook


def _running(lesson, folder, ran):
    """Return the notebook that the kernel runs: it holds the cell that ran last, or else the one before, and so on.

    Where no saved cell tells, it is one of the lesson: that which Jupyter named when the kernel began, which may be
    called otherwise by now, or that which was saved last.
    """
    session = Path(code_file() or os.environ.get("JPY_SESSION_NAME", ""))
    folders = {folder, session.parent if session.is_absolute() else folder}  # the kernel may have left its own
    latest, found, damaged = list(dict.fromkeys(map(_plain, reversed(ran)))), [], ""
    for path in (path for place in folders for path in place.glob("*.ipynb")):
        try:
            notebook = json.loads(path.read_bytes())
            sources, of = {_plain("".join(cell["source"])) for cell in notebook["cells"]}, lesson_of(notebook)
        except (OSError, ValueError, LookupError, TypeError):
            damaged = path.name if path.name in (session.name, lesson.notebook) else damaged
            continue
        if of:
            holds = [cell in sources for cell in latest]
            found.append((holds, of == lesson, path.name == session.name, path.stat().st_mtime, path, notebook, of))
    holds, *_, path, notebook, of = max(found, default=([], None, None, None), key=lambda one: one[:4])
    if of == lesson:
        return path, notebook
    if True in holds:
        raise Refused(
            f'{path.name} is the notebook of lesson {of.number:02d}: call hand_in("{of.name}", …) there, or call this '
            f"in the notebook of lesson {lesson.number:02d}."
        )
    if damaged:
        raise Refused(f"{damaged} cannot be read as a notebook: save it again, and call hand_in again.")
    raise Refused(
        f"There is no notebook of lesson {lesson.number:02d} in {folder}: call hand_in in the notebook of that lesson."
    )


def code_file() -> str:
    """Return the path of the notebook that VS Code runs, if it names one that is there; else ""."""
    named = getattr(sys.modules["__main__"], "__vsc_ipynb_file__", "")
    return named if isinstance(named, str) and os.path.isfile(named) else ""


def _plain(source):
    """Return a cell without what an editor changes that formats it when it is saved: blanks, last commas, quotes."""
    return re.sub(r"(?<=\S)[ \t]+|\n(?=\s*\n)|,(?=\s*[)\]}])", "", source.strip()).replace("'", '"')


def _checked(lesson, source):
    return [check.id for check in checks(source) if check.id.partition(".")[0] == lesson.name]


def _published(lesson, folder):
    """Return the lesson's notebook as the course has it; a title alone where only the packages are installed."""
    for path in [NOTEBOOKS / lesson.notebook, *folder.glob(f"*/notebooks/{lesson.notebook}")]:
        with contextlib.suppress(OSError, ValueError):
            return json.loads(path.read_text(encoding="utf-8"))
    return {"cells": [_cell("markdown", f"# {lesson.headline}")], "metadata": {}, "nbformat": 4, "nbformat_minor": 4}


def _cell(kind, source):
    return {"cell_type": kind, "metadata": {}, "source": source}


def _as_run(lesson, notebook, ran):
    """Return the notebook with what ran: each check's last cell in its place, the learner's own cells before it."""
    sources = {_plain("".join(cell["source"])) for cell in notebook["cells"]}
    own, last = [], {}
    for source in ran:
        ids = _checked(lesson, source)
        if not ids and _plain(source) not in sources and "hand_in(" not in source:
            own.append(source)
        last |= dict.fromkeys(ids, (source, len(own)))
    cells, put, placed = [notebook["cells"][0], _cell("markdown", AS_RUN)], 0, set()

    def place(cell, source, before):
        nonlocal put
        cells.extend(_cell("code", one) for one in own[put:before])
        put = max(put, before)
        cells.append(cell | {"source": source})

    for cell in notebook["cells"][1:]:
        ids = [id for id in _checked(lesson, "".join(cell["source"])) if id in last]
        for id in ids:
            place(cell, *last[id])
        placed |= {*ids}
        cells += [] if ids else [cell]
    for id in last.keys() - placed:
        place(_cell("code", ""), *last[id])
    cells += [_cell("code", one) for one in own[put:]]
    return notebook | {"cells": cells}


def _without_outputs(notebook):
    """Return the bytes of a notebook without what running it wrote: marks come from the code alone."""
    notebook.get("metadata", {}).pop("widgets", None)
    for cell in notebook["cells"]:
        if cell.get("cell_type") == "code":
            cell |= {"outputs": [], "execution_count": None}
    return (json.dumps(notebook, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "replace")


def _write(file, lesson, name, notebook, entries):
    """Write the zip file: the notebook, and the progress in its lesson with the full name."""
    own = {id: entry for id, entry in entries.items() if id.partition(".")[0] == lesson.name}
    kept = progress.written(own, full_name(name))
    if len(notebook) > MOST_BYTES or len(kept.encode()) > MOST_PROGRESS:
        large, most = ("progress", MOST_PROGRESS) if len(notebook) <= MOST_BYTES else ("notebook", MOST_BYTES)
        raise Refused(
            f"Your {large} is too large to be read: more than {most // 1_000_000} MB, even without outputs. Take out "
            "what is long, such as pictures pasted into text or data written into code, and call hand_in again."
        )
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr(lesson.notebook, notebook)
        packed.writestr("progress.json", kept)


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
        for check in checks("".join(cell["source"])):
            if check.id in left:
                typed = left.pop(check.id)
                cell["source"] = (
                    f"{CHECK.sub('', typed.source).rstrip()}\n\n\n{check._replace(arrays=typed.arrays).line}"
                )
    if left:
        raise ValueError(f"answers must be to what {lesson.notebook} checks, but it does not check {', '.join(left)}.")
    return _without_outputs(found)


def says(notebook: Path | None, path: Path, remembered: Path) -> str:
    """Say what is in the file, what is not, and where it is; begin with whether the notebook must be saved.

    Args:
        notebook: that was packed; None where it was put together.
        path: of the file.
        remembered: the progress file, which is newer than a notebook that was not saved since.
    """
    older, what = "", "the cells of this session that you checked, and what you added or changed before them"
    if notebook:
        what = f"{notebook.name} as you saved it"
    with contextlib.suppress(OSError):
        if notebook and notebook.stat().st_mtime < remembered.stat().st_mtime:
            older = (
                f"Save first: you have not saved {notebook.name} since your last check, answer or hint, so the file "
                "holds an older version of it. Save it, and call hand_in again.\n\n"
            )
    return (
        f"{older}Your file to hand in: {path}\n\n"
        f"- It contains {what}, but no outputs: marks never need them. It also contains your "
        "guesses, attempts, hints and quiz answers in this lesson, your name, and the version of the course.\n"
        "- It does not contain your progress in other lessons, unless a table in this notebook shows it.\n\n"
        f"{'' if notebook else NO_FILE}Nothing has been sent: hand in the file yourself."
    )

"""Make a learner's own copies of the lessons, in my_notebooks/: each is made once and never written over.

A copy has no outputs, so it gives nothing away and running a cell visibly changes the page. Only the picture that opens
the lesson is there from the start: it answers nothing, and without it the first screen is code. The published version
that a copy was made from is kept in my_notebooks/.course/base, because `update` must know what a learner changed.

Usage: python -m publish.learner.copies
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from courseware.environment import ROOT
from publish.learner.checkout import Checkout
from publish.learner.merge import MARK
from publish.learner.open_notebook import Unreadable, parse, read

OPENING = "opening"  # the id of the cell whose picture opens a lesson
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


@dataclass(frozen=True)
class Folders:
    """Where everything lies in a checkout of the course."""

    root: Path = ROOT

    @cached_property
    def checkout(self) -> Checkout:
        """The git clone that the course lies in, if it does."""
        return Checkout(self.root)

    @property
    def published(self) -> Path:
        """The lessons as everybody has them."""
        return self.root / "notebooks"

    @property
    def copies(self) -> Path:
        """The learner's own copies."""
        return self.root / "my_notebooks"

    @property
    def course(self) -> Path:
        """What the course keeps beside the copies: progress, bases and backups."""
        return self.copies / ".course"

    @property
    def bases(self) -> Path:
        """The published version that each copy was made from or merged with last."""
        return self.course / "base"

    @property
    def backups(self) -> Path:
        """What was there before each update."""
        return self.course / "backups"


def lesson_name(file_name: str) -> str:
    """Return the name behind the number of a notebook: "review" for 09_review.ipynb; it stays when numbers change."""
    return re.sub(r"^\d+_", "", file_name.removesuffix(".ipynb"))


def blank(notebook) -> NotebookNode:
    """Return a lesson without counts, without outputs but its opening picture, and with the course's own metadata."""
    cells = []
    for cell in notebook.cells:
        one = NotebookNode(cell_type=cell.cell_type, id=cell.id, metadata=_metadata(cell), source=cell.source)
        if cell.cell_type == "code":
            one.update(execution_count=None, outputs=_pictures(cell) if cell.id == OPENING else [])
        if cell.get("attachments"):
            one.attachments = cell.attachments
        cells.append(one)
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    return nbformat.from_dict({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _pictures(cell):
    """Return the outputs of a cell that can be seen before anything has run: no widgets, no errors, nothing printed."""
    return [one for one in cell.outputs if "data" in one and not any("widget" in kind for kind in one.data)]


def _metadata(cell):
    kept = {key: cell.metadata[key] for key in ("tags",) if cell.metadata.get(key)}
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        kept["jupyter"] = {"source_hidden": True}
    return kept


def version(notebook) -> str:
    """Return a short name for what a published notebook says, the same wherever it is computed."""
    said = blank(notebook)
    for cell in said.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    text = json.dumps(said, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def stamped(notebook, published) -> NotebookNode:
    """Write into a copy which published version it has taken in, and return it."""
    notebook.metadata[MARK] = {"version": version(published)}
    return notebook


def stamp(notebook) -> str | None:
    """Return which published version a copy has taken in, or None when it does not say."""
    own = notebook.metadata.get(MARK)
    return own.get("version") if isinstance(own, dict) else None


def temporary(path: Path) -> Path:
    """Return a new hidden name for a file that is yet to take its place; of a link, beside its target."""
    path = _real(path)
    return path.with_name(f".{os.urandom(4).hex()}.{path.name}.new")


def _real(path):
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def write_aside(path: Path, notebook) -> Path:
    """Write a notebook under its temporary name, whole and on the disk; `put_in_place` is what makes it count."""
    aside, text = temporary(path), nbformat.writes(notebook, ensure_ascii=False, indent=1)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:  # half of a character: only its escaped form can be written
        content = nbformat.writes(notebook, ensure_ascii=True, indent=1).encode("ascii")
    try:
        with open(aside, "wb") as file:
            file.write(content.rstrip(b"\n") + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError:  # on a full disk every byte counts
        with contextlib.suppress(OSError):
            aside.unlink()
        raise
    if path.exists():
        shutil.copymode(path, aside)
    return aside


def put_in_place(path: Path, aside: Path) -> None:
    """Let what was written aside take its place, in one step; a link stays one."""
    os.replace(aside, _real(path))


def write(path: Path, notebook) -> None:
    """Write a notebook so that its file is never half written."""
    put_in_place(path, write_aside(path, notebook))


def published_names(folders: Folders) -> list[str]:
    """Return the file names of the lessons, in order: as committed, or as they lie there when this is no clone."""
    committed = folders.checkout.listed("notebooks")
    names = committed if committed is not None else [path.name for path in folders.published.glob("*.ipynb")]
    return sorted(name for name in names if name.endswith(".ipynb") and not name.startswith("."))


def published(folders: Folders, name: str) -> NotebookNode:
    """Return a lesson as committed last, blank; or as it lies in notebooks/ when it was never committed.

    Raises:
        Unreadable: it is not a readable notebook.
        OSError: it cannot be read.
    """
    text = folders.checkout.committed(f"notebooks/{name}")
    return blank(parse(text) if text is not None else read(folders.published / name))


def renamed(folders: Folders, names) -> dict[str, str]:
    """Return the copies whose lesson has another file name now, mostly another number: old name → new name."""
    by_lesson = {lesson_name(name): name for name in names}
    found = {}
    for base in sorted(folders.bases.glob("*.ipynb")):
        new = by_lesson.get(lesson_name(base.name))
        free = new is not None and new not in found.values() and not (folders.bases / new).exists()
        if base.name not in names and free:
            found[base.name] = new
    return found


def make(folders: Folders) -> list[str]:
    """Make every copy that is missing, and return one sentence for each thing worth telling.

    Work that was left in notebooks/ and never committed comes along. A lesson whose number changed is left to
    publish.learner.update, which renames its copy and the links to it together.

    Raises:
        OSError: the folder cannot be written.
    """
    folders.bases.mkdir(parents=True, exist_ok=True)
    first = not any(folders.copies.glob("*.ipynb"))
    names = [path.name for path in sorted(folders.published.glob("*.ipynb"))]
    waiting = set(renamed(folders, names).values())
    made, told = [], []
    for name in names:
        if (folders.copies / name).exists() or name in waiting:
            continue
        try:
            found = read(folders.published / name)
            base = published(folders, name)
        except Unreadable as error:
            told.append(f"notebooks/{name} is not a readable notebook ({error}), so there is no copy of it.")
            continue
        write(folders.bases / name, base)
        write(folders.copies / name, stamped(blank(found), base))
        made.append(name)
    if made:
        which = "one of each lesson" if first else ", ".join(made)
        told.insert(0, f"Made your own copies in my_notebooks: {which}. They are yours, and nothing overwrites them.")
    told += _damage(folders, names)
    if _behind(folders, names) or waiting:
        told.append(
            "The lessons are newer than your copies. `python3 start.py update` adds what is new and keeps your work."
        )
    return told


def damaged(folders: Folders, name: str, error: Unreadable) -> str:
    """Say that a copy is not readable, what to do, and where the newest readable one is: Jupyter's or a backup."""
    found = []
    kept = folders.copies / ".ipynb_checkpoints" / name.replace(".ipynb", "-checkpoint.ipynb")
    for path in [kept, *folders.backups.glob(f"*/{name}")]:
        with contextlib.suppress(Unreadable, OSError):
            read(path)
            found.append((path.stat().st_mtime, path.relative_to(folders.root).as_posix()))
    earlier = f"The newest readable one is {max(found)[1]}" if found else "No earlier one was found."
    return (
        f"my_notebooks/{name} is not a readable notebook ({error}), so it was not touched. Rename it, and the next "
        f"start makes a new copy. {earlier}"
    )


def _damage(folders, names):
    """Return a sentence for each copy that Jupyter will not open."""
    told = []
    for name in names:
        with contextlib.suppress(OSError):
            try:
                read(folders.copies / name)
            except Unreadable as error:
                told.append(damaged(folders, name, error))
    return told


def _behind(folders, names):
    """Tell whether a lesson changed since its copy was made; what cannot be read is no reason to bother anybody."""
    for name in names:
        try:
            if (folders.bases / name).exists() and version(read(folders.bases / name)) != version(
                published(folders, name)
            ):
                return True
        except (Unreadable, OSError):
            continue
    return False


def main() -> int:
    """Make the missing copies and say so."""
    try:
        told = make(Folders())
    except OSError as error:
        print(f"Your own copies cannot be made: {error}. Open the folder notebooks instead.", file=sys.stderr)
        return 1
    print("\n".join(told or ["Every lesson has a copy in my_notebooks."]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

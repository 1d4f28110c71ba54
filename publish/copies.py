"""Make a learner's own copies of the lessons, in my_notebooks/: each is made once and never written over.

A copy has no outputs, so it gives nothing away and running a cell visibly changes the page. The published version that
a copy was made from is kept in my_notebooks/.course/base, because publish.update must know what a learner changed.

Usage: python -m publish.copies
"""

import hashlib
import itertools
import json
import os
import re
import shutil
import sys
import warnings
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from publish.checkout import Checkout
from publish.merge import MARK

ROOT = Path(__file__).resolve().parent.parent
_KERNEL = {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}


class Unreadable(ValueError):
    """Say that a file is no whole notebook."""


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


def parse(text: str, known=None) -> NotebookNode:
    """Return the notebook in a text, brought to the present format.

    Args:
        known: another version of the notebook. Where a program dropped or replaced the ids of cells, those that say
            the same, or stand between the same neighbours, get them back.

    Raises:
        Unreadable: the text is no whole and valid notebook, as after a save that was cut off.
    """
    try:
        if not text.strip():
            raise Unreadable("the file is empty")
        data = json.loads(text.removeprefix("\ufeff"))  # some editors put that mark at the beginning
        _complete(data)
        _name_cells(data, known)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            notebook = nbformat.reads(json.dumps(data), as_version=4)
            nbformat.validate(notebook, relax_add_props=True)
    except Unreadable:
        raise
    except json.JSONDecodeError as error:
        raise Unreadable(f"it breaks off or is damaged in line {error.lineno}") from None
    except Exception:  # whatever a broken file makes nbformat raise
        raise Unreadable("it is not built like one") from None
    return notebook


def _complete(data):
    """Put in what programs leave out and Jupyter does without, and take out what a cell of another type left behind."""
    for cell in data["cells"]:
        cell.setdefault("metadata", {})
        if cell["cell_type"] != "code":
            cell.pop("outputs", None)
            cell.pop("execution_count", None)
            continue
        cell.setdefault("execution_count", None)
        for output in cell.setdefault("outputs", []):
            needed = {"name": "stdout"} if output["output_type"] == "stream" else {"metadata": {}, "data": {}}
            if output["output_type"] == "execute_result":
                needed["execution_count"] = None
            for key, value in needed.items() if output["output_type"] != "error" else ():
                output.setdefault(key, value)


def _name_cells(data, known):
    """Give an id to each cell that has none, or that of a cell before it: that of its cell in `known`, or a new one.

    A cell whose id `known` does not have gets the id of a cell there that says the same and is missing here: it was
    cut and pasted. When no cell has an id of `known`, a program has replaced them all.
    """
    if data["nbformat"] != 4:
        return
    cells, theirs = data["cells"], known.cells if known is not None else []
    lost = not {cell.id for cell in theirs} & {cell.get("id") for cell in cells}
    used = set()
    for cell in cells:
        if cell.get("id") in used or (theirs and lost):
            cell.pop("id", None)
        elif "id" in cell:
            used.add(cell["id"])
    for cell in cells:
        if (cell.get("id") is None or not any(one.id == cell["id"] for one in theirs)) and MARK not in cell["metadata"]:
            same = [one.id for one in theirs if _says(one) == _says(cell) and one.id not in used]
            if same:
                cell["id"] = same[0]
                used.add(same[0])
    _name_by_neighbours(cells, theirs, used)
    for number, cell in enumerate(cells):
        if "id" not in cell:
            cell["id"] = next(id for id in _numbered(f"unnamed-{number}") if id not in used)
            used.add(cell["id"])
    data["nbformat_minor"] = max(data["nbformat_minor"], 5)


def _says(cell):
    source = cell["source"] if isinstance(cell["source"], str) else "".join(cell["source"])
    return cell["cell_type"], source.replace("\r\n", "\n").rstrip()


def _name_by_neighbours(cells, theirs, used):
    """Where as many cells without an id as are missing stand between the same two neighbours, they are those."""
    place, start = {one.id: number for number, one in enumerate(theirs)}, -1
    if not used & set(place):
        return
    for end in range(len(cells) + 1):
        if end < len(cells) and cells[end].get("id") not in place:
            continue
        first = place[cells[start]["id"]] if start >= 0 else -1
        last = place[cells[end]["id"]] if end < len(cells) else len(theirs)
        between = [cell for cell in cells[start + 1 : end] if MARK not in cell["metadata"]]
        missing = theirs[first + 1 : last]
        fitting = [one.cell_type for one in missing] == [cell["cell_type"] for cell in between]
        if fitting and not any("id" in cell for cell in between) and not used & {one.id for one in missing}:
            for cell, one in zip(between, missing, strict=True):
                cell["id"] = one.id
                used.add(one.id)
        start = end


def _numbered(name):
    yield name
    yield from (f"{name}-{number}" for number in itertools.count(2))


def read(path: Path, known=None) -> NotebookNode:
    """Return the notebook in a file; see `parse`."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Unreadable("it is not text") from None
    except IsADirectoryError:
        raise Unreadable("it is a folder") from None
    return parse(text, known)


def blank(notebook) -> NotebookNode:
    """Return a lesson without outputs and counts, and with the metadata only that the course itself gives it."""
    cells = []
    for cell in notebook.cells:
        one = NotebookNode(cell_type=cell.cell_type, id=cell.id, metadata=_metadata(cell), source=cell.source)
        if cell.cell_type == "code":
            one.update(execution_count=None, outputs=[])
        if cell.get("attachments"):
            one.attachments = cell.attachments
        cells.append(one)
    metadata = {"kernelspec": _KERNEL, "language_info": {"name": "python"}}
    return nbformat.from_dict({"cells": cells, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5})


def _metadata(cell):
    kept = {key: cell.metadata[key] for key in ("tags",) if cell.metadata.get(key)}
    if cell.metadata.get("jupyter", {}).get("source_hidden"):
        kept["jupyter"] = {"source_hidden": True}
    return kept


def version(notebook) -> str:
    """Return a short name for what a published notebook says, the same wherever it is computed."""
    text = json.dumps(blank(notebook), sort_keys=True)
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
    """Return the hidden name under which a file is written before it takes its place; of a link, beside its target."""
    path = _real(path)
    return path.with_name(f".{path.name}.new")


def _real(path):
    return Path(os.path.realpath(path)) if path.is_symlink() else path


def write_aside(path: Path, notebook) -> Path:
    """Write a notebook under its temporary name, whole and on the disk; `put_in_place` is what makes it count."""
    aside, text = temporary(path), nbformat.writes(notebook, ensure_ascii=False, indent=1)
    try:
        content = text.encode("utf-8")
    except UnicodeEncodeError:  # half of a character: only its escaped form can be written
        content = nbformat.writes(notebook, ensure_ascii=True, indent=1).encode("ascii")
    with open(aside, "wb") as file:
        file.write(content.rstrip(b"\n") + b"\n")
        file.flush()
        os.fsync(file.fileno())
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
        Unreadable: it is no whole notebook.
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
    publish.update, which renames its copy and the links to it together.

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
            told.append(f"notebooks/{name} is no whole notebook ({error}), so there is no copy of it.")
            continue
        write(folders.bases / name, base)
        write(folders.copies / name, stamped(blank(found), base))
        made.append(name)
    if made:
        which = "one of each lesson" if first else ", ".join(made)
        told.insert(0, f"Made your own copies in my_notebooks: {which}. They are yours; nothing writes over them.")
    if _behind(folders, names) or waiting:
        told.append(
            "The lessons are newer than your copies. `make update` brings the new parts in and keeps your work."
        )
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
    print("\n".join(told or ["Every lesson has its copy in my_notebooks."]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

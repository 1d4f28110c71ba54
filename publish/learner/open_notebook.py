"""Read notebooks as Jupyter, other programs and hands leave them, and give their cells back the ids that were lost."""

import itertools
import json
import warnings
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from publish.learner.merge import MARK, meant


class Unreadable(ValueError):
    """Say that a file is not a readable notebook."""


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
            notebook = nbformat.convert(nbformat.reader.reads(json.dumps(data)), 4)  # `nbformat.reads` validates, too
            nbformat.validate(notebook, relax_add_props=True)
    except Unreadable:
        raise
    except json.JSONDecodeError as error:
        raise Unreadable(f"it breaks off or is damaged in line {error.lineno}") from None
    except Exception:  # whatever a broken file makes nbformat raise
        raise Unreadable("it does not have the structure of one") from None
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
    return cell["cell_type"], meant(cell["cell_type"], source)


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
    if path.exists() and not path.is_file():  # a pipe that nobody fills would never end
        raise Unreadable("it is no plain file")
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise Unreadable("it is not text") from None
    return parse(text, known)

"""Merge a learner's copy of a notebook with a new version of the lesson, cell by cell, by the ids of the cells.

Ids are stable and carry meaning (`predict-1`, `ex-2`), so they say which cell became which, however much its text
changed. nbdime 4.0 was tried for this and does not fit: it pairs cells by likeness, writes a conflict as text marks
(`<<<<<<< local`) into the cell, and when both sides added a cell, it returns a notebook whose id is a dictionary.
"""

import ast
import bisect
import copy
import functools
import hashlib
import io
import re
import tokenize
import unicodedata
import warnings
from dataclasses import dataclass, field

from nbformat import NotebookNode
from nbformat.v4 import new_markdown_cell

NEW_VERSION = (
    "**New version of the cell above.** In the lesson that cell is now as below, and you have changed it too. Yours "
    "stays as it is. Take what you need from the one below, then delete the one you do not want."
)
FROM_PUBLISHED = (
    "**Your other version of the cell above.** You changed that cell here and in the folder `notebooks/` as well; the "
    "one below comes from there. Take what you need, then delete the one you do not want."
)
DOES_NOT_RUN = (
    " The one below does not run, so that **Run All** ends with yours. To use it instead: delete yours, select the one "
    "below, and press Esc, then Y."
)
MARK = "course"  # the key of our own metadata, in a notebook and in a cell


@dataclass
class Merged:
    """A merged notebook, and the ids of the cells that changed in it, by what happened to them."""

    notebook: NotebookNode
    renewed: list[str] = field(default_factory=list)
    added: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)  # changed on both sides
    moved: bool = False

    def __bool__(self) -> bool:
        """Tell whether the learner's notebook changes in what it says."""
        return bool(self.renewed or self.added or self.removed or self.doubled or self.moved)


def content(cell) -> tuple:
    """Return what a learner or an author changes when they edit a cell; outputs and metadata are not part of it."""
    return cell.cell_type, cell.source.replace("\r\n", "\n").rstrip(), repr(sorted(cell.get("attachments", {}).items()))


def same(one, other) -> bool:
    """Tell whether two cells say the same: a program that saved one may have written its text or code anew."""
    return content(one) == content(other) or _said(one) == _said(other)


def _said(cell):
    return cell.cell_type, meant(cell.cell_type, cell.source), repr(sorted(cell.get("attachments", {}).items()))


@functools.lru_cache(maxsize=4096)
def meant(cell_type: str, source: str):
    """Return what code means, with its comments; what Markdown shows; of broken code and other cells the lines."""
    source = unicodedata.normalize("NFC", source.replace("\r\n", "\n"))
    try:
        if cell_type == "code":
            tokens = tokenize.generate_tokens(io.StringIO(source).readline)
            comments = [token.string.lstrip("#! ").rstrip() for token in tokens if token.type == tokenize.COMMENT]
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of a backslash in a string
                return ast.dump(ast.parse(source)), tuple(comments)
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        pass
    if cell_type == "markdown":
        from nbconvert.filters import markdown2html  # takes a second, and few updates need it

        return re.sub(r">\s+<", "><", " ".join(markdown2html(source).split()))
    return tuple(line.rstrip() for line in source.rstrip().splitlines())


def merge(mine, base, new, by_learner: bool = False) -> Merged:
    """Bring the new version of a lesson into a learner's notebook and return the merged one.

    What the learner edited, added, deleted or moved since `base` stays so; everything else becomes as in `new`. Where
    both changed one cell, theirs stays and the new one stands below it, under a note; as a raw cell if it is code, for
    what runs last counts. Merging the result again changes nothing.

    Args:
        mine: the learner's notebook; it is left as it is.
        base: the published version that `mine` was made from or merged with last; None when it is unknown. Then no
            cell that differs is taken for unchanged.
        new: the published version to merge with; or, with `by_learner`, another version that the learner made.
    """
    merged = Merged(copy.deepcopy(mine))
    here, there = _by_id(_with_chosen(merged.notebook)), _by_id(new)
    before = _by_id(base) if base is not None else {}
    cells, proposals = {}, {}
    for id, cell in there.items():
        old = before.get(id)
        untouched = old is not None and id in here and content(here[id]) == content(old)
        if id not in here:
            if old is None:
                cells[id] = _fresh(cell)
                merged.added.append(id)
        elif content(here[id]) == content(cell) or (not untouched and same(here[id], cell)):
            cells[id] = _kept(here[id], old, cell)
        elif old is not None and same(here[id], old):
            cells[id] = _fresh(cell)
            cells[id].metadata = _metadata(here[id], old, cell)
            merged.renewed.append(id)
        else:
            cells[id] = copy.deepcopy(here[id])
            if old is None or content(old) != content(cell):
                proposals[id] = _proposal(cell, by_learner)
    for id, cell in here.items():
        if id in there:
            continue
        if (id in before and same(cell, before[id])) or _outdated(cell, here, there, before, proposals):
            merged.removed.append(id)
        else:
            cells[id] = copy.deepcopy(cell)
    order = _order(cells, here, before, there)
    merged.moved = [id for id in order if id in here] != [id for id in here if id in cells]
    result = []
    for id in order:
        result.append(cells[id])
        shown = proposals.get(id, [])
        if shown and not any(cell.id in here for cell in shown):
            merged.doubled.append(id)
            result += shown
    merged.notebook.cells = result
    return merged


def _by_id(notebook):
    return {cell.id: cell for cell in notebook.cells}


def _fresh(cell):
    return copy.deepcopy(cell)


def _kept(mine, old, new):
    """Return the learner's cell, outputs and all, with the metadata of the new version and what they added to it."""
    cell = copy.deepcopy(mine)
    cell.metadata = _metadata(mine, old, new)
    return cell


def _metadata(mine, old, new):
    """Return the metadata of the new version and what the learner added to theirs, tags among it."""
    published = old.metadata if old is not None else {}
    own = {key: value for key, value in mine.metadata.items() if key not in published}
    metadata = copy.deepcopy(NotebookNode({**own, **new.metadata}))
    tags = [tag for tag in mine.metadata.get("tags", []) if tag not in published.get("tags", [])]
    if tags:
        metadata.tags = list(dict.fromkeys([*new.metadata.get("tags", []), *tags]))
    return metadata


def _mark(cell):
    """Return what `_proposal` noted in a cell; other programs may use the same key for anything else."""
    mark = cell.metadata.get(MARK)
    return mark if isinstance(mark, dict) else {}


def _with_chosen(mine):
    """Return the notebook; a version that the learner kept instead of their own cell takes that cell's place."""
    ids = {cell.id for cell in mine.cells}
    for cell in mine.cells:
        of = _mark(cell).get("version_of")
        note = "-note-" in cell.id or cell.source.startswith((NEW_VERSION, FROM_PUBLISHED))
        if of is not None and of not in ids and not note:
            cell.id = of
            del cell.metadata[MARK]
            if cell.cell_type == "raw":
                cell.update(cell_type="code", execution_count=None, outputs=[])
            ids.add(of)
    return mine


def _digest(cell):
    kind, *rest = content(cell)
    said = ("code" if kind == "raw" else kind, *rest)
    return hashlib.sha256(repr(said).encode()).hexdigest()[:8]


def _proposal(cell, by_learner):
    """Return the two cells that show another version below a learner's own. Their ids follow from what they say."""
    below = copy.deepcopy(cell)
    digest = _digest(cell)
    mark = {MARK: {"version_of": cell.id, "by": "learner" if by_learner else "course"}}
    below.id = f"{cell.id[:40]}-new-{digest}"
    below.metadata.update(copy.deepcopy(mark))
    note = FROM_PUBLISHED if by_learner else NEW_VERSION
    if below.cell_type == "code":
        below.cell_type = "raw"
        del below["outputs"], below["execution_count"]
        note += DOES_NOT_RUN
    return [new_markdown_cell(note, id=f"{cell.id[:40]}-note-{digest}", metadata=mark), below]


def _outdated(cell, here, there, before, proposals):
    """Tell whether a cell shows a version of the course that the learner left as it was, and there is a newer one."""
    mark = _mark(cell)
    of = mark.get("version_of")
    if mark.get("by") != "course" or of not in there or of not in before or content(before[of]) == content(there[of]):
        return False
    if cell.id in {one.id for one in proposals.get(of, [])}:
        return False
    partner = here.get(cell.id.replace("-note-", "-new-")) if "-note-" in cell.id else cell
    return partner is None or partner.id.endswith(_digest(partner))


def _order(cells, here, before, there):
    """Return the ids of the merged cells in order.

    The order is that of the new version. A cell that the learner added or moved follows the cell that it follows in
    their notebook.
    """
    shared = [id for id in here if id in before and id in cells]
    place = {id: number for number, id in enumerate(before)}
    unmoved = set(_longest_rising(shared, place))
    moved = {id for id in shared if id not in unmoved}
    order = [id for id in there if id in cells and id not in moved]
    standing = set(order)
    previous = None
    for id in here:
        if id not in cells:
            continue
        if id not in standing:
            order.insert(order.index(previous) + 1 if previous is not None else 0, id)
            standing.add(id)
        previous = id
    return order


def _longest_rising(ids, place):
    """Return a longest part of the ids whose places rise: what was not moved."""
    ends, last, before = [], [], {}  # the smallest last place of a rising part of each length, and its id
    for id in ids:
        length = bisect.bisect_left(ends, place[id])
        before[id] = last[length - 1] if length else None
        ends[length : length + 1] = [place[id]]
        last[length : length + 1] = [id]
    found, id = [], last[-1] if last else None
    while id is not None:
        found.append(id)
        id = before[id]
    return found[::-1]

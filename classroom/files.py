"""The files of a submission, in a folder or in a zip file: which are the course's, and their bytes, within limits.

Nothing is unpacked to disk, no link is followed, and a name that leads out of its folder is not read.
"""

import functools
import io
import stat
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from courseware.handing_in import MOST_BYTES, MOST_PROGRESS
from lessons import catalogue

MOST_FILES, MOST_DEPTH = 200, 4  # looked at in one submission
MOST_PACKED = 50_000_000  # of a zip file in a zip file
MOST_ZIPS, MOST_WITHIN = 5, 1  # zip files in one; how many lie around one that is read
PROGRESS, SOME_NOTEBOOK = "progress.json", "?.ipynb"  # the second is known by its content alone
_MANY_ZIPS = f"It holds more than {MOST_ZIPS} zip files; the others were not read."
MANY = f"It holds more than {MOST_FILES} files; the others were not read."
LEADS_OUT = "It holds a file whose name leads out of its folder; that file was not read."
NOT_THEIRS = {"base", "backups", ".ipynb_checkpoints", "__pycache__", "__MACOSX"}  # folders


@dataclass
class Found:
    """A file of a submission: its name and folders, what it means, and how to get its bytes, or why there are none.

    signed: a name in it counts as the learner's, since no platform and no folder gives them one.
    """

    parts: tuple[str, ...]
    means: str = PROGRESS
    content: Callable[[], bytes | str] | None = None
    problem: str = ""
    signed: bool = False

    def last(self) -> tuple[bool, bool, bool]:
        """Tell what comes later: a file under another name, or of its own, and the course's own copy of a notebook."""
        return self.means == SOME_NOTEBOOK, self.parts[-1] != self.means, "notebooks" in self.parts


def meant(name: str) -> str | None:
    """Return the file of the course that a file's name means, though a browser or an upload changed it; or None."""
    low = name.casefold()
    if low.startswith("."):
        return None
    if low.endswith(".json") and "progress" in low:
        return PROGRESS
    if not low.endswith(".ipynb"):
        return None
    return f"{own(name)}.ipynb" if own(name) else SOME_NOTEBOOK


def own(name: str) -> str:
    """Return the name of a lesson's notebook, without its ending, that a file's name holds; or ""."""
    known = (lesson.notebook.removesuffix(".ipynb") for lesson in catalogue.lessons())
    return next((one for one in known if one in name.casefold()), "")


def _too_large(means):
    return f"{{what}} is too large{'' if means == PROGRESS else ' for a lesson'}; it was not read."


def _limit(means):
    return MOST_PROGRESS if means == PROGRESS else MOST_BYTES


def in_folder(folder: Path) -> Iterator[Found]:
    """Yield the files of a folder that belong to the course, and of the zip files in it."""
    todo, seen = [folder], 0
    while todo:
        here = todo.pop(0)
        parts = here.relative_to(folder).parts
        try:
            paths = [(path, path.is_symlink(), path.is_dir()) for path in sorted(here.iterdir())]
        except OSError:
            yield Found(parts or (".",), problem="It holds a folder that cannot be opened.")
            continue
        for path, linked, is_folder in paths:
            seen += 1
            if seen > MOST_FILES:
                yield Found(parts or (".",), problem=MANY)
                return
            means = meant(path.name)
            if linked:
                if means:
                    problem = "{what} is a link to another place; it was not followed."
                    yield Found((*parts, path.name), means, problem=problem)
            elif is_folder:
                hidden = path.name.startswith(".") and path.name != ".course"
                if len(parts) < MOST_DEPTH and path.name not in NOT_THEIRS and not hidden:
                    todo.append(path)
            elif means:
                yield plain(path, (*parts, path.name), means)
            elif path.suffix.lower() == ".zip":
                yield from in_zip(path)


def plain(path: Path, parts: tuple[str, ...], means: str) -> Found:
    """Return a plain file as one that means one of the course's."""
    return Found(parts, means, functools.partial(_content, path, means))


def _content(path, means):
    try:
        status = path.lstat()
        if not stat.S_ISREG(status.st_mode):
            return "{what} is not a plain file."
        return _too_large(means) if status.st_size > _limit(means) else path.read_bytes()
    except OSError:
        return "{what} cannot be opened."


def in_zip(source: Path | io.BytesIO, within: int = 0) -> Iterator[Found]:
    """Yield the members of a zip file that belong to the course, and those of zip files in it.

    Args:
        source: a path, or what another zip file holds.
        within: how many zip files of the submission lie around this one.
    """
    name = source.name if isinstance(source, Path) else "."
    try:
        if isinstance(source, Path) and not stat.S_ISREG(source.lstat().st_mode):
            yield Found((name,), problem="It is not a plain file.")
            return
        inside = members(source)
    except Exception:  # zipfile raises many kinds
        yield Found((name,), problem="It is not a complete zip file.")
        return
    if any(leads_out(parts) for _, parts in inside):
        yield Found((name,), problem=LEADS_OUT)
    found = [(member, parts, meant(parts[-1])) for member, parts in inside if not leads_out(parts)]
    found, packed = [one for one in found if one[2]], [one for one in found if is_zip(one[1])]
    for member, parts, means in found[:MOST_FILES]:
        yield member_of(source, member, parts, means)
    if len(found) > MOST_FILES or len(packed) > MOST_ZIPS:
        yield Found((name,), problem=MANY if len(found) > MOST_FILES else _MANY_ZIPS)
    for member, parts, _ in packed[:MOST_ZIPS]:
        yield from inner(source, member, parts, within + 1)


def inner(source: Path | io.BytesIO, member: zipfile.ZipInfo, parts: tuple[str, ...], within: int) -> Iterator[Found]:
    """Yield the files of a zip file that is a member of another."""
    if within > MOST_WITHIN:
        yield Found(parts, problem="A zip file is nested inside too many others; it was not read.")
        return
    content = _member(source, member, "", MOST_PACKED)
    if isinstance(content, str):
        yield Found(parts, problem=content)
    else:
        yield from in_zip(io.BytesIO(content), within)


def members(source: Path | io.BytesIO) -> list[tuple[zipfile.ZipInfo, tuple[str, ...]]]:
    """Return the files in a zip file, each with its folders and its name; none from the folders of programs."""
    with zipfile.ZipFile(source) as packed:
        found = [(one, tuple(one.filename.replace("\\", "/").split("/"))) for one in packed.infolist()]
    return [(one, parts) for one, parts in found if not one.is_dir() and not NOT_THEIRS & set(parts)]


def leads_out(parts: tuple[str, ...]) -> bool:
    """Tell whether a member's name is not one below the folder where the zip file would be unpacked."""
    return ".." in parts or parts[0] == "" or parts[0].endswith(":")


def is_zip(parts: tuple[str, ...]) -> bool:
    """Tell whether a member is a zip file, by its name."""
    return parts[-1].lower().endswith(".zip") and not parts[-1].startswith(".")


def member_of(source: Path | io.BytesIO, member: zipfile.ZipInfo, parts: tuple[str, ...], means: str) -> Found:
    """Return a member of a zip file as a file that means one of the course's."""
    return Found(parts, means, functools.partial(_member, source, member, means))


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
    return _too_large(means) if means else "A zip file in it is too large for a submission; it was not read."

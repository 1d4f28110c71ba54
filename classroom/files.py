"""The files that were handed in: one walk over a folder or a zip file and the zip files in it, within limits.

Every file is yielded, with its bytes or with the reason why there are none. Nothing is unpacked to disk, and no link is
followed.
"""

import io
import stat
import unicodedata
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from course_lib.handing_in import MOST_BYTES

MOST_SEEN, MOST_DEPTH = 2000, 12  # in one zip file, or in what lies in the folder under one name
MOST_PACKED = 50_000_000  # of a zip file in a zip file
MOST_ZIPS = (200, 5, 0)  # zip files in one that lies in no other, in one other, in two
MANY = f"It holds more than {MOST_SEEN} files; the others were not read."
_CLUTTER = {"__pycache__", "__macosx", "venv", "site-packages", "node_modules", "thumbs.db", "desktop.ini"}
_LARGE = "It is larger than {} MB, so it was not read."


@dataclass
class Found:
    """A file: its folders and its name, zip files being folders; its bytes, or why there are none; when it was packed.

    packed: of a file of `hand_in`, the time that it holds; else ().
    """

    parts: tuple[str, ...]
    content: Callable[[], bytes | str]
    packed: tuple[int, ...] = ()


def walk(place: Path) -> Iterator[Found]:
    """Yield every file that was handed in, and every folder that is empty or cannot be opened.

    Raises:
        OSError: the folder itself cannot be opened.
        zipfile.BadZipFile: the zip file itself is none.
    """
    if place.is_dir():
        for path in sorted(place.iterdir()):
            yield from _in_folder(path, (_written(path.name),))
    else:
        yield from _in_zip(place, (), 0)


def _written(name):
    """Return a name with one spelling of each letter."""
    return unicodedata.normalize("NFC", name)


def _left_out(parts):
    """Tell whether a file or a folder belongs to programs, and to nobody's work."""
    hidden = any(part.startswith(".") and part not in (".course", "..") for part in parts)
    of_course = ".course" in parts[:-1] and parts[-1] != "progress.json"
    return hidden or of_course or bool(_CLUTTER & {part.casefold() for part in parts})


def _in_folder(top, parts):
    todo, seen = [(top, parts)], 0
    while todo:
        path, parts = todo.pop(0)
        if _left_out(parts):
            continue
        seen += 1
        if seen > MOST_SEEN:
            yield _unread(parts[:1], MANY)
            return
        try:
            mode = path.lstat().st_mode
            if stat.S_ISDIR(mode) and len(parts) < MOST_DEPTH:
                inside = [(one, (*parts, _written(one.name))) for one in sorted(path.iterdir())]
                todo += inside
                if all(_left_out(names) for _, names in inside):
                    yield _unread((*parts, ""), "The folder is empty.")
            elif stat.S_ISREG(mode):
                yield from _file(parts, path, 0)
            else:
                link = "It is a link to another place; it was not followed."
                deep = "It lies in too many folders; it was not read."
                other = deep if stat.S_ISDIR(mode) else "It is not a plain file."
                yield _unread(parts, link if stat.S_ISLNK(mode) else other)
        except OSError:
            yield _unread((*parts, ""), "It cannot be opened.")


def _unread(parts, why):
    return Found(parts, lambda: why)


def _file(parts, source, within, packed=()):
    """Yield a file, on disk or its bytes, or what is in it if it is a zip file and no document of an office program."""
    try:
        with zipfile.ZipFile(source if isinstance(source, Path) else io.BytesIO(source)) as inside:
            names = inside.namelist()
    except Exception:  # zipfile raises many kinds
        if parts[-1].lower().endswith(".zip"):
            yield _unread(parts, "It is not a complete zip file.")
            return
        names = ["mimetype"]
    if {"mimetype", "[Content_Types].xml"} & {*names}:
        yield Found(parts, lambda: _content(source), packed)
    elif within == len(MOST_ZIPS):
        yield _unread(parts, "It is a zip file inside too many others; it was not read.")
    else:
        yield from _in_zip(source if isinstance(source, Path) else io.BytesIO(source), parts, within)


def _content(source):
    if isinstance(source, bytes):
        return source
    try:
        large = source.stat().st_size > MOST_BYTES
        return _LARGE.format(MOST_BYTES // 1_000_000) if large else source.read_bytes()
    except OSError:
        return "It cannot be opened."


def _in_zip(source, around, within):
    """Yield the members of a zip file that lies in the folders `around` and in so many others."""
    with zipfile.ZipFile(source) as inside:
        members = [one for one in inside.infolist() if not one.is_dir()]
        found = [(one, tuple(map(_written, one.filename.replace("\\", "/").split("/")))) for one in members]
        found = sorted((one for one in found if not _left_out(one[1])), key=lambda one: len(one[1]))
        by_hand_in, zips = len(found) == 2 and "progress.json" in {parts[-1] for _, parts in found}, 0
        if not found:
            yield _unread((*around, ""), "The zip file is empty.")
        for member, parts in found[:MOST_SEEN]:
            if ".." in parts or parts[0] == "" or parts[0].endswith(":"):
                below = [part for part in parts if part not in ("", "..") and not part.endswith(":")]
                yield _unread((*around, *below), "Its name leads out of its folder; it was not read.")
                continue
            parts, packed = (*around, *parts), member.date_time if by_hand_in else ()
            try:
                with inside.open(member) as file:
                    zipped = file.read(4) == b"PK\3\4"
            except Exception:  # zipfile and what it unpacks with raise many kinds
                yield _unread(parts, "It is damaged, or has a password.")
                continue
            zips += zipped
            if not zipped and not parts[-1].lower().endswith(".zip"):
                yield Found(parts, lambda member=member: _member(source, member, MOST_BYTES), packed)
            elif zips > MOST_ZIPS[within]:
                few = f"it lies in a zip file with more than {MOST_ZIPS[within]} others" if MOST_ZIPS[within] else ""
                yield _unread(parts, f"It was not read, because {few or 'it is a zip file inside too many others'}.")
            else:
                content = _member(source, member, MOST_PACKED)
                here = isinstance(content, str)
                yield from [_unread(parts, content)] if here else _file(parts, content, within + 1, packed)
        if len(found) > MOST_SEEN:
            yield _unread(around or ("",), MANY)


def _member(source, member, most):
    """Return the bytes of a member, and never more of them than its limit, whatever the file says of its size."""
    try:
        with zipfile.ZipFile(source) as packed, packed.open(member) as file:
            content = file.read(most + 1)
    except Exception:  # zipfile and what it unpacks with raise many kinds
        return "It is damaged, or has a password."
    return content if len(content) <= most else _LARGE.format(most // 1_000_000)

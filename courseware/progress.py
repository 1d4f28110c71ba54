"""Remember what is solved and guessed, in `progress.json`. Local only: nothing is ever sent.

The file is written whole and then moved into place, under a lock, and what another notebook has written in the
meantime is kept. A damaged file is set aside under another name. If a file is only partly damaged, or comes from a
newer course, its readable part counts, and a copy of the file is kept next to it. A folder that cannot be written to is
not an error for the learner.
"""

import contextlib
import json
import os
import pathlib
import shutil
import sys
import time
from dataclasses import dataclass, field

from courseware import __version__
from courseware.environment import progress_path
from whywrong.task import Status

VERSION = 2
RANK = {status: rank for rank, status in enumerate(Status)}
_LOCK_SECONDS = 5
_MORE_TRIES = 20 if os.name == "nt" else 0
REMEMBERED = ("mistake:", "slip:", "seen:")  # the keys of a verdict that say what went wrong


@dataclass
class Entry:
    """What is remembered of one exercise, prediction or question; never any code.

    status: the best so far. guess, near: the first guess at a prediction, and whether it came near.
    attempts, hints: how many; met: the keys of the mistakes met, in the order of their first meeting.
    """

    status: Status = Status.NOT_ATTEMPTED
    guess: object = None
    near: bool | None = None
    attempts: int = 0
    hints: int = 0
    met: list[str] = field(default_factory=list)

    @property
    def done(self) -> bool:
        """Return whether it counts as done: solved, or honestly guessed."""
        return self.status in (Status.CORRECT, Status.GUESSED)

    @property
    def wrong_at_first(self) -> bool:
        """Return whether the first answer to a question was wrong, or every answer so far."""
        return self.status != Status.NOT_ATTEMPTED and (not self.done or self.attempts > 1)


class Progress:
    """What is remembered of every exercise, prediction and question, in memory and on disk.

    `problem` is a sentence about why the last save did not reach the disk, or about a damaged file that it found; or an
    empty string.

    Args:
        path: of the file, or None for the learner's.
        id_today: id in the file -> the id of today, or "" to drop its entry.
    """

    def __init__(self, path=None, id_today=str):
        self.path = pathlib.Path(path) if path is not None else progress_path()
        self.problem = ""
        self._id_today = id_today
        self._known: dict[str, Entry] = {}

    def record(self, id: str, status: Status, *, key: str = "", guess=None, near: bool | None = None) -> None:
        """Count an attempt and save: the best status, the first guess, and the key of a mistake that was met.

        Raises:
            ValueError: status is no Status.
        """
        if status not in set(Status):
            raise ValueError(f"status must be one of {', '.join(Status)}, but {status!r} was given.")
        met = [key] if key.startswith(REMEMBERED) else []
        self._save(id, Entry(Status(status), guess, near, 1, 0, met))

    def record_hint(self, id: str) -> None:
        """Count a hint and save."""
        self._save(id, Entry(hints=1))

    def _save(self, id, new):
        self.problem, added = "", False
        try:
            with self._locked():
                self._merge(self._read())
                self._known[id] = _added(self._known.get(id, Entry()), new)
                added = True
                self._write()
        except (OSError, NotImplementedError) as error:  # the last: a disk without file locks
            if not added:
                self._known[id] = _added(self._known.get(id, Entry()), new)
            self.problem = (
                f"Your progress could not be saved ({_why(error)}). It is kept until you close this notebook."
            )

    def entries(self) -> dict[str, Entry]:
        """Return what is remembered of everything attempted so far."""
        with contextlib.suppress(OSError):
            self._merge(self._read(keep_damaged=False))
        return dict(self._known)

    def _merge(self, found):
        for stored, entry in found.items():
            if id := self._id_today(stored):
                self._known[id] = _joined(self._known[id], entry) if id in self._known else entry

    @contextlib.contextmanager
    def _locked(self):
        if sys.platform == "emscripten":  # in a web page, nobody else has the file
            yield
            return
        import filelock  # here, since a Python without it can write a progress file, too

        self.path.parent.mkdir(parents=True, exist_ok=True)
        lock = filelock.FileLock(self.path.with_name(self.path.name + ".lock"), timeout=_LOCK_SECONDS)
        with lock:
            yield

    def _read(self, keep_damaged=True):
        """Read the file; set it aside if it is damaged. Raise OSError rather than overwrite an unreadable one."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        try:
            stored = json.loads(content)  # in whatever form of Unicode an editor has saved it
            found, understood = _found(stored)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            self.problem = f"Your saved progress cannot be read, because {self.path.name} is damaged."
            if keep_damaged:
                aside = _free_name(self._damaged)
                os.replace(self.path, aside)
                self.problem = f"Your saved progress could not be read. The damaged file is now called {aside.name}."
            return {}
        if not understood:
            self.problem = "Part of your saved progress cannot be read."
        if keep_damaged and not understood:
            aside = self._kept_beside(content)
            self.problem = f"Part of your saved progress could not be read. A copy of the file is kept as {aside.name}."
        return found

    @property
    def _damaged(self):
        return self.path.with_name(self.path.name + ".damaged")

    def _kept_beside(self, content):
        """Keep one copy of the file under another name, and return that name."""
        for kept in self.path.parent.glob(self._damaged.name + "*"):
            if kept.read_bytes() == content:
                return kept
        aside = _free_name(self._damaged)
        try:
            os.link(self.path, aside)
        except OSError:  # a disk without links
            try:
                shutil.copyfile(self.path, aside)
            except OSError:
                aside.unlink(missing_ok=True)
                raise
        return aside

    def _write(self):
        for left in self.path.parent.glob(self.path.name + "." + "[0-9a-f]" * 8):  # by a save that was killed
            left.unlink()
        write_whole(self.path, written(self._known).encode())


def write_whole(path: pathlib.Path, content: bytes) -> None:
    """Write a file that is never half there: first under a name of its own, which then takes its place.

    tempfile does not make that name: where Windows refuses a new file in a folder, before Python 3.13 it goes on trying
    for hours.

    Raises:
        OSError: the folder or the disk does not take it; what was there before stays.
    """
    aside = path.with_name(f"{path.name}.{os.urandom(4).hex()}")
    try:
        with open(aside, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _replace(aside, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(aside)
        raise


def _replace(aside, path):
    """Move a file into the place of another; wait on Windows, where nobody can while a program has it open."""
    for _ in range(_MORE_TRIES):
        with contextlib.suppress(PermissionError):
            return os.replace(aside, path)
        time.sleep(0.05)
    return os.replace(aside, path)


def written(entries: dict[str, Entry], name: str = "") -> str:
    """Return entries as a progress file holds them; name: of whoever hands them in, with the course's version."""
    stored = {id: _as_stored(entry) for id, entry in sorted(entries.items())}
    whose = {"name": name, "course": __version__} if name else {}
    return json.dumps({"version": VERSION, **whose, "entries": stored}, indent=1) + "\n"


def read(text: str) -> dict[str, Entry]:
    """Return the entries in the text of a progress file; skip what cannot be understood.

    Raises:
        ValueError: it is not the text of a progress file.
    """
    try:
        return _found(json.loads(text))[0]
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError("This is not the text of a progress file.") from error


def _added(known, new):
    """Return what is known after one more attempt or hint."""
    joined = _joined(known, new)
    joined.attempts, joined.hints = known.attempts + new.attempts, known.hints + new.hints
    return joined


def _joined(one, other):
    """Join two records of the same thing: the best status, the first guess, the larger counts."""
    first = one if one.guess is not None else other
    return Entry(
        max(one.status, other.status, key=RANK.__getitem__),
        first.guess,
        first.near,
        max(one.attempts, other.attempts),
        max(one.hints, other.hints),
        list(dict.fromkeys([*one.met, *other.met])),
    )


def _found(stored):
    """Return the entries in a file by their ids, and whether everything in it was understood."""
    found, understood = {}, stored.get("version", VERSION) == VERSION
    for id, one in stored["entries"].items():
        try:
            found[id] = _entry(id, one)
        except (ValueError, OverflowError, TypeError, AttributeError):
            understood = False
    return found, understood


def _entry(id, stored):
    near, met, guess = stored.get("near"), stored.get("met", []), stored.get("guess")
    if isinstance(guess, int):
        float(guess)  # too large a number cannot be shown
    if not isinstance(met, list):
        raise TypeError(f"met of {id} is no list")
    return Entry(
        Status(stored.get("status", Status.NOT_ATTEMPTED)),
        guess,
        near if isinstance(near, bool) else None,
        int(stored.get("attempts", 0)),
        int(stored.get("hints", 0)),
        [str(key) for key in met],
    )


def _as_stored(entry):
    """Return an entry as it is written, without fields that say nothing."""
    fields = {name: getattr(entry, name) for name in ("status", "guess", "near", "attempts", "hints", "met")}
    empty = {"attempts": 0, "hints": 0, "met": []}  # a guess of 0 says something
    return {name: value for name, value in fields.items() if value is not None and value != empty.get(name)}


def _free_name(path):
    """Return path, or path with the first number after it that is not taken."""
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}-{number}")
    return candidate


def _why(error):
    if isinstance(error, TimeoutError) and error.errno is None:  # filelock's, and not the system's
        return "another notebook is using the file"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()

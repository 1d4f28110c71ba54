"""Remember what is solved, in `progress.json` beside the notebooks. Local only: nothing is ever sent.

The file is written whole and then moved into place, under a lock, and what another notebook has written meanwhile is
kept. A damaged file is put aside under another name. A folder that cannot be written is no error for the learner.
"""

import contextlib
import json
import os
import pathlib
import tempfile

import filelock

RANK = {"not attempted": 0, "stopped": 1, "not yet": 2, "correct": 3}
_LOCK_SECONDS = 5


def default_path() -> pathlib.Path:
    """Return where progress is kept: $COURSE_PROGRESS, else `progress.json` in the course's notebooks folder."""
    named = os.environ.get("COURSE_PROGRESS")
    if named:
        return pathlib.Path(named)
    folder = pathlib.Path(__file__).resolve().parents[2] / "notebooks"
    return (folder if folder.is_dir() else pathlib.Path.cwd()) / "progress.json"


class Progress:
    """The best status of every exercise and quiz question, in memory and on disk.

    `problem` is a sentence about why the last save did not reach the disk, or an empty string.
    """

    def __init__(self, path=None):
        self.path = pathlib.Path(path) if path is not None else default_path()
        self.problem = ""
        self._known: dict[str, str] = {}

    def record(self, id: str, status: str) -> None:
        """Keep the status of an exercise if it is better than the best one so far, and save."""
        if status not in RANK:
            raise ValueError(f"status must be one of {', '.join(RANK)}, but {status!r} was given.")
        self.problem = ""
        try:
            with self._locked():
                self._merge(self._read())
                self._merge({id: status})
                self._write()
        except (OSError, filelock.Timeout, NotImplementedError) as error:  # the last: a disk without file locks
            self._merge({id: status})
            self.problem = (
                f"Your progress could not be saved ({_why(error)}); it is kept until this notebook is closed."
            )

    def statuses(self) -> dict[str, str]:
        """Return the best status of everything attempted so far."""
        with contextlib.suppress(OSError):
            self._merge(self._read(keep_damaged=False))
        return dict(self._known)

    def _merge(self, found):
        for id, status in found.items():
            if RANK[status] > RANK.get(self._known.get(id, "not attempted"), 0):
                self._known[id] = status

    @contextlib.contextmanager
    def _locked(self):
        lock = filelock.FileLock(self.path.with_name(self.path.name + ".lock"), timeout=_LOCK_SECONDS)
        with lock:
            yield

    def _read(self, keep_damaged=True):
        """Read the file; put it aside if it is damaged. What cannot be read is not written over: OSError."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return {}
        try:
            entries = json.loads(content.decode("utf-8"))["statuses"]
            return {str(id): status for id, status in entries.items() if status in RANK}
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            if keep_damaged:
                os.replace(self.path, _free_name(self.path.with_name(self.path.name + ".damaged")))
            return {}

    def _write(self):
        content = json.dumps({"version": 1, "statuses": dict(sorted(self._known.items()))}, indent=1) + "\n"
        handle, name = tempfile.mkstemp(prefix=self.path.name + ".", dir=self.path.parent)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(name, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise


def _free_name(path):
    """Return path, or path with the first number behind it that is not taken."""
    candidate, number = path, 1
    while candidate.exists():
        number += 1
        candidate = path.with_name(f"{path.name}-{number}")
    return candidate


def _why(error):
    if isinstance(error, filelock.Timeout):
        return "another notebook holds the file"
    return (getattr(error, "strerror", None) or str(error) or type(error).__name__).lower()

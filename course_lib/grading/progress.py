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

from course_lib.content import Status
from course_lib.environment import progress_path

RANK = {status: rank for rank, status in enumerate(Status)}
_LOCK_SECONDS = 5
# What the lessons were called in the ids of files that were written before they took the names of their notebooks.
FORMER_NAMES = {
    "start": "start_here",
    "linear": "linear_limits",
    "act": "relu_vs_gelu",
    "ffn": "build_the_ffn",
    "expand": "expand_and_contract",
    "position": "position_independence",
    "params": "parameter_share",
    "block": "inside_the_block",
    "swiglu": "bonus_swiglu",
}


class Progress:
    """The best status of every exercise and quiz question, in memory and on disk.

    `problem` is a sentence about why the last save did not reach the disk, or an empty string.
    """

    def __init__(self, path=None):
        self.path = pathlib.Path(path) if path is not None else progress_path()
        self.problem = ""
        self._known: dict[str, Status] = {}

    def record(self, id: str, status: Status) -> None:
        """Keep the status of an exercise if it is better than the best one so far, and save."""
        if status not in set(Status):
            raise ValueError(f"status must be one of {', '.join(RANK)}, but {status!r} was given.")
        self.problem = ""
        try:
            with self._locked():
                self._merge(self._read())
                self._merge({id: Status(status)})
                self._write()
        except (OSError, filelock.Timeout, NotImplementedError) as error:  # the last: a disk without file locks
            self._merge({id: Status(status)})
            self.problem = (
                f"Your progress could not be saved ({_why(error)}); it is kept until this notebook is closed."
            )

    def statuses(self) -> dict[str, Status]:
        """Return the best status of everything attempted so far."""
        with contextlib.suppress(OSError):
            self._merge(self._read(keep_damaged=False))
        return dict(self._known)

    def _merge(self, found):
        for id, status in found.items():
            _keep_best(self._known, id, status)

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
            found = {}
            for id, status in entries.items():
                if status in set(Status):
                    _keep_best(found, _present_id(id), Status(status))
            return found
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


def _keep_best(known, id, status):
    if RANK[status] > RANK[known.get(id, Status.NOT_ATTEMPTED)]:
        known[id] = status


def _present_id(id):
    lesson, dot, name = id.partition(".")
    return FORMER_NAMES.get(lesson, lesson) + dot + name


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

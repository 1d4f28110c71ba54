"""The files of the course that go into what is packed of it: those that git knows."""

import re
import subprocess
from pathlib import Path

from courseware.environment import ROOT

_MADE = re.compile(r"build|dist|node_modules|__pycache__|.*\.egg-info|\..*")  # by tools, beside the course's files


def tracked(folders: tuple[str, ...] = (), root: Path = ROOT) -> list[str]:
    """Return the names of the files under version control in some folders of the course, or in all, sorted.

    Raises:
        RuntimeError: git knows no file there; the message is what it says. OSError: there is no git.
    """
    command = ["git", "-C", root, "ls-files", "-z", "--", *folders]
    done = subprocess.run(command, capture_output=True, encoding="utf-8")
    names = sorted(name for name in done.stdout.split("\0") if name and (root / name).is_file())
    if not names:
        raise RuntimeError(done.stderr.strip() or "no file here was added")
    return names


def files(folders: tuple[str, ...], root: Path = ROOT) -> list[str]:
    """Return the names of the tracked files in some folders of the course, sorted.

    Where git knows none, as in what came out of a zip file, return all files there but hidden ones and those that tools
    made, such as `build`: what else somebody added cannot be told from the course.
    """
    try:
        return tracked(folders, root)
    except (RuntimeError, OSError):
        paths = (path.relative_to(root) for name in folders for path in (root / name).rglob("*") if path.is_file())
        return sorted(path.as_posix() for path in paths if not any(map(_MADE.fullmatch, path.parts)))

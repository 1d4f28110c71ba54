"""The files of the course that go into what is packed of it: those that git knows."""

import re
import subprocess
from pathlib import Path

from courseware.environment import ROOT

_MADE = re.compile(r"build|dist|node_modules|__pycache__|.*\.egg-info|\..*")  # by tools, beside the course's files


def tracked(folders: tuple[str, ...] = (), root: Path = ROOT) -> list[str]:
    """Return the names of the files under version control in some folders of the course, or in all, sorted.

    Raises:
        RuntimeError: there is no git, or it knows no file there. The message is what git says.
    """
    command = ["git", "-C", str(root), "ls-files", "-z", "--", *folders]
    try:
        done = subprocess.run(command, capture_output=True, encoding="utf-8")
    except FileNotFoundError:
        raise RuntimeError("git was not found") from None
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
    except RuntimeError:
        paths = [path.relative_to(root) for name in folders for path in (root / name).rglob("*") if path.is_file()]
        left_out = (path for path in paths if any(_MADE.fullmatch(part) for part in path.parts))
        return sorted(path.as_posix() for path in set(paths).difference(left_out))


def unknown(folders: tuple[str, ...] = (), root: Path = ROOT) -> str:
    """Say which files in some folders are not packed, because git neither knows them nor is told to ignore them."""
    try:
        tracked(folders, root)
    except RuntimeError:
        return ""
    command = ["git", "-C", str(root), "ls-files", "--others", "--exclude-standard", "--", *folders]
    found = subprocess.run(command, capture_output=True, encoding="utf-8").stdout.splitlines()
    return f"Left out, because git does not know it (type git add first): {', '.join(found)}\n" if found else ""

"""On a class server: bring a learner's folder up to the course that the teacher publishes there.

nbgitpuller fetches the course, which never overwrites what a learner changed; then the copies are merged cell by cell,
as `make update` does on a laptop. At the end it prints the copy with which the learner goes on.

Usage: python -m publish.learner.pull REPOSITORY FOLDER
"""

import argparse
import contextlib
import os
import subprocess
import sys
from pathlib import Path

from course_lib import desk

BRANCH = "main"


def version(repository: Path) -> str:
    """Return the commit at the tip of a repository's branch.

    Raises:
        OSError: git is missing. subprocess.CalledProcessError: there is no such branch.
    """
    command = ["git", "--git-dir", str(repository), "rev-parse", BRANCH]
    return subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.strip()


def pull(repository: Path, folder: Path) -> list[str]:
    """Bring the folder up to date; return one sentence for each step that failed.

    What failed is tried again at the next call, for the version is noted after everything went well.

    Raises:
        OSError, subprocess.CalledProcessError: the repository cannot be read, so there is nothing to bring.
    """
    wanted = version(repository)
    note = folder / "my_notebooks" / ".course" / "version"
    if note.is_file() and note.read_bytes() == wanted.encode():
        return []
    inside = os.environ | {"PYTHONPATH": os.pathsep.join([str(folder), os.environ.get("PYTHONPATH", "")])}
    steps = {
        "The course could not be fetched": (["nbgitpuller.pull", str(repository), BRANCH, folder.name], folder.parent),
        "The new lessons could not be merged": (["publish.learner.update", "--no-fetch"], folder),
        "The copies could not be made": (["publish.learner.copies"], folder),
    }
    first = not (folder / "my_notebooks").is_dir()  # then nothing is there to merge, and else that makes the copies too
    del steps["The new lessons could not be merged" if first else "The copies could not be made"]
    failed = []
    for sentence, (module, where) in steps.items():
        environment = inside if where == folder else dict(os.environ)
        command = [sys.executable, "-m", *module]
        if not where.is_dir():
            continue  # the first step failed, on the first day
        done = subprocess.run(
            command, cwd=where, env=environment, capture_output=True, encoding="utf-8", errors="replace"
        )
        if done.returncode:
            failed.append(f"{sentence}: {(done.stderr or done.stdout).strip()[-500:]}")
    if not failed:
        with contextlib.suppress(OSError):  # then the same is done again next time, which costs seconds only
            note.write_text(wanted, encoding="utf-8", newline="\n")
    return failed


def main(arguments=None) -> int:
    """Bring a folder up to date; return 0, or 1 when there is still no course in it."""
    parser = argparse.ArgumentParser(description="Bring a learner's folder up to the course on a class server.")
    parser.add_argument("repository", type=Path)
    parser.add_argument("folder", type=Path)
    given = parser.parse_args(arguments)
    try:
        failed = pull(given.repository, given.folder.absolute())
    except (OSError, subprocess.CalledProcessError) as error:
        failed = [f"The course at {given.repository} cannot be read: {error}"]
    for sentence in failed:
        print(sentence, file=sys.stderr)
    ahead = desk.notebook_ahead()
    if ahead and (given.folder / "my_notebooks" / ahead).is_file():
        print(ahead)
    return 0 if (given.folder / "my_notebooks").is_dir() and (given.folder / "course_lib").is_dir() else 1


if __name__ == "__main__":
    sys.exit(main())

"""Ask git about the folder of the course, and move it forward."""

import contextlib
import os
import re
import subprocess
from functools import cached_property
from pathlib import Path

# Variables with which git itself starts other programs (hooks); they would send our calls to another repository.
_FOREIGN = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR")
_LOCKED = re.compile(r"Unable to create '(.+\.lock)': File exists")
_PATIENCE = 300  # seconds for a fetch
DEPENDENCIES = ("requirements.txt", "constraints.txt", "pyproject.toml", "requirements-model.txt")


class Refused(Exception):
    """Say in a sentence for learners why nothing more was done."""


class Checkout:
    """The git clone in a folder, if it is one."""

    def __init__(self, root: Path):
        self.root = Path(root)

    def git(self, *arguments: str, timeout: float | None = None) -> str:
        """Run git in the folder and return what it prints.

        Raises:
            Refused: git is missing, fails or takes too long; the sentence ends with git's own words.
        """
        environment = {name: value for name, value in os.environ.items() if name not in _FOREIGN}
        environment["LC_ALL"] = "C"  # its messages are in the language that ours are in
        environment["GIT_TERMINAL_PROMPT"] = "0"  # rather fail than wait for a password that a learner does not have
        command = ["git", "-C", str(self.root), *arguments]
        try:
            result = subprocess.run(
                command, env=environment, capture_output=True, encoding="utf-8", errors="replace", timeout=timeout
            )
        except FileNotFoundError:
            raise Refused("The program git is not installed, and updates need it.") from None
        except subprocess.TimeoutExpired:
            raise Refused(f"git {arguments[0]} was stopped, because it took more than {timeout:.0f} seconds.") from None
        if result.returncode:
            words = result.stderr.strip() or result.stdout.strip() or f"exit code {result.returncode}"
            if locked := _LOCKED.search(words):
                raise Refused(_locked(locked[1]))
            raise Refused(f"git {arguments[0]} says: {words}")
        return result.stdout

    def _names(self, *arguments):
        """Return the file names that a git command lists; -z is put in, so names of any kind are whole."""
        return [name for name in self.git(arguments[0], "-z", *arguments[1:]).split("\0") if name]

    @cached_property
    def why_not(self) -> str:
        """A sentence when the folder is no git clone of its own, else an empty string."""
        try:
            top = Path(self.git("rev-parse", "--show-toplevel").strip())
            if top.exists() and top.samefile(self.root):  # macOS may spell one folder in two ways
                self.git("rev-parse", "--verify", "--quiet", "HEAD")
                return ""
            reason = f"The git repository here is {top}, not the course."
        except Refused as refused:
            reason = str(refused)
        if self.unpacked:
            return f"This folder came as a zip file and not as a git clone. {reason}"
        return f"git cannot read this clone, so it cannot be updated. Nothing was changed. {reason}"

    @property
    def unpacked(self) -> bool:
        """Whether the folder has no git repository of its own, as one that came out of a zip file."""
        return not os.path.lexists(self.root / ".git")

    def committed(self, path: str) -> str | None:
        """Return the text of a file as committed last, or None when there is no such file or no clone."""
        with contextlib.suppress(Refused):
            if not self.why_not:
                return self.git("show", f"HEAD:{path}")
        return None

    def listed(self, folder: str) -> list[str] | None:
        """Return the names of the committed files right in a folder, or None when this is no clone."""
        if self.why_not:
            return None
        return [Path(name).name for name in self._names("ls-tree", "--name-only", "HEAD", f"{folder}/")]

    def upstream(self) -> str:
        """Return the name of the branch that the course comes from, as in origin/main.

        Raises:
            Refused: there is none, or git, a merge or a rebase did not come to its end.
        """
        lock = self.root / self.git("rev-parse", "--git-path", "index.lock").strip()
        if lock.exists():  # asked before a backup is made for nothing
            raise Refused(_locked(lock))
        for begun, name in {"MERGE_HEAD": "merge", "rebase-merge": "rebase", "rebase-apply": "rebase"}.items():
            if os.path.exists(self.root / self.git("rev-parse", "--git-path", begun).strip()):
                raise Refused(
                    f"A git {name} was started here and never finished. Nothing was changed. Either finish it, or "
                    f"undo it: git {name} --abort. Then run this again."
                )
        try:
            return self.git("rev-parse", "--abbrev-ref", "--symbolic-full-name", "@{upstream}").strip()
        except Refused as refused:
            raise Refused(
                f"This clone does not follow a branch of the course ({refused}). `git switch main` goes back to one, "
                "or `git branch --set-upstream-to=origin/main` sets one. Nothing was changed."
            ) from None

    def fetch(self) -> int:
        """Ask for what is new and return the number of new commits.

        Raises:
            Refused: no network, no upstream branch, or the clone has commits of its own beside new ones.
        """
        upstream = self.upstream()
        try:
            self.git("fetch", "--quiet", timeout=_PATIENCE)
        except Refused as refused:
            raise Refused(
                "The course's repository could not be reached, so nothing was changed. Is there a network, and room on "
                f"the disk? {refused}"
            ) from None
        ahead, behind = map(int, self.git("rev-list", "--left-right", "--count", "HEAD...@{upstream}").split())
        if ahead and behind:
            shared = self.git("merge-base", "HEAD", "@{upstream}").strip()[:12]
            raise Refused(
                f"This clone has {_commits(ahead)} of its own, and {upstream} has {_commits(behind)} that this clone "
                "lacks, so the clone cannot move forward by itself. Nothing was changed.\n"
                f"If you develop the course: git rebase {upstream}\n"
                "If you are a learner, these lines keep your commits under a name and bring your answers along:\n"
                "    git branch my-commits\n"
                f"    git reset --soft {shared}\n"
                "    python3 start.py update"
            )
        return behind

    def changed_upstream(self) -> list[str]:
        """Return the files that differ between here and the new version."""
        return self._names("diff", "--name-only", "--no-renames", "HEAD", "@{upstream}")

    def changed_here(self) -> list[str]:
        """Return the committed files that were changed or deleted here since."""
        return self._names("diff", "--name-only", "--no-renames", "--diff-filter=MDT", "HEAD")

    def in_the_way(self, moved_away) -> list[str]:
        """Return the files here that the new version would write over, without those in `moved_away`."""
        edited = set(self._names("diff", "--name-only", "--no-renames", "HEAD"))
        committed = set(self._names("ls-tree", "-r", "--name-only", "HEAD"))
        changed = set(self.changed_upstream()) - set(moved_away)
        differ = [name for name in changed if name in edited or (name not in committed and self._exists(name))]
        return sorted(name for name in differ if not self.is_new_version(name))

    def known(self, names) -> list[str]:
        """Return those of the files that git knows here, committed or added."""
        found = self._names("ls-files", "--", *names) + self._names(
            "ls-tree", "-r", "--name-only", "HEAD", "--", *names
        )
        return sorted(set(found))

    def _exists(self, name):
        return os.path.lexists(self.root / name)

    def is_new_version(self, name) -> bool:
        """Tell whether a file is as in the new version already: git was killed while it moved forward."""
        with contextlib.suppress(Refused):
            return self.git("hash-object", "--", name) == self.git("rev-parse", f"@{{upstream}}:{name}")
        return False

    def restore(self, names) -> None:
        """Bring files back to what was committed last."""
        if names:
            self.git("checkout", "--quiet", "HEAD", "--", *names)

    def forward(self) -> list[str]:
        """Move to the new version, and return the files that changed.

        Raises:
            Refused: git could not, as on a full disk. What it had written by then is taken back.
        """
        changed = self.changed_upstream()
        self._take_back([name for name in changed if self._exists(name) and self.is_new_version(name)])
        try:
            self.git("merge", "--ff-only", "--quiet", "@{upstream}")
        except Refused as refused:
            if "would be overwritten" in str(refused) or "would lose" in str(refused):  # git looks before it writes
                raise Refused(f"Files here are in the way of the new version. Nothing was changed. {refused}") from None
            with contextlib.suppress(Refused, OSError):
                self._take_back(changed)
            raise Refused(f"The new lessons could not be put in place. {refused}") from None
        return changed

    def _take_back(self, names):
        """Bring files back to what was committed last; those that were not there then go."""
        committed = set(self._names("ls-tree", "-r", "--name-only", "HEAD"))
        for name in set(names) - committed:
            (self.root / name).unlink(missing_ok=True)
        self.restore(sorted(committed.intersection(names)))


def _locked(path):
    return (
        f"Another git works in this folder, or one was stopped in the middle of its work. If no other git runs, delete "
        f"{path}, then run this again."
    )


def _commits(number):
    return f"{number} commit" + ("" if number == 1 else "s")

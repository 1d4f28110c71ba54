"""Bring the new version of the course into a learner's copies, and keep what is theirs.

The clone is moved forward; work that was left in notebooks/ moves to the copies first. Then each copy is merged with
its lesson, cell by cell (see `merge`). Everything that changes is kept in a backup before. An update that was
interrupted anywhere can be run again: nothing is written in place, and the base of a copy is replaced after the copy.

Usage: python -m publish.learner.update [--no-fetch]  (--no-fetch: only merge; something else pulls)
"""

import argparse
import contextlib
import datetime
import os
import re
import shutil
import sys
from dataclasses import dataclass, field
from pathlib import Path

import filelock

from publish.learner import copies
from publish.learner.checkout import DEPENDENCIES, Refused
from publish.learner.copies import Folders, Unreadable
from publish.learner.merge import Merged, merge

UNPACKED = (
    "This folder came as a zip file, which does not say where to find new lessons, so nothing is fetched. Your copies "
    "are merged with the lessons in this folder's notebooks. For newer lessons, unpack a newer zip file next to this "
    "folder, move your folder my_notebooks there, and run this again there."
)
RELOAD = (
    "JupyterLab is open. In each open lesson, choose File → Reload Notebook from Disk. Reloading loses what you typed "
    "but have not saved. To keep that, save first and choose Overwrite, run this again, and then reload."
)


@dataclass
class Plan:
    """What is to be written: computed whole before the first file changes."""

    renames: dict[str, str] = field(default_factory=dict)  # of copies, with their bases
    notebooks: dict[str, object] = field(default_factory=dict)  # copies, by name
    bases: dict[str, object] = field(default_factory=dict)  # None: the base goes, the copy is the learner's alone

    def __bool__(self) -> bool:
        return bool(self.renames or self.notebooks or self.bases)


class Update:
    """One run; it prints each step as it comes to it."""

    def __init__(self, folders: Folders):
        self.folders = folders
        self.backup: Path | None = None  # of this run, or an earlier one that holds the same
        self.fresh = False  # whether it was made in this run
        self.unreadable: list[str] = []
        self.changing = False  # whether anything of the learner's was written or moved

    def run(self, fetch: bool = True) -> None:
        """Update everything.

        Raises:
            Refused: why nothing more was done.
            OSError: a file could not be written.
        """
        with _alone(self.folders):
            self._sweep()
            try:
                changed = self._move_forward() if fetch else []
                self._merge_all()
            except (OSError, Refused):  # on a full disk every byte counts
                with contextlib.suppress(OSError):
                    self._sweep()
                    if self.fresh and not self.changing:
                        shutil.rmtree(self.backup)
                raise
        if set(DEPENDENCIES).intersection(changed):
            print("The course needs other packages now, and the next start installs them.")
        if self.backup:
            print(f"What you had before is kept in {self._shown(self.backup)}")
            if _lab_is_open(self.folders.root):
                print(RELOAD)

    def _sweep(self):
        """Remove what an update that was interrupted left unfinished."""
        self.folders.bases.mkdir(parents=True, exist_ok=True)
        for folder in (self.folders.copies, self.folders.bases):
            for aside in folder.glob(".*.ipynb.new"):
                aside.unlink()
        for partial in self.folders.backups.glob(".*.partial"):
            shutil.rmtree(partial)

    # The clone

    def _move_forward(self):
        checkout = self.folders.checkout
        if checkout.unpacked:
            print(UNPACKED)
            return []
        if checkout.why_not:
            raise Refused(checkout.why_not)
        print(f"Asking {checkout.upstream()} for changes ...", flush=True)
        number = checkout.fetch()
        if not number:
            print("There is nothing new.")
            return []
        here = [name for name in checkout.changed_here() if name.startswith("notebooks/") and name.endswith(".ipynb")]
        here = [name for name in here if not checkout.is_new_version(name)]
        in_the_way = checkout.in_the_way(here)
        if in_the_way:
            raise Refused(_how_to_clear(in_the_way, checkout))
        if here:
            self._bring_home(here)
        changed = checkout.forward()
        print(f"New commits: {number}. The lessons in notebooks/ are the newest now.")
        return changed

    def _bring_home(self, names):
        """Move what the learner did in notebooks/ to their copies, and restore notebooks/ as committed."""
        folders, plan, moved = self.folders, Plan(), []
        for name in [Path(name).name for name in names]:
            if not (folders.published / name).exists():
                continue  # deleted: it comes back
            head = copies.published(folders, name)
            try:
                worked = copies.read(folders.published / name, head)
            except Unreadable as error:
                print(f"notebooks/{name} is not a readable notebook ({error}). It goes to the backup unchanged.")
                continue
            if not merge(head, head, worked):
                continue  # opened only: programs rewrite metadata and outputs
            home = self._joined(name, head, worked)
            if home:
                plan.notebooks[name], plan.bases[name] = copies.stamped(home.notebook, head), head
            moved.append(f"{name}: {_summary(home)}" if home else name)
        self._save_backup(names)
        self._apply(plan)
        if moved:
            print("What you did in the folder notebooks is in your own copies now:\n" + "\n".join(moved))
        folders.checkout.restore(names)

    def _joined(self, name, head, worked):
        """Return the learner's copy, brought to the committed version, with what they did in notebooks/."""
        try:
            copy = self._copy(name, head)
        except Unreadable:
            raise Refused(
                f"You worked in notebooks/{name}, but your copy my_notebooks/{name} is not a readable notebook, so the "
                "two cannot be joined. Rename that copy, then run this again. Nothing was changed."
            ) from None
        return merge(copy, head, worked, by_learner=True)

    def _copy(self, name, head):
        """Return the learner's copy brought to the committed version; a new one when there is none."""
        path = self.folders.copies / name
        if not path.exists():
            return copies.blank(head)
        mine = copies.read(path, head)
        return merge(mine, self._base(name, mine), head).notebook

    # The copies

    def _merge_all(self):
        folders = self.folders
        names = copies.published_names(folders)
        if not names:
            raise Refused("There are no lessons in the folder notebooks. Nothing was changed.")
        plan, told = Plan(), []
        for old, new in copies.renamed(folders, names).items():
            if (folders.copies / old).exists() and (folders.copies / new).exists():
                told.append(f"{old} is now called {new}, but you already have a file of that name, so both stay.")
            else:
                plan.renames[old] = new
        before = {new: old for old, new in plan.renames.items()}
        for name in names:
            told += self._plan_one(plan, name, before.get(name, name))
        told += [
            f"{new}: this lesson was called {old}, so your copy is renamed."
            for old, new in plan.renames.items()
            if (folders.copies / old).exists()
        ]
        for base in sorted(folders.bases.glob("*.ipynb")):
            if base.name not in names and base.name not in plan.renames:
                plan.bases[base.name] = None
                if (folders.copies / base.name).exists():
                    told.append(f"{base.name}: this lesson is no longer part of the course, but your copy stays.")
        if plan:
            self._save_backup()
            self._apply(plan)
        print("\n".join(told or ["Your copies are up to date."]))

    def _plan_one(self, plan, name, old):
        """Plan what one lesson needs, and return what to tell about it."""
        folders = self.folders
        try:
            new = copies.published(folders, name)
        except Unreadable as error:
            return [f"notebooks/{name} is not a readable notebook ({error}), so your copy stays as it is."]
        path = folders.copies / old
        if not path.exists() and old != name:
            path = folders.copies / name  # interrupted while it was renamed
        if not path.exists():
            plan.notebooks[name], plan.bases[name] = copies.stamped(copies.blank(new), new), new
            return [f"{name}: a new copy"]
        try:
            mine = copies.read(path, self._base_file(folders.bases / old))
        except Unreadable as error:
            return self._unreadable(plan, name, old, error)
        base = self._base(old, mine)
        if copies.stamp(mine) == copies.version(new):
            stored = self._base_file(folders.bases / name)
            if stored is None or copies.version(stored) != copies.version(new):
                plan.bases[name] = new
            return []
        if copies.stamp(mine) is None and not {cell.id for cell in mine.cells} & {cell.id for cell in new.cells}:
            return [f"{name}: your file of this name is not a copy of the lesson, so it stays as it is."]
        merged = merge(mine, base, new)
        plan.notebooks[name], plan.bases[name] = copies.stamped(merged.notebook, new), new
        return [f"{name}: {_summary(merged)}"] if merged else []

    def _unreadable(self, plan, name, old, error):
        plan.renames.pop(old, None)
        self.unreadable.append(old)
        return [copies.damaged(self.folders, old, error)]

    def _base(self, name, mine):
        """Return the published version that a copy last took in; None when it is not known.

        A copy that the learner took back from a backup is older than its base: its own base lies in that backup.
        """
        wanted = copies.stamp(mine)
        for path in [self.folders.bases / name, *sorted(self.folders.backups.glob(f"*/base/{name}"), reverse=True)]:
            base = self._base_file(path)
            if base is not None and wanted in (None, copies.version(base)):
                return base
        return None

    @staticmethod
    def _base_file(path):
        with contextlib.suppress(Unreadable, OSError):
            return copies.read(path)
        return None

    # Writing

    def _save_backup(self, names=()):
        """Keep the copies, their bases, the progress and the named files of notebooks/, if any; once in a run."""
        folders = self.folders
        if self.backup or not (names or any(folders.copies.glob("*.ipynb"))):
            return
        stem = datetime.datetime.now().strftime("%Y-%m-%d-%H%M")
        backup, number = folders.backups / stem, 1
        while backup.exists():
            number += 1
            backup = folders.backups / f"{stem}-{number}"
        partial = folders.backups / f".{stem}.partial"
        for folder, files in {
            partial: filter(Path.is_file, folders.copies.glob("*.ipynb")),
            partial / "base": filter(Path.is_file, folders.bases.glob("*.ipynb")),
            partial / ".course": filter(Path.is_file, folders.course.glob("progress.json")),
            partial / "notebooks": [path for path in map(folders.root.joinpath, names) if path.exists()],
        }.items():
            folder.mkdir(parents=True)
            for file in files:
                shutil.copy2(file, folder)
        earlier = max(folders.backups.glob("[!.]*"), key=os.path.getmtime, default=None)
        if earlier and _held(earlier) == _held(partial):
            shutil.rmtree(partial)
            self.backup = earlier
            return
        os.rename(partial, backup)
        self.backup, self.fresh = backup, True

    def _apply(self, plan):
        """Write everything: first beside the old files, then in their place, the bases last."""
        folders = self.folders
        before = {new: old for old, new in plan.renames.items() if (folders.copies / old).exists()}
        asides = {
            name: copies.write_aside(folders.copies / before.get(name, name), notebook)
            for name, notebook in plan.notebooks.items()
        }
        self.changing = True
        for old, new in plan.renames.items():
            if (folders.copies / old).exists():
                os.rename(folders.copies / old, folders.copies / new)
            os.rename(folders.bases / old, folders.bases / new)
        for name in plan.notebooks:
            copies.put_in_place(folders.copies / name, asides[name])
        for name, base in plan.bases.items():
            if base is None:
                (folders.bases / name).unlink()
            else:
                copies.write(folders.bases / name, base)

    def _shown(self, path):
        return path.relative_to(self.folders.root).as_posix()


def _held(folder):
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@contextlib.contextmanager
def _alone(folders):
    folders.course.mkdir(parents=True, exist_ok=True)
    lock = filelock.FileLock(folders.course / "update.lock", timeout=0)
    try:
        lock.acquire()
    except filelock.Timeout:
        raise Refused("Another update of this folder is running. Nothing was changed.") from None
    except NotImplementedError:  # a disk without file locks
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _how_to_clear(names, checkout):
    """Say which files here are in the way of the new version, and what to do with each kind."""
    known = set(checkout.known(names))
    sentences = ["The new version would overwrite files that were changed or made here. Nothing was changed."]
    if known:
        sentences.append("Files you changed: copy what you need to another place, then undo your changes:")
        sentences += [f"    git restore --staged --worktree {_quoted(name)}" for name in names if name in known]
    if known != set(names):
        sentences.append("Files you made: move them to another place:")
        sentences += [f"    {name}" for name in names if name not in known]
    return "\n".join([*sentences, "Then run this again."])


def _quoted(name):
    """Return a file name as a shell takes it, that of Windows too."""
    return name if re.fullmatch(r"[\w./-]+", name) else f'"{name}"'


def _summary(merged: Merged) -> str:
    parts = [
        f"{len(ids)} {'cell' if len(ids) == 1 else 'cells'} {what}"
        for what, ids in [("renewed", merged.renewed), ("added", merged.added), ("removed", merged.removed)]
        if ids
    ]
    if merged.moved:
        parts.append("the order changed")
    if merged.doubled:
        parts.append(f"yours kept, the other version below it: {', '.join(merged.doubled)}")
    return "; ".join(parts)


def _lab_is_open(root):
    """Tell whether a Jupyter server of this user shows the folder."""
    try:
        from jupyter_server.serverapp import list_running_servers

        return any(Path(server["root_dir"]).resolve() == Path(root).resolve() for server in list_running_servers())
    except Exception:  # only a hint hangs on it
        return False


def main(arguments=None, folders: Folders | None = None) -> int:
    """Update the copies; return 0, or 1 when that was not possible.

    A damaged copy is told, and everything else was done. Whoever starts this with --no-fetch asks the exit code whether
    to try again; then it counts.
    """
    parser = argparse.ArgumentParser(description="Bring new lessons into my_notebooks and keep your work.")
    parser.add_argument("--no-fetch", action="store_true", help="merge with what is in notebooks, without a network")
    fetch = not parser.parse_args(arguments).no_fetch
    run = Update(folders or Folders())
    try:
        run.run(fetch)
    except Refused as refused:
        print(refused, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"A file could not be read or written: {error}. Fix that, then run this again.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. Nothing is lost; run this again when you like.", file=sys.stderr)
        return 130
    return 1 if run.unreadable and not fetch else 0


if __name__ == "__main__":
    sys.exit(main())

"""The costly groups of tests: when a submission must run one, and how `.ci/long` notes that one has passed.

    python -m tests.groups            run the groups of which something has changed since they last passed
    python -m tests.groups --all      run all of them, and write into .ci/passed.json which have passed
    python -m tests.groups walks      the same of those that are named

For each group .ci/passed.json holds one digest over everything that the group depends on: its tests, the modules that
they import, the files that these modules name, the pages whose commands are typed, and what sets up every run. It is
written only if all of the group passed, nothing was skipped, and no file was read that the digest does not cover.
"""

import argparse
import ast
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
PASSED = ".ci/passed.json"
EVERY_RUN = ("conftest.py", "pyproject.toml", "requirements.txt", "constraints.txt", "start.py", "Makefile", ".ci")
TRACER = Path(__file__).resolve().parent / "traced"  # its sitecustomize.py notes the files that Python opens


@dataclass(frozen=True)
class Group:
    """Tests that cost much.

    command: what runs them. begins: the files and folders from which everything else they need is found; a Makefile
    among them stands for every command that somebody can type, and "." for the whole course. sampled: whether
    `make test` asks a fixed part of them, which is enough for a submission.
    """

    command: str
    begins: tuple[str, ...]
    sampled: bool = False


_PYTEST = ".venv/bin/python -m pytest"
GROUPS = {
    "golden": Group("make golden ARGS=--compare", ("tests/golden",)),
    "two-edits": Group(f"{_PYTEST} -m thorough tests/golden", ("tests/golden",), sampled=True),
    "page": Group("make golden ARGS=--page", ("tests/golden", "course_lib/in_page.py"), sampled=True),
    "processes": Group(
        f"{_PYTEST} --maxprocesses=2 tests/classroom/processes tests/publish/processes tests/whywrong/processes",
        (".",),  # the edition for students is packed from all of it
    ),
    "site": Group(f"{_PYTEST} --maxprocesses=2 --dist=load -m thorough tests/site", ("tests/site",)),
    "walks": Group(
        "make test-walks",
        ("tests/walks", "Makefile", "start.py", "README.md", "classroom/README.md", "classroom/student.md"),
    ),
    # alone: it starts servers and measures them
    "server": Group(
        f"{_PYTEST} --numprocesses=0 --dist=no tests/classroom/server",
        ("tests/classroom/server", "publish/lab.py", ".gitignore"),
    ),
}


class Tree:
    """The files of a checkout that git tracks, and what they name of each other."""

    def __init__(self, root: Path):
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=True).stdout.decode()
        self.root = root
        self.files = sorted(name for name in listed.split("\0") if (root / name).is_file())
        self._folders = {str(parent) for name in self.files for parent in PurePosixPath(name).parents} - {"."}

    def needed(self, begins: Iterable[str]) -> list[str]:
        """Return every file that is reached from files and folders, and what sets up every run."""
        waiting = [name for place in (*begins, "conftest.py") for name in self._below(place)]
        found = {name for place in EVERY_RUN for name in self._below(place)}
        while waiting:
            name = waiting.pop()
            if name not in found or name in (*begins, "conftest.py"):
                found.add(name)
                waiting += [other for other in self._named_by(name) if other not in found]
        return sorted(found - {PASSED})

    def digest(self, begins: Iterable[str]) -> str:
        """Return one digest over the names and the bytes of all that is needed."""
        whole = hashlib.sha256()
        for name in self.needed(begins):
            whole.update(f"{name}\0{hashlib.sha256((self.root / name).read_bytes()).hexdigest()}\n".encode())
        return whole.hexdigest()

    def _below(self, place: str) -> list[str]:
        return [name for name in self.files if place in (".", name) or name.startswith(f"{place}/")]

    def _named_by(self, name: str) -> Iterator[str]:
        """Yield the files that a file needs: what pytest loads beside it, what it imports, and what its texts name."""
        folder = PurePosixPath(name).parent
        if f"{folder}/__init__.py" in self.files:  # the data of its package
            below = (other for other in self._below(str(folder)) if not other.endswith(".py"))
            yield from (other for other in below if self._package(other) == folder)
        for parent in (folder, *folder.parents):
            yield from (other for other in (f"{parent}/__init__.py", f"{parent}/conftest.py") if other in self.files)
        if name.endswith(".py"):
            for text in _strings_and_imports((self.root / name).read_text(encoding="utf-8")):
                yield from self._named_in(text, folder)
        elif name == "Makefile":
            yield from self._named_in((self.root / name).read_text(encoding="utf-8"), folder)

    def _package(self, name: str) -> PurePosixPath | None:
        """Return the package in which a file lies, however deep."""
        return next((one for one in PurePosixPath(name).parents if f"{one}/__init__.py" in self.files), None)

    def _named_in(self, text: str, folder: PurePosixPath) -> Iterator[str]:
        """Yield the tracked files that a text names, by path or as a module; a folder only where it is all of it."""
        whole = text.strip("./ ").replace(
            ".", "/" if text.endswith(".") else "."
        )  # f"lessons.{name}" begins "lessons."
        if whole in self._folders and whole != "tests":  # a word of many sentences, and no module opens all tests
            yield from self._below(whole)
        for word in re.findall(r"[\w./-]+", text):
            path = word.strip("./")
            for place in (path, f"{folder}/{path}", *_modules(path)):
                if place in self._folders and "/" in place:
                    yield from self._below(place)
                elif place in self.files:
                    yield place


def _modules(word: str) -> list[str]:
    """Return where a dotted name would lie as a module, or as one that holds the last part of it.

    >>> _modules("lessons.cells.role")
    ['lessons/cells/role.py', 'lessons/cells/role/__init__.py', 'lessons/cells.py', 'lessons/cells/__init__.py']
    """
    parts = word.split(".")
    places = ["/".join(parts[:length]) for length in (len(parts), len(parts) - 1) if length > 0]
    return [f"{place}{end}" for place in places for end in (".py", "/__init__.py")]


def _strings_and_imports(source: str) -> Iterator[str]:
    """Yield every string of a module that is no docstring, and every module or name that it imports, dotted."""
    tree = ast.parse(source)
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.value
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def due(tree: Tree) -> list[str]:
    """Return the groups that a submission must run: not sampled, and changed since they last passed."""
    noted, asked = passed(tree.root), {name: group for name, group in GROUPS.items() if not group.sampled}
    return [name for name, group in asked.items() if noted.get(name) != tree.digest(group.begins)]


def passed(root: Path) -> dict[str, str]:
    """Return the digests of .ci/passed.json, group -> digest."""
    path = root / PASSED
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}


def run(name: str, tree: Tree) -> str:
    """Run a group and pass on what it prints; return why it may not be noted as passed, or an empty string."""
    group = GROUPS[name]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "read"
        log.touch(0o666)
        Path(folder).chmod(0o755)  # some tests run code as other users
        environment = os.environ | {"COURSE_READ_LOG": str(log), "PYTHONPATH": str(TRACER)}
        skipped = False
        with subprocess.Popen(
            group.command.split(), cwd=tree.root, env=environment, stdout=subprocess.PIPE, text=True
        ) as process:
            for line in process.stdout:
                print(line, end="", flush=True)
                skipped = skipped or re.search(r"\b[1-9]\d* skipped\b", line) is not None
        read = _read(log.read_text(encoding="utf-8"), tree)
    if process.returncode:
        return "it failed"
    unknown = sorted(read - set(tree.needed(group.begins)))
    return "something was skipped" if skipped else f"it read {', '.join(unknown)}" if unknown else ""


def _read(log: str, tree: Tree) -> set[str]:
    """Return the tracked files that a log of opened files names; bytecode stands for its module."""
    found = set()
    for line in log.splitlines():
        path = re.sub(r"__pycache__/([^/]+)\.[\w-]+(?:\.opt-\d)?\.pyc$", r"\1.py", line)
        if path.startswith(f"{tree.root}/"):
            found.add(path.removeprefix(f"{tree.root}/"))
    return found & set(tree.files)


def main(arguments: list[str]) -> int:
    """Run the groups that are due, those that are named, or all; return 1 where one fails."""
    parser = argparse.ArgumentParser(prog="python -m tests.groups", description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="*", help=f"groups to run and to note: {', '.join(GROUPS)}")
    parser.add_argument("--all", action="store_true", help="run every group, and note which have passed")
    options = parser.parse_args(arguments)
    if unknown := set(options.names) - set(GROUPS):
        parser.error(f"There is no group {', '.join(sorted(unknown))}.")
    tree = Tree(ROOT)
    noting = options.all or bool(options.names)
    names = options.names or ([*GROUPS] if options.all else due(tree))
    print(f"Costly groups to run: {', '.join(names) or 'none'}.", flush=True)
    noted, why, seconds = passed(ROOT), {}, {}
    for name in names:
        began = time.monotonic()
        why[name] = run(name, tree)
        seconds[name] = time.monotonic() - began
        if noting and not why[name]:
            noted[name] = tree.digest(GROUPS[name].begins)
            text = json.dumps(noted, indent=0, sort_keys=True) + "\n"  # a line each: merges meet line by line
            (ROOT / PASSED).write_text(text, encoding="utf-8")
    for name in names:
        print(f"{name}: {seconds[name]:.0f} s{f', not noted as passed: {why[name]}' if why[name] else ''}", flush=True)
    return 1 if any(reason == "it failed" or (noting and reason) for reason in why.values()) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

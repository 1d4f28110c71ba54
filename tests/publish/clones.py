"""The course's repository and a learner's clone of it, small and on this disk: what updates are tried on."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from publish.learner import copies, update

IDENTITY = ["-c", "user.name=Somebody", "-c", "user.email=somebody@example.org"]
IGNORED = "my_notebooks/\nprogress.json*\n"


def text(id, source="Some words."):
    """Return a Markdown cell."""
    return new_markdown_cell(source, id=id)


def code(id, source, printed=None):
    """Return a code cell, run and with an output if `printed` is given."""
    outputs = [new_output("stream", name="stdout", text=printed)] if printed is not None else []
    return new_code_cell(source, id=id, outputs=outputs, execution_count=1 if outputs else None)


def lesson():
    """Return the cells of a lesson as published: with outputs."""
    return [
        text("title", "# A lesson"),
        code("setup", "import math", ""),
        text("ask-1", "What is 6 · 7?"),
        code("predict-1", "guess = TODO"),
        code("run-1", "print(6 * 7)", "42\n"),
        text("recap", "You saw a product."),
    ]


def git(folder, *arguments) -> str:
    """Run git in a folder and return what it prints."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    environment.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")
    command = ["git", "-C", str(folder), *IDENTITY, *arguments]
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout


def write(path, cells):
    """Write a notebook, by way of nothing that is tested here."""
    path.parent.mkdir(parents=True, exist_ok=True)
    nbformat.write(new_notebook(cells=cells), path)


def edit(path, **sources):
    """Change the sources of cells in a notebook, and save it as Jupyter does: with metadata of its own."""
    notebook = nbformat.read(path, as_version=4)
    cells = {cell.id.replace("-", "_"): cell for cell in notebook.cells}
    for id, source in sources.items():
        cells[id].source = source
    notebook.metadata["language_info"] = {"name": "python", "version": "3.11.7"}
    nbformat.write(notebook, path)


def rearrange(path, change):
    """Replace the list of cells of a notebook by what `change` returns for it."""
    notebook = nbformat.read(path, as_version=4)
    notebook.cells = change(list(notebook.cells))
    nbformat.write(notebook, path)


def run_cell(path, id, printed):
    """Put an output into a cell, as running it does."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.id == id:
            cell.outputs, cell.execution_count = [new_output("stream", name="stdout", text=printed)], 7
    nbformat.write(notebook, path)


def ids(path) -> list[str]:
    """Return the ids of the cells of a notebook."""
    return [cell.id for cell in nbformat.read(path, as_version=4).cells]


def sources(path) -> dict[str, str]:
    """Return the sources of the cells of a notebook by id."""
    return {cell.id: cell.source for cell in nbformat.read(path, as_version=4).cells}


def printed(path) -> dict[str, str]:
    """Return what stands in the outputs of the cells of a notebook by id."""
    cells = nbformat.read(path, as_version=4).cells
    return {cell.id: cell.outputs[0].text for cell in cells if cell.get("outputs")}


def everything(folder) -> dict[str, bytes]:
    """Return the content of every file in a folder but locks and backups."""
    found = {path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if "backups/" not in name and ".lock" not in name}


def equip(root) -> None:
    """Give a course an environment without an installation: the Python of the tests, where start.py looks for it."""
    python = root / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True, exist_ok=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    note = "import start; one = start.Environment(start.ROOT / '.venv'); one._stamp('course').write_text(one._state())"
    subprocess.run([sys.executable, "-c", note], cwd=root, check=True)


class Clones:
    """The course's own repository, `upstream`, and a learner's clone of it, `root`, with their copies."""

    def __init__(self, folder: Path, names=("01_first.ipynb", "02_second.ipynb")):
        self.upstream, self.root = folder / "upstream", folder / "clone"
        self.upstream.mkdir()
        git(self.upstream, "init", "--quiet", "--initial-branch=main")
        (self.upstream / ".gitignore").write_text(IGNORED)
        (self.upstream / "requirements.txt").write_text("torch\n")
        for name in names:
            write(self.upstream / "notebooks" / name, lesson())
        self.publish()
        git(folder, "clone", "--quiet", str(self.upstream), str(self.root))
        self.folders = copies.Folders(self.root)
        copies.make(self.folders)

    def publish(self):
        """Commit everything upstream."""
        git(self.upstream, "add", "--all")
        git(self.upstream, "commit", "--quiet", "--message=more")

    def theirs(self, name="01_first.ipynb") -> Path:
        """Return where the course's own notebook lies, upstream."""
        return self.upstream / "notebooks" / name

    def mine(self, name="01_first.ipynb") -> Path:
        """Return where the learner's copy lies."""
        return self.folders.copies / name

    def left(self, name="01_first.ipynb") -> Path:
        """Return where the published notebook lies in the learner's clone."""
        return self.folders.published / name

    def update(self, *arguments) -> int:
        """Run the update in the learner's clone."""
        return update.main(arguments, copies.Folders(self.root))

    def backups(self) -> list[Path]:
        """Return the backups, the oldest first."""
        return sorted(self.folders.backups.iterdir()) if self.folders.backups.exists() else []

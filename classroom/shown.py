"""What a teacher's page says of the cells that its plan names: where each stands, how it begins, and what it prints."""

import re

from lessons import cells
from lessons.cells import Role

WORDS, SIGNS = 8, 60  # of a text, and of a line of code, that tell which cell is meant
ABOUT = (
    "Neither JupyterLab nor the printed lesson shows the names of cells. Find a cell by the heading above it and by "
    "how it begins; a folded cell shows its beginning when you open it."
)
PRINTED = (
    "From the stored outputs of the notebook, for a room without a computer. For a picture, only the line "
    "below it is given."
)


def places(named: set[str], notebook) -> str:
    """Return a table of the named cells, in the notebook's order: name, the heading above, the first words."""
    rows = ["| cell | heading | begins |", "| --- | --- | --- |"]
    for cell, heading, begins in found(named, notebook):
        rows.append(f"| `{cell.id}` | {heading} | {begins} |")
    return "\n".join(rows)


def found(named: set[str], notebook) -> list[tuple]:
    """Return (cell, the heading above it, how it begins) for each named cell, in the notebook's order."""
    rows, heading = [], ""
    for cell in notebook.cells:
        first = cell.source.strip().split("\n")[0]
        if cell.cell_type == "markdown" and first.startswith("#"):
            heading = _plain(first.lstrip("# "))
        if cell.id in named:
            rows.append((cell, heading, _begins(cell)))
    return rows


def _begins(cell):
    if cell.cell_type == "markdown":
        lines = [line for line in cell.source.strip().split("\n") if line.strip()]
        text = next((line for line in lines if not line.startswith("#")), lines[0])
        words = _plain(text).split()
        return " ".join(words[:WORDS]) + " …" * (len(words) > WORDS)
    first = cell.source.strip().split("\n")[0]
    shown = first[:SIGNS].rstrip() + "…" * (len(first) > SIGNS)
    return "code, folded: " * cells.hidden(cell) + f"`{shown}`".replace("|", "\\|")


def _plain(text):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text).replace("*", "").replace("|", "").replace("  ", " ").strip()


def printed(named: set[str], notebook) -> str:
    """Return what the named cells that compute print, as stored, each below its name."""
    blocks = []
    for cell in notebook.cells:
        if cell.id in named and cell.cell_type == "code" and cells.role(cell) == Role.CODE and cell.id != "setup":
            text = "\n".join(filter(None, map(_text, cell.outputs)))
            blocks += [f"`{cell.id}`\n\n```text\n{text}\n```"] * bool(text)
    return "\n\n".join(blocks)


def _text(output):
    data = output.get("data", {})
    return "" if "image/png" in data else (output.get("text") or data.get("text/plain", "")).strip("\n")

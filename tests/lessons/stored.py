"""What the notebooks show, as stored in them, and what their cells define."""

import nbformat

from tests.conftest import NOTEBOOKS


def plain_outputs(notebook: str) -> dict[str, str]:
    """Return cell id -> all that the cell shows, in plain text."""
    cells = nbformat.read(NOTEBOOKS / f"{notebook}.ipynb", as_version=4).cells
    return {cell.id: "\n".join(map(_plain, cell.outputs)) for cell in cells if cell.cell_type == "code"}


def run_cells(notebook: str, *ids: str) -> dict:
    """Run some cells of a notebook, one after the other, and return all the names they leave."""
    cells = {cell.id: cell.source for cell in nbformat.read(NOTEBOOKS / f"{notebook}.ipynb", as_version=4).cells}
    names = {}
    for id in ids:
        exec(cells[id], names)
    return names


def _plain(output):
    return output.text if output.output_type == "stream" else output.data["text/plain"]

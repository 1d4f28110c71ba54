"""Run the cells of a notebook in this process and take the figures themselves, not pictures of them."""

import contextlib
import io
import os
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

import nbformat

from courseware.page import medium
from lessons import cells
from publish.site import svg
from publish.site.narrow_code import Folded, folded
from publish.site.states import Recording, record


@dataclass(frozen=True)
class Still:
    """A figure that stands still: the inside of its SVG, its viewBox, its caption, and strips for a narrow screen.

    component: its name, data and state, where the figure is what a component shows on paper.
    """

    drawing: str
    view_box: str
    caption: str
    folded: Folded | None = None
    component: dict | None = None


def prefix(count: int) -> str:
    """Return how the ids in a drawing begin, when so many stand before it on its page; recordings repeat it often."""
    return f"f{count}-"


@dataclass
class Capture:
    """A medium that keeps what it is shown, cell by cell."""

    shown: dict[str, list[Still | Recording]] = field(default_factory=dict)
    cell: str = ""

    def _keep(self, make):
        count = sum(map(len, self.shown.values()))
        self.shown.setdefault(self.cell, []).append(make(prefix(count)))

    def figure(self, figure, caption, component=None):
        """Keep the drawing of a figure."""
        figure.set_dpi(svg.UNITS)
        svg.make_readable(figure)
        box, strips = svg.view_box(figure), folded(figure)
        self._keep(lambda prefix: Still(svg.whole(figure, prefix), box, caption, strips, component))

    def component(self, component):
        """Keep a component with the drawing of its still."""
        self.figure(*component.still, {"name": component.name, "data": component.data, "state": component.state})

    def explorer(self, explorer):
        """Keep every state of a figure with controls."""
        self._keep(lambda prefix: record(explorer, prefix))

    def quiz(self, questions, answered, record, scored=True):
        """Show nothing: the page makes its quiz from the data."""

    def help(self, hints, half, solution, count):
        """Show nothing: the page has its own."""


class CellError(Exception):
    """Say which cell of which notebook could not be run."""


def run(path: Path) -> dict[str, list[Still | Recording]]:
    """Run the code cells of a notebook; return the figures of each cell by its id.

    Raises:
        CellError: a cell raised.
    """
    heard = Capture()
    listen(path, heard)
    return heard.shown


def listen(path: Path, heard: Capture) -> None:
    """Run the code cells of a notebook on a medium, which is told each cell's id first.

    Raises:
        CellError: a cell raised.
    """
    notebook = nbformat.read(path, as_version=4)
    names = {"__name__": "__main__"}
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        private = {"COURSE_PROGRESS": str(Path(folder) / "progress.json")}
        stack.enter_context(mock.patch.dict(os.environ, private))
        stack.enter_context(medium.shown_on(heard))
        stack.enter_context(contextlib.redirect_stdout(io.StringIO()))
        stack.enter_context(contextlib.chdir(path.parent))
        for cell in notebook.cells:
            if cell.cell_type != "code":
                continue
            heard.cell = cell.id
            source = _from_record(cell.source) if cells.on_model(cell) else cell.source
            try:
                exec(compile(source, f"<{path.stem}, cell {cell.id}>", "exec"), names)
            except Exception as error:
                raise CellError(f"{path.name}, cell {cell.id!r}: {type(error).__name__}: {error}") from error


def _from_record(source):
    """Return code that draws the figures of a cell on the real model from the record of its results, and no other."""
    lines = [f"show(*figures.{name}(**record()[{name!r}]))" for name in cells.drawn(source)]
    return "\n".join(["from lessons.real_model.record import record", *lines])

"""From a moved control to the new picture, in the kernel: every slider of the course, beside a full redraw."""

import contextlib
import io
import itertools

import nbformat
import torch

from course_lib.page import png
from course_lib.page.medium import StoredOutput, shown_on
from lessons import catalogue
from tests.benchmarks.timing import OF_TIMES, Table, least, report
from tests.conftest import NOTEBOOKS


class Keeping(StoredOutput):
    """A medium that shows no figure and keeps every explorer."""

    def __init__(self):
        self.explorers = []

    def figure(self, figure, caption):
        """Draw nothing, which saves most of the time."""

    def component(self, component):
        """Draw nothing."""

    def explorer(self, explorer):
        self.explorers.append(explorer)


def explorers(lesson):
    """Run a lesson in this process and return the explorers that its cells make."""
    names, dtype = {"__name__": "__main__"}, torch.get_default_dtype()
    with shown_on(Keeping()) as kept, contextlib.chdir(NOTEBOOKS), contextlib.redirect_stdout(io.StringIO()):
        for cell in nbformat.read(NOTEBOOKS / lesson.notebook, as_version=4).cells:
            if cell.cell_type == "code":
                exec(cell.source, names)
    torch.set_default_dtype(dtype)
    return kept.explorers


def neighbours(control):
    """Return the start of a control and a value beside it, to go back and forth between."""
    values = control.values()
    start = values.index(control.first)
    return control.first, values[start + 1 if start + 1 < len(values) else start - 1]


def test_sliders():
    columns = ("full redraw", "times slower", "blitted")
    table = Table("One move of a control, kernel side (CPU ms)", *columns, allowance=OF_TIMES)
    for lesson in catalogue.lessons():
        for explorer in explorers(lesson):
            name, control = next(iter(explorer.controls.items()))
            values, again = itertools.cycle(neighbours(control)), itertools.cycle(neighbours(control))
            explorer.png()
            figure = explorer.interactive.figure

            def blitted(explorer=explorer, name=name, values=values):
                explorer.set(**{name: next(values)})
                explorer.png()

            def redrawn(explorer=explorer, name=name, values=again, figure=figure):
                explorer.set(**{name: next(values)})
                for artist in explorer.interactive.artists:
                    artist.set_animated(False)
                figure.savefig(io.BytesIO(), format="png", dpi=png.PIXELS_PER_INCH * png.SHARP)
                for artist in explorer.interactive.artists:
                    artist.set_animated(True)

            fast, slow = (1000 * seconds for seconds in least([blitted, redrawn], rounds=12, seconds=1))
            much = any(axes.images for axes in figure.axes) or len(explorer.interactive.artists) > 12
            table.add(f"{lesson.heading}: {name}", slow, slow / fast, fast, goal=25 if much else 10)
    report(table)

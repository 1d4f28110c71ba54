"""From a moved control to the new picture, in the kernel: every slider of the course, beside a full redraw."""

import contextlib
import io
import itertools
import json
import os
from pathlib import Path

import ipywidgets
from timing import Table, least

from course_lib import widgets

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))


def explorers(path, monkeypatch):
    """Run a lesson in this process and return the explorers that its cells make."""
    found = []
    monkeypatch.setattr(
        widgets, "explore", lambda figure, **controls: found.append(widgets.Explorer(figure, **controls))
    )
    monkeypatch.chdir(path.parent)
    names = {"__name__": "__main__"}
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with contextlib.redirect_stdout(io.StringIO()):
                exec("".join(cell["source"]), names)
    return found


def positions(control):
    """Return two values of a control to go back and forth between."""
    if isinstance(control, widgets.Choice):
        return control.options[:2]
    cast = int if control.whole else float
    return cast(control.start), cast(control.start + (control.step if control.start < control.high else -control.step))


def test_sliders(monkeypatch):
    table = Table("One move of a control, kernel side (CPU ms)", "full redraw", "times slower", "blitted")
    monkeypatch.setitem(os.environ, "COURSE_STATIC", "1")
    for path in NOTEBOOKS:
        for explorer in explorers(path, monkeypatch):
            name, control = next(iter(explorer.controls.items()))
            values, again = itertools.cycle(positions(control)), itertools.cycle(positions(control))
            explorer.widget()
            figure = explorer.interactive.figure

            def blitted(explorer=explorer, name=name, values=values):
                explorer.set(**{name: next(values)})
                explorer.png()

            def redrawn(explorer=explorer, name=name, values=again, figure=figure):
                explorer.set(**{name: next(values)})
                for artist in explorer.interactive.moving:
                    artist.set_animated(False)
                figure.savefig(io.BytesIO(), format="png", dpi=widgets.PIXELS_PER_INCH)
                for artist in explorer.interactive.moving:
                    artist.set_animated(True)

            fast, slow = (1000 * seconds for seconds in least([blitted, redrawn], rounds=12, seconds=1))
            heatmap = any(axes.images for axes in figure.axes)
            table.add(f"{path.stem}: {name}", slow, slow / fast, fast, goal=25 if heatmap else 10)
    table.show()
    ipywidgets.Widget.close_all()

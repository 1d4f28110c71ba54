"""Record a figure with its controls: for every state what its moving artists look like, and the caption.

One background, and one layer for each artist that moves. A layer keeps its *different* drawings, and for each state of
the controls that it depends on which of them is shown. So a grid of three controls costs what each artist needs.
"""

import base64
import itertools
import json
import re
import zlib
from dataclasses import dataclass

import numpy as np

from courseware.page.caption import parts
from courseware.page.interactive import Choice, Explorer
from publish.site import svg
from publish.site.narrow_code import Folded, folded

MOST_STATES = 5_000
LARGEST = 300_000  # characters of a recording that is handed over as it is
MOST_PAGES = 1_600  # of a figure that shows a page of text: each of its states is a large drawing
SIZE = (svg.WIDEST, 3.0)  # inches
_NUMBER = re.compile(r"-?\d*\.?\d+")


class RecordingError(Exception):
    """Say what about a figure cannot be recorded."""


@dataclass(frozen=True)
class Recording:
    """What a page needs to move a figure.

    ground: SVG of what never moves. layers: SVG of each layer in the state at the start.
    view_box: of that SVG. caption: at the start.
    data: what goes into the script of the recording, as plain JSON values.
    thinned: what was said about controls that take fewer values than in the notebook.
    folded: strips for a narrow screen, of a page of code.
    """

    ground: str
    layers: tuple[str, ...]
    view_box: str
    caption: str
    data: dict
    thinned: tuple[str, ...]
    folded: Folded | None = None

    @property
    def start(self) -> str:
        """SVG of the state at the start: the ground, then one group for each layer."""
        return self.ground + "".join(f"<g>{layer}</g>" for layer in self.layers)


def kept_values(controls: dict, most: int = MOST_STATES) -> dict[str, tuple]:
    """Return the values of each control that are recorded: of numbers every second one, until there are few enough.

    Choices are never thinned, and the value at the start is always among the others.
    """
    values = {name: control.values() for name, control in controls.items()}
    while np.prod([len(one) for one in values.values()]) > most:
        numeric = [name for name, control in controls.items() if not isinstance(control, Choice)]
        name = max(numeric, key=lambda name: len(values[name]), default=None)
        if name is None or len(values[name]) < 4:
            raise RecordingError(f"The choices alone make more than {most:,} states.")
        first = values[name].index(controls[name].first)
        values[name] = tuple(value for place, value in enumerate(values[name]) if (place - first) % 2 == 0)
    return values


def recorded_values(explorer: Explorer) -> dict[str, tuple]:
    """Return the values of each control of an explorer that are recorded."""
    return kept_values(explorer.controls, MOST_PAGES if svg.of_code(explorer.interactive.figure) else MOST_STATES)


def prepare(explorer: Explorer) -> None:
    """Give the figure of an explorer its size and its layout on the page, in the state of the start."""
    figure = explorer.interactive.figure
    if not svg.of_code(figure):
        figure.set_size_inches(SIZE)
    figure.set_dpi(svg.UNITS)
    explorer.set(**{name: control.first for name, control in explorer.controls.items()})
    svg.make_readable(figure)
    svg.settle(figure)


def record(explorer: Explorer, prefix: str) -> Recording:
    """Record every state of an explorer.

    Args:
        prefix: of the ids inside the drawing.

    Raises:
        RecordingError: there are too many choices, or an update gives an artist other properties now and then.
    """
    interactive, controls = explorer.interactive, explorer.controls
    figure = interactive.figure
    prepare(explorer)
    values = recorded_values(explorer)
    shape = tuple(len(one) for one in values.values())
    background = svg.whole(figure, prefix, without=interactive.artists)
    layers = [_Layer(artist) for artist in interactive.artists]
    captions = _Distinct()
    for state in itertools.product(*values.values()):
        data, caption = interactive.update(**dict(zip(values, state, strict=True)))
        captions.add(_LINE.join(parts(caption)))
        for layer, properties in zip(layers, _flat(interactive, data), strict=True):
            layer.add(properties)
    told = [_reduced(captions.table, shape)]
    shared, pictures = svg.drawings(figure, (one for layer in layers for one in layer.moved()), f"{prefix}m-")
    pictures = iter(pictures)
    own = [list(itertools.islice(pictures, len(one.different))) for one in layers]
    joined = _joined([(*_reduced(one.table, shape), drawn) for one, drawn in zip(layers, own, strict=True)])
    at = tuple(list(values[name]).index(control.first) for name, control in controls.items())
    layers = tuple(pictures[_looked_up(dims, table, shape, at)] for dims, table, pictures in joined)
    (dims, table) = told[0]
    written = {
        "controls": [
            _control(name, control, values[name], at[place]) for place, (name, control) in enumerate(controls.items())
        ],
        "layers": [{"dims": dims, "table": table, **_forms(pictures)} for dims, table, pictures in joined],
        "captions": {"dims": dims, "table": table, **_forms(captions.different)},
    }
    thinned = tuple(
        f"{control.label}: every {_nth(len(control.values()), len(values[name]))} value"
        for name, control in controls.items()
        if len(values[name]) < len(control.values())
    )
    started = captions.different[_looked_up(dims, table, shape, at)]
    box = svg.view_box(figure)
    return Recording(background + shared, layers, box, started, written, thinned, folded(figure))


_LINE = "\n"  # between the sentence of a caption and its data


def _nth(all_of_them, kept):
    return {2: "second", 4: "fourth", 8: "eighth"}.get(2 ** round(np.log2(all_of_them / kept)), "n-th")


def _flat(interactive, data):
    """Yield the properties of each moving artist, in their order; none for one of which an update says nothing."""
    for name, artists in interactive.moving.items():
        if isinstance(artists, list):
            yield from data.get(name, [{}] * len(artists))
        else:
            yield data.get(name, {})
    yield from ({} for _ in interactive.over)


class _Distinct:
    """Different values in the order of their first coming, and for each state the place of its own."""

    def __init__(self):
        self.different, self.table, self._places = [], [], {}

    def add(self, value, name=None):
        name = value if name is None else name
        if name not in self._places:
            self._places[name] = len(self.different)
            self.different.append(value)
        self.table.append(self._places[name])


class _Layer(_Distinct):
    """The drawings of one artist."""

    def __init__(self, artist):
        super().__init__()
        self.artist, self.names = artist, None

    def add(self, properties):
        self.names = set(properties) if self.names is None else self.names
        if set(properties) != self.names:
            raise RecordingError(f"A moving artist gets now {sorted(self.names)}, now {sorted(properties)}.")
        super().add(properties, svg.fingerprint(properties))

    def moved(self):
        """Yield the artist once for each of its drawings, moved to it."""
        for properties in self.different:
            self.artist.set(**properties)
            yield self.artist


def _reduced(table, shape):
    """Return the controls on which a table depends, by their numbers, and the table for them alone."""
    table = np.array(table).reshape(shape)
    dims = [axis for axis in range(len(shape)) if not (table == table.take([0], axis=axis)).all()]
    kept = table[tuple(slice(None) if axis in dims else 0 for axis in range(len(shape)))]
    return dims, kept.ravel().tolist()


def _looked_up(dims, table, shape, at):
    place = 0
    for axis in dims:
        place = place * shape[axis] + at[axis]
    return table[place]


def _joined(drawn):
    """Join neighbouring layers that change together."""
    joined = []
    for dims, table, pictures in drawn:
        if joined and joined[-1][:2] == (dims, table):
            before = joined[-1][2]
            joined[-1] = (dims, table, [one + two for one, two in zip(before, pictures, strict=True)])
        else:
            joined.append((dims, table, pictures))
    return joined


def _control(name, control, values, at):
    kind = "choice" if isinstance(control, Choice) else "range"
    shown = [value if kind == "choice" else f"{value:g}" for value in values]
    return {"name": name, "label": control.label, "kind": kind, "values": shown, "start": at}


def _forms(texts):
    """Return texts as forms with gaps for numbers, and for each text its form and its numbers, to the character."""
    forms = {}
    for place, text in enumerate(texts):
        forms.setdefault(tuple(_NUMBER.split(text)), []).append(place)
    if len(forms) * 2 > len(texts):
        return {"texts": texts}
    written, filled = [], [""] * len(texts)
    for number, (pieces, places) in enumerate(forms.items()):
        numbers = np.array([_NUMBER.findall(texts[place]) for place in places], dtype=object)
        numbers = numbers.reshape(len(places), len(pieces) - 1)
        kept, form = [], [pieces[0]]
        for gap, piece in enumerate(pieces[1:]):
            if (numbers[:, gap] == numbers[0, gap]).all():
                form[-1] += numbers[0, gap] + piece
            else:
                kept.append(gap)
                form.append(piece)
        written.append(form)
        for place, row in zip(places, numbers[:, kept], strict=True):
            filled[place] = " ".join([str(number), *row])
    return {"forms": written, "filled": filled}


def as_json(data: dict) -> str:
    """Return the data of a recording as JSON."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def script(id: str, data: dict) -> str:
    """Return the script that hands a recording to the page: a page opened as a file may fetch nothing else.

    A large one is packed, so that it is small where it is not packed on its way, too.
    """
    text = as_json(data)
    if len(text) > LARGEST:
        text = json.dumps(base64.b64encode(zlib.compress(text.encode(), 9)).decode())
    return f"course.recording({json.dumps(id)}, {text});\n"

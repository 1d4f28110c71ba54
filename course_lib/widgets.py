"""Sliders over figures: `explore` moves a figure live, and shows its default state where no kernel runs.

Every slider is linked to a labelled number box: the slider itself has no name for screen readers, and in Notebook 7 it
does not answer the arrow keys. The box works everywhere by keyboard.
"""

import html
import struct
import zlib
from dataclasses import dataclass

import ipywidgets
import numpy as np
import traitlets
from matplotlib.backends.backend_agg import FigureCanvasAgg

from course_lib import display
from course_lib.arguments import described, integer, items, real
from course_lib.figures.style import Interactive

PIXELS_PER_INCH = 100


@dataclass(frozen=True)
class Range:
    """A control for a number between low and high in steps; whole numbers when all four are whole."""

    label: str
    low: float
    high: float
    step: float
    start: float

    def __post_init__(self):
        low, high = real("low", self.low), real("high", self.high)
        if low >= high:
            raise ValueError(f"high must be above low = {low:g}, but {high:g} was given.")
        real("step", self.step, 0, high - low, open_low=True)
        real("start", self.start, low, high)

    @property
    def whole(self) -> bool:
        """Tell whether the control takes whole numbers only."""
        return all(float(value).is_integer() for value in (self.low, self.high, self.step, self.start))


@dataclass(frozen=True)
class Choice:
    """A control for one of a few words."""

    label: str
    options: tuple[str, ...]
    start: int = 0

    def __post_init__(self):
        options = items("options", self.options, "words")
        if not options or not all(isinstance(option, str) for option in options):
            raise TypeError(f"options must be a non-empty tuple of words, but {described(self.options)} was given.")
        integer("start", self.start, 0, len(options) - 1)
        object.__setattr__(self, "options", tuple(options))


class _Picture(ipywidgets.Image):
    """An Image whose tooltip reaches the page, where it is the picture's accessible name.

    The page reads `description` before it sets a tooltip, and the plain Image has none.
    """

    description = traitlets.Unicode("").tag(sync=True)


class Explorer:
    """A figure with its controls; `values` holds the state of the controls, `caption` the sentence about it.

    Args:
        interactive: a figure made by `figures`.
        controls: a Range or Choice for every keyword of its update function.

    Raises:
        TypeError: interactive is no Interactive, or a control is neither Range nor Choice.
        ValueError: there is no control.
    """

    def __init__(self, interactive: Interactive, **controls):
        if not isinstance(interactive, Interactive):
            raise TypeError(f"figure must be an Interactive from figures, but {described(interactive)} was given.")
        if not controls:
            raise ValueError("controls must name at least one Range or Choice, but none was given.")
        for name, control in controls.items():
            if not isinstance(control, (Range, Choice)):
                raise TypeError(f"{name} must be a Range or a Choice, but {described(control)} was given.")
        self.interactive, self.controls = interactive, controls
        self.values = {name: _start(control) for name, control in controls.items()}
        self.caption = interactive.update(**self.values)
        self._canvas = self._background = None

    def set(self, **values) -> None:
        """Move controls to new values and update the figure and its caption."""
        self.values.update(values)
        self.caption = self.interactive.update(**self.values)

    def png(self) -> bytes:
        """Draw the moving artists onto the kept background and return the picture as PNG bytes."""
        if self._canvas is None:
            self._keep_background()
        self._canvas.restore_region(self._background)
        for artist in self.interactive.moving:
            artist.axes.draw_artist(artist)
        return _png(np.asarray(self._canvas.buffer_rgba())[..., :3])

    def _keep_background(self):
        """Draw everything that does not move, once."""
        figure = self.interactive.figure
        figure.set_dpi(PIXELS_PER_INCH)
        for artist in self.interactive.moving:
            artist.set_animated(True)
        self._canvas = FigureCanvasAgg(figure)
        self._canvas.draw()
        figure.set_layout_engine("none")  # the layout is found; from here on nothing but the moving artists changes
        self._background = self._canvas.copy_from_bbox(figure.bbox)

    def widget(self):
        """Return the controls, the picture and the caption as one ipywidgets box."""
        picture = _Picture(value=self.png(), format="png", tooltip="Figure, described in the text below it")
        caption = ipywidgets.HTML(value=_paragraph(self.caption))

        def moved(name, value):
            self.set(**{name: value})
            picture.value = self.png()
            caption.value = _paragraph(self.caption)

        rows = [_row(name, control, moved) for name, control in self.controls.items()]
        return ipywidgets.VBox([*rows, picture, caption])


def explore(figure: Interactive, **controls) -> None:
    """Show a figure with its controls, or, with COURSE_STATIC=1, its default state with its caption.

    Args:
        figure: an Interactive made by `figures`.
        controls: a Range or Choice for every keyword of its update function.

    Raises:
        TypeError, ValueError: as `Explorer`.
    """
    explorer = Explorer(figure, **controls)
    if display.is_static():
        display.show(figure.figure, explorer.caption)
    else:
        display.widget(explorer.widget())


def _png(pixels):
    """Encode pixels, (height, width, 3) bytes, as a PNG without row filters.

    For drawings this takes half of Pillow's time and the same space; the format is that of the PNG specification, ISO
    15948, chapters 5 (chunks) and 9 (filter type 0).
    """
    height, width, _ = pixels.shape
    rows = np.zeros((height, 1 + 3 * width), dtype=np.uint8)  # each row begins with its filter type
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes(), 1)), (b"IEND", b""))
    packed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)


def _start(control):
    if isinstance(control, Choice):
        return control.options[control.start]
    return int(control.start) if control.whole else float(control.start)


def _paragraph(words):
    """Put the caption into a paragraph that screen readers read out when it changes."""
    style = "max-width: 44em; line-height: 1.4"
    return f'<p role="status" aria-live="polite" style="{style}">{html.escape(words, quote=False)}</p>'


def _row(name, control, moved):
    if isinstance(control, Choice):
        box = ipywidgets.ToggleButtons(options=control.options, value=_start(control), description=control.label)
        box.style.description_width = "initial"
        box.observe(lambda change: moved(name, change["new"]), "value")
        return box
    kinds = (ipywidgets.FloatSlider, ipywidgets.BoundedFloatText)
    if control.whole:
        kinds = (ipywidgets.IntSlider, ipywidgets.BoundedIntText)
    cast = int if control.whole else float
    limits = {"min": cast(control.low), "max": cast(control.high), "step": cast(control.step)}
    slider = kinds[0](value=_start(control), readout=False, **limits)
    box = kinds[1](value=_start(control), description=control.label, continuous_update=True, **limits)
    box.style.description_width = "initial"
    # The slider of the page may return 3.9999999999999996 for 4.
    tidy = cast if control.whole else lambda value: round(value, 9)
    # First the picture, then the other control: messages go out in this order.
    box.observe(lambda change: moved(name, change["new"]), "value")
    ipywidgets.link((slider, "value"), (box, "value"), transform=(tidy, tidy))
    return ipywidgets.HBox([box, slider])

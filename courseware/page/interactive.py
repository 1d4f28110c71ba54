"""Figures that controls move: the controls, what each of their values does to the picture, and their state."""

import zlib
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

import numpy as np

from courseware.arguments import described, integer, items, real
from courseware.page import png


@dataclass(frozen=True)
class Range:
    """A control for a number from low to high in steps; whole numbers when all four are whole."""

    label: str
    low: float
    high: float
    _: KW_ONLY
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

    @property
    def first(self) -> float:
        """The value that it shows at the start."""
        return self.tidy(self.start)

    def tidy(self, value) -> float:
        """Return a value as the figure gets it: the slider of a page may hand over 3.9999999999999996 for 4."""
        return int(value) if self.whole else round(float(value), 9)

    def values(self) -> tuple[float, ...]:
        """Return every value that the control can take, in order."""
        steps = int((self.high - self.low) / self.step + 1e-9)
        return tuple(self.tidy(self.low + self.step * step) for step in range(steps + 1))


@dataclass(frozen=True)
class Choice:
    """A control for one of a few words; `start` is the place of the first one shown."""

    label: str
    options: tuple[str, ...]
    _: KW_ONLY
    start: int = 0

    def __post_init__(self):
        options = items("options", self.options, "words")
        if not options or not all(isinstance(option, str) for option in options):
            raise TypeError(f"options must be a non-empty tuple of words, but {described(self.options)} was given.")
        integer("start", self.start, 0, len(options) - 1)
        object.__setattr__(self, "options", tuple(options))

    @property
    def first(self) -> str:
        """The word that it shows at the start."""
        return self.options[self.start]

    def values(self) -> tuple[str, ...]:
        """Return every word that the control can take, in order."""
        return self.options


@dataclass
class Interactive:
    """A figure of which a few artists move; how they are drawn is left to the medium.

    figure: the `matplotlib.figure.Figure`, made once.
    moving: name -> the artist that moves, or a list of artists.
    update: keyword values of the controls -> (data, caption): for each name in `moving` the properties of its artist
        by name, such as {"curve": {"data": (x, y)}, "words": {"text": "speed 2"}}, or a list of them for a list of
        artists; and the sentence that describes the figure then.
    over: artists that never change, but lie above those that do.
    """

    figure: object
    update: Callable[..., tuple[dict, str]]
    moving: dict = field(default_factory=dict)
    over: list = field(default_factory=list)

    @property
    def movers(self) -> list:
        """Every artist that moves, in the order in which they are drawn."""
        return [artist for one in self.moving.values() for artist in (one if isinstance(one, list) else [one])]

    @property
    def artists(self) -> list:
        """Every artist that is drawn after the background: those that move, and those above them."""
        return [*self.movers, *self.over]

    def apply(self, data: dict) -> None:
        """Give the moving artists of the Matplotlib figure their properties."""
        for name, properties in data.items():
            artists = self.moving[name]
            if isinstance(artists, list):
                for artist, its_own in zip(artists, properties, strict=True):
                    artist.set(**its_own)
            else:
                artists.set(**properties)

    def move(self, **values) -> str:
        """Move the figure to the given values of its controls, and return its caption."""
        data, caption = self.update(**values)
        self.apply(data)
        return caption


class Explorer:
    """A figure with its controls; `values` holds the state of the controls, `caption` the sentence about it.

    The figure gets the size LOW of the style.

    Args:
        interactive: a figure made by a lesson's `figures`.
        controls: a Range or Choice for every keyword of its update function.

    Raises:
        TypeError: interactive is no Interactive, or a control is neither Range nor Choice.
        ValueError: there is no control.
    """

    def __init__(self, interactive: Interactive, **controls: Range | Choice):
        if not isinstance(interactive, Interactive):
            raise TypeError(f"figure must be an Interactive from figures, but {described(interactive)} was given.")
        if not controls:
            raise ValueError("controls must name at least one Range or Choice, but none was given.")
        for name, control in controls.items():
            if not isinstance(control, (Range, Choice)):
                raise TypeError(f"{name} must be a Range or a Choice, but {described(control)} was given.")
        from courseware.page.style import LOW  # here, since it brings Matplotlib, and not every lesson has a figure

        interactive.figure.set_size_inches(LOW)  # the control, the picture and its caption stay in view together
        self.interactive, self.controls = interactive, controls
        self.values = {}
        self._background = self._over = None
        self.set(**{name: control.first for name, control in controls.items()})

    def set(self, **values) -> None:
        """Move controls to new values and update the figure and its caption."""
        self.values.update(values)
        self.caption = self.interactive.move(**self.values)

    def png(self) -> bytes:
        """Draw the moving artists onto the kept background and return the picture as PNG bytes."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg, FigureCanvasBase

        if self._background is None:
            self._keep_background()
        figure = self.interactive.figure
        renderer = FigureCanvasAgg(figure).get_renderer()
        pixels = np.asarray(renderer.buffer_rgba())
        pixels[:] = _unpacked(self._background, pixels.shape)
        for artist in self.interactive.movers:
            artist.axes.draw_artist(artist)
        if self._over is not None:
            # images are drawn from below
            renderer.draw_image(renderer.new_gc(), 0, 0, _unpacked(self._over, pixels.shape)[::-1])
        FigureCanvasBase(figure)  # takes the place of the canvas, so that its pixels are free again
        return png.quick(pixels)

    def _keep_background(self):
        """Draw everything that does not move, once: what lies under that which does, and what lies above it.

        Both are kept packed: three such figures would otherwise hold 40 MB in each learner's kernel.
        """
        from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg

        figure = self.interactive.figure
        figure.set_dpi(png.PIXELS_PER_INCH * png.SHARP)
        for artist in self.interactive.artists:
            artist.set_animated(True)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        figure.set_layout_engine("none")  # the layout is found; from here on nothing but the moving artists changes
        self._background = zlib.compress(canvas.buffer_rgba(), 1)
        if self.interactive.over:
            above = RendererAgg(*canvas.get_width_height(), figure.dpi)
            for artist in self.interactive.over:
                artist.draw(above)
            self._over = zlib.compress(above.buffer_rgba(), 1)


def _unpacked(packed, shape):
    return np.frombuffer(zlib.decompress(packed), dtype=np.uint8).reshape(shape)

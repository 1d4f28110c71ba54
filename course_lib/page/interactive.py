"""Figures that controls move, as data: the controls, and what each of their values does to the picture."""

from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass, field

from course_lib.arguments import described, integer, items, real


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

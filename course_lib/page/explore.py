"""Move a figure by its controls: `explore` shows it on the current medium, `Explorer` keeps its state."""

import struct
import zlib

import numpy as np

from course_lib.arguments import described
from course_lib.page import medium
from course_lib.page.interactive import Choice, Interactive, Range

PIXELS_PER_INCH = 100


class Explorer:
    """A figure with its controls; `values` holds the state of the controls, `caption` the sentence about it.

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
        self.interactive, self.controls = interactive, controls
        self.values = {}
        self._canvas = self._background = None
        self.set(**{name: control.first for name, control in controls.items()})

    def set(self, **values) -> None:
        """Move controls to new values and update the figure and its caption."""
        self.values.update(values)
        self.caption = self.interactive.move(**self.values)

    def png(self) -> bytes:
        """Draw the moving artists onto the kept background and return the picture as PNG bytes."""
        if self._canvas is None:
            self._keep_background()
        self._canvas.restore_region(self._background)
        for artist in self.interactive.artists:
            artist.axes.draw_artist(artist)
        return _png(np.asarray(self._canvas.buffer_rgba())[..., :3])

    def _keep_background(self):
        """Draw everything that does not move, once."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figure = self.interactive.figure
        figure.set_dpi(PIXELS_PER_INCH)
        for artist in self.interactive.artists:
            artist.set_animated(True)
        self._canvas = FigureCanvasAgg(figure)
        self._canvas.draw()
        figure.set_layout_engine("none")  # the layout is found; from here on nothing but the moving artists changes
        self._background = self._canvas.copy_from_bbox(figure.bbox)


def explore(figure: Interactive, **controls: Range | Choice) -> None:
    """Show a figure with its controls; where no kernel runs, its state at the start with its caption.

    Args:
        figure: an Interactive made by a lesson's `figures`.
        controls: a Range or Choice for every keyword of its update function.

    Raises:
        TypeError, ValueError: as `Explorer`.
    """
    medium.current().explorer(Explorer(figure, **controls))


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

"""Move a figure by its controls: `explore` shows it on the current medium, `Explorer` keeps its state."""

import numpy as np

from course_lib.arguments import described
from course_lib.page import medium, png
from course_lib.page.interactive import Choice, Interactive, Range


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
        from course_lib.page.style import LOW  # here, since it brings Matplotlib, and not every lesson has a figure

        interactive.figure.set_size_inches(LOW)  # the control, the picture and its caption stay in view together
        self.interactive, self.controls = interactive, controls
        self.values = {}
        self._canvas = self._background = self._over = None
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
        for artist in self.interactive.movers:
            artist.axes.draw_artist(artist)
        if self._over is not None:
            renderer = self._canvas.get_renderer()
            renderer.draw_image(renderer.new_gc(), 0, 0, self._over)
        return png.quick(np.asarray(self._canvas.buffer_rgba()))

    def _keep_background(self):
        """Draw everything that does not move, once: what lies under that which does, and what lies above it."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg, RendererAgg

        figure = self.interactive.figure
        figure.set_dpi(png.PIXELS_PER_INCH * png.SHARP)
        for artist in self.interactive.artists:
            artist.set_animated(True)
        self._canvas = FigureCanvasAgg(figure)
        self._canvas.draw()
        figure.set_layout_engine("none")  # the layout is found; from here on nothing but the moving artists changes
        self._background = self._canvas.copy_from_bbox(figure.bbox)
        if self.interactive.over:
            above = RendererAgg(*self._canvas.get_width_height(), figure.dpi)
            for artist in self.interactive.over:
                artist.draw(above)
            self._over = np.asarray(above.buffer_rgba())[::-1]  # images are drawn from below


def explore(figure: Interactive, **controls: Range | Choice) -> None:
    """Show a figure with its controls; where no kernel runs, its state at the start with its caption.

    Args:
        figure: an Interactive made by a lesson's `figures`.
        controls: a Range or Choice for every keyword of its update function.

    Raises:
        TypeError, ValueError: as `Explorer`.
    """
    medium.current().explorer(Explorer(figure, **controls))

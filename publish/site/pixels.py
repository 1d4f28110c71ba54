"""The pixels of an image in few colours as paths, one for each colour: smaller than a picture, sharp at any size."""

import numpy as np
from matplotlib.image import AxesImage

from publish.site import colours

CLASS = "cells"
SMALLEST = 3  # units across a cell: smaller ones Matplotlib may blend
COLOURS = 20  # with more of them a picture is smaller


def drawn(artist, height: float, short) -> str | None:
    """Return an image in few colours as a group of an SVG; None for any other artist, and where cells are too small.

    Args:
        height: of the drawing. short: writes a number.
    """
    if not isinstance(artist, AxesImage) or artist.get_interpolation() not in ("nearest", "auto", "antialiased"):
        return None
    if artist.get_alpha() is not None:
        return None
    colours = artist.to_rgba(artist.get_array(), bytes=True)
    (rows, columns), box = colours.shape[:2], artist.axes.bbox
    left, right, bottom, top = artist.get_extent()
    first, last = (top, bottom) if artist.origin == "upper" else (bottom, top)
    corners = artist.get_transform().transform([(left, first), (right, last)])
    across, down = (corners[1] - corners[0]) / (columns, -rows)
    inside = (corners >= box.min - 0.5).all() and (corners <= box.max + 0.5).all()
    if not inside or min(abs(across), abs(down)) < SMALLEST or (colours[..., 3] < 255).any():
        return None
    x, y = corners[0][0], height - corners[0][1] + down / 2  # in the middle of the first row
    codes = colours[..., :3].astype(np.uint32) @ np.array([65536, 256, 1], np.uint32)
    found, counts = np.unique(codes, return_counts=True)
    if len(found) > COLOURS:
        return None
    ground = found[counts.argmax()]
    parts = [f'<path d="M0-.5h{columns}v{rows}H0z" fill="{_chosen(ground)}"/>']
    parts += [f'<path d="{_strokes(codes == code)}" stroke="{_chosen(code)}"/>' for code in found if code != ground]
    moved = f"translate({short(x)} {short(y)}) scale({across:.5g} {down:.5g})"
    return f'<g class="{CLASS}" transform="{moved}" shape-rendering="crispEdges">{"".join(parts)}</g>'


def _chosen(code):
    return colours.chosen(f"#{code:06x}")


def _strokes(wanted):
    """Return the data of a path along the wanted cells, one stroke for those that lie side by side."""
    edges = np.diff(np.pad(wanted.astype(np.int8), ((0, 0), (1, 1))), axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    return "".join(f"M{start} {row}h{end - start}" for (row, start), (_, end) in zip(starts, ends, strict=True))

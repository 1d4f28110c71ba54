"""Pictures as PNG files: small ones to be stored, and quick ones for a figure that moves.

A figure is drawn with twice as many pixels as it takes on the page, so it is sharp on screens of device ratio 2 and at
200 % zoom; whoever shows it gives its width on the page beside it.
"""

import io
import struct
import zlib

import numpy as np

PIXELS_PER_INCH = 110  # on the page: 6.4 × 3.6 inches take 704 × 396 pixels
SHARP = 2
NO_LOSS = 12  # of 255, in any pixel and channel: nobody sees a palette that is as close as this


def width_on_page(figure) -> int:
    """Return how wide a Matplotlib figure is shown, in pixels of the page."""
    return round(figure.get_size_inches()[0] * PIXELS_PER_INCH)


def stored(figure) -> bytes:
    """Draw a figure on white and return a small PNG: with a palette of 256 colours where no loss shows.

    All figures of the course need 1.5 MB so, and 3.8 MB with all their colours; none is off by more than 11 of 255.
    """
    from PIL import Image

    drawn = io.BytesIO()
    # Uncompressed: the file is packed below, once.
    options = {"facecolor": "white", "pil_kwargs": {"compress_level": 0}}
    figure.savefig(drawn, format="png", dpi=PIXELS_PER_INCH * SHARP, **options)
    full = Image.open(drawn).convert("RGB")
    few = full.quantize(256, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    lost = np.abs(np.asarray(full, dtype=np.int16) - np.asarray(few.convert("RGB"), dtype=np.int16)).max()
    packed = io.BytesIO()
    (few if lost <= NO_LOSS else full).save(packed, "png")
    return packed.getvalue()


def quick(pixels) -> bytes:
    """Return pixels, (height, width, 4) bytes of which the last is 255, as a PNG without row filters.

    For drawings this takes half of Pillow's time and the same space; the format is that of the PNG specification, ISO
    15948, chapters 5 (chunks) and 9 (filter type 0). To leave the fourth byte out would take longer than to pack it.
    """
    height, width, _ = pixels.shape
    rows = np.empty((height, 1 + 4 * width), dtype=np.uint8)
    rows[:, 0] = 0  # each row begins with its filter type
    rows[:, 1:] = pixels.reshape(height, -1)
    header = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 1)), (b"IEND", b""))
    packed = (
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data)) for kind, data in chunks
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(packed)

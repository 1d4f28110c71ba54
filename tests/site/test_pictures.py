"""The pictures of the site that README shows are of the site as it is."""

import io

import numpy as np
import pytest
from PIL import Image

from publish.site import pictures

BLOCK = 40  # pixels: browsers and fonts of other days draw a letter otherwise, but not a paragraph
APART = 8  # of 255


def blocks(picture):
    """Return the mean colour of each square of a picture, or of the end of a film, shape (rows, columns, 3)."""
    with Image.open(picture) as opened:
        opened.seek(getattr(opened, "n_frames", 1) - 1)
        pixels = np.asarray(opened.convert("RGB"), dtype=float)
    high, wide = (length // BLOCK * BLOCK for length in pixels.shape[:2])
    return pixels[:high, :wide].reshape(high // BLOCK, BLOCK, wide // BLOCK, BLOCK, 3).mean(axis=(1, 3))


@pytest.mark.parametrize("name", [*pictures.PICTURES, pictures.FILM])
def test_the_pictures_of_the_site_are_current(name, site, browser):
    page = browser.new_page(color_scheme="light", reduced_motion="reduce")
    now = blocks(io.BytesIO(pictures.taken(page, site, name)))
    page.close()
    kept = blocks(pictures.DOCS / name)
    assert kept.shape == now.shape and (pictures.DOCS / name).stat().st_size <= 600_000
    apart = np.abs(kept - now).max(axis=2)
    assert apart.max() < APART, f"docs/{name} is out of date: python -m publish.site.pictures"

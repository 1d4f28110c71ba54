"""Take the README's pictures of the built site: python -m publish.site.pictures, after make site

A Chromium takes them: the one that COURSE_BROWSER names, or one found on the machine.
"""

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Error, Page, sync_playwright

from courseware.environment import ROOT
from publish.site import browser
from publish.site.build import TO

DOCS = ROOT / "docs"
WIDE = 1180
# Name -> the page with the state of its figure, what stands at the top of the picture, and its height.
PICTURES = {
    "site_first_page.png": ("index.html", "body", 760),
    "site_lesson.png": ("bonus-experts.html#explore-regions?experts=4&k=2&temperature=1.4", "#explore-regions", 668),
}
COLOURS = 96
DRAWN = """() => {
    const id = location.hash.split("?")[0];
    if (!id) return Boolean(document.querySelector(".c-bank .lane[x1]"));
    const player = course.players.find(one => one.figure.matches(id));
    return player && player.data && player.message;
}"""


def take(page: Page, site: Path, address: str, top: str, high: int) -> bytes:
    """Return a picture of a page of the site that was built in a folder, in few colours, so that it is small."""
    page.goto("about:blank")
    page.set_viewport_size({"width": WIDE, "height": high})
    page.goto(f"{site.as_uri()}/{address}")
    page.wait_for_function(DRAWN)
    page.evaluate("top => document.querySelector(top).scrollIntoView({ block: 'start' })", top)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    with Image.open(io.BytesIO(page.screenshot())) as taken:
        few = taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    written = io.BytesIO()
    few.save(written, "png", optimize=True)
    return written.getvalue()


def main() -> int:
    """Take every picture; return 0, or 1 when there is no browser."""
    try:
        program = browser.find()
    except browser.NoBrowser as error:
        print(error, file=sys.stderr)
        return 1
    with sync_playwright() as playwright:
        try:
            opened = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        except Error as error:
            print(f"{program} does not start. Is it a Chromium? {error.message.splitlines()[0]}", file=sys.stderr)
            return 1
        page = opened.new_page(color_scheme="light", reduced_motion="reduce")
        for name, wanted in PICTURES.items():
            picture = take(page, TO, *wanted)
            (DOCS / name).write_bytes(picture)
            print(f"{DOCS / name}: {len(picture) / 1000:.0f} KB")
        opened.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

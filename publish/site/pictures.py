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
# Name -> the page, what stands at the top of the picture, what it waits for, its size, a guess made in the first field.
PICTURES = {
    "site_microscope.png": ("microscope.html", "#microscope", "#microscope .said:not(:empty)", (WIDE, 470), ""),
    "site_reply.png": ("linear-limits.html", "#cell-idea-1-count + p", ".guess .reply strong", (760, 392), "336"),
}
FILM, FRAME, FRAMES = "site_first_page.webp", 200, 28  # milliseconds
ANSWERED = 13  # at which frame of the film the question is answered
COLOURS = 96


def take(page: Page, site: Path, address: str, top: str, ready: str, size: tuple[int, int], guess: str) -> bytes:
    """Return a picture of a page of the site that was built in a folder, in few colours, so that it is small."""
    page.goto("about:blank")
    page.set_viewport_size(dict(zip(("width", "height"), size, strict=True)))
    page.goto(f"{site.as_uri()}/{address}")
    if guess:
        page.locator(".guess input").first.fill(guess)
        page.keyboard.press("Enter")
    page.locator(ready).first.wait_for()
    page.evaluate("top => scrollBy(0, document.querySelector(top).getBoundingClientRect().top - 12)", top)
    page.evaluate("() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    with Image.open(io.BytesIO(page.screenshot())) as taken:
        few = taken.convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
    written = io.BytesIO()
    few.save(written, "png", optimize=True)
    return written.getvalue()


def film(page: Page, site: Path) -> bytes:
    """Return the first page as it plays, three times: its picture, its question, an answer, and the rest."""
    page.emulate_media(reduced_motion="no-preference")
    page.set_viewport_size({"width": WIDE, "height": 760})
    page.clock.install(time=0)
    page.clock.pause_at(1000)
    page.goto(f"{site.as_uri()}/index.html")
    page.locator(".c-bank .play", has_text="Pause").wait_for()
    frames = []
    for number in range(FRAMES):
        if number == ANSWERED:
            page.locator(".card .option").first.click()
        page.clock.run_for(FRAME)
        frames.append(Image.open(io.BytesIO(page.screenshot())).convert("RGB"))
    lengths = [FRAME] * (FRAMES - 1) + [1000]
    written = io.BytesIO()
    frames[0].save(
        written,
        "webp",
        save_all=True,
        append_images=frames[1:],
        duration=lengths,
        loop=3,
        quality=85,
        minimize_size=True,
    )
    return written.getvalue()


def taken(page: Page, site: Path, name: str) -> bytes:
    """Return a picture or the film of the site that was built in a folder."""
    return film(page, site) if name == FILM else take(page, site, *PICTURES[name])


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
        for name in (*PICTURES, FILM):  # each as a first visit shows it
            picture = taken(opened.new_page(color_scheme="light", reduced_motion="reduce"), TO, name)
            (DOCS / name).write_bytes(picture)
            print(f"{DOCS / name}: {len(picture) / 1000:.0f} KB")
        opened.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())

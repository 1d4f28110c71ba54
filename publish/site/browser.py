"""Find the Chromium that prints the handouts, takes pictures, and runs the browser tests."""

import os
import shutil
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")


class NoBrowser(Exception):
    """Say in a sentence which browser is missing, and what to do."""


def find() -> str:
    """Return the path of a Chromium: the one that COURSE_BROWSER names, or one found on the machine.

    Raises:
        NoBrowser: COURSE_BROWSER names no program, or none was found.
    """
    named = os.environ.get("COURSE_BROWSER")
    if named:
        found = shutil.which(named)
        if found is None:
            raise NoBrowser(
                f"COURSE_BROWSER is {named!r}, and there is no such program. Set it to the path of a Chromium or a "
                "Chrome, such as /usr/bin/chromium, or unset it to search for one."
            )
        return found
    for name in NAMES:
        found = shutil.which(name)
        if found:
            return found
    raise NoBrowser(
        "No Chromium was found. Install one (Debian, Ubuntu: apt-get install chromium; macOS: brew install chromium) "
        "or name one: COURSE_BROWSER=/path/to/chrome"
    )


def flags(profile: str | Path) -> list[str]:
    """Return what a Chromium is told that works without a window and without the network."""
    told = ["--headless", "--disable-gpu", "--disable-background-networking", f"--user-data-dir={profile}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        told.append("--no-sandbox")  # Chromium has none for the administrator
    return told

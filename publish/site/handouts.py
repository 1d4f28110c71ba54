"""Print each lesson of the built site to a PDF: python -m publish.site.handouts

A Chromium does the printing: the one that COURSE_BROWSER names, or one found on the machine.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from course_lib.lessons import catalogue
from publish.site.build import ROOT, TO
from publish.site.pages import address

HANDOUTS = ROOT / "build" / "handouts"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "msedge")


def browser() -> str | None:
    """Return the path of a Chromium, or None."""
    return os.environ.get("COURSE_BROWSER") or next(filter(None, map(shutil.which, NAMES)), None)


def flags(profile: str | Path) -> list[str]:
    """Return what a Chromium is told that works without a window and without the network."""
    told = ["--headless", "--disable-gpu", "--disable-background-networking", f"--user-data-dir={profile}"]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        told.append("--no-sandbox")  # Chromium has none for the administrator
    return told


def print_page(program: str, page: Path, to: Path) -> None:
    """Print one page.

    Raises:
        subprocess.CalledProcessError: the browser could not.
    """
    with tempfile.TemporaryDirectory() as profile:
        command = [program, *flags(profile), "--no-pdf-header-footer", f"--print-to-pdf={to}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=120)


def main() -> int:
    """Print every lesson; return 0, or 1 when there is no browser or no site."""
    program = browser()
    if program is None:
        print("No Chromium was found: install one, or name one with COURSE_BROWSER.", file=sys.stderr)
        return 1
    HANDOUTS.mkdir(parents=True, exist_ok=True)
    for lesson in catalogue.lessons():
        to = HANDOUTS / lesson.notebook.replace(".ipynb", ".pdf")
        print_page(program, TO / address(lesson), to)
        print(f"{to}: {to.stat().st_size / 1000:.0f} KB")
    return 0


if __name__ == "__main__":
    sys.exit(main())

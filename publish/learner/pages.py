"""Serve the web pages on this computer alone and open them; those that are missing are built first."""

import argparse
import sys
from pathlib import Path

from courseware.environment import ROOT
from publish.site import TO
from publish.site.serve import serve

SOURCES = ("course_lib", "courseware", "lessons", "notebooks", "publish/site", "whywrong")  # what pages are made of


def is_built(folder: Path) -> bool:
    """Tell whether a folder holds the pages of the lessons as they are now."""
    page = folder / "index.html"
    sources = [one for name in SOURCES for one in (ROOT / name).rglob("*.*") if "__pycache__" not in one.parts]
    return page.is_file() and page.stat().st_mtime >= max(one.stat().st_mtime for one in sources)


def main(arguments=None) -> int:
    """Serve until Ctrl+C; return 1 where the pages could not be built."""
    parser = argparse.ArgumentParser(prog="start.py pages", description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="%(default)s unless it is named")
    parser.add_argument("--no-browser", action="store_true", help="open no browser, and only print the address")
    given = parser.parse_args(arguments)
    if not is_built(TO):
        from publish.site import build  # with what only builds pages

        print("Building the pages, which takes a few minutes the first time ...", flush=True)
        if build.main([]):
            return 1
    serve(TO, given.port, not given.no_browser)
    return 0


if __name__ == "__main__":
    sys.exit(main())

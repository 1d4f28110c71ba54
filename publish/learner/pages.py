"""Serve the web pages on this computer alone and open them; those that are missing are built first."""

import argparse
import functools
import http.server
import sys
import webbrowser
from pathlib import Path

from courseware.environment import ROOT
from publish.site import TO

SOURCES = ("course_lib", "courseware", "lessons", "notebooks", "publish/site", "whywrong")  # what pages are made of


class _Handler(http.server.SimpleHTTPRequestHandler):
    """A server of files that says nothing, and names what a browser runs as it must be named on every system."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_):
        pass


def is_built(folder: Path) -> bool:
    """Tell whether a folder holds the pages of the lessons as they are now."""
    page = folder / "index.html"
    sources = [one for name in SOURCES for one in (ROOT / name).rglob("*.*") if "__pycache__" not in one.parts]
    return page.is_file() and page.stat().st_mtime >= max(one.stat().st_mtime for one in sources)


def main(arguments=None) -> int:
    """Serve until Ctrl+C; return 1 where the pages could not be built."""
    parser = argparse.ArgumentParser(prog="start.py pages", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="a free one unless it is named")
    parser.add_argument("--no-browser", action="store_true", help="open no browser, and only print the address")
    given = parser.parse_args(arguments)
    if not is_built(TO):
        from publish.site import build  # with what only builds pages

        print("Building the pages, which takes a few minutes the first time ...", flush=True)
        if build.main([]):
            return 1
    handler = functools.partial(_Handler, directory=str(TO))
    with http.server.ThreadingHTTPServer(("127.0.0.1", given.port), handler) as server:
        address = f"http://127.0.0.1:{server.server_port}/"
        print(f"The course is at {address}. Press Ctrl+C to stop.", flush=True)
        if not given.no_browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("Stopped.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

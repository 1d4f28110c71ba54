"""Serve the pages in this folder to this computer alone, so that code runs in them: python3 serve.py"""

import functools
import http.server
import webbrowser
from pathlib import Path


class _Handler(http.server.SimpleHTTPRequestHandler):
    """A server of files that says nothing, and names what a browser runs as it must be named on every system."""

    extensions_map = http.server.SimpleHTTPRequestHandler.extensions_map | {
        ".js": "text/javascript",
        ".wasm": "application/wasm",
    }

    def log_message(self, *_):
        pass


def serve(folder: Path, port: int = 8000, browser: bool = True) -> None:
    """Serve a folder until Ctrl+C, from a free port where that one is taken: a browser keeps progress for each port."""
    handler = functools.partial(_Handler, directory=str(folder))
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with server:
        address = f"http://127.0.0.1:{server.server_port}/"
        print(f"The course is at {address}. Press Ctrl+C to stop.", flush=True)
        if browser:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("Stopped.")


if __name__ == "__main__":
    serve(Path(__file__).resolve().parent)

"""A small web server for a folder, as `python3 -m http.server` is one; it can be stopped, and another take its port."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    def log_message(self, *_):
        """Say nothing."""


class Served:
    """A folder on a port of this computer; a context."""

    def __init__(self, folder: Path, port: int = 0):
        self.folder, self.port = folder, port

    def __enter__(self):
        handler = functools.partial(Quiet, directory=str(self.folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", self.port), handler)
        self._server.daemon_threads = True
        self.port = self._server.server_port
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *error):
        self._server.shutdown()
        self._server.server_close()

    def at(self, page: str) -> str:
        """Return the address of a page."""
        return f"http://127.0.0.1:{self.port}/{page}"

"""A small web server for a folder, as `python3 -m http.server` is one; it can be stopped, and another take its port."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that writes no log; a filter between may put a page of its own in the place of some.

    Half of a file that has a part of `held` in its path comes at once, and the rest when `let_go` is set.
    """

    def __init__(self, *args, blocked, held, let_go, **options):
        self.blocked, self.held, self.let_go = blocked, held, let_go
        super().__init__(*args, **options)

    def log_message(self, *_):
        """Say nothing."""

    def do_GET(self):
        """Give the file, or the filter's page."""
        if not any(part in self.path for part in self.blocked):
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<h1>Blocked</h1>")

    def copyfile(self, source, outputfile):
        """Send what stands in the file."""
        content = source.read()
        if any(part in self.path for part in self.held):
            outputfile.write(content[: len(content) // 2])
            outputfile.flush()
            self.let_go.wait()
            content = content[len(content) // 2 :]
        outputfile.write(content)


class Served:
    """A folder on a port of this computer; a context. What has a part of `blocked` in its path is not let through."""

    def __init__(self, folder: Path, port: int = 0):
        self.folder, self.port, self.blocked = folder, port, set()
        self.held, self.let_go = set(), threading.Event()

    def __enter__(self):
        these = {"blocked": self.blocked, "held": self.held, "let_go": self.let_go}
        handler = functools.partial(Quiet, directory=str(self.folder), **these)
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

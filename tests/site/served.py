"""A small web server for a folder, as `python3 -m http.server` is one; it can be stopped, and another take its port."""

import functools
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

FILTERED = {"type": "text/html", "body": b"<h1>Blocked</h1>"}  # the page of a filter between


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that writes no log. As `answers` say, it answers otherwise.

    Half of a file that has a part of `held` in its path comes at once, and the rest when `let_go` is set.
    """

    def __init__(self, *args, answers, held, let_go, **options):
        self.answers, self.held, self.let_go = answers, held, let_go
        super().__init__(*args, **options)

    def log_message(self, *_):
        """Say nothing."""

    def do_GET(self):
        """Give the file, or what takes its place."""
        self.how = {key: value for part, how in self.answers.items() if part in self.path for key, value in how.items()}
        if self.how.get("strips") and self.path.endswith(".html"):
            self.how["headers"] = {"Location": self.path.removesuffix(".html")}
            self.how["status"] = 308
        if not self.how.keys() & {"status", "body"}:
            return super().do_GET()
        self.send_response(self.how.get("status", 200))
        self.send_header("Content-Type", self.how.get("type", "text/html"))
        self.end_headers()
        self.wfile.write(self.how.get("body", b""))

    def translate_path(self, path):
        """Find a page under its address without .html, too."""
        found = super().translate_path(path)
        return f"{found}.html" if self.how.get("strips") and Path(f"{found}.html").is_file() else found

    def guess_type(self, path):
        """Return the type of a file, or the one that it is sent as."""
        return self.how.get("type") or super().guess_type(path)

    def end_headers(self):
        """Send what else is said of it."""
        for header in self.how.get("headers", {}).items():
            self.send_header(*header)
        super().end_headers()

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
    """A folder on a port of this computer; a context.

    answers: a part of a path -> its `status`, `type`, `body` and `headers`, and whether the server `strips` .html.
    """

    def __init__(self, folder: Path, port: int = 0, answers=()):
        self.folder, self.port, self.answers = folder, port, dict(answers)
        self.held, self.let_go = set(), threading.Event()

    def __enter__(self):
        these = {"answers": self.answers, "held": self.held, "let_go": self.let_go}
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

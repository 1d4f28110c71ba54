"""Open every page where nothing but this computer can be reached: unshare --net python -m tests.site.alone FOLDER

Prints, as JSON, what was asked of other computers, what failed, what an attempt at the outside came to, and how many
recordings arrived.
"""

import fcntl
import functools
import json
import socket
import struct
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.browser.conftest import FLAGS, find_browser

OUTSIDE = "http://192.0.2.1/"  # an address for documentation (RFC 5737): nobody has it


def raise_loopback() -> None:
    """Switch on the one network interface of a new namespace."""
    set_flags, up = 0x8914, 0x1  # SIOCSIFFLAGS, IFF_UP
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", up))


class Quiet(SimpleHTTPRequestHandler):
    """A server of files that writes no log."""

    def log_message(self, *_):
        """Say nothing."""


def main(folder: Path) -> dict:
    """Open all pages, with every recording, and return what was seen."""
    raise_loopback()
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    here = f"http://127.0.0.1:{server.server_port}/"
    foreign, failed, recordings = [], [], 0
    with sync_playwright() as playwright:
        flags = [flag for flag in FLAGS if not flag.startswith("--host-resolver-rules")]
        page = playwright.chromium.launch(executable_path=find_browser(), args=flags).new_page()
        page.on("request", lambda one: None if one.url.startswith((here, "data:")) else foreign.append(one.url))
        # what is still on its way when the page is left is aborted, and no failure
        page.on("requestfailed", lambda one: None if one.failure == "net::ERR_ABORTED" else failed.append(one.url))
        page.on("response", lambda one: failed.append(one.url) if one.status >= 400 else None)
        for path in sorted(folder.glob("*.html")):
            page.goto(here + path.name)
            if path.name == "404.html":  # has no scripts
                continue
            page.evaluate("course.players.forEach(player => player.load())")
            page.wait_for_function("course.players.every(player => player.data)")
            recordings += page.evaluate("course.players.length")
        seen = {"foreign": list(foreign), "failed": list(failed), "recordings": recordings}
        page.evaluate("address => fetch(address).catch(() => null)", OUTSIDE)
        page.wait_for_timeout(500)
    return {**seen, "attempt": [OUTSIDE in foreign, OUTSIDE in failed]}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]))))

"""A Firefox that is led over WebDriver BiDi, which it speaks by itself: no driver, no package for it.

https://www.w3.org/TR/webdriver-bidi/
"""

import contextlib
import itertools
import json
import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import websocket

NAMES = ("firefox-esr", "firefox")
# Nothing is asked of other computers, and nothing of a first start is shown.
SETTINGS = {
    "app.normandy.enabled": False,
    "app.update.disabledForTesting": True,
    "browser.aboutwelcome.enabled": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "network.captive-portal-service.enabled": False,
    "network.connectivity-service.enabled": False,
    "network.proxy.type": 1,
    "network.proxy.http": "127.0.0.1",
    "network.proxy.http_port": 9,  # where nothing answers
    "network.proxy.ssl": "127.0.0.1",
    "network.proxy.ssl_port": 9,
    "services.settings.server": "data:,",
    "toolkit.telemetry.enabled": False,
    "ui.useOverlayScrollbars": 1,  # as on a phone: they take no room
}
OWN = ("file:", "data:", "blob:", "about:")  # addresses on this computer
KEYS = {
    "Ctrl": "\ue009",
    "Tab": "\ue004",
    "Escape": "\ue00c",
    "Enter": "\ue007",
    "Space": " ",
    "Down": "\ue015",
    "End": "\ue010",
    "Home": "\ue011",
}


def find() -> str | None:
    """Return the path of a Firefox, named by $COURSE_FIREFOX or found on the machine, or None."""
    return os.environ.get("COURSE_FIREFOX") or next(filter(None, map(shutil.which, NAMES)), None)


class Firefox:
    """A running Firefox with one page.

    Args:
        program: its path. folder: an empty one, for its profile.
    """

    def __init__(self, program: str, folder: Path):
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in SETTINGS.items()]
        (folder / "user.js").write_text("\n".join(lines))
        self.log = folder / "firefox.log"
        command = [program, "--headless", "--no-remote", "--profile", str(folder), "--remote-debugging-port", "0"]
        with open(self.log, "w", encoding="utf-8") as log:
            environment = {**os.environ, "HOME": str(folder)}
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
        self.numbers, self.events, self.socket = itertools.count(1), [], None
        try:
            self.socket = websocket.create_connection(f"{self._address()}/session", timeout=60, suppress_origin=True)
            self.send("session.new", capabilities={})
            self.context = self.send("browsingContext.create", type="tab")["context"]
            self.send("session.subscribe", events=["log.entryAdded", "network.beforeRequestSent"])
        except BaseException:
            self.close()
            raise

    def _address(self):
        end = time.monotonic() + 90
        while time.monotonic() < end and self.process.poll() is None:
            found = re.search(r"listening on (ws://\S+)", self.log.read_text(errors="replace"))
            if found:
                return found[1]
            time.sleep(0.2)
        raise RuntimeError(f"Firefox does not start: {self.log.read_text(errors='replace')[-1000:]}")

    def send(self, method: str, **parameters) -> dict:
        """Send a command and return its result; what happens meanwhile is kept in `events`."""
        number = next(self.numbers)
        self.socket.send(json.dumps({"id": number, "method": method, "params": parameters}))
        while True:
            said = json.loads(self.socket.recv())
            if said.get("type") == "event":
                self.events.append(said)
            elif said.get("id") == number:
                if said["type"] == "error":
                    raise RuntimeError(f"{method}: {said['error']}: {said['message']}")
                return said["result"]

    def open(self, address: str) -> None:
        """Open an address and wait until it is there."""
        self._go("browsingContext.navigate", url=address)

    def reload(self) -> None:
        """Load the page again and wait until it is there."""
        self._go("browsingContext.reload")

    def _go(self, method, **parameters):
        """Leave the page for another; a busy Firefox may say "complete" of the page that it leaves."""
        self.run("window.left = true")
        self.send(method, context=self.context, wait="complete", **parameters)
        end = time.monotonic() + 30
        while time.monotonic() < end:
            with contextlib.suppress(RuntimeError):  # asked while the page went
                if self.run("return !window.left && document.readyState === 'complete'"):
                    return
            time.sleep(0.05)
        raise RuntimeError(f"Firefox does not come to the end of {method}")

    def run(self, body: str):
        """Return what the body of an asynchronous function returns on the page."""
        expression = f"(async () => {{ {body} }})().then(value => JSON.stringify(value === undefined ? null : value))"
        target = {"context": self.context}
        found = self.send("script.evaluate", expression=expression, target=target, awaitPromise=True)
        if found["type"] == "exception":
            raise RuntimeError(found["exceptionDetails"]["text"])
        return json.loads(found["result"]["value"])

    def resize(self, width: int, height: int) -> None:
        """Give the page another size."""
        self.send("browsingContext.setViewport", context=self.context, viewport={"width": width, "height": height})

    def press(self, *keys: str) -> None:
        """Press keys, one after the other: names from KEYS, characters, or such as Ctrl+a."""
        steps = []
        for key in keys:
            together = [KEYS.get(one, one) for one in (key.split("+") if key.startswith("Ctrl+") else [key])]
            steps += [{"type": "keyDown", "value": one} for one in together]
            steps += [{"type": "keyUp", "value": one} for one in reversed(together)]
        actions = [{"type": "key", "id": "keyboard", "actions": steps}]
        self.send("input.performActions", context=self.context, actions=actions)

    def problems(self, own: tuple[str, ...] = OWN) -> list[str]:
        """Return the errors and warnings of the console, and requests to others than `own`; then forget them."""
        self.run("return null")
        found = []
        for event in self.events:
            told = event["params"]
            if event["method"] == "log.entryAdded" and told["level"] in ("error", "warn"):
                found.append(f"{told['level']}: {told.get('text')}")
            elif event["method"] == "network.beforeRequestSent" and not told["request"]["url"].startswith(own):
                found.append(f"request to {told['request']['url']}")
        self.events.clear()
        return found

    def close(self) -> None:
        """End it."""
        if self.socket:
            self.socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

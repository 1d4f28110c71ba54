"""A learner made of HTTP and WebSocket, as a browser would send them."""

import asyncio
import json
import time
import uuid

import aiohttp
from yarl import URL

PATIENCE = 180  # seconds for a server to start, and for a cell


class Failed(Exception):
    """Say what a learner could not do."""


class Learner:
    """One learner of a class server; use it as `async with Learner(base, name, password) as learner`."""

    def __init__(self, base: str, name: str, password: str):
        self.base, self.name, self.password = base.rstrip("/"), name, password
        self.server = f"{self.base}/user/{name}"
        self.kernel = self.channels = None

    async def __aenter__(self):
        timeout = aiohttp.ClientTimeout(total=PATIENCE)
        self.http = aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True), timeout=timeout)
        return self

    async def __aexit__(self, *error):
        if self.channels is not None:
            await self.channels.close()
        await self.http.close()
        await asyncio.sleep(0.1)  # its connections are closed in the rounds of the loop that follow

    def _xsrf(self, url):
        cookie = self.http.cookie_jar.filter_cookies(URL(url)).get("_xsrf")
        return cookie.value if cookie else ""

    async def login(self) -> None:
        """Log in with the form."""
        page = f"{self.base}/hub/login"
        async with self.http.get(page):
            pass
        form = {"username": self.name, "password": self.password, "_xsrf": self._xsrf(page)}
        async with self.http.post(page, data=form, allow_redirects=False) as answer:
            if answer.status != 302:
                raise Failed(f"login of {self.name}: HTTP {answer.status}")

    async def spawn(self) -> None:
        """Start the server and wait until JupyterLab's page comes from it."""
        async with self.http.get(f"{self.base}/hub/spawn") as answer:
            if answer.status >= 400:
                raise Failed(f"spawn: HTTP {answer.status}")
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            async with self.http.get(f"{self.server}/lab") as answer:
                if answer.status == 200 and answer.url.path.startswith(f"/user/{self.name}/lab"):
                    await answer.read()
                    return
            await asyncio.sleep(0.5)
        raise Failed("the server did not start")

    async def api(self, method: str, path: str, body=None):
        """Call the API of the learner's own server; return (status, JSON or None)."""
        url = f"{self.server}/api/{path}"
        headers = {"X-XSRFToken": self._xsrf(f"{self.server}/")}
        async with self.http.request(method, url, json=body, headers=headers) as answer:
            text = await answer.text()
            try:
                return answer.status, json.loads(text) if text else None
            except ValueError:
                return answer.status, None

    async def start_kernel(self) -> None:
        """Start a kernel and connect to it."""
        status, made = await self.api("POST", "kernels", {"name": "python3", "path": "ffn-course/my_notebooks"})
        if status != 201:
            raise Failed(f"kernel: HTTP {status}, {(made or {}).get('message', '')}")
        self.kernel = made["id"]
        await self.connect()

    async def connect(self) -> None:
        """Connect to the kernel, again if need be."""
        url = f"{self.server}/api/kernels/{self.kernel}/channels?session_id={uuid.uuid4().hex}"
        self.channels = await self.http.ws_connect(url, autoping=True, heartbeat=120, max_msg_size=0)

    async def run(self, code: str, patience: float = PATIENCE) -> str:
        """Run a cell; return what it printed, or "ErrorName: words" at the end of it."""
        id, said = uuid.uuid4().hex, []
        header = {"msg_id": id, "username": self.name, "session": id, "msg_type": "execute_request", "version": "5.3"}
        content = {"code": code, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}
        message = {"header": header, "parent_header": {}, "metadata": {}, "content": content, "channel": "shell"}
        await self.channels.send_json(message | {"buffers": []})
        end, idle, replied = time.monotonic() + patience, False, False
        while not (idle and replied):
            left = end - time.monotonic()
            if left <= 0:
                raise Failed("a cell took too long")
            got = await self.channels.receive(timeout=left)
            if got.type not in (aiohttp.WSMsgType.TEXT, aiohttp.WSMsgType.BINARY):
                raise Failed("the connection to the kernel was lost")
            if got.type != aiohttp.WSMsgType.TEXT:
                continue
            one = json.loads(got.data)
            if one.get("parent_header", {}).get("msg_id") != id:
                continue
            kind, content = one["msg_type"], one["content"]
            if kind == "stream":
                said.append(content["text"])
            elif kind == "error":
                said.append(f"{content['ename']}: {content['evalue']}")
            elif kind == "status" and content["execution_state"] == "idle":
                idle = True
            elif kind == "execute_reply":
                replied = True
        return "".join(said)

    async def save(self, path: str, notebook: dict) -> int:
        """Save a notebook; return the HTTP status."""
        return (await self.api("PUT", f"contents/{path}", {"type": "notebook", "content": notebook}))[0]

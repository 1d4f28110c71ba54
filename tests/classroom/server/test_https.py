"""A class server behind HTTPS: nginx stands in front with the file that the handbook names."""

import asyncio
import shutil
import ssl
import subprocess
import time

import aiohttp
import pytest

from tests.classroom.server import load
from tests.classroom.server.learner import Learner
from tests.conftest import ROOT


class Trusting(Learner):
    """A learner who comes over HTTPS and trusts one certificate, with a browser that claims to use HTTP."""

    def __init__(self, base, name, password, certificate):
        super().__init__(base, name, password)
        self.trust = ssl.create_default_context(cafile=certificate)

    async def __aenter__(self):
        connector = aiohttp.TCPConnector(ssl=self.trust)
        claims = {"X-Scheme": "http", "X-Forwarded-Proto": "http", "Accept-Encoding": "gzip"}
        jar = aiohttp.CookieJar(unsafe=True)
        self.http = aiohttp.ClientSession(connector=connector, cookie_jar=jar, headers=claims)
        return self


@pytest.fixture(scope="module")
def front(tmp_path_factory):
    """Return a hub, the address of nginx in front of it, and the certificate."""
    assert shutil.which("nginx"), "These tests need nginx, a web server: apt-get install nginx-light."
    folder = tmp_path_factory.mktemp("front")
    certificate, key = folder / "hub.pem", folder / "hub.key"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*make, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    with load.Server(1) as server:
        port, plain = load.free_port(), load.free_port()
        text = (ROOT / "classroom" / "server" / "nginx.conf").read_text(encoding="utf-8")
        for yours, here in {
            "listen 80;": f"listen 127.0.0.1:{plain};",
            "listen 443 ssl": f"listen 127.0.0.1:{port} ssl",
            "/etc/ssl/certs/hub.pem": str(certificate),
            "/etc/ssl/private/hub.key": str(key),
            "http://127.0.0.1:800": server.base,
        }.items():
            assert yours in text
            text = text.replace(yours, here)
        (folder / "hub.conf").write_text(text)
        server.plain = f"http://127.0.0.1:{plain}"
        kept = "".join(f"{one}_temp_path {folder}/{one};" for one in ("proxy", "client_body"))
        kept += "fastcgi_temp_path f; uwsgi_temp_path u; scgi_temp_path s;"
        main = f"user root; pid {folder}/pid; error_log {folder}/error.log; events {{}}"
        http = f"http {{ access_log off; {kept} include {folder}/hub.conf; }}"
        (folder / "nginx.conf").write_text(f"{main} {http}")
        nginx = subprocess.Popen(["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"])
        try:
            time.sleep(1)
            assert nginx.poll() is None, (folder / "error.log").read_text()
            yield server, f"https://127.0.0.1:{port}", str(certificate)
        finally:
            nginx.terminate()
            nginx.wait(20)


def test_a_learner_logs_in_and_runs_a_cell_over_https(front):
    server, base, certificate = front

    async def lesson():
        async with Trusting(base, "learner-1", server.password, certificate) as learner:
            await learner.login()
            await learner.spawn()
            await learner.start_kernel()  # by a WebSocket, through nginx
            said = await learner.run("print(6 * 7)")
            cookies = [cookie for cookie in learner.http.cookie_jar if "jupyterhub" in cookie.key]
            return said, {cookie.key: cookie["secure"] for cookie in cookies}

    said, cookies = asyncio.run(lesson())
    assert said.strip() == "42"
    assert len(cookies) >= 2 and all(cookies.values()), cookies


def test_http_leads_to_https_and_pages_are_sent_unpacked(front):
    server, base, certificate = front

    async def ask():
        async with Trusting(base, "learner-1", server.password, certificate) as learner:
            async with learner.http.get(f"{server.plain}/hub/login", allow_redirects=False) as answer:
                led = answer.status, answer.headers["Location"]
            async with learner.http.get(f"{base}/hub/login") as answer:
                return led, answer.headers.get("Content-Encoding")

    led, packed = asyncio.run(ask())
    assert led == (301, "https://127.0.0.1/hub/login")
    assert packed is None

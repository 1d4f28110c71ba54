"""A school's own accounts, and a certificate: nginx stands in front with the file that the handbook names, and a small
provider of OpenID Connect stands for the school's.
"""

import asyncio
import base64
import dataclasses
import hashlib
import http.server
import json
import shutil
import ssl
import subprocess
import threading
import time
import unicodedata
import urllib.parse
import uuid
from pathlib import Path

import aiohttp
import pytest

from classroom.server import accounts
from tests.classroom.server import load
from tests.classroom.server.learner import Learner

ACCOUNT = "Anna.Müller@Schule.example"
CLIENT, SECRET = "the course", "a secret of the school"
REFUSED = "This account is not in the class. Tell your teacher which one it is."


class Provider(http.server.ThreadingHTTPServer):
    """Says of whoever asks that they are `who`, to the one client that knows the secret."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answers)
        self.who, self.secret, self.codes = "", SECRET, {}
        self.address = f"http://127.0.0.1:{self.server_port}"


class Answers(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        path, _, query = self.path.partition("?")
        asked = dict(urllib.parse.parse_qsl(query))
        if path == "/.well-known/openid-configuration":
            names = ("authorization", "token", "userinfo")
            self.say({f"{name}_endpoint": f"{self.server.address}/{name}" for name in names})
        elif path == "/authorization" and asked["client_id"] == CLIENT and asked["response_type"] == "code":
            code = uuid.uuid4().hex
            self.server.codes[code] = asked | {"who": self.server.who}
            back = urllib.parse.urlencode({"code": code, "state": asked["state"]})
            self.send_response(302)
            self.send_header("Location", f"{asked['redirect_uri']}?{back}")
            self.end_headers()
        elif path == "/userinfo":
            token = self.headers["Authorization"].removeprefix("Bearer ").removeprefix("bearer ")
            self.say({"sub": "17", "preferred_username": self.server.codes[token]["who"]})

    def do_POST(self):
        given = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        asked = self.server.codes[given["code"]]
        digest = hashlib.sha256(given["code_verifier"].encode()).digest()
        fits = base64.urlsafe_b64encode(digest).decode().rstrip("=") == asked["code_challenge"]
        basic = "Basic " + base64.b64encode(f"{CLIENT}:{self.server.secret}".encode()).decode()
        known = given.get("client_secret") == self.server.secret or self.headers["Authorization"] == basic
        if fits and known and given["redirect_uri"] == asked["redirect_uri"]:
            self.say({"access_token": given["code"], "token_type": "Bearer", "expires_in": 300})
        else:
            self.send_error(401)

    def say(self, what):
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(what).encode())

    def log_message(self, *what):
        """Say nothing."""


class School(load.Server):
    """A hub that asks the provider who somebody is."""

    def __init__(self, provider):
        super().__init__(1)
        self.provider = provider

    def begin(self):
        known = {accounts.folded(ACCOUNT): self.names[0], "ms-lee": "teacher"}
        self.place = dataclasses.replace(self.place, sign_on=accounts.endpoints(self.provider.address), accounts=known)
        super().begin()


class Signed(Learner):
    """A learner who signs on with the school's account, over HTTPS."""

    def __init__(self, base, name, certificate):
        super().__init__(base, name, "")
        self.trust = ssl.create_default_context(cafile=certificate)

    async def __aenter__(self):
        connector = aiohttp.TCPConnector(ssl=self.trust)
        self.http = aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.CookieJar(unsafe=True))
        return self

    async def login(self):
        """Press the button of the login page; return the status and the text of the page that comes in the end."""
        async with self.http.get(f"{self.base}/hub/login") as page:
            assert "the account of your school" in await page.text()
        async with self.http.get(f"{self.base}/hub/oauth_login?next=") as answer:
            return answer.status, await answer.text()


@pytest.fixture(scope="module")
def provider():
    made = Provider()
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield made
    made.shutdown()
    made.server_close()


@pytest.fixture(scope="module")
def school(provider, tmp_path_factory):
    """Return a hub that asks the provider, the address of nginx in front of it, and the certificate."""
    assert shutil.which("nginx"), "These tests need nginx, a web server: apt-get install nginx-light."
    folder = tmp_path_factory.mktemp("front")
    certificate, key = folder / "hub.pem", folder / "hub.key"
    subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    make = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", *subject]
    subprocess.run([*make, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in zip(accounts.SECRETS, (CLIENT, SECRET), strict=True):
            patch.setenv(name, value)
        with School(provider) as server:
            port, plain = load.free_port(), load.free_port()
            text = Path(accounts.__file__).with_name("nginx.conf").read_text(encoding="utf-8")
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
            front = subprocess.Popen(
                ["nginx", "-p", str(folder), "-c", str(folder / "nginx.conf"), "-g", "daemon off;"]
            )
            try:
                time.sleep(1)
                assert front.poll() is None, (folder / "error.log").read_text()
                yield server, f"https://127.0.0.1:{port}", str(certificate)
            finally:
                front.terminate()
                front.wait(20)


def sign_on(school, provider, who):
    """Sign on as somebody; return the status and the page."""
    _, base, certificate = school

    async def try_it():
        async with Signed(base, "learner-1", certificate) as learner:
            return await learner.login()

    provider.who = who
    return asyncio.run(try_it())


def test_a_learner_signs_on_and_runs_a_cell_over_https(school, provider):
    _, base, certificate = school

    async def lesson():
        async with Signed(base, "learner-1", certificate) as learner:
            status, _ = await learner.login()
            await learner.spawn()
            await learner.start_kernel()  # by a WebSocket, through nginx
            said = await learner.run("print(6 * 7)")
            cookies = [cookie for cookie in learner.http.cookie_jar if "jupyterhub" in cookie.key]
            return status, said, {cookie.key: cookie["secure"] for cookie in cookies}

    provider.who = unicodedata.normalize("NFD", ACCOUNT.upper())  # in capitals, the umlaut in two parts
    status, said, cookies = asyncio.run(lesson())
    assert status == 200 and said.strip() == "42"
    assert len(cookies) >= 2 and all(cookies.values()), cookies


@pytest.mark.parametrize("who", ["ben@schule.example", "learner-1", "teacher", "-", "Anna.Muller@Schule.example"])
def test_who_is_not_in_the_roster_is_told_so(school, provider, who):
    """A name of the roster is nobody's account, unless the roster says so."""
    status, page = sign_on(school, provider, who)
    assert status == 403 and REFUSED in page


def test_http_leads_to_https_and_what_a_browser_says_of_itself_does_not_count(school):
    server, base, certificate = school

    async def ask():
        async with Signed(base, "learner-1", certificate) as learner:
            async with learner.http.get(f"{server.plain}/hub/login", allow_redirects=False) as answer:
                led = answer.status, answer.headers["Location"]
            says = {"X-Scheme": "http", "X-Forwarded-Proto": "http", "Accept-Encoding": "gzip"}
            async with learner.http.get(f"{base}/hub/oauth_login", headers=says, allow_redirects=False) as answer:
                return led, answer.headers["Location"], answer.headers.get("Content-Encoding")

    led, to, packed = asyncio.run(ask())
    assert led == (301, "https://127.0.0.1/hub/login")
    assert urllib.parse.quote(f"{base}/hub/oauth_callback", safe="") in to and packed is None


def test_nobody_comes_in_by_a_password(school):
    server, base, certificate = school

    async def post():
        async with Signed(base, "learner-1", certificate) as learner:
            form = {"username": "learner-1", "password": server.password}
            async with learner.http.get(f"{base}/hub/login"):
                form["_xsrf"] = learner._xsrf(f"{base}/hub/login")
            async with learner.http.post(f"{base}/hub/login", data=form, allow_redirects=False) as answer:
                return answer.status

    assert 400 <= asyncio.run(post()) < 500

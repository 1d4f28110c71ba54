"""A learner who wants to be another, above all the teacher: at the addresses of servers, at the login, at the hub.

Anna attacks from her kernel through the whole story, which one fixture tells; each test looks at one thing in it.
"""

import asyncio
import json
import os
import pwd
import re
import signal
import socket
import subprocess
import sys
import time
from types import SimpleNamespace

import psutil
import pytest
from jupyterhub.spawner import LocalProcessSpawner

from classroom.server import manage, settings
from classroom.server.login import LINE
from classroom.server.sockets import SocketSpawner
from tests.classroom.server.conftest import LATER, NAMES, TEACHER
from tests.classroom.server.learner import Failed, Learner

ANNA, BEN = NAMES
STOLEN = "STOLEN"

# What Anna runs: a server of ten lines, at every address at which the hub could look for somebody's server, its own, or
# its proxy's. It goes on trying, a hundred times a second, and takes what comes free. GOT: what she must not get.
SQUAT = f"""
import http.server, os, socket, socketserver, threading, time
GOT, HELD, BASE = [], {{}}, os.path.expanduser('~/mine')
class Page(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.send_header('Content-Type', 'text/html')
        self.send_header('X-JupyterHub-Version', '6.1.1'); self.end_headers(); self.wfile.write(b'{STOLEN}')
    do_POST = do_GET
    address_string = lambda self: ''
    log_message = lambda *a: None
class Unix(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
    pass
def serve(server):
    threading.Thread(target=server.serve_forever, daemon=True).start()
def port(number, forbidden):
    if number not in HELD:
        HELD[number] = http.server.ThreadingHTTPServer(('127.0.0.1', number), Page); serve(HELD[number])
        if forbidden: GOT.append(number)
def path(name):
    if not os.path.exists(BASE): serve(Unix(BASE, Page))
    for take in (lambda: os.unlink(name), lambda: os.symlink(BASE, name), lambda: os.link(BASE, name),
                 lambda: os.rename(os.path.dirname(name), BASE + '-folder')):
        try: take(); GOT.append(name)
        except OSError: pass
def seen():
    return {{line.split()[-1] for line in open('/proc/net/unix') if 'ffn-hub' in line}}
def work(public, ports, names, paths):
    while True:
        for number in (public, *ports):
            try: port(number, number == public)
            except OSError: pass
        others = {{one.replace('{ANNA}', name) for one in seen() for name in names}}
        for name in others | set(paths): path(name)
        time.sleep(0.01)
threading.Thread(target=work, args=ARGUMENTS, daemon=True).start()
"""

BOMB = """
import os, time
try:
    while True:
        if os.fork() == 0:
            while True:
                try: os.fork()
                except OSError: time.sleep(0.2)
except OSError as error: print('ended:', error)
"""


def squat(hub):
    """Return what Anna runs, with what she can know of the hub."""
    place, others = hub.place, (BEN, TEACHER, LATER)
    fixed = 20_000 + place.port // 10 % 100 * 100  # where servers had their ports before they had sockets
    ports = [place.port + 1, place.port + 2, 8001, 8888, *range(fixed, fixed + 6)]
    paths = [str(place.sockets / kind) for kind in ("hub", "kept/.proxy")]
    paths += [str(place.sockets / kind) for name in others for kind in (f"kept/{name}", f"new/{name}/socket")]
    return SQUAT.replace("ARGUMENTS", repr((place.port, ports, others, paths)))


def passwords(hub):
    return json.loads(hub.place.passwords.read_text())


def teacher(hub):
    return Learner(hub.base, TEACHER, passwords(hub)["teacher"])


def root(hub, *words):
    """Type a command as root; return (exit code, what it says)."""
    command = [sys.executable, "-m", "classroom.server.manage", *words, "--folder", str(hub.place.folder)]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


async def arrive(one):
    """Log in, start, and say who one is on the server that one is led to."""
    await one.login()
    await one.spawn()
    async with one.http.get(f"{one.server}/lab") as answer:
        if STOLEN in await answer.text():
            return STOLEN
    await one.start_kernel()
    return (await one.run("import getpass; print(getpass.getuser())")).strip()


async def pages(one, seconds):
    """Return all that a browser gets at an address for some seconds, as fast as it comes."""
    found, end = set(), time.monotonic() + seconds
    while time.monotonic() < end:
        async with one.http.get(f"{one.server}/lab") as answer:
            found.add(STOLEN if STOLEN in await answer.text() else answer.status)
    return found


async def asked(one, method, path):
    """Ask the hub as a page on its origin would: with the cookies of whoever looks at it, and a token of theirs."""
    async with one.http.get(f"{one.base}/hub/home") as answer:
        token = (await answer.text()).partition('xsrf_token: "')[2].partition('"')[0]
    headers = {"X-XSRFToken": token}
    async with one.http.request(method, f"{one.base}/hub/{path}", headers=headers, json={}) as answer:
        return answer.status


def server_of(name):
    """Return the process of a learner's server."""
    (one,) = [
        one for one in psutil.process_iter(["username", "cmdline"])
        if one.info["username"] == name and "jupyterhub.singleuser" in one.info["cmdline"]
    ]  # fmt: skip
    return one


def running(name):
    """Return how many processes a Unix user has."""
    uid = pwd.getpwnam(name).pw_uid
    states = [one.info["status"] for one in psutil.process_iter(["uids", "status"]) if one.info["uids"].real == uid]
    return len(states) - states.count(psutil.STATUS_ZOMBIE)


@pytest.fixture(scope="module")
def told(hub):
    """What happens while Anna attacks: before and after the hub is started again with one more in the class."""
    found = {}
    asyncio.run(before(hub, found))
    hub.end()
    time.sleep(1)  # Anna tries what comes free
    hub.join(*NAMES, LATER)
    hub.begin()
    asyncio.run(after(hub, found))
    return found


async def before(hub, found):
    async with Learner(hub.base, ANNA, hub.password) as anna, teacher(hub) as lee:
        await arrive(anna)
        await anna.run("kept = 23")
        assert await anna.run(squat(hub)) == ""
        found["all started"] = await asyncio.to_thread(root, hub, "start", BEN, TEACHER)
        found["teacher"] = await arrive(lee)
        rights = [("GET", "api/users"), ("GET", "admin"), ("POST", f"api/users/{BEN}/tokens")]
        rights += [("POST", "api/users/new"), ("DELETE", f"api/users/{BEN}/server"), ("GET", f"api/users/{BEN}")]
        found["rights"] = {" ".join(one): await asked(lee, *one) for one in rights}
        found["own"] = await asked(lee, "GET", f"api/users/{TEACHER}")
        lee.server = lee.server.replace(TEACHER, BEN)
        found["ben's files, by the teacher"] = (await lee.api("GET", "contents"))[0]
    async with Learner(hub.base, BEN, hub.password) as ben:
        found["ben"] = await arrive(ben)
        found["ben listens"] = [
            (end.laddr, one.cmdline())
            for one in psutil.process_iter(["username"])
            if one.info["username"] == BEN
            for end in one.net_connections("inet") + one.net_connections("unix")
            if end.status in ("LISTEN", "NONE") and end.laddr and not end.raddr
        ]
        server_of(BEN).send_signal(signal.SIGKILL)
        found["at a dead address"] = await pages(ben, 3)
        while manage.states(hub.place)[BEN]:  # the hub looks every five seconds
            await asyncio.sleep(0.2)
        found["ben again"] = await arrive(ben)


async def after(hub, found):
    async with (
        Learner(hub.base, ANNA, hub.password) as anna,
        Learner(hub.base, BEN, hub.password) as ben,
        Learner(hub.base, LATER, hub.password) as abe,
    ):
        found["joined"] = await arrive(abe)
        await anna.login()
        await anna.spawn()
        anna.kernel = (await anna.api("GET", "kernels"))[1][0]["id"]
        await anna.connect()
        found["kept"] = (await anna.run("print(kept)")).strip()
        found["got"] = (await anna.run("print(GOT, len(HELD))")).strip()
        found["ben at last"] = await arrive(ben)
        found["bomb"] = await ben.run(BOMB)
        found["in the bomb"] = running(BEN)
        begin = time.monotonic()
        found["anna in the bomb"] = (await anna.run("print(6 * 7)")).strip(), time.monotonic() - begin
        found["ben stopped"] = await asyncio.to_thread(root, hub, "stop", BEN)
        found["after the bomb"] = running(BEN)
        await anna.run("import os; os.unlink(BASE)")


def test_nobody_is_led_to_the_server_of_somebody_else(told):
    everybody = {name: told[name] for name in ("teacher", "ben", "ben again", "ben at last", "joined")}
    assert everybody == {
        "teacher": TEACHER,
        "ben": BEN,
        "ben again": BEN,
        "ben at last": BEN,
        "joined": LATER,
    }


def test_a_learner_listens_only_in_folders_that_nobody_else_can_enter(hub, told):
    """On a port of ipykernel's own, a classmate could send what fills the memory of the kernel."""
    own = f"({re.escape(pwd.getpwnam(BEN).pw_dir)}/[.]run|{re.escape(str(hub.place.sockets))}/new/{BEN})/[^/]+"
    assert len(told["ben listens"]) > 5  # of a kernel alone
    assert [one for one in told["ben listens"] if not (isinstance(one[0], str) and re.fullmatch(own, one[0]))] == []


def test_the_address_of_a_server_that_died_is_nobodys(told):
    assert STOLEN not in told["at a dead address"] and told["at a dead address"] <= {424, 503}


def test_anna_tried_and_got_no_address_of_the_hub(told):
    """Not while servers started and died, and not while the hub was down."""
    got, _, held = told["got"].rpartition(" ")
    assert got == "[]" and int(held) >= 5  # ports that nobody asks any more


def test_who_works_goes_on_while_the_class_grows(told):
    assert told["kept"] == "23"


def test_teacher_has_no_rights_in_the_hub(told):
    assert set(told["rights"].values()) <= {403, 404}, told["rights"]
    assert told["own"] == 200  # so the questions were asked rightly
    assert told["ben's files, by the teacher"] == 403


def test_a_fork_bomb_ends_and_the_others_work(told):
    assert "ended: [Errno 11]" in told["bomb"]
    assert 100 < told["in the bomb"] <= settings.PROCESSES
    said, seconds = told["anna in the bomb"]
    assert said == "42" and seconds < 30
    assert told["ben stopped"] == (0, "1 of 1 servers are stopped.\n") and told["after the bomb"] == 0


def test_wrong_passwords_slow_down_their_name_and_no_other(hub):
    """Many at once are refused; the right one is let in soon after, and a classmate is not made to wait."""

    async def tries():
        async def attempt(name, password):
            async with Learner(hub.base, name, password) as one:
                begin = time.monotonic()
                try:
                    await one.login()
                except Failed as error:
                    return str(error)[-3:], time.monotonic() - begin
                return "in", time.monotonic() - begin

        wrong = [asyncio.create_task(attempt(TEACHER, f"wrong-{number}")) for number in range(20)]
        await asyncio.sleep(1.5)
        other = await attempt(ANNA, hub.password)
        answers = await asyncio.gather(*wrong)
        return answers, other, await attempt(TEACHER, passwords(hub)["teacher"])

    answers, other, right = asyncio.run(tries())
    refused = [status for status, _ in answers]
    assert set(refused) == {"403", "429"} and refused.count("429") >= 20 - LINE - 3
    assert max(seconds for _, seconds in answers) > 1.5
    assert other[0] == right[0] == "in" and other[1] < 1.5 + right[1]
    assert f"wrong passwords for {TEACHER}" in hub.said()


def test_the_password_of_one_role_does_not_open_the_other(hub):
    async def tries():
        found = []
        for name, password in ((TEACHER, hub.password), (ANNA, passwords(hub)["teacher"]), ("root", hub.password)):
            async with Learner(hub.base, name, password) as one:
                with pytest.raises(Failed) as refused:
                    await one.login()
                found.append(str(refused.value)[-3:])
        return found

    assert asyncio.run(tries()) == ["403"] * 3


@pytest.mark.parametrize("kind", ["link to a socket of root", "socket of another"])
def test_what_is_no_socket_of_its_learner_is_never_opened(hub, tmp_path, monkeypatch, kind):
    """A learner's own code runs before the server listens, and may put anything where the socket is to be."""
    tmp_path.chmod(0o755)
    for name in ("new", "kept"):
        (tmp_path / name).mkdir()

    async def plant(self):
        if kind == "link to a socket of root":
            self.new.symlink_to(hub.place.sockets / "hub")
        else:
            with socket.socket(socket.AF_UNIX) as one:
                one.bind(str(self.new))
            self.new.chmod(0o600)

    monkeypatch.setattr(LocalProcessSpawner, "start", plant)
    monkeypatch.setattr(LocalProcessSpawner, "poll", lambda self: asyncio.sleep(0, None))
    spawner = SocketSpawner(user=SimpleNamespace(name=ANNA), sockets=str(tmp_path))
    if kind == "link to a socket of root":
        with pytest.raises(TimeoutError):
            asyncio.run(asyncio.wait_for(spawner.start(), 0.5))
    else:
        with pytest.raises(RuntimeError, match="no socket of its own"):
            asyncio.run(spawner.start())
    assert not os.path.lexists(spawner.kept)


def test_solutions_that_learners_can_read_stop_the_start(hub, tmp_path):
    checkout = hub.place.folder.parent / "checkout"
    kept = checkout / "lessons" / "one" / "solutions.py"
    kept.parent.mkdir(parents=True)
    kept.touch()
    checkout.chmod(0o755)
    (said,) = settings.readable(hub.place, checkout)
    assert f"{ANNA} can read {kept}" in said and f"chmod 700 {checkout}" in said
    checkout.chmod(0o700)
    assert settings.readable(hub.place, checkout) == []

"""The command of the unit for systemd, typed: a second start is refused, and SIGTERM ends all that it started."""

import configparser
import os
import shlex
import shutil
import signal
import socket
import subprocess
import time

import psutil

from classroom.server import start
from tests.classroom.server.conftest import NAMES, TEACHER, free_low_port


def listens(port):
    with socket.socket() as test:
        return test.connect_ex(("127.0.0.1", port)) == 0


def wait_until(true, seconds, log):
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, log.read_text()[-3000:]
        time.sleep(0.5)


def started_by(process):
    """Return the process and all that it has started."""
    one = psutil.Process(process.pid)
    return [one, *one.children(recursive=True)]


def test_a_second_start_is_refused_and_sigterm_ends_the_hub_and_its_proxy(hub, tmp_path):
    unit = configparser.ConfigParser()
    unit.optionxform = str
    unit.read(start.HERE / "ffn-hub.service")
    _, *words = shlex.split(unit["Service"]["ExecStart"])
    checkout = tmp_path / "ffn"  # closed, as the handbook asks
    subprocess.run(["git", "clone", "--quiet", "--no-hardlinks", str(start.ROOT), str(checkout)], check=True)
    checkout.chmod(0o700)
    (checkout / "roster.txt").write_text("".join([f"teacher: {TEACHER}\n", *(f"{name}\n" for name in NAMES)]))
    folder, port, log = hub.place.folder.parent / "second", free_low_port(), tmp_path / "log"
    command = [hub.place.python, *words, "--folder", str(folder), "--port", str(port)]
    environment = os.environ | {"PYTHONPATH": str(checkout), "COURSE_HUB_PYTHON": hub.place.python}
    proxys = start.settings.Place(folder, NAMES, TEACHER, port, False, (), "", folder).proxys_socket
    proxys.parent.mkdir(parents=True, exist_ok=True)
    with socket.socket(socket.AF_UNIX) as left:  # by a proxy that was killed
        left.bind(str(proxys))
    folder.mkdir()
    (folder / "proxy.pid").write_text(str(os.getpid()))  # of another process by now, which goes on
    with log.open("w") as file:
        process = subprocess.Popen(command, cwd=checkout, env=environment, stdout=file, stderr=file)
    try:
        wait_until(lambda: "JupyterHub is now running" in log.read_text() or process.poll() is not None, 120, log)
        assert process.poll() is None, log.read_text()[-3000:]
        running = started_by(process)
        assert any("configurable-http-proxy" in " ".join(one.cmdline()) for one in running), log.read_text()[-3000:]
        assert {one.username() for one in running} == {"root"}
        ports = [end.laddr for one in running for end in one.net_connections("tcp") if end.status == "LISTEN"]
        assert {(address.ip, address.port) for address in ports} == {("127.0.0.1", port)}
        assert folder.stat().st_mode & 0o077 == 0
        assert {"hub.sqlite", "cookie_secret", "passwords.json"} <= {path.name for path in folder.iterdir()}
        again = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, timeout=60)
        assert again.returncode == 1 and "already runs with the folder" in again.stderr and not again.stdout
        assert listens(port)
        process.send_signal(signal.SIGTERM)
        process.wait(60)
        assert not psutil.wait_procs(running[1:], timeout=10)[1] and not listens(port)
        with subprocess.Popen(["sleep", "600"], **start.settings.as_user(NAMES[1])) as left:
            manage = [hub.place.python, "-m", "classroom.server.manage", "stop", NAMES[1], "--folder", str(folder)]
            assert subprocess.run(manage, cwd=checkout, env=environment).returncode == 0 and left.wait(10) == -9
    finally:
        if process.poll() is None:
            process.kill()
        shutil.rmtree(proxys.parent.parent, ignore_errors=True)

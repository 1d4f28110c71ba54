"""A hub as the chart sets it up, of its version of JupyterHub, and the line with which a learner's server begins."""

import asyncio
import json
import os
import subprocess
import sys
import time

import pytest

from classroom import edition
from classroom.server import start
from tests.classroom.server.conftest import free_low_port
from tests.classroom.server.learner import Failed, Learner
from tests.classroom.test_cluster import CLUSTER, VALUES

PASSWORD = "0123456789abcdef01234567"
CONFIG = """import json
for section, values in json.loads({values!r}).items():
    for name, value in values.items():
        setattr(c[section], name, value)
c.SharedPasswordAuthenticator.user_password = {password!r}
c.JupyterHub.bind_url = "http://127.0.0.1:{port}"
c.JupyterHub.hub_port = {port} + 1
c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:{port_of_proxy}"
c.ConfigurableHTTPProxy.command = {proxy!r}
c.JupyterHub.spawner_class = "simple"
"""


@pytest.fixture
def base(tmp_path):
    """The address of a hub of the chart's version; that one cannot be installed beside ours."""
    version = (CLUSTER / "README.md").read_text(encoding="utf-8").partition("runs JupyterHub ")[2].partition(",")[0]
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "env")], check=True)
    python = str(tmp_path / "env" / "bin" / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", f"jupyterhub=={version}"], check=True)
    port = free_low_port()
    text = CONFIG.format(
        values=json.dumps(VALUES["hub"]["config"]),
        password=PASSWORD,
        port=port,
        port_of_proxy=port + 2,
        proxy=list(start.proxy()),
    )
    (tmp_path / "config.py").write_text(text)
    command, log = [python, "-m", "jupyterhub", "--config", "config.py"], tmp_path / "log"
    with log.open("w") as file, subprocess.Popen(command, cwd=tmp_path, stdout=file, stderr=file) as process:
        end = time.monotonic() + 120
        while "JupyterHub is now running" not in log.read_text():
            assert process.poll() is None and time.monotonic() < end, log.read_text()[-3000:]
            time.sleep(0.5)
        yield f"http://127.0.0.1:{port}"
        process.terminate()


def test_the_roster_and_the_password_decide_who_comes_in(base):
    async def answer(name, password):
        async with Learner(base, name, password) as one:
            try:
                await one.login()
            except Failed as refused:
                return str(refused)[-3:]
            async with one.http.get(f"{base}/hub/admin") as page:
                return "in", page.status

    tries = [("anna", PASSWORD), ("ben", PASSWORD), ("anna", "wrong"), ("carl", PASSWORD), ("ms-lee", PASSWORD)]
    found = [asyncio.run(answer(*one)) for one in tries]
    assert found == [("in", 403), ("in", 403), "403", "403", "403"]


def test_each_start_brings_the_course_of_the_image_and_always_ends_well(tmp_path):
    image, home = tmp_path / "opt", tmp_path / "home"
    edition.pack(tmp_path / "course.zip")
    subprocess.run([sys.executable, "-m", "zipfile", "--extract", str(tmp_path / "course.zip"), str(image)], check=True)
    home.mkdir()
    *shell, line = VALUES["singleuser"]["lifecycleHooks"]["postStart"]["exec"]["command"]
    line = line.replace("/opt/ffn-course", str(image / "ffn-course"))
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])

    def begin():
        subprocess.run([*shell, line], check=True, env={"HOME": str(home), "PATH": path})

    begin()
    mine = home / "ffn-course" / "my_notebooks"
    lesson, failed = mine / "01_linear_limits.ipynb", mine / "UPDATE_FAILED.txt"
    assert lesson.is_file() and not failed.exists()
    published = image / "ffn-course" / "notebooks" / lesson.name
    new = published.read_text(encoding="utf-8").replace("# ", "# Changed ", 1)
    published.write_text(new, encoding="utf-8")
    lesson.write_text("{", encoding="utf-8")
    begin()
    assert "01_linear_limits.ipynb is not a readable notebook" in failed.read_text(encoding="utf-8")
    lesson.unlink()
    begin()
    assert "Changed " in lesson.read_text(encoding="utf-8") and not failed.exists()

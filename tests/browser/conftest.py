"""A real browser and a real Jupyter server, for the tests in this folder.

The browser is the system's Chromium. Without one the tests fail and say how to get it: a browser test that is passed
over in silence proves nothing.
"""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import nbformat
import pytest

from publish.site import browser
from tests.browser.page import Course, shut_down
from tests.conftest import NOTEBOOKS

FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
SETTINGS = {
    # Every cell stays in the page, so that the accessibility check sees the whole lesson.
    "@jupyterlab/notebook-extension:tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension:notification": {"fetchNews": "false", "checkForUpdates": False},
}


def find_browser() -> str:
    """Return the path of a Chromium, named by $COURSE_BROWSER or found on the machine."""
    try:
        return browser.find()
    except browser.NoBrowser as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args):
    """Use the system's browser, without the network."""
    return {**browser_type_launch_args, "executable_path": find_browser(), "args": FLAGS}


@pytest.fixture(scope="session")
def context(playwright, browser_type_launch_args, tmp_path_factory):
    """One browser for all tests, with a profile on disk, as learners have one: it keeps the scripts it has compiled."""
    profile = str(tmp_path_factory.mktemp("profile"))
    context = playwright.chromium.launch_persistent_context(profile, **browser_type_launch_args)
    yield context
    context.close()


@pytest.fixture(scope="session")
def windows(context):
    """The windows that tests leave open for the next one; starting JupyterLab costs more than most of the tests."""
    return {}


@pytest.fixture
def page(request, context, windows):
    """Give a window: the one that a test with the same application has left, if it passed, else a new one."""
    app = request.node.callspec.params.get("app")
    page = windows.pop(app, None) or context.new_page()
    page.bring_to_front()
    yield page
    if app and request.node.rep_call.passed:
        windows[app] = page
    else:
        page.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory):
    """Start one Jupyter server on a free port with a token, in a folder of its own."""
    folder = tmp_path_factory.mktemp("course")
    (folder / "notebooks").mkdir()
    (folder / "settings").mkdir()
    (folder / "settings" / "overrides.json").write_text(json.dumps(SETTINGS))
    yield from _serve(folder)


def _serve(folder):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    token = secrets.token_hex(16)
    environment = {**os.environ, "COURSE_PROGRESS": str(folder / "progress.json"), "OMP_NUM_THREADS": "1"}
    environment.pop("COURSE_STATIC", None)  # set for the other tests; here everything is live
    settings = str(folder / "settings")
    command = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--ip=127.0.0.1", f"--port={port}"),
        *(f"--IdentityProvider.token={token}", f"--ServerApp.root_dir={folder}", "--ServerApp.port_retries=0"),
        *(f"--LabApp.app_settings_dir={settings}", f"--JupyterNotebookApp.app_settings_dir={settings}"),
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        *("--LabApp.news_url=None", "--LabApp.extension_manager=readonly"),
        *("--LabApp.expose_app_in_browser=True", "--JupyterNotebookApp.expose_app_in_browser=True"),
    ]
    if hasattr(os, "getuid") and os.getuid() == 0:
        command.append("--allow-root")
    with open(folder / "server.log", "w", encoding="utf-8") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
    address = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(process, address, folder / "server.log")
        serving = {"address": address, "token": token, "folder": folder}
        yield serving
        shut_down(serving)  # a server with kernels does not always end
    finally:
        process.terminate()
        process.wait(timeout=30)


def _wait_until_ready(process, address, log):
    for _ in range(300):
        try:
            urllib.request.urlopen(f"{address}/api", timeout=5).close()
            return
        except (urllib.error.URLError, OSError):
            if process.poll() is not None:
                break
            time.sleep(0.2)
    pytest.fail(f"The Jupyter server did not start:\n{log.read_text()}", pytrace=False)


def copy_without_outputs(source, target):
    """Copy a lesson without its stored outputs, so that a test sees only what its own run made."""
    notebook = json.loads(source.read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            cell["outputs"], cell["execution_count"] = [], None
    target.write_text(json.dumps(notebook), encoding="utf-8")


@pytest.fixture
def requests(page):
    """Log the address of every request that the page makes."""
    addresses = []

    def note(made):
        addresses.append(made.url)

    page.on("request", note)
    page.on("websocket", note)
    yield addresses
    page.remove_listener("request", note)
    page.remove_listener("websocket", note)


@pytest.fixture
def open_lesson(page, server, requests):
    """Return a function that opens a lesson in JupyterLab ("lab") or Notebook 7 ("notebook")."""
    opened = []

    def opener(app: str, name: str) -> Course:
        copy_without_outputs(NOTEBOOKS / name, server["folder"] / "notebooks" / name)
        course = Course(page, server, app, name)
        opened.append(course)
        course.open()
        return course

    yield opener
    for course in opened:
        course.shut_down()


@pytest.fixture
def open_cells(page, server, requests):
    """Return a function that opens a new notebook with the given code cells, {id: source}."""
    opened = []

    def opener(app: str, cells: dict[str, str]) -> Course:
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(source, id=id) for id, source in cells.items()],
            metadata={"kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"}},
        )
        name = f"cells_for_{app}.ipynb"
        nbformat.write(notebook, server["folder"] / "notebooks" / name)
        course = Course(page, server, app, name)
        opened.append(course)
        course.open()
        return course

    yield opener
    for course in opened:
        if course.app == "lab":  # Notebook 7 needs a kernel that it can start anew
            course.shut_down()


def pytest_collection_modifyitems(items):
    """Begin with what takes longest, so that no worker is left with it at the end."""
    items.sort(key=lambda item: item.path.name not in ("test_lessons.py", "test_start.py"))

"""What goes wrong on learners' machines, with real kernels: the course goes on, and nothing solved is lost."""

import os
import time

import nbformat
import pytest
from jupyter_client.manager import KernelManager
from nbclient import NotebookClient

from courseware.progress import Progress
from tests.conftest import NOTEBOOKS, statuses_of

SETUP = """
import numpy as np
from course_lib.desk import TODO, check, hint, progress, quiz, solution
def collapse(W1, b1, W2, b2):
    return W1 @ W2, b1 @ W2 + b2
"""


class Kernel:
    """A kernel as a notebook page uses it."""

    def __init__(self, folder, **environment):
        self.manager = KernelManager(kernel_name="python3")
        self.manager.start_kernel(cwd=str(folder), env={**os.environ, **environment})
        self.client = self.manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=60)

    def start(self, code):
        """Send code to the kernel and do not wait."""
        return self.client.execute(code, allow_stdin=False)

    def run(self, code):
        """Run code and return everything it shows, as plain text; an error shows as its name and message."""
        message_id, shown = self.start(code), []
        while True:
            message = self.client.get_iopub_msg(timeout=60)
            if message["parent_header"].get("msg_id") != message_id:
                continue
            content = message["content"]
            if message["msg_type"] == "stream":
                shown.append(content["text"])
            elif message["msg_type"] in ("display_data", "execute_result"):
                shown.append(content["data"]["text/plain"])
            elif message["msg_type"] == "error":
                shown.append(f"{content['ename']}: {content['evalue']}")
            elif content.get("execution_state") == "idle":
                return "\n".join(shown)

    def stop(self):
        self.client.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(tmp_path):
    """Return a function that starts a kernel with a progress file of its own."""
    kernels = []

    def start(**environment):
        kernels.append(Kernel(tmp_path, COURSE_PROGRESS=str(tmp_path / "progress.json"), **environment))
        return kernels[-1]

    yield start
    for one in kernels:
        one.stop()


def statuses(tmp_path):
    return statuses_of(Progress(tmp_path / "progress.json"))


def test_a_kernel_killed_in_the_middle_of_a_check_loses_nothing(kernel, tmp_path):
    first = kernel()
    assert "✓ Correct" in first.run(SETUP + 'check("linear_limits.collapse", collapse)')
    first.start(
        'def double(x):\n    open("busy", "w").close()\n    while True: pass\ncheck("start_here.double", double)'
    )
    end = time.monotonic() + 30
    while not (tmp_path / "busy").exists():
        assert time.monotonic() < end, "the check did not begin"
        time.sleep(0.05)
    first.manager._kill_kernel() if not hasattr(first.manager, "signal_kernel") else first.manager.signal_kernel(9)
    second = kernel()
    assert statuses(tmp_path) == {"linear_limits.collapse": "correct"}
    assert "1 of " in second.run(SETUP + "progress()")
    assert "✓ Correct" in second.run('check("start_here.double", lambda x: 2 * x)')
    assert statuses(tmp_path) == {"linear_limits.collapse": "correct", "start_here.double": "correct"}


def test_a_session_survives_what_learners_do(kernel, tmp_path):
    session = kernel()
    session.run(SETUP)
    for body, sign in (
        ("while True: pass", "■ Stopped"),
        ("return collapse(W1, b1, W2, b2, b2)", "■ Stopped"),
        ("return exit()", "■ Stopped"),
        ("return quit()", "■ Stopped"),
        ("return input('W?')", "■ Stopped"),
        ("return [0] * 10**11", "■ Stopped"),
        ("np.random.seed(0); print('!'); return W1 @ W2, b1 @ W2 + b2", "✓ Correct"),
    ):
        shown = session.run(f'def answer(W1, b1, W2, b2):\n    {body}\ncheck("linear_limits.collapse", answer)')
        assert sign in shown, (body, shown)
        assert "Traceback" not in shown
    session.run("list = dict = str = len = sum = 5")
    assert "✓ Correct" in session.run('check("linear_limits.collapse", collapse)')
    session.run("check = 5\nhint = None")
    assert "TypeError" in session.run('check("linear_limits.collapse", collapse)')
    assert "✓ Correct" in session.run(SETUP + 'check("linear_limits.collapse", collapse)')
    assert statuses(tmp_path) == {"linear_limits.collapse": "correct"}


def test_a_lesson_runs_anywhere(tmp_path):
    """In a path with spaces and other scripts, in the locale C, and without assertions and docstrings."""
    folder = tmp_path / "Übung macht den Meister 学"
    folder.mkdir()
    surroundings = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONOPTIMIZE": "2"}
    notebook = nbformat.read(NOTEBOOKS / "13_build_layer.ipynb", as_version=4)
    wanted = {cell.id: _plain(cell) for cell in notebook.cells}
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    client = NotebookClient(notebook, timeout=120, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, "COURSE_PROGRESS": str(folder / "progress.json"), **surroundings})
    assert {cell.id: _plain(cell) for cell in notebook.cells} == wanted


def test_a_lesson_runs_with_warnings_as_errors(kernel):
    """Our own code warns nowhere; the filter is set after the kernel's own start."""
    session = kernel(COURSE_STATIC="1")
    session.run("import warnings\nwarnings.simplefilter('error')")
    notebook = nbformat.read(NOTEBOOKS / "05_position_independence.ipynb", as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            shown = session.run(cell.source)
            assert "Warning" not in shown and "Error" not in shown, (cell.id, shown)


def _plain(cell):
    """Return the text outputs of a cell, however the kernel cut them into pieces."""
    outputs = cell.get("outputs", [])
    return "".join(output.get("text") or output.get("data", {}).get("text/plain", "error") for output in outputs)

"""What a learner does with an open lesson, in JupyterLab 4 and in Notebook 7."""

import json
import time
import urllib.request

import pytest

# A submission asks JupyterLab; Notebook 7, which shows the same cells, is asked one lesson, and by .ci/long all.
APPS = ("lab", pytest.param("notebook", marks=pytest.mark.thorough))

# The state of the open notebook, read from the application itself; what a learner does is done with keys and clicks.
# Outputs, which can be megabytes of pictures, are read for one cell, or for all ("all"), or for none.
STATE = """whose => {
    const panel = window.jupyterapp?.shell.currentWidget;
    const session = panel?.sessionContext?.session;
    if (!session?.kernel || !panel.content?.model) return null;
    const cells = [];
    for (const cell of panel.content.model.cells) {
        const outputs = whose === "all" || whose === cell.id ? cell.toJSON().outputs ?? [] : [];
        cells.push({id: cell.id, type: cell.type, source: cell.sharedModel.getSource(), outputs,
                    count: cell.executionCount ?? null});
    }
    return {kernel: session.kernel.status, cells};
}"""

# Opened as from the file browser, in a JupyterLab that is running; what is open in it is closed first, unsaved.
OPEN_IN_LAB = """async path => {
    for (const widget of [...jupyterapp.shell.widgets("main")]) widget.dispose();
    await jupyterapp.commands.execute("docmanager:open", {path, factory: "Notebook"});
}"""

# Notebook 7 has one notebook in a window: what now stands in its file is put there, and its kernel starts anew.
OPEN_AGAIN = """async () => {
    const {context, sessionContext} = jupyterapp.shell.currentWidget;
    await context.revert();
    await sessionContext.restartKernel();
}"""

# How many cells this kernel has finished since the page first asked; numbers of cells say nothing about a second run.
REPLIES = """() => {
    const kernel = window.jupyterapp.shell.currentWidget.sessionContext.session.kernel;
    if (kernel.finishedCells === undefined) {
        kernel.finishedCells = 0;
        kernel.anyMessage.connect((_, {msg, direction}) => {
            if (direction === "recv" && msg.header.msg_type === "execute_reply") kernel.finishedCells += 1;
        });
    }
    return kernel.finishedCells;
}"""


class Course:
    """One lesson, open in a browser page."""

    def __init__(self, page, server, app, name):
        self.page, self.server, self.app, self.name = page, server, app, name
        page.set_viewport_size({"width": 1280, "height": 900})
        page.set_default_timeout(60_000)

    @property
    def path(self):
        """Where the notebook lies on disk."""
        return self.server["folder"] / "notebooks" / self.name

    def open(self):
        """Open the lesson, in a JupyterLab that this page shows already or in a new one, and wait for its kernel."""
        address, token = self.server["address"], self.server["token"]
        if self.app == "lab" and self.page.url.startswith(f"{address}/lab/"):
            self.page.evaluate(OPEN_IN_LAB, f"notebooks/{self.name}")
        elif self.page.url == f"{address}/notebooks/notebooks/{self.name}" and self._has_kernel():
            self.page.evaluate(OPEN_AGAIN)
        else:
            where = f"lab/workspaces/{self.path.stem}/tree" if self.app == "lab" else "notebooks"
            reset = "&reset" if self.app == "lab" else ""
            self.page.goto(f"{address}/{where}/notebooks/{self.name}?token={token}{reset}")
        self.wait_for_kernel()

    def wait_for_kernel(self):
        """Wait until the notebook is shown and its kernel is idle; the indicator says so before there is one."""
        self.page.wait_for_selector(".jp-Notebook .jp-Cell")
        self.until(lambda state: state["kernel"] == "idle", "the kernel is idle")

    def state(self, outputs_of=None):
        """Return {kernel, cells} or None while there is no kernel; with the outputs of one cell, or of "all"."""
        return self.page.evaluate(STATE, outputs_of)

    def until(self, condition, what, seconds=90):
        """Poll the state until condition(state) holds."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.state()
            if state and condition(state):
                return state
            self.page.wait_for_timeout(150)
        raise AssertionError(f"{self.app}, {self.name}: after {seconds} s it is still not so that {what}")

    def patiently(self, check, *arguments, seconds=30):
        """Call a function of assertions until they hold: a page shows its messages one after another."""
        end = time.monotonic() + seconds
        while True:
            try:
                return check(*arguments)
            except AssertionError:
                if time.monotonic() > end:
                    raise
            self.page.wait_for_timeout(150)

    def run_all(self):
        """Choose Run All Cells from the menu and wait until every code cell has finished."""
        before = self.page.evaluate(REPLIES)
        for _ in range(5):  # a click on a page that is still settling can be lost
            self.page.get_by_role("menuitem", name="Run", exact=True).click()
            self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
            if self._started(before):
                break
        self.until(
            lambda state: (
                state["kernel"] == "idle"
                and self.page.evaluate(REPLIES) - before >= sum(map(_is_code, state["cells"]))
                and all(cell["count"] for cell in state["cells"] if _is_code(cell))
            ),
            "every cell has finished",
            seconds=180,
        )
        return self.state("all")

    def _started(self, before, seconds=15):
        """Wait until a cell runs or has run; False when nothing happens."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            state = self.state()
            if state and (state["kernel"] == "busy" or self.page.evaluate(REPLIES) > before):
                return True
            self.page.wait_for_timeout(100)
        return False

    def cell(self, id):
        """Return the state of one cell, with its outputs."""
        return _by_id(self.state(id), id)

    def locate(self, id):
        """Return the element of one cell."""
        index = [cell["id"] for cell in self.state()["cells"]].index(id)
        return self.page.locator(".jp-Notebook .jp-Cell").nth(index)

    def type_into(self, id, source):
        """Replace the source of a cell by typing and run it with the keyboard; return its text output."""
        before = self.cell(id)["count"]
        self.locate(id).locator(".cm-content").click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)
        typed = self.cell(id)["source"]
        assert typed == source, f"the editor holds {typed!r}"
        self.page.keyboard.press("Control+Enter")
        self.until(
            lambda state: state["kernel"] == "idle" and _by_id(state, id)["count"] not in (None, before),
            f"cell {id} has run",
        )
        return self.text(id)

    def text(self, id):
        """Return the text outputs of a cell, joined."""
        return "\n".join(map(_text, self.cell(id)["outputs"]))

    def tab_to(self, locator, limit=60):
        """Press Tab until the element has the focus, as somebody without a mouse does."""
        for _ in range(limit):
            if locator.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press("Tab")
        raise AssertionError(f"{self.app}: {limit} presses of Tab do not lead to {locator}")

    def select(self, id):
        """Select a cell in command mode, without touching what is in it."""
        self.locate(id).locator(".jp-InputPrompt").first.click()

    def save(self):
        """Save with the keyboard and wait until the file is written."""
        before = self.path.stat().st_mtime_ns
        self.page.keyboard.press("Control+s")
        for _ in range(100):
            if self.path.stat().st_mtime_ns != before:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError("the notebook was not saved")

    def _has_kernel(self):
        return any(session["path"] == f"notebooks/{self.name}" for session in sessions(self.server))

    def shut_down(self):
        """Stop the kernels of this server, so that they do not pile up."""
        shut_down(self.server)


def sessions(server):
    """Ask a server for its running sessions."""
    return json.loads(_ask(server, "/api/sessions"))


def shut_down(server):
    """Stop the kernels of a server."""
    for session in sessions(server):
        _ask(server, f"/api/sessions/{session['id']}", "DELETE")


def _ask(server, path, method="GET"):
    headers = {"Authorization": f"token {server['token']}"}
    request = urllib.request.Request(server["address"] + path, method=method, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as reply:
        return reply.read()


def _is_code(cell):
    return cell["type"] == "code" and bool(cell["source"].strip())


def _by_id(state, id):
    return next(cell for cell in state["cells"] if cell["id"] == id)


def _text(output):
    data = output.get("data", {})
    value = output.get("text") or data.get("text/plain") or output.get("evalue") or ""
    return "".join(value)


def errors(state):
    """Return every error in the outputs: exceptions, and anything written to stderr."""
    return [
        (cell["id"], _text(output))
        for cell in state["cells"]
        for output in cell["outputs"]
        if output["output_type"] == "error" or output.get("name") == "stderr"
    ]

"""What a learner does in the JupyterLab that `make lab` has opened: with the mouse and the keys, and nothing else."""

import contextlib
import json
import re
import urllib.request

PATIENCE = 240_000  # milliseconds, on a busy machine
RUNNING = "() => [...document.querySelectorAll('.jp-InputPrompt')].some(one => one.textContent.includes('*'))"


class Lab:
    """One window of a browser with JupyterLab in it."""

    def __init__(self, page, address: str):
        from playwright.sync_api import TimeoutError

        self.page, self.late = page, TimeoutError
        page.set_viewport_size({"width": 1280, "height": 900})
        page.set_default_timeout(PATIENCE)
        page.goto(address)
        self.wait()

    def wait(self) -> None:
        """Wait until a lesson is shown and the line at the bottom says that its kernel is idle."""
        self.page.locator(".jp-NotebookPanel:visible .jp-Notebook .jp-Cell").first.wait_for()
        self.page.locator("#jp-main-statusbar").get_by_text("| Idle").first.wait_for()

    def title(self) -> str:
        """Return the title of the lesson that is shown."""
        return self.page.locator(".jp-NotebookPanel:visible h1").first.inner_text()

    def menu(self, *names: str) -> None:
        """Choose from the menus, by the beginning of what stands there."""
        for name in names:
            self.page.get_by_role("menuitem", name=re.compile(f"^{re.escape(name)}")).first.click()

    def run_all(self) -> None:
        """Choose Run → Run All Cells, again where a click was lost, and wait until all have run."""
        for _ in range(8):
            self.menu("Run", "Run All Cells")
            with contextlib.suppress(self.late):
                self.page.wait_for_function(RUNNING, timeout=15_000)
                break
            self.page.keyboard.press("Escape")
        self.settle()
        raised = self.page.locator("[data-mime-type='application/vnd.jupyter.error']").all_inner_texts()
        assert raised == [], raised

    def settle(self) -> None:
        """Wait until no cell waits or runs."""
        self.page.wait_for_function(
            """() => {
                const panel = [...document.querySelectorAll(".jp-NotebookPanel")].find(one => one.offsetParent);
                const prompts = [...panel.querySelectorAll(".jp-InputPrompt")].map(one => one.textContent);
                const status = panel.querySelector(".jp-Notebook-ExecutionIndicator")?.dataset.status;
                return status === "idle" && !prompts.some(one => one.includes("*"));
            }"""
        )

    def cell(self, text: str):
        """Return the code cell in which a text stands."""
        return self.page.locator(".jp-NotebookPanel:visible .jp-CodeCell").filter(has_text=text).first

    def type_into(self, text: str, source: str):
        """Replace the cell in which a text stands by typing, run it with Ctrl+Enter, and return its cell."""
        editor = self.cell(text).locator(".cm-content").first
        editor.scroll_into_view_if_needed()
        editor.click()
        self.page.keyboard.press("Control+a")
        self.page.keyboard.insert_text(source)
        self.page.keyboard.press("Control+Enter")
        return self.page.locator(".jp-NotebookPanel:visible .jp-CodeCell.jp-mod-selected")


def opened(program) -> str:
    """Wait until a program has said how to stop JupyterLab, and return the address that it has printed."""
    program.wait_for(r"To stop: press Ctrl\+C here, twice")
    return re.search(r"http://\S+\?token=\w+", program.said)[0]


def ask(address: str, path: str):
    """Ask the server behind an address with a token for something of its interface."""
    base, _, token = address.partition("?token=")
    request = urllib.request.Request(f"{base}{path}", headers={"Authorization": f"token {token}"})
    with urllib.request.urlopen(request, timeout=120) as answer:
        return json.load(answer)

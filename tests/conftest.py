"""What several test files share: where things lie, what a cell would show, and a progress file of its own."""

import sys
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from IPython.core.displaypub import DisplayPublisher
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config

from course_lib import desk
from courseware.progress import Progress
from whywrong.task import Status

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"


@dataclass
class Shown:
    """The outputs of a cell, in order: what IPython would send to the page."""

    outputs: list = field(default_factory=list)

    @property
    def plain(self) -> list[str]:
        return [output["data"]["text/plain"] for output in self.outputs]

    @property
    def markdown(self) -> list[str]:
        return [output["data"].get("text/markdown", "") for output in self.outputs]


def statuses_of(progress: Progress) -> dict[str, Status]:
    """Return the best status of everything attempted so far."""
    return {id: one.status for id, one in progress.entries().items() if one.status != Status.NOT_ATTEMPTED}


@pytest.fixture(scope="session")
def shell():
    """A real IPython shell without history; it takes no part in anything but displaying."""
    main = sys.modules["__main__"]
    names = {name: getattr(sys, name) for name in ("displayhook", "excepthook", "path")}
    settings = Config()
    settings.HistoryManager.enabled = False
    made = InteractiveShell.instance(config=settings)
    sys.modules["__main__"] = main
    for name, value in names.items():
        setattr(sys, name, value)
    yield made
    InteractiveShell.clear_instance()


@pytest.fixture
def shown(shell, monkeypatch):
    """Collect what is displayed."""
    caught = Shown()

    class Publisher(DisplayPublisher):
        def publish(self, data, metadata=None, *, transient=None, update=False, **options):
            caught.outputs.append(
                {"data": data, "metadata": metadata or {}, "transient": transient or {}, "update": update}
            )

    monkeypatch.setattr(shell, "display_pub", Publisher(shell=shell))
    return caught


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Give check and quiz a progress file of their own, and no hints shown yet."""
    monkeypatch.setenv("COURSE_PROGRESS", str(tmp_path / "progress.json"))
    monkeypatch.setattr(desk, "_progress", None)
    monkeypatch.setattr(desk, "_hints_shown", {})
    monkeypatch.setattr(desk, "_halves_shown", set())
    return desk._store()


@pytest.fixture
def live(monkeypatch):
    """Show things as in a running notebook: sliders, and a button for each answer."""
    monkeypatch.delenv("COURSE_STATIC", raising=False)

"""One process that judges, for all tests of a worker that do not ask how such a process is started."""

import contextlib

import pytest

from classroom import report
from classroom.marking import judging


@pytest.fixture(scope="session")
def by(tmp_path_factory):
    """A process that judges, for all submissions that lie below the folder of the tests."""
    with judging.Judge(tmp_path_factory.getbasetemp()) as judge:
        yield judge


@pytest.fixture
def one_judge(by, monkeypatch):
    """Let every report be made by the process that runs already: to start one takes 4 seconds."""
    monkeypatch.setattr(report, "Judge", lambda folder: contextlib.nullcontext(by))

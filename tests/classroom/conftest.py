"""One runner for all tests of a worker that do not ask how a runner starts its process."""

import contextlib

import pytest

from classroom import report
from classroom.marking import runner


@pytest.fixture(scope="session")
def a_runner(tmp_path_factory):
    """A runner for all submissions that lie below the folder of the tests."""
    with runner.Runner(tmp_path_factory.getbasetemp()) as a_runner:
        yield a_runner


@pytest.fixture
def one_runner(a_runner, monkeypatch):
    """Let every report be made by the process that runs already: to start one takes 4 seconds."""
    monkeypatch.setattr(report, "Runner", lambda folder: contextlib.nullcontext(a_runner))

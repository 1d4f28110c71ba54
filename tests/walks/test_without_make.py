"""README without make, in an environment that is there already; and an update that something else has pulled."""

import subprocess
import sys

import pytest

from tests.walks.browser import ask, opened
from tests.walks.claims import walked
from tests.walks.pages import README, Block


@pytest.fixture
def in_environment(terminal, desk, repository):
    """A terminal in a clone, with an environment that is active and has most packages already, as a container's may."""
    from tests.publish.clones import git
    from tests.walks import environments

    own = desk / "own"
    environments.share(own, without=("pip", "pip-*"))  # or the environment would have no command `pip`
    subprocess.run([sys.base_prefix + "/bin/python3", "-m", "venv", str(own / ".venv")], check=True)
    git(desk, "clone", "--quiet", str(repository), str(desk / "ffn-course"))
    terminal.folder = desk / "ffn-course"
    terminal.environment["PATH"] = f"{own / '.venv' / 'bin'}:{terminal.environment['PATH']}"
    return terminal


@walked(README, Block("Without make", 2), "python -m publish.update --no-fetch")
def test_an_environment_that_is_there(in_environment, repository, lab):
    from tests.publish.clones import edit, git

    folder = in_environment.folder
    program = in_environment.start(Block("Without make", 2))
    address = opened(program)
    assert ask(address, "api/kernelspecs")["default"] == "python3"
    window = lab(address)
    window.run_all()
    window.shows("print(grid)", "numbers in it: 6")
    assert program.stop() == 2
    assert not (folder / ".venv").exists()

    lesson = repository / "notebooks" / "01_linear_limits.ipynb"
    edit(lesson, recap="## What you have seen")
    git(repository, "commit", "--quiet", "--all", "--message=Another title")
    git(folder, "pull", "--quiet")  # as nbgitpuller does
    said = in_environment.type("python -m publish.update --no-fetch")
    assert "01_linear_limits.ipynb: 1 cell renewed" in said
    assert "## What you have seen" in (folder / "my_notebooks" / lesson.name).read_text(encoding="utf-8")

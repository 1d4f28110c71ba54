"""The contracts about imports in pyproject.toml are kept, and each of them can fail."""

import importlib
import json
import shutil
import subprocess
import sys
import tomllib

import pytest

from tests.conftest import NOTEBOOKS, ROOT

PACKAGES = ("course_lib", "lessons", "whywrong", "publish", "classroom")
CONTRACTS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"]

# Imports that are forbidden: the contract that forbids them, the module they stand in, and the import.
FORBIDDEN = [
    ("layers", "course_lib/arguments.py", "from course_lib import content"),
    ("layers", "course_lib/content.py", "from course_lib.page import verdict"),
    ("layers", "course_lib/model/tasks.py", "from course_lib.page import style"),
    ("layers", "whywrong/judge.py", "from course_lib.page import verdict"),
    ("layers", "whywrong/form.py", "from course_lib.arguments import described"),
    ("layers", "course_lib/page/interactive.py", "def f():\n    from course_lib.model import training"),
    ("layers", "course_lib/page/quiz.py", "from lessons import catalogue"),
    ("layers", "course_lib/page/quiz.py", "from ..desk import grade"),
    ("layers", "lessons/catalogue.py", "import course_lib.desk"),
    ("layers", "course_lib/warm_up.py", "from course_lib import desk"),
    ("layers", "course_lib/desk.py", "import publish.refresh"),
    ("layers", "course_lib/desk.py", "import classroom.plans"),
    ("layers", "publish/refresh.py", "from classroom import plans"),
    ("lessons", "lessons/relu_vs_gelu/gelu.py", "from lessons.linear_limits import figures"),
    ("lessons", "lessons/catalogue.py", "from lessons import linear_limits"),
    ("solutions", "lessons/relu_vs_gelu/gelu.py", "from lessons.relu_vs_gelu import solutions"),
    ("solutions", "lessons/relu_vs_gelu/gelu.py", "from .solutions import gelu"),
    ("plain", "course_lib/environment.py", "import numpy"),
    ("plain", "course_lib/environment.py", "from course_lib import arguments"),  # which imports numpy
    ("without-torch", "whywrong/form.py", "import torch"),
    ("without-torch", "course_lib/model/numpy_ffn.py", "from course_lib.model import activations"),
    ("without-torch", "course_lib/desk.py", "def f():\n    from course_lib.model import training"),
    ("one-thread", "course_lib/model/ffn.py", "from torch import nn"),
    ("one-thread", "lessons/relu_vs_gelu/gelu.py", "import torch.nn.functional as F"),
    ("output", "course_lib/page/display.py", "from IPython.display import display"),
    ("widgets", "course_lib/page/quiz.py", "def f():\n    import ipywidgets"),
    ("traits", "course_lib/page/quiz.py", "def f():\n    import traitlets"),
    ("drawing", "course_lib/model/probes.py", "from matplotlib.figure import Figure"),
    ("drawing", "lessons/relu_vs_gelu/gelu.py", "import matplotlib.pyplot as plt"),
    ("circles", "course_lib/page/interactive.py", "def f():\n    from course_lib.page import medium"),
    ("circles", "publish/derived.py", "from publish import refresh"),
]


def lint(folder, *contracts):
    """Run `lint-imports` on the packages in a folder, for the contracts named or for all of them."""
    command = [sys.executable, "-c", "import sys, importlinter.cli; sys.exit(importlinter.cli.lint_imports_command())"]
    command += ["--no-cache", "--no-logo", *(f"--contract={contract}" for contract in contracts)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the packages with their contracts, to break."""
    folder = tmp_path_factory.mktemp("copy")
    for package in PACKAGES:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", folder)
    return folder


def test_every_contract_is_kept():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken" in done.stdout


def test_every_contract_is_seen_to_fail():
    assert {contract["id"] for contract in CONTRACTS} == {contract for contract, _, _ in FORBIDDEN}


@pytest.mark.parametrize(("contract", "module", "statement"), FORBIDDEN)
def test_forbidden_import_is_reported(copy, contract, module, statement):
    path = copy / module
    source = path.read_text(encoding="utf-8")
    path.write_text(f"{source}\n{statement}\n", encoding="utf-8")
    try:
        done = lint(copy, contract)
    finally:
        path.write_text(source, encoding="utf-8")
    assert done.returncode == 1 and "0 kept, 1 broken" in done.stdout, done.stdout + done.stderr


def unused_imports(path) -> list[str]:
    """Return what is imported and unused; the setup cell's `import course_lib` only tells whether it is there."""
    command = [
        sys.executable,
        "-m",
        "ruff",
        "check",
        "--select=F401",
        "--config=lint.per-file-ignores={}",
        "--no-cache",
    ]
    command += ["--output-format=json", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    found = [one["message"] for one in json.loads(done.stdout)]
    return [message for message in found if not message.startswith("`course_lib` imported")]


def test_notebooks_import_only_what_they_or_the_learner_use(tmp_path):
    assert unused_imports(NOTEBOOKS) == []
    source = (
        "import course_lib\nfrom course_lib.desk import hint, quiz\nfrom course_lib.model import numpy_ffn\nimport time"
    )
    cell = {"cell_type": "code", "source": source, "metadata": {}, "outputs": [], "execution_count": None, "id": "a"}
    path = tmp_path / "broken.ipynb"
    path.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}))
    assert [message.split()[0] for message in unused_imports(path)] == [
        "`course_lib.desk.quiz`",
        "`course_lib.model.numpy_ffn`",
        "`time`",
    ]


@pytest.mark.parametrize("module", ["course_lib", "course_lib.desk", "lessons.catalogue"])
def test_import_is_light(module):
    """Neither torch nor matplotlib is loaded before something needs it."""
    program = f"import sys, {module}; print(*sorted({{'torch', 'matplotlib'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


def test_progress_loads_no_exercise():
    """The table of progress is written from titles alone."""
    program = "import sys; from course_lib import desk; desk.progress(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.endswith("False\n"), done.stderr


def test_training_loads_no_sympy():
    """A check that trains may be stopped by its limit at any line: within a first import, it would stay half loaded."""
    program = (
        "import sys; from course_lib.model import training; torch = training.torch; x = torch.zeros(3, 2).double();"
        "training.fit(training.networks([2, 4, 2], 2), x, x, steps=1); print('sympy' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.stdout == "False\n", done.stderr


@pytest.mark.parametrize("path", sorted((ROOT / "tests" / "benchmarks").glob("test_*.py")), ids=lambda path: path.stem)
def test_every_benchmark_can_be_loaded(path):
    """`make bench` is run by hand: what it imports must not go away unseen."""
    importlib.import_module(f"tests.benchmarks.{path.stem}")

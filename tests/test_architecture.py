"""The contracts about imports in pyproject.toml are kept, and what is heavy is loaded late."""

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.conftest import NOTEBOOKS, ROOT

PACKAGES = ("course_lib", "courseware", "lessons", "whywrong", "publish", "classroom")
TOOLS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
CONTRACTS = TOOLS["importlinter"]["contracts"]
OF_THIS_COURSE = re.compile(
    r"\b(ffn|feed forward|d (model|ff|k)|seq len|[gr]elu|silu|(swi|ge)?glu|sigmoid|softmax|xor|bank|river|layer|network"
    r"|hidden (unit|value|layer|state)|transformer|attention|token|logit|neuron|embedding|expert|router|residual|llama"
    r"|activation|perceptron|nonlinearity|language model|microscope|gpt|smollm|perplexity|backpropagation)s?\b"
)


def lint(folder):
    """Run `lint-imports` on the packages in a folder."""
    command = [sys.executable, "-c", "import sys, importlinter.cli; sys.exit(importlinter.cli.lint_imports_command())"]
    return subprocess.run(
        [*command, "--no-cache", "--no-logo"], cwd=folder, capture_output=True, text=True, timeout=120
    )


@pytest.mark.skipif(not (ROOT / "classroom").is_dir(), reason="the contracts name what carries the course")
def test_every_contract_is_kept():
    done = lint(ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken" in done.stdout


def across(path) -> bool:
    """Tell whether a file imports or opens a module that the contract "border" names, or lets another Python do so."""
    (border,) = (one["protected_modules"] for one in CONTRACTS if one["id"] == "border")
    pairs = [one.rpartition(".") for one in border]
    asked = [rf"(from|import) {one}\b|\b{one.replace('.', '[./]')}[./]\w" for one in border]
    asked += [rf"from {package} import .*\b{name}\b" for package, _, name in pairs]
    return bool(re.search("|".join(asked), path.read_text(encoding="utf-8")))


def test_no_test_of_the_course_and_no_notebook_needs_what_carries_the_course(tmp_path):
    """The tests that may are in the folders that `--core` leaves out."""
    carry = [ROOT / folder for folder in TOOLS["pytest"]["ini_options"]["carry"]]
    files = [*(ROOT / "tests").rglob("*.py"), *NOTEBOOKS.glob("*.ipynb"), ROOT / "conftest.py"]
    files = [path for path in files if not {*carry, Path(__file__)} & {path, *path.parents}]
    assert len(files) > 200 and [str(path) for path in files if across(path)] == []
    for line in (
        "import classroom.core",
        "from publish import author, site",
        "publish/site/hour.toml",
        "publish/author",
    ):
        (tmp_path / "test_it.py").write_text(line)
        assert across(tmp_path / "test_it.py") == (line != "publish/author")


def words_of_this_course(text: str) -> list[str]:
    """Return what only a course on FFNs says, in words, in names and in parts of names."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])|[_\s#-]+", " ", text.replace("input_transformers_post", "")).lower()
    return [found[0] for found in OF_THIS_COURSE.finditer(plain)]


def test_courseware_says_no_word_of_this_course():
    files = [path for kind in ("*.py", "*.js", "*.css") for path in (ROOT / "courseware").rglob(kind)]
    said = {str(path): words_of_this_course(f"{path.name} {path.read_text('utf-8')}") for path in files}
    assert {name: words for name, words in said.items() if words} == {}
    text = "const hiddenUnit = 2; // an FFN's d_model,\n# a feed-\n# forward: toTokens"
    assert words_of_this_course(text) == ["hidden unit", "ffn", "d model", "feed forward", "tokens"]


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


def read_in_any_encoding(source: str) -> list[int]:
    """Return the lines with a call that reads what a program prints in the computer's own encoding."""
    calls = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)]
    named = {call.lineno: {one.arg: ast.unparse(one.value) for one in call.keywords} for call in calls}
    return [line for line, how in named.items() if how.get("text") == "True" and "encoding" not in how]


def test_what_programs_print_is_read_in_an_encoding_that_is_named():
    """On Windows it would be another one, which the linter asks of files alone."""
    files = [ROOT / "start.py", *(path for name in PACKAGES for path in (ROOT / name).rglob("*.py"))]
    found = {str(path): read_in_any_encoding(path.read_text(encoding="utf-8")) for path in files}
    assert len(found) > 100 and [name for name, lines in found.items() if lines] == []
    assert read_in_any_encoding("run(a, text=True)\nrun(b, text=True, encoding='utf-8')\nrun(c)") == [1]


def test_what_the_course_no_longer_has_is_named_in_the_changelog_alone():
    gone = re.compile(r"\bslide[s]\b|reveal\.?[j]s", re.IGNORECASE)
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    ).stdout
    texts = {name: (ROOT / name).read_bytes().decode(errors="replace") for name in listed.split("\0")[:-1]}
    assert {name for name, text in texts.items() if gone.search(name) or gone.search(text)} == {"CHANGELOG.md"}

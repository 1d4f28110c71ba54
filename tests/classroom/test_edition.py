"""The student edition: what is left out, that it works in an empty folder, and that no solution is left in it."""

import json
import os
import re
import subprocess
import sys
import zipfile

import pytest

from classroom import edition
from course_lib.lessons import catalogue

# Where the body of a worked solution may stand: an oracle, a named mistake's neighbour, or a line of a figure.
KNOWN = {
    ("start_here.double", "start_here/double.py"),
    ("start_here.double", "inside_the_block/repair.py"),
    ("start_here.double", "relu_vs_gelu/gelu.py"),
    ("start_here.double", "relu_vs_gelu/gelu_grad.py"),
    ("start_here.double", "relu_vs_gelu/gelu_tanh.py"),
    ("relu_vs_gelu.relu", "linear_limits/collapse.py"),
    ("relu_vs_gelu.relu", "relu_vs_gelu/relu.py"),
    ("expand_and_contract.zero_fraction", "expand_and_contract/figures.py"),
    ("position_independence.rowwise", "position_independence/rowwise.py"),
    ("position_independence.conv_weight", "position_independence/conv_weight.py"),
    ("inside_the_block.repair", "inside_the_block/pre_norm.py"),
    ("inside_the_block.repair", "inside_the_block/repair.py"),
    ("bonus_swiglu.parameters", "bonus_experts/active_parameters.py"),
}
EXERCISES = [f"{lesson.name}.{module}" for lesson in catalogue.lessons() for module in lesson.exercises]


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The student edition in an empty folder."""
    folder = tmp_path_factory.mktemp("learner")
    edition.pack(folder / "student.zip")
    with zipfile.ZipFile(folder / "student.zip") as packed:
        packed.extractall(folder)
    return folder / edition.FOLDER


def inside(folder, *command, **variables):
    """Run Python in the unpacked folder, with its own course and no other."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COURSE_", "PYTEST_"))}
    environment |= {"PYTHONPATH": str(folder), "COURSE_STATIC": "1", **variables}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    return done.returncode, done.stdout + done.stderr


def squeezed(source: str) -> str:
    """Return code without comments and white space."""
    return re.sub(r"\s+", "", re.sub(r"(?m)#.*$", "", source))


def bodies(id: str) -> list[str]:
    """Return what stands between the solution marks of an exercise, squeezed."""
    master = catalogue.without_why(catalogue.solution(id))
    found = re.findall(r"### BEGIN SOLUTION[^\n]*\n(.*?) *### END SOLUTION", master, re.DOTALL)
    return [re.sub(r"^return", "", squeezed(body)) for body in found]


def leaks(folder) -> set[tuple[str, str]]:
    """Return (exercise, file) wherever the body of a worked solution stands in a notebook or in a lesson."""
    texts = {}
    for path in (folder / "notebooks").glob("*.ipynb"):
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        shown = [output.get("data", output) for cell in cells for output in cell.get("outputs", [])]
        words = [cell["source"] for cell in cells] + [
            one[key] for one in shown for key in one if key.startswith("text")
        ]
        texts[path.name] = "".join(squeezed("".join(one)) for one in words)
    for path in (folder / "course_lib" / "lessons").glob("*/*.py"):
        texts[f"{path.parent.name}/{path.name}"] = squeezed(path.read_text(encoding="utf-8"))
    return {(id, name) for id in EXERCISES for body in bodies(id) for name, text in texts.items() if body in text}


def test_solutions_plans_and_tests_are_left_out(unpacked):
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert not [
        name for name in names if name.endswith("solutions.py") or re.match(r"(tests|classroom|\.(?!gitignore))", name)
    ]
    needed = {"Makefile", "requirements.txt", "constraints.txt", "pyproject.toml", "LICENSE", "README.md"}
    assert needed <= names
    assert {f"notebooks/{lesson.notebook}" for lesson in catalogue.lessons()} <= names
    assert {f"course_lib/lessons/{lesson.name}/quiz.toml" for lesson in catalogue.lessons()} <= names


def test_readme_is_for_learners(unpacked):
    text = (unpacked / "README.md").read_text(encoding="utf-8")
    assert "make lab" in text and "## The lessons" in text
    assert not re.search(r"solutions\.py|^## (Contributing|Teaching|For teachers)", text, re.MULTILINE)
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    missing = [link for link in links if not (unpacked / link).exists()]
    assert links and missing == [], "the edition holds what git knows: git add new files"


def test_no_solution_is_left(unpacked):
    assert all(body for id in EXERCISES for body in bodies(id))
    found = leaks(unpacked)
    assert found - KNOWN == set(), "write these lines otherwise; where they give nothing away, add them to KNOWN"
    assert KNOWN - found == set(), "these are gone: take them out of KNOWN"


def test_a_leak_is_seen(unpacked, tmp_path):
    lesson = catalogue.lesson("build_the_ffn")
    (tmp_path / "notebooks").mkdir()
    solution = re.sub("###.*", "", catalogue.solution("build_the_ffn.forward"))
    (tmp_path / "notebooks" / lesson.notebook).write_text(
        json.dumps({"cells": [{"source": [solution], "outputs": []}]})
    )
    assert leaks(tmp_path) == {("build_the_ffn.forward", lesson.notebook)}


def test_solution_says_ask_your_teacher_and_checks_go_on(unpacked, tmp_path):
    program = """
import course_lib, pathlib
assert pathlib.Path(course_lib.__file__).is_relative_to(pathlib.Path.cwd())
from course_lib.desk import check, hint, solution
solution("start_here.double"); hint("start_here.double"); check("start_here.double", lambda x: x + x)
check("relu_vs_gelu.relu", abs)
"""
    code, said = inside(unpacked, "-c", program, COURSE_PROGRESS=str(tmp_path / "progress.json"))
    assert code == 0, said
    assert "ask your teacher" in said and "Hint 1 of 3" in said and "✓ Correct" in said and "✗ Not yet" in said


def test_copies_are_made_as_by_make_lab(unpacked):
    code, said = inside(unpacked, "-m", "publish.copies")
    assert code == 0, said
    made = {path.name for path in (unpacked / "my_notebooks").glob("*.ipynb")}
    assert made == {lesson.notebook for lesson in catalogue.lessons()}


def test_a_notebook_passes_strict_nbval(unpacked):
    notebook = "notebooks/00_start_here.ipynb"
    code, said = inside(unpacked, "-m", "pytest", "-n", "0", "--dist=no", "-p", "no:cacheprovider", "-q", notebook)
    assert code == 0 and "passed" in said, said[-3000:]


def test_same_files_same_zip(tmp_path):
    edition.pack(tmp_path / "one.zip")
    edition.pack(tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()


def test_folder_without_git_is_refused(tmp_path):
    with pytest.raises(RuntimeError, match="packed from a git clone"):
        edition.pack(tmp_path / "zip.zip", root=tmp_path)


def test_wrong_arguments_are_said_and_write_nothing(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SystemExit):
        edition.main(["--help"])
    assert "usage" in capsys.readouterr().out
    assert edition.main([str(tmp_path)]) == 1  # a folder
    assert "cannot be written" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_missing_git_is_said(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="git, which was not found"):
        edition.pack(tmp_path / "zip.zip")

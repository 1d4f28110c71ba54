"""The student edition: what is left out, that it works in an empty folder, and that no solution is left in it."""

import json
import os
import re
import subprocess
import sys
import zipfile

import pytest

import start
from classroom import edition
from lessons import catalogue
from tests.publish.clones import git

# Where the body of a worked solution may stand: an oracle, a named mistake's neighbour, or a line of a figure.
KNOWN = {
    ("build_the_ffn.every_step", "03_build_the_ffn.ipynb"),  # section 1 computes one token so
    ("build_the_ffn.every_step", "12_build_backward.ipynb"),
    ("start_here.double", "start_here/double.py"),
    ("start_here.double", "inside_the_block/repair.py"),
    ("position_independence.rowwise", "position_independence/rowwise.py"),
    ("inside_the_block.repair", "inside_the_block/repair.py"),
}
EXERCISES = [f"{lesson.name}.{module}" for lesson in catalogue.lessons() for module in lesson.exercises]


def unzipped(folder):
    """Unpack the edition into a folder, and return the folder that came out of it."""
    edition.pack(folder / "student.zip")
    with zipfile.ZipFile(folder / "student.zip") as packed:
        packed.extractall(folder)
    return folder / edition.FOLDER


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory):
    """The student edition in an empty folder."""
    return unzipped(tmp_path_factory.mktemp("learner"))


def inside(folder, *command, **variables):
    """Run Python in the unpacked folder, with its own course and no other."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("COURSE_", "PYTEST_"))}
    environment |= {"PYTHONPATH": str(folder), "COURSE_STATIC": "1", **variables}
    done = subprocess.run(
        [sys.executable, *command], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )
    return done.returncode, done.stdout + done.stderr


def targets(folder) -> set[str]:
    """Return what make can be told in a folder, .PHONY or not."""
    return set(re.findall(r"^([a-z][a-z-]*):", (folder / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))


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
    for path in [*(folder / "lessons").glob("*/*.py"), *(folder / "lessons").glob("*/halves.toml")]:
        texts[f"{path.parent.name}/{path.name}"] = squeezed(path.read_text(encoding="utf-8"))
    return {(id, name) for id in EXERCISES for body in bodies(id) for name, text in texts.items() if body in text}


def test_solutions_plans_and_tests_are_left_out(unpacked):
    names = {path.relative_to(unpacked).as_posix() for path in unpacked.rglob("*") if path.is_file()}
    assert not [
        name
        for name in names
        if name.endswith(("solutions.py", "plan.toml")) or re.match(r"(tests|classroom|\.(?!gitignore))", name)
    ]
    needed = {"Makefile", "start.py", *start.INPUTS, "LICENSE", "README.md"}
    assert needed <= names
    assert {f"notebooks/{lesson.notebook}" for lesson in catalogue.lessons()} <= names
    for file in ("quiz.toml", "halves.toml"):
        assert {f"lessons/{lesson.name}/{file}" for lesson in catalogue.lessons()} <= names


def test_what_a_release_adds_for_teachers_is_left_out(tmp_path):
    (tmp_path / "print" / "pages").mkdir(parents=True)
    for name in ("README.txt", "print/quiz_gift.txt", "print/pages/teach.html", "start.py"):
        (tmp_path / name).touch()
    git(tmp_path, "init", "--quiet")
    git(tmp_path, "add", "--all")
    assert edition.files(tmp_path) == ["start.py"]


def test_what_a_page_links_to_is_packed(unpacked):
    for page in [path for path in unpacked.rglob("*.md") if "whywrong" not in path.parts]:
        links = re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8"))
        assert [link for link in links if not (page.parent / link).exists()] == [], page


def test_readme_names_what_is_there_and_nothing_else(unpacked):
    text = (unpacked / "README.md").read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)#:]+)\)", text)
    assert len(links) > 12 and [link for link in links if not (unpacked / link).exists()] == []
    assert set(re.findall(r"\bmake ([a-z-]+)", text)) == {"lab", "update"} == targets(unpacked) - {"help"}
    assert not re.findall(r"-m \S+|requirements\S+", text)
    shown = set(re.findall(r"!\[[^\]]+\]\((docs/[\w.]+)\)", text))
    assert shown == {f"docs/{path.name}" for path in (unpacked / "docs").iterdir()}


def test_every_module_needs_what_is_packed_only(unpacked):
    """Load each in a Python that finds no other course."""
    names = [path.relative_to(unpacked).with_suffix("") for path in (unpacked / "publish").rglob("*.py")]
    modules = sorted(".".join(name.parts) for name in names if name.name != "__init__")
    assert {"publish.learner.lab", "publish.learner.update", "publish.learner.pull"} <= set(modules)
    code, said = inside(unpacked, "-c", f"import {', '.join(modules)}; print(publish.learner.lab.__file__)")
    assert code == 0 and said.strip() == str(unpacked / "publish" / "learner" / "lab.py"), said


def test_no_solution_is_left(unpacked):
    assert all(body for id in EXERCISES for body in bodies(id))
    found = leaks(unpacked)
    assert found - KNOWN == set(), "write these lines otherwise; where they give nothing away, add them to KNOWN"
    assert KNOWN - found == set(), "these are gone: take them out of KNOWN"


def test_solution_says_ask_your_teacher_and_checks_go_on(unpacked, tmp_path):
    program = """
import course_lib, pathlib
assert pathlib.Path(course_lib.__file__).is_relative_to(pathlib.Path.cwd())
from course_lib.desk import check, half, hint, solution
solution("start_here.double"); hint("start_here.double"); check("start_here.double", lambda x: x + x)
check("relu_vs_gelu.gelu_slope", abs); half("relu_vs_gelu.gelu_slope")
"""
    code, said = inside(unpacked, "-c", program, COURSE_PROGRESS=str(tmp_path / "progress.json"))
    assert code == 0, said
    assert "ask your teacher" in said and "Hint 1 of 3" in said and "✓ Correct" in said and "✗ Not yet" in said
    assert "share_below = TODO / 2" in said


def test_same_files_same_zip(tmp_path):
    edition.pack(tmp_path / "one.zip")
    edition.pack(tmp_path / "two.zip")
    assert (tmp_path / "one.zip").read_bytes() == (tmp_path / "two.zip").read_bytes()

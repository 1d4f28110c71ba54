"""Enforce the direction of imports: a module imports only from rows below it, in its own column."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).resolve().parent.parent / "course_lib"

# Bottom to top. `arguments` is the shared bottom of both columns.
MODEL_SIDE = (
    {"arguments"},
    {"_torch"},
    {"activations", "tasks"},
    {"ffn", "numpy_ffn"},
    {"block"},
    {"training", "probes", "accounting"},
    {"figures"},
)
COURSE_SIDE = ({"arguments"}, {"display"}, {"exercises"}, {"environment"})
BRIDGE = "widgets"


def _below(rows):
    """Map each module of a column to everything in the rows below it."""
    return {name: set().union(*rows[:level]) for level, row in enumerate(rows) for name in row}


MAY_IMPORT = {
    **_below(MODEL_SIDE),
    **_below(COURSE_SIDE),
    "numpy_ffn": {"arguments"},  # the independent oracle: no torch, not even through another module
    "exercises": {"arguments", "display", "exercises"},  # a package: its own modules may use each other
    "figures": _below(MODEL_SIDE)["figures"] | {"figures"},
    BRIDGE: {"arguments", "figures", "display"},
    "": set(),  # course_lib/__init__.py
}
EVERYTHING_BELOW_LESSONS = set(MAY_IMPORT) - {""}
MAY_IMPORT["lessons"] = EVERYTHING_BELOW_LESSONS
MAY_IMPORT["solutions"] = EVERYTHING_BELOW_LESSONS

# Packages that only the modules named here may import. Lessons and solutions show them to the learner and are free.
ONLY_IN = {
    "torch": {"_torch"},  # which sets the number of threads; the model side takes torch from there
    "IPython": {"display"},
    "ipywidgets": {"widgets", "exercises"},
    "matplotlib": {"figures", "widgets"},
}
DYNAMIC = {"lessons", "solutions"}  # found by name at run time


def imports(source: str, module: str, is_package: bool = False) -> set[str]:
    """Return the full name of everything a module imports, inside functions too; lessons loaded by name are left out.

    `module` is the full name of the module the source belongs to; it resolves relative imports.
    """
    package = module if is_package else module.rpartition(".")[0]
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                parts = package.split(".")
                base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [base])])
            found |= {f"{base}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            target = str(node.args[0].value)
            if called in {"import_module", "__import__"} and place(target) not in DYNAMIC:
                found.add(target)
    return found


def place(module: str) -> str:
    """Return the row a module of course_lib belongs to: the first name after course_lib."""
    return [*module.split("."), ""][1]


def problems(source: str, module: str, is_package: bool = False) -> list[str]:
    """Report every import of a module that its place in the layout forbids."""
    own = place(module)
    if own not in MAY_IMPORT:
        return [f"{module} has no row in the layout: give it one here and in the design"]
    found = []
    for target in sorted(imports(source, module, is_package)):
        top = target.split(".")[0]
        if own not in {"lessons", "solutions"} and own not in ONLY_IN.get(top, {own}):
            found.append(f"{module} imports {target}: only {sorted(ONLY_IN[top])} may")
        if own == "arguments" and top not in sys.stdlib_module_names | {"numpy"}:
            found.append(f"{module} imports {target}: the bottom row uses NumPy only")
        # `import course_lib` itself is harmless; a name that is no module belongs to course_lib/__init__.py
        if top == "course_lib" and place(target) in set(MAY_IMPORT) - {""} - MAY_IMPORT[own]:
            found.append(f"{module} imports {target}, which is not below it")
    return found


def prints_at_import(source: str) -> list[int]:
    """Return the lines that call print when the module is imported."""

    def visit(node):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            return
        if isinstance(node, ast.If) and "__main__" in ast.dump(node.test):
            return
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print":
            lines.append(node.lineno)
        for child in ast.iter_child_nodes(node):
            visit(child)

    lines = []
    visit(ast.parse(source))
    return lines


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = sorted(PACKAGE.rglob("*.py"))


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_imports(path):
    found = problems(path.read_text(encoding="utf-8"), module_name(path), path.name == "__init__.py")
    assert not found, "\n".join(found)


@pytest.mark.parametrize("path", MODULES, ids=module_name)
def test_nothing_printed_at_import(path):
    assert prints_at_import(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("module", ["course_lib", "course_lib.exercises"])
def test_import_is_light(module):
    program = f"import sys, {module}; print(*sorted({{'torch', 'matplotlib'}} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("module", "source"),
    [
        # upwards, or sideways
        ("activations", "from course_lib import ffn"),
        ("activations", "from . import ffn"),
        ("activations", "from .ffn import PositionWiseFeedForward"),
        ("activations", "import course_lib.tasks"),
        ("ffn", "from course_lib.numpy_ffn import forward"),
        ("block", "def f():\n    from course_lib import training"),
        ("probes", "from course_lib import accounting"),
        ("training", "from course_lib.figures import curve"),
        ("arguments", "from course_lib import activations"),
        ("figures", "from course_lib import widgets"),
        # across the columns
        ("figures", "from course_lib import display"),
        ("ffn", "import course_lib.exercises"),
        ("display", "from course_lib.figures import curve"),
        ("exercises.engine", "from .. import ffn"),
        ("exercises.engine", "def f():\n    from course_lib.ffn import PositionWiseFeedForward"),
        ("widgets", "from course_lib import training"),
        ("widgets", "from course_lib.exercises import check"),
        # nobody imports lessons or solutions, not even each other
        ("exercises.api", "from course_lib import lessons"),
        ("exercises.api", "import importlib\nimportlib.import_module('course_lib.ffn')"),
        ("exercises.api", "from course_lib import environment"),
        ("lessons.l02", "from .l01 import EXERCISES"),
        ("lessons.l01", "from course_lib.solutions import l01"),
        ("solutions.l02", "from course_lib.solutions.l01 import collapse"),
        ("solutions.l02", "from . import l01"),
        ("__init__", "from course_lib import activations"),
        # the outside world
        ("ffn", "import torch"),
        ("ffn", "import IPython.display"),
        ("widgets", "from IPython.display import display"),
        ("exercises.quiz", "import IPython"),
        ("display", "from course_lib._torch import torch"),
        ("exercises.engine", "import matplotlib.pyplot as plt"),
        ("figures", "def f():\n    import ipywidgets"),
        ("display", "def f():\n    import torch"),
        ("exercises.engine", "from torch import nn"),
        ("exercises.engine", "import importlib\nimportlib.import_module('torch')"),
        ("numpy_ffn", "import torch.nn.functional as F"),
        ("numpy_ffn", "from course_lib._torch import torch"),
        ("arguments", "import matplotlib"),
        ("arguments", "import tqdm"),
        # a module the layout does not know
        ("helpers", "import math"),
    ],
)
def test_forbidden_import_is_reported(module, source):
    is_package = module == "__init__"
    assert problems(source, "course_lib" if is_package else f"course_lib.{module}", is_package)


@pytest.mark.parametrize(
    ("module", "source"),
    [
        ("arguments", "import math\nimport numpy as np"),
        ("_torch", "import torch"),
        (
            "ffn",
            "from course_lib._torch import torch\nfrom course_lib.activations import relu\nfrom . import arguments",
        ),
        ("figures", "from course_lib import accounting, training, ffn\nimport matplotlib"),
        ("display", "from IPython.display import display\nfrom course_lib.arguments import choice"),
        ("exercises.engine", "from . import quiz\nfrom ..display import show\nimport course_lib"),
        ("exercises.quiz", "def f():\n    import ipywidgets"),
        ("exercises.api", "import importlib\nimportlib.import_module('course_lib.lessons')"),
        ("exercises.api", "import importlib\nimportlib.import_module(f'course_lib.lessons.{1}')"),
        ("widgets", "import ipywidgets\nfrom course_lib import display, figures"),
        ("lessons.l01", "import torch\nfrom course_lib import widgets, ffn\nfrom course_lib.exercises import TODO"),
        ("solutions.l03", "import torch\nfrom course_lib import activations"),
    ],
)
def test_allowed_import_passes(module, source):
    assert problems(source, f"course_lib.{module}") == []


def test_package_may_gather_its_own_modules():
    assert problems("from .engine import grade", "course_lib.exercises", True) == []


@pytest.mark.parametrize("source", ["print(1)", "class A:\n    print(1)", "if True:\n    x = [print(1)]"])
def test_print_at_import_is_reported(source):
    assert prints_at_import(source)


def test_print_in_a_function_passes():
    assert prints_at_import("def f():\n    print(1)\nif __name__ == '__main__':\n    print(2)") == []

"""Collect what the course tells a learner to type, to run or to choose: in verdicts, notes, errors and messages."""

import ast
import re
import tomllib

import nbformat

from tests.conftest import NOTEBOOKS, ROOT

# Where learners are spoken to; whoever builds pages or hosts a class reads other texts, which their own tests run.
PACKAGES = "course_lib", "lessons", "whywrong"
MODULES = [
    *(path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))),
    *(ROOT / "publish" / f"{name}.py" for name in ("checkout", "copies", "lab", "merge", "pull", "update")),
    ROOT / "classroom" / "edition.py",
    ROOT / "start.py",
]
_MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")
TARGETS = "|".join(re.findall(r"^([a-z-]+):(?!=)", _MAKEFILE, re.MULTILINE))
GIT = "switch|branch|rebase|reset|restore|checkout|clone|fetch|pull|push|merge|stash|commit|config"
DESK = "check|explore|grade|guesses|hand_in|help_with|hint|progress|quiz|show|show_case|solution|table|warm_up"
# What ends a command: its mark, or the end of its sentence or line.
_END = r"(?=[`'\"),;]|(?<!\.)\.(?:\s*$|\s[A-Z])|:\s|\s*$|\n)"
TOLD = re.compile(
    "|".join(
        [
            rf"(?<![\w.-])make (?:{TARGETS})\b(?: [A-Z]+=\w+)?",
            r"python3[.\d]* start\.py(?: \w+)*",
            rf"(?:%pip |(?<![\w%-])pip install|python -m ).*?{_END}",
            rf"(?<![\w-])git (?:{GIT}|…) (?!of |by |says|was ).*?{_END}",
            rf"(?<![\w.])(?:{DESK})\([^()]*\)",
            r"(?:File|Edit|View|Run|Kernel|Settings) → [A-Z]\w+(?: [A-Z]\w+| from)*",
            r"(?:Run All|Overwrite|Restart Kernel)\b(?: Above Selected Cell)?",
            r"(?:Esc|Ctrl|Shift)(?:\+\w+|, then [\w↑↓]+)(?:, \d| or [↑↓])?",
            r"[Rr]un (?:this|the)(?: \w+)? again|[Rr]un the cell above|Rename (?:it|that)|[Rr]estart the kernel",
        ]
    )
)


def _texts(tree):
    """Yield every string of a module but the docstrings, with … for what is put in."""
    quiet = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)} - {
        id(node) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
    }
    for node in ast.walk(tree):
        if id(node) in quiet or id(node) in inside:
            continue
        if isinstance(node, ast.JoinedStr):
            yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _strings(data):
    """Yield every string in what a TOML file holds."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict | list):
        for part in data.values() if isinstance(data, dict) else data:
            yield from _strings(part)


def found() -> set[tuple[str, str]]:
    """Return (where it stands, what it tells) for everything that is told; the lessons' notebooks are one place."""
    said = [
        (path.relative_to(ROOT).as_posix(), text)
        for path in MODULES
        for text in _texts(ast.parse(path.read_text(encoding="utf-8")))
    ]
    texts = {path for package in PACKAGES for path in (ROOT / package).rglob("*.toml") if path.name != "plan.toml"}
    for path in sorted(texts):
        said += [(path.relative_to(ROOT).as_posix(), text) for text in _strings(tomllib.loads(path.read_text("utf-8")))]
    for path in NOTEBOOKS.glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            texts = [cell.source] if cell.cell_type == "markdown" else _texts(ast.parse(cell.source))
            said += [("notebooks", text) for text in texts]
    return {(place, match[0].strip()) for place, text in said for match in TOLD.finditer(text)}

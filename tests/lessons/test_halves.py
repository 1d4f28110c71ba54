"""Half of a worked cell: what goes and what stays."""

import ast
import re

import numpy as np
import pytest

from lessons import catalogue, halves
from publish.author import derived
from tests.lessons.answers import CODED

LESSONS = catalogue.lessons()
STARS = {f"{lesson.name}.{module}": task.stars for lesson in LESSONS for module, task in lesson.exercises.items()}
HALVED = [id for id in CODED if STARS[id] > 1]


def without_words(code: str) -> str:
    """Return code in one form, without comments and docstrings."""
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:]
    return ast.unparse(tree)


def leaks(half: str, blanks: list[str]) -> list[str]:
    """Return what was blanked and stands in the half all the same; a number may stand at another place."""
    code = without_words(half)
    found = []
    for blank in blanks:
        form = blank if blank.startswith(":") else ast.unparse(ast.parse(blank, mode="eval"))
        if not re.fullmatch(r"-?\d+(\.\d+)?", form) and (form in code or blank in code):
            found.append(blank)
    return found


def halved(master):
    """Return half of a master without its marks, and what is blank in it."""
    code, blanks = halves.half(master)
    return catalogue.unmarked(code), blanks


@pytest.mark.parametrize("id", HALVED)
def test_half_holds_nothing_of_what_is_blank(id):
    half, blanks = halved(catalogue.solution(id))
    assert half == catalogue.half(id) and blanks and "SOLUTION" not in half and "WHY" not in half
    assert half.count("TODO") == len(blanks) and leaks(half, blanks) == []
    third = "".join(catalogue.item(id).hints[2].split())
    assert [one for one in blanks if re.search("[a-z]\\w*\\W", one) and "".join(one.split()) in third] == []


@pytest.mark.parametrize("id", HALVED)
def test_half_is_neither_the_beginning_nor_the_end(id):
    half, (worked, _) = catalogue.half(id), catalogue.worked(id)
    starter = derived.starter(id).rpartition("check(")[0]
    assert without_words(half) not in (without_words(starter), without_words(worked))
    heads = [line for line in starter.splitlines() if re.match(r" *(def|class) |\"\"\"", line)]
    assert heads and [line for line in heads if line not in half.splitlines()] == []
    for line, whole in zip(half.splitlines(), worked.splitlines(), strict=True):
        kept = [re.escape(part) for part in line.split("TODO")]
        assert re.fullmatch(r"\(?.+\)?".join(kept), whole), f"{line!r} is not {whole!r} with blanks"


MASTER = '''
def f(x, n):
    """Return x + 1."""
    y = x + 1
    ### BEGIN SOLUTION: return TODO
    {}
    ### END SOLUTION
    ### WHY: x + 1.
'''


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("return x + 1", "return TODO"),
        ("return y", "return y"),
        ("z = (x @ y + n) / 2", "z = TODO / 2"),
        ("z = 2 * n * x + x + 1", "z = TODO + x + 1"),
        ("z = np.maximum(x * n, 0)", "z = np.maximum(TODO, 0)"),
        ("z = x[n].sum().max(axis=1)", "z = TODO.max(axis=1)"),
        ("z = x.T[:, None]", "z = x.T[TODO]"),
        ("z = np.zeros(x.shape)", "z = np.zeros(x.shape)"),
        ("z = np.ones(3)", "z = np.ones(3)"),
        ("z, w = np.ones(3), x @ y", "z, w = np.ones(3), TODO"),
        ("z = np.array([1.0, -2.0, 3.0])", "z = np.array([1.0, TODO, TODO])"),
        ("z = np.array([[1.0, 2.0], [3.0, 4.0]])", "z = np.array([[1.0, TODO], [3.0, TODO]])"),
        ("return 1, 2.5", "return 1, TODO"),
        ("return 'yes' if not (x > n).all() else 'no'", "return 'yes' if not TODO.all() else 'no'"),
        ("np.put(y, n, x * x)", "np.put(y, n, TODO)"),
        ("y += x @ n  # größer", "y += TODO  # größer"),
        ("é = x * (1 + n); é = é * (1 + n)", "é = x * TODO; é = é * TODO"),
        ("z = max(\n        x @ n,\n        0,\n    )", "z = max(\n        TODO,\n        0,\n    )"),
        ("z = (\n        x\n        @ n\n    ) + 1", "z = (\n        TODO\n    ) + 1"),
        ("for i in range(n):\n        y = y @ x", "for i in range(n):\n        y = TODO"),
        ("if x.any() or n > 2 * x:\n        y = x", "if TODO or n > TODO:\n        y = x"),
    ],
)
def test_what_goes_and_what_stays(line, wanted):
    half, _ = halved(MASTER.format(line))
    begin, _, rest = half.partition("    y = x + 1\n")
    assert begin == 'def f(x, n):\n    """Return x + 1."""\n' and rest == f"    {wanted}"

"""Set the lesson's text aside: some modules of the course, with a label for every character.

Usage: python -m publish.language_model.set_aside          (run once; the lesson's numbers belong to what it wrote)
"""

import ast
import io
import keyword
import tokenize

from course_lib.model.excerpts import FOLDER, PARTS
from course_lib.model.language_model import CODES

MODULES = {  # by the names that they had when the text was set aside
    "A": ("grading.progress", "grading.todo", "page.widgets", "grading.sandbox", "grading.errors"),
    "B": ("page.interactive", "model.ffn", "page.explore", "model.block", "page.medium", "model.experts", "page.quiz"),
}
_KINDS = {tokenize.COMMENT: "c", tokenize.STRING: "s", tokenize.NUMBER: "0", tokenize.OP: "o"}


def main():
    """Write both parts and their labels."""
    for part in PARTS:
        pieces = [
            labelled((FOLDER.parent / f"{name.replace('.', '/')}.py").read_text("utf-8")) for name in MODULES[part]
        ]
        for end, words in zip(("", "_labels"), ("".join(piece) for piece in zip(*pieces, strict=True)), strict=True):
            (FOLDER / f"excerpt_{part.lower()}{end}.txt").write_text(words, encoding="ascii", newline="\n")
            print(f"excerpt_{part.lower()}{end}.txt: {len(words):,} characters")


def labelled(source: str) -> tuple[str, str]:
    """Return a source without the characters that the model does not know, and the labels of those that stay."""
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    labels = ["."] * len(source)
    docstrings = set(_docstring_starts(source))
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        kind = _KINDS.get(token.type)
        if token.type == tokenize.NAME:
            kind = "k" if keyword.iskeyword(token.string) else "n"
        if kind == "s" and token.start in docstrings:
            kind = "d"
        if kind is not None:
            first, last = (starts[row - 1] + column for row, column in (token.start, token.end))
            labels[first:last] = kind * (last - first)
    kept = [(character, label) for character, label in zip(source, labels, strict=True) if character in CODES]
    # A line of labels is as long as its line of text: what ends a line ends it in both.
    kept = [(character, "\n" if character == "\n" else label) for character, label in kept]
    text, labels = map("".join, zip(*kept, strict=True))
    return text, labels


def _docstring_starts(source):
    """Yield where each docstring begins, as (row, column)."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node) is not None:
            yield node.body[0].lineno, node.body[0].col_offset


if __name__ == "__main__":
    main()

"""Check every stored notebook without running it: what nbval does not compare, and how a lesson is written.

Each rule is a function from a notebook to a list of problems; BREAKERS breaks a good notebook once for each.
"""

import ast
import copy
import html
import itertools
import json
import re
import struct
import zlib
from base64 import b64encode
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parent.parent / "notebooks"
PATHS = sorted(FOLDER.glob("*.ipynb"))

METADATA = {
    "kernelspec": {"display_name": "Python 3 (ipykernel)", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
MAX_BYTES = 300_000
MAX_IMPORTS = 6
MAX_LINES, USUAL_LINES, USUAL_SHARE = 25, 15, 0.9
MAX_WORDS = 90
BANNED = re.compile(r"\b(simply|obviously|just)\b", re.IGNORECASE)
EMPTY_LINK_TEXTS = {"", "here", "click here", "this", "link", "this link", "more", "read more", "see here"}
NBVAL_TAGS = {"nbval-skip", "nbval-raises-exception", "raises-exception", "nbval-check-output"}
IGNORE_OUTPUT = "nbval-ignore-output"


@dataclass(frozen=True)
class Notebook:
    """One notebook as stored, with the names of its neighbours."""

    path: Path
    siblings: tuple[str, ...] = ()

    @cached_property
    def data(self) -> dict:
        return json.loads(self.path.read_text(encoding="utf-8"))

    @property
    def cells(self) -> list[dict]:
        return self.data["cells"]

    @property
    def code(self) -> list[dict]:
        return [cell for cell in self.cells if cell["cell_type"] == "code"]

    @property
    def markdown(self) -> list[dict]:
        return [cell for cell in self.cells if cell["cell_type"] == "markdown"]

    @property
    def outputs(self) -> list[tuple[dict, dict]]:
        return [(cell, output) for cell in self.code for output in cell["outputs"]]


def text(value) -> str:
    """Join a field that may be stored as a list of lines."""
    return "".join(value) if isinstance(value, list) else value


def output_texts(output) -> list[str]:
    """Return every text an output shows."""
    data = output.get("data", {})
    texts = [text(output.get("text", ""))]
    return texts + [text(value) for key, value in data.items() if key.startswith("text/")]


def prose(source: str) -> str:
    """Return the running text of a markdown cell: no code, equations, table rows, link targets or HTML tags."""
    source = re.sub(r"(?ms)^ *(```|~~~).*?^ *\1", " ", source)
    source = re.sub(r"(?s)\$\$.*?\$\$", " ", source)
    source = re.sub(r"(?s)<!--.*?-->|</?[a-zA-Z][^>]*>", " ", source)
    source = re.sub(r"(?m)^ *\|.*$", " ", source)
    source = re.sub(r"\]\([^)]*\)", "]", source)
    return re.sub(r"`[^`]*`|\$[^$\n]+\$", " code1 ", source)


def visible(markup: str) -> str:
    """Return text as a reader sees it: no tags, no emphasis marks, single spaces."""
    markup = html.unescape(re.sub(r"<[^>]*>", " ", markup))
    return " ".join(re.sub(r"[*_`\\]", "", markup).split())


def headings(notebook) -> list[tuple[int, str]]:
    """Return level and text of every heading, code blocks left out."""
    found = []
    for cell in notebook.markdown:
        source = re.sub(r"(?ms)^ *(```|~~~).*?^ *\1", "", text(cell["source"]))
        found += [(len(marks), title) for marks, title in re.findall(r"(?m)^(#{1,6}) +(.*?) *#*$", source)]
    return found


def links(notebook) -> list[tuple[str, str, str]]:
    """Return cell id, text and target of every markdown link; pictures left out."""
    found = []
    for cell in notebook.markdown:
        source = re.sub(r"(?ms)^ *(```|~~~).*?^ *\1|`[^`\n]*`", "", text(cell["source"]))
        for words, target in re.findall(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)[^)]*\)", source):
            found.append((cell.get("id", "?"), words, target))
    return found


# ---- rules: what is stored -------------------------------------------------------------------------------------------


def execution_counts(notebook):
    counts = [cell["execution_count"] for cell in notebook.code]
    if counts != list(range(1, len(counts) + 1)):
        return [f"code cells must be executed once, in order; the counts are {counts}"]
    return []


def errors_and_stderr(notebook):
    return [
        f"{cell['id']}: stored {output.get('name', 'error')} output"
        for cell, output in notebook.outputs
        if output["output_type"] == "error" or output.get("name") == "stderr"
    ]


def addresses(notebook):
    return [
        f"{cell['id']}: memory address in an output"
        for cell, output in notebook.outputs
        if any(re.search(r"\bat 0x", shown) for shown in output_texts(output))
    ]


def raw_floats(notebook):
    return [
        f"{cell['id']}: {number} has more digits than are the same on every processor"
        for cell, output in notebook.outputs
        for shown in output_texts(output)
        for number in re.findall(r"\d\.\d{7,}", shown)
    ]


def absolute_paths(notebook):
    pattern = re.compile(r"(?:^|[\s\"'(=`,])((?:/[A-Za-z][\w.-]*/[\w.-]|[A-Za-z]:\\\w|file://)\S*)", re.MULTILINE)
    shown = [(cell["id"], text(cell["source"])) for cell in notebook.cells]
    shown += [(cell["id"], words) for cell, output in notebook.outputs for words in output_texts(output)]
    return [f"{cell_id}: absolute path {found}" for cell_id, words in shown for found in pattern.findall(words)]


def metadata(notebook):
    problems = []
    if notebook.data["metadata"] != METADATA:
        problems.append(f"notebook metadata must be {METADATA}: run make refresh")
    if (notebook.data["nbformat"], notebook.data["nbformat_minor"]) != (4, 5):
        problems.append("the format must be nbformat 4.5: run make refresh")
    for cell in notebook.cells:
        extra = set(cell["metadata"]) - {"tags"}
        if extra:
            problems.append(f"{cell.get('id')}: cell metadata {sorted(extra)}: run make refresh")
    return problems


def widgets(notebook):
    problems = ["widget state in the metadata"] if "widgets" in notebook.data["metadata"] else []
    return problems + [
        f"{cell['id']}: {kind} in an output"
        for cell, output in notebook.outputs
        for kind in output.get("data", {})
        if "jupyter.widget" in kind
    ]


def nbval_tags(notebook):
    problems, ignored = [], []
    for cell in notebook.code:
        comments = re.findall(r"(?m)^\s*#+\s*(NBVAL_[A-Z_]+|PYTEST_VALIDATE_IGNORE_OUTPUT)\s*$", text(cell["source"]))
        problems += [f"{cell['id']}: comment {comment}; use a tag" for comment in comments]
        tags = cell["metadata"].get("tags", [])
        problems += [f"{cell['id']}: tag {tag}" for tag in tags if tag in NBVAL_TAGS]
        ignored += [cell["id"]] * (IGNORE_OUTPUT in tags)
    if len(ignored) > 1:
        problems.append(f"at most one cell may be tagged {IGNORE_OUTPUT}, not {ignored}")
    return problems


def file_size(notebook):
    size = notebook.path.stat().st_size
    return [f"{size} bytes, more than {MAX_BYTES}"] if size > MAX_BYTES else []


def pictures(notebook):
    problems = []
    for cell, output in notebook.outputs:
        data = output.get("data", {})
        problems += [
            f"{cell['id']}: {kind} in an output; pictures are PNG"
            for kind in data
            if kind.startswith("image/") and kind != "image/png"
        ]
        if "image/png" not in data:
            continue
        if not output["metadata"].get("image/png", {}).get("alt", "").strip():
            problems.append(f"{cell['id']}: picture without alt text")
        plain = text(data.get("text/plain", ""))
        caption = visible(plain.removeprefix("Figure: "))
        if not plain.startswith("Figure: ") or not caption:
            problems.append(f"{cell['id']}: the picture's text/plain must be 'Figure: <caption>'")
            continue
        others = [visible(shown) for other in cell["outputs"] if other is not output for shown in output_texts(other)]
        if not any(caption in shown for shown in others):
            problems.append(f"{cell['id']}: the caption is not visible beside the picture")
    for cell in notebook.markdown:
        source = text(cell["source"])
        tags = re.findall(r"<img\b[^>]*>", source)
        if re.search(r"!\[\s*\]\(", source) or any(not re.search(r"alt\s*=\s*[\"'][^\"']", tag) for tag in tags):
            problems.append(f"{cell['id']}: picture without alt text")
    return problems


# ---- rules: how a lesson is written ----------------------------------------------------------------------------------


def plain_python(notebook):
    problems = []
    for cell in notebook.code:
        try:
            empty = not ast.parse(text(cell["source"])).body and "#" not in text(cell["source"])
        except SyntaxError as error:
            problems.append(f"{cell['id']}: not plain Python (no magics, no shell): line {error.lineno}")
        else:
            problems += [f"{cell['id']}: empty code cell"] * empty
    return problems


def semicolons(notebook):
    return [
        f"{cell['id']}: trailing semicolon; it silences nothing in nbval"
        for cell in notebook.code
        if re.search(r"(?m);[ \t]*$", text(cell["source"]))
    ]


def setup_cell(notebook):
    if not notebook.code:
        return ["no code cell"]
    first = notebook.code[0]
    if first["id"] != "setup":
        return [f"the first code cell must be the setup cell, with the id 'setup', not {first['id']!r}"]
    try:
        tree = ast.parse(text(first["source"]))
    except SyntaxError:
        return ["setup: not plain Python"]
    problems = []
    # `try: import course_lib` may say what to do when the package is missing
    statements = [one for node in tree.body for one in (node.body if isinstance(node, ast.Try) else [node])]
    imports = [one for one in statements if isinstance(one, ast.Import | ast.ImportFrom)]
    problems += [f"setup: line {one.lineno} is not an import" for one in statements if one not in imports]
    if len(imports) > MAX_IMPORTS:
        problems.append(f"setup: {len(imports)} imports, more than {MAX_IMPORTS}")
    return problems


def code_length(notebook):
    lengths = {cell["id"]: len(text(cell["source"]).splitlines()) for cell in notebook.code}
    problems = [f"{name}: {n} lines, more than {MAX_LINES}" for name, n in lengths.items() if n > MAX_LINES]
    long = [name for name, n in lengths.items() if n > USUAL_LINES]
    if len(long) > (1 - USUAL_SHARE) * len(lengths) + 1e-9:
        problems.append(f"more than 10 % of the code cells are over {USUAL_LINES} lines: {long}")
    return problems


def markdown_length(notebook):
    problems = []
    for cell in notebook.markdown:
        words = [word for word in prose(text(cell["source"])).split() if re.search(r"\w", word)]
        if len(words) > MAX_WORDS:
            problems.append(f"{cell['id']}: {len(words)} words, more than {MAX_WORDS}")
    return problems


def heading_order(notebook):
    found = headings(notebook)
    problems = []
    if not notebook.cells or not text(notebook.cells[0]["source"]).startswith("# "):
        problems.append("the first cell must begin with the title ('# ...')")
    if sum(level == 1 for level, _ in found) != 1:
        problems.append("there must be exactly one heading of level 1")
    for (before, _), (level, title) in itertools.pairwise(found):
        if level > before + 1:
            problems.append(f"heading {title!r} skips from level {before} to {level}")
    return problems


def cell_ids(notebook):
    ids = [cell.get("id", "") for cell in notebook.cells]
    problems = [f"cell id {name!r} is used twice" for name in sorted(set(ids)) if ids.count(name) > 1]
    for name in ids:
        if not re.fullmatch(r"[a-z][a-z0-9-]*", name):
            problems.append(f"cell id {name!r} must be lower-case letters, digits and hyphens")
        elif re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]+)*|[0-9a-f]{32}", name):
            problems.append(f"cell id {name!r} is random; give it a meaning")
    return problems


def banned_words(notebook):
    return [
        f"{cell['id']}: the word {word!r}"
        for cell in notebook.markdown
        for word in BANNED.findall(prose(text(cell["source"])))
    ]


def link_targets(notebook):
    problems = []
    anchors = {re.sub(r"\s+", "-", title) for _, title in headings(notebook)}
    for cell_id, words, target in links(notebook):
        if visible(words).lower().strip(" .:→←") in EMPTY_LINK_TEXTS or re.match(r"https?:", words):
            problems.append(f"{cell_id}: link text {words!r} does not say where it leads")
        if target.startswith("#"):
            if target[1:] not in anchors:
                problems.append(f"{cell_id}: no heading for {target}")
        elif not re.match(r"[a-z]+:", target) and not (notebook.path.parent / target.split("#")[0]).exists():
            problems.append(f"{cell_id}: no file {target}")
    return problems


def neighbour_links(notebook):
    names, targets = list(notebook.siblings), {target.split("#")[0] for _, _, target in links(notebook)}
    here = names.index(notebook.path.name)
    wanted = names[max(here - 1, 0) : here] + names[here + 1 : here + 2]
    return [f"no link to the neighbouring lesson {name}" for name in wanted if name not in targets]


RULES = (
    execution_counts,
    errors_and_stderr,
    addresses,
    raw_floats,
    absolute_paths,
    metadata,
    widgets,
    nbval_tags,
    file_size,
    pictures,
    plain_python,
    semicolons,
    setup_cell,
    code_length,
    markdown_length,
    heading_order,
    cell_ids,
    banned_words,
    link_targets,
    neighbour_links,
)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_notebook(path, rule):
    problems = rule(Notebook(path, tuple(other.name for other in PATHS)))
    assert not problems, "\n".join(problems)


def numbering(names) -> list[str]:
    """Report lessons that are not numbered 00, 01, 02 … without gaps."""
    problems = [f"{name}: not named like 01_linear_limits.ipynb" for name in names if not _LESSON.fullmatch(name)]
    numbers = [int(name[:2]) for name in names if _LESSON.fullmatch(name)]
    if not numbers or numbers != list(range(len(numbers))):
        problems.append(f"lessons must be numbered from 00 without gaps, not {numbers}")
    return problems


_LESSON = re.compile(r"\d\d_[a-z0-9_]+\.ipynb")


def test_numbering():
    assert numbering([path.name for path in PATHS]) == []


@pytest.mark.parametrize(
    "names",
    [[], ["01_a.ipynb"], ["00_a.ipynb", "02_b.ipynb"], ["00_a.ipynb", "00_b.ipynb"], ["00_a.ipynb", "Untitled.ipynb"]],
)
def test_numbering_reports(names):
    assert numbering(names)


# ---- every rule can fail ---------------------------------------------------------------------------------------------


def png() -> str:
    """Return a picture of one white pixel."""

    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0))
    return b64encode(
        b"\x89PNG\r\n\x1a\n" + header + chunk(b"IDAT", zlib.compress(b"\0\xff")) + chunk(b"IEND", b"")
    ).decode()


def markdown(cell_id, source):
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": source}


def code(cell_id, source, count, *outputs):
    return {
        "cell_type": "code",
        "id": cell_id,
        "metadata": {"tags": []},
        "source": source,
        "execution_count": count,
        "outputs": list(outputs),
    }


def shown(**data):
    data = {key.replace("_", "/"): value for key, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def printed(words, name="stdout"):
    return {"output_type": "stream", "name": name, "text": words}


SIBLINGS = ("00_start.ipynb", "01_good.ipynb", "02_next.ipynb")
PICTURE = {
    "output_type": "display_data",
    "metadata": {"image/png": {"alt": "A rising line"}},
    "data": {"image/png": png(), "text/plain": "Figure: The line rises by 3 units."},
}
GOOD = {
    "cells": [
        markdown("title", "# Why one pixel?\n\nA question, with `just` and $x$ in it, and/or one ~~~ of these."),
        markdown("before", "[Lesson 0: start](00_start.ipynb) · [the question above](#Why-one-pixel?)"),
        code("setup", "try:\n    import math\nexcept ImportError:\n    raise\nfrom pathlib import Path", 1),
        markdown("predict-1", "## Predict\n\n| a | b |\n|--|--|\n" + "| word | word |\n" * 60),
        code("run-1", "# see\nprint(7 % 3)", 2, printed("1\n"), shown(text_plain="0.125")),
        markdown("figure", "### The picture\n\n```python\n# just a comment\n```\n$$\n" + "x + y \\\\\n" * 50 + "$$"),
        code("figure-1", "math.pi", 3, PICTURE, shown(text_markdown="*The line rises by **3** units.*", text_plain="")),
        markdown("next", "## Next\n\n[Lesson 2: what comes next](02_next.ipynb) asks more."),
    ],
    "metadata": METADATA,
    "nbformat": 4,
    "nbformat_minor": 5,
}


def stored(data, folder) -> Notebook:
    """Write a notebook and its neighbours into a folder."""
    for name in SIBLINGS:
        (folder / name).write_text(json.dumps(data), encoding="utf-8")
    return Notebook(folder / SIBLINGS[1], SIBLINGS)


def cell(data, cell_id):
    return next(one for one in data["cells"] if one["id"] == cell_id)


def adding_output(output):
    return lambda data: cell(data, "run-1")["outputs"].append(output)


def setting(cell_id, source):
    return lambda data: cell(data, cell_id).update(source=source)


def tagging(**tags):
    return lambda data: [
        cell(data, name.replace("_", "-"))["metadata"].update(tags=[tag]) for name, tag in tags.items()
    ]


def renaming(cell_id, new):
    return lambda data: cell(data, cell_id).update(id=new)


def picture(data):
    return cell(data, "figure-1")["outputs"][0]


BREAKERS = [
    (execution_counts, lambda data: cell(data, "run-1").update(execution_count=None)),
    (execution_counts, lambda data: cell(data, "run-1").update(execution_count=3)),
    (execution_counts, lambda data: cell(data, "setup").update(execution_count=4)),
    (errors_and_stderr, adding_output(printed("careful", "stderr"))),
    (errors_and_stderr, adding_output({"output_type": "error", "ename": "E", "evalue": "", "traceback": []})),
    (addresses, adding_output(shown(text_plain="<function f at 0x7f73a2e954d0>"))),
    (addresses, adding_output(printed("<function f at 0x7f73a2e954d0>"))),
    (raw_floats, adding_output(shown(text_plain="0.30000000000000004"))),
    (absolute_paths, adding_output(printed("saved in /home/me/file"))),
    (absolute_paths, adding_output(shown(text_markdown="`C:\\Users`"))),
    (absolute_paths, setting("run-1", "open('/tmp/x')")),
    (absolute_paths, setting("next", "[the file](/srv/course/x)")),
    (metadata, lambda data: data["metadata"]["kernelspec"].update(name="my-venv")),
    (metadata, lambda data: data["metadata"]["language_info"].update(version="3.11.7")),
    (metadata, lambda data: data.update(nbformat_minor=4)),
    (metadata, lambda data: cell(data, "run-1")["metadata"].update(execution={"iopub.status.busy": "now"})),
    (widgets, lambda data: data["metadata"].update(widgets={})),
    (widgets, adding_output({"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {}}})),
    (nbval_tags, tagging(run_1="nbval-skip")),
    (nbval_tags, tagging(run_1="raises-exception")),
    (nbval_tags, tagging(run_1=IGNORE_OUTPUT, figure_1=IGNORE_OUTPUT)),
    (nbval_tags, setting("run-1", "# NBVAL_SKIP\n1")),
    (file_size, setting("run-1", "1\n" * MAX_BYTES)),
    (pictures, lambda data: picture(data)["metadata"].clear()),
    (pictures, lambda data: picture(data)["metadata"]["image/png"].update(alt=" ")),
    (pictures, lambda data: picture(data)["data"].update({"text/plain": "<Figure size 640x480 with 1 Axes>"})),
    (pictures, lambda data: picture(data)["data"].update({"text/plain": "Figure: The line falls."})),
    (pictures, lambda data: cell(data, "figure-1")["outputs"].pop()),
    (pictures, adding_output(shown(**{"image_svg+xml": "<svg/>"}))),
    (pictures, setting("figure", "![](picture.png)")),
    (pictures, setting("figure", "<img src='picture.png' alt=''>")),
    (plain_python, setting("run-1", "%matplotlib inline")),
    (plain_python, setting("run-1", "!ls")),
    (plain_python, setting("run-1", " \n")),
    (semicolons, setting("run-1", "print(1);\n2")),
    (setup_cell, renaming("setup", "imports")),
    (setup_cell, setting("setup", "import a, b\n" * (MAX_IMPORTS + 1))),
    (setup_cell, setting("setup", "import math\nx = 1")),
    (setup_cell, setting("setup", "try:\n    x = 1\nexcept NameError:\n    raise")),
    (setup_cell, lambda data: data.update(cells=data["cells"][:2])),
    (code_length, setting("run-1", "1\n" * (MAX_LINES + 1))),
    (code_length, setting("run-1", "1\n" * (USUAL_LINES + 1))),
    (markdown_length, setting("predict-1", "word " * (MAX_WORDS + 1))),
    (heading_order, setting("title", "Why?")),
    (heading_order, setting("next", "# Another title")),
    (heading_order, setting("predict-1", "### Too deep")),
    (cell_ids, renaming("next", "Next_1")),
    (cell_ids, renaming("next", "title")),
    (cell_ids, renaming("next", "a1b2c3d4")),
    (cell_ids, renaming("next", "f47ac10b-58cc-4372-a567-0e02b2c3d479")),
    (cell_ids, lambda data: cell(data, "next").pop("id")),
    (banned_words, setting("next", "Just do it.")),
    (banned_words, setting("next", "## It is simply a sum")),
    (link_targets, setting("next", "[Lesson 9: gone](09_gone.ipynb)")),
    (link_targets, setting("next", "[what was said](#No-such-heading)")),
    (link_targets, setting("next", "Read it [here](02_next.ipynb).")),
    (link_targets, setting("next", "[https://example.org](https://example.org)")),
    (neighbour_links, setting("next", "The end.")),
    (neighbour_links, setting("before", "The start.")),
]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_good_notebook_passes(rule, tmp_path):
    assert rule(stored(GOOD, tmp_path)) == []


@pytest.mark.parametrize(("rule", "break_it"), BREAKERS, ids=[rule.__name__ for rule, _ in BREAKERS])
def test_rule_reports(rule, break_it, tmp_path):
    data = copy.deepcopy(GOOD)
    break_it(data)
    assert rule(stored(data, tmp_path))


def test_every_rule_is_broken_once():
    assert {rule for rule, _ in BREAKERS} == set(RULES)

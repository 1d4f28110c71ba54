"""Rules for a stored notebook: what nbval does not compare, and how a lesson is written.

Each rule is a function from a notebook to a list of problems; RULES holds them all.
"""

import ast
import itertools
import re

from bs4 import BeautifulSoup

from courseware.page.caption import FOLD
from tests.courseware.page.figure_rules import wordy
from tests.publish.link_rules import link_targets, neighbour_links
from tests.publish.stored_notebook import headings, output_texts, prose, text, visible

MAX_LINE = 90
CONTROLS = {"help_with", "quiz", "warm_up", "progress", "guesses", "explore", "which_bank"}
BANNED = re.compile(r"\b(simply|obviously|just)\b", re.IGNORECASE)


def execution_counts(notebook) -> list[str]:
    """Every code cell was executed once, in order."""
    counts = [cell["execution_count"] for cell in notebook.code]
    if counts != list(range(1, len(counts) + 1)):
        return [f"code cells must be executed once, in order; the counts are {counts}"]
    return []


def errors_and_stderr(notebook) -> list[str]:
    """No output is an error or comes from stderr."""
    return [
        f"{cell['id']}: stored {output.get('name', 'error')} output"
        for cell, output in notebook.outputs
        if output["output_type"] == "error" or output.get("name") == "stderr"
    ]


def addresses(notebook) -> list[str]:
    """No output shows a memory address."""
    return [
        f"{cell['id']}: memory address in an output"
        for cell, output in notebook.outputs
        if any(re.search(r"\bat 0x", shown) for shown in output_texts(output))
    ]


def raw_floats(notebook) -> list[str]:
    """No output shows more digits than are the same on every processor."""
    return [
        f"{cell['id']}: {number} has more digits than are the same on every processor"
        for cell, output in notebook.outputs
        for shown in output_texts(output)
        for number in re.findall(r"\d\.\d{7,}", shown)
    ]


def absolute_paths(notebook) -> list[str]:
    """No cell and no output names a place on one machine."""
    pattern = re.compile(r"(?:^|[\s\"'(=`,])((?:/[A-Za-z][\w.-]*/[\w.-]|[A-Za-z]:\\\w|file://)\S*)", re.MULTILINE)
    shown = [(cell["id"], text(cell["source"])) for cell in notebook.cells]
    shown += [(cell["id"], words) for cell, output in notebook.outputs for words in output_texts(output)]
    return [f"{cell_id}: absolute path {found}" for cell_id, words in shown for found in pattern.findall(words)]


def folded(notebook) -> list[str]:
    """The code of controls and tables, the imports and all plumbing are folded, and what is folded has a name in words.

    The name is the first line: it is all that JupyterLab shows of a folded cell.
    """
    problems = []
    for cell in notebook.code:
        source, hidden = text(cell["source"]), cell["metadata"].get("jupyter", {}).get("source_hidden")
        to_fold = cell["id"] == "setup" or source.startswith("# plumbing") or _called(source) & CONTROLS
        if to_fold and not hidden:
            problems.append(f"{cell['id']}: its code must be folded: run make refresh")
        if hidden and not re.match(r"# (?!plumbing)\w", source):
            problems.append(f"{cell['id']}: folded code must begin with what it is, in words: run make refresh")
    return problems


def _called(source) -> set[str]:
    """Return the names of the functions that a cell calls, outside of any other statement."""
    try:
        calls = [one.value for one in ast.parse(source).body if isinstance(one, ast.Expr)]
    except SyntaxError:
        return set()
    return {call.func.id for call in calls if isinstance(call, ast.Call) and isinstance(call.func, ast.Name)}


def answers_folded(notebook) -> list[str]:
    """What is shown between the cell where a guess is typed and the one that checks it is folded, and nothing else is.

    A guess is known by its variable, and not by the ids that `lessons.cells` reads: one cell gives it TODO,
    a later one hands it to check. What a check itself shows here is that nothing was attempted.
    """
    typed, to_fold = {}, set()
    for place, cell in enumerate(notebook.code):
        tree = ast.parse(text(cell["source"]))
        for name in _checked(tree) & set(typed):
            between = notebook.code[typed.pop(name) + 1 : place]
            to_fold |= {one["id"] for one in between if one["outputs"] and not _checked(ast.parse(text(one["source"])))}
        typed |= dict.fromkeys(_left_open(tree), place)
    folded = {one["id"] for one in notebook.code if one["metadata"].get("jupyter", {}).get("outputs_hidden")}
    problems = [f"{id}: its output gives the answer away: run make refresh" for id in sorted(to_fold - folded)]
    problems += [f"{id}: its output is folded for no guess: run make refresh" for id in sorted(folded - to_fold)]
    return problems


def _left_open(tree) -> set[str]:
    """Return the variables that get TODO, or something with TODO in it."""
    given = [node for node in ast.walk(tree) if isinstance(node, ast.Assign)]
    given = [node for node in given if any(getattr(part, "id", "") == "TODO" for part in ast.walk(node.value))]
    return {target.id for node in given for target in node.targets if isinstance(target, ast.Name)}


def _checked(tree) -> set[str]:
    """Return the variables that are handed to check."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "check"]
    return {given.id for call in calls for given in call.args[1:] if isinstance(given, ast.Name)}


def line_width(notebook) -> list[str]:
    """A line of code can be read without scrolling sideways."""
    return [
        f"{cell['id']}: a line of {len(line)} characters; at most {MAX_LINE}"
        for cell in notebook.code
        if cell["id"] != "setup"
        for line in text(cell["source"]).splitlines()
        if len(line) > MAX_LINE
    ]


def pictures(notebook) -> list[str]:
    """Every picture is PNG, with alt text and with its caption as visible text."""
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


def captions(notebook) -> list[str]:
    """What is seen below a picture is one sentence; the rest of the alt text is in a fold."""
    problems = []
    for cell in notebook.code:
        alt = None
        for output in cell["outputs"]:
            data = output.get("data", {})
            if "image/png" in data:
                alt = output["metadata"].get("image/png", {}).get("alt", "")
            elif alt is not None:
                page = BeautifulSoup(text(data.get("text/markdown", "")), "html.parser")
                folds = [fold.extract() for fold in page.find_all("details")]
                seen, folded = page.get_text().strip(), " ".join(fold.get_text() for fold in folds)
                problems += [f"{cell['id']}: {problem}" for problem in wordy(seen)]
                if f"{seen} {folded.removeprefix(FOLD)}".strip() != alt:
                    problems.append(f"{cell['id']}: the caption and its fold do not say what the alt text says")
                alt = None
    return problems


def heading_order(notebook) -> list[str]:
    """There is one title, at the top, and no heading skips a level."""
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


def recap_first(notebook) -> list[str]:
    """The recap stands before every part that is headed as optional."""
    titles = [title for _, title in headings(notebook)]
    before = titles[: titles.index("Recap")] if "Recap" in titles else []
    return [f"the recap must stand before {title!r}" for title in before if title.startswith("Optional")]


def banned_words(notebook) -> list[str]:
    """No word talks down to a reader."""
    return [
        f"{cell['id']}: the word {word!r}"
        for cell in notebook.markdown
        for word in BANNED.findall(prose(text(cell["source"])))
    ]


RULES = (
    execution_counts,
    errors_and_stderr,
    addresses,
    raw_floats,
    absolute_paths,
    folded,
    answers_folded,
    line_width,
    pictures,
    captions,
    heading_order,
    recap_first,
    banned_words,
    link_targets,
    neighbour_links,
)

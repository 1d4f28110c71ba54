"""Rules for a stored notebook: what nbval does not compare, and how a lesson is written.

Each rule is a function from a notebook to a list of problems; RULES holds them all.
"""

import ast
import itertools
import re

from bs4 import BeautifulSoup

from course_lib.page.caption import FOLD
from publish.refresh import METADATA
from tests.page.figure_rules import wordy
from tests.publish.link_rules import link_targets, neighbour_links
from tests.publish.stored_notebook import headings, imports, output_texts, prose, text, visible

MAX_BYTES = 700_000  # pictures have twice the pixels of the page; the largest notebook takes 674,782
MAX_IMPORTS = 6
MAX_LINE = 90
MAX_LINES, USUAL_LINES, USUAL_SHARE = 25, 15, 0.9
CONTROLS = {"help_with", "quiz", "warm_up", "progress", "guesses", "explore", "which_bank"}
BANNED = re.compile(r"\b(simply|obviously|just)\b", re.IGNORECASE)
NBVAL_TAGS = {"nbval-skip", "nbval-raises-exception", "raises-exception", "nbval-check-output"}
IGNORE_OUTPUT = "nbval-ignore-output"


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


def metadata(notebook) -> list[str]:
    """The notebook's and the cells' metadata are those that refreshing leaves."""
    problems = []
    if notebook.data["metadata"] != METADATA:
        problems.append(f"notebook metadata must be {METADATA}: run make refresh")
    if (notebook.data["nbformat"], notebook.data["nbformat_minor"]) != (4, 5):
        problems.append("the format must be nbformat 4.5: run make refresh")
    for cell in notebook.cells:
        extra = set(cell["metadata"]) - {"tags", "jupyter", "course"}
        extra |= set(cell["metadata"].get("course", {})) - {"page", "results"}
        extra |= set(cell["metadata"].get("jupyter", {})) - {"source_hidden", "outputs_hidden"}
        if extra:
            problems.append(f"{cell.get('id')}: cell metadata {sorted(extra)}: run make refresh")
    return problems


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


def widgets(notebook) -> list[str]:
    """No widget and no widget state is stored."""
    problems = ["widget state in the metadata"] if "widgets" in notebook.data["metadata"] else []
    return problems + [
        f"{cell['id']}: {kind} in an output"
        for cell, output in notebook.outputs
        for kind in output.get("data", {})
        if "jupyter.widget" in kind
    ]


def nbval_tags(notebook) -> list[str]:
    """Nothing but one cell that measures is exempt from comparison."""
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


def file_size(notebook) -> list[str]:
    """The file is no larger than its pictures need."""
    size = notebook.path.stat().st_size
    return [f"{size} bytes, more than {MAX_BYTES}"] if size > MAX_BYTES else []


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


def plain_python(notebook) -> list[str]:
    """Every code cell is plain Python and not empty."""
    problems = []
    for cell in notebook.code:
        try:
            empty = not ast.parse(text(cell["source"])).body and "#" not in text(cell["source"])
        except SyntaxError as error:
            problems.append(f"{cell['id']}: not plain Python (no magics, no shell): line {error.lineno}")
        else:
            problems += [f"{cell['id']}: empty code cell"] * empty
    return problems


def semicolons(notebook) -> list[str]:
    """No line of code ends in a semicolon."""
    return [
        f"{cell['id']}: trailing semicolon; it silences nothing in nbval"
        for cell in notebook.code
        if re.search(r"(?m);[ \t]*$", text(cell["source"]))
    ]


def setup_cell(notebook) -> list[str]:
    """The first code cell is the setup cell, behind the picture of the first lesson; it holds a few imports only."""
    code = [cell for cell in notebook.code if notebook.path.stem[:2] != "00" or cell["id"] != "opening"]
    if not code:
        return ["no code cell"]
    first = code[0]
    if first["id"] != "setup":
        return [f"the first code cell must be the setup cell, with the id 'setup', not {first['id']!r}"]
    try:
        tree = ast.parse(text(first["source"]))
    except SyntaxError:
        return ["setup: not plain Python"]
    problems = []
    # `try: import course_lib` may say what to do when the package is missing; it does not count
    guarded = [one for node in tree.body if isinstance(node, ast.Try) for one in node.body]
    problems += [f"setup: line {one.lineno} is not an import" for one in guarded if not isinstance(one, ast.Import)]
    statements = [node for node in tree.body if not isinstance(node, ast.Try)]
    imports = [one for one in statements if isinstance(one, ast.Import | ast.ImportFrom)]
    problems += [f"setup: line {one.lineno} is not an import" for one in statements if one not in imports]
    if len(imports) > MAX_IMPORTS:
        problems.append(f"setup: {len(imports)} imports, more than {MAX_IMPORTS}")
    return problems


def course_imports(notebook) -> list[str]:
    """What the notebook takes from the course is the desk, which it calls, the model, and its own figures."""
    figures = f"lessons.{notebook.path.stem[3:]}.figures"
    sources = [text(cell["source"]) for cell in notebook.code]
    taken = {
        name for source in sources for name in imports(source) if name.partition(".")[0] in ("course_lib", "lessons")
    }
    calls = re.sub(r"(?m)^from (course_lib|lessons).*", "", "\n".join(sources))
    told = {"course_lib.desk.show_case"} if "course_lib.desk.check" in taken else set()  # a verdict names it
    problems = [f"{name} is not imported, and verdicts name it" for name in told - taken]
    for name in sorted(taken - told - {"course_lib", "course_lib.environment", "course_lib.desk.TODO", figures}):
        if name.startswith("course_lib.desk."):
            short = name.rpartition(".")[2]
            problems += [f"{short} is imported and never called"] * (not re.search(rf"\b{short}\(", calls))
        elif not name.startswith(("course_lib.model.", "course_lib.kept.", "course_lib.microscope.")):
            problems.append(
                f"{name} is imported; take from the course the desk, by name, keep, model, microscope and figures only"
            )
    return problems


def warm_up(notebook) -> list[str]:
    """From lesson 02 on, questions of earlier lessons stand between the aims and the first section; before, none do."""
    ids = [cell.get("id") for cell in notebook.cells]
    number, _, name = notebook.path.stem.partition("_")
    if int(number) < 2:
        return ["a warm-up needs two lessons before it"] * ("warm-up" in ids)
    if "warm-up" not in ids:
        return ["no cell with the id 'warm-up'"]
    place = ids.index("warm-up")
    wanted = f'# the warm-up\nfrom course_lib.desk import warm_up\n\nwarm_up("{name}")'
    problems = ["warm-up: it must hold " + repr(wanted)] * (text(notebook.cells[place]["source"]) != wanted)
    problems += [f"warm-up: it must stand behind {id}" for id in ("setup", "learn") if id not in ids[:place]]
    above = [text(cell["source"]) for cell in notebook.cells[:place]]
    return problems + ["warm-up: it must stand before section 1"] * any(re.match(r"## 1\.", one) for one in above)


def code_length(notebook) -> list[str]:
    """Code cells are short; those that are folded need not be read, but have the same limit."""
    lengths = {cell["id"]: len(text(cell["source"]).splitlines()) for cell in notebook.code}
    problems = [f"{name}: {n} lines, more than {MAX_LINES}" for name, n in lengths.items() if n > MAX_LINES]
    folded = {cell["id"] for cell in notebook.code if cell["metadata"].get("jupyter", {}).get("source_hidden")}
    long = [name for name, n in lengths.items() if n > USUAL_LINES and name not in folded]
    if len(long) > (1 - USUAL_SHARE) * len(lengths) + 1e-9:
        problems.append(f"more than 10 % of the code cells are over {USUAL_LINES} lines: {long}")
    return problems


def quiz_order(notebook) -> list[str]:
    """The questions that have a number are met in the order of their numbers; one that stands alone has none."""
    calls = [re.search(r'^quiz\("\w+", (\d+), (\d+)\)', text(cell["source"]), re.MULTILINE) for cell in notebook.code]
    shown = [range(int(call[1]), int(call[2]) + 1) for call in calls if call and call[1] != call[2]]
    met = [number for numbers in shown for number in numbers]
    return [f"the questions {met} of the quiz are not in order"] * (met != sorted(met))


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


def cell_ids(notebook) -> list[str]:
    """Cell ids are unique and carry meaning."""
    ids = [cell.get("id", "") for cell in notebook.cells]
    problems = [f"cell id {name!r} is used twice" for name in sorted(set(ids)) if ids.count(name) > 1]
    for name in ids:
        if re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]+)*|[0-9a-f]{32}", name):
            problems.append(f"cell id {name!r} is random; give it a meaning, in the .ipynb file with a text editor")
        elif not re.fullmatch(r"[a-z][a-z0-9-]*", name):
            problems.append(f"cell id {name!r} must be a lower-case letter, then such letters, digits and hyphens")
    return problems


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
    metadata,
    folded,
    answers_folded,
    line_width,
    widgets,
    nbval_tags,
    file_size,
    pictures,
    captions,
    plain_python,
    semicolons,
    setup_cell,
    course_imports,
    warm_up,
    code_length,
    quiz_order,
    heading_order,
    cell_ids,
    banned_words,
    link_targets,
    neighbour_links,
)


def numbering(names) -> list[str]:
    """Report lessons that are not numbered 00, 01, 02 … without gaps."""
    problems = [f"{name}: not named like 01_linear_limits.ipynb" for name in names if not _LESSON.fullmatch(name)]
    numbers = [int(name[:2]) for name in names if _LESSON.fullmatch(name)]
    if not numbers or numbers != list(range(len(numbers))):
        problems.append(f"lessons must be numbered from 00 without gaps, not {numbers}")
    return problems


_LESSON = re.compile(r"\d\d_[a-z0-9_]+\.ipynb")

"""Every rule for notebooks passes a good notebook, and reports each way to break it."""

import copy
import json

import pytest

from publish.refresh import METADATA
from tests.publish import notebook_rules as rules
from tests.publish.stored_notebook import Notebook

SIBLINGS = ("00_start.ipynb", "01_good.ipynb", "02_next.ipynb")
WHITE_PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg=="


def markdown(cell_id, source):
    return {"cell_type": "markdown", "id": cell_id, "metadata": {}, "source": source}


def code(cell_id, source, count, *outputs):
    hidden = {"jupyter": {"source_hidden": True}} if cell_id == "setup" else {}
    return {
        "cell_type": "code",
        "id": cell_id,
        "metadata": {"tags": []} | hidden,
        "source": source,
        "execution_count": count,
        "outputs": list(outputs),
    }


def shown(**data):
    data = {key.replace("_", "/"): value for key, value in data.items()}
    return {"output_type": "display_data", "metadata": {}, "data": data}


def printed(words, name="stdout"):
    return {"output_type": "stream", "name": name, "text": words}


CAPTION = "<p><em>The line rises by 3 units.</em></p><details><summary>The numbers</summary>From 1 to 4.</details>"
PICTURE = {
    "output_type": "display_data",
    "metadata": {"image/png": {"alt": "The line rises by 3 units. From 1 to 4."}},
    "data": {"image/png": WHITE_PIXEL, "text/plain": "Figure: The line rises by 3 units. From 1 to 4."},
}
SETUP = """# what this lesson imports
try:
    import course_lib
except ImportError:
    raise
import math
from course_lib import environment
from course_lib.desk import TODO, hint, show
from lessons.good import figures
from course_lib.model import ffn"""
GOOD = {
    "cells": [
        markdown("title", "# Why one pixel?\n\nA question, with `just` and $x$ in it, and/or one ~~~ of these."),
        markdown("before", "[Lesson 0: start](00_start.ipynb) · [the question above](#Why-one-pixel?)"),
        code("setup", SETUP, 1),
        markdown("predict-1", "## Predict\n\n| a | b |\n|--|--|\n" + "| word | word |\n" * 60),
        code("run-1", "# hint('good.sum')\nprint(7 % 3)", 2, printed("1\n"), shown(text_plain="0.125")),
        markdown("figure", "### The picture\n\n```python\n# just a comment\n```\n$$\n" + "x + y \\\\\n" * 50 + "$$"),
        code(
            "figure-1",
            "show(*figures.line(math.pi))",
            3,
            PICTURE,
            shown(text_markdown=CAPTION, text_plain="The line rises by 3 units. From 1 to 4."),
        ),
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


def guessing(guess, check):
    """Ask for a guess before the first run, and check it after that: the run's output must be folded then."""

    def broken(data):
        setting("setup", f"{SETUP}\n{guess}")(data)
        setting("figure-1", f"{check}\nshow(*figures.line(math.pi))")(data)

    return broken


def picture(data):
    return cell(data, "figure-1")["outputs"][0]


def captioning(markdown):
    return lambda data: cell(data, "figure-1")["outputs"][1]["data"].update({"text/markdown": markdown})


FOLDED = (
    'help_with("good.sum")',
    "# the quiz\nquiz('good', 1, 2)",
    "from course_lib.desk import progress\n\nprogress()",
    "guesses()",
    "figure = 1\nexplore(figure, x=1)",
    "which_bank()",
)
BREAKERS = [
    (rules.execution_counts, lambda data: cell(data, "run-1").update(execution_count=None)),
    (rules.execution_counts, lambda data: cell(data, "run-1").update(execution_count=3)),
    (rules.execution_counts, lambda data: cell(data, "setup").update(execution_count=4)),
    (rules.errors_and_stderr, adding_output(printed("careful", "stderr"))),
    (rules.errors_and_stderr, adding_output({"output_type": "error", "ename": "E", "evalue": "", "traceback": []})),
    (rules.addresses, adding_output(shown(text_plain="<function f at 0x7f73a2e954d0>"))),
    (rules.addresses, adding_output(printed("<function f at 0x7f73a2e954d0>"))),
    (rules.raw_floats, adding_output(shown(text_plain="0.30000000000000004"))),
    (rules.absolute_paths, adding_output(printed("saved in /home/me/file"))),
    (rules.absolute_paths, adding_output(shown(text_markdown="`C:\\Users`"))),
    (rules.absolute_paths, setting("run-1", "open('/tmp/x')")),
    (rules.absolute_paths, setting("next", "[the file](/srv/course/x)")),
    (rules.metadata, lambda data: data["metadata"]["kernelspec"].update(name="my-venv")),
    (rules.metadata, lambda data: data["metadata"]["language_info"].update(version="3.11.7")),
    (rules.metadata, lambda data: data.update(nbformat_minor=4)),
    (rules.metadata, lambda data: cell(data, "run-1")["metadata"].update(execution={"iopub.status.busy": "now"})),
    (rules.metadata, lambda data: cell(data, "run-1")["metadata"].update(jupyter={"outputs_shown": True})),
    (rules.metadata, lambda data: cell(data, "run-1")["metadata"].update(course={"pages": "words"})),
    (rules.folded, lambda data: cell(data, "setup")["metadata"].pop("jupyter")),
    (rules.folded, setting("setup", SETUP.partition("\n")[2])),
    (rules.folded, setting("setup", SETUP.replace("# what", "# plumbing: what"))),
    (rules.folded, setting("run-1", "# plumbing: draw\nprint(7 % 3)")),
    *((rules.folded, setting("run-1", call)) for call in FOLDED),
    (rules.line_width, lambda data: cell(data, "run-1").update(source="x = " + "1 + " * 30 + "1")),
    (rules.answers_folded, guessing("my_guess = TODO", 'check("good.predict_sum", my_guess)')),
    (rules.answers_folded, guessing('claims = {\n    "a": TODO,\n}', 'check("good.predict_sum", claims)')),
    (rules.answers_folded, lambda data: cell(data, "run-1")["metadata"].update(jupyter={"outputs_hidden": True})),
    (rules.widgets, lambda data: data["metadata"].update(widgets={})),
    (
        rules.widgets,
        adding_output({"output_type": "display_data", "data": {"application/vnd.jupyter.widget-view+json": {}}}),
    ),
    (rules.nbval_tags, tagging(run_1="nbval-skip")),
    (rules.nbval_tags, tagging(run_1="raises-exception")),
    (rules.nbval_tags, tagging(run_1=rules.IGNORE_OUTPUT, figure_1=rules.IGNORE_OUTPUT)),
    (rules.nbval_tags, setting("run-1", "# NBVAL_SKIP\n1")),
    (rules.file_size, setting("run-1", "1\n" * rules.MAX_BYTES)),
    (rules.pictures, lambda data: picture(data)["metadata"].clear()),
    (rules.pictures, lambda data: picture(data)["metadata"]["image/png"].update(alt=" ")),
    (rules.pictures, lambda data: picture(data)["data"].update({"text/plain": "<Figure size 640x480 with 1 Axes>"})),
    (rules.pictures, lambda data: picture(data)["data"].update({"text/plain": "Figure: The line falls."})),
    (rules.pictures, lambda data: cell(data, "figure-1")["outputs"].pop()),
    (rules.pictures, adding_output(shown(**{"image_svg+xml": "<svg/>"}))),
    (rules.pictures, setting("figure", "![](picture.png)")),
    (rules.pictures, setting("figure", "<img src='picture.png' alt=''>")),
    (rules.captions, captioning(CAPTION.replace("3 units.", "3 units. It is green."))),
    (rules.captions, captioning(CAPTION.replace("3 units", "3" + " more" * 45 + " units"))),
    (rules.captions, captioning(CAPTION.replace("From 1 to 4", "From 1 to 5"))),
    (rules.plain_python, setting("run-1", "%matplotlib inline")),
    (rules.plain_python, setting("run-1", "!ls")),
    (rules.plain_python, setting("run-1", " \n")),
    (rules.semicolons, setting("run-1", "print(1);\n2")),
    (rules.setup_cell, renaming("setup", "imports")),
    (rules.setup_cell, setting("setup", "import a, b\n" * (rules.MAX_IMPORTS + 1))),
    (rules.setup_cell, setting("setup", "import math\nx = 1")),
    (rules.setup_cell, setting("setup", "try:\n    x = 1\nexcept NameError:\n    raise")),
    (rules.setup_cell, lambda data: data.update(cells=data["cells"][:2])),
    (rules.course_imports, setting("figure-1", "figures.line(math.pi)")),
    (rules.course_imports, setting("figure-1", "import course_lib.desk as desk\nshow(1)")),
    (rules.course_imports, setting("run-1", "from course_lib.desk import hint, table")),
    (rules.course_imports, setting("run-1", "# hint()\nfrom course_lib.desk import check\ncheck(1, 2)")),
    (rules.course_imports, setting("run-1", "# hint()\nfrom course_lib.desk import show_case")),
    (rules.course_imports, setting("run-1", "# hint()\nfrom course_lib.page import display")),
    (rules.course_imports, setting("run-1", "# hint()\nfrom lessons import catalogue")),
    (rules.course_imports, setting("run-1", "# hint()\nfrom lessons.next import figures")),
    (rules.course_imports, setting("run-1", "# hint()\nfrom lessons.good import solutions")),
    (rules.warm_up, renaming("run-1", "warm-up")),
    (rules.code_length, setting("run-1", "1\n" * (rules.MAX_LINES + 1))),
    (rules.code_length, setting("run-1", "1\n" * (rules.USUAL_LINES + 1))),
    (
        rules.quiz_order,
        lambda data: [setting("run-1", 'quiz("good", 3, 4)')(data), setting("figure-1", 'quiz("good", 1, 2)')(data)],
    ),
    (rules.heading_order, setting("title", "Why?")),
    (rules.heading_order, setting("next", "# Another title")),
    (rules.heading_order, setting("predict-1", "### Too deep")),
    (rules.cell_ids, renaming("next", "Next_1")),
    (rules.cell_ids, renaming("next", "title")),
    (rules.cell_ids, renaming("next", "a1b2c3d4")),
    (rules.cell_ids, renaming("next", "77647c91")),
    (rules.cell_ids, renaming("next", "1-next")),
    (rules.cell_ids, renaming("next", "f47ac10b-58cc-4372-a567-0e02b2c3d479")),
    (rules.cell_ids, lambda data: cell(data, "next").pop("id")),
    (rules.banned_words, setting("next", "Just do it.")),
    (rules.banned_words, setting("next", "## It is simply a sum")),
    (rules.link_targets, setting("next", "[Lesson 9: gone](09_gone.ipynb)")),
    (rules.link_targets, setting("next", "[what was said](#No-such-heading)")),
    (rules.link_targets, setting("next", "Read it [here](02_next.ipynb).")),
    (rules.link_targets, setting("next", "[https://example.org](https://example.org)")),
    (rules.neighbour_links, setting("next", "The end.")),
    (rules.neighbour_links, setting("before", "The start.")),
]


@pytest.mark.parametrize("rule", rules.RULES, ids=lambda rule: rule.__name__)
def test_good_notebook_passes(rule, tmp_path):
    assert rule(stored(GOOD, tmp_path)) == []


@pytest.mark.parametrize(("rule", "break_it"), BREAKERS, ids=[rule.__name__ for rule, _ in BREAKERS])
def test_rule_reports(rule, break_it, tmp_path):
    data = copy.deepcopy(GOOD)
    break_it(data)
    assert rule(stored(data, tmp_path))


WARM_UP = '# the warm-up\nfrom course_lib.desk import warm_up\n\nwarm_up("next")'


@pytest.mark.parametrize(
    ("cells", "problems"),
    [
        (["setup", "learn", "warm-up", "idea-1"], 0),
        (["learn", "setup", "warm-up", "idea-1"], 0),
        (["setup", "learn", "idea-1"], 1),
        (["setup", "warm-up", "learn", "idea-1"], 1),
        (["learn", "warm-up", "setup", "idea-1"], 1),
        (["setup", "learn", "idea-1", "warm-up"], 1),
    ],
)
def test_a_warm_up_stands_between_the_aims_and_the_first_section(cells, problems, tmp_path):
    sources = {"setup": "import math", "warm-up": WARM_UP}
    made = [
        code(id, sources[id], 1) if id in sources else markdown(id, "## 1. Why?" if id == "idea-1" else "## Aims")
        for id in cells
    ]
    path = tmp_path / SIBLINGS[2]
    path.write_text(json.dumps(GOOD | {"cells": made}), encoding="utf-8")
    assert len(rules.warm_up(Notebook(path, SIBLINGS))) == problems
    if "warm-up" in cells:
        path.write_text(path.read_text(encoding="utf-8").replace('\\"next', '\\"review'), encoding="utf-8")
        assert len(rules.warm_up(Notebook(path, SIBLINGS))) == problems + 1


def test_every_rule_is_broken_once():
    assert {rule for rule, _ in BREAKERS} == set(rules.RULES)


@pytest.mark.parametrize(
    "names",
    [[], ["01_a.ipynb"], ["00_a.ipynb", "02_b.ipynb"], ["00_a.ipynb", "00_b.ipynb"], ["00_a.ipynb", "Untitled.ipynb"]],
)
def test_numbering_reports(names):
    assert rules.numbering(names)


def test_numbering_passes():
    assert rules.numbering(["00_a.ipynb", "01_b_2.ipynb"]) == []

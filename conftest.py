"""Prepare every test run: static figures, a throw-away progress file, and on request pictures compared in notebooks.

What goes wrong while a wrong answer is explained stays hidden from learners, but fails a test.

The figures of a notebook are watched while its cells run. After them one more test solves every guess and exercise, as
a learner does who goes back.
"""

import os
import shutil
import tempfile
from queue import Empty

import pytest
from nbval.plugin import IPyNbCell, IPyNbFile

try:
    from tests.lessons import solved
except ModuleNotFoundError:  # an edition without solutions
    solved = None


# What a real model computes in float32 differs in the last digits from processor to processor, and so do the pixels of
# pictures of it: what they are drawn from is compared with the record, within a hundredth.
FLOAT32 = ("15_real_model.ipynb",)


def compare_pictures() -> bool:
    """Tell whether stored pictures are compared pixel by pixel: with COMPARE_PNG=1, as in CI.

    Other versions of Matplotlib or of its libraries draw other pixels, so elsewhere the captions, which are computed
    from the plotted data, are what is compared.
    """
    return os.environ.get("COMPARE_PNG") == "1"


def pytest_addoption(parser):
    """Let --core run the course's own tests, which need neither the part *model* nor what carries the course."""
    parser.addoption("--core", action="store_true", help="only the tests of the course, without the part model")
    parser.addini("carry", "tests of what carries the course", type="paths")


def pytest_ignore_collect(collection_path, config):
    """With --core, collect no test of what carries the course, and not the notebook of the real model."""
    left_out = collection_path in config.getini("carry") or collection_path.name in FLOAT32
    return (config.getoption("core") and left_out) or None


def pytest_configure(config):
    """Keep the learner's progress out of the tests, and sliders static."""
    if config.getoption("core"):
        config.option.markexpr = f"({config.option.markexpr or 'not model'}) and not model"
    config.course_folder = tempfile.mkdtemp(prefix="course-test-")
    os.environ["COURSE_STATIC"] = "1"
    os.environ["WHYWRONG_STRICT"] = "1"
    os.environ["COURSE_PROGRESS"] = os.path.join(config.course_folder, "progress.json")


def pytest_unconfigure(config):
    """Remove the throw-away progress files."""
    shutil.rmtree(config.course_folder, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path, parent):
    """Let nbval compare pictures too: it skips them by default."""
    collected = yield
    for node in collected:
        if isinstance(node, IPyNbFile) and compare_pictures() and node.path.name not in FLOAT32:
            node.skip_compare = tuple(key for key in node.skip_compare if key != "image/png")
    return collected


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_setup(item):
    """Give each notebook a folder of its own, for progress and for what is kept, before its kernel starts."""
    if not isinstance(item, IPyNbCell):
        return (yield)
    folder = os.path.join(item.config.course_folder, item.parent.path.stem)
    fresh = not os.path.isdir(folder)
    os.makedirs(folder, exist_ok=True)
    os.environ["COURSE_PROGRESS"] = os.path.join(folder, "progress.json")
    os.environ["COURSE_RECORD"] = os.path.join(folder, "record.json")
    started = yield
    if solved and fresh:
        raised, _ = _run(item, solved.first(item.parent.path.name))
        assert not raised, raised
    return started


class Solved(pytest.Item):
    """Solve every guess and exercise when all cells have run: each must be told Correct or Guessed.

    In one lesson every other cell is run once more too, the last one first: each finds what the cells behind it have
    left.
    """

    def runtest(self):
        path, notebook = self.path, self.parent.nb
        cells = [(cell.id, cell.source) for cell in notebook.cells if cell.cell_type == "code"]
        failed, shown = [], {}
        for id, source in solved.second_pass(path.name, cells):
            raised, shown[id] = _run(self, source)
            failed += [f"{id}, run again at the end: {raised}"] if raised else []
        failed += solved.problems(path.name, shown) if not failed else []
        failed += solved.differences(path.name, os.path.join(self.config.course_folder, path.stem, "record.json"))
        assert not failed, "\n".join(failed)

    def repr_failure(self, excinfo):
        return str(excinfo.value)

    def reportinfo(self):
        return self.path, 0, f"{self.path.name}::{self.name}"


def _run(item, source):
    """Run a cell; return the error that it raises, or an empty string, and the texts that it shows or prints."""
    kernel, raised, texts = item.parent.kernel, "", []
    sent = kernel.execute_cell_input(source, allow_stdin=False)
    while True:
        try:
            message = kernel.get_message("iopub", timeout=item.config.option.nbval_cell_timeout)
        except Empty:
            kernel.interrupt()
            return "it does not end", texts
        if message["parent_header"].get("msg_id") != sent:
            continue
        content = message["content"]
        if message["msg_type"] == "error":
            raised = f"{content['ename']}: {content['evalue']}"
        elif message["msg_type"] in ("stream", "display_data"):
            texts.append(content.get("text") or content["data"].get("text/plain", ""))
        elif message["msg_type"] == "status" and content["execution_state"] == "idle":
            return raised, texts


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Let each notebook end with the test that solves it; it needs what its cells have left."""
    if not solved:
        return
    last = {item.parent: item for item in items if isinstance(item, IPyNbCell)}
    for notebook, item in last.items():
        items.insert(items.index(item) + 1, Solved.from_parent(notebook, name="Solved"))

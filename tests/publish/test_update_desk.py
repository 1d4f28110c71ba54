"""`make update` on copies as other programs, disks and hands leave them: nothing is lost, and what is said is true."""

import json
import os
import shutil
from random import Random

import pytest

from publish.learner import copies
from publish.learner.merge import MARK, merge
from tests.publish.clones import Clones, code, edit, git, ids, sources, text, write
from tests.publish.test_merge import notebook


@pytest.fixture
def clones(tmp_path):
    return Clones(tmp_path)


def fix_upstream(clones, **cells):
    edit(clones.theirs(), **(cells or {"recap": "Fixed."}))
    clones.publish()


def change(path, how):
    """Change the JSON of a notebook, which may become what nbformat itself does not write."""
    data = json.loads(path.read_text(encoding="utf-8"))
    how(data)
    path.write_text(json.dumps(data))


def answer(data):
    data["cells"][3]["source"] = "guess = 42"


def test_an_editor_that_marks_the_encoding(clones, capsys):
    edit(clones.mine(), predict_1="guess = 42")
    clones.mine().write_bytes(b"\xef\xbb\xbf" + clones.mine().read_bytes())
    fix_upstream(clones)
    assert clones.update() == 0
    assert sources(clones.mine())["predict-1"] == "guess = 42" and sources(clones.mine())["recap"] == "Fixed."


UNTIDY = {
    "a code cell made text keeps its outputs": lambda cell: cell.update(cell_type="markdown"),
    "a code cell without outputs and count": lambda cell: [cell.pop(key) for key in ("outputs", "execution_count")],
    "an output without its stream": lambda cell: cell.update(outputs=[{"output_type": "stream", "text": "42"}]),
    "a result without metadata": lambda cell: cell.update(
        outputs=[{"output_type": "execute_result", "data": {"text/plain": "42"}}]
    ),
    "a cell without metadata": lambda cell: cell.pop("metadata"),
    "a key of another program": lambda cell: cell.update(databricks={"a": 1}),
    "another program's metadata under our key": lambda cell: cell["metadata"].update({MARK: "mathematics"}),
}


@pytest.mark.parametrize("what", UNTIDY)
def test_what_jupyter_opens_is_merged(clones, what):
    """Jupyter opens all of these; an update that refused them would refuse them for ever."""

    def untidy(data):
        answer(data)
        UNTIDY[what](data["cells"][3])
        data["cells"].append({**data["cells"][3], "id": "mine", "source": "a note of mine"})

    change(clones.mine(), untidy)
    fix_upstream(clones)
    assert clones.update() == 0
    found = sources(clones.mine())
    assert (found["predict-1"], found["recap"], found["mine"]) == ("guess = 42", "Fixed.", "a note of mine")
    assert clones.update("--no-fetch") == 0 and sources(clones.mine()) == found


def test_half_a_character_does_not_stop_the_update(clones):
    def odd(data):
        data["cells"][3]["source"] = "guess = '\ud83d'"

    change(clones.mine(), odd)
    fix_upstream(clones)
    assert clones.update() == 0
    assert sources(clones.mine())["recap"] == "Fixed."
    assert copies.read(clones.mine()).cells[3].source == "guess = '\ud83d'"


def test_line_ends_of_another_system_are_no_change(clones, capsys):
    fix_upstream(clones, setup="import math\nimport sys")
    assert clones.update() == 0

    def with_returns(data):
        for cell in data["cells"]:
            cell["source"] = "".join(cell["source"]).replace("\n", "\r\n")

    change(clones.mine(), with_returns)
    fix_upstream(clones, setup="import math\nimport cmath")
    assert clones.update() == 0
    assert sources(clones.mine())["setup"] == "import math\nimport cmath" and len(ids(clones.mine())) == 6


def test_a_cell_that_was_cut_and_pasted_still_gets_its_fix(clones):
    def cut_and_paste(data):
        data["cells"].insert(0, {**data["cells"].pop(5), "id": "1a2b3c"})

    change(clones.mine(), cut_and_paste)
    fix_upstream(clones)
    assert clones.update() == 0
    assert ids(clones.mine()) == ["recap", "title", "setup", "ask-1", "predict-1", "run-1"]
    assert sources(clones.mine())["recap"] == "Fixed."


def test_a_file_of_ones_own_is_not_taken_for_the_lesson(clones, capsys):
    write(clones.mine(), [code("q0", "1 + 1"), text("q1", "My notes."), code("q2", "2")])
    before = clones.mine().read_bytes()
    fix_upstream(clones, setup="import cmath")
    assert clones.update() == 0
    assert clones.mine().read_bytes() == before
    assert "01_first.ipynb: your file of this name is not a copy of the lesson, so it stays" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["old.ipynb", ".course/progress.json"])
@pytest.mark.parametrize("what", ["a folder", "a link to nothing"])
def test_what_is_no_file_stops_nothing_else(clones, what, name):
    odd = clones.folders.copies / name
    odd.mkdir() if what == "a folder" else odd.symlink_to("/nowhere/old.ipynb")
    fix_upstream(clones)
    assert clones.update() == 0
    assert sources(clones.mine())["recap"] == "Fixed." and os.path.lexists(odd)


def test_a_copy_that_is_a_link_stays_one(clones):
    edit(clones.mine("02_second.ipynb"), predict_1="guess = 43")
    elsewhere = clones.root.parent / "elsewhere" / "cloud.ipynb"
    elsewhere.parent.mkdir()
    for name in ("01_first.ipynb", "02_second.ipynb"):
        target = elsewhere.with_name(name)
        shutil.move(clones.mine(name), target)
        clones.mine(name).symlink_to(target)
    git(clones.upstream, "mv", "notebooks/02_second.ipynb", "notebooks/03_second.ipynb")
    edit(clones.theirs("03_second.ipynb"), recap="Fixed.")
    fix_upstream(clones)
    assert clones.update() == 0
    for name, target in (("01_first.ipynb", "01_first.ipynb"), ("03_second.ipynb", "02_second.ipynb")):
        assert clones.mine(name).is_symlink() and sources(elsewhere.with_name(target))["recap"] == "Fixed."
    assert sources(clones.mine("03_second.ipynb"))["predict-1"] == "guess = 43"
    assert {path.name for path in elsewhere.parent.iterdir()} == {"01_first.ipynb", "02_second.ipynb"}


def drawn(random, cells, by):
    """Return cells with some deleted, edited, made text or added, and perhaps all in another order."""
    kept = [(id, f"{by} edit {random.random()}" if random.random() < 0.3 else said) for id, said in cells]
    kept = [cell for cell in kept if random.random() > 0.2]
    for number in range(random.randint(0, 3)):
        kept.insert(random.randint(0, len(kept)), (f"{by}-{number}", f"{by} added {random.random()}"))
    return random.sample(kept, len(kept)) if random.random() < 0.3 else kept


def with_lost_ids(random, made):
    """Return the JSON of a notebook as a program leaves it that drops, replaces or doubles ids."""
    data, way = json.loads(json.dumps(made)), random.choice(["none", "all dropped", "some", "replaced", "doubled"])
    for number, cell in enumerate(data["cells"]):
        if way == "all dropped" or (way == "some" and random.random() < 0.5):
            del cell["id"]
        elif way in ("replaced", "doubled"):
            cell["id"] = f"q{number}" if way == "replaced" else data["cells"][number // 2].get("id", "q")
    return json.dumps(data)


@pytest.mark.parametrize("seed", range(100))
def test_no_edit_is_lost_whatever_a_program_does_to_the_ids(seed):
    random = Random(seed)
    cells = [(f"id-{number}", random.choice([f"said {number}", "same", ""])) for number in range(6)]
    base, mine = (notebook(*[code(*cell) for cell in one]) for one in (cells, drawn(random, cells, "mine")))
    for _ in range(3):
        new = notebook(*[code(*cell) for cell in drawn(random, cells, "new")])
        mine = copies.parse(with_lost_ids(random, mine), base)
        merged = merge(mine, base, new).notebook
        found = [cell.source for cell in merged.cells]
        assert all(found.count(cell.source) for cell in mine.cells if cell.source.startswith("mine "))
        assert len({cell.id for cell in merged.cells}) == len(merged.cells)
        again = merge(copies.parse(json.dumps(merged), new), new, new)
        assert not again.doubled and not again.removed
        base, mine = new, merged

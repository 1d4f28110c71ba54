"""Merging a copy with a new version, cell by cell: what is the learner's stays, the rest becomes new."""

import json

import nbformat
import pytest
from hypothesis import strategies as st
from nbformat.v4 import new_notebook

from publish.learner import open_notebook
from publish.learner.merge import DOES_NOT_RUN, MARK, NEW_VERSION, merge
from tests.publish.clones import code, text


def notebook(*cells):
    """Make a notebook of cells; "a" stands for a cell a with the source a, "a=x" for one with the source x."""
    made = [code(*(one.split("=") if "=" in one else (one, one))) if isinstance(one, str) else one for one in cells]
    return new_notebook(cells=made)


def short(merged):
    """Return the cells as `notebook` takes them; a version shown below a cell is "+a=x", its note "note"."""
    found = []
    for cell in merged.notebook.cells:
        of = cell.metadata.get(MARK, {}).get("version_of")
        if cell.cell_type == "markdown" and of:
            found.append("note")
        else:
            id = f"+{of}" if of else cell.id
            found.append(id if cell.source == cell.id else f"{id}={cell.source}")
    return " ".join(found)


CASES = {  # what: (mine, base, new, merged)
    "nothing happened": ("a b", "a b", "a b", "a b"),
    "an answer and a fix elsewhere": ("a=42 b", "a b", "a b=2", "a=42 b=2"),
    "an answer only": ("a=42 b", "a b", "a b", "a=42 b"),
    "the same answer on both sides": ("a=42 b", "a b", "a=42 b", "a=42 b"),
    "changed on both sides": ("a=42 b", "a b", "a=2 b", "a=42 note +a=2 b"),
    "learner added before": ("x a b", "a b", "a=2 b", "x a=2 b"),
    "learner added between": ("a x b", "a b", "a b=2", "a x b=2"),
    "learner added at the end": ("a b x", "a b", "a=2 b", "a=2 b x"),
    "learner added several": ("a x y b z", "a b", "a=2 b", "a=2 x y b z"),
    "both added at one place": ("a x b", "a b", "a n b", "a x n b"),
    "learner deleted": ("a c", "a b c", "a b c=2", "a c=2"),
    "learner deleted what was changed": ("a c", "a b c", "a b=2 c", "a c"),
    "learner moved": ("c a b", "a b c", "a b=2 c", "c a b=2"),
    "learner moved, upstream added": ("b c a", "a b c", "a b n c", "b n c a"),
    "upstream added before": ("a=42 b", "a b", "n a b", "n a=42 b"),
    "upstream added at the end": ("a=42 b", "a b", "a b n", "a=42 b n"),
    "upstream deleted": ("a=42 b", "a b", "a", "a=42"),
    "upstream deleted what was answered": ("a=42 b", "a b", "b", "a=42 b"),
    "upstream deleted what stands before an added cell": ("a b x c", "a b c", "a c", "a x c"),
    "upstream moved": ("a=42 b c", "a b c", "c a b", "c a=42 b"),
    "upstream moved a cell with an added one behind it": ("a x b c", "a b c", "b c a", "b c a x"),
    "no base: what differs is the learner's": ("a=42 b", None, "a b n", "a=42 note +a=a b n"),
}


CODE = "def f(x):\n    return g('a', x)  # TODO"
FORMATTED = 'def f(x):\r\n  return g(\r\n    "a",\r\n    x,\r\n  )  #TODO\r\n'


@pytest.mark.parametrize(
    ("mine", "new", "merged"),
    [
        (FORMATTED, CODE, FORMATTED),
        (FORMATTED, "h()", "h()"),
        (FORMATTED, None, None),
        (CODE, FORMATTED, FORMATTED),
        (CODE.replace("TODO", "mine"), "h()", "note"),
        (CODE.replace("x)  #", "y)  #"), "h()", "note"),
    ],
)
def test_code_that_means_the_same_was_not_changed(mine, new, merged):
    def one(source):
        return notebook(*([] if source is None else [code("a", source)]), "b")

    found = merge(one(mine), one(CODE), one(new)).notebook.cells[:-1]
    if merged == "note":
        assert len(found) == 3 and found[0].source == mine
    else:
        assert [cell.source for cell in found] == ([] if merged is None else [merged])


MARKDOWN = "* one\n* two\n\n__bold__, *slanted*\n\n| a | b |\n|---|---|\n| 1 | 222 |\n\nna\u00efve $a_1 b_1$"
SAVED = (
    "- one\n- two\n\n\n**bold**, _slanted_\n\n| a   | b   |\n| --- | --- |\n| 1   | 222 |\n\nnai\u0308ve $a_1 b_1$\n"
)


@pytest.mark.parametrize(("mine", "kept"), [(SAVED, False), (SAVED.replace("a_1 b_1", "a*1 b*1"), True)])
@pytest.mark.parametrize("ids", [True, False])
def test_text_that_another_program_wrote_anew_was_not_changed(mine, kept, ids):
    """A formatter changes signs and not what is shown; in a formula the same signs are the formula."""
    base, new = (notebook(text("ask-1", said), text("b")) for said in (MARKDOWN, "New."))
    saved = notebook(text("ask-1", mine), text("b"))
    for cell in [] if ids else saved.cells:
        del cell["id"]
    saved = open_notebook.parse(nbformat.writes(saved) if ids else json.dumps(saved), base)
    merged = [cell.source.rstrip() for cell in merge(saved, base, new).notebook.cells]
    assert merged[0] == (mine.rstrip() if kept else "New.") and (len(merged) == 2) != kept


@pytest.mark.parametrize("case", CASES)
def test_merge(case):
    mine, base, new, expected = CASES[case]
    first = notebook(*mine.split())
    base = notebook(*base.split()) if base else None
    new = notebook(*new.split())
    merged = merge(first, base, new)
    assert short(merged) == expected
    assert bool(merged) is (expected != mine)
    again = merge(merged.notebook, base, new)
    assert again.notebook == merged.notebook and not again
    assert not merge(merged.notebook, new, new)
    assert first == notebook(*mine.split())


@pytest.mark.parametrize("kind", [text, code])
def test_a_cell_changed_on_both_sides_is_shown_below_and_marked(kind):
    merged = merge(notebook(kind("a", "mine"), "b"), notebook(kind("a", "old"), "b"), notebook(kind("a", "new"), "b"))
    mine, note, below, _ = merged.notebook.cells
    runs = kind is code
    assert (mine.id, mine.source) == ("a", "mine") and note.cell_type == "markdown"
    assert note.source == NEW_VERSION + DOES_NOT_RUN * runs
    assert below.source == "new" and below.cell_type == ("raw" if runs else "markdown")
    assert below.id not in ("a", note.id)
    nbformat.validate(merged.notebook)
    assert below.metadata[MARK] == note.metadata[MARK] == {"version_of": "a", "by": "course"}
    assert merged.doubled == ["a"]


def test_a_version_that_is_kept_instead_of_the_learners_own_runs_again():
    base, new = notebook(code("a", "guess = TODO")), notebook(code("a", "my_guess = TODO"))
    merged = merge(notebook(code("a", "guess = 42")), base, new).notebook
    merged.cells = merged.cells[2:]
    again = merge(merged, new, new).notebook
    assert [(cell.id, cell.cell_type, cell.source) for cell in again.cells] == [("a", "code", "my_guess = TODO")]
    nbformat.validate(again)


def test_a_version_shown_earlier_goes_when_there_is_a_newer_one_unless_it_was_edited():
    base, new, newer = notebook("a", "b"), notebook("a=2", "b"), notebook("a=3", "b")
    once = merge(notebook("a=42", "b"), base, new).notebook
    assert short(merge(once, new, newer)) == "a=42 note +a=3 b"
    once.cells[2].source = "a learner's own"
    assert short(merge(once, new, newer)) == "a=42 note +a=3 note +a=a learner's own b"


def test_a_version_by_the_learner_stays_when_the_course_changes_the_cell_too():
    once = merge(notebook("a=42"), notebook("a"), notebook("a=7"), by_learner=True).notebook
    assert short(merge(once, notebook("a"), notebook("a"))) == "a=42 note +a=7"
    assert short(merge(once, notebook("a"), notebook("a=2"))) == "a=42 note +a=2 note +a=7"


def test_metadata_becomes_new_and_what_the_learner_added_stays():
    def one(**metadata):
        cell = code("a", "1")
        cell.metadata = metadata
        return notebook(cell)

    merged = merge(one(tags=["old"], gone=1, scrolled=True), one(tags=["old"], gone=1), one(tags=["new"])).notebook
    assert merged.cells[0].metadata == {"tags": ["new"], "scrolled": True}


def test_long_ids_stay_within_what_the_format_allows():
    id = "a" * 64
    merged = merge(notebook(f"{id}=42"), notebook(f"{id}=1"), notebook(f"{id}=2")).notebook
    assert len({cell.id for cell in merged.cells}) == 3 and max(len(cell.id) for cell in merged.cells) <= 64


def changed(cells, own):
    """Draw what becomes of cells: some deleted, some with another source, some moved; and with new ones from `own`."""

    @st.composite
    def draw_one(draw):
        kept = [cell for cell in cells if draw(st.integers(0, 4))]
        edited = [cell.split("=")[0] + f"={draw(st.integers(1, 2))}" if draw(st.booleans()) else cell for cell in kept]
        for _ in range(draw(st.integers(0, 2))):
            if edited:
                edited.insert(draw(st.integers(0, len(edited) - 1)), edited.pop(draw(st.integers(0, len(edited) - 1))))
        for id in own[: draw(st.integers(0, len(own)))]:
            edited.insert(draw(st.integers(0, len(edited))), id)
        return edited

    return draw_one()

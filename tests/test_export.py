"""A reader without a kernel: the exported page shows every picture with its description, and no blank for a slider."""

import nbformat
import pytest
from bs4 import BeautifulSoup
from nbconvert import HTMLExporter

from courseware.page.caption import FOLD
from lessons import cells
from tests.conftest import NOTEBOOKS


@pytest.mark.parametrize("name", ["00_start_here", "05_position_independence", "10_inside_a_language_model"])
def test_exported_page(name):
    notebook = nbformat.read(NOTEBOOKS / f"{name}.ipynb", as_version=4)
    # The default template drops alt texts; the caption below each picture says the same. The classic one keeps them.
    page, _ = HTMLExporter().from_notebook_node(notebook)
    classic, _ = HTMLExporter(template_name="classic").from_notebook_node(notebook)
    code = [cell for cell in notebook.cells if cell.cell_type == "code"]
    captions = [
        output.metadata["image/png"]["alt"]
        for cell in code
        for output in cell.outputs
        if "image/png" in output.get("data", {})
    ]
    named = [picture["alt"] for picture in BeautifulSoup(classic, "html.parser").find_all("img")]
    visible = " ".join(BeautifulSoup(page, "html.parser").get_text(" ").replace(FOLD, " ").split())
    for caption in captions:
        assert caption in named, caption
        assert " ".join(caption.split()) in visible, caption
    for cell in code:
        if "explore(" in cell.source:
            assert any("image/png" in output.get("data", {}) for output in cell.outputs), f"{cell.id} shows no picture"
        if cells.role(cell) in (cells.Role.QUIZ, cells.Role.WARM_UP):
            assert any("<details>" in output.get("data", {}).get("text/markdown", "") for output in cell.outputs)
    assert "widget-view+json" not in page

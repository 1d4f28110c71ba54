"""Show pictures, tables and source in a notebook: the only module that talks to IPython.

Strict nbval compares the text of an output and never its pixels. So every picture carries its caption as text/plain
(`Figure: <caption>`), as alt text, and as visible text below it.
"""

import base64
import html
import inspect
import io
import os

import IPython.display

from course_lib.arguments import described, items

DPI = 110  # 6.4 × 3.6 inches become 704 × 396 pixels


def is_static() -> bool:
    """Tell whether live controls are replaced by their static twins (environment variable COURSE_STATIC=1)."""
    return os.environ.get("COURSE_STATIC", "") == "1"


def text(markdown: str, plain: str | None = None, *, display_id: str | None = None, update: bool = False) -> None:
    """Show Markdown, with a plain form for readers and tools that render none.

    Args:
        markdown: what a notebook page shows.
        plain: the same in plain characters; by default the Markdown itself.
        display_id: a name under which the output can be replaced later with `update=True`.
    """
    if not isinstance(markdown, str):
        raise TypeError(f"markdown must be a string, but {described(markdown)} was given.")
    bundle = {"text/markdown": markdown, "text/plain": markdown if plain is None else plain}
    IPython.display.display(bundle, raw=True, display_id=display_id, update=update)


def show(figure, caption: str) -> None:
    """Show a Matplotlib figure as a PNG on white, and its caption as text below it.

    Args:
        figure: a `matplotlib.figure.Figure`; every function in `figures` returns one with its caption.
        caption: one or two sentences computed from the plotted data; also the picture's alt text.

    Raises:
        TypeError: figure cannot be saved as a picture, or caption is not a string.
        ValueError: caption is empty.
    """
    _check_caption(caption)
    if not callable(getattr(figure, "savefig", None)):
        raise TypeError(f"figure must be a Matplotlib Figure, but {described(figure)} was given.")
    encoded = base64.b64encode(_png(figure)).decode()
    picture = {"image/png": encoded, "text/plain": f"Figure: {caption}"}
    if not is_static():  # JupyterLab and Notebook drop the alt text of a PNG output, but keep that of an img element
        picture["text/html"] = f'<img alt="{html.escape(caption)}" src="data:image/png;base64,{encoded}">'
    IPython.display.display(picture, metadata={"image/png": {"alt": caption}}, raw=True)
    text(f"*{caption}*", caption)


def _png(figure) -> bytes:
    """Draw a figure as a PNG with a palette of 256 colours, which is a third of the size of one with all colours."""
    from PIL import Image

    full, small = io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", dpi=DPI, facecolor="white")
    picture = Image.open(full).convert("RGB")
    picture.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    return small.getvalue()


def table(rows, columns, caption: str) -> None:
    """Show rows as a table with its caption as text above it.

    Args:
        rows: a non-empty list of rows; every row has one value for each column. Values are shown with `str`.
        columns: the column headings.
        caption: one sentence that says what the table shows.

    Raises:
        TypeError: caption or a heading is not a string.
        ValueError: rows or columns are empty, or a row has another length than columns.
    """
    _check_caption(caption)
    columns = items("columns", columns, "strings")
    rows = [items(f"rows[{index}]", row, "values") for index, row in enumerate(items("rows", rows, "rows"))]
    if not columns or not all(isinstance(name, str) for name in columns):
        raise TypeError(f"columns must be a non-empty list of strings, but {described(columns)} was given.")
    if not rows:
        raise ValueError("rows must not be empty: give at least one row.")
    for index, row in enumerate(rows):
        if len(row) != len(columns):
            message = f"rows[{index}] must have {len(columns)} values, one for each column, but it has {len(row)}."
            raise ValueError(message)
    cells = [columns, *[[str(value) for value in row] for row in rows]]
    markdown = ["| " + " | ".join(value.replace("|", "\\|") for value in row) + " |" for row in cells]
    markdown.insert(1, "|" + " --- |" * len(columns))
    widths = [max(len(row[i]) for row in cells) for i in range(len(columns))]
    plain = ["  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    text(f"**{caption}**\n\n" + "\n".join(markdown), "\n".join([caption, *plain]))


def show_source(thing) -> None:
    """Show the Python source of a function or class.

    Raises:
        TypeError: thing has no Python source.
    """
    try:
        source = inspect.getsource(thing).rstrip()
    except (TypeError, OSError) as error:
        message = f"thing must be a function or class written in Python, but {described(thing)} was given."
        raise TypeError(message) from error
    code(source)


def code(source: str) -> None:
    """Show a piece of Python code."""
    text(f"```python\n{source}\n```", source)


def widget(control) -> None:
    """Show an ipywidgets control."""
    IPython.display.display(control)


def _check_caption(caption):
    if not isinstance(caption, str):
        raise TypeError(f"caption must be a string, but {described(caption)} was given.")
    if not caption.strip():
        raise ValueError("caption must say what the picture or table shows, but it is empty.")

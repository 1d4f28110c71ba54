"""Show figures and tables on the current medium."""

from courseware.arguments import described, items
from courseware.page import medium, output


def show(figure, caption: str) -> None:
    """Show a Matplotlib figure as a PNG on white, and its caption as text below it.

    Args:
        figure: a `matplotlib.figure.Figure`; every function in a lesson's `figures` returns one with its caption.
        caption: one or two sentences computed from the plotted data; also the picture's alt text.

    Raises:
        TypeError: figure cannot be saved as a picture, or caption is not a string.
        ValueError: caption is empty.
    """
    _check_caption(caption)
    if not callable(getattr(figure, "savefig", None)):
        raise TypeError(f"figure must be a Matplotlib Figure, but {described(figure)} was given.")
    medium.current().figure(figure, caption)


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
    output.text(f"**{caption}**\n\n{in_markdown(cells)}", f"{caption}\n{in_columns(cells)}")


def in_markdown(cells: list[list[str]]) -> str:
    """Return rows of words, the headings first, as a Markdown table."""
    lines = ["| " + " | ".join(value.replace("|", "\\|") for value in row) + " |" for row in cells]
    return "\n".join([lines[0], "|" + " --- |" * len(cells[0]), *lines[1:]])


def in_columns(cells: list[list[str]]) -> str:
    """Return rows of words, the headings first, as lines of plain characters."""
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(value.ljust(width) for value, width in zip(row, widths, strict=True)) for row in cells]
    return "\n".join(line.rstrip() for line in lines)


def in_code(source: str) -> tuple[str, str]:
    """Return Python code as (Markdown, plain text)."""
    return f"```python\n{source}\n```", source


def _check_caption(caption):
    if not isinstance(caption, str):
        raise TypeError(f"caption must be a string, but {described(caption)} was given.")
    if not caption.strip():
        raise ValueError("caption must say what the picture or table shows, but it is empty.")

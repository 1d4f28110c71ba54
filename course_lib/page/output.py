"""What goes out to a notebook page: the only module that talks to IPython.

Strict nbval compares the text of an output and never its pixels. So every picture carries its caption as text/plain
(`Figure: <caption>`), as alt text, and as visible text below it.
"""

import base64
import html
import io

import IPython.display

from course_lib.arguments import described

DPI = 110  # 6.4 × 3.6 inches become 704 × 396 pixels


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


def picture(figure, caption: str, *, as_html: bool) -> None:
    """Show a Matplotlib figure as a PNG on white, and its caption as text below it.

    Args:
        as_html: show it as an img element too: JupyterLab and Notebook drop the alt text of a PNG output.
    """
    encoded = base64.b64encode(_png(figure)).decode()
    bundle = {"image/png": encoded, "text/plain": f"Figure: {caption}"}
    if as_html:
        bundle["text/html"] = f'<img alt="{html.escape(caption)}" src="data:image/png;base64,{encoded}">'
    IPython.display.display(bundle, metadata={"image/png": {"alt": caption}}, raw=True)
    text(f"*{caption}*", caption)


def widget(control) -> None:
    """Show an ipywidgets control."""
    IPython.display.display(control)


def _png(figure) -> bytes:
    """Draw a figure as a PNG with a palette of 256 colours, a third of the size of one with all colours."""
    from PIL import Image

    full, small = io.BytesIO(), io.BytesIO()
    figure.savefig(full, format="png", dpi=DPI, facecolor="white")
    drawn = Image.open(full).convert("RGB")
    drawn.quantize(256, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(small, "png", optimize=True)
    return small.getvalue()

"""What goes out to a notebook page: the only module that talks to IPython.

Strict nbval compares the text of an output and never its pixels. So every picture carries its caption as text/plain
(`Figure: <caption>`), as alt text, and as visible text below it.
"""

import base64
import html
import sys
import uuid

import IPython.display

from courseware.arguments import boolean, described
from courseware.page import caption as captions
from courseware.page import png
from courseware.page.verdict import EDGES
from whywrong.task import Status

# In half a screen, 640 pixels wide, a picture shrinks so that all of it is seen; where that is not enough, it scrolls.
LEAST = 0.5
LIVE, STANDS_IN = "course-live", "course-fallback"
# In an output area with a living control what stands in for it is hidden; where its kernel is gone, the dead view is.
# While a control has the focus, keys stay with it, but for Tab and those with Ctrl, Alt or Shift: JupyterLab would take
# an arrow for "go to another cell", and a letter for a command. Shift with an arrow stays too: a handle moves farther.
# Escape goes back to the cell.
_KEEP_KEYS = (
    "if (!window.courseKeys) { window.courseKeys = true; window.addEventListener('keydown', event => { "
    f"const live = event.target.closest('.{LIVE}'); "
    "if (!live) return; "
    "if (event.key === 'Escape') live.closest('.jp-Cell')?.focus(); "
    "const chosen = event.shiftKey && !event.key.startsWith('Arrow'); "
    "const plain = !(event.ctrlKey || event.metaKey || event.altKey || chosen || event.key === 'Tab'); "
    "event.target.toggleAttribute('data-lm-suppress-shortcuts', plain); }, true); }"
)
_LIVING = f":has(.{LIVE}:not(.jupyter-widgets-disconnected))"
ROUND = "border-radius: 8px"  # of a picture's white ground, on a page that may be dark
# In JupyterLab's dark theme white becomes the theme's ground, #111, black becomes light, and each hue stays; a stored
# picture is known by its caption.
PICTURE = "course-picture"
DARK = (
    f'[data-jp-theme-light="false"] :is(.{PICTURE}, .{LIVE} .widget-image, '
    ".jp-OutputArea-child:has(+ .jp-OutputArea-child .course-caption) .jp-RenderedImage img) "
    "{filter: invert(0.9333) hue-rotate(180deg)}"
)
RULES = f"""<style onload="{html.escape(_KEEP_KEYS)}">
.jp-OutputArea{_LIVING} .jp-OutputArea-child:has(.{STANDS_IN}),
.jp-OutputArea:has(.{STANDS_IN}):not({_LIVING}) .jp-OutputArea-child:has(.jupyter-widgets) {{display: none}}
.{LIVE} .widget-html-content {{font-size: var(--jp-content-font-size1)}}
.{LIVE} .course-option {{text-align: left; white-space: normal; line-height: 1.4; padding: 0.4em 0.9em;
font-size: var(--jp-content-font-size1); border-left: 5px solid transparent}}
.{LIVE} .widget-image {{{ROUND}; margin: 0}}
{DARK}
.{LIVE} button:focus-visible {{outline: 2px solid currentColor !important; outline-offset: 1px}}
.{LIVE} .course-right {{border-left-color: {EDGES[Status.CORRECT]}}}
.{LIVE} .course-wrong {{border-left-color: {EDGES[Status.NOT_YET]}}}
</style>"""
FULL_SCREEN = "document.fullscreenElement ? document.exitFullscreen() : this.requestFullscreen()"


def text(markdown: str, plain: str | None = None, *, display_id: str | None = None, update: bool = False) -> None:
    """Show Markdown, with a plain form for readers and tools that render none.

    Args:
        markdown: what a notebook page shows.
        plain: the same in plain characters; by default the Markdown itself.
        display_id: a name under which the output can be replaced later with `update=True`.

    Raises:
        TypeError: markdown is no string, or update neither True nor False. ValueError: update without a display_id.
    """
    if not isinstance(markdown, str):
        raise TypeError(f"markdown must be a string, but {described(markdown)} was given.")
    if boolean("update", update) and display_id is None:
        raise ValueError("update needs the display_id of the output to replace.")
    plain = markdown if plain is None else plain
    if IPython.get_ipython() is None:  # plain Python would show the bundle as a dict
        sys.stdout.write(f"{plain}\n")
        return
    bundle = {"text/markdown": markdown, "text/plain": plain}
    IPython.display.display(bundle, raw=True, display_id=display_id, update=update)


def ran() -> list[str]:
    """Return the cells that this kernel has run, in order, as they were typed; none in plain Python."""
    shell = IPython.get_ipython()
    return [] if shell is None else [cell for cell in shell.history_manager.input_hist_raw if cell]


def picture(figure, caption: str, *, as_html: bool) -> None:
    """Show a Matplotlib figure as a PNG on white, and its caption as text below it.

    Args:
        as_html: show it as an img element: JupyterLab and Notebook drop the alt text of a PNG output.
    """
    drawn, width = png.stored(figure), png.width_on_page(figure)
    plain, metadata = f"Figure: {caption}", {}
    if as_html:
        bundle = {"text/html": f"<style>{DARK}</style>{image(drawn, caption, width)}", "text/plain": plain}
    else:
        bundle = {"image/png": base64.b64encode(drawn).decode(), "text/plain": plain}
        # A width alone: with the height beside it the picture would be squeezed where the page is narrow.
        metadata = {"image/png": {"alt": str(caption), "width": width}}
    IPython.display.display(bundle, metadata=metadata, raw=True)
    text(below(caption, width), str(caption))


def still(figure, caption: str) -> str:
    """Return a Matplotlib figure with its caption as HTML without blank lines, which can stand in Markdown."""
    width = png.width_on_page(figure)
    return f"<div>{image(png.stored(figure), caption, width)}</div>{below(caption, width)}"


def image(drawn: bytes, caption: str, width: int) -> str:
    """Return a PNG as an img element with its alt text; a click shows it on the whole screen."""
    style = f"width: {width}px; max-width: 100%; min-width: {round(LEAST * width)}px; {ROUND}; cursor: zoom-in"
    source = f"data:image/png;base64,{base64.b64encode(drawn).decode()}"
    more = f'title="Click to see it full screen" onclick="{FULL_SCREEN}"'
    return f'<img class="{PICTURE}" alt="{html.escape(caption)}" width="{width}" style="{style}" {more} src="{source}">'


def below(caption: str, width: int) -> str:
    """Return a caption as it stands below a picture of the given width, for Markdown and for HTML."""
    return f'<div class="course-caption" style="max-width: {width}px">{captions.as_html(caption)}</div>'


def live(control, stands_in: str, plain: str):
    """Show an ipywidgets control, and before it what takes its place where it does not live.

    A saved view without its kernel is an error message ("model not found"), and HTML in its own output does not help:
    JupyterLab and Notebook show the view alone. So two outputs, and rules that hide one of them.

    Args:
        control: the outermost widget.
        stands_in: Markdown for the next day, for an exported page and for a notebook that is not trusted.
        plain: the same in plain characters.

    Returns:
        A function of (stands_in, plain) that replaces what stands in, for a later save.
    """
    display_id = uuid.uuid4().hex
    control.add_class(LIVE)

    def replace(stands_in, plain, update=True):
        markdown = f'<div class="{STANDS_IN}">\n\n{RULES}\n\n{stands_in}\n\n</div>'
        text(markdown, plain, display_id=display_id, update=update)

    replace(stands_in, plain, update=False)
    bundle = {"application/vnd.jupyter.widget-view+json": control.get_view_spec(), "text/plain": ""}
    IPython.display.display(bundle, raw=True)
    return replace


def replace_cells(first_line: str, sentence: str) -> None:
    """In a notebook, print a sentence in place of each cell from now on whose code begins with a line."""

    def replaced(lines):
        return [f"print({sentence!r})\n"] if "".join(lines[:1]).rstrip() == first_line else lines

    if shell := IPython.get_ipython():
        shell.input_transformers_post.append(replaced)


def before_errors(reply) -> None:
    """In a notebook, show Python's message on a cell that it cannot read or run only where reply(source) is False."""
    shell = IPython.get_ipython()

    def unless_replied(show):
        return lambda *given, **more: reply(shell.history_manager.input_hist_parsed[-1]) or show(*given, **more)

    for name in ("showsyntaxerror", "showtraceback") if shell else ():
        setattr(shell, name, unless_replied(getattr(shell, name)))

"""Markdown to HTML as a notebook page shows it, with mathematics as MathML and code in colours."""

import html
import re
from functools import cache

import latex2mathml.converter
from markdown_it import MarkdownIt
from mdit_py_plugins.dollarmath import dollarmath_plugin
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer

# latex2mathml knows these under another name, or not at all
_LATEX = {r"\tfrac": r"\frac", r"\bigl": r"\big", r"\bigr": r"\big", r"\!": ""}
_LETTER = '<mi mathvariant="normal">([A-Za-z])</mi>'  # several of them are one upright name
_FORMATTER = HtmlFormatter(nowrap=True)


def formula(latex: str, display: bool = False) -> str:
    """Return a formula as MathML."""
    for name, known in _LATEX.items():
        latex = latex.replace(name, known)
    written = latex2mathml.converter.convert(latex.strip(), display="block" if display else "inline")
    return re.sub(f"(?:{_LETTER}){{2,}}", _name, written)


def _name(letters):
    return f"<mi>{''.join(re.findall(_LETTER, letters[0]))}</mi>"


def python(source: str) -> str:
    """Return Python code as HTML, in which a line that is too long can go on below."""
    lines = highlight(source.rstrip(), PythonLexer(), _FORMATTER).rstrip().splitlines()
    code = "\n".join(f"<span>{line}</span>" for line in lines)
    return f'<pre class="code"><code>{code}</code></pre>'


def plain(text: str) -> str:
    """Return characters as HTML, as they are."""
    return f"<pre>{html.escape(text.rstrip(), quote=False)}</pre>"


@cache
def _markdown():
    markdown = MarkdownIt("commonmark", {"html": True, "highlight": _highlighted})
    markdown.enable(["table", "strikethrough"])
    markdown.use(dollarmath_plugin, allow_digits=True, double_inline=True, renderer=_formula)
    markdown.add_render_rule("math_block", lambda self, tokens, place, *_: _block(tokens[place].content))
    markdown.add_render_rule("fence", lambda self, tokens, place, *_: _fence(tokens[place]))
    return markdown


def _formula(latex, options):
    return formula(latex, options.get("display_mode", False))


def _block(latex):
    parts = "".join(formula(part, True) for part in re.split(r"(?:\\qquad)+", latex))  # below each other where narrow
    return f'<div class="formula">{parts}</div>\n'


def _fence(token):
    return python(token.content) if token.info.strip() == "python" else plain(token.content)


def _highlighted(source, language, _):
    return source


def blocks(markdown: str, seen: set[str] | None = None) -> str:
    """Return Markdown as HTML; headings get ids that are not in `seen`, and are added to it."""
    tokens = _markdown().parse(markdown)
    for place, token in enumerate(tokens):
        if token.type == "heading_open" and seen is not None:
            token.attrSet("id", _free(slug(tokens[place + 1].content), seen))
    written = _markdown().renderer.render(tokens, _markdown().options, {})
    written = written.replace("<th></th>", "<td></td>")  # a heading without words says nothing
    return written.replace("<table>", '<div class="table"><table>').replace("</table>", "</table></div>")


def inline(markdown: str) -> str:
    """Return a line of Markdown as HTML, without a paragraph around it."""
    return _markdown().renderInline(markdown)


def slug(title: str) -> str:
    """Return a title as it stands in an address."""
    return re.sub(r"[^a-z0-9]+", "-", title.lower().replace("’", "")).strip("-") or "part"


def _free(name, seen):
    free, number = name, 1
    while free in seen:
        number += 1
        free = f"{name}-{number}"
    seen.add(free)
    return free


def headings(page: str) -> list[tuple[int, str, str]]:
    """Return (level, id, title as HTML) of every heading with an id."""
    found = re.findall(r'<h(\d) id="([^"]+)">(.*?)</h\1>', page, re.DOTALL)
    return [(int(level), name, title) for level, name, title in found]


def text(page: str) -> str:
    """Return the words of HTML without its tags and without what only programs read."""
    page = re.sub(r"<(script|style|svg|math)\b.*?</\1>", " ", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())

"""A notebook as stored, and what its cells say: text, prose, headings and links."""

import html
import json
import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path


@dataclass(frozen=True)
class Notebook:
    """One notebook as stored, with the names of its neighbours."""

    path: Path
    siblings: tuple[str, ...] = ()

    @cached_property
    def data(self) -> dict:
        return json.loads(self.path.read_text(encoding="utf-8"))

    @property
    def cells(self) -> list[dict]:
        return self.data["cells"]

    @property
    def code(self) -> list[dict]:
        return [cell for cell in self.cells if cell["cell_type"] == "code"]

    @property
    def markdown(self) -> list[dict]:
        return [cell for cell in self.cells if cell["cell_type"] == "markdown"]

    @property
    def outputs(self) -> list[tuple[dict, dict]]:
        return [(cell, output) for cell in self.code for output in cell["outputs"]]


def text(value) -> str:
    """Join a field that may be stored as a list of lines."""
    return "".join(value) if isinstance(value, list) else value


def output_texts(output) -> list[str]:
    """Return every text an output shows."""
    data = output.get("data", {})
    texts = [text(output.get("text", ""))]
    return texts + [text(value) for key, value in data.items() if key.startswith("text/")]


def prose(source: str) -> str:
    """Return the running text of a markdown cell: no code, equations, table rows, link targets or HTML tags."""
    source = re.sub(r"(?ms)^ *(```|~~~).*?^ *\1", " ", source)
    source = re.sub(r"(?s)\$\$.*?\$\$", " ", source)
    source = re.sub(r"(?s)<!--.*?-->|</?[a-zA-Z][^>]*>", " ", source)
    source = re.sub(r"(?m)^ *\|.*$", " ", source)
    source = re.sub(r"\]\([^)]*\)", "]", source)
    return re.sub(r"`[^`]*`|\$[^$\n]+\$", " code1 ", source)


def visible(markup: str) -> str:
    """Return text as a reader sees it: no tags, no emphasis marks, single spaces."""
    markup = html.unescape(re.sub(r"<[^>]*>", " ", markup))
    return " ".join(re.sub(r"[*_`\\]", "", markup).split())


def headings(notebook) -> list[tuple[int, str]]:
    """Return level and text of every heading, code blocks left out."""
    found = []
    for cell in notebook.markdown:
        source = re.sub(r"(?ms)^ *(```|~~~).*?^ *\1", "", text(cell["source"]))
        found += [(len(marks), title) for marks, title in re.findall(r"(?m)^(#{1,6}) +(.*?) *#*$", source)]
    return found


def links(notebook) -> list[tuple[str, str, str]]:
    """Return cell id, text and target of every markdown link; pictures left out."""
    found = []
    for cell in notebook.markdown:
        source = re.sub(r"(?ms)^ *(```|~~~).*?^ *\1|`[^`\n]*`", "", text(cell["source"]))
        for words, target in re.findall(r"(?<!!)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)[^)]*\)", source):
            found.append((cell.get("id", "?"), words, target))
    return found

"""Components: things to play with that run on a web page and in a notebook, each written once, in JavaScript.

A component is a module, <name>.js in `FOLDER` or in a folder of the course, that exports one name:

    export const render = (element, data, state, changed, ask) => ({ set(state) {…}, end() {…} });

Its style is <name>.css beside it, where every rule begins with .c-<name>. The style of the modules that it imports
comes first; there, `:scope` stands for the component's element.

`data` and `state` are plain JSON. The host gives the element the class c-<name> and puts the style into its document;
the component calls `changed(state)` when a person changes something, and loads and computes nothing that Python has
computed. Where it cannot run, its still takes its place.

In a running notebook a component may ask Python: `ask(question)` is a promise of what the Component's `answer` returns,
both plain JSON. One question is under way at a time; of those that are asked meanwhile the last one follows, and the
promise of each other one gives null. Where `answer` raises, the promise fails with the words of the error. Web pages
have no Python behind them, so there `ask` is undefined.

It may import what a neighbour exports, or a module of `FOLDER`, which then stands in the same script:
`import { … } from "./shared.js";`. No name stands in both folders.
"""

import json
import re
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

from courseware.page import palette

FOLDER = Path(__file__).with_name("components")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_COLOUR = re.compile(r"\b(LIGHT|DARK)\((\w+)\)")  # of a sheet: a row of colours.toml
_EXPORT = re.compile(r"^export const (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Component:
    """A component with its data, to be shown by `explore`.

    name: of its module. data, state: plain JSON values, the state at the start.
    still: a Matplotlib figure and its caption, made from the same data.
    answer: what Python answers to a question of the component, from JSON to JSON.
    folder: of its module.
    """

    name: str
    data: dict
    state: dict | None = None
    _: KW_ONLY
    still: tuple[object, str]
    answer: Callable[[dict], dict] | None = None
    folder: Path = FOLDER


def source(name: str, folder: Path = FOLDER) -> str:
    """Return a component as an expression of JavaScript: an object with its `style` and `render`, and no import."""
    parts, sheets = {}, {"shared": ""}  # whose rules come first, wherever it is imported
    own = _read(name, folder, parts, sheets)
    style = re.sub(r"/\*.*?\*/|\s+", " ", "".join(sheets.values()), flags=re.DOTALL).replace(":scope", f".c-{name}")
    style = _COLOUR.sub(lambda found: vars(palette)[found[1]][found[2]], style)
    before = "".join(f"const _{part} = {_enclosed(text)};\n" for part, text in parts.items())
    return _enclosed(f"{before}export const style = {json.dumps(style, ensure_ascii=False)};\n{own}")


def classic(name: str, folder: Path = FOLDER) -> str:
    """Return it as a script for pages opened as files, which load no modules: it sets course.components["<name>"]."""
    return f'(course.components = course.components || {{}})["{name}"] = {source(name, folder)};\n'


def _read(name, folder, parts, sheets):
    """Return the text of a module that imports nothing, once `parts` holds that of each module which it imported.

    `sheets` then holds the CSS of them all, its own last.
    """
    path = folder / f"{name}.js"
    path = path if path.is_file() else FOLDER / path.name
    text = path.read_text(encoding="utf-8")
    for _, part in _IMPORT.findall(text):
        if part not in parts:
            parts[part] = _read(part, folder, parts, sheets)
    sheet = path.with_suffix(".css")
    if sheet.is_file():
        sheets[name] = sheet.read_text(encoding="utf-8")
    return _IMPORT.sub(r"const \1 = _\2;", text)


def _enclosed(module):
    exported, inside = ", ".join(_EXPORT.findall(module)), _EXPORT.sub(r"const \1", module)
    return f'(() => {{\n"use strict";\n{inside}return {{ {exported} }};\n}})()'

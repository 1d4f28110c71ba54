"""Components: things to play with that run on a web page and in a notebook, each written once, in JavaScript.

A component is a module, components/<name>.js, that exports two names:

    export const style = "…";                                           every rule begins with .c-<name>
    export const render = (element, data, state, changed) => ({ set(state) {…}, end() {…} });

`data` and `state` are plain JSON. The host gives the element the class c-<name> and puts the style into its document;
the component calls `changed(state)` when a person changes something, and loads and computes nothing that Python has
computed. Where it cannot run, its still takes its place.
"""

import re
from dataclasses import KW_ONLY, dataclass
from pathlib import Path

FOLDER = Path(__file__).with_name("components")
_IMPORT = re.compile(r'^import (\{.*\}) from "\./shared\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export const (\w+)", re.MULTILINE)


@dataclass(frozen=True)
class Component:
    """A component with its data, to be shown by `explore`.

    name: of its module. data, state: plain JSON values, the state at the start.
    still: a Matplotlib figure and its caption, made from the same data.
    """

    name: str
    data: dict
    state: dict | None = None
    _: KW_ONLY
    still: tuple[object, str]


def source(name: str) -> str:
    """Return a component as an expression of JavaScript: an object with its `style` and `render`, and no import."""
    shared, own = ((FOLDER / f"{one}.js").read_text(encoding="utf-8") for one in ("shared", name))
    return _enclosed(_IMPORT.sub(lambda found: f"const {found[1]} = {_enclosed(shared)};", own))


def classic(name: str) -> str:
    """Return it as a script for pages opened as files, which load no modules: it sets course.components["<name>"]."""
    return f'(course.components = course.components || {{}})["{name}"] = {source(name)};\n'


def _enclosed(module):
    exported, inside = ", ".join(_EXPORT.findall(module)), _EXPORT.sub(r"const \1", module)
    return f'(() => {{\n"use strict";\n{inside}return {{ {exported} }};\n}})()'

"""Why is this NumPy or torch answer wrong? See README.md beside this file.

>>> from whywrong import grade

The names below are found when they are first used, so that `import whywrong` alone loads nothing.
"""

import importlib

_MODULES = {
    "author": ("faults",),
    "judge": ("grade",),
    "reply": ("check", "in_plain_words"),
    "task": ("BrokenTask", "Case", "Exercise", "Fault", "Inspection", "Key", "Mistake", "Returns", "Status", "Verdict"),
    "todo": ("TODO",),
}
_HOME = {name: module for module, names in _MODULES.items() for name in names}
__all__ = sorted(_HOME)


def __getattr__(name: str):
    """Return a name from the module that defines it."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]

"""Replay the rows of an exercise where there is NumPy and no torch; `page.mjs` runs this in Pyodide.

What the rows' modules import and a web page has not is stood in for by Nothing. A row that uses it is left out, and so
is one that is stopped by a limit, since nobody watches there.
"""

import importlib.abc
import importlib.machinery
import json
import sys
import types

ABSENT = ("IPython", "PIL", "filelock", "ipywidgets", "matplotlib", "torch", "traitlets")
_used = []


class _Absent(type):
    def __getattr__(cls, name):
        if name.startswith("__"):
            raise AttributeError(name)
        _used.append(name)
        return Nothing


class Nothing(metaclass=_Absent):
    """Whatever is asked of a module that is not there."""

    __getattr__ = _Absent.__getattr__

    def __init__(self, *args, **options):
        _used.append("")

    def __call__(self, *args, **options):
        return Nothing()


class _StandIn(types.ModuleType):
    __path__ = ()
    __getattr__ = _Absent.__getattr__


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        return importlib.machinery.ModuleSpec(name, self) if name.partition(".")[0] in ABSENT else None

    def create_module(self, spec):
        return _StandIn(spec.name)

    def exec_module(self, module):
        pass


def said(exercise: str, one_in: int = 1) -> str:
    """Return as JSON the exercise, what is said of its rows today, as it is kept, and how many are left out.

    one_in: of so many rows one is asked, always the same. left_out: why -> how many.
    """
    if not any(isinstance(one, _Finder) for one in sys.meta_path):
        sys.meta_path.insert(0, _Finder())
    from lessons.in_numpy import NEEDS_TORCH
    from tests.golden import book, rows

    rows.torch.manual_seed = lambda seed: None

    texts, left_out, kept = {}, {"torch": 0, "limit": 0}, book.kept(exercise)
    if exercise in NEEDS_TORCH:  # even its right answers cannot be loaded
        return json.dumps({"exercise": exercise, "said": {}, "left_out": {"torch": len(kept), "limit": 0}})
    part = {row.title for row in rows.fixed_part(rows.rows(exercise), one_in)}
    whole = True  # as in book.said_today, where a row that is left out here may have been the first with evidence
    for row in rows.rows(exercise):
        before = kept.get(row.title, "")
        if row.title not in part:
            pass
        elif exercise in rows.BOTH:
            left_out["torch"] += 1
        elif " · timeout · " in before:
            left_out["limit"] += 1
        else:
            row.make()  # imports what its lesson needs
            for name in [name for name in sys.modules if name.partition(".")[0] in ABSENT]:
                del sys.modules[name]
            _used.clear()
            try:
                text = book.of(row, whole)
            except Exception:
                if not _used:  # else an oracle met what stands in for torch
                    raise
            if _used:
                left_out["torch"] += 1
            else:
                texts[row.title] = text
        whole = whole and "\n| " not in before
    return json.dumps({"exercise": exercise, "said": texts, "left_out": left_out})

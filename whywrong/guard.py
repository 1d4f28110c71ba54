"""Guard the checks against a learner's code: restore the builtins after it, and notice work that it borrows."""

import contextlib
import dis
import functools
import inspect
import itertools
import sys
import types
from collections.abc import Callable, Iterator

import numpy as np

from whywrong import sandbox
from whywrong.task import Exercise, Fault, Inspection, Key
from whywrong.todo import holds_todo

_NUMPY = dict(vars(np))  # as it was when this module was loaded


def guard_answer(item: Exercise | Inspection, answer: object) -> object:
    """Wrap an answer, so that a TODO is noticed at once and the builtins are restored after each call."""
    if item.kind == "function":
        return _guard_function(answer)
    return _guard_class(answer) if item.kind == "class" else answer


def _guard_function(answer: Callable) -> Callable:
    @functools.wraps(answer)
    def wrapped(*args, **options):
        result = answer(*args, **options)
        sandbox.restore_builtins()
        if holds_todo(result):
            raise Fault(Key.TODO, "There is still a TODO in what your function returns: replace it and check again.")
        return result

    return wrapped


def _guard_class(answer: type) -> type:
    """Return a subclass that restores the builtins whenever an object is created or called."""

    def initialize(self, *args, **options):
        _set_class(answer, self)  # so that super(type(self), self) finds the learner's parent class
        answer.__init__(self, *args, **options)
        if type(self) is answer:
            _set_class(subclass, self)
        sandbox.restore_builtins()

    def call(self, *args, **options):
        result = answer.__call__(self, *args, **options)
        sandbox.restore_builtins()
        return result

    methods = {
        "__init__": initialize,
        "__slots__": (),
    }  # without its own slots it has the layout of the learner's class
    methods |= {"__module__": answer.__module__, "__qualname__": answer.__qualname__}
    if "__call__" in dir(answer):
        methods["__call__"] = call
    try:
        subclass = type(answer)(answer.__name__, (answer,), methods)
    except TypeError:  # a class that allows no subclass, such as bool
        return answer
    return subclass


def _set_class(kind: type, instance: object) -> None:
    """Give an object another class; objects of builtin classes, such as dict, stay as they are."""
    with contextlib.suppress(TypeError):
        object.__setattr__(instance, "__class__", kind)


def find_overridden() -> str | None:
    """Return the dotted name of something in Python, NumPy, torch or the course that a notebook's code replaced.

    A check that calls it would run the learner's code. None if nothing was replaced.
    """
    for module in [*sys.modules.values()]:
        name = str(getattr(module, "__name__", ""))
        if name in ("builtins", "numpy", "numpy.linalg", "numpy.random", "torch") or sandbox.is_ours(name):
            for attribute, value in vars(module).copy().items():
                definition = value if type(value) in (types.FunctionType, type) else type(value)
                if definition.__module__ == "__main__":
                    return f"{name}.{attribute}"
    return None


def find_replaced() -> str | None:
    """Return the name of what this session replaced: as `find_overridden` does, or anything in NumPy; or None."""
    now = vars(np)
    changed = (name for name, value in _NUMPY.items() if name[0] != "_" and now.get(name) is not value)
    return find_overridden() or next((f"numpy.{name}" for name in changed), None)


def find_borrowed(answer: object, may_use: tuple[str, ...]) -> str | None:
    """Return the name of the course's own function that an answer is, or uses; None if it does its own work.

    Args:
        may_use: names of functions and classes that this exercise leaves to the course.
    """
    while isinstance(answer, functools.partial):
        answer = answer.func
    for definition in [*inspect.getmro(answer)] if inspect.isclass(answer) else [answer]:
        name = _name_in_course(definition)
        if name is not None:
            return name if name.rpartition(".")[2] not in may_use else None
    if sandbox.is_ours(str(getattr(answer, "__module__", ""))):  # a worked solution
        return None
    for function in _list_functions(answer):
        for name in _find_used(function.__code__, function.__globals__):
            if name.rpartition(".")[2] not in may_use:
                return name
    return None


def _name_in_course(value: object) -> str | None:
    """Return the name of a function or class that the course teaches; None for anything else."""
    module = str(getattr(value, "__module__", ""))
    if sandbox.is_taught(module) and (inspect.isclass(value) or inspect.isroutine(value)):
        return f"{module.rpartition('.')[2]}.{value.__name__}"
    return None


def _list_functions(answer: object) -> list[types.FunctionType]:
    candidates = vars(answer).values() if inspect.isclass(answer) else [answer]
    return [function for function in candidates if isinstance(function, types.FunctionType)]


def _find_used(code: types.CodeType, names: dict[str, object]) -> Iterator[str]:
    """Yield the dotted names of the course's own functions that some code uses."""
    for step, following in itertools.pairwise(dis.get_instructions(code)):
        value = names.get(step.argval) if step.opname == "LOAD_GLOBAL" else None
        if inspect.ismodule(value) and _name_in_course(getattr(value, str(following.argval), None)) is not None:
            yield f"{step.argval}.{following.argval}"
        elif _name_in_course(value) is not None:
            yield step.argval
        elif step.opname == "IMPORT_NAME" and sandbox.is_taught(step.argval) and following.opname == "IMPORT_FROM":
            yield following.argval
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _find_used(inner, names)

"""Stand between a learner's code and the checks: builtins come back after it, and borrowed work is known."""

import contextlib
import dis
import functools
import inspect
import itertools
import sys
import types

import numpy as np

from whywrong import sandbox
from whywrong.task import Fault, Key
from whywrong.todo import holds_todo

_NUMPY = dict(vars(np))  # as it was found


def guarded(item, answer):
    """Wrap an answer, so that a TODO is known at once and the course's code runs with the original builtins again."""
    if item.kind == "function":
        return _guarded_function(answer)
    return _guarded_class(answer) if item.kind == "class" else answer


def _guarded_function(answer):
    @functools.wraps(answer)
    def wrapped(*args, **options):
        result = answer(*args, **options)
        sandbox.restore_builtins()
        if holds_todo(result):
            raise Fault(
                Key.TODO, "There is still a TODO in what your function returns: replace it and run the cell again."
            )
        return result

    return wrapped


def _guarded_class(answer):
    """Return a subclass whose objects, when they are made or called, give the builtins back."""

    def made(self, *args, **options):
        _turn_into(answer, self)  # super(type(self), self) finds the learner's parent while it is made
        answer.__init__(self, *args, **options)
        if type(self) is answer:
            _turn_into(subclass, self)
        sandbox.restore_builtins()

    def called(self, *args, **options):
        result = answer.__call__(self, *args, **options)
        sandbox.restore_builtins()
        return result

    methods = {"__init__": made, "__slots__": ()}  # without slots of its own it is laid out as the learner's class
    methods |= {"__module__": answer.__module__, "__qualname__": answer.__qualname__}
    if "__call__" in dir(answer):
        methods["__call__"] = called
    try:
        subclass = type(answer)(answer.__name__, (answer,), methods)
    except TypeError:  # a class that allows no subclass, such as bool
        return answer
    return subclass


def _turn_into(kind, made):
    """Give an object another class; what is built in, such as dict, stays as it is."""
    with contextlib.suppress(TypeError):
        object.__setattr__(made, "__class__", kind)


def replaced() -> str | None:
    """Return what a notebook's own code took the place of in Python, NumPy, torch or the course, by its dotted name.

    A check that calls it would be judging with the learner's code; None where nothing was replaced.
    """
    for module in [*sys.modules.values()]:
        name = str(getattr(module, "__name__", ""))
        if name in ("builtins", "numpy", "numpy.linalg", "numpy.random", "torch") or sandbox.is_ours(name):
            for attribute, value in vars(module).copy().items():
                made = value if type(value) in (types.FunctionType, type) else type(value)
                if made.__module__ == "__main__":
                    return f"{name}.{attribute}"
    return None


def find_replaced() -> str | None:
    """Return the name of what this session replaced, as `replaced` does, in NumPy by whatever value; or None."""
    now = vars(np)
    changed = (name for name, value in _NUMPY.items() if name[0] != "_" and now.get(name) is not value)
    return replaced() or next((f"numpy.{name}" for name in changed), None)


def borrowed(answer, may_use: tuple[str, ...]) -> str | None:
    """Return the name of the course's own function that an answer is, or uses; None where it does its own work.

    Args:
        may_use: names of functions and classes that this exercise leaves to the course.
    """
    while isinstance(answer, functools.partial):
        answer = answer.func
    for one in [*inspect.getmro(answer)] if inspect.isclass(answer) else [answer]:
        name = _of_the_course(one)
        if name is not None:
            return name if name.rpartition(".")[2] not in may_use else None
    if sandbox.is_ours(str(getattr(answer, "__module__", ""))):  # a worked solution
        return None
    for function in _functions(answer):
        for name in _used(function.__code__, function.__globals__):
            if name.rpartition(".")[2] not in may_use:
                return name
    return None


def _of_the_course(value):
    module = str(getattr(value, "__module__", ""))
    if sandbox.is_taught(module) and (inspect.isclass(value) or inspect.isroutine(value)):
        return f"{module.rpartition('.')[2]}.{value.__name__}"
    return None


def _functions(answer):
    found = vars(answer).values() if inspect.isclass(answer) else [answer]
    return [one for one in found if isinstance(one, types.FunctionType)]


def _used(code, names):
    """Yield what a function's code uses of the course's own, by dotted names."""
    for one, following in itertools.pairwise(dis.get_instructions(code)):
        value = names.get(one.argval) if one.opname == "LOAD_GLOBAL" else None
        if inspect.ismodule(value) and _of_the_course(getattr(value, str(following.argval), None)) is not None:
            yield f"{one.argval}.{following.argval}"
        elif _of_the_course(value) is not None:
            yield one.argval
        elif one.opname == "IMPORT_NAME" and sandbox.is_taught(one.argval) and following.opname == "IMPORT_FROM":
            yield following.argval
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _used(part, names)

"""Answers as a learner hands them in from a cell: their source is known, and they are no part of the course."""

import importlib
import math
import re
from functools import cache

import numpy as np

from course_lib.model.one_thread import torch
from lessons import catalogue
from whywrong.sandbox import load


def worked(id: str) -> str:
    """Return the worked cell of an exercise as a learner could have written it, without its marks."""
    lines = catalogue.without_why(catalogue.solution(id)).splitlines()
    return "\n".join(line for line in lines if not line.strip().startswith("###")) + "\n"


def name_of(source: str) -> str:
    """Return the name of what a cell defines last, which is what it hands in."""
    return re.findall(r"^(?:(?:def|class) )?(\w+)(?: = |[(:])", source, re.MULTILINE)[-1]


def answer(source: str, names: dict, handed_in: str = ""):
    """Run a cell beside a copy of some names, and return what it hands in."""
    return load(source, names).names[handed_in or name_of(source)]


@cache
def names_of(lesson: str) -> dict:
    """Return what a learner's cell in a lesson can use: the imports, and what the cells before it define."""
    module = importlib.import_module(f"lessons.{lesson}.solutions")
    common = {"np": np, "torch": torch, "nn": torch.nn, "math": math}
    return common | {name: value for name, value in vars(module).items() if not name.startswith("__")}

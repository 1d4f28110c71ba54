"""The examples in docstrings give what they say."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import whywrong
from whywrong.fixes.copies import preview

MODULES = ["whywrong", *(one.name for one in pkgutil.walk_packages(whywrong.__path__, "whywrong."))]
WITH_EXAMPLES = [name for name in MODULES if ">>> " in Path(importlib.import_module(name).__file__).read_text("utf-8")]


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples(name):
    results = doctest.testmod(importlib.import_module(name), extraglobs={"preview": preview})
    assert results.attempted and not results.failed

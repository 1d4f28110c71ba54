"""The handbook names what there is: files and modules."""

import importlib.util
import re

from tests.conftest import ROOT

TEXT = (ROOT / "classroom" / "README.md").read_text(encoding="utf-8")
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)#]+)\)", TEXT) if ":" not in link]
    assert links and [link for link in links if not (ROOT / "classroom" / link).exists()] == []


def test_modules_exist():
    named = set(re.findall(r"-m (classroom[\w.]*)", TEXT + MAKEFILE))
    assert len(named) >= 6 and [name for name in named if importlib.util.find_spec(name) is None] == []

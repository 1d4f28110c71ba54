"""Check that the pinned requirements are complete and are what is installed."""

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.conftest import ROOT

OURS = "ffn-course"
CUDA = ("cuda-", "nvidia-", "triton")  # torch brings these on Linux with CUDA and pins them itself


def entries(source: str) -> list[str]:
    """Return the lines of a requirements file without comments and empty lines."""
    lines = [re.sub(r"(^|\s)#.*", "", line).strip() for line in source.splitlines()]
    return [line for line in lines if line]


def pins(lines: list[str]) -> dict[str, str]:
    """Return name and version of every `name==version` line; behind it may stand for which systems."""
    found = [re.fullmatch(r"([\w.-]+)==([\w.]+)( ; .+)?", line) for line in lines]
    return {canonicalize_name(match[1]): match[2] for match in found if match}


def problems(lines: list[str], options: set[str]) -> list[str]:
    """Report every line that is neither `name==version` nor one of the options."""
    return [line for line in lines if line not in options and not pins([line])]


def installed(name: str) -> str | None:
    """Return the installed version without a local part such as +cpu; None when it is not installed."""
    try:
        return distribution(name).version.split("+")[0]
    except PackageNotFoundError:
        return None


def dependencies(names) -> set[str]:
    """Return every package that `names` need here, directly or through others, themselves included."""
    todo, seen = [(name, "") for name in names], set()
    while todo:
        name, extra = todo.pop()
        if (name, extra) in seen or installed(name) is None:
            continue
        seen.add((name, extra))
        for line in distribution(name).requires or []:
            need = Requirement(line)
            if need.marker is None or need.marker.evaluate({"extra": extra}):
                todo += [(canonicalize_name(need.name), one) for one in ["", *need.extras]]
    return {name for name, _ in seen}


def licence(name: str) -> str:
    """Return every licence that an installed package names, as "A OR B" where it may be had under either."""
    named = distribution(name).metadata
    classified = [one.split(" :: ")[-1] for one in named.get_all("Classifier") or [] if one.startswith("License :: ")]
    return named.get("License-Expression") or " OR ".join(classified) or (named.get("License") or "").split("\n")[0]


def copyleft(licence: str) -> bool:
    """Tell whether a licence is the GPL or the AGPL, with no other to choose; the LGPL is neither."""
    strict = r"\bA?GPL|Affero|(?<!Lesser )(?<!Library )General Public"
    return all(re.search(strict, one) for one in licence.split(" OR "))


PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LEARNERS = entries((ROOT / "requirements.txt").read_text())
EXTRAS = PROJECT["project"]["optional-dependencies"]
TESTERS, SITE, HUB, MODEL = EXTRAS["test"], EXTRAS["site"], EXTRAS["hub"], EXTRAS["model"]
REQUIREMENTS = [*LEARNERS, *MODEL, *TESTERS]
CONSTRAINTS = entries((ROOT / "constraints.txt").read_text())


@pytest.mark.model
def test_every_line_is_pinned_and_one_file_has_every_pin():
    assert problems(REQUIREMENTS, {"-c constraints.txt", "-e ."}) == []
    assert problems([*SITE, *HUB, *CONSTRAINTS], set()) == []
    assert LEARNERS[:2] == ["-c constraints.txt", "-e ."]
    for lines in (LEARNERS, TESTERS, SITE, HUB, MODEL):
        assert pins(lines) and pins(lines).items() <= pins(CONSTRAINTS).items()
    assert [path.name for path in (*ROOT.glob("requirements-*"), *ROOT.glob("constraints-*"))] == [
        "requirements-model.txt"
    ]
    (wheel,) = entries((ROOT / "requirements-model.txt").read_text())
    name, version = re.fullmatch(r"([\w-]+)==([\d.]+) --hash=sha256:[0-9a-f]{64}", wheel).groups()
    assert installed(name) == version


def test_learners_install_no_test_tool_but_the_comparison_of_notebooks():
    heavy = {"hypothesis", "pytest-playwright", "axe-playwright-python", "ruff", "import-linter"}
    assert not heavy & set(pins(LEARNERS)) and heavy <= set(pins(TESTERS))
    assert "nbval" in pins(LEARNERS)


@pytest.mark.model
def test_direct_pins_agree_with_constraints_and_environment():
    for name, version in pins(REQUIREMENTS).items():
        assert (name, pins(CONSTRAINTS).get(name), installed(name)) == (name, version, version)


@pytest.mark.model
def test_every_dependency_is_constrained():
    named = [*pins(REQUIREMENTS), *pins(SITE), OURS]
    needed = {name for name in dependencies(named) if name != OURS and not name.startswith(CUDA)}
    assert len(needed) > 80  # the walk went somewhere
    wrong = {name: installed(name) for name in needed if pins(CONSTRAINTS).get(name) != installed(name)}
    assert not wrong, f"constraints.txt differs from what is installed: {wrong}"
    needed |= dependencies(pins(HUB))
    extra = {name for name in pins(CONSTRAINTS) if name not in needed and installed(name)}
    assert not extra, f"constraints.txt names packages that nothing needs: {extra}"


NO_LICENCE = {}  # name -> why it may stay though it names none, or has the GPL alone


@pytest.mark.parametrize("name", sorted(dependencies([*pins(LEARNERS), *pins(MODEL), OURS])))
def test_what_a_learner_installs_names_its_licence_and_none_has_the_gpl_alone(name):
    assert name in NO_LICENCE or (licence(name) and not copyleft(licence(name)))


def test_package_needs_only_direct_pins():
    needs = [Requirement(line) for line in PROJECT["project"]["dependencies"]]
    assert needs
    assert {canonicalize_name(need.name) for need in needs} <= set(pins(CONSTRAINTS))
    assert [str(need.specifier) for need in needs if need.name == "torch"] == [""]
    for need in needs:
        assert need.specifier.contains(installed(need.name))


def test_learners_install_nothing_of_the_classroom():
    assert len(HUB) >= 4 and not {*pins(HUB)} & set(pins(LEARNERS))

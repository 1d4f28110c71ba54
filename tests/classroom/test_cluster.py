"""The files for a cluster, as far as they can be checked on paper: the limits that are promised, and no root."""

import re

import pytest
import yaml

from classroom import measure
from classroom.server import chart_check, image, settings
from tests.conftest import ROOT

CLUSTER = ROOT / "classroom" / "server" / "cluster"
VALUES = yaml.safe_load((CLUSTER / "values.yaml").read_text(encoding="utf-8"))
UNITS = {"M": 1e6, "G": 1e9}


def size(text: str) -> float:
    """Return the bytes of "600M"."""
    return float(text[:-1]) * UNITS[text[-1]]


def test_memory_holds_the_largest_lesson_and_the_server():
    largest = max(cost.megabytes for cost in measure.kept().values()) * 1e6
    assert size(VALUES["singleuser"]["memory"]["limit"]) > 2 * (largest + 120e6)
    assert size(VALUES["singleuser"]["memory"]["guarantee"]) >= largest


def test_learners_are_nobody_special_and_have_one_thread():
    one = VALUES["singleuser"]
    assert one["uid"] == 1000 and one["allowPrivilegeEscalation"] is False
    assert one["networkPolicy"]["enabled"] and one["cloudMetadata"]["blockWithIptables"]
    assert {one["extraEnv"][name] for name in settings.ONE_THREAD} == {"1"}
    copied = one["lifecycleHooks"]["postStart"]["exec"]["command"][-1]
    assert one["extraEnv"]["COURSE_PROGRESS"].startswith("/home/jovyan/ffn-course/") and "~/ffn-course" in copied
    assert "serviceAccountName" not in one  # the pod then mounts no token
    assert VALUES["hub"]["concurrentSpawnLimit"] >= 100 and VALUES["cull"]["enabled"]


def test_image_is_the_student_edition_without_root():
    text = (CLUSTER / "Dockerfile").read_text(encoding="utf-8")
    assert re.search(r"^ARG BASE=", text, re.MULTILINE) and re.search(r"^USER 1000$", text, re.MULTILINE)
    assert "jupyterhub==5.*" in text  # the hub of the chart's main branch
    copied = re.findall(r"^COPY (\S+)", text, re.MULTILINE)
    assert copied == ["dist/ffn-course-student.zip"]


@pytest.fixture
def chart(tmp_path):
    """A small chart with the schema of what our values set."""
    (tmp_path / "values.yaml").write_text("singleuser: {memory: {guarantee: 1G}, image: {name: theirs}}\n")
    memory = {"type": "object", "additionalProperties": False, "properties": {"limit": {}, "guarantee": {}}}
    schema = {"type": "object", "properties": {"singleuser": {"type": "object", "properties": {"memory": memory}}}}
    (tmp_path / "values.schema.yaml").write_text(yaml.safe_dump(schema))
    return tmp_path


def test_values_fit_a_chart_and_a_slip_in_them_does_not(chart, tmp_path, capsys):
    assert chart_check.main([str(chart)]) == 0 and "fits the chart" in capsys.readouterr().out
    slip = tmp_path / "slip.yaml"
    slip.write_text("singleuser: {memory: {limmit: 1G}}\n")
    assert chart_check.check(chart, slip) == [
        "singleuser.memory: Additional properties are not allowed ('limmit' was unexpected)"
    ]


def test_values_are_merged_as_helm_does():
    theirs = {"a": {"b": 1, "c": [1, 2]}, "d": 1}
    assert chart_check.merged(theirs, {"a": {"c": [3]}, "d": {"e": 2}}) == {"a": {"b": 1, "c": [3]}, "d": {"e": 2}}
    assert theirs == {"a": {"b": 1, "c": [1, 2]}, "d": 1}


@pytest.mark.parametrize("name", ["values.yaml", "values.schema.yaml"])
def test_a_folder_without_a_chart_is_named(chart, name, capsys):
    (chart / name).unlink()
    assert chart_check.main([str(chart)]) == 1
    assert "is no unpacked chart" in capsys.readouterr().err


def test_without_a_builder_no_image_is_claimed(monkeypatch, capsys, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert image.main([]) == 1
    assert "No image was built. No program that builds images was found; one of buildah" in capsys.readouterr().err
    assert image.main(["--debian"]) == 1
    assert "buildah and mmdebstrap" in capsys.readouterr().err
    assert image.main(["--wheels", str(tmp_path / "none")]) == 1
    assert "--wheels must name a folder" in capsys.readouterr().err

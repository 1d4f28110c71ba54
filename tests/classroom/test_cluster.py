"""The files for a cluster, as far as they can be checked on paper: the limits that are promised, and no root."""

import re

import yaml

from classroom import measure
from classroom.server import settings
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

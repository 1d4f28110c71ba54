"""One place decides what things are shown on, and every medium shows figures, sliders and questions."""

import pytest

from courseware.page.medium import RunningNotebook, StoredOutput, current


@pytest.mark.parametrize(("value", "kind"), [("1", StoredOutput), ("", RunningNotebook), ("0", RunningNotebook)])
def test_the_environment_chooses(monkeypatch, value, kind):
    monkeypatch.setenv("COURSE_STATIC", value)
    assert type(current()) is kind

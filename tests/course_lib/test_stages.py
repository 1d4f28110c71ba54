"""Stages: panels side by side on one scale."""

import numpy as np

from course_lib import stages
from courseware.page.style import styled
from tests.courseware.page.figure_rules import problems

X = np.arange(-8.0, 8).reshape(2, 8)
Z = np.arange(-40.0, 40).reshape(2, 40) / 10


@styled
def draw(*arrays, **options):
    names = ("one", "two", "three", "four")[: len(arrays)]
    return stages.draw(stages.stages(names, arrays, ["black"] * len(arrays)), **options)


def limits(drawn):
    return {image.get_clim() for axes in drawn.panels for image in axes.get_images()}


def test_panels_share_their_scale_and_name_their_sizes():
    drawn = draw(X, Z, X[:, :1])
    assert limits(drawn) == {(-8, 8)}
    assert [axes.get_title() for axes in drawn.panels] == ["one\n2 × 8", "two\n2 × 40", "three\n2 × 1"]
    assert problems(drawn.figure, "Three stages.") == []  # the name of the narrow one is not cut off


def test_rows_can_have_names_and_zeros_alone_a_scale():
    drawn = draw(0 * X, rows=["a", "b"])
    assert [tick.get_text() for tick in drawn.panels[0].get_yticklabels()] == ["a", "b"]
    assert limits(drawn) == {(-1, 1)}

"""What is drawn equals the data given, captions follow the data, and bad data is named."""

import inspect

import matplotlib
import numpy as np
import pytest
import torch
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from course_lib.page.components import Component
from course_lib.page.interactive import Interactive
from course_lib.page.style import HIDDEN, INPUT, OUTPUT, REFERENCE, TARGET
from lessons.linear_limits import figures
from tests.page.figure_rules import drawn_texts, moving_problems, problems

GRID = np.linspace(-3, 3, 61)[:, None]
SINE = np.sin(GRID)
CORNERS, XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([[0.0], [1], [1], [0]])
KINKS = np.maximum(GRID * [1, -1, 1] + [0, 1, 9], 0) * [1, -0.5, 0.1]
FITS = SINE[:, 0] * np.array([0.5, 1.0, 0.9])[:, None, None] + np.array([0.0, 0.1])[:, None]


# Right arguments: positional ones, and for sliders the states to look at.
SAMPLES = {
    "curve_toy": ((GRID, SINE),),
    "depth_losses": ((np.array([1, 2, 4]), np.full((3, 2), 0.21), 0.21, 0.02),),
    "best_line_xor": ((CORNERS, XOR, np.array([1.0, 1.0]), -0.5),),
    "success_by_width": ((np.array([2, 4, 8]), np.array([0.14, 0.6, 0.965]), 200),),
    "unit_contributions": ((GRID, KINKS, 0.25, SINE),),
    "fits_by_width": ((GRID, SINE, FITS, [1, 2, 4]), [{"units": 1}, {"units": 2}, {"units": 4}]),
}


def make(name, change=lambda given: given):
    made = getattr(figures, name)(*map(change, SAMPLES[name][0]))
    return made.still if isinstance(made, Component) else made


@pytest.mark.parametrize("name", SAMPLES)
def test_rules(name):
    made = make(name)
    if isinstance(made, Interactive):
        assert moving_problems(made, SAMPLES[name][1]) == []
        assert all(artist.figure is made.figure for artist in made.artists)
    else:
        figure, caption = made
        assert isinstance(figure, Figure)
        assert problems(figure, caption) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_style_stays_inside_the_figure(name):
    before = dict(matplotlib.rcParams)
    make(name)
    assert dict(matplotlib.rcParams) == before


def lines(axes, color=None):
    """Return the data of the lines of one colour, in the order in which they were drawn."""
    return [line.get_xydata() for line in axes.lines if color is None or to_hex(line.get_color()) == color.lower()]


def words(figure):
    return [text.get_text() for text, _ in drawn_texts(figure)]


def test_depth_losses():
    losses = np.array([[0.21, 0.2100001], [0.21, 0.25], [0.3, 0.21]])
    figure, caption = figures.depth_losses([1, 2, 4], losses, 0.21, 0.02)
    (axes,) = figure.axes
    (dots,) = lines(axes, OUTPUT)
    assert np.array_equal(dots, np.stack([np.repeat([1, 2, 4], 2), losses.ravel()], axis=1))
    assert np.all(lines(axes, REFERENCE)[0][:, 1] == 0.21) and np.all(lines(axes, HIDDEN)[0][:, 1] == 0.02)
    assert (
        "1 to 4 layers" in caption
        and "2 seeds each" in caption
        and "0.210" in caption
        and "losses from 0.21 to 0.3;" in caption
    )
    exact = figures.depth_losses([1, 2], np.full((2, 3), 0.21), 0.21, 0.02)[1]
    assert "Largest gap: below 1e-6." in exact and "1 to 2 layers all end at" in exact and "3 seeds" in exact


@pytest.mark.parametrize(("weights", "bias", "count"), [([1, 1], -0.5, 3), ([1, 1], -1.5, 1), ([0, 0.0001], -1, 2)])
def test_best_line_xor(weights, bias, count):
    figure, caption = figures.best_line_xor(CORNERS, XOR, np.array(weights, dtype=float), bias)
    assert f"it has {count} of 4 points right" in caption
    right = (CORNERS @ weights + bias > 0) == (XOR[:, 0] > 0.5)
    expected = sorted(f"y = {y:g}, {'right' if fits else 'wrong'}" for y, fits in zip(XOR[:, 0], right, strict=True))
    assert sorted(word for word in words(figure) if word.startswith("y = ")) == expected
    points = np.concatenate(lines(figure.axes[0]))
    assert sorted(map(tuple, points)) == sorted(map(tuple, CORNERS))
    assert len(lines(figure.axes[0], OUTPUT)) == len(lines(figure.axes[0], INPUT)) == 2


def test_best_line_is_drawn_where_the_score_is_zero():
    figure, _ = figures.best_line_xor(CORNERS, XOR, np.array([1.0, 2.0]), -1.2)
    contours = [collection for collection in figure.axes[0].collections if collection.get_paths()]
    line = contours[-1].get_paths()[0].vertices
    assert np.allclose(line @ [1, 2] - 1.2, 0, atol=1e-9)


def test_success_by_width():
    figure, caption = make("success_by_width")
    (drawn,) = lines(figure.axes[0], HIDDEN)
    assert np.allclose(drawn, [[2, 14], [4, 60], [8, 96.5]])
    assert {"14 %", "60 %", "96.5 %"} <= set(words(figure))
    assert "200 random starts" in caption and "2 units 14 %, 4 units 60 %, 8 units 96.5 %" in caption


def test_unit_contributions():
    figure, caption = make("unit_contributions")
    left, right = figure.axes
    for drawn, given in zip(lines(left)[:3], KINKS.T, strict=True):
        shown = ~np.isnan(drawn[:, 1])
        assert np.array_equal(drawn[shown, 1], given[shown]) and not given[~shown].any()  # a unit where it is not 0
        assert shown.sum() <= (given != 0).sum() + 2
    assert sorted(text.get_text() for text in left.texts) == ["1", "2", "3"]
    looks = {(line.get_color(), line.get_linestyle()) for line in left.lines[:3]}
    assert len(looks) == 3, "units that must be told apart look alike"
    for axes, before in ((left, 3), (right, 2)):  # a guide at each kink in view, the same in both panels
        assert len(lines(axes)[before:]) == 2
    target, total = lines(right)[:2]
    assert np.array_equal(target[:, 1], SINE[:, 0]) and np.allclose(total[:, 1], KINKS.sum(axis=1) + 0.25)
    assert "2 of the 3 ReLU units have their kink in view" in caption
    assert f"{np.mean((KINKS.sum(axis=1) + 0.25 - SINE[:, 0]) ** 2):.1g}" in caption


def test_fits_by_width():
    made = make("fits_by_width")
    (axes,) = made.figure.axes
    for units, curves in zip((1, 2, 4), FITS, strict=True):
        caption = made.move(units=units)
        errors = np.mean((curves - SINE[:, 0]) ** 2, axis=1)
        assert np.array_equal(lines(axes, TARGET)[0][:, 1], SINE[:, 0])
        assert all(np.array_equal(drawn[:, 1], given) for drawn, given in zip(lines(axes, HIDDEN), curves, strict=True))
        assert np.array_equal(lines(axes, OUTPUT)[0][:, 1], curves[errors.argmin()])
        assert caption.startswith(f"{units} hidden unit{'s' * (units > 1)}: the best of 2 starts")
        assert f"{errors.min():.1g}" in caption and f"{errors.max():.1g}" in caption
    assert set(made.artists) == {line for line in axes.lines if to_hex(line.get_color()) != TARGET.lower()}
    with pytest.raises(ValueError, match=r"units must be one of \[1, 2, 4\], but 3 was given"):
        made.update(units=3)


@pytest.mark.parametrize("name", SAMPLES)
def test_tensors_are_taken_as_well(name):
    def as_tensor(value):
        return torch.as_tensor(value) if isinstance(value, np.ndarray) else value

    made = make(name, as_tensor)
    if isinstance(made, Interactive):
        assert made.move(**SAMPLES[name][1][0]) == make(name).move(**SAMPLES[name][1][0])
    else:
        assert made[1] == make(name)[1]


@pytest.mark.parametrize("name", SAMPLES)
def test_bad_data_is_named(name):
    """Every array argument refuses words, NaN, emptiness and a wrong number of axes, by its name."""
    given, names = SAMPLES[name][0], list(inspect.signature(getattr(figures, name)).parameters)
    for position, value in enumerate(given):
        if not isinstance(value, np.ndarray):
            continue
        for bad in (np.full_like(value, np.nan, dtype=float), value[:0], value[None, None], "words"):
            arguments = [*given[:position], bad, *given[position + 1 :]]
            with pytest.raises((ValueError, TypeError), match=names[position]):
                getattr(figures, name)(*arguments)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: figures.success_by_width([1, 2], np.ones(5), 3),
            r"shares must have shape \(n,\) with n = 2, but .* \(5,\)",
        ),
        (lambda: figures.depth_losses([1, 2], np.ones((3, 2)), 0.2, 0.1), "losses must have shape .* with n = 2"),
        (lambda: figures.best_line_xor(CORNERS, XOR[:3], [1, 1], 0), "y must have shape .* with n = 4"),
        (lambda: figures.best_line_xor(CORNERS, XOR, [1, 1, 1], 0), "weights must have shape .* with d_in = 2"),
        (
            lambda: figures.unit_contributions(GRID, KINKS[1:], 0.25, SINE),
            "contributions must have shape .* with n = 61",
        ),
        (lambda: figures.unit_contributions(GRID, KINKS, 0.25, SINE[1:]), "target must have shape .* with n = 61"),
        (lambda: figures.fits_by_width(GRID, SINE, FITS[..., 1:], [1, 2, 4]), "fits must have shape .* with n = 61"),
        (lambda: figures.fits_by_width(GRID, SINE, FITS, [1, 2]), "widths must have shape .* with widths = 3"),
    ],
)
def test_sizes_must_agree(call, words):
    with pytest.raises(ValueError, match=words):
        call()

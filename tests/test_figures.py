"""What is drawn equals the data given, captions follow the data, and every figure keeps the rules of the style.

The figures of the lessons are held against the same rules with their real data in test_solutions.
"""

import ast
import importlib
import inspect
import pkgutil
from pathlib import Path

import numpy as np
import pytest
import torch
from figure_rules import CONTRAST, contrast, drawn_texts, moving_problems, problems
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from course_lib import figures
from course_lib.figures import linear, style
from course_lib.figures.style import HIDDEN, INPUT, OUTPUT, REFERENCE, TARGET, Interactive

NOTEBOOKS = Path(__file__).resolve().parent.parent / "notebooks"
MODULES = [
    importlib.import_module(f"course_lib.figures.{item.name}") for item in pkgutil.iter_modules(figures.__path__)
]


def is_figure_function(function, module):
    kind = inspect.signature(function).return_annotation
    return function.__module__ == module.__name__ and kind in (Interactive, tuple[Figure, str])


FUNCTIONS = {
    f"{module.__name__.rpartition('.')[2]}.{name}": function
    for module in MODULES
    for name, function in inspect.getmembers(module, inspect.isfunction)
    if not name.startswith("_") and is_figure_function(function, module)
}

GRID = np.linspace(-3, 3, 61)[:, None]
SINE = np.sin(GRID)
CORNERS, XOR = np.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), np.array([[0.0], [1], [1], [0]])
RING = np.concatenate([r * np.stack([np.cos(a := np.linspace(0, 6, 20)), np.sin(a)], axis=1) for r in (0.6, 1.5)])
INSIDE = np.repeat([[0.0], [1.0]], 20, axis=0)
KINKS = np.maximum(GRID * [1, -1, 1] + [0, 1, 9], 0) * [1, -0.5, 0.1]
FITS = SINE[:, 0] * np.array([0.5, 1.0, 0.9])[:, None, None] + np.array([0.0, 0.1])[:, None]


def squared(points):
    return (points**2).sum(axis=1) - 1


# Right arguments: positional ones, and for sliders the states to look at.
SAMPLES = {
    "linear.depth_losses": ((np.array([1, 2, 4]), np.full((3, 2), 0.21), 0.21, 0.02),),
    "linear.best_line_xor": ((CORNERS, XOR, np.array([1.0, 1.0]), -0.5),),
    "linear.regions": ((RING, INSIDE, [lambda p: p[:, 0] - 0.2, squared], ["a line", "a ring"]),),
    "linear.success_by_width": ((np.array([2, 4, 8]), np.array([0.14, 0.6, 0.965]), 200),),
    "linear.unit_contributions": ((GRID, KINKS, 0.25, SINE),),
    "linear.fits_by_width": ((GRID, SINE, FITS, [1, 2, 4]), [{"units": 1}, {"units": 2}, {"units": 4}]),
}


def make(name):
    return FUNCTIONS[name](*SAMPLES[name][0])


def shown_in_notebooks() -> set[str]:
    """Return the names of all functions that the notebooks' code cells call or mention."""
    import nbformat

    found = set()
    for path in NOTEBOOKS.glob("*.ipynb"):
        for cell in nbformat.read(path, as_version=4).cells:
            if cell.cell_type == "code":
                nodes = ast.walk(ast.parse(cell.source))
                found |= {getattr(node, "attr", getattr(node, "id", "")) for node in nodes}
    return found


def test_every_figure_is_held_against_the_rules():
    """A figure has a sample here, or a lesson shows it: there it is tried with real data in every state."""
    assert set(SAMPLES) <= set(FUNCTIONS)
    shown = shown_in_notebooks()
    left = [name for name in FUNCTIONS if name not in SAMPLES and name.partition(".")[2] not in shown]
    assert left == [], "give these a sample or show them in a lesson"


@pytest.mark.parametrize("name", SAMPLES)
def test_rules(name):
    made = make(name)
    if isinstance(made, Interactive):
        assert isinstance(made.figure, Figure) and made.moving
        assert moving_problems(made, SAMPLES[name][1]) == []
        assert all(artist.figure is made.figure for artist in made.moving)
    else:
        figure, caption = made
        assert isinstance(figure, Figure)
        assert problems(figure, caption) == []


@pytest.mark.parametrize("name", SAMPLES)
def test_style_stays_inside_the_figure(name):
    import matplotlib

    before = dict(matplotlib.rcParams)
    make(name)
    assert dict(matplotlib.rcParams) == before
    assert "matplotlib.pyplot" not in Path(inspect.getfile(FUNCTIONS[name])).read_text(encoding="utf-8")


def test_colours():
    for color in (INPUT, OUTPUT, HIDDEN, REFERENCE, TARGET):
        assert contrast(color) >= CONTRAST
    assert len({INPUT, OUTPUT, HIDDEN, REFERENCE, TARGET}) == 5
    assert contrast("black") == pytest.approx(21) and contrast("white") == pytest.approx(1)
    assert contrast(HIDDEN, 0.3) < CONTRAST


def broken_figure(break_it):
    figure, axes = style.blank()
    axes.plot([0, 1], [0, 1], color=HIDDEN)
    axes.set(xlabel="x", title="a line")
    break_it(figure, axes)
    return figure


@pytest.mark.parametrize(
    ("break_it", "words"),
    [
        (lambda figure, axes: axes.text(2, 0.5, "far outside", clip_on=False).set_in_layout(False), "cut off"),
        (lambda figure, axes: figure.text(-0.01, 0.5, "a label"), "cut off"),
        (lambda figure, axes: axes.plot([0, 1], [1, 0], color="#dddddd"), "faint line"),
        (lambda figure, axes: axes.plot([0, 1], [1, 0], color=HIDDEN, alpha=0.3), "faint line"),
        (lambda figure, axes: axes.plot([0, 1], [1, 0], "o", color="yellow"), "faint line"),
        (lambda figure, axes: axes.text(0.5, 0.2, "pale", color="#cccccc"), "faint text"),
        (lambda figure, axes: [axes.text(0.5, 0.2, word) for word in ("one", "two")], "lies on"),
        (lambda figure, axes: figure.set_size_inches(5, 5), "size"),
        (lambda figure, axes: figure.set_facecolor("black"), "white"),
    ],
)
def test_rules_report(break_it, words):
    assert problems(broken_figure(lambda *parts: None), "A line.") == []
    found = problems(broken_figure(break_it), "A line.")
    assert len(found) == 1 and words in found[0]


@pytest.mark.parametrize("caption", ["", "No stop", "Two\nlines.", "A loss of nan.", "np.float64(3).", None])
def test_rules_report_captions(caption):
    assert len(problems(broken_figure(lambda *parts: None), caption)) == 1


# ---- what is drawn equals the data -----------------------------------------------------------------------------------


def lines(axes, color=None):
    """Return the data of the lines of one colour, in the order in which they were drawn."""
    return [line.get_xydata() for line in axes.lines if color is None or to_hex(line.get_color()) == color.lower()]


def words(figure):
    return [text.get_text() for text, _ in drawn_texts(figure)]


def test_depth_losses():
    losses = np.array([[0.21, 0.2100001], [0.21, 0.25], [0.3, 0.21]])
    figure, caption = linear.depth_losses([1, 2, 4], losses, 0.21, 0.02)
    (axes,) = figure.axes
    (dots,) = lines(axes, OUTPUT)
    assert np.array_equal(dots, np.stack([np.repeat([1, 2, 4], 2), losses.ravel()], axis=1))
    assert np.all(lines(axes, REFERENCE)[0][:, 1] == 0.21) and np.all(lines(axes, HIDDEN)[0][:, 1] == 0.02)
    assert "1 to 4 layers, 2 seeds each" in caption and "0.210" in caption and "1e-6: False" in caption
    exact = linear.depth_losses([1, 2], np.full((2, 3), 0.21), 0.21, 0.02)[1]
    assert "1e-6: True" in exact and "1 to 2 layers, 3 seeds" in exact


@pytest.mark.parametrize(("weights", "bias", "count"), [([1, 1], -0.5, 3), ([1, 1], -1.5, 1), ([0, 0.0001], -1, 2)])
def test_best_line_xor(weights, bias, count):
    figure, caption = linear.best_line_xor(CORNERS, XOR, np.array(weights, dtype=float), bias)
    assert f"it has {count} of 4 points right" in caption
    right = (CORNERS @ weights + bias > 0) == (XOR[:, 0] > 0.5)
    expected = sorted(f"y = {y:g}, {'right' if fits else 'wrong'}" for y, fits in zip(XOR[:, 0], right, strict=True))
    assert sorted(word for word in words(figure) if word.startswith("y = ")) == expected
    points = np.concatenate(lines(figure.axes[0]))
    assert sorted(map(tuple, points)) == sorted(map(tuple, CORNERS))
    assert len(lines(figure.axes[0], OUTPUT)) == len(lines(figure.axes[0], INPUT)) == 2


def test_best_line_is_drawn_where_the_score_is_zero():
    figure, _ = linear.best_line_xor(CORNERS, XOR, np.array([1.0, 2.0]), -1.2)
    contours = [collection for collection in figure.axes[0].collections if collection.get_paths()]
    line = contours[-1].get_paths()[0].vertices
    assert np.allclose(line @ [1, 2] - 1.2, 0, atol=1e-9)


def test_regions():
    (figure, caption) = make("linear.regions")
    for axes, decide in zip(figure.axes, SAMPLES["linear.regions"][0][2], strict=True):
        assert np.array_equal(lines(axes, INPUT)[0], RING[:20]) and np.array_equal(lines(axes, OUTPUT)[0], RING[20:])
        share = 100 * np.mean((decide(RING) > 0) == (INSIDE[:, 0] > 0.5))
        assert f"{share:.0f} % right" in axes.get_title(loc="left") and f"{share:.3g} % right" in caption
    assert "a line has" in caption and "a ring has 100 % right" in caption


def test_success_by_width():
    figure, caption = make("linear.success_by_width")
    (drawn,) = lines(figure.axes[0], HIDDEN)
    assert np.allclose(drawn, [[2, 14], [4, 60], [8, 96.5]])
    assert {"14 %", "60 %", "96.5 %"} <= set(words(figure))
    assert "200 random starts" in caption and "2 units 14 %, 4 units 60 %, 8 units 96.5 %" in caption


def test_unit_contributions():
    figure, caption = make("linear.unit_contributions")
    left, right = figure.axes
    assert len(left.lines) == 3
    for drawn, given in zip(lines(left), KINKS.T, strict=True):
        assert np.array_equal(drawn[:, 1], given)
    target, total = lines(right)
    assert np.array_equal(target[:, 1], SINE[:, 0]) and np.allclose(total[:, 1], KINKS.sum(axis=1) + 0.25)
    assert "each of 3 ReLU units, 2 of them with their kink in view" in caption
    assert f"{np.mean((KINKS.sum(axis=1) + 0.25 - SINE[:, 0]) ** 2):.1g}" in caption


def test_fits_by_width():
    made = make("linear.fits_by_width")
    (axes,) = made.figure.axes
    for units, curves in zip((1, 2, 4), FITS, strict=True):
        caption = made.update(units=units)
        errors = np.mean((curves - SINE[:, 0]) ** 2, axis=1)
        assert np.array_equal(lines(axes, TARGET)[0][:, 1], SINE[:, 0])
        assert all(np.array_equal(drawn[:, 1], given) for drawn, given in zip(lines(axes, HIDDEN), curves, strict=True))
        assert np.array_equal(lines(axes, OUTPUT)[0][:, 1], curves[errors.argmin()])
        assert caption.startswith(f"{units} hidden unit{'s' * (units > 1)}: the best of 2 starts")
        assert f"{errors.min():.1g}" in caption and f"{errors.max():.1g}" in caption
    assert set(made.moving) == {line for line in axes.lines if to_hex(line.get_color()) != TARGET.lower()}
    with pytest.raises(ValueError, match=r"units must be one of \[1, 2, 4\], but 3 was given"):
        made.update(units=3)


@pytest.mark.parametrize("name", SAMPLES)
def test_tensors_are_taken_as_well(name):
    def as_tensor(value):
        return torch.as_tensor(value) if isinstance(value, np.ndarray) else value

    made = FUNCTIONS[name](*map(as_tensor, SAMPLES[name][0]))
    if isinstance(made, Interactive):
        assert made.update(**SAMPLES[name][1][0]) == make(name).update(**SAMPLES[name][1][0])
    else:
        assert made[1] == make(name)[1]


@pytest.mark.parametrize("name", SAMPLES)
def test_bad_data_is_named(name):
    """Every array argument refuses words, NaN, emptiness and a wrong number of axes, by its name."""
    given, names = SAMPLES[name][0], list(inspect.signature(FUNCTIONS[name]).parameters)
    for position, value in enumerate(given):
        if not isinstance(value, np.ndarray):
            continue
        for bad in (np.full_like(value, np.nan, dtype=float), value[:0], value[None, None], "words"):
            arguments = [*given[:position], bad, *given[position + 1 :]]
            with pytest.raises((ValueError, TypeError), match=names[position]):
                FUNCTIONS[name](*arguments)

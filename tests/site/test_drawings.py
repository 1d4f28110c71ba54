"""Drawings in fewer elements show the same: marks as one path, circles as arcs, cells of a page as strokes."""

import re

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from courseware.page.style import INPUT, blank
from publish.site import colours, pixels, svg, svg_markers

X = np.arange(10.0)


def drawn(draw) -> str:
    """Return what one artist looks like alone, on axes from -1 to 10."""
    figure, axes = blank()
    axes.set(xlim=(-1, 10), ylim=(-1, 10))
    artist = draw(axes)
    svg.settle(figure)
    shared, (alone,) = svg.drawings(figure, [artist], "p-")
    assert set(re.findall(r'href="#([\w-]+)"', alone)) <= set(re.findall(r'id="([\w-]+)"', shared))
    assert not re.search(r'<defs><path[^>]*id="p-m', shared) or "<use" in alone  # no mark is left that nothing uses
    return alone


def points(artist) -> np.ndarray:
    """Return where a line's points lie in the drawing."""
    at = artist.get_transform().transform(artist.get_xydata())
    return np.column_stack([at[:, 0], artist.figure.bbox.height - at[:, 1]])


def test_round_dots_of_one_colour_are_the_round_ends_of_strokes():
    kept = []
    alone = drawn(lambda axes: kept.extend(axes.plot(X, X / 2, "o", color=INPUT, markersize=6)) or kept[0])
    assert alone.count("<path") == 1 and "<use" not in alone
    starts = np.array([one.split() for one in re.findall(r"M([\d.]+ [\d.]+)h0", alone)], dtype=float)
    assert np.abs(starts - points(kept[0])).max() < 0.01
    assert "stroke:var(--input)" in alone and "stroke-linecap:round" in alone and "fill:none" in alone
    assert "stroke-width:7;" in alone  # six across, and an edge of one


@pytest.mark.parametrize(
    ("kind", "begin", "step"),
    [("s", (-3, 3), "l6 0l0 -6l-6 0z"), ("^", (0, -3), "l-3 6l6 0z"), ("x", (-3, 3), "l6 -6m-6 0l6 6")],
)
def test_marks_with_corners_are_written_out(kind, begin, step):
    kept = []
    alone = drawn(lambda axes: kept.extend(axes.plot(X, X / 2, kind, color=INPUT, markersize=6)) or kept[0])
    assert alone.count("<path") == 1 and "<use" not in alone and alone.count(step) == 10
    starts = np.array([one.split() for one in re.findall(r"M(-?[\d.]+ -?[\d.]+)l", alone)], dtype=float)
    assert np.abs(starts - points(kept[0]) - begin).max() < 0.01


@pytest.mark.parametrize(
    ("apart", "look", "joined"),
    [
        (1, {"markeredgecolor": "white"}, True),
        (0.05, {"markeredgecolor": "white"}, False),
        (1, {"alpha": 0.5}, True),
        (0.05, {"alpha": 0.5}, False),
        (0.05, {"color": INPUT}, True),
    ],
)
def test_marks_stay_alone_where_it_matters_which_lies_above(apart, look, joined):
    alone = drawn(lambda axes: axes.plot(X * apart, X * apart, "o", **look)[0])
    assert ("<use" in alone) is not joined
    assert alone.count("<use") == (0 if joined else 10)


def test_circles_are_arcs_and_other_curves_are_not():
    turn = np.linspace(0, 2 * np.pi, 9)
    far = 4 / 3 * np.tan(np.pi / 16)
    ends = np.column_stack([np.cos(turn), np.sin(turn)])
    ways = np.column_stack([-np.sin(turn), np.cos(turn)]) * far
    curves = np.stack([ends[:-1] + ways[:-1], ends[1:] - ways[1:], ends[1:]], axis=1).reshape(-1, 2)
    round_one = np.vstack([ends[:1], curves]) * 20 + [50, 60]

    def written(at):
        pieces = [" ".join(f"{x:.6f} {y:.6f}" for x, y in at[1 + 3 * one : 4 + 3 * one]) for one in range(8)]
        return f"M {at[0][0]:.6f} {at[0][1]:.6f} \n" + "".join(f"C {piece} \n" for piece in pieces) + "z"

    assert svg_markers.circle(round_one) == pytest.approx((50, 60, 20))
    assert svg.path(written(round_one)) == "M30 60a20 20 0 1 0 40 0a20 20 0 1 0 -40 0z"
    assert svg.path("M 0 0 L 1 0 L 1 1 z" + written(round_one)).startswith("M0 0l1 0 0 1zM30 60a20")
    flat = round_one * [1, 0.9]
    assert svg_markers.circle(flat) is None and svg.path(written(flat)).count("C") == 8
    dented = round_one.copy()
    dented[1] += [-3, 3]
    assert svg_markers.circle(dented) is None


def in_the_light(written):
    """Return a colour of a drawing as it is where the page is light."""
    names = {f"var({name})": np.array(to_rgb(colour)) for colour, name in colours.VARIABLES.items()}
    if not written.startswith("color-mix"):
        return names.get(written) if written in names else np.array(to_rgb(written))
    pure, share, end = re.fullmatch(r"color-mix\(in srgb,(var\(\S+\)) (\S+)%,(var\(\S+\))\)", written).groups()
    return names[pure] * float(share) / 100 + names[end] * (1 - float(share) / 100)


@pytest.mark.parametrize("colour", ["#9ccbe3", "#5c2400", "#333333", INPUT, "#fdf5ef"])
def test_a_colour_becomes_a_mixture_that_a_dark_page_can_change(colour):
    written = colours.chosen(colour.lower())
    assert "var(--" in written and np.abs(in_the_light(written) - to_rgb(colour)).max() <= 0.02


def test_other_values_stay_as_they_are():
    assert [colours.chosen(one) for one in ("none", "url(#a)", "#00ff00")] == ["none", "url(#a)", "#00ff00"]


def painted(values, **look):
    """Return where a painted page lies and where it should, and its colours by cell; None where it is a picture."""
    figure, axes = blank()
    image = axes.imshow(values, aspect="auto", **look)
    svg.settle(figure)
    _, (alone,) = svg.drawings(figure, [image], "p-")
    if "<image" in alone:
        return None
    assert alone.startswith(f'<g class="{pixels.CLASS}"')
    rows, columns = np.shape(values)[:2]
    shown = np.full((rows, columns, 3), in_the_light(re.search(r'fill="([^"]+)"', alone)[1]))
    for data, colour in re.findall(r'd="([^"]+)" stroke="([^"]+)"', alone):
        for x, y, wide in re.findall(r"M(\d+) (\d+)h(\d+)", data):
            shown[int(y), int(x) : int(x) + int(wide)] = in_the_light(colour)
    x, y, across, down = map(float, re.search(r"translate\((\S+) (\S+)\) scale\((\S+) (\S+)\)", alone).groups())
    edges = (x, x + columns * across, y - down / 2, y + (rows - 0.5) * down)
    box, high = axes.bbox, figure.bbox.height
    return edges, (box.x0, box.x1, high - box.y1, high - box.y0), shown


@pytest.mark.parametrize("origin", ["upper", "lower"])
def test_a_page_in_few_colours_is_painted_by_cell(origin):
    steps = np.random.default_rng(0).integers(0, 4, size=(5, 12)) / 3
    page = 1 - steps[..., None] * (1 - np.array(to_rgb(INPUT)))
    edges, box, shown = painted(page, origin=origin)
    assert np.abs(shown - page).max() < 1 / 255
    assert edges == pytest.approx(box if origin == "upper" else (*box[:2], box[3], box[2]), abs=0.02)


def test_a_page_in_many_colours_or_with_tiny_cells_stays_a_picture():
    many = np.random.default_rng(0).random((5, 12, 3))
    assert painted(many) is None
    assert painted(np.zeros((400, 600, 3))) is None
    assert painted(np.zeros((5, 12)), alpha=0.5) is None

"""Matplotlib's drawings as small SVG whose colours a page can choose; no other module knows what Matplotlib writes.

A colour of the course's style becomes a CSS variable, text stays text, and a path keeps what a screen can show: points
within a tenth of a point (1/72 inch) of a straight line are left out. What stands in a text is never touched.
"""

import contextlib
import functools
import hashlib
import io
import re
import textwrap
import xml.etree.ElementTree as ET

import matplotlib
import numpy as np
from matplotlib.backends.backend_svg import RendererSVG
from matplotlib.text import Text

from publish.site import colours, pixels, svg_markers
from publish.site.svg_markers import LINK as _LINK
from publish.site.svg_markers import SVG as _SVG

UNITS = 72  # to the inch, in an SVG of Matplotlib
WIDEST, SMALLEST = 5.2, 10.6  # inches and points: 11 pixels on a screen of 390, 9 on one of 320
CLOSE = 0.1  # in these units: how far a drawn line may lie from the one that was meant
MONOSPACED, CODE_STYLE = "DejaVu Sans Mono", "font-family:'Course Code',monospace;white-space:pre"
SETTINGS = {"svg.fonttype": "none", "svg.hashsalt": "course", "svg.image_inline": True}
_NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?"
_REFERENCE, _URL = re.compile(r"#([\w.-]+)"), re.compile(r"url\(#([\w.-]+)\)")
_ALONE = "alone"


class DrawingError(Exception):
    """Say that Matplotlib writes something other than what this module knows."""


@contextlib.contextmanager
def settings():
    """Draw with text as text, and with names that are the same on every run."""
    with matplotlib.rc_context(SETTINGS):
        yield


def whole(figure, prefix: str, without=()) -> str:
    """Return a Matplotlib figure as the inside of an svg element, without its moving artists.

    Args:
        prefix: of all ids inside, so that figures of one page do not share any.
        without: artists that are left out.
    """
    shown = [artist for artist in without if artist.get_visible()]
    places = {artist: artist.get_position() for artist in shown if isinstance(artist, Text)}
    for artist in shown:
        artist.set_visible(False)
    written = io.StringIO()
    with settings():
        figure.savefig(written, format="svg")
    for artist in shown:
        artist.set_visible(True)
    for artist, place in places.items():
        artist.set_position(place)  # Matplotlib moves a title that it does not see
    return _small(written.getvalue(), prefix)


def drawings(figure, draws, prefix: str) -> tuple[str, list[str]]:
    """Return what several drawings share, and each of them, as SVG; the figure's layout must be settled.

    Args:
        draws: an iterable of artists of the figure; each is drawn alone, before the next one is taken.
    """
    width, height = figure.get_size_inches() * UNITS
    written, painted = io.StringIO(), []
    with settings():
        renderer = RendererSVG(width, height, written, image_dpi=UNITS)
        for artist in draws:
            for drawn in getattr(artist, "get_paths", list)():
                drawn.should_simplify, drawn.simplify_threshold = drawn.codes is None, CLOSE
            painted.append(pixels.drawn(artist, height, _short))
            renderer.open_group(_ALONE)
            if painted[-1] is None:
                artist.draw(renderer)
            renderer.close_group(_ALONE)
        renderer.finalize()
    root = _read(written.getvalue())
    used = _used(root)
    alone = [child for child in root if child.get("id", "").startswith(_ALONE)]
    shared = [child for child in root if child not in alone]
    for child in alone:
        for parent in list(child.iter()):
            for defined in parent.findall(f"{_SVG}defs"):
                shared.append(defined)
                parent.remove(defined)
    found = [_merged("".join(_element(part, prefix, used) for part in child)) for child in alone]
    found = [by_cell or picture for picture, by_cell in zip(found, painted, strict=True)]
    return "".join(_element(child, prefix, used) for child in shared), found


def make_readable(figure) -> None:
    """Make a figure no wider than a phone shows with words that can be read: small ones larger, long ones in lines."""
    if of_code(figure):  # its characters keep step with what is painted below them
        return
    width, height = figure.get_size_inches()
    figure.set_size_inches(min(width, WIDEST), height)
    with settings():
        figure.draw_without_rendering()  # its ticks are made now
        for words in figure.findobj(Text):
            words.set_fontsize(max(words.get_fontsize(), SMALLEST))
        for axes in figure.axes:
            for axis in (axes.xaxis, axes.yaxis):
                sizes = [label.get_fontsize() for label in axis.get_ticklabels()]
                axis.set_tick_params(labelsize=max([*sizes, SMALLEST]))
        figure.draw_without_rendering()
        for legend in figure.legends:
            wide, room = legend.get_window_extent().width, figure.bbox.width
            for words in legend.get_texts():
                _break(words, wide, 0.8 * room if wide > room else wide)  # its lines and gaps take room too
        for axes in figure.axes:
            room = axes.get_window_extent()
            for words in axes.get_children():
                if isinstance(words, Text) and words.get_text() in [axes.get_title(loc) for loc in _PLACES]:
                    _break(words, words.get_window_extent().width, room.width)
            _break(axes.xaxis.label, axes.xaxis.label.get_window_extent().width, room.width)
            _break(axes.yaxis.label, axes.yaxis.label.get_window_extent().height, room.height)


def of_code(figure) -> bool:
    """Tell whether a figure shows characters of one width, such as a text that is painted."""
    return any(MONOSPACED in words.get_fontfamily() for words in figure.findobj(Text))


_PLACES = ("left", "center", "right")


def _break(words, length, room):
    """Break words into lines, as short as room is to length."""
    lines = words.get_text().split("\n")
    if length > room > 0 and "$" not in words.get_text():
        most = max(8, int(max(map(len, lines)) * room / length))
        words.set_text("\n".join(piece for line in lines for piece in textwrap.wrap(line, most)))


def settle(figure) -> None:
    """Find the layout of a figure and keep it: from here on nothing but what moves changes."""
    figure.set_dpi(UNITS)
    with settings():
        figure.draw_without_rendering()
    figure.set_layout_engine("none")


def view_box(figure) -> str:
    """Return the viewBox of a figure."""
    width, height = figure.get_size_inches() * UNITS
    return f"0 0 {width:g} {height:g}"


def _small(written, prefix):
    root = _read(written)
    used = _used(root)
    return "".join(_element(child, prefix, used) for child in root)


def _read(written):
    root = ET.fromstring(written)
    if root.tag != f"{_SVG}svg":
        raise DrawingError(f"Matplotlib wrote a {root.tag!r} where an svg element was expected.")
    svg_markers.join(root, _short)
    return root


def _used(root):
    """Return all ids that something points to."""
    used = set()
    for element in root.iter():
        used.update(_REFERENCE.findall(element.get(_LINK, "")))
        for value in (element.get("clip-path", ""), element.get("style", "")):
            used.update(_URL.findall(value))
    return used


def _element(element, prefix, used):
    tag = element.tag.removeprefix(_SVG)
    if tag in ("metadata", "style"):
        return ""
    if tag not in ("g", "defs", "path", "use", "text", "tspan", "image", "clipPath", "rect", "pattern"):
        raise DrawingError(f"Matplotlib wrote an element {tag!r} that is not known here.")
    inside = "".join(_element(child, prefix, used) + _escaped(child.tail or "", tag) for child in element)
    inside = _merged(_escaped(element.text or "", tag) + inside)
    attributes = dict(_attributes(element, prefix, used))
    if tag in ("g", "defs") and not inside:
        return ""
    if tag == "g" and not attributes:
        return inside
    if tag == "path" and not attributes.get("d"):
        return ""
    written = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<{tag}{written}>{inside}</{tag}>" if inside else f"<{tag}{written}/>"


_ALIKE = re.compile(r"""<use href="([^"]+)"([^>]*?) style="([^"]*)"/>(?:<use href="\1"[^>]*? style="\3"/>)+""")


def _grouped(inside):
    """Let neighbouring marks that look alike say it once."""

    def group(match):
        return f'<g style="{match[3]}">' + match[0].replace(f' style="{match[3]}"/>', "/>") + "</g>"

    return _ALIKE.sub(group, inside)


def _merged(inside):
    """Make one path of neighbouring lines that look alike."""
    inside = _grouped(inside)
    if inside.count("<path") < 2:
        return inside
    pieces, before = [], None
    for piece in re.split(r"(<path [^>]*/>)", inside):
        found = re.fullmatch(r'<path d="([^"]*)"([^>]*fill:none[^>]*)/>', piece)
        if found and before and before[1] == found[2]:
            before = before[0] + found[1], before[1]
            pieces[-1] = f'<path d="{before[0]}"{before[1]}/>'
        elif piece:
            before = (found[1], found[2]) if found else None
            pieces.append(piece)
    return "".join(pieces)


def _attributes(element, prefix, used):
    for name, value in element.attrib.items():
        if name == "id":
            if value in used:
                yield "id", prefix + value
        elif name == _LINK:
            yield "href", f"#{prefix}{value[1:]}" if value.startswith("#") else value
        elif name == "clip-path":
            yield name, value.replace("url(#", f"url(#{prefix}")
        elif name == "style":
            small = _style(value, prefix)
            if small:
                yield name, small
        elif name in ("fill", "stroke"):  # of the ground of a hatch
            yield name, colours.chosen(value)
        elif name == "d":
            yield name, path(value)
        elif name == svg_markers.WRITTEN:
            yield "d", value
        elif name == "transform":
            turned = _transform(value)
            if turned:
                yield name, turned
        elif name in ("x", "y", "width", "height"):
            yield name, " ".join(_short(float(number)) for number in value.split())
        else:
            yield name.rpartition("}")[2], _escaped(value, "text").replace('"', "&quot;")


@functools.lru_cache(maxsize=4096)
def _style(value, prefix):
    rules = []
    for rule in value.split(";"):
        name, _, given = (part.strip() for part in rule.partition(":"))
        if name == "font-family" and MONOSPACED in given:
            rules.append(CODE_STYLE)
        if not name or name == "font-family" or (name, given) == ("stroke-dashoffset", "0"):
            continue
        given = given.replace("url(#", f"url(#{prefix}").replace('"', "'")
        rules.append(f"{name}:{colours.chosen(given)}")
    return ";".join(rules)


def _transform(value):
    """Leave out a turn by nothing."""
    kept = re.sub(r"rotate\(-?0(\.0*)?[ ,][^)]*\)", "", value).strip()
    return re.sub(_NUMBER, lambda match: _short(float(match[0])), kept)


def _escaped(text, tag):
    if tag not in ("text", "tspan"):
        return ""
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _short(number, digits=2):
    """Write a coordinate without needless characters."""
    written = f"{number:.{digits}f}".rstrip("0").rstrip(".")
    return {"-0": "0", "": "0"}.get(written, re.sub(r"^(-?)0\.", r"\1.", written))


@functools.cache
def _tenths(number):
    return _short(number / 10, 1)


def path(written: str) -> str:
    """Return the data of a path in fewer characters.

    Raises:
        DrawingError: it holds a command other than M, L, C, Q and z.
    """
    other = set(re.findall("[A-Za-df-z]", written)) - set("MLCQz")
    if other:
        raise DrawingError(f"Matplotlib wrote the path commands {sorted(other)}, which are not known here.")
    return "".join(
        _around(*shape) if shape else "".join(_runs(text)) for text, shape in svg_markers.round_stretches(written)
    )


def _around(x, y, radius):
    return f"M{_short(x - radius)} {_short(y)}{svg_markers.arcs(radius, _short)}"


def _runs(written):
    """Yield the pieces of a path, straight stretches thinned and written as steps from point to point."""
    for stretch in re.findall(r"M[^MCQz]*|[CQ][^MCQLz]*|L[^MCQz]*|z", written):
        command, points = stretch[0], svg_markers.numbers(stretch[1:])
        if command == "M":
            yield _stretch(points)
        else:
            yield command + " ".join(_short(number) for number in points.ravel())


def _stretch(points):
    at = np.round((_thinned(points) if len(points) > 3 else points) * 10).astype(np.int64)
    start = " ".join(map(_tenths, at[0].tolist()))
    steps = np.diff(at, axis=0)
    steps = steps[np.any(steps != 0, axis=1)] if len(steps) > 1 else steps
    moves = " ".join(map(_tenths, steps.ravel().tolist()))
    return f"M{start}l{moves}" if moves else f"M{start}"


def _thinned(points):
    """Leave out points that lie close to the line between those that stay (Douglas and Peucker 1973)."""
    keep = np.zeros(len(points), dtype=bool)
    keep[[0, -1]] = True
    todo = [(0, len(points) - 1)]
    while todo:
        first, last = todo.pop()
        if last - first < 2:
            continue
        start, along = points[first], points[last] - points[first]
        inner = points[first + 1 : last] - start
        length = np.hypot(*along)
        if length == 0:
            far = np.hypot(inner[:, 0], inner[:, 1])
        else:  # the distance from the stretch between both ends, not from the line through them
            share = np.clip(inner @ along / length**2, 0, 1)
            far = np.hypot(*(inner - share[:, None] * along).T)
        most = int(far.argmax())
        if far[most] > CLOSE:
            middle = first + 1 + most
            keep[middle] = True
            todo += [(first, middle), (middle, last)]
    return points[keep]


def fingerprint(properties: dict) -> tuple:
    """Return what two sets of an artist's properties have in common if they are equal, and only then."""
    return tuple((name, _mark(properties[name])) for name in sorted(properties))


def _mark(value):
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, dict):
        return fingerprint(value)
    if isinstance(value, (list, tuple)):
        return tuple(map(_mark, value))
    array = np.ascontiguousarray(value)
    if array.dtype == object:
        raise DrawingError(f"An artist's property of type {type(value).__name__} cannot be recorded.")
    return array.shape, array.dtype.str, hashlib.sha256(array.tobytes()).digest()

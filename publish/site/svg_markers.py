"""Marks of a drawing that look alike as one path: a browser keeps a copy of a mark for each place that it is used at.

Matplotlib draws the points of a line as uses of one mark. A path with all of them shows the same where each mark has
one colour, so that it does not matter which lies above which, and where no two of them touch.
"""

import re

import numpy as np

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
WRITTEN = "written"  # an attribute: the data of a path, already as short as it gets
ROUND = 0.004  # by how much of its radius a circle of eight curves may differ from a circle
_CURVED = re.compile(r"M[^MLCQz]*(?:C[^MLCQz]*){8}z?")


def numbers(text: str) -> np.ndarray:
    """Return the coordinates in the data of a path, shape (points, 2)."""
    return np.array(re.sub("[MLCQz]", " ", text).split(), dtype=float).reshape(-1, 2)


def circle(points: np.ndarray) -> tuple[float, float, float] | None:
    """Return (x, y, radius) of the circle that a start and eight curves make, or None if they make none."""
    ends = points[::3]
    middle = (ends[:-1].min(axis=0) + ends[:-1].max(axis=0)) / 2
    far = np.hypot(*(ends - middle).T)
    radius = far.mean()
    curves = np.stack([points[:-1:3], points[1::3], points[2::3], points[3::3]])
    halfway = np.hypot(*((np.array([1, 3, 3, 1]) / 8 @ curves.reshape(4, -1)).reshape(-1, 2) - middle).T)
    if radius > 0 and max(np.abs(far - radius).max(), np.abs(halfway - radius).max()) <= ROUND * radius + 0.005:
        return (*middle, radius)
    return None


def round_stretches(data: str):
    """Yield (text, circle) for the stretches of a path's data, in order; circle is None but for a whole circle."""
    end = 0
    if "C" not in data:
        yield data, None
        return
    for found in _CURVED.finditer(data):
        shape = circle(numbers(found[0]))
        if shape:
            yield data[end : found.start()], None
            yield found[0], shape
            end = found.end()
    yield data[end:], None


def join(root, short) -> None:
    """Make one path of neighbouring uses of a mark that look alike, where that shows the same.

    Args:
        root: a drawing of Matplotlib, which is changed.
        short: writes a coordinate.
    """
    known = {one.get("id"): one for one in root.iter(f"{SVG}path") if one.get("id")}
    for parent in list(root.iter(f"{SVG}g")):
        for first, run in _runs(list(parent)):
            mark = known.get(first[0][1:])
            path = None if mark is None or len(run) < 2 else _joined(mark, first[1], run, short)
            if path is not None:
                parent.insert(list(parent).index(run[0]), path)
                for one in run:
                    parent.remove(one)
    used = {one.get(LINK, "")[1:] for one in root.iter()}
    for defined in root.iter(f"{SVG}defs"):
        for one in defined.findall(f"{SVG}path"):
            if one.get("id") not in used:
                defined.remove(one)


def _runs(children):
    """Return (look, uses) for every stretch of neighbouring uses of one mark in one style."""
    runs = []
    for child in children:
        plain = child.tag == f"{SVG}use" and set(child.attrib) <= {LINK, "x", "y", "style"}
        look = (child.get(LINK), child.get("style", "")) if plain else None
        if plain and runs and runs[-1][0] == look:
            runs[-1][1].append(child)
        else:
            runs.append((look, [child]))
    return [(look, run) for look, run in runs if look]


def _styled(*written):
    """Return rules of styles as a dictionary, a later one before an earlier one."""
    rules = [rule.partition(":") for text in written for rule in text.split(";") if ":" in rule]
    return {name.strip(): value.strip() for name, _, value in rules}


def _joined(mark, look, run, short):
    """Return the path, or None where it would show something else."""
    if set(mark.attrib) - {"id", "d", "style"}:
        return None
    data, style = mark.get("d"), _styled(look, mark.get("style", ""))
    fill, stroke = style.get("fill", "#000000"), style.get("stroke", "none")
    wide = 0.0 if stroke == "none" else float(style.get("stroke-width", 1))
    at = np.array([[float(one.get(name)) for name in ("x", "y")] for one in run])
    points, stretches = numbers(data), [shape for text, shape in round_stretches(data) if text.strip()]
    solid = fill == stroke or "none" in (fill, stroke)
    through = [name for name in style if name.endswith("opacity") and style[name] not in ("1", "1.0")]
    if (through or not solid) and _touching(at, np.ptp(points, axis=0) + wide):
        return None
    if len(stretches) == 1 and stretches[0] and solid and fill != "none" and not through:
        x, y, radius = stretches[0]
        style = {"fill": "none", "stroke": fill, "stroke-width": short(2 * radius + wide), "stroke-linecap": "round"}
        form, start = "h0", (x, y)
    elif len(stretches) == 1 and stretches[0]:
        x, y, radius = stretches[0]
        form, start = arcs(radius, short), (x - radius, y)
    elif "C" not in data and "Q" not in data:
        form, start = _steps(data, points, short), points[0]
    else:
        return None
    written = "".join(f"M{short(x)} {short(y)}{form}" for x, y in at + start)
    path = run[0].makeelement(f"{SVG}path", {WRITTEN: written})
    path.set("style", ";".join(f"{name}:{value}" for name, value in style.items()))
    return path


def arcs(radius: float, short) -> str:
    """Return the steps around a circle, from its leftmost point."""
    one, two = short(radius), short(2 * radius)
    return f"a{one} {one} 0 1 0 {two} 0a{one} {one} 0 1 0 -{two} 0z"


def _steps(data, points, short):
    """Return the data of straight lines as steps, without where they begin."""
    written, points = [], iter(np.round(points, 2))
    begun = before = next(points)
    for command in re.findall("[MLz]", data)[1:]:
        if command == "z":
            before = begun
            written.append("z")
            continue
        point = next(points)
        begun = point if command == "M" else begun
        written.append(command.lower() + " ".join(map(short, point - before)))
        before = point
    return "".join(written)


def _touching(at, size):
    """Tell whether two marks of this size may touch."""
    apart = np.abs(at[:, None] - at[None])
    close = (apart <= size).all(axis=2)
    return bool(close.sum() > len(at))

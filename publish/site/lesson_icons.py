"""One drawn sign for each lesson, from its own idea: no axes, no words, and no answer to anything that it asks."""

SIZE = (160, 100)
_THIN, _LINE = 2, 5  # how wide the lines are


def sign(lesson: str) -> str:
    """Return the sign of a lesson as an svg element, in the three colours of the course."""
    wide, high = SIZE
    return f'<svg class="sign" viewBox="0 0 {wide} {high}" aria-hidden="true">{_DRAWN[lesson]()}</svg>'


def _path(colour, data, width=_LINE, more=""):
    return f'<path class="{colour}" stroke-width="{width}" d="{data}"{more}/>'


def _dot(colour, x, y, radius=5):
    return f'<circle class="{colour} full" cx="{x:g}" cy="{y:g}" r="{radius:g}"/>'


def _box(colour, x, y, wide, high, full=True, more=""):
    kind = f"{colour} full" if full else colour
    edge = "" if full else f' stroke-width="{_THIN + 1}"'
    return f'<rect class="{kind}" x="{x:g}" y="{y:g}" width="{wide:g}" height="{high:g}" rx="3"{edge}{more}/>'


def _guess():
    """A curve goes on behind a cover, and a guess says how."""
    known, guessed = "M18 66C32 36 46 34 66 52", "M66 52C88 72 104 70 140 26"
    cover = '<rect class="cover" x="66" y="12" width="80" height="76" rx="8"/>'
    return (
        cover
        + _path("output", guessed, _LINE, ' stroke-dasharray="1 10"')
        + _path("input", known)
        + _dot("input", 66, 52, 7)
    )


def _kinked_line():
    return _path("quiet", "M20 82L140 22") + _path("output", "M20 30L62 76L98 40L140 66")


def _two_bends():
    """A sharp one and a round one."""
    return _path("input", "M18 74H88L138 22") + _path("output", "M22 22L40 41C66 68 78 74 104 74H142")


def _shapes():
    """A row, a wide matrix, a wide row, a tall matrix, and a row again."""
    return (
        _box("input", 16, 36, 8, 28)
        + _box("quiet", 32, 36, 40, 28, full=False)
        + _box("hidden", 80, 20, 8, 60)
        + _box("quiet", 97, 20, 28, 60, full=False)
        + _box("output", 134, 36, 8, 28)
    )


def _fan():
    """Out to many, and in again."""
    few, many = [30, 50, 70], [12, 27.2, 42.4, 57.6, 72.8, 88]
    lines = "".join(f"M30 {one}L80 {other:g}L130 {one}" for one in few for other in many)
    return (
        _path("quiet", lines, 1)
        + "".join(_dot("input", 30, y) for y in few)
        + "".join(_dot("hidden", 80, y) for y in many)
        + "".join(_dot("output", 130, y) for y in few)
    )


def _one_row():
    """One of five rows is another one now."""
    return "".join(
        _box("output" if row == 2 else "pale", 34 + 24 * column, 14 + 15 * row, 20, 11)
        for row in range(5)
        for column in range(4)
    )


def _shares():
    """A bar in parts, whose borders can be moved."""
    bar = _box("input", 16, 36, 42, 28) + _box("hidden", 60, 36, 40, 28) + _box("output", 102, 36, 42, 28)
    return bar + _path("ink", "M59 24v52M101 24v52", 2) + _dot("ink", 59, 24, 4) + _dot("ink", 101, 24, 4)


def _stream():
    """A stream that two parts leave and come back to."""
    return (
        _path("quiet", "M12 70H148")
        + _path("input", "M26 70C30 20 66 20 70 66", 4)
        + _path("output", "M90 70C94 20 130 20 134 66", 4)
        + _dot("input", 70, 70, 7)
        + _dot("output", 134, 70, 7)
    )


def _gate():
    """Two ways meet, and one of them says how much of the other comes through."""
    return (
        _path("input", "M16 26H66L96 46")
        + _path("output", "M16 74H50C66 74 74 66 96 54", 5)
        + _path("hidden", "M110 50H146")
        + '<circle class="hidden" cx="102" cy="50" r="11" stroke-width="3"/>'
        + _path("hidden", "M98 46l8 8m0-8l-8 8", 3)
    )


def _experts():
    """Six, of which two are asked."""
    heights = [10, 26, 42, 58, 74, 90]
    chosen = (1, 4)
    lines = "".join(f"M34 50L96 {y}" for place, y in enumerate(heights) if place not in chosen)
    lit = "".join(f"M34 50L96 {heights[place]}" for place in chosen)
    boxes = "".join(
        _box("output" if place in chosen else "pale", 100, y - 6, 36, 12) for place, y in enumerate(heights)
    )
    return _path("quiet", lines, 1) + _path("output", lit, 3) + boxes + _dot("input", 34, 50, 8)


def _painted_text():
    """Lines of text, painted by how strongly one unit fires."""
    lines = [(16, 26, 12, 30), (10, 34, 22, 14), (28, 12, 18, 24), (14, 20, 34)]
    painted = {(0, 1): "output", (1, 3): "output", (2, 1): "output half", (3, 0): "output half", (3, 2): "output"}
    parts = []
    for row, widths in enumerate(lines):
        x = 26
        for place, wide in enumerate(widths):
            parts.append(_box(painted.get((row, place), "pale"), x, 18 + 18 * row, wide, 10))
            x += wide + 5
    return "".join(parts)


def _judged():
    """Claims, one of them judged."""
    rows = ""
    for place, colour in enumerate(("input", "hidden", "output")):
        y = 24 + 26 * place
        rows += _box(colour, 30, y - 8, 16, 16, full=False) + _path("quiet", f"M60 {y}H{130 - 14 * (place % 2)}", 5)
    return rows + _path("hidden", "M33 49l5 6l12-16", 4)


def _there_and_back():
    there = "".join(_box(colour, x, 20, 26, 20) for colour, x in (("input", 16), ("hidden", 67), ("output", 118)))
    back = "".join(
        _box(colour, x, 62, 26, 20, full=False) for colour, x in (("input", 16), ("hidden", 67), ("output", 118))
    )
    return (
        there
        + back
        + _path(
            "ink", "M46 30h16m-5-4l5 4l-5 4M97 30h16m-5-4l5 4l-5 4M114 72h-16m5-4l-5 4l5 4M63 72h-16m5-4l-5 4l5 4", 2
        )
    )


def _bricks():
    """Two parts are in place, and the third one comes."""
    return (
        _box("input", 34, 66, 44, 20)
        + _box("hidden", 82, 66, 44, 20)
        + _box("quiet", 58, 42, 44, 20, full=False, more=' stroke-dasharray="4 4"')
        + _box("output", 66, 10, 44, 20)
        + _path("ink", "M88 32v7", 2)
    )


def _lens():
    dots = "".join(_dot("pale", 24 + 16 * x, 18 + 16 * y, 4) for x in range(8) for y in range(5))
    lens = '<circle class="lens" cx="88" cy="46" r="28" stroke-width="4"/>'
    return dots + lens + _dot("output", 88, 46, 12) + _path("ink", "M109 67L130 88", 6)


def _one_of_many():
    """A wall of numbers, and one of them stands out."""
    wall = "".join(_box("pale", 22 + 15 * x, 14 + 15 * y, 11, 11) for x in range(8) for y in range(5))
    return wall + _box("output", 97, 59, 11, 11) + '<circle class="lens" cx="102.5" cy="64.5" r="16" stroke-width="4"/>'


_DRAWN = {
    "start_here": _guess,
    "linear_limits": _kinked_line,
    "relu_vs_gelu": _two_bends,
    "build_the_ffn": _shapes,
    "expand_and_contract": _fan,
    "position_independence": _one_row,
    "parameter_share": _shares,
    "inside_the_block": _stream,
    "bonus_swiglu": _gate,
    "bonus_experts": _experts,
    "inside_a_language_model": _painted_text,
    "review": _judged,
    "build_backward": _there_and_back,
    "build_layer": _bricks,
    "build_microscope": _lens,
    "real_model": _one_of_many,
}

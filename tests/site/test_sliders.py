"""What is recorded of a slider is what the live figure shows, and the page shows what is recorded."""

import contextlib
import gzip
import io
import itertools
import random
import re
from concurrent.futures import ProcessPoolExecutor

import pytest

from courseware.page.interactive import Choice, Explorer, Interactive, Range
from lessons import catalogue
from publish.site import cache, capture, pages, states, svg
from tests.conftest import NOTEBOOKS
from tests.site import node, recorded

COUNT = 12  # states compared for each figure
LARGEST = 350_000  # bytes of a recording as it is sent
# Whether a figure shows these drawings in its layers, is called by this caption, and has it below.
SAME = """(figure, [layers, caption]) => {
    const svg = figure.querySelector("svg");
    const drawn = Array.from((svg.querySelector(".whole") || svg).children).slice(-layers.length);
    const wanted = layers.map((text, place) => {
        const group = document.createElementNS("http://www.w3.org/2000/svg", "g");
        group.innerHTML = text;
        if (drawn[place].id) group.id = drawn[place].id;
        return group;
    });
    const parts = "figcaption .said, figcaption .numbers:not([hidden]) p";
    const told = Array.from(figure.querySelectorAll(parts));
    return [wanted.every((group, place) => group.isEqualNode(drawn[place])),
            svg.getAttribute("aria-label") === caption,
            told.map(one => one.textContent).join(" ").trim() === caption];
}"""


LOADED = "id => course.players.some(one => one.id === id && one.data)"
# As a hand does it: each control in turn, and then the figure has time to be drawn.
MOVE = """async (figure, places) => {
    for (const [name, kind, place] of places) {
        const own = figure.querySelectorAll(`[data-control="${name}"]`);
        if (kind === "choice") {
            own[place].click();
        } else {
            own[0].value = place;
            own[0].dispatchEvent(new Event("input"));
        }
    }
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""
# The lessons whose pages have sliders: the figures of the others stand still, or are components.
NAMES = [
    lesson.name
    for lesson in catalogue.series()
    if lesson.name
    not in {
        "start_here",
        "build_the_ffn",
        "inside_the_block",
        "bonus_swiglu",
        "inside_a_language_model",
        "review",
        "real_model",
    }
]


def recordings(site, lesson: str = "*") -> dict[str, dict]:
    """Return the data of every recording, or of those of one lesson, by its name."""
    paths = sorted((site / "recordings").glob(f"{lesson}--*.js"))
    assert paths
    return {path.stem: recorded.read(path.read_text("utf-8")) for path in paths}


def some_states(data: dict, count: int = COUNT) -> list[tuple[int, ...]]:
    """Return a few states of a recording, drawn by chance: the place of the value of each control."""
    rng = random.Random(0)
    return [tuple(rng.randrange(len(one["values"])) for one in data["controls"]) for _ in range(count)]


class Live(capture.Capture):
    """A medium that compares each figure with controls with what was recorded of it."""

    count = 0

    def figure(self, figure, caption, component=None):
        """Leave pictures out, and count them."""
        self.count += 1

    def explorer(self, explorer):
        """Keep the differences between some recorded states and the live figure."""
        controls = explorer.controls
        kept = states.recorded_values(explorer)
        figure = explorer.interactive.figure
        self.prefix, self.count = capture.prefix(self.count), self.count + 1
        states.prepare(explorer)
        data = self.recorded[self.cell]
        different = []
        for at in some_states(data):
            values = {name: kept[name][place] for (name, place) in zip(controls, at, strict=True)}
            explorer.set(**values)
            named = {one["name"]: one["values"][place] for one, place in zip(data["controls"], at, strict=True)}
            layers, caption = recorded.state(data, named)
            live = "".join(svg.drawings(figure, explorer.interactive.artists, f"{self.prefix}m-")[1])
            if caption != explorer.caption:
                different.append((values, caption, explorer.caption))
            if "".join(layers) != live:
                different.append((values, "".join(layers)[:300], live[:300]))
        self.shown.setdefault(self.cell, []).append(different)


def compare(name: str, data: dict[str, dict]) -> dict[str, list]:
    """Run a lesson's notebook and return every difference between its recordings and the live figures, by the cell."""
    heard = Live()
    path = NOTEBOOKS / catalogue.lesson(name).notebook
    heard.recorded = data
    with contextlib.redirect_stderr(io.StringIO()):
        capture.listen(path, heard)
    return {cell: list(itertools.chain.from_iterable(found)) for cell, found in heard.shown.items()}


@pytest.mark.thorough
def test_recorded_states_are_those_of_the_live_figures(site):
    kept = {}
    for name, data in recordings(site).items():
        lesson, _, cell = name.partition("--")
        kept.setdefault(lesson, {})[cell] = data
    assert len(kept) == len(NAMES)
    with ProcessPoolExecutor(cache.workers(len(kept)), mp_context=cache.processes(), max_tasks_per_child=1) as pool:
        found = dict(zip(kept, pool.map(compare, kept, kept.values()), strict=True))
    assert found == {lesson: {cell: [] for cell in cells} for lesson, cells in kept.items()}


@pytest.mark.parametrize("name", NAMES)
def test_the_page_shows_what_is_recorded(opened, site, name):
    page = opened(pages.address(catalogue.lesson(name)))
    for id, data in recordings(site, name).items():
        player = page.locator(f"[data-recording='{id}']")
        page.evaluate("document.querySelectorAll('details').forEach(fold => fold.open = true)")
        player.scroll_into_view_if_needed()
        page.wait_for_function(LOADED, arg=id, timeout=20_000)
        for at in some_states(data, 4):
            named = {one["name"]: one["values"][place] for one, place in zip(data["controls"], at, strict=True)}
            layers, caption = recorded.state(data, named)
            places = [(one["name"], one["kind"], place) for one, place in zip(data["controls"], at, strict=True)]
            player.evaluate(MOVE, places)
            assert player.evaluate(SAME, [layers, caption]) == [True, True, True], (id, named)
        for control in player.locator("input[type=range]").all():
            data_of = next(one for one in data["controls"] if one["name"] == control.get_attribute("data-control"))
            assert control.get_attribute("aria-valuetext") == data_of["values"][int(control.input_value())]


def test_a_state_in_the_address_is_shown(opened):
    page = opened("linear-limits.html#explore-units?units=11")
    page.wait_for_function("document.querySelector('.player .said').textContent.startsWith('11 hidden units')")
    page.locator(".player .reset").click()
    page.wait_for_function("document.querySelector('.player .said').textContent.startsWith('4 hidden units')")
    page.locator(".player input").press("ArrowRight")
    page.wait_for_function("location.hash === '#explore-units?units=5'")
    page.locator("[role=status]").filter(has_text="5 hidden units").wait_for(state="attached")


def test_recordings_are_small(site):
    sizes = {path.stem: len(gzip.compress(path.read_bytes())) for path in (site / "recordings").glob("*.js")}
    assert sizes and max(sizes.values()) <= LARGEST, sizes


def test_choices_are_never_thinned_and_the_start_stays():
    many = tuple(map(str, range(90)))
    controls = {"word": Choice("word", many), "x": Range("x", 0, 100, step=0.1, start=33.3)}
    kept = states.kept_values(controls)
    assert kept["word"] == many and 33.3 in kept["x"]
    assert len(kept["word"]) * len(kept["x"]) <= states.MOST_STATES < 90 * 1001
    with pytest.raises(states.RecordingError, match="choices alone"):
        states.kept_values({name: Choice(name, many) for name in ("a", "b", "c")})


def test_an_update_must_name_the_same_properties_each_time():
    from courseware.page.style import blank

    figure, axes = blank()
    line = axes.plot([0, 1], [0, 1])[0]

    def update(x):
        properties = {"data": ([0, 1], [0, x])}
        return {"line": properties | ({"color": "red"} if x > 1 else {})}, f"x is {x}"

    explorer = Explorer(Interactive(figure, update, {"line": line}), x=Range("x", 0, 3, step=1, start=0))
    with pytest.raises(states.RecordingError, match="color"):
        states.record(explorer, "a-")


def test_a_large_recording_is_packed_and_comes_back(opened, site):
    large = {"texts": [f"{number * 7919 % 104729}→" for number in range(120_000)]}
    assert len(states.as_json(large)) > states.LARGEST > len(states.script("a", large)) / 2
    assert recorded.read(states.script("a", large)) == large
    assert recorded.read(states.script("a", {"texts": ["→"]})) == {"texts": ["→"]}
    packed = [one.stem for one in (site / "recordings").glob("*.js") if '", "' in one.read_text("utf-8")[:80]]
    assert packed
    page = opened(pages.address(catalogue.lesson(packed[0].partition("--")[0])))
    page.evaluate("delete window.DecompressionStream")  # an old browser: the figure stands still
    figure = page.locator(f"[data-recording='{packed[0]}']")
    page.evaluate("course.players.forEach(player => player.load())")
    figure.locator(".controls").wait_for(state="hidden")
    assert figure.locator("svg").first.get_attribute("aria-label")


def test_numbers_of_texts_come_back_to_the_digit():
    texts = [f"slope −{number:.6f} at 1e-{number % 7} of 007" for number in range(40)]
    written = states._forms(texts)
    assert "forms" in written
    assert [recorded.filled(written, place) for place in range(40)] == texts


def test_matplotlib_writes_what_is_expected():
    """An upgrade that writes other SVG is told at once: text as text, colours as variables, known elements only."""
    from courseware.page.style import INPUT, blank

    figure, axes = blank()
    line = axes.plot([0, 1, 2], [0, 1, 0.123456], "o-", color=INPUT)[0]
    axes.set(title="gate & 0.000504", xlim=(0, 2), ylim=(0, 1))
    svg.settle(figure)
    background = svg.whole(figure, "p-", without=[line])
    assert "gate &amp; 0.000504</text>" in background and "var(--ink)" in background
    assert "var(--input)" not in background and "<style" not in background and "font-family" not in background
    shared, (alone,) = svg.drawings(figure, [line], "p-")
    assert "stroke:var(--input)" in alone and len(re.findall(r"M[\d.]+ [\d.]+h0", alone)) == 3 and 'id="p-' in shared
    ids = set(re.findall(r'id="([^"]+)"', shared + background))
    assert set(re.findall(r'(?:url\(|href=")#([\w-]+)', alone)) <= ids
    with pytest.raises(svg.DrawingError, match="commands"):
        svg.path("M 0 0 A 1 1 0 0 0 2 2")


def test_lines_are_thinned_within_a_tenth_of_a_point():
    import numpy as np

    x = np.linspace(0, 400, 2000)
    points = np.column_stack([x, 100 + 80 * np.sin(x / 30)])
    kept = svg._thinned(points)
    assert len(kept) < 300
    assert np.abs(np.interp(x, kept[:, 0], kept[:, 1]) - points[:, 1]).max() < 3 * svg.CLOSE


# Each picture that the first player shows for half a second after its first slider has been moved to its end.
FRAMES = """async () => {
    const player = course.players.at(-1);
    player.load();
    while (!player.data) await new Promise((done) => setTimeout(done, 20));
    const input = player.inputs.find((one) => one.type === "range");
    input.value = Number(input.value) === 0 ? 1 : Number(input.value) - 1;
    input.dispatchEvent(new Event("input"));
    const shown = [];
    for (const end = performance.now() + 500; performance.now() < end; ) {
        await new Promise(requestAnimationFrame);
        shown.push(player.groups.map((group) => group.innerHTML).join());
    }
    player.take(player.at());
    player.last = player.last.map(() => -1);
    player.draw(player.at());
    return [new Set(shown).size, shown.at(-1) === player.groups.map((group) => group.innerHTML).join()];
}"""


@pytest.mark.parametrize("name", ["parameter-share.html", "relu-vs-gelu.html", "linear-limits.html"])
def test_a_step_is_a_movement_that_ends_where_it_should(opened, name):
    pictures, right = opened(name, reduced_motion="no-preference").evaluate(FRAMES)
    assert pictures > 3 and right
    pictures, right = opened(name, reduced_motion="reduce").evaluate(FRAMES)
    assert pictures <= 2 and right


def test_words_colours_and_cells_do_not_pass_through_what_lies_between():
    forms = [
        ['<path d="M', " 2L", ' 4" stroke="#', '"/><text x="', '">', " units</text>"],
        ['<g class="cells"><path d="M', '"/></g>'],
    ]
    part = {"forms": forms, "filled": ["0 10 20 00 5 3", "0 30 20 99 9 7", "1 3", "1 5"]}
    way = """([part, one, other]) => {
        const [from, to] = [course.motion.state(part, one), course.motion.state(part, other)];
        const found = course.motion.way(part, from, to);
        return found && [found(0.5).text, found(1).text === to.text];
    }"""
    scripts = "base.js", "motion.js"
    half = '<path d="M20.00 2L20 4" stroke="#99"/><text x="7.00">7 units</text>'
    assert node.run(way, [part, 0, 1], *scripts) == [half, True]
    assert node.run(way, [part, 2, 3], *scripts) is None and node.run(way, [part, 0, 2], *scripts) is None
    assert node.run(way, [part, 0, 0], *scripts) is None


def test_a_curve_moves_at_every_x_though_its_points_differ_in_number():
    line = '<path d="{}" stroke="#99"/>'
    part = {"texts": [line.format(d) for d in ("M0 0l10 10", "M0 0l5 10 5 -10", "M0 0l5 10 5 -10z", "M0 0l-5 1 15 0")]}
    way = """([part, one, other]) => {
        const [from, to] = [one, other].map(place => course.motion.state(part, place));
        const found = course.motion.way(part, from, to);
        return found && [found(0).text, found(0.5).text, found(1).text === to.text];
    }"""
    scripts = "base.js", "motion.js"
    start, half, arrives = node.run(way, [part, 0, 1], *scripts)
    assert start == line.format("M0.00 0.00l5.00 5.00 5.00 5.00")
    assert half == line.format("M0.00 0.00l5.00 7.50 5.00 -2.50") and arrives
    assert node.run(way, [part, 1, 2], *scripts) is None and node.run(way, [part, 0, 3], *scripts) is None
    assert node.run(way, [part, 1, 1], *scripts) is None

"""Every rule for figures is seen to report what breaks it, on the page and while a control moves."""

import types

import numpy as np
import pytest

from course_lib.arguments import array
from course_lib.desk import explore
from course_lib.page import style
from course_lib.page.caption import Caption
from course_lib.page.display import show
from course_lib.page.interactive import Choice, Explorer, Interactive, Range
from course_lib.page.style import DIVERGING, HIDDEN, ONE_SIDED, SMALL
from tests.page.figure_rules import FEW, drawn_texts, moving_problems, problems, record, refusal_problems, states, watch
from tests.page.samples import SPEED, wave

TWO = Range("speed", 1, 2, step=1, start=1)


def broken_figure(break_it=lambda figure, axes: None):
    figure, axes = style.blank()
    axes.plot([0, 1], [0, 1], color=HIDDEN)
    axes.set(xlabel="x", title="a line")
    break_it(figure, axes)
    return figure


def heatmap(values, colors, low, high):
    return lambda figure, axes: axes.imshow(values, cmap=colors, vmin=low, vmax=high, aspect="auto")


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
        (lambda figure, axes: axes.text(0.5, 0.2, "tiny", fontsize=7), "10.6 pixels high: 'tiny'"),
        (lambda figure, axes: axes.text(0.5, 0.2, "$10^{-3}$", fontsize=10), "10.6 pixels high"),
        (lambda figure, axes: axes.set_title("a line", fontsize=7), "10.6 pixels high: 'a line'"),
        (heatmap([[0, 1]], DIVERGING, -1, 1), "numbers of 0 and above in the colours 'course' from -1 to 1"),
        (heatmap([[0, 1]], ONE_SIDED, -1, 1), "numbers of 0 and above in the colours 'course one-sided' from -1"),
        (heatmap([[0, 1]], "Greens", 0, 1), "numbers of 0 and above in the colours 'Greens'"),
        (heatmap([[-1, 1]], ONE_SIDED, -1, 1), "numbers on both sides of zero"),
        (heatmap([[-1, 2]], DIVERGING, -1, 2), "numbers on both sides of zero in the colours 'course' from -1 to 2"),
    ],
)
def test_rules_report(break_it, words):
    assert problems(broken_figure(), "A line.") == []
    found = problems(broken_figure(break_it), "A line.")
    assert len(found) == 1 and words in found[0]


@pytest.mark.parametrize("caption", ["", "No stop", "Two\nlines.", "A loss of nan.", "np.float64(3).", None])
def test_rules_report_captions(caption):
    assert len(problems(broken_figure(), caption)) == 1


@pytest.mark.parametrize(
    "fitting",
    [heatmap([[0, 1]], ONE_SIDED, 0, 1), heatmap([[-1, 1]], DIVERGING, -1, 1), heatmap([[np.nan]], "Greens", 0, 1)],
)
def test_rules_let_heatmaps_pass(fitting):
    assert problems(broken_figure(fitting), "A line.") == []


def test_panels_on_one_scale_are_judged_together():
    figure, (left, right) = style.blank(columns=2)
    for axes, values in ((left, [[0, 1]]), (right, [[-1, 0]])):
        axes.imshow(values, cmap=DIVERGING, vmin=-1, vmax=1, aspect="auto")
    assert problems(figure, "Two panels.") == []


def test_smallest_words_pass_in_the_widest_figure():
    figure, axes = style.blank(style.WIDE)
    axes.text(0.5, 0.5, "small", fontsize=SMALL)
    assert problems(figure, "A word.") == []
    axes.text(0.5, 0.2, "smaller", fontsize=9)
    assert problems(figure, "A word.") == ["10.9 pixels high: 'smaller'"]


@pytest.mark.parametrize("message", ["It rises. It falls.", "It rises" + " and falls" * 23 + "."])
def test_only_one_short_sentence_is_seen(message):
    assert len(problems(broken_figure(), Caption(message, "From 1 to 3."))) == 1
    assert problems(broken_figure(), Caption("It rises.", message)) == []


def test_drawn_texts_are_the_visible_ones():
    words = {text.get_text() for text, _ in drawn_texts(broken_figure())}
    assert {"x", "a line"} <= words and "" not in words


def test_states():
    few, many = Choice("kind", ("a", "b", "c"), start=1), Range("n", 0, 10, step=0.5, start=0.5)
    assert len(many.values()) > FEW
    assert states({"kind": few, "n": many}) == [
        {"kind": "b", "n": 0.5},
        *({"kind": kind, "n": 0.5} for kind in "abc"),
        *({"kind": "b", "n": n} for n in (0.0, 5.0, 10.0)),
    ]
    assert [state["speed"] for state in states({"speed": SPEED})] == [2, 1, 2, 3, 4, 5]


def moved_by(**properties):
    """Make a figure whose line gets these properties when its number is above 1."""
    figure, axes = style.blank()
    line = axes.plot([0, 1], [0, 1], color=HIDDEN)[0]

    def update(speed):
        return {"line": properties if speed > 1 else {"data": ([0, 1], [0, 1])}}, f"A line at speed {speed}."

    return Interactive(figure, update, {"line": line})


def test_rules_hold_in_every_state():
    start, other = {"speed": 1}, {"speed": 2}
    assert moving_problems(moved_by(data=([0, 1], [1, 0])), [start, other]) == []
    faint = moved_by(color="#dddddd")
    assert moving_problems(faint, [start, other])[0].startswith(f"{other}: faint line")
    assert moving_problems(moved_by(), [start, start]) == ["the caption is the same in every state"]


def test_the_first_state_is_the_last():
    figure = moved_by(data=([0, 1], [1, 0]))
    moving_problems(figure, [{"speed": 1}, {"speed": 2}])
    assert figure.moving["line"].get_ydata() == [0, 1]


def test_watching_what_is_shown(shown):
    """Figures and sliders are shown as without watching, and what is wrong with them is collected."""
    found = []
    with watch(found):
        show(broken_figure(), "A line.")
        explore(wave(), speed=TWO)
        assert found == []
        show(broken_figure(lambda figure, axes: figure.set_size_inches(5, 5)), "A square.")
        assert len(found) == 1 and found[0].startswith("A square.: the size must be")
        explore(moved_by(color="#dddddd"), speed=TWO)
        assert len(found) > 2 and all("faint line" in problem for problem in found[1:])
    count = len(found)
    show(broken_figure(), "No stop")
    assert len(found) == count
    captions = ["A line.", "A sine with speed 1 & <more>.", "A square.", "A line at speed 1.", "No stop"]
    assert shown.plain == [words for caption in captions for words in (f"Figure: {caption}", caption)]


def test_watching_leaves_the_explorer_at_its_start(shown):
    explorer = Explorer(wave(), speed=TWO)
    with watch([]) as medium:
        medium.explorer(explorer)
    assert explorer.interactive.moving["words"].get_text() == "speed 1"


def careful(x, y, names):
    x, y = array("x", x, ("n",)), array("y", y, ("n",))
    if len(x) != len(y):
        raise ValueError("y must have as many numbers as x.")
    return x, y, names


def careless(x, y):
    if np.shape(x) != np.shape(y):
        raise ValueError("x and y must have same first dimension, but have shapes (1,) and (2,)")
    return np.asarray(x).T[::-1] + array("y", y, finite=False)


def gallery():
    module = types.ModuleType(__name__)
    module.careful, module.careless, module._private = careful, careless, careful
    module.array = array  # of another module
    return module


def test_first_calls_are_recorded():
    module = gallery()
    calls = record(module)
    assert module.careful([1], [2], names=["a"]) == ([1], [2], ["a"])
    module.careful([3], [4], names=["b"])
    module.array("x", [1])
    module._private([1], [2], [])
    assert calls == {"careful": (careful, {"x": [1], "y": [2], "names": ["a"]})}


def test_refusals_must_name_the_argument():
    arguments = {"x": np.ones(3), "y": np.ones(3)}
    assert refusal_problems({"careful": (careful, {**arguments, "names": "words"})}) == []
    found = refusal_problems({"careless": (careless, arguments)})
    assert "careless given NaN for x: it was taken" in found
    assert any(one.startswith("careless given words for x: x and y must have same") for one in found)
    assert "careless given NaN for y: it was taken" in found and len(found) == 8

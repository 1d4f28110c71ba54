"""What lesson 03 says beyond what every exercise is tested for: the faults of a module, the boxes, and its numbers."""

import numpy as np
import pytest
import torch
from torch import nn

from course_lib import numpy_ffn
from course_lib.exercises import grade
from course_lib.exercises.api import catalogue, solution_cell
from course_lib.ffn import PositionWiseFeedForward
from course_lib.figures import ffn as figures
from course_lib.lessons import l03


class Right(nn.Module):
    def __init__(self, d_model, d_ff):
        super().__init__()
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))


def layers(**layers):
    """Make a class whose object holds the named layers, each made by (d_model, d_ff) -> layer."""

    def make(self, d_model, d_ff):
        nn.Module.__init__(self)
        for name, layer in layers.items():
            setattr(self, name, layer(d_model, d_ff))

    return type("FFN", (Right,), {"__init__": make})


def forward(function):
    return type("FFN", (Right,), {"forward": function})


class NoSuper(nn.Module):
    def __init__(self, d_model, d_ff):
        self.up, self.down = nn.Linear(d_model, d_ff), nn.Linear(d_ff, d_model)


def up(d_model, d_ff):
    return nn.Linear(d_model, d_ff)


def down(d_model, d_ff):
    return nn.Linear(d_ff, d_model)


FAULTS = {
    "no super().__init__()": (NoSuper, "raises", "must be super().__init__()"),
    "no bias up": (layers(up=lambda d, f: nn.Linear(d, f, bias=False), down=down), "none", "'up' has no bias"),
    "no bias down": (layers(up=up, down=lambda d, f: nn.Linear(f, d, bias=False)), "none", "'down' has no bias"),
    "other names": (
        layers(linear1=up, linear2=down),
        "type",
        "'up', but the parts of yours are called linear1, linear2",
    ),
    "one name": (layers(up=up, out=down), "type", "an attribute 'down'"),
    "no layers": (layers(), "type", "yours has no parts yet"),
    "swapped layers": (layers(up=down, down=up), "shape", "up.weight has shape"),
    "too narrow": (layers(up=lambda d, f: nn.Linear(d, d), down=lambda d, f: nn.Linear(d, d)), "shape", "up.weight"),
    "always 4 times": (layers(up=lambda d, f: nn.Linear(d, 4 * d), down=down), "shape", "up.weight has shape"),
    "no layer": (layers(up=lambda d, f: torch.ones(f, d), down=down), "type", "'up' must be a layer"),
    "a layer without weights": (layers(up=lambda d, f: nn.ReLU(), down=down), "type", "'up' is of type ReLU"),
    "no module": (type("FFN", (), {"__init__": lambda self, d, f: None}), "type", "class FFN(nn.Module)"),
    "no arguments": (type("FFN", (nn.Module,), {}), "raises", "TypeError"),
    "no forward": (type("FFN", (Right,), {"forward": nn.Module.forward}), "todo", "NotImplementedError"),
    "one axis too many": (
        forward(lambda self, x: Right.forward(self, x[None] if x.ndim == 2 else x)),
        "shape",
        "an axis of size 1 was added in front",
    ),
    "tokens only": (forward(lambda self, x: Right.forward(self, x.reshape(-1, x.shape[-1]))), "shape", "(10, 3)"),
    "NumPy": (forward(lambda self, x: Right.forward(self, x).detach().numpy()), "type", "a torch tensor"),
    "detached": (forward(lambda self, x: Right.forward(self, x).detach()), "value", "no gradient reaches"),
    "no_grad": (forward(torch.no_grad()(Right.forward)), "value", "no gradient reaches"),
    "weights by .data": (
        forward(lambda self, x: self.down(torch.relu(x @ self.up.weight.data.T + self.up.bias))),
        "value",
        "no gradient reaches",
    ),
    "dropout that stays on": (
        forward(lambda self, x: nn.functional.dropout(Right.forward(self, x), 0.5)),
        "value",
        "differ in eval mode",
    ),
    "a spare layer": (layers(up=up, down=down, gate=up), "value", "more numbers than its two layers need"),
    "in place on x": (forward(lambda self, x: self.down(torch.relu(self.up(x.mul_(2))))), "mutates", "number 1"),
    "float32": (forward(lambda self, x: Right.forward(self, x).float()), "dtype", "float32"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault_of_a_module(name):
    answer, key, words = FAULTS[name]
    for seed in range(3):
        verdict = grade("ffn.module", answer, seed)
        assert verdict.key == key
        assert words in verdict.message
        assert verdict.message[0].isupper() or verdict.message.startswith("the output")
        assert verdict.message[-1] in ".?!"


def test_the_solution_is_the_network_of_the_course():
    namespace = {"nn": nn, "torch": torch, "check": lambda *args: None}
    exec(solution_cell("ffn.module"), namespace)
    torch.manual_seed(0)
    ours, theirs = PositionWiseFeedForward(5, 7, dropout=0.0), namespace["FFN"](5, 7)
    theirs.load_state_dict(ours.state_dict())
    x = torch.randn(2, 3, 5)
    assert torch.equal(ours(x), theirs(x))


# ---- the boxes -------------------------------------------------------------------------------------------------------


def boxes(seed=0):
    return catalogue()["ffn.which_bug"].cases(np.random.default_rng(seed))[0].args[0]


def arrays(seed=3, tokens=4):
    rng = np.random.default_rng(seed)
    shapes = (tokens, 3), (3, 6), (6,), (6, 3), (3,)
    return [rng.normal(size=shape) for shape in shapes]


def test_every_kind_is_among_the_boxes_and_the_order_changes():
    orders = [[l03._MADE[box] for box in boxes(seed)] for seed in range(5)]
    assert len({tuple(order) for order in orders}) == 5
    for order in orders:
        assert sorted(order) == sorted(l03._BOXES)
    names = [name for name, _, _ in l03._BOXES.values()]
    assert set(names) == set(l03.NAMES)


def test_only_the_correct_boxes_compute_the_equation():
    for box in boxes():
        close = np.allclose(box(*arrays()), numpy_ffn.ffn_forward(*arrays()))
        assert close == (l03._BOXES[l03._MADE[box]][0] == "correct"), l03._MADE[box]


def test_boxes_differ_from_each_other():
    """Two boxes of different kinds never agree on arrays without special values."""
    made = [(l03._BOXES[l03._MADE[box]][0], box(*arrays())) for box in boxes()]
    for i, (name, y) in enumerate(made):
        for other, other_y in made[:i]:
            assert name == other or not np.allclose(y, other_y), (name, other)


@pytest.mark.parametrize(
    ("hidden", "change"),
    [
        ("missing bias", lambda x, W1, b1, W2, b2: (x, W1, 0 * b1, W2, 0 * b2)),
        ("mixes positions", lambda x, W1, b1, W2, b2: (x[:1], W1, b1, W2, b2)),
        ("tied weights", lambda x, W1, b1, W2, b2: (x, W1, b1, W1.T, b2)),
    ],
)
def test_a_careless_probe_misses_a_bug(hidden, change):
    """The hints say that some bugs hide; here is where."""
    given = change(*arrays())
    right = numpy_ffn.ffn_forward(*given)
    which = [box for box in boxes() if l03._BOXES[l03._MADE[box]][0] == hidden]
    assert any(np.allclose(box(*given), right) for box in which)


def test_boxes_say_what_they_need():
    box, (x, W1, b1, W2, b2) = boxes()[0], arrays()
    with pytest.raises(ValueError, match=r"x must have shape \(seq_len, d_model\), but its shape is \(3,\)"):
        box(x[0], W1, b1, W2, b2)
    with pytest.raises(ValueError, match=r"W2 must have shape \(d_ff, d_model\) with d_ff = 6"):
        box(x, W1, b1, W2.T, b2)
    with pytest.raises(TypeError, match="b1 must be an array of real numbers"):
        box(x, W1, "b1", W2, b2)


@pytest.mark.parametrize(
    ("answer", "key", "words"),
    [
        (lambda f: "relu", "value", "The word 'relu' is none of the names: use 'correct', 'no activation'"),
        (lambda f: 3, "type", "a word in quotes"),
        (lambda f: None, "none", "return"),
        (lambda f: "correct", "mistake:all-correct", "Every box got the same name"),
        (lambda f: f(1), "raises", "TypeError"),
    ],
)
def test_names_that_are_no_names(answer, key, words):
    verdict = grade("ffn.which_bug", answer, 0)
    assert verdict.key == key
    assert words in verdict.message


def test_random_names_are_never_accepted():
    rng = np.random.default_rng(0)
    for seed in range(20):
        verdict = grade("ffn.which_bug", lambda f: str(rng.choice(l03.NAMES)), seed)
        assert verdict.key.startswith("mistake:")


def test_the_first_wrong_name_gets_its_hint():
    def answer(f):
        name = l03._BOXES[l03._MADE[f]][0]
        return {"tied weights": "no activation", "residual inside": "correct"}.get(name, name)

    verdict = grade("ffn.which_bug", answer, 0)
    assert verdict.key == "mistake:a-residual-as-correct"
    assert "zero" in verdict.message


# ---- numbers that the lesson's words rely on -------------------------------------------------------------------------


def test_unit_weights_make_the_output_about_a_hundred_times_larger():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        x = 0.3 * rng.normal(size=(200, 64))
        y = numpy_ffn.ffn_forward(
            x, rng.normal(size=(64, 256)), np.zeros(256), rng.normal(size=(256, 64)), np.zeros(64)
        )
        assert 20 < y.std() < 40


def test_glorot_in_the_notebook_is_the_published_rule():
    drawn = numpy_ffn.glorot_uniform(np.random.default_rng(0), 64, 256)
    limit = (6 / (64 + 256)) ** 0.5
    assert np.array_equal(drawn, np.random.default_rng(0).uniform(-limit, limit, size=(64, 256)))
    assert drawn.var() == pytest.approx(2 / (64 + 256), rel=0.03)


# ---- figures ---------------------------------------------------------------------------------------------------------


def one_feature(starts=2, width=6, seed=0):
    rng = np.random.default_rng(seed)
    up, down = rng.normal(size=(starts, 1, width)), rng.normal(size=(starts, width, 1))
    return np.linspace(-3, 3, 31)[:, None], up, rng.normal(size=(starts, width)), down, rng.normal(size=starts)


def test_shapes_are_drawn_square_by_square():
    figure, caption = figures.shapes(tokens=4, d_model=3, d_ff=7)
    texts = [text.get_text() for text in figure.axes[0].texts]
    for shape in ("(4, 3)", "(3, 7)", "(4, 7)", "(7, 3)"):
        assert any(shape in text for text in texts), shape
    squares = 2 * (12 + 21 + 28 + 21 + 12) + 5  # a square and its frame for each number, and a frame for each array
    assert len(figure.axes[0].patches) == squares
    assert "4 tokens of 3 features become 4 × 7 hidden values" in caption


def test_one_token_counts_the_zeros():
    (x, W1, b1, W2, b2) = arrays()
    _, caption = figures.one_token(x[0], W1, b1, W2, b2)
    zeros = int((x[0] @ W1 + b1 <= 0).sum())
    assert f"sets {zeros} of the 6 hidden values to 0" in caption
    assert "sets 0 of the 6" in figures.one_token(x[0], W1, b1 + 100, W2, b2)[1]


def test_signal_sizes_tell_the_first_step():
    sizes = np.geomspace(1, 10, 30).reshape(2, 5, 3)
    _, caption = figures.signal_sizes(sizes, ("A", "B"))
    assert f"A: from {sizes[0, :, 1].min():.3g} to {sizes[0, :, 1].max():.3g}" in caption
    assert "5 seeds" in caption


@pytest.mark.parametrize("activation", list(numpy_ffn.ACTIVATIONS))
@pytest.mark.parametrize("d_ff", [1, 4, 6])
def test_output_curve_is_that_of_the_network(d_ff, activation):
    x, up, up_bias, down, down_bias = one_feature()
    interactive = figures.output_curve(x, up, up_bias, down, down_bias)
    caption = interactive.update(d_ff=d_ff, activation=activation, start=2)
    scaled = down[1, :d_ff] / np.sqrt(d_ff)
    y = numpy_ffn.ffn_forward(x, up[1, :, :d_ff], up_bias[1, :d_ff], scaled, down_bias[1:], activation)
    units, curve = interactive.moving
    assert np.allclose(curve.get_ydata(), y[:, 0])
    assert len(units.get_segments()) == d_ff
    assert ("straight line" in caption.rpartition(": ")[2]) and (
        ("is a straight line" in caption) == (activation == "identity")
    )


def test_output_curve_counts_kinks_in_view():
    x, up, down = np.linspace(-3, 3, 31)[:, None], np.ones((1, 1, 3)), np.ones((1, 3, 1))
    interactive = figures.output_curve(x, up, np.array([[0.5, -1.0, 9.0]]), down, np.zeros(1))
    assert "with 2 kinks in view" in interactive.update(d_ff=3, activation="relu", start=1)
    assert "with 1 kink in view" in interactive.update(d_ff=1, activation="relu", start=1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: figures.shapes(0, 3, 12), "tokens must be an integer from 1 to 12, but int 0"),
        (lambda: figures.shapes(4, 3, 100), "d_ff must be an integer from 1 to 24, but int 100"),
        (lambda: figures.one_token(*arrays()), "x must have shape"),
        (lambda: figures.one_token(arrays()[0][0], *arrays()[1:4], np.ones(4)), "b2 must have d_model = 3"),
        (lambda: figures.signal_sizes(np.ones((2, 5, 3)), ("A",)), "names must hold one name for each rule"),
        (lambda: figures.signal_sizes(np.zeros((1, 5, 3)), ("A",)), "sizes must be positive"),
        (lambda: figures.output_curve(np.ones((3, 2)), *one_feature()[1:]), "d_model = 1"),
        (lambda: figures.output_curve(*one_feature()[:4], np.ones(3)), "b2 must have starts = 2"),
        (lambda: figures.output_curve(*one_feature()).update(7, "relu", 1), "d_ff must be an integer from 1 to 6"),
        (lambda: figures.output_curve(*one_feature()).update(1, "swish", 1), "unknown activation 'swish'"),
        (lambda: figures.output_curve(*one_feature()).update(1, "relu", 3), "start must be an integer from 1 to 2"),
    ],
)
def test_wrong_data_for_figures(call, message):
    with pytest.raises(ValueError, match=message):
        call()
